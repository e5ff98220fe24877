"""The stages in order: a function and a call of it enter, a program for its signature leaves.

    source ─stage─▶ Graph ─transforms, optimise─▶ Graph ─emit─▶ source ─load─▶ callable

Everything here is done once a signature. ``derive`` gives the graph, ``build`` the loaded program,
``build_pair`` the forward and backward programs.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff import differentiate
from symdiff.dataclass import dataclass
from symdiff.differentiate.graphs import derived_from, seeded_results
from symdiff.differentiate.switches import RECOMPUTING
from symdiff.emit import Emitted, emit_source
from symdiff.emit.fallback import FLOATS_RAISE, LISTS_RAISE, with_fallback
from symdiff.emit.namespace import Namespace
from symdiff.errors import (
    AliasingError,
    CertainError,
    SignatureError,
    SymdiffError,
    faults_told,
    too_deep,
)
from symdiff.ir.attributes import opened
from symdiff.ir.build import constant
from symdiff.ir.called import called_by, with_called
from symdiff.ir.compiled import own_signature
from symdiff.ir.graph import (
    Block,
    FreeVariable,
    Graph,
    Node,
    Value,
    are_apart,
    uses,
    walk_nodes,
    with_distinct_paths,
)
from symdiff.ir.record import recording
from symdiff.ir.signature import Aspect, Nested, Path, Signature, Specification, leaves
from symdiff.ir.structure import Container, Leaf, Static, Structure, leaf_numbers, mapped
from symdiff.ir.types import ArrayType
from symdiff.ir.verify import is_asked_for, verify_numbers, verify_scopes
from symdiff.ops.defined import of_values_alone
from symdiff.ops.facts import does_more
from symdiff.ops.index import is_view
from symdiff.ops.meeting import meetings
from symdiff.ops.rules import expanded
from symdiff.optimise import DEFAULT, DIVISIBLE, EMITTED, optimise
from symdiff.optimise.blocks import in_blocks, lengths_that_pay, meetings_of_elements
from symdiff.optimise.dead_code import eliminate_dead_code
from symdiff.optimise.elements import on_lists
from symdiff.optimise.floats import on_floats
from symdiff.optimise.islands import KINDS, simplify_islands
from symdiff.optimise.neighbours import join_neighbours
from symdiff.optimise.outlining import outlined
from symdiff.optimise.tested_calls import with_tested_calls
from symdiff.optimise.tries import has_tests, with_tries
from symdiff.optimise.unread import without_unread
from symdiff.parse import CalledOften, Marks, RetryPolicy, Staged, StaticDemand, place_of, stage
from symdiff.parse.typed_arrays import with_typed_arrays
from symdiff.runtime.calling import follow
from symdiff.runtime.collecting import seldom_collecting
from symdiff.runtime.entry import Check
from symdiff.runtime.facts import compiled_for
from symdiff.runtime.lengths import (
    Tie,
    common,
    has_long,
    joined,
    long_in,
    told_anew,
    with_common,
    with_long,
    with_sure_ties,
)
from symdiff.runtime.load import load
from symdiff.runtime.parameters import Parameters
from symdiff.runtime.siblings import Likely
from symdiff.runtime.signature import TypeText, laps_itself, layout_of, signature_of, spelled
from symdiff.runtime.watching import Origin
from symdiff.source import SourceSpan

if TYPE_CHECKING:
    from symdiff.optimise.islands.search import Replacement

Arguments = tuple[Any, ...]
Normalise = Callable[[Arguments], Arguments]
_MOST_RESTARTS = 200
_MOST_LIMITS = 3  # runs that are refused for how much they follow: each takes seconds
_MOST_FLOATS = 32  # that are fixed: for each decision that they tell all is staged again
_BY_NUMPY = "_by_numpy"


@dataclass(frozen=True, slots=True)
class CallPair:
    """The signatures of the inner and the outer call of a transform, and the inner parameters."""

    inner: Signature
    outer: Signature
    parameters: Parameters


@dataclass(frozen=True)
class Transform:
    """Graph → Graph, and how outer calls relate to inner ones.

    By default the derived function takes the same arguments and has the same graph.
    """

    @property
    def marks(self) -> Marks | None:
        """What is marked in the function itself."""
        return None

    @property
    def at_end(self) -> bool:
        """True if the function has to leave all behind at its end, whatever raises before."""
        return False

    def parameters(self, inner: Parameters) -> Parameters:
        """The parameters of the derived function."""
        return inner

    def inner_arguments(self, arguments: Arguments, inner: Parameters) -> Arguments:
        """The arguments of the inner call."""
        return arguments

    def normalise(self, arguments: Arguments, inner: Parameters, within: Normalise) -> Arguments:
        """Arguments in the types that are compiled for; ``within`` does it for the inner call."""
        return within(arguments)

    def outer_path(self, path: Path, calls: CallPair) -> Path:
        """Where what stands at a path of the inner arguments stands in the outer ones."""
        return path

    def ties(self, calls: CallPair) -> list[tuple[Path, Path]]:
        """Paths of arrays with the paths of those whose shape they have: tangents of primals."""
        return []

    def lengths(self, calls: CallPair) -> list[Tie]:
        """Axes of outer arguments that have one length."""
        return []

    def parted(
        self, ties: Sequence[tuple[Path, Path]], calls: CallPair
    ) -> tuple[list[tuple[Path, Path]], list[Tie]]:
        """Ties of inner arguments as those of outer ones: of whole shapes, and of single axes."""
        return [(self.outer_path(p, calls), self.outer_path(q, calls)) for p, q in ties], []

    def require(self, facts: Sequence[Path], calls: CallPair) -> None:
        """Refuse facts about inner arguments that outer ones do not have."""

    def opens(self, arguments: Arguments, inner: Parameters) -> list[Any]:
        """What is differentiated by, or along, in a call; objects in it by their attributes."""
        return []

    def differentiates(self, path: Path, calls: CallPair) -> bool:
        """Return whether a float at a path of the inner arguments is differentiated by."""
        return False

    def apply(self, graph: Graph, calls: CallPair) -> Graph:
        """The derived graph."""
        return graph

    def at_once(self, graph: Graph, calls: CallPair, times: int) -> Graph | None:
        """What this transform makes if it is applied so many times, made in another way; None
        where there is none.
        """
        return None


@dataclass(frozen=True, slots=True)
class Chain:
    """A function and the transforms applied to it, innermost first, with the parameters at each
    level.
    """

    function: Callable[..., Any]
    transforms: tuple[Transform, ...]
    parameters: tuple[Parameters, ...]

    @classmethod
    def of(
        cls, function: Callable[..., Any], parameters: Parameters, transforms: Sequence[Transform]
    ) -> Chain:
        levels = [parameters]
        for transform in transforms:
            levels.append(transform.parameters(levels[-1]))
        return cls(function, tuple(transforms), tuple(levels))

    def opened(self, arguments: Arguments) -> frozenset[int]:
        """The ids of the objects by whose attributes a call differentiates."""
        return opened(self.asked_for(arguments))

    def asked_for(self, arguments: Arguments) -> list[Any]:
        """The arguments by which a call differentiates, and vectors."""
        calls = zip(self.transforms, self.levels(arguments)[1:], self.parameters[:-1], strict=True)
        return [value for t, given, inner in calls for value in t.opens(given, inner)]

    @property
    def marks(self) -> Marks | None:
        """The marks on the names of the function."""
        return next((t.marks for t in self.transforms if t.marks is not None), None)

    @property
    def at_end(self) -> bool:
        """True if the function is to leave all behind at its end."""
        return any(t.at_end for t in self.transforms)

    def normalise(self, arguments: Arguments) -> Arguments:
        """Outer arguments in the types that are compiled for."""
        return self._normalise(len(self.transforms), arguments)

    def _normalise(self, level: int, arguments: Arguments) -> Arguments:
        if level == 0:
            return arguments
        inner = self.parameters[level - 1]
        return self.transforms[level - 1].normalise(
            arguments, inner, lambda within: self._normalise(level - 1, within)
        )

    def levels(self, arguments: Arguments) -> list[Arguments]:
        """The arguments of the call at each level, the function's own first."""
        found = [arguments]
        for transform, inner in zip(
            reversed(self.transforms), reversed(self.parameters[:-1]), strict=True
        ):
            found.append(transform.inner_arguments(found[-1], inner))
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Followed:
    """The optimised graph of a function, the signature of its calls, and the facts about other
    variables that it rests on.

    ``staged`` is the graph as the function is written, with the user's names.
    """

    graph: Graph
    signature: Signature
    checks: tuple[Check, ...]
    staged: Staged

    @property
    def written(self) -> tuple[Path, ...]:
        """The paths of the arrays that the function writes."""
        return tuple(self.graph.inputs[number].path for number in self.graph.mutated)


@dataclass(frozen=True, slots=True)
class Derived:
    """A graph with the signature of its calls, and the facts about other variables that it rests
    on.

    ``primal`` is the graph of the function itself, ``staged`` the same as it is written, and
    ``inner`` the signature of its calls, ``written`` the paths of the arrays that it writes.
    ``added`` are the paths of what the function itself does not see: tangents and cotangents.
    ``simplify`` are the kinds of identities by which SymPy may simplify what is emitted.
    """

    graph: Graph
    signature: Signature
    checks: tuple[Check, ...]
    primal: Graph
    inner: Signature
    staged: Staged
    written: tuple[Path, ...] = ()
    added: frozenset[Path] = frozenset()
    simplify: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled graph: text, loaded function, and the paths of what that is given.

    ``graph`` is what was emitted, ``simplified`` what SymPy replaced in it by what, and did not.
    """

    derived: Derived
    emitted: Emitted
    function: Callable[..., Any]
    paths: tuple[Path, ...]
    graph: Graph
    simplified: tuple[Replacement, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Forward and backward programs.

    ``order`` picks the backward function's arguments from the saved
    values and cotangents; ``seeded`` are the numbers of the results that have a cotangent;
    ``origins`` tell of the saved values what they are and what for."""

    forward: Program
    backward: Emitted
    function: Callable[..., Any]
    order: tuple[int, ...]
    seeded: tuple[int, ...]
    backward_graph: Graph
    origins: tuple[Origin, ...]


@faults_told()
@seldom_collecting()
def followed(
    function: Callable[..., Any],
    names: Sequence[str],
    arguments: Arguments,
    marks: Marks | None = None,
    at_end: bool = False,
    ids: frozenset[int] = frozenset(),
) -> Followed:
    """A function's own graph for a normalised call of it (or spelled types)."""
    try:
        signature = signature_of(names, arguments, ids)
    except SignatureError as error:
        span = place_of(function)
        raise (error.with_span(span) if span else error) from None
    staged, signature = staged_at(function, signature, arguments, marks, at_end)
    checks = [_check(guard) for guard in staged.guards]
    graph = _improved(staged, is_marked=marks is not None)
    found = Followed(graph, signature, tuple(checks), staged)
    given = dict(zip(names, arguments, strict=True))
    _refuse_one_by_two_paths(checks, given)
    kept = _defaults_written(function, given, found.written)
    return replace(found, checks=(*found.checks, *kept)) if kept else found


def _improved(staged: Staged, is_marked: bool) -> Graph:
    """The graph of what was staged, outlined where nothing of it is marked, and optimised."""
    whole = staged.graph
    try:
        if not is_marked:
            whole = _with_tries(outlined(whole, staged.made_in))
        return without_unused_variables(optimise(whole))
    except RecursionError:
        raise too_deep(whole.span) from None


def _with_tries(graph: Graph) -> Graph:
    """The graph, and those that it calls, with the body of each ``try`` as one piece."""
    if not any(map(has_tests, (graph, *called_by(graph)))):
        return graph
    pruned = optimise(graph, ("dead", "common", "branches", "dead"), last=())
    return with_called(pruned, lambda one: with_tries(without_unread(one)))


def _refuse_one_by_two_paths(checks: Sequence[Check], given: dict[str, Any]) -> None:
    """Refuse to write a list, a dict or an object that is read by another path too."""
    names, values = list(given), list(given.values())
    for check in checks:
        if check.kind != "apart":
            continue
        found: dict[int, Path] = {}
        for path in (*check.expected[0], *check.expected[1]):
            one = follow(path, names, values)
            other = found.setdefault(id(one), path)
            if other in (path, *check.expected[1]):  # what is read may be one by two paths
                continue
            first, second = sorted((spelled(other), spelled(path)))
            raise AliasingError(
                f"{first} and {second} are one {type(one).__name__}, and it is written",
                hint="pass a copy as one of them",
            )


def _defaults_written(
    function: Callable[..., Any], given: dict[str, Any], written: Sequence[Path]
) -> list[Check]:
    """Refuse to write an array that is a default, which Python keeps changed from call to call.

    The checks tell such a call from those that bring an array of their own.
    """
    checks = []
    parameters = own_signature(function).parameters if written else {}
    for path in written:
        name, *rest = path
        default = parameters[name].default if name in parameters else inspect.Parameter.empty
        if default is inspect.Parameter.empty or default is None:
            continue
        kept = follow(("default", *rest), ("default",), (default,))
        if follow(path, list(given), list(given.values())) is kept:
            raise SignatureError(
                f"the function writes to {spelled(path)}, which is its own default here: Python"
                " keeps the change for the next call, and a derivative writes to no argument",
                hint=f"pass an array as {name!r}, or let the function write to a copy",
            )
        checks.append(Check(path, "other", kept))
    return checks


@faults_told()
@seldom_collecting()
def derive(
    chain: Chain,
    arguments: Arguments,
    known: Followed | None = None,
    ids: frozenset[int] | None = None,
) -> Derived:
    """The optimised graph of the outermost transform for a normalised call (or spelled types).

    :param known: the graph of the function itself, where it was followed before.
    :param ids: of the objects by whose attributes is differentiated, where they are not
        those that the transforms ask for.
    """
    own, names = chain.levels(arguments)[0], chain.parameters[0].names
    ids = chain.opened(arguments) if ids is None else ids
    function = known or followed(chain.function, names, own, chain.marks, chain.at_end, ids)

    def made() -> Derived:
        return _derived(chain, arguments, function, ids)

    kinds = simplify_kinds(chain.transforms)
    with RECOMPUTING.turned(is_stabler_recomputed(lambda: made().graph, kinds)):
        return made()


def _derived(
    chain: Chain, arguments: Arguments, function: Followed, ids: frozenset[int]
) -> Derived:
    levels = chain.levels(arguments)
    pairs = zip(chain.parameters[1:], levels[1:], strict=True)
    outer = (signature_of(p.names, given, ids) for p, given in pairs)
    signatures = [function.signature, *outer]
    graph = join_neighbours(function.graph) if chain.transforms else function.graph
    checks, written = list(function.checks), function.written
    static, same = function.signature.static, function.signature.same
    long = function.signature.long
    own = _paths(function.signature)
    ties: list[tuple[Path, Path]] = []
    lengths = common(function.signature)
    orders = _Orders(chain.transforms)
    for k, transform in enumerate(chain.transforms):
        inner = replace(signatures[k], same=same)
        calls = CallPair(inner, signatures[k + 1], chain.parameters[k])
        graph = orders.applied(k, graph, calls)

        def moved(path: Path, t: Transform = transform, calls: CallPair = calls) -> Path:
            return path if isinstance(path[0], FreeVariable) else t.outer_path(path, calls)

        transform.require([path for path, _ in static if _is_of_argument(path)], calls)
        checks = [check.moved(moved) for check in checks]
        static = tuple((_moved_fact(path, moved), value) for path, value in static)
        facts = [(moved(path), is_long) for path, is_long in long]
        long = told_anew(facts, chain.parameters[k + 1].names, levels[k + 1])
        own_ties = transform.ties(calls)
        same = tuple((moved(path), moved(other)) for path, other in same)
        same += _tangents_of_same(same, own_ties, chain.parameters[k + 1].names, levels[k + 1])
        written, own = tuple(map(moved, written)), frozenset(map(moved, own))
        ties, parted = transform.parted(ties, calls)
        lengths = [*(tie.moved(moved) for tie in lengths), *parted, *transform.lengths(calls)]
        ties += own_ties
    outermost = tied(with_common(signatures[-1], lengths), ties)
    outermost = replace(outermost, static=static, same=same, long=long)
    added = _paths(outermost) - own
    return Derived(
        graph,
        outermost,
        tuple(checks),
        function.graph,
        function.signature,
        function.staged,
        written,
        added,
        simplify_kinds(chain.transforms),
    )


_LEAST_ORDER = 3  # below it, nothing is shorter at once


class _Orders:
    """The transforms of a chain, applied one by one; those of a run of equal ones at once, where
    that graph is shorter.
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = transforms
        self.first: tuple[int, Graph, CallPair]
        self.at_once: Graph | None = None
        self.is_taken = False

    def applied(self, k: int, graph: Graph, calls: CallPair) -> Graph:
        """The graph after the ``k``-th transform; within a run that is made at once, any."""
        transform = self.transforms[k]
        if k == 0 or self.transforms[k - 1] != transform:
            self.first, self.at_once, self.is_taken = (k, graph, calls), None, False
        order, is_last = k - self.first[0] + 1, self.transforms[k + 1 : k + 2] != (transform,)
        if not self.is_taken:
            made = transform.apply(graph, calls)
            graph = _optimised(made, own=are_apart(made, graph))
        if order == _LEAST_ORDER:
            self.at_once = self._at_once(k)
        if self.at_once is None:
            return graph
        self.is_taken = self.is_taken or _length(graph) > _length(self.at_once)
        return self.at_once if self.is_taken and is_last else graph

    def _at_once(self, k: int) -> Graph | None:
        """All of the run that the ``k``-th transform is in."""
        first, graph, calls = self.first
        while self.transforms[k + 1 : k + 2] == (self.transforms[first],):
            k += 1
        made = self.transforms[k].at_once(graph, calls, k - first + 1)
        return None if made is None else _optimised(made, own=are_apart(made, graph))


def _length(graph: Graph) -> int:
    return sum(node.op is not constant for node in walk_nodes(graph.block))


def _optimised(graph: Graph, passes: Sequence[str] = DEFAULT, *, own: bool = False) -> Graph:
    """A derivative, optimised; where verification is asked for, its numbers are."""
    if not is_asked_for():
        return optimise(graph, passes, own=own)
    verify_numbers(graph)
    graph = optimise(graph, passes)
    verify_numbers(graph)
    return graph


def is_stabler_recomputed(make: Callable[[], Graph], kinds: Sequence[str]) -> bool:
    """Return whether more stable forms are found in a graph if its loops and branches save no
    elementwise values, which cut what the forms stand for.
    """
    if "stable" not in kinds:
        return False

    def forms(graph: Graph) -> int:
        _, found = simplify_islands(emittable(graph), ("stable",))
        return sum(one.taken for one in found)

    with recording():  # of its own: what is tried is nothing that was done
        saving = make()
        if not any(map(_reverses, walk_nodes(saving.block))):
            return False
        with RECOMPUTING.turned():
            return forms(make()) > forms(saving)


def _reverses(node: Node) -> bool:
    """Return whether a node is a loop or a branch of a backward sweep."""
    return bool(node.blocks) and any(value.role == "cotangent" for value in node.results)


def simplify_kinds(transforms: Sequence[Transform]) -> tuple[str, ...]:
    """The kinds of identities that a chain asks for."""
    return tuple(kind for one in transforms for kind in getattr(one, "simplify", ()))


def _moved_fact(path: Path, moved: Callable[[Path], Path]) -> Path:
    """The path of a fact about arguments of an outer call."""
    *before, end = path
    if isinstance(end, Aspect) and end.kind in ("is", "equal"):
        return (*moved(tuple(before)), end.moved(moved))
    return moved(path)


def _is_of_argument(path: Path) -> bool:
    return not isinstance(path[0], FreeVariable)


def _paths(signature: Signature) -> frozenset[Path]:
    """The paths of all single arguments."""
    parameters = signature.parameters
    return frozenset(path for name, kind in parameters for path, _ in leaves(kind, (name,)))


def _tangents_of_same(
    same: Sequence[tuple[Path, Path]],
    ties: Sequence[tuple[Path, Path]],
    names: Sequence[str],
    arguments: Arguments,
) -> tuple[tuple[Path, Path], ...]:
    """The tangents of arguments that are one array, which have to be one array too."""
    along = {primal: tangent for tangent, primal in ties}
    pairs = []
    for path, other in same:
        tangents = tuple(along[p] for p in (path, other) if p in along)
        if not tangents:
            continue
        first, *rest = (follow(tangent, names, arguments) for tangent in tangents)
        if len(tangents) < 2 or first is not rest[0]:
            raise AliasingError(
                f"{spelled(other)} and {spelled(path)} are one array, which the function writes,"
                " but their tangents differ",
                hint="pass a copy of one of them, or one tangent for both",
            )
        pairs.append((tangents[0], tangents[1]))
    return tuple(pairs)


def tied(signature: Signature, ties: Sequence[tuple[Path, Path]]) -> Signature:
    """The signature with the arrays at paths given the sizes of others, which they have to have."""
    shapes = {
        path: kind.shape
        for name, specification in signature.parameters
        for path, kind in leaves(specification, (name,))
        if isinstance(kind, ArrayType)
    }
    known = dict(ties)

    def of(specification: Specification, path: Path) -> Specification:
        if isinstance(specification, Nested):
            parts = zip(specification.keys, specification.items, strict=True)
            items = tuple(of(item, (*path, key)) for key, item in parts)
            return replace(specification, items=items)
        if isinstance(specification, ArrayType) and path in known:
            return replace(specification, shape=shapes[known[path]])
        return specification

    if not ties:
        return signature
    pairs = tuple((name, of(kind, (name,))) for name, kind in signature.parameters)
    return replace(signature, parameters=pairs)


def without_unused_variables(graph: Graph) -> Graph:
    """The graph without inputs from outside that nothing reads."""
    read = uses(graph.block)
    kept = [
        number
        for number, (source, value) in enumerate(
            zip(graph.inputs, graph.block.parameters, strict=True)
        )
        if source.origin != "free" or value in read or number in graph.mutated
    ]
    if len(kept) == len(graph.inputs):
        return graph
    block = graph.block
    parameters = tuple(block.parameters[number] for number in kept)
    return replace(
        graph,
        block=Block(parameters, block.nodes, block.results),
        inputs=tuple(graph.inputs[number] for number in kept),
        mutated={kept.index(number): place for number, place in graph.mutated.items()},
    )


def staged_at(
    function: Callable[..., Any],
    signature: Signature,
    arguments: Arguments,
    marks: Marks | None = None,
    at_end: bool = False,
) -> tuple[Staged, Signature]:
    """Stage a function, again with more values fixed as long as structure is found to depend on
    them.

    What was followed more closely before is so then, too, unless that is refused. What only ends
    the calls of a function that calls itself often is not fixed, if that becomes a graph of its
    own.
    """
    present = partial(demanded, signature=signature, arguments=arguments)
    likely, policy, given = Likely(), RetryPolicy(at_end, present=present), signature
    before: dict[Any, Signature] = {}  # by function, without what ends its calls of itself
    limits = 0  # how often all that may be followed was
    for _ in range(_MOST_RESTARTS):
        try:
            staged = stage(function, likely.added(signature), marks, policy)
        except CalledOften as often:
            policy = policy.anew()
            policy.recursions.graphs.add(often.node)
            signature = before.get(often.node, signature)
            continue
        except StaticDemand as demand:
            policy.compared |= demand.places
            policy = policy.kept()
            before.setdefault(demand.recursion, signature)
            known, fixed = dict(signature.static), _fixed(demand, signature, arguments)
            likely.ask(fixed, known)
            signature = replace(signature, static=tuple((known | fixed).items()))
            continue
        except SymdiffError as error:
            limits += error.is_limit
            refined = None
            if limits < _MOST_LIMITS:
                refined = _refined(policy, likely, error, signature, given)
            if refined is None:
                told = error if isinstance(error, CertainError) else policy.recursions.instead
                decided = _decided_outside(policy.outside, told or error, signature, arguments)
                refined = policy.kept(), decided
            policy, signature = refined
            continue
        if likely.values and _writes(staged.graph):  # perhaps one of them
            likely.give_up()
            continue
        policy, signature = policy.kept(), likely.kept(signature, staged.read)
        known = {**dict(signature.static), **staged.fixed}
        signature = replace(signature, static=tuple(known.items()))
        same = _aliases(staged.graph, signature, arguments)
        met = [*meetings(staged.graph.block)]
        if has_long(signature, arguments):
            met += meetings_of_elements(staged.graph)
        found = joined(signature, staged.graph, met, arguments)
        if same == signature.same and found == signature:
            verify_scopes(eliminate_dead_code(staged.graph))  # what is left out may read anything
            signature = with_sure_ties(signature, staged.graph, arguments)
            return staged, with_long(signature, lengths_that_pay(staged.graph), arguments)
        signature = replace(found, same=same)
    raise SignatureError(
        f"the structure of {function.__name__} depends on more than {_MOST_RESTARTS} values",
        hint="pass them as one string, or in a tuple of strings",
    )


def _refined(
    policy: RetryPolicy, likely: Likely, error: SymdiffError, signature: Signature, given: Signature
) -> tuple[RetryPolicy, Signature] | None:
    """How to stage once more after an error, and at which signature: with less taken over from runs
    before, or with the arm that it has left raising it; None where neither can be.

    What was followed more closely before stays so as long as refusals of arms are found.
    """
    if policy.taken_over and not policy.raised_in_arms:
        return policy.anew(), signature
    less = _with_less(policy, likely, error, signature, given)
    if less is not None:
        return policy.anew(), less
    if policy.raise_in_arm(error):
        return policy.kept(), signature
    return (policy.anew(), signature) if policy.taken_over else None


def _decided_outside(
    outside: StaticDemand | None, error: SymdiffError, signature: Signature, arguments: Arguments
) -> Signature:
    """The signature with the numbers outside fixed that decide what is refused; the error where
    there are none, or many were fixed that did not settle it.
    """
    known = dict(signature.static)
    tried = sum(isinstance(value, (float, np.floating)) for value in known.values())
    if outside is None or tried >= _MOST_FLOATS:
        raise error
    outside.refusal = error
    fixed = _fixed(outside, signature, arguments)
    if fixed.keys() <= known.keys() or any(value != value for value in fixed.values()):
        raise error
    return replace(signature, static=tuple((known | fixed).items()))


def _with_less(
    policy: RetryPolicy, likely: Likely, error: SymdiffError, signature: Signature, given: Signature
) -> Signature | None:
    """The signature to stage at after an error, with something else tried that may resolve it; None
    where there is nothing.
    """
    if policy.recursions.follow(error) or policy.recursions.key(error) or policy.write_in_arms():
        return given
    if policy.tell_names():
        return given
    return signature if likely.give_up() else None


def _fixed(demand: StaticDemand, signature: Signature, arguments: Arguments) -> dict[Path, Any]:
    """The present values of what is demanded."""
    try:
        return {path: demanded(path, signature, arguments) for path in demand.paths}
    except SignatureError as error:
        if demand.refusal is not None:
            raise demand.refusal from None
        raise (error.with_span(demand.span) if demand.span else error) from None


def _writes(graph: Graph) -> bool:
    """Return whether a graph may change what stands outside it."""
    return any(map(does_more, walk_nodes(graph.block)))


def demanded(path: Path, signature: Signature, arguments: Arguments) -> Any:
    """The present value at a path on which structure depends."""
    names = [name for name, _ in signature.parameters]
    *before, end = path
    if not isinstance(end, Aspect):
        value, kind = follow(path, names, arguments), "value"
    else:
        value, kind = follow(tuple(before), names, arguments), end.kind
    if kind == "is":
        return value is follow(end.of, names, arguments)
    if isinstance(end, Aspect) and kind == "compared":
        return _outcome(end, value)
    if isinstance(value, TypeText):
        if kind == "layout":
            return "C"
        raise SignatureError(
            f"the structure of the program depends on the value of {spelled(path)}",
            hint=f"give an example value instead of {value!r}",
        )
    if kind == "layout":
        return layout_of(value)
    return value.shape[end.of] if kind == "size" else value


def _outcome(aspect: Aspect, value: Any) -> bool:
    """What a number gives now that is compared with another one."""
    name, other = aspect.of
    right = follow(other, (), ()) if isinstance(other, tuple) else other
    return bool(getattr(operator, name)(value, right))


def _check(guard: Any) -> Check:
    return Check((guard.variable, *guard.path), guard.kind, guard.expected)


def _aliases(
    graph: Graph, signature: Signature, arguments: Arguments
) -> tuple[tuple[Path, Path], ...]:
    """Which array arguments are the same, where the function writes to some."""
    if not graph.mutated:
        return ()
    names = [name for name, _ in signature.parameters]
    found: list[tuple[Path, Any]] = []
    same: list[tuple[Path, Path]] = []
    written = {graph.inputs[number].path for number in graph.mutated}
    written |= {path for path, other in signature.same if other in written}
    for path in _array_paths(graph, signature):
        value = follow(path, names, arguments)
        if not isinstance(value, np.ndarray):
            continue
        for other_path, other in found:
            if other is value and not isinstance(path[0], FreeVariable):
                same.append((path, other_path))
                break
            _refuse_overlap(path, value, other_path, other, written)
        else:
            found.append((path, value))
    given = ((path, follow(path, names, arguments)) for path in written)
    apart = {path for path, value in given if isinstance(value, np.ndarray) and laps_itself(value)}
    if apart:
        raise AliasingError(
            f"elements of {spelled(min(apart, key=str))} share memory, and the function writes it",
            hint="pass a copy",
        )
    shared = {first for path, first in same if not written.isdisjoint((path, first))}
    return tuple((path, first) for path, first in same if first in shared)


def _array_paths(graph: Graph, signature: Signature) -> list[Path]:
    """Where arrays are read from: the arguments first, then what is outside."""
    parameters = signature.parameters
    given = [found for name, kind in parameters for found in leaves(kind, (name,))]
    free = [
        (source.path, value.type)
        for source, value in zip(graph.inputs, graph.block.parameters, strict=True)
        if source.origin == "free"
    ]
    return [path for path, kind in (*given, *free) if isinstance(kind, ArrayType)]


def _refuse_overlap(
    path: Path, value: np.ndarray, other_path: Path, other: np.ndarray, written: set[Path]
) -> None:
    if (path in written or other_path in written) and np.shares_memory(value, other):
        raise AliasingError(
            f"the arrays {spelled(other_path)} and {spelled(path)} overlap, and one is written",
            hint="pass a copy of one of them",
        )


# Programs -----------------------------------------------------------------------------------------


@faults_told()
@seldom_collecting()
def build(
    derived: Derived, name: str, *, exact: bool = False, beside: Namespace | None = None
) -> Program:
    """Emit and load a derived graph: what it returns is fresh, and arguments stay as they are.

    Programs of numbers alone run on Python's floats, unless they are to be ``exact`` to the bit.
    ``beside`` has the names of a module that the text will stand in.
    """
    whole, simplified = simplify_islands(emittable(derived.graph), derived.simplify)
    graph = with_typed_arrays(optimise(_tested(whole), EMITTED, last=()))
    graph = with_own_results(in_blocks(graph, long_in(derived.graph, derived.signature)))
    emitted = None if exact else _emit_on_floats(graph, name, derived.signature, beside)
    if emitted is None:
        emitted = emit_source(graph, name, signature=derived.signature, beside=beside)
    loaded = load(emitted, compiled_for(derived.signature))
    paths = tuple(p.path for p in emitted.parameters)
    return Program(derived, emitted, loaded, paths, whole, simplified)


def _emit_on_floats(
    graph: Graph, name: str, signature: Signature, beside: Namespace | None
) -> Emitted | None:
    """A program of numbers alone, or of loops over elements, on Python's floats, with NumPy's where
    those raise.
    """
    floats, raised = on_floats(graph), FLOATS_RAISE
    if floats is None:
        made = on_lists(graph)
        if made is None:
            return None
        floats, raised = made.graph, LISTS_RAISE
        if not made.may_raise:
            floats = optimise(floats, ("simplify", "dead"), last=())
            return emit_source(floats, name, signature=signature, beside=beside)
    beside = beside or Namespace()
    slow = emit_source(
        graph, name + _BY_NUMPY, signature=signature, beside=beside, suffix=_BY_NUMPY
    )
    fast = emit_source(optimise(floats), name, signature=signature, beside=beside)
    if [p.path for p in fast.parameters] != [p.path for p in slow.parameters]:
        return None
    return with_fallback(fast, slow, raised)


def with_own_results(graph: Graph) -> Graph:
    """The graph with a result for each place of what it returns: ``argnums=(0, 0)`` asks for one
    gradient twice.
    """
    numbers = list(leaf_numbers(graph.output))
    if len(set(numbers)) == len(numbers):
        return graph
    results, taken = list(graph.block.results), set[int]()

    def own(structure: Structure) -> Structure:
        if isinstance(structure, Container):
            return replace(structure, items=tuple(map(own, structure.items)))
        if not isinstance(structure, Leaf) or structure.index not in taken:
            taken.update(leaf_numbers(structure))
            return structure
        results.append(results[structure.index])
        return Leaf(len(results) - 1)

    output = own(graph.output)
    block = Block(graph.block.parameters, graph.block.nodes, tuple(results))
    return replace(graph, block=block, output=output)


@faults_told()
def build_primal(derived: Derived, name: str) -> Program:
    """Emit and load the function itself, which writes to its arguments as the user's does."""
    graph = optimise(emittable(derived.primal), ("keyed",), last=())
    emitted = emit_source(graph, name, in_place=True, fresh=False, signature=derived.inner)
    loaded = load(emitted, compiled_for(derived.inner))
    return Program(derived, emitted, loaded, tuple(p.path for p in emitted.parameters), graph)


def _tested(graph: Graph) -> Graph:
    """The graph with tests of the cotangents of calls, in place of masks in what is called."""
    tested = with_tested_calls(graph)
    return graph if tested is graph else optimise(tested)


def emittable(graph: Graph, passes: Sequence[str] = DEFAULT) -> Graph:
    """The graph with what custom rules stood for in their place, in graphs that it calls too."""
    plain = with_called(graph, lambda one: of_values_alone(expanded(one)))
    return graph if plain is graph else optimise(plain, passes)


@faults_told()
@seldom_collecting()
def build_pair(
    derived: Derived,
    name: str,
    wrt: Sequence[int],
    shaped: Structure,
    finish: Callable[[differentiate.Split], differentiate.Split] = lambda split: split,
    *,
    beside: Namespace | None = None,
) -> Pair:
    """Emit and load forward and backward parts.

    ``shaped`` is the structure of what the second returns: the cotangents of ``wrt``, and what
    ``finish``, which is given the two graphs, adds to it. ``beside`` has the names of a module that
    the texts will stand in.
    """
    split = finish(_split(derived, wrt))
    improved = optimise
    if derived.simplify:  # both were optimised before they were simplified: their forms stay
        improved = partial(optimise, passes=("dead", "common"), last=())
    plain = replace(derived, simplify=())
    return _loaded_pair(plain, split, improved, (name, "backward"), shaped, beside)


@faults_told()
@seldom_collecting()
def build_linear(
    derived: Derived, name: str, wrt: Sequence[int], *, beside: Namespace | None = None
) -> Pair:
    """Emit and load the forward part and the tangents of what is returned, as a function of what
    was saved and of the tangents of the inputs ``wrt``.
    """
    differentiate.require_one_structure(derived.graph, "linear function")
    split = differentiate.linearized(derived.graph, wrt)
    places = {number: Leaf(place) for place, number in enumerate(seeded_results(derived.graph))}
    shaped = derived_from(derived.graph.output, lambda k: places.get(k, Static(None)))
    return _loaded_pair(derived, split, optimise, (name, "linear"), shaped, beside)


@faults_told()
@seldom_collecting()
def build_transposed(
    derived: Derived, name: str, pair: Pair, count: int, shaped: Structure
) -> tuple[Callable[..., Any], tuple[int, ...]]:
    """Emit and load the transpose of a linear part: from what was saved, tangents other than zero
    (it is the same at all), and cotangents of the results, to cotangents of its ``count`` tangents,
    structured so; with the order of its arguments.
    """
    graph, results = pair.backward_graph, len(pair.backward_graph.block.results)
    total = len(graph.inputs)
    output = mapped(shaped, lambda k: Leaf(results + k))
    made = differentiate.vjp(graph, range(total - count, total), output=output)
    whole = optimise(replace(made, inputs=tuple(with_distinct_paths(made.inputs))))
    final = optimise(_tested(with_own_results(emittable(whole))), EMITTED, last=())
    emitted = emit_source(final, f"{name}_transposed")
    places = {given.path: k for k, given in enumerate(whole.inputs)}
    order = tuple(places[p.path] for p in emitted.parameters)
    return load(emitted, compiled_for(derived.signature)), order


def _loaded_pair(
    derived: Derived,
    split: differentiate.Split,
    improved: Callable[..., Graph],
    names: tuple[str, str],
    shaped: Structure,
    beside: Namespace | None,
) -> Pair:
    """Emit and load both parts, the first as ``<name>_forward``, the second as ``names`` say."""
    name, second_name = names
    whole = replace(split.backward, inputs=tuple(with_distinct_paths(split.backward.inputs)))
    fresh = are_apart(whole, split.forward) and are_apart(whole, derived.graph)
    reverse = improved(whole, own=fresh)
    first, second = differentiate.without_unread(split.forward, reverse, split.saved)
    own = replace(derived, graph=improved(first))
    forward = build(own, f"{name}_forward", exact=True, beside=beside)
    known = second.inputs
    backward = with_own_results(emittable(replace(second, output=shaped)))
    backward, _ = simplify_islands(backward, derived.simplify)
    backward = optimise(_tested(backward), EMITTED, last=())
    backward = in_blocks(backward, long_in(derived.graph, derived.signature))
    emitted = emit_source(backward, f"{name}_{second_name}", beside=beside)
    places = {given.path: k for k, given in enumerate(known)}
    order = tuple(places[p.path] for p in emitted.parameters)
    seeded = seeded_results(derived.graph)
    loaded = load(emitted, compiled_for(derived.signature))
    origins = _origins(own.graph, second)
    return Pair(forward, emitted, loaded, order, seeded, backward, origins)


def _split(derived: Derived, wrt: Sequence[int]) -> differentiate.Split:
    """The forward and the backward part, simplified before they are divided: a form that is more
    accurate than the derivative of one needs both.
    """
    if not derived.simplify:
        return differentiate.split(derived.graph, wrt)

    def pulled() -> Graph:
        return _optimised(differentiate.vjp(derived.graph, wrt), DIVISIBLE)

    with RECOMPUTING.turned(is_stabler_recomputed(pulled, derived.simplify)):
        joint = emittable(pulled(), DIVISIBLE)
    simplified, _ = simplify_islands(joint, derived.simplify)
    return differentiate.divide(derived.graph, simplified)


def _origins(forward: Graph, backward: Graph) -> tuple[Origin, ...]:
    """What the values are that the first graph saves for the second, and for which lines."""
    assert isinstance(forward.output, Container)
    saved = [forward.block.results[k] for k in leaf_numbers(forward.output.items[1])]
    given = dict(zip(forward.block.parameters, forward.inputs, strict=True))
    spans: dict[Value, SourceSpan] = {}
    for node in walk_nodes(backward.block):
        for value in node.operands:
            known = spans.get(value)
            if node.span is not None and (known is None or node.span.line < known.line):
                spans[value] = node.span
    found = []
    for value, parameter, source in zip(
        saved, backward.block.parameters, backward.inputs, strict=False
    ):
        base = value
        while base.node is not None and is_view(base.node):
            base = base.node.operands[0]
        path = given[base].path if base in given else None
        found.append(Origin(value.name or source.name, spans.get(parameter), path))
    return tuple(found)


__all__ = ["KINDS", "Chain", "Derived", "Pair", "Program", "build", "build_pair", "derive"]
