"""Functions of floats and of arrays of them, staged once for all calls of one kind: later calls
copy what that built.

Root finders, and loops that are staged until nothing changes, call one function many times. The
second call of a kind (the function, the types of the numbers, whatever else is given) stages a
*template*, from parameters of which nothing is known but their types; this call and later ones copy
its nodes.

A call has a kind where it can be told what it is given and what it sees of the program (``kinds``).
A template reads nothing else but what stands outside the function that is compiled, of which it
sees all that has been changed; what it leaves behind are its result, what it has written to names,
arrays, lists, dicts and objects that it sees, and how far it has read iterators. Arrays, lists,
dicts and objects that a call makes and hands on are other ones in each call, which may be what the
template's may be. Whatever a call is given somebody else holds, too: a template is never staged as
if nobody saw what it writes.
While derivatives are stopped calls are followed; while a recursion on data is staged, those are
that lead to what is not known yet.

A template of many nodes is a graph of its own, which calls call: copies of copies of copies would
be more than anything could hold, where each function calls the next one twice. Where that is found
of a function, what it has built in the place of its first call is one copy more: so the program is
staged once again, in which all its calls are of the graph, unless it prints, draws or the like.

Inside ``try`` a function of some size that does nothing but to compute numbers is a graph, staged
as outside of one, whose calls are attempted as wholes (``attempting``). Any other template is a
region of its own, made at the first call already, unless that stands in another template. It also
gives whether something was raised, the number of its class, and the exception where somebody around
asks for it, or nobody catches its class; with these the call leaves the region around. Its numbers
are zeros there, which nobody reads.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, TypeGuard

from symdiff.dataclass import dataclass
from symdiff.definitions.bunches import attributes_of, rebuilt
from symdiff.ir.build import (
    Builder,
    builder,
    building,
    constant,
    copy_into,
    is_constant,
    remade,
)
from symdiff.ir.called import Activation
from symdiff.ir.control import call, undefined
from symdiff.ir.graph import (
    Attributes,
    Block,
    FreeVariable,
    Graph,
    GraphCell,
    Input,
    Node,
    Op,
    Value,
    free_values,
    walk_blocks,
    walk_nodes,
)
from symdiff.ir.structure import Container, Leaf
from symdiff.ir.types import (
    FLOAT,
    INT,
    OPAQUE,
    TEXT,
    ArrayType,
    Dim,
    ListType,
    OpaqueType,
    TapeType,
    Type,
)
from symdiff.ops.arithmetic import equal, positive, where
from symdiff.ops.creation import zero_of, zeros, zeros_of
from symdiff.ops.declare import array_type
from symdiff.ops.effects import assert_, raise_
from symdiff.ops.facts import call_of, does_more
from symdiff.ops.lists import list_new
from symdiff.ops.partial import sources
from symdiff.ops.retype import disguised
from symdiff.ops.sizes import size
from symdiff.ops.texts import text_made
from symdiff.parse.activations import has_ended, names_seen, rebinds
from symdiff.parse.attempting import are_told_by_class, attempted_call
from symdiff.parse.blame import is_foreseen
from symdiff.parse.carrying import carries_known
from symdiff.parse.checkpoint import Checkpoint
from symdiff.parse.disguised import may_be_disguised
from symdiff.parse.dtype_answers import Asked
from symdiff.parse.exceptions import AROUND, is_exception, settle_context
from symdiff.parse.heap import (
    ORDER,
    Heap,
    Shared,
    another,
    as_type,
    differing,
    is_array,
    is_callers,
    is_programs,
)
from symdiff.parse.hidden_integers import asks_inside, hidden_in, may_rest_inside
from symdiff.parse.hidden_pythons import may_be_pythons
from symdiff.parse.holders import Holder, holder_of
from symdiff.parse.interpreter import Interpreter, Region
from symdiff.parse.kinds import (
    HANDLES,
    ITERATORS,
    PLAIN,
    UNCHANGING,
    NoKind,
    Seen,
    changed_outside,
    handed_on,
    has_plain_keys,
    is_inexact,
    is_member,
    iterators_of,
    look_around,
    opened,
)
from symdiff.parse.lookups import MADE_HERE
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.memory_order import laid_like, layout_of
from symdiff.parse.own_sizes import Numbers, numbers_in, rename_in
from symdiff.parse.raising import told_of
from symdiff.parse.refused_arms import raises_refusals
from symdiff.parse.trying import forget, may_raise_one, run_in_region
from symdiff.parse.values import (
    ABSENT,
    TEMPLATES,
    Abstract,
    Array,
    BoundMethod,
    CalleeLeft,
    Cases,
    Closure,
    Columns,
    Conflict,
    DictRef,
    DictView,
    Handled,
    Lens,
    ListRef,
    NotInTime,
    ObjectRef,
    Partial,
    Range,
    Scope,
    StagedText,
    Storage,
    Suspended,
    Token,
    born,
    now,
)
from symdiff.parse.writeback import all_is_written, begin, settled, stored_at, write_in_time
from symdiff.source import SourceSpan

FOLLOWED_FIRST = 1  # calls of a kind that are followed before a template is made, outside ``try``
MOST_UNTIMELY = 2  # templates of a function that write what cannot be left behind in their midst
MOST_NOT_ATTEMPTED = 4  # templates of a function that could be attempted, and are not worth it
LARGE = 1000  # nodes of a template that is called, not copied
ATTEMPTED = 30  # nodes of one whose calls are attempted as wholes
Written = dict[Any, Abstract]  # contents by key of the heap
Handles = dict[Any, Any]  # what stands for the program's own that a template has seen
Calls = dict[Activation | None, Activation | None]  # where copies are built, by their originals'
Run = Callable[[dict[str, Abstract]], Abstract]
Classes = tuple[type[BaseException], ...]
_OTHERS = Handled(AROUND, BaseException, None, False)  # what another call may find handled


@dataclass(frozen=True, slots=True)
class Raised:
    """On which paths a call raises, and by ``number`` a class of ``kinds``, of a region's.

    ``errors``: the exceptions by their numbers; None where nobody asks for one.
    """

    where: Value
    number: Value | int
    kinds: tuple[type[BaseException], ...]
    errors: dict[int, Abstract]


@dataclass(eq=False, slots=True)
class Template:
    """The nodes that a function builds from ``parameters``, and its result; in a call of
    ``caller`` that sees ``seen``. ``written``: what it leaves there, and in what it has made and
    hands on, ``made``, which each call makes anew; beside each what else it may be. ``asked``: for
    classes and dtypes of numbers. ``since``: a number below those of its values, if computed sizes
    are called by some. ``raised``: to the ``try`` that the call stands in. ``writes``: whether
    its nodes have left behind what it has written outside. ``called``: as a graph
    that is called. ``selected``: what the policy was asked to select at run time.
    """

    parameters: tuple[Value, ...]
    nodes: list[Node]
    result: Abstract
    caller: Activation | None
    seen: Seen
    written: Written
    made: dict[Any, Shared]
    asked: Asked
    since: int | None
    raised: Raised | None = None
    writes: bool = False
    called: Called | None = None
    selected: dict[SourceSpan, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Called:
    """A template as a graph of what it reads, the parameters first; ``numbers`` are its results.

    ``op`` calls it. An array that it stores to, too, stands at the end. ``classes``: those of what
    it raises that its calls attempt, in the ``try`` that they stand in.
    """

    op: Op
    cell: GraphCell
    read: tuple[Value, ...]
    numbers: tuple[Value, ...]
    classes: Classes = ()


def copied(
    interp: Interpreter,
    key: Any,
    scope: Scope,
    bound: dict[str, Abstract],
    run: Run,
    *,
    later: int = 0,
    accepts: Callable[[Template], bool] | None = None,
) -> Abstract:
    """The result of a call whose nodes are copies; ``ABSENT`` where it has to be followed.

    Where it raises, the region around it is left. ``later``: how many more calls are followed
    first; ``accepts`` tells whether a template is of use, of what is no whole call.
    """
    if _is_watched(interp) or key in interp.recursions or _calls_itself(interp, key, bound):
        return ABSENT
    if interp.untimely[key[0]] >= MOST_UNTIMELY:
        return ABSENT
    try:
        kinds = _kinds_of(interp, key, scope, bound)
    except (NoKind, TypeError):
        return ABSENT
    asking = _Asking(key, bound, run, later, accepts)
    for kind, seen in kinds.items():
        result = _of_kind(interp, asking, seen, kind)
        if result is not ABSENT:
            return result
    return ABSENT


def _kinds_of(
    interp: Interpreter, key: Any, scope: Scope, bound: dict[str, Abstract]
) -> dict[Any, Seen]:
    """The kinds that a call may be of, and what it sees: the first one that is of use is taken."""
    caught = _caught_around(interp)
    seen = look_around(interp, key[0], scope, bound)
    kinds = {(key, seen.kind, caught): seen}
    if carries_known(interp, (key, seen, caught)):
        wide = look_around(interp, key[0], scope, bound, carried=True)
        kinds = {(key, wide.kind, caught): wide} | kinds
    return kinds


@dataclass(frozen=True, slots=True)
class _Asking:
    """A call that may be a copy: see ``copied``."""

    key: Any
    bound: dict[str, Abstract]
    run: Run
    later: int
    accepts: Callable[[Template], bool] | None


def _of_kind(interp: Interpreter, asking: _Asking, seen: Seen, kind: Any) -> Abstract:
    """The result of a call of a kind, as that of ``copied``."""
    key, bound, run, accepts = asking.key, asking.bound, asking.run, asking.accepts
    known = interp.templates.setdefault(kind, 0)
    if isinstance(known, int):
        at_once = bool(interp.regions) and not (interp.in_template or asking.later)
        least = FOLLOWED_FIRST + asking.later
        if known < least and not (at_once or interp.policy.calls(key[0])):
            interp.templates[kind] = known + 1
            return ABSENT
        interp.templates[kind] = None  # within itself it is followed
        whole = bool(interp.regions) and accepts is None
        called = interp.policy.calls(key[0])
        made = _attempted(interp, key, seen, bound, run) if whole else None
        made = made or _made(interp, key[0], seen, bound, run, interp.regions, called)
        if made is not None and made.called is not None and made.called.op is call:
            interp.policy.note_large(key[0], known > 0)
        elif made is None and interp.recursions:
            next(reversed(interp.recursions.values())).followed.append(kind)
        is_of_use = made is not None and (accepts is None or accepts(made))
        known = interp.templates[kind] = made if is_of_use else None
    return ABSENT if known is None else _copy(interp, known, seen)


def _calls_itself(interp: Interpreter, key: Any, bound: dict[str, Abstract]) -> bool:
    """Return whether a call stands in one of the same function, given the same functions."""
    active = [call for call in interp.active_calls if call.key == key]
    return bool(active) and any(call.given == handed_on(bound.values()) for call in active)


def _caught_around(interp: Interpreter) -> Any:
    """What is caught where a call stands."""
    if not interp.regions:
        return None
    region = _region_like_those_around(interp)
    return region.classes, frozenset(region.handled), region.keeps, region.swallows


def _is_watched(interp: Interpreter) -> bool:
    """Return whether more than the result of a call may depend on where it stands."""
    special = interp.stopped or interp.strict or interp.marking or interp.rules
    inside = interp.frame.place is not None or builder().after is not None
    return bool(special or inside)


def forget_reading(interp: Interpreter, inputs: set[Value]) -> None:
    """Forget the templates that read inputs, which are given up."""
    for kind, known in interp.templates.items():
        if isinstance(known, Template) and not inputs.isdisjoint(_read_by(known)):
            interp.templates[kind] = FOLLOWED_FIRST


def forget_followed(interp: Interpreter, kinds: Iterable[Any]) -> None:
    """Let templates be made of calls that were followed while a recursion was not known yet."""
    interp.templates.update(dict.fromkeys(kinds, FOLLOWED_FIRST))


def _read_by(template: Template) -> Iterator[Value]:
    """The values outside that a template has read."""
    yield from free_values(Block((), template.nodes))
    yield from template.seen.fixed
    yield from (part for part in _left_by(template) if isinstance(part, Value))


# Making -------------------------------------------------------------------------------------------


def _made(
    interp: Interpreter,
    function: Any,
    seen: Seen,
    bound: dict[str, Abstract],
    run: Run,
    around: Sequence[Region],
    called: bool = False,
) -> Template | None:
    """What the function builds from parameters, in the regions ``around``; None where it does more
    than that. ``called``: as a graph that is called, if that can be, whatever its size.
    """
    parameters: list[Value] = []
    below = Value(INT).number

    def parameter(value: Value) -> Value:
        parameters.append(made := Value(value.type, None, None, value.role))
        interp.of_templates.add(made)
        if is_array(value.type):
            interp.layouts[made] = layout_of(interp, value)
        else:
            interp.pythons[made] = may_be_pythons(interp, value)
            interp.disguised[made] = may_be_disguised(interp, value)
        return made

    stands = seen.stands()
    values = {
        name: opened(interp, value, parameter, stands, seen.carried)
        for name, value in bound.items()
    }
    before = interp.heap.copy(written=set())
    before.contents |= {stand: interp.heap.read(view) for stand, view in seen.views.items()}
    for place in seen.places:
        if place in seen.lists:
            before.contents[place] = parameter(Value(ListType(FLOAT)))
        elif place in before.contents:
            before.contents[place] = opened(interp, before.contents[place], parameter, stands)
    before.contents.update(_held_outside(seen))
    caller = interp.frame.activation
    regions = [_region_like_those_around(interp)] if around else []
    known: dict[str, Any] = {"assumed": {}, "decided": {}, "statement_values": None}
    settling = {active: active.times_called for active in interp.recursions.values()}
    before_asked, handled, since = Asked.until_now(interp), [*interp.handled, _OTHERS], now()
    known |= {"regions": [], "handled": handled, "in_template": True, "sketching": False}
    known |= {"copies": 1, "widest": None, "in_nest": False}
    selected, apart = set(interp.policy.asked), meanwhile(interp, **known)
    gone_over = {one: interp.gone_over.get(one) for one in seen.handles}
    attempt = Checkpoint(interp, Exception, when=is_foreseen)  # and met again where it is followed
    with attempt:
        with interp.scratch(before.copy(written=set())) as inner, apart:
            begin(interp)
            begun = interp.heap.written_back
            found = _in_region(interp, regions[0], values, run) if regions else (run(values), None)
            writes = interp.heap.written_back is not begun
            if writes:
                write_in_time(interp)
            left = None if found is None else _left(interp, before, seen, _given(*found), since)
        if any(active.times_called > times for active, times in settling.items()):
            return None  # what a call within itself gives is known when it has settled only
        noted = (interp.gone_over.get(one) is held for one, held in gone_over.items())
        if found is None or left is None or not all(noted):
            return None
        result, raised = found
        inside = {*parameters, *_values_in(inner.nodes)}
        asked = Asked.since(interp, before_asked, inside)
        made = result, caller, seen, *left
        sized = any(True for value in inside for _ in numbers_in(value.type))
        own = below if sized else None
        template = Template(tuple(parameters), inner.nodes, *made, asked, own, raised, writes)
        if not _is_closed(interp, template):
            return None
        template.called = _called(interp, template, 0 if called else LARGE)
        asked_now = interp.policy.asked.items()
        template.selected = {span: of for span, of in asked_now if span not in selected}
        return template
    interp.untimely[function] += isinstance(attempt.failure, NotInTime)
    return None


def _attempted(
    interp: Interpreter, key: Any, seen: Seen, bound: dict[str, Abstract], run: Run
) -> Template | None:
    """A function as it is outside ``try``, whose calls are attempted as wholes: what it raises is
    caught as it would be in Python. None where it does more than to compute numbers, as it may be
    known to of an earlier call, and where it is so small that it may as well be told on which paths
    it raises.
    """
    region, function, policy = interp.regions[-1], key[0], interp.policy
    if function in policy.acting or TEMPLATES in policy.changed or not are_told_by_class(interp):
        return None
    if interp.not_attempted[function] >= MOST_NOT_ATTEMPTED:
        return None
    plain = key, seen.kind, None
    before = interp.templates.get(plain, 0)
    known = before
    if not (isinstance(known, Template) and known.called is not None):
        interp.templates[plain] = None  # within itself it is followed
        known = interp.templates[plain] = _made(interp, function, seen, bound, run, (), called=True)
    if known is None or known.called is None:
        return None
    nodes = list(walk_nodes(Block((), known.nodes)))
    if any(map(does_more, nodes)):
        policy.acting.add(function)
    if not _may_be_attempted(interp, known, known.called, nodes, region.classes):
        interp.templates[plain] = before
        interp.not_attempted[function] += 1
        return None
    policy.note_large(function, before != 0)
    made: Template = replace(known, called=replace(known.called, classes=region.classes))
    return made


def _may_be_attempted(
    interp: Interpreter, template: Template, called: Called, nodes: list[Node], classes: Classes
) -> bool:
    """Return whether a call does nothing but to compute numbers, and may raise one of these."""
    return (
        len(nodes) >= ATTEMPTED
        and not (interp.policy.raised_in_arms and raises_refusals(nodes))
        and all(node.attributes.get("taken", True) for node in nodes if node.op is raise_)
        and not (template.writes or called.cell.stores or any(map(does_more, nodes)))
        and all(_owner_of(place) in template.made for place in template.written)
        and all(_is_number(value.type, "bifc") for value in called.numbers)
        and any(_may_raise(interp, node, classes) for node in nodes)
    )


def _may_raise(interp: Interpreter, node: Node, classes: Classes) -> bool:
    return node.op in (raise_, assert_) or may_raise_one(interp, node, classes)


def _owner_of(place: Any) -> Any:
    return place[0] if isinstance(place, tuple) else place


def _held_outside(seen: Seen) -> dict[Any, Abstract]:
    """What stands for the names that callers have for what the call sees: more than one for each,
    whatever the first caller has.
    """
    found = [Array(one) if isinstance(one, Storage) else one for one in seen.handles]
    return dict.fromkeys([(Token(), "held") for _ in range(2)], tuple(found))


def _given(result: Abstract, raised: Raised | None) -> list[Abstract]:
    """What a call gives, and what it raises."""
    return [result, *(() if raised is None else raised.errors.values())]


def _left(
    interp: Interpreter, before: Heap, seen: Seen, given: list[Abstract], since: int
) -> tuple[Written, dict[Any, Shared]] | None:
    """What has been written to what the call sees, and what it has made since that it hands on,
    with what is in there; None where something else was written.
    """
    heap, known = interp.heap, set(seen.handles)
    lost = {other for one in seen.handles for other in before.shared.get(one, ())}
    written: Written = {}
    inside: dict[Any, Written] = {}  # by what was made
    for key in differing(before.contents, heap.contents):
        owner = key[0] if isinstance(key, tuple) else key
        content = heap.get(key)
        if key in seen.places or owner in known:
            written[key] = content
        elif key not in before.contents:
            if not isinstance(owner, Scope) or key[1] in names_seen(owner.node):
                inside.setdefault(owner, {})[key] = content
        elif not (owner in lost and isinstance(content, Conflict)):
            return None
    made = _made_inside(heap, inside, [*given, *written.values()], since)
    for one in made:
        written.update(inside.get(one, {}))
    has_objects = any(isinstance(c, dict) and not has_plain_keys(c) for c in written.values())
    if (
        has_objects
        or not all(_is_told(heap, stand) for stand in seen.views)
        or not seen.places.keys() >= set(changed_outside(interp))
        or not _relates_only(heap, before, {*known, *made}, since)
    ):
        return None  # keys that are objects are others in another call
    return written, {one: heap.shared.get(one, {}) for one in made}


def _is_told(heap: Heap, stand: Storage) -> bool:
    """Return whether what stands for a view holds an array, which may be no other one."""
    return isinstance(heap.get(stand), Value) and stand not in heap.shared


def _made_inside(
    heap: Heap, inside: dict[Any, Written], contents: list[Abstract], since: int
) -> dict[Any, None]:
    """What was made since, of which each call makes another one, in contents and in itself."""
    made: dict[Any, None] = {}
    while contents:
        for part in _parts(contents.pop()):
            if isinstance(part, HANDLES) and part not in made and _is_new(heap, part, since):
                made[part] = None
                contents += inside.get(part, {}).values()
    return made


def _is_new(heap: Heap, handle: Any, since: int) -> bool:
    """Return whether an array, a list, a dict or an object was made since, and nothing is known of
    it but what it holds.
    """
    if born(handle) < since or handle in heap.frozen or handle in heap.bound:
        return False
    if isinstance(handle, Storage):
        return not is_callers(handle)
    if isinstance(handle, Scope):
        around = handle.parent
        return has_ended(handle) and not rebinds(handle.node) and born(around) < since
    if isinstance(handle, ObjectRef):
        return is_programs(handle) and handle.holder is None and _is_of_class(handle.type, since)
    is_items = isinstance(handle, ListRef | DictRef)
    return is_items and handle.own is None and not is_callers(handle)


def _is_of_class(kind: type, since: int) -> bool:
    """Return whether a class was made before."""
    return all(born(vars(cls).get(MADE_HERE)) < since for cls in kind.__mro__)


def _relates_only(heap: Heap, before: Heap, known: set[Any], since: int) -> bool:
    """Return whether what a call knows may be nothing else outside it, and is as free to be written
    as before.
    """
    for one in known:
        more = heap.shared.get(one, {}).keys() - before.shared.get(one, {}).keys() - known
        if any(born(other) < since or is_callers(other) for other in more):
            return False
    return not any(one in heap.frozen or one in heap.bound for one in known)


def _values_in(nodes: list[Node]) -> Iterator[Value]:
    for block in walk_blocks(Block((), nodes)):
        yield from block.parameters
        for node in block.nodes:
            yield from node.results


def _is_closed(interp: Interpreter, template: Template) -> bool:
    """Return whether nodes and result are made of parameters, and of what stands outside."""
    whole = Block((), template.nodes)
    fixed = (*interp.parameters, *template.seen.fixed)
    outside = {*template.parameters, *fixed}
    made = {value for node in template.nodes for value in node.results}
    if any(value not in outside for value in free_values(whole)):
        return False
    handles = template.seen.handles
    around = {one.scope for one in handles if isinstance(one, Closure)}
    known = outside | made | {*handles, *around, *template.made}
    if not all(isinstance(part, Value | HANDLES) and part in known for part in _left_by(template)):
        return False
    return all(map(_is_copied, walk_nodes(whole)))


def _is_copied(node: Node) -> bool:
    """Return whether a copy of a node means what it means."""
    return not any(isinstance(value, Value | Node) for value in node.attributes.values())


def _item_of(type_: Type) -> Type:
    """The type of what lists, or lists of lists, hold in the end; of anything else its own."""
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    return type_


def _left_by(template: Template) -> Iterator[Any]:
    """The numbers that a call leaves behind, and what it has of the program's."""
    yield from _told(template)
    for given in _given(template.result, template.raised):
        yield from _parts(given)
    for content in template.written.values():
        yield from _parts(content)


def _parts(content: Abstract) -> Iterator[Any]:
    """What a content consists of, except constants."""
    held = _held(content)
    if held is not None:
        for part in held:
            yield from _parts(part)
    elif not _is_fixed(content):
        yield content


def _held(content: Abstract) -> Iterable[Abstract] | None:
    """What a content is made of; None of one that is made of nothing else."""
    if isinstance(content, tuple):
        return *tuple.__iter__(content), *attributes_of(content).values()
    if isinstance(content, dict):
        return content.values()
    if isinstance(content, Array):
        return content.storage, *(operand for lens in content.lenses for operand in lens.operands)
    if isinstance(content, Columns):
        return content.values
    if isinstance(content, MADE_OF_PARTS):
        return _fields_of(content).values()
    if isinstance(content, Suspended):
        return iterators_of(content)
    if isinstance(content, StagedText):
        return _text(content).parts
    if _is_function(content):
        return content.scope, *content.defaults, *content.keyword_defaults.values()
    if isinstance(content, Conflict) and content.cases is not None:
        return content.predicate, content.cases.which, *content.cases.contents.values()
    return None


def _text(text: StagedText) -> Holder:
    """A text that is made of numbers, taken apart."""
    holder = holder_of(text)
    assert holder is not None
    return holder


def _is_function(content: Abstract) -> TypeGuard[Closure]:
    """Return whether a content is a function of the program, without attributes, of no class."""
    return isinstance(content, Closure) and content.own is None and content.owner is None


MADE_OF_PARTS = BoundMethod | Partial | Range | DictView


def _fields_of(content: MADE_OF_PARTS) -> dict[str, Abstract]:
    return {part.name: getattr(content, part.name) for part in fields(content)}


def _is_fixed(content: Abstract) -> bool:
    """Return whether a content is the same one in each call."""
    plain = content is None or content is ABSENT or content is ORDER or type(content) in PLAIN
    return plain or isinstance(content, _FIXED) or is_member(content)


_FIXED = (*UNCHANGING, types.WrapperDescriptorType, BaseException, Token)


# Called -------------------------------------------------------------------------------------------


def _called(interp: Interpreter, template: Template, least: int) -> Called | None:
    """A template of so many nodes as a graph of numbers; None where it is to be copied.

    What asks how a number came about, later, has to see its nodes: where something rests on one
    that may be an integer on some paths. Of its results it is known which may be.
    """
    whole = Block((), template.nodes)
    nodes = list(walk_nodes(whole))
    if TEMPLATES in interp.policy.changed:
        return None
    if len(nodes) < least:
        return None
    made = {value for node in template.nodes for value in node.results}
    parts = dict.fromkeys(_left_by(template))
    numbers = tuple([v for v in parts if v in made and not is_constant(v)])
    stored_to = dict.fromkeys(node.operands[k] for node in nodes for k in stored_at(node))
    others = _read_otherwise(whole) if stored_to else set()
    outside = [v for v in free_values(whole) if v not in template.parameters]
    outside = [v for v in outside if v not in stored_to or v in others]
    read = (*template.parameters, *outside, *stored_to)
    block = Block(read, template.nodes, numbers)
    if not numbers or not all(map(_is_read, read)) or not _are_defined(block):
        return None
    hides = hidden_in(block, template.asked)
    if not all(map(_is_given, numbers)) or hides is None:
        return None
    made_by = next(
        (found for node in nodes if (found := _activation_of(interp, template, node))), None
    )
    if made_by is None:
        return None
    cell = _cell(interp, made_by, template, read, numbers)
    cell.stores, cell.hides = len(stored_to), hides
    cell.rests = may_rest_inside(block, template.asked)
    cell.asks = asks_inside(block, template.asked)
    assert cell.graph is not None
    return Called(call_of(cell.graph.block), cell, read, numbers)


def _read_otherwise(block: Block) -> set[Value]:
    """The values that are read by more than what stores to them."""
    nodes = list(walk_nodes(block))
    found = {v for node in nodes for k, v in enumerate(node.operands) if k not in stored_at(node)}
    return found.union(*(inner.results for inner in walk_blocks(block)))


def _is_given(value: Value) -> bool:
    """Return whether a graph may give a value: a number, an array, a list, a text, an exception."""
    type_ = value.type
    return is_inexact(_item_of(type_)) or type_ in (OPAQUE, TEXT) or _is_number(type_, "bi")


def _is_read(value: Value) -> bool:
    """Return whether a graph may read a value: a number, an array or a list of such, a text, a
    generator of random numbers.
    """
    type_ = _item_of(value.type)
    is_array_of_numbers = isinstance(type_, ArrayType) and type_.dtype.kind in "bifc"
    return is_array_of_numbers or isinstance(type_, OpaqueType)


def _told(template: Template) -> tuple[Value, ...]:
    """What tells whether a call has raised, and what: a truth and a number of a class."""
    raised = template.raised
    told = () if raised is None else (raised.where, raised.number)
    return tuple([part for part in told if isinstance(part, Value)])


def _are_defined(block: Block) -> bool:
    """Return whether all results are defined on each path, once what can be made of a type is."""
    absent = [node.result for node in walk_nodes(block) if node.op is undefined]
    left = [v for v in absent if v.type != OPAQUE and _defined_anyhow(v.type) is None]
    handed_on = sources(block, block.results) if left else set()
    axes = _axes_of(block)
    return all(_has_lengths(v.type, axes) for v in left if v in handed_on or not is_array(v.type))


Axes = dict[Dim, tuple[Value, int]]  # where a length stands


def _axes_of(block: Block) -> Axes:
    """The axes of a block's parameters, by their lengths."""
    return {
        dim: (value, axis)
        for value in block.parameters
        if is_array(value.type)
        for axis, dim in enumerate(array_type(value).shape)
    }


def _has_lengths(type_: Type, axes: Axes) -> bool:
    """Return whether the lengths of an array of this type are those of some axes, or constants."""
    return isinstance(type_, ArrayType) and all(
        isinstance(dim, int) or (dim in axes and not dim.open) for dim in type_.shape
    )


def _activation_of(interp: Interpreter, template: Template, node: Node) -> Activation | None:
    """The call that a template's node was built in: that of the function itself."""
    activation = interp.made_in.get(node)
    while activation is not None and activation.caller is not template.caller:
        activation = activation.caller
    return activation


def _cell(
    interp: Interpreter,
    made_by: Activation,
    template: Template,
    read: Sequence[Value],
    numbers: Sequence[Value],
) -> GraphCell:
    """The graph, in which numbers and arrays that a path does not define are zeros, and lists
    empty: nobody reads them there.

    Its nodes count as built where the template's were.
    """
    parameters = tuple([Value(v.type, None, v.name, v.role) for v in read])
    for parameter, value in zip(parameters, read, strict=True):
        parameter.name = made_by.arguments.get(value, value.name)
    new = dict(zip(reversed(read), reversed(parameters), strict=True))
    stored = dict(zip(read, parameters, strict=True))
    owner_of = {new[value]: stored[value] for value in read}
    calls: Calls = {template.caller: None}
    with building(Builder()) as inside:
        new |= {one: disguised(new[one]) for one in read if may_be_disguised(interp, one)}
        for node in template.nodes:
            _copy_node(interp, node, new, calls)
    for node in walk_nodes(Block((), inside.nodes)):
        for k in stored_at(node):
            node.operands = (
                *node.operands[:k],
                owner_of[node.operands[k]],
                *node.operands[k + 1 :],
            )
    block = Block(parameters, inside.nodes, tuple([new[value] for value in numbers]))
    _define_all(block)
    names = tuple([Input((f"p{k}",), "derived") for k in range(len(parameters))])
    leaves = tuple(map(Leaf, range(len(numbers))))
    output = Container(tuple, tuple(range(len(numbers))), leaves)
    graph = Graph(made_by.name, block, names, output, span=made_by.defined)
    return GraphCell(made_by.name, graph, unlike=True)


def _define_all(block: Block) -> None:
    """Make undefined numbers zeros, lists empty, and arrays that may be results zeros."""
    axes, handed_on = _axes_of(block), sources(block, block.results)
    for inner in walk_blocks(block):
        for node in [node for node in inner.nodes if node.op is undefined]:
            known = _defined_anyhow(node.result.type)
            if known is not None:
                node.op, node.attributes = known
            elif node.result in handed_on and _has_lengths(node.result.type, axes):
                _define_array(inner, node, axes)


def _define_array(block: Block, node: Node, axes: Axes) -> None:
    """Make an array of zeros of what is undefined in a block."""
    type_ = array_type(node.result)
    with building(Builder()) as inside:
        found = [
            d if isinstance(d, int) else (size(axes[d][0], axis=axes[d][1])) for d in type_.shape
        ]
        zeros(*found, shape=type_.shape, dtype=type_.dtype)
    made = inside.nodes[-1]
    node.op, node.operands, node.attributes = made.op, made.operands, made.attributes
    place = block.nodes.index(node)
    block.nodes[place:place] = inside.nodes[:-1]


def _defined_anyhow(type_: Type) -> tuple[Op, Attributes] | None:
    """What makes something of a type of nothing: its operation and attributes."""
    if isinstance(type_, ListType):
        return list_new, {"type": type_}
    if type_ == TEXT:
        return text_made, {"made": ""}
    if not _is_number(type_, "bifc"):
        return None
    return constant, {"value": zero_of(type_)}


def _call(
    interp: Interpreter, template: Template, called: Called, seen: Seen
) -> tuple[dict[Value, Value], Raised | None]:
    """Emit a call, and return what stands for its results, and what it raises that is caught
    around; what is known of them is made here.
    """
    interp.count(interp.span, 1)
    given, raised = seen.numbers, template.raised
    operands = (*given, *called.read[len(given) :])
    types = tuple([value.type for value in called.numbers])
    attributes = {"callee": called.cell, "types": types}
    with meanwhile(interp, regions=[]):
        if called.classes:
            node, where, number = attempted_call(called.op, operands, attributes, called.classes)
            raised = Raised(
                where, number, called.classes, dict.fromkeys(range(len(called.classes)))
            )
        else:
            node = builder().emit(called.op, operands, attributes)
    new = dict(zip(template.parameters, given, strict=True))
    for number, result in zip(called.numbers, node.results, strict=True):
        new[number] = disguised(result) if may_be_disguised(interp, number) else result
    _rename_sizes(interp, template, seen, [node], new)
    for old, one in zip(called.numbers, node.results, strict=True):
        if is_array(old.type):
            interp.layouts[one] = laid_like(interp, old, one)
    for part in _left_by(template):
        if isinstance(part, Value) and part.node is not None and is_constant(part):
            copy_into(part.node, new)
    return new, raised


# What is raised -----------------------------------------------------------------------------------


def _region_like_those_around(interp: Interpreter) -> Region:
    """A region in which the same is caught as by all those around together."""
    innermost = interp.regions[-1]
    handled = (kind for region in interp.regions for kind in region.handled)
    made = Region(Token(), innermost.classes, innermost.keeps, tuple(dict.fromkeys(handled)))
    made.swallows = any(region.swallows or region.parts for region in interp.regions)
    return made


def _in_region(
    interp: Interpreter, region: Region, values: dict[str, Abstract], run: Run
) -> tuple[Abstract, Raised | None] | None:
    """What the function gives, and what it raises in a region; None where more is asked for."""
    results: list[Abstract] = []
    since = now()

    def body() -> None:
        try:
            results.append(run(values))
        except CalleeLeft as left:  # what it gives is told apart below
            results.append(left.value)

    start = len(builder().nodes)
    run_in_region(interp, region, body)
    where = interp.close(region.exit)
    if where is False:
        return results[0], None
    errors = errors_of(interp, region)
    if where is True or any(isinstance(error, Conflict) for error in errors.values()):
        return None
    given = _defined(interp, region, where, results[0], since)
    if given is None:
        return None
    _belong_to_callee(interp, builder().nodes[start:])
    forget(interp, region)
    result, number = given
    return result, Raised(where, number, tuple(region.kinds), errors)


def _is_number(type_: Type, kinds: str = "ifc") -> TypeGuard[ArrayType]:
    return isinstance(type_, ArrayType) and type_.kind != "array" and type_.dtype.kind in kinds


def errors_of(interp: Interpreter, region: Region) -> dict[int, Abstract]:
    """The exceptions that a region is left with, by their numbers; None of those that are caught
    and not asked for.
    """
    found: dict[int, Abstract] = {}
    for number, kind in enumerate(region.kinds):
        error = interp.heap.get((region.token, number))
        asked = region.keeps or not issubclass(kind, region.handled)
        if error is not ABSENT:
            found[number] = error if asked else None
    return found


def _defined(
    interp: Interpreter, region: Region, where: Value, result: Abstract, since: int
) -> tuple[Abstract, Value | int] | None:
    """What is given, and the number of what was raised. Numbers are zeros where something was, so
    that callers need not tell; None where there are none.
    """
    inside = held_inside(interp.heap, result, since)
    parts = dict.fromkeys(part for one in (result, *inside.values()) for part in _parts(one))
    arrays = [held for key, held in inside.items() if isinstance(key, Storage)]
    handles = {part: part for part in parts if isinstance(part, HANDLES)}
    numbers = [v for v in parts if isinstance(v, Value) and (_is_number(v.type) or v.type == TEXT)]
    if len({*handles, *numbers, *arrays}) < len(parts):
        return None
    number = (region.token, "number")
    places = [(region.token, ("part", k)) for k in range(len(numbers))]

    def put(found: Abstract, made: Callable[[Value], Value]) -> None:
        interp.put(number, positive(found) if isinstance(found, Value) else found)
        for place, part in zip(places, numbers, strict=True):
            interp.put(place, as_type(made(part), part.type))

    interp.branch(where, lambda: put(interp.content(number), _nothing), lambda: put(0, _itself))
    new = {part: interp.content(place) for part, place in zip(numbers, places, strict=True)}
    for key, held in inside.items():
        if not isinstance(key, Storage):
            interp.put(key, _of(held, new, handles))
    return _of(result, new, handles), interp.content(number)


def _nothing(value: Value) -> Value:
    """What nobody reads, in the place of a number or a text."""
    return text_made(made="") if value.type == TEXT else zeros_of(value)


def _itself(value: Value) -> Value:
    return value if value.type == TEXT else positive(value)


def held_inside(heap: Heap, result: Abstract, since: int) -> Written:
    """What is in arrays, lists, dicts and objects that were made since and are given, by key."""
    found: Written = {}
    pending = [result]
    while pending:
        for part in _parts(pending.pop()):
            if not isinstance(part, HANDLES) or born(part) < since:
                continue
            keys: list[Any] = [part]
            if isinstance(part, ObjectRef):
                keys = [(part, name) for name in heap.held(part)]
            if isinstance(part, Scope):
                keys = [key for key in heap.contents if isinstance(key, tuple) and key[0] is part]
            new = {key: heap.get(key) for key in keys if key not in found}
            found.update(new)
            pending += new.values()
    return found


def _belong_to_callee(interp: Interpreter, nodes: Sequence[Node]) -> None:
    """Count what stands around what a call has built to it."""
    caller = interp.frame.activation
    calls = [interp.made_in.get(node) for node in nodes]
    own = next((one for one in calls if one is not None and one.caller is caller), None)
    for node in walk_nodes(Block((), list(nodes))):
        if own is not None and interp.made_in.get(node) is caller:
            interp.made_in[node] = own


# Copying ------------------------------------------------------------------------------------------


def _copy(interp: Interpreter, template: Template, seen: Seen) -> Abstract:
    """What a call gives that sees what ``seen`` tells; it leaves there what the template does."""
    interp.policy.asked |= template.selected
    raised = template.raised
    if template.called is not None:
        new, raised = _call(interp, template, template.called, seen)
    else:
        new = _copy_nodes(interp, template, seen)
    handles = {
        one: seen.views.get(other, other)
        for one, other in zip(template.seen.handles, seen.handles, strict=True)
    }
    handles.update((one, _another(one)) for one in template.made)
    for key, content in template.written.items():
        _write(interp, key, _of(content, new, handles), template.made, handles)
    if template.writes:
        all_is_written(interp)
    _relate(interp.heap, template, new, handles)
    for one in filter(is_exception, template.made):
        settle_context(interp, handles[one])
    if raised is not None:
        _leave(interp, raised, new, handles)
    return _of(template.result, new, handles)


def _copy_nodes(interp: Interpreter, template: Template, seen: Seen) -> dict[Value, Value]:
    """Append copies of a template's nodes that compute with the values that a call sees."""
    interp.count(interp.span, len(template.nodes) + len(template.asked))
    settled(interp, template.nodes)
    new = dict(zip(template.parameters, seen.numbers, strict=True))
    calls: Calls = {template.caller: interp.frame.activation}
    made = [_copy_node(interp, node, new, calls) for node in template.nodes]
    _rename_sizes(interp, template, seen, made, new)
    laid = interp.heap.laid
    for old, one in new.items():
        if old in laid and one not in laid:
            laid[one] = tuple([new.get(value, value) for value in laid[old]])
    template.asked.note(interp, new)
    return new


def _rename_sizes(
    interp: Interpreter, template: Template, seen: Seen, made: list[Node], new: dict[Value, Value]
) -> None:
    """Let computed sizes in a copy be called by what is computed there."""
    if template.since is not None:
        known = dict(zip(template.seen.sizes, seen.sizes, strict=True))
        known |= {one.number: one.number for one in new.values()}
        known |= {old.number: one.number for old, one in new.items()}
        outside = (value.number for value in interp.parameters)
        rename_in(made, Numbers(known, template.since, outside))


def _write(
    interp: Interpreter, key: Any, content: Abstract, made: Mapping[Any, Any], handles: Handles
) -> None:
    """Put what a call leaves in its place: that is changed, unless the call has made it."""
    owner, *name = key if isinstance(key, tuple) else (key,)
    place: Any = handles.get(owner, owner)
    if isinstance(place, Array):  # a view, which an array of its own stood for
        interp.heap.write(place, content)
        return
    interp.put((place, *name) if name else place, content)
    if isinstance(place, ITERATORS):
        interp.asked[place] = interp.asked.get(place, 0) + 1
    elif not isinstance(place, Scope | FreeVariable) and owner not in made:
        interp.heap.changed(place)


def _relate(heap: Heap, template: Template, new: dict[Value, Value], handles: Handles) -> None:
    """Let what a call makes be possibly the same as it is in the template."""
    for one, others in template.made.items():
        for other, conflict in others.items():
            if other in handles:
                heap.relate(handles[one], handles[other], _conflict_of(conflict, new, handles))


def _another(made: Any) -> Any:
    """What stands in a copy for an array, a list, a dict or an object that a call makes."""
    if isinstance(made, Storage):
        return Storage(made.name, subclass=made.subclass)
    if isinstance(made, Scope):
        return replace(made, serial=now())
    one: Any = another(made)
    return replace(one, made_at=made.made_at) if isinstance(made, DictRef) else one


def _copy_node(
    interp: Interpreter,
    node: Node,
    new: dict[Value, Value],
    calls: Calls,
) -> Node:
    """Append a copy of a node, which counts as built in the call that stands for the node's."""
    made = copy_into(node, new)
    pairs = zip(walk_nodes(Block((), [node])), walk_nodes(Block((), [made])), strict=True)
    for old, one in pairs:
        if old in interp.made_in:
            interp.made_in[one] = _renewed(interp, interp.made_in[old], calls, new)
    return made


def _leave(interp: Interpreter, raised: Raised, new: dict[Value, Value], handles: Handles) -> None:
    """Leave the region around where a call has raised."""
    region = interp.regions[-1]
    errors = {k: _of(error, new, handles) for k, error in raised.errors.items()}
    numbers = [_number_in(interp, region, k, raised, errors) for k in range(len(raised.kinds))]
    number = _of(raised.number, new)
    of_number: dict[int, list[int]] = {}
    for k in errors if isinstance(number, Value) else (number,):
        of_number.setdefault(numbers[k], []).append(k)

    def leave() -> None:
        interp.put((region.token, "number"), _numbered(number, numbers))
        for one, some in of_number.items():
            _keep_raised(interp, (region.token, one), number, [(k, errors.get(k)) for k in some])
        interp.leave(region.exit)

    interp.where(_of(raised.where, new), leave)


def _keep_raised(
    interp: Interpreter, place: Any, number: Abstract, errors: Sequence[tuple[int, Abstract]]
) -> None:
    """Put the exception of a number in its place: what a template tells apart, as it has the text
    of one and makes that of another, a copy need not.
    """
    (k, error), *others = errors
    if not others:
        interp.put(place, error)
        return
    interp.branch(
        equal(number, k),
        lambda: interp.put(place, error),
        lambda: _keep_raised(interp, place, number, others),
    )


def _number_in(
    interp: Interpreter, region: Region, number: int, raised: Raised, errors: dict[int, Abstract]
) -> int:
    """The number that a region has for a class that a copy raises."""
    if number < len(region.classes):
        return number
    error = errors.get(number)
    told = told_of(interp, error) if isinstance(error, ObjectRef) else None
    return region.number_of(raised.kinds[number], made=True, told=told)


def _numbered(number: Abstract, numbers: Sequence[int]) -> Abstract:
    """The number that a region has for the class that another region has a number for."""
    if not isinstance(number, Value):
        return numbers[number]
    found: Value = number
    for k, other in enumerate(numbers):
        if k != other:
            found = where(equal(number, k), other, found)
    return found


def _renewed(
    interp: Interpreter,
    activation: Activation | None,
    calls: Calls,
    new: dict[Value, Value],
) -> Activation | None:
    """The call that a copy is built in, as another was in the template."""
    if activation not in calls and activation is not None:
        caller = _renewed(interp, activation.caller, calls, new)
        arguments = {new.get(value, value): name for value, name in activation.arguments.items()}
        span = interp.span if caller is interp.frame.activation else activation.span
        calls[activation] = Activation(
            activation.name, caller, activation.function, arguments, span, activation.defined
        )
    return calls.get(activation)


def _of(content: Abstract, new: dict[Value, Value], handles: Handles | None = None) -> Abstract:
    """A content of the template's as that of a copy."""
    known = {} if handles is None else handles
    if isinstance(content, tuple):
        return rebuilt(content, lambda item: _of(item, new, known))
    if isinstance(content, dict):
        return type(content)((key, _of(item, new, known)) for key, item in content.items())
    if isinstance(content, Array):
        lenses = tuple([_lens_of(lens, new) for lens in content.lenses])
        held = known[content.storage]
        seen_through = held if isinstance(held, Array) else Array(held)
        return Array(seen_through.storage, (*seen_through.lenses, *lenses))
    if isinstance(content, Columns):
        return replace(content, values=tuple([new.get(value, value) for value in content.values]))
    if isinstance(content, MADE_OF_PARTS):
        return type(content)(**_of(_fields_of(content), new, known))
    if isinstance(content, Value):
        return new.get(content, content)
    if isinstance(content, StagedText):
        text = _text(content)
        return text.made_of(_of(text.parts, new, known))
    if isinstance(content, Closure) and content not in known and content.scope in known:
        known[content] = _function_of(content, new, known)
    if isinstance(content, Conflict) and content not in known:
        known[content] = _conflict_of(content, new, known)
    return known.get(content, content)


def _function_of(closure: Closure, new: dict[Value, Value], handles: Handles) -> Closure:
    """A function that a call makes, as another call makes it."""
    defaults = _of(closure.defaults, new, handles), _of(closure.keyword_defaults, new, handles)
    several = closure.several and replace(closure.several, predicate=None, since=now())
    given = {"defaults": defaults[0], "keyword_defaults": defaults[1], "several": several}
    return replace(closure, scope=handles[closure.scope], **given)


def _conflict_of(conflict: Conflict, new: dict[Value, Value], handles: Handles) -> Conflict:
    """What is one of several contents in the template, as it is in a copy."""
    predicate, cases = _of(conflict.predicate, new), conflict.cases
    if cases is not None:
        contents = _of(cases.contents, new, handles)
        cases = Cases(_of(cases.which, new), contents)
    return replace(conflict, predicate=predicate, cases=cases, since=now())


def _lens_of(lens: Lens, new: dict[Value, Value]) -> Lens:
    """A lens of the template's as that of a copy."""
    made = new.get(lens.node.result)
    if made is not None and made.node is not None:
        return Lens.of(made.node, is_flat=lens.is_flat)
    if new.keys().isdisjoint(lens.operands):
        return lens
    apart = remade(lens.node, [new.get(value, value) for value in lens.node.operands])
    return Lens.of(apart, is_flat=lens.is_flat)
