"""The text of objects is what their classes tell: f-strings, ``str``, ``%``, ``format``, errors."""

import dataclasses

import numpy as np
import pytest

import symdiff as sd

PERCENT, BRACES, DIGITS, WHOLE = "%s", "{}", "{:.2f}", "%d|%5i|%-4u|%+d|%05d|%d%%"


class Quantity:
    def __init__(self, value, unit):
        self.value = value
        self.unit = unit

    def __repr__(self):
        return f"Quantity({self.unit!r})"

    def __str__(self):
        return f"{self.value:.3f} {self.unit}"

    def __format__(self, spec):
        return format(self.value, spec) + self.unit


class Unit:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "U_" + self.name


@dataclasses.dataclass
class Pair:
    a: int
    b: str = "q"
    hidden: float = dataclasses.field(default=0.0, repr=False)


class ToldError(ValueError):
    def __str__(self):
        return "own"


def looked_up_by_its_text(x):
    unit = Unit("kg")
    known = {"U_kg": x, "   U_kg": 3 * x}
    plain = known[str(unit)] * 2 + known[repr(unit)] + known[f"{unit}"] + known[PERCENT % unit]
    return plain + known[BRACES.format(unit)] + known[f"{unit!s:>7}"]


def by_fields_of_a_format(x):
    unit = Unit("kg")
    held = {"k": [unit, 7]}
    text = "{a[k][1]:>{w}} {0.name} {b!r:>8}|{{}}".format(unit, a=held, w=5, b=unit)
    assert text == "    7 kg     U_kg|{}"
    return x * len(text)


def errors_told(x):
    try:
        raise ToldError("zzzzzzz")
    except ToldError as error:
        y = x * len(str(error)) + x * len(f"{error}") * 10
        y += len(repr(error)) * x * 100
    try:
        raise ValueError("a", 1)
    except ValueError as error:
        y += len(f"{error}{error!r}") * x
    try:
        {}["k"]
    except KeyError as error:
        return y + len(f"{error}") * x


def fields_told(x):
    return x * len(f"{Pair(3)} {Pair(4, 'zz')!r}")


def not_in_ascii(x):
    class Odd:
        def __repr__(self):
            return "é"

    return x * len(f"{Odd()!a}") + len(f"{Odd()!r:>6}") * x


def no_text_at_all(x):
    class Wrong:
        def __str__(self):
            return 3

    try:
        return x * len(str(Wrong()))
    except TypeError as error:
        return x * len(str(error))


PROGRAMS = (
    looked_up_by_its_text, by_fields_of_a_format, errors_told, fields_told, not_in_ascii,
    no_text_at_all,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_texts_that_decide(program) -> None:
    """Each is linear in its argument: its slope is its value at one."""
    value, slope = sd.value_and_grad(program)(1.3)
    assert value == program(1.3)
    assert slope == pytest.approx(program(1.0), rel=1e-14)


def test_texts_of_numbers_known_at_run_time(capsys) -> None:
    def printed(x):
        quantity = Quantity(x, "m")
        print(f"{quantity}", quantity, repr(quantity), f"{quantity:.1f}")
        return x * x

    assert sd.grad(printed)(1.3) == 2.6
    told = capsys.readouterr().out
    printed(1.3)
    assert told == capsys.readouterr().out == "1.3m 1.300 m Quantity('m') 1.3m\n"


def test_texts_of_errors_that_are_raised() -> None:
    def checked(x):
        quantity = Quantity(x, "m")
        if x > 1:
            raise ValueError(f"bad {quantity} {quantity!r} " + DIGITS.format(quantity))
        return quantity.value * x

    assert sd.grad(checked)(0.5) == 1.0
    with pytest.raises(ValueError, match=r"^bad 1.3m Quantity\('m'\) 1.30m\n"):
        sd.grad(checked)(1.3)


def test_containers_tell_the_repr_of_what_they_hold(capsys):
    def f(x):
        one, length = Unit("m"), Quantity(x, "km")
        held = [one, "a", (length,), {"k": [one, x], 3: ()}]
        print(held, (one, x * x), {"q": Pair(1)})
        return x * len(f"{[one]}" + str((one, one)) + BRACES.format({"a": one}) + repr([[one]]))

    expected = f(2.0)
    printed = capsys.readouterr().out
    assert sd.value_and_grad(f)(2.0) == (expected, expected / 2.0)
    assert capsys.readouterr().out == printed


def test_a_container_with_an_object_without_a_text_is_refused():
    with pytest.raises(sd.UnsupportedSyntaxError, match="known at run time only"):
        sd.grad(lambda x: x * len(str([object(), Plain()])))(2.0)


class Plain:
    pass


def test_percent_formats_of_whole_numbers_take_floats(capsys):
    def f(x):
        print(WHOLE % (x[0], 10 * x[1], len(x), -x[0], 7 * x[1], 100 * x[0]))
        return x[0] ** 2

    x = np.array([2.7, 1.3])
    f(x)
    expected = capsys.readouterr().out
    assert sd.grad(f)(x)[0] == 5.4
    assert capsys.readouterr().out == expected


class Labelled:
    """The text of it is one of two that are made elsewhere, or of numbers."""

    def __init__(self, x):
        self.x = x
        self.name = "large" if x > 1.0 else "small"

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"{self.name}({self.x})"

    def __format__(self, spec):
        return self.name


def told_by_an_attribute_that_differs_by_path(x):
    kept = Labelled(x)
    assert repr([kept]) == f"[{kept.name}({x})]"
    return x * len(str(kept)) + x * len(f"{kept:>9}|{kept!s:>9}") + (str(kept) == "large") * x**2


@pytest.mark.parametrize(("x", "expected"), [(2.0, 5 + 15 + 4.0), (0.5, 5 + 15)])
def test_objects_are_told_by_texts_that_differ_by_path(x, expected):
    f = told_by_an_attribute_that_differs_by_path
    assert sd.value_and_grad(f)(x) == (f(x), expected)


class Results(dict):
    def __repr__(self):
        return "\n".join(f"{k:>6}: {v}" for k, v in self.items())


class Steps(list):
    def __str__(self):
        return f"<{len(self)}: {self[0]}>"


class Point(dict):
    def __format__(self, spec):
        return f"{self['x']:{spec}}"


def told_by_classes_of_lists_and_dicts(x):
    results, steps = Results(root=x, flag="up" if x > 1.0 else "down"), Steps([x, 2.0])
    told = "up" in repr(results) and "root" in str(results)
    lengths = len(f"{steps}") + len("%s" % results) + len(f"{Point(x=x):.3f}")  # noqa: UP031
    return x * lengths + told * x**2


@pytest.mark.parametrize("x", [1.25, 0.5])
def test_lists_and_dicts_of_classes_are_told_by_their_methods(x):
    f = told_by_classes_of_lists_and_dicts
    slope = f(x) / x + (x if x > 1.0 else 0.0)  # lengths + 2 x; those are constants
    value, found = sd.value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(found, slope, rtol=1e-14)
