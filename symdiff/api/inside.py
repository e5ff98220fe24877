"""Transforms that are called inside a compiled program: ``grad(f)(x)`` where ``f`` and ``x`` are
abstract.

The front end stages the call of ``f`` as a separate graph. Transforms change this graph as they
change any other, and the front end replaces the call by the result. So ``f`` may be a closure over
staged values.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from symdiff import differentiate
from symdiff.api.arguments import checked_argnums, checked_mode, checked_order
from symdiff.api.axes import Axes, Tree, frozen_axes
from symdiff.api.batching import Vmap
from symdiff.api.fitting import inlined, like_primal, require_equal
from symdiff.api.programs import everything
from symdiff.api.tangents import as_float, replaced
from symdiff.api.transforms import (
    Derivative,
    Differentiated,
    Directional,
    Functional,
    Gradient,
    Jacobian,
    Jvp,
    Taylor,
    renamed,
    require_differentiated,
    require_tangents,
)
from symdiff.api.unruled import require_rule, unruled_results
from symdiff.api.wrt import Argnums, Wrt, shifted
from symdiff.dataclass import dataclass
from symdiff.differentiate.graphs import derived_from, seeded_results
from symdiff.errors import SignatureError, UnsupportedCallError
from symdiff.ir.graph import Graph, Value, walk_nodes
from symdiff.ir.signature import Fixed, Nested, Path, Signature, Specification
from symdiff.ir.structure import Container, Leaf, Static, Structure, numbered_paths
from symdiff.ir.types import ArrayType, ListType
from symdiff.ops.creation import zeros_of
from symdiff.ops.declare import static
from symdiff.ops.rules import inlined as copied_in
from symdiff.ops.stager import Stager
from symdiff.parse.blame import python_raises
from symdiff.pipeline import Arguments, CallPair, Chain, Transform
from symdiff.runtime.lengths import Tie
from symdiff.runtime.parameters import Parameters, positional
from symdiff.runtime.saved import require_count
from symdiff.runtime.signature import spelled

Args = Sequence[Any]
Kwargs = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """What an abstract derivative is of: equal keys are the same function."""

    function: Any
    transforms: tuple[Transform, ...]


def transformed(stager: Stager, function: Any, *transforms: Transform) -> Any:
    """The abstract function that transforms make of an abstract function."""
    inner = getattr(function, "key", None)
    if isinstance(inner, Key):
        function, transforms = inner.function, (*inner.transforms, *transforms)

    def call(stager: Stager, args: Args, kwargs: Kwargs) -> Any:
        return call_transformed(stager, function, transforms, args, kwargs)

    attributes = {
        name: functools.partial(transformed, stager, function, *transforms, *added)
        for name, added in _DERIVATIVES.items()
    }
    return stager.callable(Key(function, transforms), call, attributes)


def _hessian(wrt: Wrt) -> tuple[Transform, ...]:
    return Gradient(wrt), Jacobian(wrt, "fwd", "hessian")


def _hvp(wrt: Wrt) -> tuple[Transform, ...]:
    return Gradient(wrt), Directional(wrt)


_FIRST = Wrt()
_DERIVATIVES: dict[str, tuple[Transform, ...]] = {
    "grad": (Gradient(_FIRST),),
    "value_and_grad": (Gradient(_FIRST, value=True),),
    "jvp": (Jvp(),),
    "jacobian": (Jacobian(_FIRST),),
    "hessian": _hessian(_FIRST),
    "hvp": _hvp(_FIRST),
    "derivative": (Derivative(_FIRST),),
}


def call_transformed(
    stager: Stager, function: Any, transforms: Sequence[Transform], args: Args, kwargs: Kwargs
) -> Any:
    """The abstract result of a transformed function."""
    call = _staged_call(stager, function, transforms, args, kwargs)
    derived, primals = zip(*call.ties, strict=True) if call.ties else ((), ())
    belongs = dict(zip(derived, stager.leaves(call.arguments, primals), strict=True))
    return inlined(stager, call.graph, call.arguments, call.captured, belongs)


@dataclass(frozen=True, slots=True)
class _Call:
    graph: Graph
    arguments: dict[str, Any]
    captured: list[Value]
    signature: Signature
    parameters: Parameters
    ties: list[tuple[Path, Path]]  # tangents, and what they belong to


def _staged_call(
    stager: Stager,
    function: Any,
    transforms: Sequence[Transform],
    args: Args,
    kwargs: Kwargs,
    by_all: bool = False,
) -> _Call:
    """A call of a transformed function; ``by_all``: all its floats are staged, of defaults too."""
    parameters = Parameters(_name(function), stager.parameters(function))
    chain = Chain.of(function, parameters, transforms)
    bound = chain.parameters[-1].bind(tuple(args), kwargs)
    outer = _lifted(stager, chain, _completed(stager, chain, len(transforms), bound))
    outer = tuple(map(stager.lifted, outer)) if by_all else outer
    signatures = [
        Signature(tuple((n, stager.specification(v)) for n, v in zip(p.names, given, strict=True)))
        for p, given in zip(chain.parameters, _levels(stager, chain, outer), strict=True)
    ]
    first = 1 if transforms and isinstance(transforms[0], Functional) else 0
    graph, captured = stager.graph(function, signatures[0], finals=first == 1)
    ties: list[tuple[Path, Path]] = []
    lengths: list[Tie] = []
    for k, transform in list(enumerate(transforms))[first:]:
        calls = CallPair(signatures[k], signatures[k + 1], chain.parameters[k])
        graph = transform.apply(graph, calls)
        ties, parted = transform.parted(ties, calls)
        ties += transform.ties(calls)
        moved = functools.partial(transform.outer_path, calls=calls)
        lengths = [*(tie.moved(moved) for tie in lengths), *parted, *transform.lengths(calls)]
    last = chain.parameters[-1]
    arguments = dict(zip(last.names, outer, strict=True))
    for tie in lengths:
        require_equal(stager, arguments, tie)
    return _Call(graph, arguments, captured, signatures[-1], last, ties)


def _levels(stager: Stager, chain: Chain, outer: Arguments) -> list[Arguments]:
    """The abstract arguments of the call at each level, the function's own first."""
    found = [outer]
    for transform, inner in zip(
        reversed(chain.transforms), reversed(chain.parameters[:-1]), strict=True
    ):
        given = found[-1]
        if isinstance(transform, Vmap):
            lanes = transform.lanes(given, [stager.specification(v) for v in given], inner)
            found.append(tuple(_standing_for(stager, lane) for lane in lanes))
        else:
            found.append(transform.inner_arguments(given, inner))
    return found[::-1]


def _standing_for(stager: Stager, specification: Specification) -> Any:
    """An abstract value that a specification is of."""
    if isinstance(specification, Nested):
        items = [_standing_for(stager, item) for item in specification.items]
        return stager.container(specification.type, specification.keys, items)
    if isinstance(specification, ArrayType | ListType):
        return Value(specification)
    return specification.value if isinstance(specification, Fixed) else specification


def _name(function: Any) -> str:
    """The name of an abstract function, in messages."""
    return str(getattr(function, "name", getattr(function, "__name__", "the function")))


def _completed(stager: Stager, chain: Chain, level: int, outer: Arguments) -> Arguments:
    """The arguments with the defaults that primals leave out, and None for their tangents."""
    if level == 0:
        return outer
    inner = chain.parameters[level - 1]
    transform = chain.transforms[level - 1]
    if isinstance(transform, Jvp):
        *bound, primals, tangents = outer
        passed, known = stager.elements(primals), stager.elements(tangents)
        require_tangents(len(passed), len(known))
        given = inner.bind((*bound, *passed), {})
        primals = inner.flat(_completed(stager, chain, level - 1, given))[len(bound) :]
        return *bound, primals, inner.completed(known, passed, primals)
    if isinstance(transform, Directional):
        return *_completed(stager, chain, level - 1, outer[:-1]), outer[-1]
    return _completed(stager, chain, level - 1, outer)


def _lifted(stager: Stager, chain: Chain, outer: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with the floats that are differentiated by staged, constants too."""
    names = chain.parameters[-1].names
    if any(isinstance(transform, Jvp) for transform in chain.transforms):
        *bound, primals, tangents = outer
        along = stager.elements(tangents)
        floats = [
            primal if tangent is None else as_float(primal)
            for primal, tangent in zip(stager.elements(primals), along, strict=True)
        ]
        return *bound, tuple(map(stager.lifted, floats)), tuple(map(stager.lifted, along))
    for transform, inner in zip(chain.transforms, chain.parameters[:-1], strict=True):
        if isinstance(transform, Differentiated):
            for path in transform.wrt.paths(inner):
                outer = replaced(outer, names, path, lambda v: stager.lifted(as_float(v)))
        if isinstance(transform, Directional):
            outer = (*outer[:-1], stager.lifted(outer[-1]))
    return outer


# vjp ----------------------------------------------------------------------------------------------


def call_vjp(stager: Stager, function: Any, *primals: Any) -> Any:
    """The abstract pair of value and pullback."""
    call = _call_of_all(stager, function, primals)
    places = dict(numbered_paths(call.graph.output, ("cotangent",)))
    seeds = [places[k] for k in seeded_results(call.graph)]
    asked, _ = everything(call.graph, call.signature, call.parameters, 0)
    unruled = unruled_results(asked.graph, asked.wrt)
    differentiated = _in_two_parts if _has_effects(call.graph) else _in_one_part
    value, pulled = differentiated(stager, call, seeds)

    def pull(stager: Stager, args: Args, kwargs: Kwargs) -> Any:
        (cotangent,) = _COTANGENT.bind(tuple(args), kwargs)
        if unruled:
            raise unruled[0].refusal()
        return pulled(stager, stager.lifted(cotangent))

    return value, stager.callable(object(), pull)


def _call_of_all(stager: Stager, function: Any, primals: Sequence[Any]) -> _Call:
    """A call that is differentiated by all of its arguments."""
    inner = getattr(function, "key", None)
    before: tuple[Transform, ...] = ()
    if isinstance(inner, Key):
        function, before = inner.function, inner.transforms
    given = list(map(stager.frozen, primals))
    return _staged_call(stager, function, before, given, {}, by_all=True)


Pull = Callable[[Stager, Any], Any]  # from the cotangent to the cotangents of the arguments


def _has_effects(graph: Graph) -> bool:
    return any(node.op.effect for node in walk_nodes(graph.block))


def _in_one_part(stager: Stager, call: _Call, seeds: Sequence[Path]) -> tuple[Any, Pull]:
    """The backward part computes the primal values that it reads again; common ones are merged."""
    asked, structure = everything(call.graph, call.signature, call.parameters, 0)
    made = differentiate.vjp(
        asked.graph, asked.wrt, output=shifted(structure, len(asked.graph.block.results))
    )
    backward = renamed(made, lambda path: path, seeds)
    value = stager.inline(call.graph, call.arguments, call.captured)
    belongs = dict(zip(seeds, stager.leaves({"cotangent": value}, seeds), strict=True))

    def pull(stager: Stager, cotangent: Any) -> Any:
        arguments = {**call.arguments, "cotangent": cotangent}
        return inlined(stager, backward, arguments, call.captured, belongs)

    return value, pull


def _in_two_parts(stager: Stager, call: _Call, seeds: Sequence[Path]) -> tuple[Any, Pull]:
    """The forward part, whose effects happen once, saves what the backward part reads."""
    asked, structure = everything(call.graph, call.signature, call.parameters, 0)
    parts = differentiate.split(asked.graph, asked.wrt)
    results = stager.inlined(parts.forward, call.arguments, call.captured)
    saved = results[len(results) - parts.saved :]
    value = stager.returned(call.graph.output, results)
    primals = stager.leaves({"cotangent": value}, seeds)

    def pull(stager: Stager, cotangent: Any) -> Any:
        given = stager.leaves({"cotangent": cotangent}, seeds)
        fitted = [
            like_primal(stager, one, primal, spelled(path))
            for one, primal, path in zip(given, primals, seeds, strict=True)
        ]
        return stager.returned(structure, copied_in(parts.backward, [*saved, *fitted]))

    return value, pull


def call_linearize(stager: Stager, function: Any, *primals: Any) -> Any:
    """The abstract pair of value and linear function, which reads what the first saves."""
    call = _call_of_all(stager, function, primals)
    asked, structure = everything(call.graph, call.signature, call.parameters, 0)
    assert isinstance(structure, Container)
    require_rule(asked.graph, asked.wrt)
    parts = differentiate.linearized(asked.graph, asked.wrt)
    results = stager.inlined(parts.forward, call.arguments, call.captured)
    saved = results[len(results) - parts.saved :]
    value = stager.returned(call.graph.output, results)
    known = [asked.graph.inputs[number].path for number in asked.wrt]
    along = stager.leaves(call.arguments, known)
    places = {number: place for place, number in enumerate(seeded_results(asked.graph))}
    output = derived_from(
        call.graph.output, lambda k: Leaf(places[k]) if k in places else Static(None)
    )

    def push(stager: Stager, args: Args, kwargs: Kwargs) -> Any:
        (given,) = _TANGENTS.bind(tuple(args), kwargs)
        require_count(_name(function), len(given), len(primals), len(structure.items))
        tangents = _tangents(stager, structure, given, along)
        return stager.returned(output, copied_in(parts.backward, [*saved, *tangents]))

    def transpose(stager: Stager, args: Args, kwargs: Kwargs) -> Any:
        anywhere = stager.elements(stager.returned(structure, along))
        _, pull = call_vjp(stager, linear, *anywhere)
        return stager.call(pull, tuple(args), kwargs)

    attributes = {"transpose": lambda: stager.callable(object(), transpose)}
    linear = stager.callable(object(), push, attributes)
    return value, linear


def _tangents(
    stager: Stager, structure: Container, given: tuple[Any, ...], along: Sequence[Value]
) -> list[Value]:
    """The tangents that a linear function is given, each in the type of its primal; zeros where
    there is none.
    """
    found: dict[int, tuple[Path, Any]] = {}
    for key, (entry, tangent) in enumerate(zip(structure.items, given, strict=False)):
        _match(stager, entry, tangent, ("tangents", key), found)
    tangents = []
    for number, primal in enumerate(along):
        path, tangent = found.get(number, ((), None))
        if tangent is None:
            tangents.append(zeros_of(primal))
        else:
            (value,) = stager.leaves({"tangent": stager.lifted(tangent)}, [("tangent",)])
            tangents.append(like_primal(stager, value, primal, spelled(path)))
    return tangents


def _match(
    stager: Stager,
    structure: Structure,
    tangent: Any,
    path: Path,
    found: dict[int, tuple[Path, Any]],
) -> None:
    """Note what is given at the leaves of a structure, with its path.

    :raises SignatureError: where something is given elsewhere, or a part is missing.
    """
    if isinstance(structure, Leaf):
        found[structure.index] = path, tangent
    elif isinstance(structure, Container) and tangent is not None:
        parts = stager.parts(tangent)
        if parts is None or set(parts[1]) != set(structure.keys):
            raise SignatureError(
                f"{spelled(path)} has not the structure of its argument",
                hint="give the same containers, with None for what is not differentiated",
            )
        items = dict(zip(parts[1], parts[2], strict=True))
        for key, item in zip(structure.keys, structure.items, strict=True):
            _match(stager, item, items[key], (*path, key), found)
    elif tangent is not None:
        require_differentiated(path, [()])


_TANGENTS = Parameters(
    "linear", inspect.Signature([inspect.Parameter("tangents", inspect.Parameter.VAR_POSITIONAL)])
)
_COTANGENT = Parameters("pullback", positional(["cotangent"]))


# The functional forms -----------------------------------------------------------------------------


def _wrt(stager: Stager, argnums: Any) -> Wrt:
    with contextlib.suppress(UnsupportedCallError):  # a list of the program's
        argnums = stager.elements(argnums)
    several = isinstance(argnums, tuple)
    return Wrt(checked_argnums(tuple(map(static, argnums)) if several else static(argnums)))


def call_grad(stager: Stager, f: Any, argnums: Argnums = 0, has_aux: bool = False) -> Any:
    return transformed(stager, f, Gradient(_wrt(stager, argnums), False, has_aux))


def call_value_and_grad(stager: Stager, f: Any, argnums: Argnums = 0, has_aux: bool = False) -> Any:
    return transformed(stager, f, Gradient(_wrt(stager, argnums), True, has_aux))


def call_jvp(stager: Stager, f: Any, primals: Any, tangents: Any) -> Any:
    return stager.call(transformed(stager, f, Jvp()), (primals, tangents), {})


def call_jacobian(
    stager: Stager, f: Any, argnums: Argnums = 0, mode: Any = "auto", sparse: Any = False
) -> Any:
    _require_dense(sparse)
    known = static(mode)
    with python_raises():
        direction = checked_mode(known)
    return transformed(stager, f, Jacobian(_wrt(stager, argnums), direction))


def call_hessian(stager: Stager, f: Any, argnums: Argnums = 0, sparse: Any = False) -> Any:
    _require_dense(sparse)
    return transformed(stager, f, *_hessian(_wrt(stager, argnums)))


def call_sparsity(stager: Stager, f: Any, *args: Any, **kwargs: Any) -> Any:
    _require_dense(True)


def call_operator(stager: Stager, f: Any, *args: Any, **kwargs: Any) -> Any:
    raise UnsupportedCallError(
        "symdiff does not compile operators of SciPy inside a function",
        hint="use symdiff.linearize there: linear(v), and linear.transpose(w)",
    )


def _require_dense(sparse: Any) -> None:
    """Refuse sparse matrices inside a program."""
    if static(sparse):
        raise UnsupportedCallError(
            "symdiff does not compile sparse derivatives inside a function",
            hint="use symdiff.jvp or symdiff.hvp there, or find the matrix outside and pass it",
        )


def call_hvp(stager: Stager, f: Any, argnums: Argnums = 0) -> Any:
    return transformed(stager, f, *_hvp(_wrt(stager, argnums)))


def _order(order: Any) -> int:
    """The order of a derivative; of what is none, the error that is raised outside, too."""
    known = static(order)
    with python_raises():
        return checked_order(known)


def call_derivative(stager: Stager, f: Any, order: Any = 1) -> Any:
    return transformed(stager, f, *[Derivative(_FIRST)] * _order(order))


def call_taylor(stager: Stager, f: Any, x0: Any, order: Any) -> Any:
    made = transformed(stager, f, Taylor(_FIRST, _order(order)))
    return stager.call(made, (x0,), {})


def call_vmap(stager: Stager, f: Any, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    made = Vmap(_axes(stager, in_axes, "in_axes"), _axes(stager, out_axes, "out_axes"))
    return transformed(stager, f, made)


def _axes(stager: Stager, axes: Any, name: str) -> Axes:
    parts = stager.parts(axes)
    if parts is None:
        return frozen_axes(static(axes), name)
    kind, keys, items = parts
    return Tree(kind, keys, tuple(_axes(stager, item, name) for item in items))


def call_functional(stager: Stager, f: Any) -> Any:
    return transformed(stager, f, Functional())


def call_differentiable(stager: Stager, f: Any = None, **options: Any) -> Any:
    if f is None:
        return stager.callable("differentiable", lambda s, args, kwargs: transformed(s, *args))
    return transformed(stager, f)


def stop_gradient(stager: Stager, x: Any) -> Any:
    """``x`` without derivative."""
    return stager.without_derivative(x)
