"""The comparison of code objects: are two of them the same program?

Two code objects enter, a bool leaves. One runs; the other was compiled just now from the text
that the first is thought to come from. Code objects with the same instructions, constants and
names do the same, wherever in a file they stand.

>>> one, two = (compile("x + " + number, "m.py", "eval") for number in ("1", "1.0"))
>>> same_code(one, one), same_code(one, two)
(True, False)
"""

from __future__ import annotations

import dis
import inspect
import itertools
import types
from collections.abc import Iterable, Iterator

_REWRITTEN_MARK = "@"  # every name that pytest's assertion rewriting makes up starts with it
_CALLING_FLAGS = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
_OPERATORS = ("UNARY_", "BINARY_")  # of which some have no argument
_LOCAL = "_FAST"  # in the name of every instruction about local names
# What depends on the neighbouring statements, not on the statement itself.
_GLUE = ("RETURN_", "POP_", "NOP", "RESUME", "EXTENDED_ARG", "CACHE", "COPY", "SWAP", "MAKE_CELL")


def same_code(one: types.CodeType, other: types.CodeType) -> bool:
    """Return whether both have the same name, instructions, names and constants, at any place."""
    return _shape(one) == _shape(other) and same_constant(one.co_consts, other.co_consts)


def same_place(one: types.CodeType, other: types.CodeType) -> bool:
    """Return whether both have the same line and column for every instruction."""
    return (one.co_firstlineno, one.co_linetable) == (other.co_firstlineno, other.co_linetable)


def _shape(code: types.CodeType) -> tuple[object, ...]:
    return (
        code.co_name,
        code.co_qualname,
        *_parameters(code),
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_exceptiontable,
    )


def _parameters(code: types.CodeType) -> tuple[object, ...]:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    flags = code.co_flags & _CALLING_FLAGS
    return (*counts, flags, parameter_names(code))


def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """The names of all parameters, ``*args`` and ``**kwargs`` last.

    >>> parameter_names((lambda x, *rest, y=1: x).__code__)
    ('x', 'y', 'rest')
    """
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def same_constant(one: object, other: object) -> bool:
    """Return whether two constants of code are the same in type and to the last bit.

    >>> same_constant(0.0, -0.0), same_constant(1, True), same_constant((1, "a"), (1, "a"))
    (False, False, True)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return same_code(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same_constant, one, other))
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return set(map(_typed, one)) == set(map(_typed, other))
    return _typed(one) == _typed(other)


def _typed(constant: object) -> tuple[type, str]:
    return type(constant), repr(constant)


def same_but_for_asserts(running: types.CodeType, bare: types.CodeType) -> bool:
    """Return whether ``running`` is ``bare`` with rewritten assert statements added.

    ``bare`` is compiled without assert statements. pytest replaces each of them by many
    statements and leaves all others, and their positions, alone: so everything that ``bare``
    does must be found in ``running``, at the same line and column.
    """
    return (
        (running.co_qualname, running.co_firstlineno) == (bare.co_qualname, bare.co_firstlineno)
        and _parameters(running) == _parameters(bare)
        and _plain(running.co_varnames) >= _plain(bare.co_varnames)
        and set(running.co_freevars) >= set(bare.co_freevars)
        and _operations(running) >= _operations(bare)
        and _uses_local_names_like(running, bare)
        and _nested_but_for_asserts(running, bare)
    )


def _nested_but_for_asserts(running: types.CodeType, bare: types.CodeType) -> bool:
    candidates = list(nested_code(running))
    return all(
        any(same_but_for_asserts(candidate, inner) for candidate in candidates)
        for inner in nested_code(bare)
    )


def nested_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects directly inside ``code``."""
    return (constant for constant in code.co_consts if isinstance(constant, types.CodeType))


def _plain(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith(_REWRITTEN_MARK)}


def _operations(code: types.CodeType) -> set[tuple[object, ...]]:
    """What each statement does but for local names, and where."""
    return {
        (instruction.opname, instruction.argrepr, instruction.positions)
        for instruction in _statement_instructions(code)
        if _LOCAL not in instruction.opname
    }


def _uses_local_names_like(running: types.CodeType, bare: types.CodeType) -> bool:
    running_uses, bare_uses = _local_uses(running), _local_uses(bare)
    return all(_is_subsequence(bare_uses[line], running_uses.get(line, ())) for line in bare_uses)


def _local_uses(code: types.CodeType) -> dict[int | None, list[tuple[str, str]]]:
    """What is done to local names, by line and in order.

    Python 3.13 fuses two such instructions to one with the first one's columns, or not, by the
    number of the local: so columns cannot be compared.
    """
    uses: dict[int | None, list[tuple[str, str]]] = {}
    for instruction in _statement_instructions(code):
        if _LOCAL in instruction.opname and instruction.positions:
            uses.setdefault(instruction.positions.lineno, []).extend(_split(instruction))
    return uses


def _split(instruction: dis.Instruction) -> Iterator[tuple[str, str]]:
    """Every use in one instruction.

    >>> code = compile("def f(x): return x + x", "m.py", "exec").co_consts[0]
    >>> local = [each for each in dis.get_instructions(code) if "_FAST" in each.opname]
    >>> [use for each in local for use in _split(each)]
    [('LOAD', 'x'), ('LOAD', 'x')]
    """
    value = instruction.argval
    names = value if isinstance(value, tuple) else (value,)
    kinds = instruction.opname.split(_LOCAL)
    return ((kind.rpartition("_")[2], name) for kind, name in zip(kinds, names, strict=False))


def _is_subsequence(part: Iterable[object], whole: Iterable[object]) -> bool:
    remaining = iter(whole)
    return all(each in remaining for each in part)


def _statement_instructions(code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions that depend on their own statement only."""
    instructions = [each for each in dis.get_instructions(code) if _is_operation(each)]
    for instruction, following in itertools.zip_longest(instructions, instructions[1:]):
        if not (_deletes(instruction) or _clears_handler_name(instruction, following)):
            yield instruction


def _clears_handler_name(instruction: dis.Instruction, following: dis.Instruction | None) -> bool:
    """``except E as name`` ends with a store and a deletion, placed at its last statement."""
    stores = instruction.opname.startswith("STORE_")
    return bool(
        stores and following and _deletes(following) and following.argval == instruction.argval
    )


def _deletes(instruction: dis.Instruction) -> bool:
    return instruction.opname.startswith("DELETE_")


def _is_operation(instruction: dis.Instruction) -> bool:
    if instruction.opcode in _JUMPS or instruction.opname.startswith(_GLUE):
        return False
    if instruction.opname.startswith(_OPERATORS):
        return True
    return instruction.argval is not None and not isinstance(instruction.argval, types.CodeType)
