"""Effects (``print_``, ``raise_``, ``opaque_call`` …) and marks (``stop_gradient``, ``grad_hook``).

Effects are ordered: no pass moves, duplicates or drops them. What they say is a static *template*:
nested tuples of static values in which ``Slot(k)`` stands for the k-th operand and ``Text`` for an
f-string. ``fill(template, operands)`` is the value it stands for, ``spell_template`` its text.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import numpy as np

from symdiff.dataclass import dataclass
from symdiff.ir.graph import Block, Node, Value
from symdiff.ir.types import OPAQUE, ArrayType, ListType, OpaqueType
from symdiff.ops import patterns, support
from symdiff.ops.batching import as_it_is
from symdiff.ops.declare import (
    EVALUATED,
    Operation,
    SeveralResults,
    call,
    dotted,
    literal,
    require_array,
    supporting,
    supporting_call,
    template,
)
from symdiff.ops.flops import nothing
from symdiff.ops.keys import Key, Slot, actual_key, spell_key

# Templates ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A replacement field of an f-string: ``{value!r:.3f}``."""

    value: Any
    conversion: str | None = None
    spec: Any = ""  # a string or a Text


@dataclass(frozen=True, slots=True)
class Text:
    """An f-string: strings and fields in order."""

    parts: tuple[str | Field, ...]


def in_order(parts: Sequence[Any]) -> tuple[Any, ...]:
    """The parts of an f-string as they are parsed: no empty strings, no two in a row."""
    joined: list[Any] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return tuple(joined)


@dataclass(frozen=True, slots=True)
class Named:
    """An object that emitted code refers to by a name: a function or class.

    A name with a dot is that of a library that all emitted code knows.
    """

    target: Any
    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """An attribute of a template's value: ``rng.normal``."""

    value: Any
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a template's value: ``table["a"]``."""

    value: Any
    key: Any


@dataclass(frozen=True, slots=True)
class Made:
    """What a class makes of the values of templates: a range, an exception, a user's list."""

    by: Named
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where an array is indexed: ``i, 1:n``."""

    key: Key


def fill(template: Any, operands: Sequence[Any]) -> Any:
    """The value that a template stands for."""
    if isinstance(template, Slot):
        return operands[template.number]
    if isinstance(template, Named):
        return template.target
    if isinstance(template, Member):
        return getattr(fill(template.value, operands), template.name)
    if isinstance(template, Item):
        return fill(template.value, operands)[template.key]
    if isinstance(template, Made):
        return template.by.target(*fill(template.items, operands))
    if isinstance(template, Places):
        return actual_key(template.key, operands)
    if isinstance(template, Text):
        return "".join(_filled_part(part, operands) for part in template.parts)
    if isinstance(template, tuple | list):
        return type(template)(fill(item, operands) for item in template)
    if isinstance(template, dict):
        return {key: fill(item, operands) for key, item in template.items()}
    return template


def _filled_part(part: str | Field, operands: Sequence[Any]) -> str:
    if isinstance(part, str):
        return part
    value = fill(part.value, operands)
    spec = fill(part.spec, operands)
    if part.conversion is None:
        return format(value, spec)
    return format(_CONVERSIONS[part.conversion](value), spec)


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def spell_template(template: Any, operands: Sequence[ast.expr]) -> ast.expr:
    """The expression of a template."""
    if isinstance(template, Slot):
        return operands[template.number]
    if isinstance(template, Named):
        return dotted(template.name)
    if isinstance(template, Member):
        return ast.Attribute(spell_template(template.value, operands), template.name, ast.Load())
    if isinstance(template, Item):
        base = spell_template(template.value, operands)
        return ast.Subscript(base, literal(template.key), ast.Load())
    if isinstance(template, Made):
        return spell_call(spell_template(template.by, operands), template.items, (), operands)
    if isinstance(template, Places):
        return spell_key(template.key, operands)
    if isinstance(template, Text):
        return _spell_text([_spell_part(part, operands) for part in template.parts])
    if isinstance(template, tuple | list):
        kind = ast.Tuple if isinstance(template, tuple) else ast.List
        return kind([spell_template(item, operands) for item in template], ast.Load())
    if isinstance(template, dict):
        keys: list[ast.expr | None] = [literal(key) for key in template]
        return ast.Dict(keys, [spell_template(item, operands) for item in template.values()])
    return literal(template)


def _spell_part(part: str | Field, operands: Sequence[ast.expr]) -> ast.expr:
    if isinstance(part, str):
        return ast.Constant(part)
    spec = part.spec if isinstance(part.spec, Text) else Text((part.spec,)) if part.spec else None
    shown = None if spec is None else _f_string([_spell_part(p, operands) for p in spec.parts])
    conversion = ord(part.conversion) if part.conversion else -1
    return ast.FormattedValue(spell_template(part.value, operands), conversion, shown)


def _spell_text(parts: Sequence[ast.expr]) -> ast.expr:
    """An f-string; ``"...".format(...)`` where texts in its fields cannot stand in one."""
    made = _f_string(parts)
    fields = [part for part in made.values if isinstance(part, ast.FormattedValue)]
    if not any(_needs_escapes(field) for field in fields):
        return made
    given: list[ast.expr] = []
    told = "".join(_in_format(part, given) for part in made.values)
    return ast.Call(ast.Attribute(ast.Constant(told), "format", ast.Load()), given, [])


def _f_string(parts: Sequence[ast.expr]) -> ast.JoinedStr:
    """An f-string of parts, those of f-strings within it being its own."""
    joined = [inner for part in parts for inner in _spliced(part)]
    merged: list[ast.expr] = []
    for is_constant, group in itertools.groupby(joined, lambda v: isinstance(v, ast.Constant)):
        some = list(group)
        text = "".join(str(v.value) for v in some if isinstance(v, ast.Constant))
        merged += [ast.Constant(text)] if is_constant else some
    return ast.JoinedStr(merged)


def _spliced(part: ast.expr) -> list[ast.expr]:
    """The parts of an f-string that stands in a field as it is."""
    if not isinstance(part, ast.FormattedValue) or part.format_spec is not None:
        return [part]
    is_text = isinstance(part.value, ast.JoinedStr) and part.conversion in _AS_TEXT
    return part.value.values if is_text else [part]  # type: ignore[attr-defined]


_AS_TEXT = (-1, ord("s"))


def _needs_escapes(tree: ast.expr) -> bool:
    """Return whether an expression has texts that are written with backslashes."""
    texts = [v.value for v in ast.walk(tree) if isinstance(v, ast.Constant)]
    return any(isinstance(text, str) and "\\" in repr(text) for text in texts)


def _in_format(part: ast.expr, given: list[ast.expr]) -> str:
    """A part of a text in a format, whose values are added to those given."""
    if not isinstance(part, ast.FormattedValue):
        assert isinstance(part, ast.Constant)
        return str(part.value).replace("{", "{{").replace("}", "}}")
    given.append(part.value)
    conversion = "" if part.conversion == -1 else f"!{chr(part.conversion)}"
    if not isinstance(part.format_spec, ast.JoinedStr):
        return f"{{{conversion}}}"
    spec = "".join(_in_format(inner, given) for inner in part.format_spec.values)
    return f"{{{conversion}:{spec}}}"


Keywords = tuple[tuple[str, Any], ...]


def spell_call(
    function: ast.expr, arguments: tuple[Any, ...], keywords: Keywords, operands: Sequence[ast.expr]
) -> ast.Call:
    """A call whose arguments are templates."""
    return ast.Call(
        function,
        [spell_template(item, operands) for item in arguments],
        [ast.keyword(name, spell_template(item, operands)) for name, item in keywords],
    )


def spell_the_call(node: Node, operands: Sequence[ast.expr]) -> ast.Call:
    """The call that a node tells of: ``function``, ``arguments`` and ``keywords`` are templates."""
    function = spell_template(node.attributes["function"], operands)
    keywords = node.attributes.get("keywords", ())
    return spell_call(function, node.attributes["arguments"], keywords, operands)


def called(
    function: Any,
    operands: Sequence[Any],
    arguments: tuple[Any, ...] = (),
    keywords: Keywords = (),
    **others: Any,
) -> Any:
    """What a call gives whose function and arguments are templates."""
    given = {name: fill(item, operands) for name, item in keywords}
    return fill(function, operands)(*fill(arguments, operands), **given)


# Effects ------------------------------------------------------------------------------------------


def effect(
    name: str, evaluate: Callable[..., Any], documentation: str, **facts: Any
) -> SeveralResults:
    """Declare what happens, may raise and has no result."""
    facts = {"raises": True, **facts}
    return SeveralResults(
        name,
        lambda *operands, **attributes: (),
        evaluate,
        effect=True,
        nondifferentiable=True,
        documentation=documentation,
        **facts,
    )


print_ = effect(
    "print_",
    lambda *operands, **attributes: called(print, operands, **attributes),
    "``print(*arguments, **keywords)``.",
    spelling=lambda node, operands: spell_call(
        dotted("print"), node.attributes["arguments"], node.attributes.get("keywords", ()), operands
    ),
    flops=nothing,
)


def _evaluate_raise(
    *operands: Any, exception: Any, arguments: tuple[Any, ...] | None, **more: Any
) -> None:
    made = fill(exception, operands)
    error = made if arguments is None else made(*fill(arguments, operands))
    if "cause" in more:
        raise error from fill(more["cause"], operands)
    raise error


def _spell_raise(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    """The expression after ``raise``."""
    made = _spell_class(node.attributes["exception"], operands)
    arguments = node.attributes["arguments"]
    return made if arguments is None else spell_call(made, arguments, (), operands)


def _spell_class(exception: Any, operands: Sequence[ast.expr]) -> ast.expr:
    if isinstance(exception, FunctionType):  # of ``ops.support``, which raises
        return supporting(exception)
    if isinstance(exception, type):
        return dotted(exception.__qualname__)
    return spell_template(exception, operands)


raise_ = effect(
    "raise_",
    _evaluate_raise,
    "``raise exception(*arguments) from cause``; without ``arguments``, as is.",
    spelling=_spell_raise,
)


check_dtype = effect(
    "check_dtype",
    support.holds_no,
    "Raises where an array holds numbers of other dtypes than it is typed by.",
    spelling=supporting_call(support.holds_no),
    batch=as_it_is,
    flops=nothing,
)


check_real = effect(
    "check_real",
    support.is_real,
    "Raises where what is typed as a float of Python's is complex.",
    spelling=supporting_call(support.is_real),
    batch=as_it_is,
    flops=nothing,
)


check_writeable = effect(
    "check_writeable",
    support.can_be_written,
    "Raises where an argument is read-only.",
    spelling=supporting_call(support.can_be_written),
    batch=lambda b, op, x: op(x),
    flops=nothing,
)


def never_returns(block: Block) -> bool:
    """Return whether a program raises on every path."""
    last = block.nodes[-1] if block.nodes else None
    if last is None or last.op is raise_:
        return last is not None
    return last.op.name == "cond" and all(map(never_returns, last.blocks))


def _evaluate_assert(predicate: Any, *operands: Any, message: Any = None) -> None:
    if not predicate:
        raise AssertionError(*(() if message is None else (fill(message, operands),)))


assert_ = effect(
    "assert_",
    _evaluate_assert,
    "``assert predicate, message``; other operands fill the message.",
)


def _spell_given(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    function = dotted("np.array") if node.attributes["writable"] else supporting(support.frozen)
    type_ = node.operands[0].type
    if not isinstance(type_, ListType):
        return ast.Call(function, list(operands), [])
    element = type_.element
    if isinstance(element, ArrayType) and element.kind != "array":
        return ast.Call(dotted("list"), list(operands), [])
    return ast.Call(dotted("list"), [ast.Call(dotted("map"), [function, *operands], [])], [])


def _evaluate_given(x: Any, *, writable: bool) -> Any:
    if isinstance(x, list):
        return [_evaluate_given(v, writable=writable) for v in x]
    if not isinstance(x, np.ndarray):
        return x
    return np.array(x) if writable else support.frozen(x)


given = Operation(
    "given",
    lambda x, *, writable: (x if isinstance(x, ListType) else require_array(x, "given"),),
    _evaluate_given,
    spelling=_spell_given,
    linear=frozenset({0}),
    vjp={0: lambda g, y, x, **_: g},
    sympy=EVALUATED,
    flops=nothing,
    documentation="A copy for what is not followed: it may keep it, and must not write it"
    " unless that does no harm.",
)
opaque_call = Operation(  # no rules: a derivative that reaches it is an error, never zero
    "opaque_call",
    lambda *operands, function, arguments, keywords=(), type=OPAQUE: (type,),
    lambda *operands, function, **attributes: called(function, operands, **attributes),
    effect=True,
    raises=True,
    cost="heavy",
    spelling=spell_the_call,
    varied=True,
    flops=nothing,
    documentation="``function(*arguments, **keywords)``, which is not followed.",
)

pure_call = Operation(
    "pure_call",
    lambda *operands, function, arguments, keywords=(), type: (type,),
    lambda *operands, function, **attributes: called(function, operands, **attributes),
    raises=True,
    nondifferentiable=True,
    cost="heavy",
    spelling=spell_the_call,
    varied=True,
    flops=nothing,
    documentation="``function(*arguments, **keywords)``, which does nothing but to give places.",
)


def _evaluate_set_attribute(value: Any, *operands: Any, owner: Any, name: str) -> None:
    setattr(fill(owner, operands), name, value)


def _evaluate_set_item(value: Any, *operands: Any, owner: Any, key: Any) -> None:
    fill(owner, operands)[fill(key, operands)] = value


set_attribute = effect(
    "set_attribute",
    _evaluate_set_attribute,
    "``owner.name = value`` on an object that the caller sees.",
)
set_item = effect(
    "set_item", _evaluate_set_item, "``owner[key] = value`` on a container that the caller sees."
)


def changes_one_of(node: Node, given: Collection[Value]) -> bool:
    """Return whether all that an effect changes is one of the lists, dicts and objects
    ``given``.
    """
    function = node.attributes.get("function")
    owner = node.attributes.get("owner")
    if isinstance(function, Member):
        owner = function.value
    elif isinstance(function, Named) and changes_its_first(function.target):
        owner = node.attributes["arguments"][0]
    while isinstance(owner, Member | Item):
        owner = owner.value
    first = 1 if node.op in (set_attribute, set_item) else 0
    return isinstance(owner, Slot) and node.operands[first + owner.number] in given


def changes_what_is_named(node: Node) -> bool:
    """Return whether all that an effect changes is a variable, list, dict or object outside."""
    function, owner = node.attributes.get("function"), node.attributes.get("owner")
    if isinstance(function, Member) and function.name in _METHODS:
        owner = function.value
    elif isinstance(function, Named) and changes_its_first(function.target):
        owner = node.attributes["arguments"][0]
    while isinstance(owner, Member | Item):
        owner = owner.value
    return node.op is store or isinstance(owner, Named)


_METHODS = ("append", "clear", "extend", "pop")  # that what is left behind is written with


def changes_its_first(function: Any) -> bool:
    """Return whether a function changes its first argument: ``setattr``, ``list.append`` …"""
    return function in (setattr, operator.setitem) or (
        isinstance(function, MethodDescriptorType | WrapperDescriptorType)
        and function.__objclass__ in (object, dict, list, OrderedDict)
    )


store = effect(
    "store",
    np.copyto,
    "``target[...] = value`` in the memory of a captured array.",
    spelling=call("np.copyto"),
    flops=nothing,
)


def _evaluate_enter(*operands: Any, function: Any, arguments: Any, keywords: Any = ()) -> Any:
    if function is None:
        manager = fill(arguments[0], operands)
    else:
        manager = called(function, operands, arguments, keywords)
    manager.__enter__()
    return manager


def _spell_enter(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    if node.attributes["function"] is None:
        return spell_template(node.attributes["arguments"][0], operands)
    return spell_the_call(node, operands)


enter_context = Operation(
    "enter_context",
    lambda *operands, **attributes: (OpaqueType("context manager"),),
    _evaluate_enter,
    effect=True,
    nondifferentiable=True,
    spelling=_spell_enter,
    documentation="""Start of ``with function(*arguments, **keywords)``: the manager.

    A ``function`` of None: the one argument is the manager.""",
)
leave_context = effect(
    "leave_context",
    lambda manager: manager.__exit__(None, None, None),
    "End of ``with``, where nothing was raised.",
    raises=False,
    spelling=template("{0}.__exit__(None, None, None)"),
)


# Marks on derivatives -----------------------------------------------------------------------------


stop_gradient = Operation(
    "stop_gradient",
    lambda x: (x,),
    lambda x: x,
    cost="free",
    view=0,
    nondifferentiable=True,
    spelling=lambda node, operands: operands[0],
    sympy=EVALUATED,
    order="operand",
    batch=as_it_is,
    pattern=patterns.as_it_is,
    documentation="The value itself, through which no derivative flows.",
)


grad_hook = Operation(
    "grad_hook",
    lambda x, *, function: (x,),
    lambda x, *, function: x,
    cost="free",
    view=0,
    vjp={0: lambda g, y, x, *, function: call_hook(g, function=function)},
    jvp={0: lambda t, y, x, *, function: t},
    spelling=lambda node, operands: operands[0],
    sympy=EVALUATED,
    order="operand",
    documentation="The value itself; its cotangent becomes ``function(cotangent)``.",
)


def _spell_hook(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
    function = spell_template(node.attributes["function"], ())
    return ast.Call(supporting(support.hooked), [function, *operands], [])


call_hook: Operation = Operation.of_arrays(  # without rules: it is followed, or refused
    "call_hook",
    lambda g, *, function: g,
    lambda g, *, function: support.hooked(fill(function, ()), g),
    effect=True,
    raises=True,
    spelling=_spell_hook,
    flops=nothing,
    operands=0,
    documentation="What a ``grad_hook`` makes of a cotangent.",
)
