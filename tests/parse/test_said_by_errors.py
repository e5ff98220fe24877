"""What the exceptions say that Python raises, and what handlers learn of them, inside ``try``.

Each program is its argument times a number that the exception's text, ``args`` and class give: its
slope is that number.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError

WORD: Any = "a"
DIGITS, TWO, BRACES = "%d", "%s %s", "{} {}"


class Pair(NamedTuple):
    a: float
    b: float


class MissingKeyError(KeyError):
    pass


def slope(f: Callable[[float], float], x: float) -> float:
    """A derivative by differences, extrapolated twice."""

    def central(step: float) -> float:
        return (f(x + step) - f(x - step)) / (2 * step)

    coarse, middle, fine = central(1e-2), central(5e-3), central(2.5e-3)
    once = [(4 * middle - coarse) / 3, (4 * fine - middle) / 3]
    return (16 * once[1] - once[0]) / 15


def told(error: BaseException) -> float:
    return sum((k + 1) * ord(c) for k, c in enumerate(f"{type(error).__name__}{error}")) / 1000


def raises_missing(x):
    raise MissingKeyError("key")


def raises_found(x):
    raise FileNotFoundError(2, "no such file", "a.txt")


KNOWN: dict[str, Callable[..., Any]] = {
    "item of a list": lambda x: [x, 2 * x][3],
    "item of an empty list": lambda x: [][0],
    "text as the place in a list": lambda x: [x][WORD],
    "slice of a list": lambda x: [x, x][1:WORD],
    "item of a deque": lambda x: collections.deque([x])[4],
    "text as the place in a deque": lambda x: collections.deque([x])[WORD],
    "place of a known item": lambda x: [1, 2].index(5),
    "unpacking a number": lambda x: (lambda a: [0 for (b, c) in [a]])(x),
    "star of a number": lambda x: [*x],
    "percent of a text": lambda x: DIGITS % WORD,
    "too few for percent": lambda x: TWO % (1,),
    "too few for braces": lambda x: BRACES.format(1),
    "missing field": lambda x: Pair(x),
    "field too many": lambda x: Pair(x, 1.0, 2.0),
    "unknown field": lambda x: Pair(x, c=2.0),
    "pairs of a dict": lambda x: dict([x]),
    "ranks to concatenate": lambda x: np.concatenate([np.ones(2), np.ones((2, 2))]),
    "axis": lambda x: np.sum(np.ones(3) * x, axis=4),
    "text added": lambda x: np.ones(3) + WORD,
    "class below KeyError": raises_missing,
    "error of the system": raises_found,
}


@pytest.mark.parametrize("action", KNOWN.values(), ids=KNOWN.keys())
def test_errors_of_what_is_known_say_what_python_says(action):
    def f(x):
        try:
            y = action(x)
        except Exception as error:
            return x * told(error) + math.sin(x)
        return y

    assert sd.grad(f)(0.5) == pytest.approx(f(0.5) / 0.5 - math.sin(0.5) / 0.5 + math.cos(0.5))
    assert sd.jvp(f, (0.5,), (2.0,))[1] == pytest.approx(2 * sd.grad(f)(0.5))
    assert sd.grad(sd.grad(f))(0.5) == pytest.approx(-math.sin(0.5))


def test_list_index_names_a_number_known_at_run_time():
    def f(x):
        try:
            k = [x, 2 * x].index(x + 3.0)
        except ValueError as error:
            return x * len(str(error))
        return x * k

    assert sd.grad(f)(0.5) == len(reference_text(lambda: [0.5, 1.0].index(3.5)))


def test_deque_index_names_what_is_not_there():
    def f(x):
        try:
            return x * collections.deque([1.0, 2.0]).index(3.0)
        except ValueError as error:
            return x * len(str(error))

    assert sd.grad(f)(0.5) == len("3.0 is not in deque")


def reference_text(action: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:
        action()
    return str(caught.value)


def divides(x, d):
    try:
        y = math.sqrt(x) / d
    except ZeroDivisionError as error:
        y = x * x * len(error.args[0]) * len(error.args)
    return y


def takes_roots(x, d):
    total = 0.0
    for k in range(3):
        try:
            total += math.sqrt(x - k) * x
        except ValueError as error:
            (said,) = error.args
            total += x * x * len(said)
            if type(error) is ValueError and error.__class__ is not TypeError:
                total += x * d
    return total


def either(x, d):
    try:
        y = math.log(x - d) + math.exp(700 * d + x)
    except (ValueError, OverflowError) as error:
        y = x**2 * len(error.args[0])
    return y * 1.0


def reads(x, d):
    table = np.array([x, x * x, 3.0])
    place = int(d) + 2
    try:
        y = table[place]
    except IndexError as error:
        y = x * x * len(error.args[0])
        if type(error) is IndexError:
            y = y + x
    return y


def raises_anew(x, d):
    try:
        try:
            return x * math.sqrt(d)
        except ValueError as error:
            raise RuntimeError(f"of {d:.1f}: {error.args[0]}", *error.args) from error
    except RuntimeError as error:
        return x * x * (len(error.args[0]) + 10 * len(error.args))


def to_a_power(x, d):
    try:
        return (d * x) ** -1.5
    except ZeroDivisionError as error:
        return x * x * len(error.args[0])


@pytest.mark.parametrize("f", [divides, takes_roots, either, reads, raises_anew, to_a_power])
@pytest.mark.parametrize(("x", "d"), [(2.5, 0.0), (2.5, 1.0), (1.3, 2.0), (0.4, -1.0), (0.4, 3.0)])
def test_handlers_read_args_and_class_of_what_operations_raise(f, x, d):
    if f is to_a_power and d < 0:
        d = -d
    wanted = slope(lambda t: f(t, d), x)
    assert sd.grad(f)(x, d) == pytest.approx(wanted, rel=1e-7)
    assert sd.jvp(f, (x, d), (1.0, 0.0))[1] == pytest.approx(wanted, rel=1e-7)


def test_args_of_an_overflow_are_two_and_refused():
    def f(x):
        try:
            y = x**400
        except OverflowError as error:
            return x * len(error.args)
        return y

    with pytest.raises(UnsupportedCallError) as caught:
        sd.grad(f)(40.0)
    assert "attribute 'args'" in str(caught.value)


def test_raising_what_is_no_exception_is_a_type_error():
    def f(x):
        try:
            raise 3  # noqa: B016
        except TypeError as error:
            return x * len(str(error))

    assert sd.grad(f)(0.5) == len("exceptions must derive from BaseException")


# Assignments --------------------------------------------------------------------------------------


def writes(x, values):
    a = np.zeros(3) * x
    try:
        a[:] = values
    except ValueError:
        a[:] = x * x
    return a.sum() * x + values.sum() * x


def writes_a_part(x, values):
    a = np.ones((2, 3)) * x
    try:
        a[1, 1:] = values
        a[:, 0] = 7.0 * x
    except ValueError as error:
        a[0] = x * len(error.args[0])
    return (a * a).sum()


def writes_by_a_mask(x, values):
    a = np.ones(3) * x
    try:
        a[np.array([True, False, True])] = values
    except (ValueError, TypeError):
        a = a * x
    return (a * a).sum()


def writes_in_turns(x, values):
    total = 0.0
    a = np.ones(4) * x
    for k in range(4):
        try:
            a[k:] = values
        except ValueError:
            total = total + x * a[k] * k
    return total + a.sum()


SHAPES = [(3,), (2,), (1,), (0,), (1, 3), (3, 3)]


@pytest.mark.parametrize("f", [writes, writes_a_part, writes_by_a_mask, writes_in_turns])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_assignments_of_a_shape_that_does_not_fit_are_caught(f, shape):
    values = np.linspace(0.5, 2.0, math.prod(shape)).reshape(shape)
    wanted = slope(lambda t: f(t, values), 0.7)
    assert sd.grad(f)(0.7, values) == pytest.approx(wanted, rel=1e-7)
    assert sd.jvp(f, (0.7, values), (1.0, 0.0 * values))[1] == pytest.approx(wanted, rel=1e-7)
    second = slope(lambda t: slope(lambda s: f(s, values), t), 0.7)
    assert sd.grad(sd.grad(f))(0.7, values) == pytest.approx(second, rel=1e-4, abs=1e-6)


def test_what_a_caught_assignment_would_have_written_has_its_derivative():
    def f(values):
        a = np.zeros(3)
        try:
            a[:2] = values * values
        except ValueError:
            a[:] = values[0]
        return a.sum()

    assert sd.grad(f)(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert sd.grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [3.0, 0.0, 0.0]
    single = sd.grad(f)(np.array([1.0, 2.0], np.float32))
    assert single.dtype == np.float32
