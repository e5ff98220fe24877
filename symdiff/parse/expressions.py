"""Expressions, one function a node class."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from symdiff.errors import UnsupportedSyntaxError
from symdiff.ir.graph import Value
from symdiff.parse.assignment import assign
from symdiff.parse.attributes import get_attribute
from symdiff.parse.blame import users
from symdiff.parse.branches import choose, joined_cases, joined_value
from symdiff.parse.cases import for_each_case, told_apart_value
from symdiff.parse.changing import (
    SETS,
    attributes_of_function,
    is_keyed,
    keyed_class,
    new_set,
    require_as_keyed,
    set_of,
)
from symdiff.parse.comparisons import compare
from symdiff.parse.functions import is_callee, left_inside, method_name
from symdiff.parse.heap import same
from symdiff.parse.interpreter import EXPRESSIONS, HOOKS, Expression, Interpreter, negated
from symdiff.parse.items import element_of_set, get_item, set_item, static_key
from symdiff.parse.iteration import (
    ITERATORS,
    append_item,
    consume,
    for_each,
    is_unnumbered,
    iterate,
    iterated,
    made_list,
    returned_by,
    run_whole,
    started,
    static_items,
)
from symdiff.parse.meanwhile import meanwhile
from symdiff.parse.methods import extend
from symdiff.parse.operators import BINARY, binary, unary
from symdiff.parse.scope import bind_name, load_name
from symdiff.parse.some_entries import some_entries
from symdiff.parse.special import has_method, takes_all_items
from symdiff.parse.spreading import items_taken, with_argument, with_star
from symdiff.parse.staged_lists import is_staged_list
from symdiff.parse.texts import text_field, text_of
from symdiff.parse.truth import truth
from symdiff.parse.trying import NotAttemptedError, asked_once
from symdiff.parse.values import (
    ABSENT,
    USED,
    VALUE,
    Abstract,
    CalleeLeft,
    Closure,
    ConflictRead,
    DictRef,
    Generator,
    Iterable,
    ListRef,
    Maybe,
    ObjectRef,
    Scope,
    Sees,
)
from symdiff.source import FunctionSource


def expression(node_class: type[ast.expr]) -> Callable[[Expression], Expression]:
    """Register how an expression of a class is staged."""

    def register(handler: Expression) -> Expression:
        EXPRESSIONS[node_class] = handler
        return handler

    return register


@expression(ast.Constant)
def _constant(interp: Interpreter, node: ast.Constant) -> Abstract:
    return node.value


@expression(ast.Name)
def _name(interp: Interpreter, node: ast.Name) -> Abstract:
    return load_name(interp, node.id)


@expression(ast.Attribute)
def _attribute(interp: Interpreter, node: ast.Attribute) -> Abstract:
    value = interp.evaluate(node.value)
    methods = (node.attr, "__getattr__", "__get__")
    try:
        return _by_method(interp, node, lambda: get_attribute(interp, value, node.attr), *methods)
    except ConflictRead as read:
        if isinstance(value, ObjectRef) and _is_new_attribute(interp, (value, node.attr), read):
            return read.conflict
        raise


def _is_new_attribute(interp: Interpreter, key: Any, read: ConflictRead) -> bool:
    """Return whether what is one of several is what an attribute is since the statement began:
    before, nothing is there that could be put in its place.
    """
    known, conflict = interp.statement_values, read.conflict
    if known is None or conflict.since < known.since or conflict.cases is None:
        return False
    return key == read.is_attribute or interp.heap.get(key) is conflict


@expression(ast.Subscript)
def _subscript(interp: Interpreter, node: ast.Subscript) -> Abstract:
    value = interp.evaluate(node.value)
    key = interp.evaluate(node.slice)
    return _by_method(
        interp, node, lambda: get_item(interp, value, key), "__getitem__", "__missing__"
    )


@expression(ast.Slice)
def _slice(interp: Interpreter, node: ast.Slice) -> Abstract:
    parts = (node.lower, node.upper, node.step)
    return slice(*(None if part is None else interp.evaluate(part) for part in parts))


@expression(ast.BinOp)
def _binary(interp: Interpreter, node: ast.BinOp) -> Abstract:
    left, right = interp.evaluate(node.left), interp.evaluate(node.right)
    name = BINARY[type(node.op)][0]
    action = partial(binary, interp, type(node.op), left, right)
    return _by_method(interp, node, action, f"__{name}__", f"__r{name}__")


@expression(ast.UnaryOp)
def _unary(interp: Interpreter, node: ast.UnaryOp) -> Abstract:
    return unary(interp, type(node.op), interp.evaluate(node.operand))


def test(interp: Interpreter, node: ast.expr) -> bool | Value:
    """The truth of a condition; of ``a and b`` only the operands' truths are asked for."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        with interp.at(node):
            return negated(test(interp, node.operand))
    if not isinstance(node, ast.BoolOp) or (interp.regions and _may_raise_later(node)):
        return _is_true(interp, node, interp.evaluate(node))
    with interp.at(node):
        return _test_from(interp, node, 0)


def _is_true(interp: Interpreter, node: ast.expr, value: Abstract) -> bool | Value:
    """The truth of what an expression gives."""
    found: bool | Value = interp.step(node, lambda: truth(interp, value), "truth")
    return found


def _may_raise_later(node: ast.BoolOp) -> bool:
    """Return whether operands behind the first one do what might raise: then each is a part."""
    parts = (part for operand in node.values[1:] for part in ast.walk(operand))
    return any(isinstance(part, ast.BinOp | ast.Call | ast.Subscript) for part in parts)


def _test_from(interp: Interpreter, node: ast.BoolOp, position: int) -> bool | Value:
    condition = test(interp, node.values[position])
    if position == len(node.values) - 1:
        return condition
    stop = isinstance(node.op, ast.Or)

    def rest() -> bool | Value:
        return _test_from(interp, node, position + 1)

    if not isinstance(condition, Value):
        return condition if condition is stop else rest()
    found: bool | Value
    if stop:
        found = choose(interp, condition, lambda: True, rest)
    else:
        found = choose(interp, condition, rest, lambda: False)
    return found


@expression(ast.BoolOp)
def _bool_op(interp: Interpreter, node: ast.BoolOp) -> Abstract:
    return _bool_from(interp, node, 0)


def _bool_from(interp: Interpreter, node: ast.BoolOp, position: int) -> Abstract:
    """``a and b and c`` from the operand at a position on; the last one's value is not tested."""
    evaluate = interp.evaluate if position == 0 else interp.evaluate_arm
    value = evaluate(node.values[position])
    if position == len(node.values) - 1:
        return value
    condition = _is_true(interp, node.values[position], value)
    stop = isinstance(node.op, ast.Or)
    if not isinstance(condition, Value):
        return value if condition is stop else _bool_from(interp, node, position + 1)

    def rest() -> Abstract:
        return _bool_from(interp, node, position + 1)

    arms = (lambda: value, rest) if stop else (rest, lambda: value)
    return joined_cases(interp, condition, *arms, VALUE)


@expression(ast.Compare)
def _compare(interp: Interpreter, node: ast.Compare) -> Abstract:
    left = interp.evaluate(node.left)
    return _compare_from(interp, node, left, 0)


def _compare_from(
    interp: Interpreter, node: ast.Compare, left: Abstract, position: int
) -> Abstract:
    right = interp.evaluate(node.comparators[position])
    action = partial(compare, interp, type(node.ops[position]), left, right)
    result = interp.step(node.comparators[position], action, "compared")
    if position == len(node.ops) - 1:
        return result
    condition = _is_true(interp, node.comparators[position], result)
    rest = partial(_compare_from, interp, node, right, position + 1)
    if not isinstance(condition, Value):
        return rest() if condition else result
    behind = node.comparators[position + 1 :]
    if not all(isinstance(one, ast.Name | ast.Constant) for one in behind):  # they may raise
        rest = partial(interp.in_arm, rest, *behind)
    return joined_value(interp, condition, rest, lambda: result, VALUE)


@expression(ast.IfExp)
def _conditional(interp: Interpreter, node: ast.IfExp) -> Abstract:
    condition = interp.decided.get(node)
    if condition is None:
        condition = test(interp, node.test)
    if not isinstance(condition, Value):
        return interp.evaluate(node.body if condition else node.orelse)
    then, orelse = (partial(interp.evaluate_arm, part) for part in (node.body, node.orelse))
    return joined_cases(interp, condition, then, orelse, VALUE)


@expression(ast.NamedExpr)
def _walrus(interp: Interpreter, node: ast.NamedExpr) -> Abstract:
    value = interp.evaluate(node.value)
    bind_name(interp, node.target.id, value)
    return value


# Calls --------------------------------------------------------------------------------------------


@expression(ast.Call)
def _call(interp: Interpreter, node: ast.Call) -> Abstract:
    function = interp.evaluate(node.func)
    arguments: list[Abstract] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            given = interp.evaluate(argument.value)
            spread = partial(with_star, interp, arguments, given)
            arguments = interp.step(argument, spread)
        else:
            given = interp.evaluate(argument)
            takes_all = function is list or function is tuple or takes_all_items(function)
            if interp.regions and takes_all and isinstance(given, ITERATORS):
                given = interp.step(argument, partial(made_list, interp, given), "items")
            arguments = with_argument(interp, arguments, given)
    keywords: dict[str, Abstract] = {}
    for keyword in node.keywords:
        if keyword.arg is not None:
            keywords[keyword.arg] = interp.evaluate(keyword.value)
        else:
            keywords |= _star_star(interp, keyword.value)
    try:
        return HOOKS.call(interp, function, arguments, keywords)
    except CalleeLeft as left:
        if not is_callee(function, left.callee):
            raise left_inside(left) from None
        return _gone_on_with(interp, node, left)


def _by_method(
    interp: Interpreter, node: ast.expr, action: Callable[[], Abstract], *names: str
) -> Abstract:
    """What an action gives, or what a method of one of the names gave that it is left to.

    A ``Conflict`` where that is one of several.
    """
    frames = len(interp.frames)
    try:
        return action()
    except ConflictRead as read:
        if read.given_by is None or read.given_by[1] != frames:
            raise
        if method_name(read.given_by[0]) not in names:
            raise
        return read.conflict
    except CalleeLeft as left:
        if left.method not in names or left.value is NotImplemented:
            raise left_inside(left) from None
        return _gone_on_with(interp, node, left)


def _gone_on_with(interp: Interpreter, node: ast.expr, left: CalleeLeft) -> Abstract:
    """What a function gave that has raised on some paths: the statement goes on on the others."""
    if not interp.can_leave_at(node):
        raise NotAttemptedError(interp)
    return left.value


def _star_star(interp: Interpreter, node: ast.expr) -> dict[str, Abstract]:
    return _mapped(interp, node, interp.evaluate(node))


def _mapped(interp: Interpreter, node: ast.expr, value: Abstract) -> dict[str, Abstract]:
    items: dict[str, Abstract] = interp.step(node, lambda: _items(interp, value), "items")
    return items


def _items(interp: Interpreter, value: Abstract) -> dict[str, Abstract]:
    if isinstance(value, ObjectRef) and is_keyed(value.type):
        raise UnsupportedSyntaxError("** of a dict with keys that are known at run time only")
    if has_method(interp, value, "keys" if isinstance(value, ObjectRef) else "__iter__"):
        value = interp.call(dict, [value], {})
    if not isinstance(value, DictRef):
        raise users(TypeError("argument after ** must be a mapping"))
    content: dict[str, Abstract] = interp.content(value)
    return content


@expression(ast.Lambda)
def make_closure(interp: Interpreter, node: ast.FunctionDef | ast.Lambda) -> Closure:
    """A function defined here: its defaults are evaluated now, its names when it is called."""
    defaults = tuple(interp.evaluate(default) for default in node.args.defaults)
    keyword_defaults = {
        argument.arg: interp.evaluate(default)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    interp.capture(interp.scope)
    made = Closure(node, interp.frame.source, interp.scope, defaults, keyword_defaults)
    made.own = attributes_of_function(interp)
    return made


# Containers ---------------------------------------------------------------------------------------


def _elements(interp: Interpreter, nodes: list[ast.expr]) -> tuple[Abstract, ...]:
    items: list[Abstract] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = interp.evaluate(node.value)
            items.extend(interp.step(node, partial(static_items, interp, value)))
        else:
            items.append(interp.evaluate(node))
    return tuple(items)


@expression(ast.Tuple)
def _tuple(interp: Interpreter, node: ast.Tuple) -> Abstract:
    if not any(isinstance(part, ast.Starred) for part in node.elts):
        return _elements(interp, node.elts)
    made = _displayed(interp, node.elts)
    content = interp.content(made)
    made.frozen = True
    return made if is_staged_list(content) else content


@expression(ast.List)
def _list(interp: Interpreter, node: ast.List) -> Abstract:
    return _displayed(interp, node.elts)


def _displayed(interp: Interpreter, nodes: list[ast.expr]) -> ListRef:
    """The list of what a display gives."""
    if not any(isinstance(part, ast.Starred) for part in nodes):
        return interp.new_list(_elements(interp, nodes))
    made = interp.new_list(())
    for part in nodes:
        _add_element(interp, made, part)
    return made


def _add_element(interp: Interpreter, made: ListRef, node: ast.expr) -> None:
    """Add to a list what an element of a display gives: itself, or the items of what is starred."""
    if not isinstance(node, ast.Starred):
        append_item(interp, made, interp.evaluate(node))
        return
    value = interp.evaluate(node.value)
    items = interp.step(
        node, lambda: interp.new_list(items_taken(interp, value, lambda given: [*given]))
    )
    extend(interp, made, items)


@expression(ast.Set)
def _set(interp: Interpreter, node: ast.Set) -> Abstract:
    items = [element_of_set(interp, x) for x in _elements(interp, node.elts)]
    return set_of(interp, tuple(items)) if SETS in interp.policy.changed else new_set(interp, items)


@expression(ast.Dict)
def _dict(interp: Interpreter, node: ast.Dict) -> Abstract:
    keyed = keyed_class(interp, dict, interp.span)
    if keyed is not None:
        return _keyed_dict(interp, interp.call(keyed, [], {}), node)
    made = interp.new_dict({})
    content: dict[Any, Abstract] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            given = interp.evaluate(value)
            require_as_keyed(interp, made, given)
            content = _united(interp, content, value, given)
        else:
            place = static_key(interp, interp.evaluate(key), of=made)
            content = {**content, **_certain(interp, content, {place: interp.evaluate(value)})}
    interp.put(made, content)
    return made


def _united(
    interp: Interpreter, content: dict[Any, Abstract], node: ast.expr, given: Abstract
) -> dict[Any, Abstract]:
    """What a dict display holds after ``**given``."""
    some = some_entries(interp, given)
    if some is None:
        return {**content, **_certain(interp, content, _mapped(interp, node, given))}
    if not content.keys().isdisjoint(some):
        return {**content, **_certain(interp, content, interp.content(given))}
    return {**content, **some}


def _certain(
    interp: Interpreter, content: dict[Any, Abstract], new: dict[Any, Abstract]
) -> dict[Any, Abstract]:
    """Items of a dict display, whose keys may not be there on some paths only: in what order?"""
    for key in new:
        if isinstance(content.get(key), Maybe) and list(content)[-1] != key:
            raise UnsupportedSyntaxError(
                f"{key!r} in a dict that has it before on some paths only",
                hint="make a copy of that one, and set this in it: d = dict(other); d[key] = ...",
            )
    return new


def _keyed_dict(interp: Interpreter, made: Abstract, node: ast.Dict) -> Abstract:
    """A dict with keys that are known at run time only."""
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            interp.call_method(made, "update", interp.evaluate(value))
        else:
            place = interp.evaluate(key)
            set_item(interp, made, place, interp.evaluate(value))
    return made


# Comprehensions -----------------------------------------------------------------------------------

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def _comprehend(
    interp: Interpreter, node: Comprehension, action: Callable[[], None], *parts: ast.expr
) -> None:
    """Stage the loops of a comprehension in a scope of their own, and the action inside them.

    ``parts`` are the expressions that the action evaluates.
    """
    first = interp.evaluate(node.generators[0].iter)
    _comprehend_over(interp, node, first, partial(for_each_case, interp, action, *parts), True)


def _comprehend_over(
    interp: Interpreter,
    node: Comprehension,
    first: Abstract,
    action: Callable[[], None],
    whole: bool,
) -> None:
    run = _loops(interp, node.generators, 0, action, whole)
    with _own_scope(interp, node):
        run(first)


@contextlib.contextmanager
def _own_scope(interp: Interpreter, node: Comprehension) -> Iterator[None]:
    """The names that a comprehension binds are its own."""
    names = frozenset(
        name.id
        for generator in node.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name)
    )
    outer = interp.frame.scope
    in_class = isinstance(outer.node, ast.ClassDef)  # where names not bound yet are global ones
    declared = frozenset() if in_class else outer.declared_global
    scope = Scope("<comprehension>", names, outer, outer.globals, outer.cells, declared)
    scope.node = node
    with in_scope(interp, scope, interp.frame.source):
        yield
    scope.ended = True
    interp.forget(scope)


def in_scope(
    interp: Interpreter, scope: Scope, source: FunctionSource
) -> AbstractContextManager[None]:
    """Look names up in another scope of the same activation, or of one that made a generator."""
    return meanwhile(interp.frame, scope=scope, source=source)


def _loops(
    interp: Interpreter,
    generators: list[ast.comprehension],
    position: int,
    action: Callable[[], None],
    whole: bool,
) -> Callable[[Abstract], None]:
    """How to stage the loops from a position on; ``whole``: no action leaves before their end."""
    generator = generators[position]

    def inner() -> None:
        if position + 1 == len(generators):
            action()
            return
        over = generators[position + 1].iter
        run = _loops(interp, generators, position + 1, action, whole)
        for_each_case(interp, lambda: run(interp.evaluate(over)), over)

    def filtered(tests: list[ast.expr]) -> None:
        if not tests:
            inner()
            return
        test, *others = tests
        for_each_case(
            interp, lambda: interp.where(interp.test(test), lambda: filtered(others)), test
        )

    def turn(element: Abstract) -> None:
        assign(interp, generator.target, element)
        filtered(generator.ifs)

    return lambda items: for_each(interp, items, turn, whole)


@expression(ast.ListComp)
def _list_comprehension(interp: Interpreter, node: ast.ListComp) -> Abstract:
    made = interp.new_list(())

    def append() -> None:
        append_item(interp, made, interp.evaluate(node.elt))

    with interp.being_made(made):
        _comprehend(interp, node, append, node.elt)
    return made


@expression(ast.SetComp)
def _set_comprehension(interp: Interpreter, node: ast.SetComp) -> Abstract:
    made = interp.new_list(())
    _comprehend(
        interp,
        node,
        lambda: append_item(interp, made, element_of_set(interp, interp.evaluate(node.elt))),
        node.elt,
    )
    if SETS in interp.policy.changed:
        return set_of(interp, made)
    return new_set(interp, static_items(interp, made))


@expression(ast.DictComp)
def _dict_comprehension(interp: Interpreter, node: ast.DictComp) -> Abstract:
    keyed = keyed_class(interp, dict, interp.span)
    made = interp.new_dict({}) if keyed is None else interp.call(keyed, [], {})

    def add() -> None:
        key, value = interp.evaluate(node.key), interp.evaluate(node.value)
        if keyed is not None:
            set_item(interp, made, key, value)
            return
        known_key = static_key(interp, key, of=made)
        interp.put(made, {**interp.content(made), known_key: value})

    _comprehend(interp, node, add, node.key, node.value)
    return made


@expression(ast.GeneratorExp)
def _generator(interp: Interpreter, node: ast.GeneratorExp) -> Abstract:
    first = iterated(interp, interp.evaluate(node.generators[0].iter))
    scope, source = interp.frame.scope, interp.frame.source
    interp.capture(scope)

    def run(consume: Callable[[Abstract], None], whole: bool = False) -> None:
        frame = interp.frame
        consumer = frame.scope, frame.source

        def action() -> None:
            item = interp.evaluate(node.elt)
            with in_scope(interp, *consumer):
                consume(item)

        for_each_item = partial(for_each_case, interp, action, node.elt)
        with in_scope(interp, scope, source):
            _comprehend_over(interp, node, first, for_each_item, whole)

    def elements() -> Iterable:
        part = iterate(interp, first)

        def element(k: Any) -> Abstract:
            with in_scope(interp, scope, source), _own_scope(interp, node):
                assign(interp, node.generators[0].target, part.element(k))
                with asked_once(node, lambda: _is_next(interp, made, k)):
                    return interp.evaluate(node.elt)

        return replace(part, element=element)

    (generator, *others) = node.generators
    is_plain = not others and not generator.ifs and not is_unnumbered(first)
    is_plain = is_plain and node not in interp.policy.resumed
    numbered = elements if is_plain else None
    made = Generator(run, numbered, whole=partial(run, whole=True))
    made.sees = Sees((first,), node, Scope("", frozenset(), scope, scope.globals))
    return started(interp, made)


def _is_next(interp: Interpreter, generator: Generator, number: Any) -> bool:
    """Return whether a generator is still before an element that is asked for."""
    unused = interp.heap.get((generator, USED)) is ABSENT
    return unused and same(interp.heap.get(generator), number)


@expression(ast.Yield)
def _yield(interp: Interpreter, node: ast.Yield) -> Abstract:
    hand_over(interp, None if node.value is None else interp.evaluate(node.value))
    return None


@expression(ast.YieldFrom)
def _yield_from(interp: Interpreter, node: ast.YieldFrom) -> Abstract:
    items = interp.evaluate(node.value)

    def element(item: Abstract) -> None:
        hand_over(interp, item)

    if isinstance(items, Generator) and interp.content(items) == 0:
        consume(interp, items)
        consumer = interp.frame.consumer
        is_whole = consumer is not None and consumer.whole
        return run_whole(items, element) if is_whole else items.run(element)
    for_each(interp, items, element)
    return returned_by(interp, items)


def hand_over(interp: Interpreter, value: Abstract) -> None:
    """Give an element of a generator to what goes over it, in the frames where that stands."""
    consumer = interp.frame.consumer
    assert consumer is not None
    frames, regions = interp.frames[consumer.frames :], interp.regions[consumer.regions :]
    del interp.frames[consumer.frames :]
    if not consumer.inside:
        del interp.regions[consumer.regions :]
    try:
        consumer.consume(value)
    finally:
        interp.frames[consumer.frames :] = frames
        interp.regions[consumer.regions :] = regions


# Text ---------------------------------------------------------------------------------------------


@expression(ast.JoinedStr)
def _f_string(interp: Interpreter, node: ast.JoinedStr) -> Abstract:
    return text_of([_text_part(interp, part) for part in node.values])


def _text_part(interp: Interpreter, part: ast.expr) -> Any:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    value = interp.evaluate(part.value)
    spec = "" if part.format_spec is None else interp.evaluate(part.format_spec)
    conversion = chr(part.conversion) if part.conversion >= 0 else None
    return interp.step(part, lambda: text_field(interp, value, conversion, spec))


@expression(ast.Starred)
def _starred(interp: Interpreter, node: ast.Starred) -> Abstract:
    raise UnsupportedSyntaxError("a starred expression here")


def tested(interp: Interpreter, expression: ast.expr) -> bool | Value:
    """The truth of a condition; of each of the cases where it reads a name that has several."""
    if not interp.policy.unions:
        return test(interp, expression)
    found: bool | Value = told_apart_value(interp, lambda: test(interp, expression), expression)
    return found


HOOKS.test = tested
