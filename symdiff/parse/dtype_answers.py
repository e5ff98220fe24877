"""What library functions and attributes would give of numbers that are not of their types.

A number that is an integer on some paths and a float on others is typed as a float. A lowering
reads dtypes while compiling, and what it gives need not be computed of the array whose dtype it
has: ``np.zeros_like(a)`` is made of sizes, ``a.dtype`` is a constant. So the lowering is asked once
more, over integers, where a number turns out to be one on some paths.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff.ir.build import Builder, building
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, ListType, TapeType, Type
from symdiff.ops.declare import array_type
from symdiff.source import SourceSpan

if TYPE_CHECKING:
    from symdiff.parse.interpreter import Interpreter


@dataclass(frozen=True)
class Hiding:
    """Numbers of some dtypes that are typed as ones of others: both by the dtypes' characters.

    ``dtype`` is what they are taken to be of; ``words`` tell what they are, and are typed as.
    """

    hidden: str
    typed: str
    dtype: np.dtype
    words: tuple[str, str]
    hint: str

    def is_typed(self, type_: Type) -> bool:
        """Return whether numbers, or the items of lists, are typed so that others may hide."""
        return _character(type_) in self.typed

    def is_hidden(self, type_: Type) -> bool:
        """Return whether numbers, or the items of lists, would hide where they are typed so."""
        return _character(type_) in self.hidden

    def revealed(self, type_: Type) -> Type:
        """The type of the same numbers, arrays or lists, of those that hide."""
        if isinstance(type_, ListType | TapeType):
            return replace(type_, element=self.revealed(type_.element))
        if not isinstance(type_, ArrayType) or not self.is_typed(type_):
            return type_
        return replace(type_, dtype=self.dtype)


_EMPTY = "-"  # the character of no dtype


def _character(type_: Type) -> str:
    while isinstance(type_, ListType | TapeType):
        type_ = type_.element
    return type_.dtype.char if isinstance(type_, ArrayType) else _EMPTY


_BOOLS, _SINGLE, _FLOATS, _COMPLEX = "?", "ef", "efdg", "FDG"
_INTEGERS = np.typecodes["AllInteger"]
INTEGERS_IN_FLOATS = Hiding(
    _BOOLS + _INTEGERS,
    _FLOATS + _COMPLEX,
    np.dtype("int64"),
    ("an integer", "a float"),
    "write 0.0 in place of 0, or float(...)",
)
FLOATS_IN_OTHERS = (
    Hiding(
        _FLOATS,
        _COMPLEX,
        np.dtype("float64"),
        ("a float", "a complex number"),
        "write complex(...)",
    ),
    Hiding(
        _SINGLE,
        "d",
        np.dtype("float32"),
        ("of single precision", "a float64"),
        "write np.float64(...)",
    ),
    Hiding(
        "d",
        _SINGLE,
        np.dtype("float64"),
        ("a float64", "of single precision"),
        "write np.float64(...)",
    ),
)


class _PythonsHiding(Hiding):
    """Numbers of Python's that are typed as NumPy's, of whatever dtype."""

    def is_typed(self, type_: Type) -> bool:
        return isinstance(type_, ArrayType) and type_.kind == "scalar"

    def is_hidden(self, type_: Type) -> bool:
        return isinstance(type_, ArrayType) and type_.kind == "python"

    def revealed(self, type_: Type) -> Type:
        if isinstance(type_, ArrayType) and type_.kind == "scalar":
            return replace(type_, kind="python")
        return type_


PYTHONS_IN_NUMPYS = _PythonsHiding(
    "",
    "",
    np.dtype("float64"),
    ("Python's", "NumPy's"),
    "make it one of Python's before it is asked: float(...), int(...) or bool(...)",
)
BOOLS_IN_FLOATS = Hiding(
    _BOOLS,
    _FLOATS + _COMPLEX,
    np.dtype("bool"),
    ("a bool", "a float"),
    "write float(...)",
)
OTHERS = (
    Hiding(
        _BOOLS,
        _INTEGERS,
        np.dtype("bool"),
        ("a bool", "an integer"),
        "write int(...)",
    ),
    BOOLS_IN_FLOATS,
    *FLOATS_IN_OTHERS,
)


@dataclass(frozen=True)
class Question:
    """The program asks a number for its class: which one, or whether it is one of ``classes``.

    ``is_ours``: a definition asks, to give a number as the library does, NumPy's or Python's.
    """

    value: Value
    span: SourceSpan
    classes: Any = None
    is_ours: bool = False

    def of(self, new: Mapping[Value, Value]) -> Question:
        """The question as it is asked where other values stand for these."""
        return replace(self, value=new.get(self.value, self.value))

    def rests_on(self, hiding: Hiding, *, is_pythons: bool) -> bool:
        """Return whether the answer is another one where numbers hide.

        ``is_pythons``: what hides is a number of Python's.
        """
        type_ = self.value.type
        if self.classes is None or not isinstance(type_, ArrayType):
            return True
        dtype = type_.dtype if hiding is PYTHONS_IN_NUMPYS else hiding.dtype
        hidden = type(dtype.type(0).item()) if is_pythons else dtype.type
        return issubclass(_class_of(type_), self.classes) is not issubclass(hidden, self.classes)


def _class_of(type_: ArrayType) -> type:
    kind = type_.dtype.type
    return type(kind(0).item()) if type_.kind == "python" else kind


@dataclass(frozen=True, eq=False)
class Answer:
    """What a lowering has given, and what it was given."""

    lowering: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any
    span: SourceSpan | None
    _others: dict[tuple[Hiding, frozenset[Value]], list[Any]] = field(default_factory=dict)

    def of(self, new: Mapping[Value, Value]) -> Answer:
        """The answer as it is given where other values stand for these."""
        arguments, keywords = _replaced((self.arguments, self.keywords), new)
        return Answer(self.lowering, arguments, keywords, _replaced(self.result, new), self.span)

    @functools.cached_property
    def asked(self) -> frozenset[Value]:
        """The values that it was given."""
        return frozenset(_values_in((self.arguments, self.keywords)))

    @property
    def key(self) -> Any:
        """What answers have in common that are given to the same question of the program."""
        given = tuple([id(part) for part in _parts((self.arguments, self.keywords))])
        return self.lowering, self.span, tuple(self.keywords), given

    def hidden(self, hiding: Hiding, found: Set[Value]) -> list[Value]:
        """The values that it has given in which numbers hide where they do in ``found``."""
        return [
            value
            for value, other in self._pairs(hiding, found)
            if isinstance(value, Value) and hiding.is_typed(value.type) and _hides(hiding, other)
        ]

    def holds_others(self, hiding: Hiding, found: Set[Value]) -> bool:
        """Return whether it was given numbers too that are for certain of the types that hide."""
        return any(
            (one not in found and hiding.is_typed(one.type))
            if isinstance(one, Value)
            else isinstance(one, float | complex)
            for one in _parts((self.arguments, self.keywords))
        )

    def said(self, hiding: Hiding, found: Set[Value]) -> list[Value]:
        """What it has given as typed, of numbers that hide: it was given a dtype, or has one."""
        return [
            value
            for value, other in self._pairs(hiding, found)
            if isinstance(value, Value)
            and value not in self.asked
            and isinstance(other, Value)
            and _character(other.type) == _character(value.type) != _EMPTY
        ]

    def is_another(self, hiding: Hiding, found: Set[Value]) -> bool:
        """Return whether it has told something that is known now, and another where numbers hide in
        ``found``.
        """
        pairs = self._pairs(hiding, found)
        return any(not isinstance(one, Value) and one != other for one, other in pairs)

    def _pairs(self, hiding: Hiding, found: Set[Value]) -> Iterator[tuple[Any, Any]]:
        """The parts of what it has given, and would give; none where it does not take these."""
        hidden = self.asked & found
        if hidden and (hiding, hidden) not in self._others:
            self._others[hiding, hidden] = self._asked_again(hiding, hidden)
        return zip(_parts(self.result), self._others.get((hiding, hidden), ()), strict=False)

    def _asked_again(self, hiding: Hiding, hidden: Set[Value]) -> list[Any]:
        new = {value: Value(hiding.revealed(value.type)) for value in hidden}
        try:
            with building(Builder()):
                arguments, keywords = _replaced((self.arguments, self.keywords), new)
                return list(_parts(self.lowering(*arguments, **keywords)))
        except Exception:  # it may reject in any way what it is not made for
            return []


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for while something was staged: for classes of numbers, and of libraries."""

    questions: tuple[Question, ...]
    answers: tuple[Answer, ...]

    def __len__(self) -> int:
        return len(self.questions) + len(self.answers)

    @staticmethod
    def until_now(interp: Interpreter) -> tuple[int, int]:
        """How much had been asked for, for ``since``."""
        return len(interp.classes_asked), len(interp.answers)

    @classmethod
    def since(cls, interp: Interpreter, before: tuple[int, int], own: Set[Value]) -> Asked:
        """What has been asked for since then of values of its ``own``, everything once."""
        questions, answers = before
        asked = [one for one in interp.classes_asked[questions:] if one.value in own]
        given = [one for one in interp.answers[answers:] if not own.isdisjoint(one.asked)]
        return cls(
            tuple({(one.value, id(one.classes)): one for one in asked}.values()),
            tuple({one.key: one for one in given}.values()),
        )

    def rests_on(self, hiding: Hiding, found: Set[Value]) -> bool:
        """Return whether another thing would have been told where numbers hide in ``found``."""
        if any(one.value in found for one in self.questions):
            return True
        return any(
            one.is_another(hiding, found)
            or one.hidden(hiding, found)
            or not found.isdisjoint(one.said(hiding, found))
            for one in self.answers
        )

    def note(self, interp: Interpreter, new: Mapping[Value, Value]) -> None:
        """Note that the same is asked for where other values stand for these."""
        interp.classes_asked += [one.of(new) for one in self.questions]
        interp.answers += [one.of(new) for one in self.answers]


def note_answer(
    interp: Interpreter,
    lowering: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    result: Any,
) -> None:
    """Note what a lowering has given of numbers."""
    if next(_values_in((arguments, keywords)), None) is not None:
        answer = Answer(lowering, tuple(arguments), keywords, result, interp.span)
        interp.answers.append(answer)


def note_stored(interp: Interpreter, kept: Value, made: Value) -> None:
    """Note that numbers are stored in an array in place, which casts them to its dtype."""
    note_answer(interp, _cast, (kept, made), {}, _cast(kept, made))


def _cast(kept: Value, made: Value) -> tuple[bool, bool]:
    """Whether numbers may be stored in an array, and whether they stay what they are."""
    given, taken = array_type(made).dtype, array_type(kept).dtype
    return np.can_cast(given, taken, "same_kind"), np.can_cast(given, taken)


def _values_in(content: Any) -> Iterator[Value]:
    return (one for one in _parts(content) if isinstance(one, Value))


def _parts(content: Any) -> Iterator[Any]:
    pending = [content]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += one.values()
        elif isinstance(one, list | tuple):
            pending += one
        else:
            yield one


def _replaced(content: Any, new: Mapping[Value, Value]) -> Any:
    if isinstance(content, Value):
        return new.get(content, content)
    if isinstance(content, dict):
        return {key: _replaced(one, new) for key, one in content.items()}
    if isinstance(content, list):
        return [_replaced(one, new) for one in content]
    if isinstance(content, tuple):
        return tuple.__new__(type(content), [_replaced(one, new) for one in content])
    return content


def _hides(hiding: Hiding, part: Any) -> bool:
    if isinstance(part, np.ndarray | np.generic):
        return part.dtype.char in hiding.hidden
    return isinstance(part, Value) and hiding.is_hidden(part.type)
