"""What ``try``, ``with`` and generators do beside values: order, messages, places, refusals."""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import math
import operator
import types
import warnings
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from tests.reference import directional

TABLE = {"a": 2.0}


def slope(f: Any, x: float) -> float:
    """A derivative by differences, extrapolated twice."""

    def central(step: float) -> float:
        return float((f(x + step) - f(x - step)) / (2 * step))

    coarse, middle, fine = central(1e-2), central(5e-3), central(2.5e-3)
    once = [(4 * middle - coarse) / 3, (4 * fine - middle) / 3]
    return (16 * once[1] - once[0]) / 15


def divides(x: Any) -> Any:
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 3.0 * x
    return y * x * x + y


def roots(x: Any) -> Any:
    try:
        return math.sqrt(x) * x
    except ValueError:
        return -x * math.sqrt(-x)


def overflows(x: Any) -> Any:
    try:
        y = math.exp(x * x)
    except OverflowError as error:
        y = x if "range" in "range" else error
    else:
        y = y + 1.0
    finally:
        x = x * 2.0
    return y * x


@pytest.mark.parametrize(
    ("f", "places"),
    [(divides, (0.0, 1.7, -0.4)), (roots, (2.0, -3.0)), (overflows, (0.4, 30.0))],
)
def test_the_path_is_the_one_that_python_takes(f: Any, places: tuple[float, ...]) -> None:
    for x in places:
        value, gradient = sd.value_and_grad(f)(x)
        assert value == f(x)
        if x != 0.0:
            assert gradient == pytest.approx(slope(f, x), rel=1e-8)
            assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(gradient, rel=1e-12)
    assert sd.grad(divides)(0.0) == 3.0


def again() -> None:
    raise


def raised_by_a_callee(x: Any) -> Any:
    try:
        try:
            y = math.log(x)
        except Exception:
            again()
    except ValueError:
        y = x * 3.0
    except KeyError:
        y = x * 7.0
    return y


def raised_again(x: Any) -> Any:
    try:
        try:
            y = math.log(x)
        except KeyError:
            y = 0.0
        except Exception:
            if x >= -5.0:
                raise
            y = x * 2.0
    except LookupError:
        y = x * 5.0
    except ValueError:
        y = x * x * 3.0
    return y


def raised_again_of_two_kinds(x: Any) -> Any:
    held = [x, x * 2.0]
    try:
        try:
            y = held[int(abs(x))] * math.log(x)
        except LookupError:
            raise
        except Exception:
            raise
    except IndexError:
        y = x * 5.0
    except ValueError:
        y = x * x * 3.0
    return y


@pytest.mark.parametrize(
    ("f", "places"),
    [
        (raised_by_a_callee, (2.0, -1.0)),
        (raised_again, (2.0, -1.0, -7.0)),
        (raised_again_of_two_kinds, (0.5, 7.5, -0.5)),
    ],
)
def test_what_is_raised_again_is_caught_by_its_own_class(f: Any, places: tuple[float, ...]) -> None:
    for x in places:
        assert sd.value_and_grad(f)(x) == pytest.approx((f(x), slope(f, x)), rel=1e-8)


class ApartError(Exception):
    pass


def many_kinds(x: Any) -> Any:
    try:
        if x > 9.0:
            raise ApartError
        if x > 8.0:
            raise RuntimeError
        y = math.sqrt(x) + 1.0 / (x - 4.0)
    except (ApartError, ValueError):
        y = math.sin(x)
    except Exception:
        y = math.cos(x)
    return y


def test_a_handler_of_many_classes_is_staged_once() -> None:
    for x in (9.5, 8.5, 4.0, -1.0, 2.0):
        assert sd.value_and_grad(many_kinds)(x) == pytest.approx(
            (many_kinds(x), slope(many_kinds, x) if x != 4.0 else -math.sin(4.0)), rel=1e-8
        )
    text = str(sd.differentiable(many_kinds).source(1.0))
    forward = text[: text.index("def many_kinds_backward")]
    assert forward.count("math.sin(x)") == forward.count("math.cos(x)") == 1, text


def test_what_is_decided_beforehand_leaves_nothing() -> None:
    def looked_up(x: Any) -> Any:
        try:
            scale = TABLE["b"]
        except KeyError:
            scale = TABLE["a"]
        return scale * x

    lines = str(sd.grad(looked_up).source(1.0)).splitlines()
    assert [line.strip() for line in lines[2:]] == ["return TABLE_a"]
    assert sd.grad(looked_up)(1.0) == 2.0


def uncaught(x: Any, seen: list[str]) -> Any:
    try:
        seen.append("body")
        y = math.log(x)
    except KeyError:
        y = 0.0
    finally:
        seen.append("finally")
    return y


def test_what_no_handler_names_is_raised_as_python_raises_it() -> None:
    expected: list[str] = []
    found: list[str] = []
    with pytest.raises(ValueError, match="math domain error") as plain:
        uncaught(-1.0, expected)
    with pytest.raises(ValueError, match="math domain error") as compiled:
        sd.grad(uncaught)(-1.0, found)
    assert plain.value.args == compiled.value.args
    assert found == expected == ["body", "finally"]


def quotient_of_arrays(x: Any, a: Any) -> Any:
    try:
        y = np.sum(a / x)
    except ArithmeticError:
        y = 100.0
    except ValueError:
        y = np.sum(a * a)
    return y


@pytest.mark.parametrize(
    ("x", "a", "slopes"),
    [
        ([2.0, 4.0], [1.0, 3.0], [0.5, 0.25]),
        ([2.0, 4.0], [1.0, 3.0, 5.0], [2.0, 6.0, 10.0]),
        ([2.0, 4.0], [3.0], [0.75]),
    ],
)
def test_arrays_that_are_divided_raise_where_their_shapes_differ(
    x: list[float], a: list[float], slopes: list[float]
) -> None:
    places, given = np.array(x), np.array(a)
    value, found = sd.value_and_grad(quotient_of_arrays, argnums=1)(places, given)
    assert value == quotient_of_arrays(places, given)
    np.testing.assert_allclose(found, slopes)
    _, tangent = sd.jvp(quotient_of_arrays, (places, given), (None, np.ones_like(given)))
    np.testing.assert_allclose(tangent, np.sum(slopes))


def test_one_element_divided_by_a_zero_in_an_array_is_infinite() -> None:
    x, a = np.array([0.0]), np.array([1.0])
    with np.errstate(divide="ignore"):
        assert sd.differentiable(quotient_of_arrays).forward(x, a)[0] == np.inf


def left_by_an_operation_and_through_another(x: Any, z: Any) -> Any:
    try:
        if x > 0.0:
            return z[3] * x
        with contextlib.suppress(KeyError):
            raise KeyError(z[2])
    except IndexError:
        return x * x * z[0]
    return x * z[1]


def test_what_two_operations_raise_of_one_class_is_handled_alike() -> None:
    z = np.array([2.0, 3.0, 5.0, 7.0])
    gradient = sd.grad(left_by_an_operation_and_through_another)
    assert [gradient(x, z) for x in (1.5, -1.5)] == [7.0, 3.0]
    assert [gradient(x, z[:3]) for x in (1.5, -1.5)] == [6.0, 3.0]
    assert [gradient(x, z[:2]) for x in (1.5, -1.5)] == [6.0, -6.0]
    assert sd.grad(gradient)(1.5, z[:2]) == 4.0


def beyond_a_list(x: Any) -> Any:
    try:
        scale = [1.0, 2.0][int(x)]
    except IndexError:
        scale = x
    return scale * x


def test_an_item_of_a_list_that_is_not_there_is_caught() -> None:
    for x, slope_there in ((0.7, 1.0), (1.2, 2.0), (2.5, 5.0)):
        assert sd.value_and_grad(beyond_a_list)(x) == (beyond_a_list(x), slope_there)


class Asked:
    """An object of which Python asks whether something raises."""

    @property
    def missing(self) -> Any:
        raise AttributeError("missing")

    def __getitem__(self, k: int) -> float:
        if k > 2:
            raise IndexError
        return 2.0 * k


def asks(x: Any) -> Any:
    asked = Asked()
    try:
        scale = getattr(asked, "missing", 3.0)
        known = hasattr(asked, "missing")
        total = sum(v for v in asked)
    except (AttributeError, IndexError):
        return 100.0 * x
    return x * x if known else scale * total * x


def test_what_python_asks_for_reaches_no_handler() -> None:
    assert asks(2.0) == 36.0
    assert sd.value_and_grad(asks)(2.0) == (36.0, 18.0)


class RefusedError(Exception):
    """An error of the user's."""

    def __init__(self, value: Any, unit: str = "m") -> None:
        super().__init__(f"refused in {unit}")
        self.value = value


def raises_another(x: Any) -> Any:
    try:
        return math.sqrt(x)
    except ValueError as error:
        raise RefusedError(x) from error


def raises_again(x: Any) -> Any:
    try:
        return math.sqrt(x)
    except ValueError:
        print("seen")
        raise


def test_a_handler_may_raise(capsys: pytest.CaptureFixture[str]) -> None:
    assert sd.grad(raises_another)(4.0) == 0.25
    with pytest.raises(RefusedError, match="refused in m") as raised:
        sd.grad(raises_another)(-4.0)
    assert isinstance(raised.value.__cause__, ValueError)
    assert raised.value.value == -4.0
    with pytest.raises(ValueError, match="math domain error"):
        sd.grad(raises_again)(-4.0)
    assert capsys.readouterr().out == "seen\n"


def ordered(x: Any) -> Any:
    for k in range(3):
        try:
            print("try", k)
            y = 1.0 / (x - k)
        except ZeroDivisionError:
            print("except", k)
            continue
        else:
            print("else", k)
        finally:
            print("finally", k)
        x = x + y
    return x


def test_effects_come_in_pythons_order(capsys: pytest.CaptureFixture[str]) -> None:
    for x in (1.0, 0.5):
        ordered(x)
        expected = capsys.readouterr().out
        sd.grad(ordered)(x)
        assert capsys.readouterr().out == expected


def returns_from_finally(x: Any) -> Any:
    try:
        return 1.0 / x
    finally:
        return x * x  # noqa: B012, SIM107


def test_what_finally_returns_is_returned() -> None:
    assert sd.value_and_grad(returns_from_finally)(0.0) == (0.0, 0.0)
    assert sd.value_and_grad(returns_from_finally)(3.0) == (9.0, 6.0)


class Log:
    """A manager that notes what happens to it."""

    def __init__(self, notes: list[float]) -> None:
        self.notes = notes

    def __enter__(self) -> Log:
        self.notes.append(1.0)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.notes.append(2.0 if kind is None else 3.0)


def logged(x: Any, notes: list[float]) -> Any:
    with Log(notes):
        y = x * x
        if x > 1.0:
            return y
    with Log(notes):
        if x < 0.0:
            raise RefusedError(x)
    return 3.0 * y


def test_a_manager_is_left_on_every_path() -> None:
    for x in (2.0, 0.5, -1.0):
        expected: list[float] = []
        found: list[float] = []
        with contextlib.suppress(RefusedError):
            logged(x, expected)
        with contextlib.suppress(RefusedError):
            sd.grad(logged)(x, found)
        assert found == expected
    assert sd.grad(logged)(2.0, []) == 4.0
    assert sd.grad(logged)(0.5, []) == 3.0


def warned(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x)
    return np.sum(np.where(x > 0.0, y, 0.0))


def test_filters_of_warnings_hold_inside_only() -> None:
    before = list(warnings.filters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, _ = sd.value_and_grad(warned)(np.array([0.0, 2.0]))
    assert value == pytest.approx(math.log(2.0))
    assert not caught
    assert list(warnings.filters) == before


def strict(x: Any) -> Any:
    with np.errstate(all="raise"):
        try:
            y = np.log(x)
        except FloatingPointError:
            y = 0.0 * x + 5.0
    return np.sum(y * x)


def test_floating_point_errors_are_caught() -> None:
    np.testing.assert_allclose(sd.grad(strict)(np.array([1.0, 2.0])), 1.0 + np.log([1.0, 2.0]))
    np.testing.assert_allclose(sd.grad(strict)(np.array([0.0, 2.0])), [5.0, 5.0])


def counted(x: Any, pulled: list[int]) -> Any:
    def numbers() -> Any:
        k = 0
        while True:
            pulled.append(k)
            yield x**k
            k += 1

    total = 0.0
    for _, value in zip(range(3), numbers()):  # noqa: B905
        total = total + value
    return total


def test_a_generator_is_asked_for_no_more_than_python_asks() -> None:
    expected: list[int] = []
    found: list[int] = []
    value = counted(0.7, expected)
    assert sd.value_and_grad(counted)(0.7, found) == (value, pytest.approx(1.0 + 2.0 * 0.7))
    assert found == expected


def in_a_recursion(x: Any, n: int) -> Any:
    def deeper(v: Any, k: Any) -> Any:
        if v > 100.0:
            raise OverflowError
        return v if k <= 0 else deeper(v * v, k - 1)

    try:
        return deeper(x, n)
    except OverflowError:
        return -x


def test_a_raise_in_a_callee_of_static_depth_is_caught() -> None:
    assert sd.grad(in_a_recursion)(1.1, 1) == pytest.approx(2 * 1.1)
    assert sd.grad(in_a_recursion)(20.0, 1) == -1.0


def holds_its_text(x: Any) -> Any:
    try:
        return math.sqrt(x)
    except ValueError as error:
        return x * len(str(error))


def test_the_text_of_what_python_raises_is_made_where_it_is_raised() -> None:
    for x, wanted in ((-1.0, -holds_its_text(-1.0)), (4.0, 0.25)):
        value, gradient = sd.value_and_grad(holds_its_text)(x)
        assert value == holds_its_text(x)
        assert gradient == wanted
        assert sd.jvp(holds_its_text, (x,), (1.0,)) == (value, gradient)


def test_what_is_refused_says_where() -> None:
    def in_a_map(xs: Any) -> Any:
        def positive(v: Any) -> Any:
            if v < 0.0:
                raise ValueError
            return v

        try:
            return max(map(positive, xs))
        except ValueError:
            return xs[0]

    told = "which raises on some paths, is called here"
    with pytest.raises(UnsupportedCallError, match=told) as refused:
        sd.grad(in_a_map)(np.array([1.0, 2.0]))
    assert refused.value.span is not None


# Methods that raise on some paths, and who goes on with what they give


class Limited:
    """A number whose methods raise where it is large."""

    def __init__(self, v: Any) -> None:
        if v > 5.0:
            raise ValueError("too large")
        self.v = v

    def __add__(self, other: Any) -> Any:
        return self._checked(self.v + other)

    def __getitem__(self, k: int) -> Any:
        return self._checked(self.v * k)

    @property
    def twice(self) -> Any:
        return self._checked(2.0 * self.v)

    def __call__(self, u: Any) -> Any:
        return self._checked(self.v * u)

    def __setitem__(self, k: int, value: Any) -> None:
        self.v = self._checked(value) * k

    @property
    def third(self) -> Any:
        return self.v / 3.0

    @third.setter
    def third(self, value: Any) -> None:
        self.v = self._checked(value) * 3.0

    def __lt__(self, other: Any) -> Any:
        return bool(self._checked(self.v) < other)

    def __iadd__(self, other: Any) -> Any:
        self.v = self._checked(self.v + other)
        return self

    def __enter__(self) -> Any:
        return self._checked(self.v)

    def __exit__(self, *given: Any) -> None:
        return None

    def _checked(self, v: Any) -> Any:
        if v > 4.0:
            raise ValueError("too large")
        return v * v


def _compared(x: Any) -> Any:
    return 3.0 * x if Limited(x) < 2.0 else x


def _added_in_place(x: Any) -> Any:
    one = Limited(x)
    one += 1.0
    return one.v * 3.0


def _entered(x: Any) -> Any:
    with Limited(x) as v:
        r = v * 2.0
    return r * 3.0


def _asked_in_a_test(x: Any) -> Any:
    y = 0.0
    while y < Limited(x)(1.0) * 3.0:
        y = y + Limited(x).twice
    return y


def _set(x: Any) -> Any:
    one = Limited(x)
    one[2] = 1.2 * x
    y = one.v
    one.third = x * 1.1
    return y * one.third


class Wide:
    """A number that answers to other operations, each of which raises where it is large."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __abs__(self) -> Any:
        return Limited(self.v)[1]

    __float__ = __abs__

    @functools.cached_property
    def kept(self) -> Any:
        return Limited(self.v)(1.1)

    def __str__(self) -> str:
        return f"{Limited(self.v)[1]:.1f}"

    def __xor__(self, other: Any) -> Any:
        return Wide(Limited(self.v)(other))

    def __mul__(self, other: Any) -> Any:
        return self.v * other

    def __contains__(self, other: Any) -> bool:
        return bool(Limited(self.v)[1] > other)

    def __eq__(self, other: Any) -> Any:
        return Limited(self.v)[1] > other


def _set_by_name(x: Any) -> Any:
    one = Limited(x)
    for name, value in {"third": 1.1 * x, "v": 0.9}.items():
        setattr(one, name, one.v * value)
    return one.v * x


class Counted:
    """A function that keeps what it was called with."""

    def __init__(self) -> None:
        self.calls, self.given = 0, []

    def __call__(self, v: Any) -> Any:
        self.calls += 1
        self.given.append(v)
        return Limited(v)(1.0)


def _counted(x: Any) -> Any:
    count, items = Counted(), [0.5, x, 1.1 * x, 0.2 * x]
    try:
        y = sum(map(count, items)) * functools.reduce(lambda a, b: a + count(b), items, 0.0)
    except ValueError:
        y = x
    return y * count.calls + sum(count.given)


def _extended_in_part(x: Any) -> Any:
    out, count = [x], Counted()
    try:
        out.extend(map(count, [0.5, x, 1.1 * x, 0.2 * x]))
    except ValueError:
        out.append(3.0)
    return sum(out) * len(out) * x


def _written_by_the_calls(x: Any) -> Any:
    values = np.array([x, 1.1 * x])

    def doubled(k: int) -> Any:
        values[k] = 1.5 * values[k]
        return Limited(values[k])(x)

    try:
        y = sum(map(doubled, [0, 1, 0]))
    except ValueError:
        y = 2.0
    return y * values.sum()


def _given_a_list_that_grows(x: Any) -> Any:
    items = [x, 0.5]

    def called(v: Any) -> Any:
        if len(items) < 4:
            items.append(0.5 * v)
        return Limited(v)(1.0)

    return sum(map(called, items))


GOES_ON = [
    _set,
    lambda x: (Limited(x) + 1.0) * 2.0 + 1.0,
    lambda x: Limited(x)[2] * 2.0 + 1.0,
    lambda x: Limited(x).twice * 2.0 + 1.0,
    lambda x: Limited(x)(x) * 2.0 + 1.0,
    lambda x: Limited(2.0 * x).v * 2.0 + 1.0,
    lambda x: sum([1.0, Limited(x)(1.0), Limited(x)[1]]) * x,
    _asked_in_a_test,
    _compared,
    _added_in_place,
    _entered,
    lambda x: sum(map(Limited(x), [x, 1.0])) * 2.0,
    lambda x: list(map(Limited(x), [0.5, x]))[1] * x,
    lambda x: sorted([2.0, 1.0], key=lambda k: Limited(x)(k))[0] * x,
    lambda x: max([0.3 * x, 0.5 * x], key=Limited(x)) * x,
    lambda x: functools.reduce(lambda a, b: Limited(a)(b), [x, 0.9, 1.1]) * x,
    lambda x: sum(itertools.accumulate([x, 0.8], lambda a, b: a + Limited(x)(b))),
    lambda x: sum(filter(lambda v: Limited(v)(1.0) > 0.1, [x, 1.0])) * x,
    lambda x: getattr(Limited(x), "twice") * 2.0,  # noqa: B009
    lambda x: getattr(Limited(x), "twice", 0.0) * 2.0,
    lambda x: operator.attrgetter("twice")(Limited(x)) * x,
    lambda x: operator.add(Limited(x), 1.0) * sum([Limited(x)], 1.0) if x < 0 else abs(Wide(x)),
    lambda x: float(Wide(x)) * len(str(Wide(x))) + len(f"{Wide(x)}"),
    lambda x: (x if 0.5 in Wide(x) else 2.0 * x) * (Wide(x) == x) + x,
    lambda x: (lambda *v: v[0] * v[1])(*map(Limited(x), [1.0, 0.9])),
    lambda x: Wide(x).kept * Wide(x).kept * x,
    lambda x: functools.reduce(operator.xor, [Wide(x), 0.9, 1.1]) * x,
    _set_by_name,
    _counted,
    _extended_in_part,
    _written_by_the_calls,
    _given_a_list_that_grows,
]


@pytest.mark.parametrize("inner", GOES_ON)
@pytest.mark.parametrize("x", [1.3, 3.2, 6.0])
def test_what_a_method_gives_that_raises_on_some_paths_is_gone_on_with(inner, x):
    def f(x):
        try:
            y = inner(x)
        except ValueError:
            y = 7.0 * x
        return y * x

    assert sd.value_and_grad(f)(x) == pytest.approx((f(x), slope(f, x)), rel=1e-7)
    assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope(f, x), rel=1e-7)
    curved = (f(x + 1e-4) - 2.0 * f(x) + f(x - 1e-4)) / 1e-8
    assert sd.grad(sd.grad(f))(x) == pytest.approx(curved, rel=1e-4, abs=1e-5)


def _in_a_loop(x: Any) -> Any:
    return sum(map(Limited(x), np.full(3, 0.5)))


def test_where_nobody_goes_on_with_it_a_method_that_raises_is_refused():
    def f(x):
        try:
            y = _in_a_loop(x)
        except ValueError:
            y = 7.0 * x
        return y * x

    with pytest.raises(UnsupportedCallError, match="raises on some paths, is called here"):
        sd.grad(f)(1.3)


def test_a_power_raises_no_value_error() -> None:
    def f(x: float) -> float:
        try:
            y = x**2.0 * 2.0**x
            if y > 9.0:
                raise ValueError("large", y)
        except ValueError as error:
            return float(error.args[1] * len(error.args))
        return y

    for x in (1.1, 2.6):
        assert sd.value_and_grad(f)(x) == pytest.approx((f(x), slope(f, x)), rel=1e-7)
        assert sd.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope(f, x), rel=1e-7)
    with pytest.raises(OverflowError):
        sd.grad(f)(1e200)


def asks_for_the_context(x: Any) -> Any:
    try:
        try:
            raise KeyError(x)
        except KeyError:
            raise ValueError(x) from None
    except ValueError as error:
        return x if error.__context__ is None else x * x


def asks_for_the_traceback(x: Any) -> Any:
    try:
        raise KeyError(x)
    except KeyError as error:
        return x if error.__traceback__ is None else x * x


@pytest.mark.parametrize("f", [asks_for_the_context, asks_for_the_traceback])
def test_what_raising_sets_is_not_taken_for_none(f: Any) -> None:
    assert f(3.0) == 9.0
    for transform in (sd.value_and_grad, sd.hessian):
        with pytest.raises(UnsupportedSyntaxError, match="of an exception that is raised"):
            transform(f)(3.0)


def totals_of_what_is_sent(x: Any) -> Any:
    total = 0.0
    while True:
        total = total + (yield total * x)


def sends_into_an_expression(x: Any) -> Any:
    totals = totals_of_what_is_sent(x)
    next(totals)
    return totals.send(x)


def test_a_yield_inside_an_expression_is_refused_where_it_is_gone_on_with() -> None:
    assert sends_into_an_expression(3.0) == 9.0
    with pytest.raises(UnsupportedSyntaxError, match="around a yield, in a generator"):
        sd.grad(sends_into_an_expression)(3.0)


def exponential_or_line(x: Any) -> Any:
    try:
        return math.exp(x) * math.exp(2 * x)
    except OverflowError:
        return -3.0 * x


LARGEST = 709.782712893384


@pytest.mark.parametrize(
    "x", [LARGEST / 2, math.nextafter(LARGEST / 2, 999.0), LARGEST, 1e3, math.inf, -math.inf, -2.0]
)
def test_where_the_exponential_overflows_is_known(x: float) -> None:
    value, slope = sd.value_and_grad(exponential_or_line)(x)
    assert value == exponential_or_line(x)
    caught = value == -3.0 * x
    assert slope == (-3.0 if caught else pytest.approx(3.0 * value))
    assert sd.jvp(exponential_or_line, (x,), (1.0,))[1] == pytest.approx(slope)
    curved = sd.grad(sd.grad(exponential_or_line))(x)
    assert curved == (0.0 if caught else pytest.approx(9.0 * value))
    assert math.isnan(sd.grad(exponential_or_line)(math.nan))


def test_the_exponential_is_computed_once_in_try() -> None:
    source = str(sd.grad(exponential_or_line).source(0.5)).partition("_by_numpy")[0]
    assert "x_bar = 3.0 * (math.exp(x) * math.exp(2 * x))\n    except" in source
    with pytest.raises(OverflowError):
        math.exp(math.nextafter(LARGEST, 999.0))
    assert math.isfinite(math.exp(LARGEST))


def test_places_computed_of_lengths_raise_nothing_that_a_try_catches() -> None:
    def added(small, large):
        try:
            first = [int(np.ceil(p - n / 2.0)) for p, n in zip((1, 2), small.shape)]  # noqa: B905
        except (TypeError, ValueError) as error:
            raise ValueError("no place") from error
        rows, columns = (
            slice(max(0, k), min(length, k + n))
            for k, n, length in zip(first, small.shape, large.shape)  # noqa: B905
        )
        large = large.copy()
        large[rows, columns] += small * small
        return np.sum(large * np.arange(large.size).reshape(large.shape))

    small, large = np.linspace(0.5, 2.0, 9).reshape(3, 3), np.zeros((5, 6))
    weights = np.arange(30).reshape(5, 6)[0:3, 1:4]
    gradient = sd.grad(added)(small, large)
    np.testing.assert_allclose(gradient, 2.0 * small * weights, rtol=1e-14)
    _, slope = sd.jvp(added, (small, large), (np.ones((3, 3)), np.zeros((5, 6))))
    assert slope == pytest.approx(np.sum(2.0 * small * weights))


def test_what_may_not_be_an_integer_is_caught() -> None:
    def whole(x, n):
        try:
            return x * int(x / (n - 3)) * int(1e300 * n * n)
        except (OverflowError, ValueError, ZeroDivisionError):
            return x * x

    assert sd.grad(whole)(1.5, 3) == 3.0
    assert sd.grad(whole)(1e200, 3) == 2e200


def test_what_was_staged_in_vain_is_not_left_to_the_collector() -> None:
    """A statement is staged again where it raises on some paths: nothing keeps the frames of
    before, with all that they hold.
    """

    def ratio(x: Any, y: Any) -> Any:
        try:
            a = x / y
            b = a / (y - 1.0)
        except ZeroDivisionError:
            b = x
        return b * x

    def frames() -> list[types.FrameType]:
        found = [one for one in gc.get_objects() if isinstance(one, types.FrameType)]
        return [one for one in found if one.f_globals.get("__name__") == "symdiff.parse.cases"]

    gc.collect()
    gc.disable()
    try:
        before = frames()
        made = sd.grad(ratio)(2.0, 3.0)
        left = [one for one in frames() if one not in before]
    finally:
        gc.enable()
    assert made == pytest.approx(2 * 2.0 / 6.0)
    assert not left


def root(v: float) -> float:
    if v < 0.0:
        raise NotImplementedError
    return math.sqrt(v)


def between(x: float, v: float) -> float:
    try:
        if x > 10.0:
            y = 1.0
        elif 0.5 < x <= root(v) <= 10.0 / x:
            y = x * x
        else:
            y = 3.0 * x
    except NotImplementedError:
        y = 5.0 * x
    return y


@pytest.mark.parametrize(
    ("x", "v", "slope"),
    [(1.0, 4.0, 2.0), (3.0, 4.0, 3.0), (1.0, -1.0, 5.0), (0.2, -1.0, 3.0), (11.0, -1.0, 0.0)],
)
def test_chained_comparisons_of_what_raises(x: float, v: float, slope: float) -> None:
    assert sd.grad(between)(x, v) == slope
    assert sd.grad(between)(1.0, 200.0) == 3.0
    assert sd.jvp(between, (x, v), (1.0, 0.0)) == (between(x, v), slope)


def solved(x: float, low: float = 0.1, high: float = 3.0) -> float:  # noqa: C901 - a solver as libraries have them
    """A root of y**3 = x, by Newton's method between bounds that are found on the way."""
    p0, p1, p2, p3, a, b = x, None, None, None, None, None
    it = 0
    while it < 60:
        f, slope = p0 * p0 * p0 - x, 3.0 * p0 * p0
        stuck = False
        if p1 is not None and p2 is not None:
            stuck = p0 == p2 and p1 == p0
            if not stuck and p3 is not None:
                stuck = p3 == p0
        if f == 0.0:
            return p0
        elif slope == 0.0 or stuck:
            if it == 0:
                raise ValueError
            recovered = False
            for factor in (0.5, 0.25, 0.1):
                it += 1
                guess = p1 + (p0 - p1) * factor
                if guess < low:
                    guess = low
                if guess == p0:
                    continue
                f, slope = guess * guess * guess - x, 3.0 * guess * guess
                if slope == 0.0:
                    continue
                else:
                    p0 = guess
                    recovered = True
                    break
            if not recovered:
                raise ValueError
        if f < 0.0:
            a = p0
        else:
            b = p0
        p = p0 - f / slope
        if a is not None and b is not None:  # noqa: SIM102
            if (not (a < p < b) and not (b < p < a)) or it > 40:
                p = 0.5 * (a + b)
        if low is not None and p < low:
            p = low
        if high is not None and p > high:
            p = high
        it += 1
        if abs(p - p0) < 1e-12 * abs(p):
            return p
        p0, p1, p2, p3 = p, p0, p1, p2
    raise ValueError


def test_chained_comparisons_of_numbers_or_none_inside_try() -> None:
    def f(x: float) -> float:
        try:
            return solved(x)
        except ValueError:
            return x

    assert sd.grad(f)(2.0) == pytest.approx(2.0 ** (-2.0 / 3.0) / 3.0, 1e-12)


def _squared(v: Any) -> Any:
    if v < 0.0:
        raise ValueError("negative")
    return v * v


def _weights(values: Any, x: Any) -> Any:
    return [_squared(v * x) for v in values]


def summed_exactly(x: Any) -> Any:
    try:
        return math.fsum(_squared(v * x) for v in (1.0, 2.0)) + math.prod(
            math.sqrt(v + x) for v in _weights((1.0, 2.0), x)
        )
    except ValueError as error:
        return x * len(str(error))


def summed_exactly_in_a_loop(x: Any) -> Any:
    total = 0.0
    for shift in (0.5, -1.0, 0.25):
        try:
            total += math.fsum(_squared(v + shift) * x for v in np.array([x, 2.0 * x]))
        except ValueError:
            total += 0.1 * x
    return total


@pytest.mark.parametrize("x", [1.3, 0.7, -0.4])
@pytest.mark.parametrize("function", [summed_exactly, summed_exactly_in_a_loop])
def test_items_that_may_raise_are_given_to_a_function_of_all(
    function: Any, x: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, slope = sd.value_and_grad(function)(x)
    assert value == function(x)
    expected = directional(function, (x,), (1.0,), step=0.01).value
    np.testing.assert_allclose(slope, expected, rtol=1e-8)
    np.testing.assert_allclose(sd.jvp(function, (x,), (1.0,))[1], expected, rtol=1e-8)


def goes_over_quotients(x: Any, p: Any) -> Any:
    total = 0.0
    try:
        for quotient in (1.0 / v for v in (p, 2.0 * p, p - 0.5)):
            total = total + quotient * x[0]
    except ZeroDivisionError:
        return total - p
    return total


def picks_of_quotients(x: Any, p: Any) -> Any:
    try:
        largest, least = (
            max(v / (p - 0.5) for v in (p, x[1])),
            min(1.0 / (v - p) for v in x.tolist()),
        )
    except ZeroDivisionError:
        return p * p
    return largest * least


def picks_of_places(x: Any, p: Any) -> Any:
    try:
        return max(x[int(v * 4.0)] * p for v in x) + functools.reduce(
            lambda a, b: a * b, (x[int(v)] for v in (p, 3.0 * p))
        )
    except IndexError:
        return p * x[2]


def unpacks_and_counts(x: Any, p: Any) -> Any:
    total = 0.0
    try:
        first, second = (1.0 / (v - p) for v in (0.5, 0.25))
        for k, (quotient, v) in enumerate(zip((p / (v - 1.1) for v in (p, 1.1)), x, strict=False)):
            total = total + k * quotient * v + first
    except ZeroDivisionError:
        return total + x[0] * p
    return total * second


def maps_what_may_raise(x: Any, p: Any) -> Any:
    try:
        whole = max(map(int, x)) + sum(map(math.sqrt, (p, p - 0.3, 2.0)))
        first, second, third = map(math.log, (p, 1.0 + p, p + 3.0))
    except ValueError:
        return p * 3.0
    return whole * p + first * second * third + next(map(math.sqrt, [p]))


@pytest.mark.parametrize("p", [0.5, 0.25, 1.3])
@pytest.mark.parametrize(
    "function",
    [
        goes_over_quotients,
        picks_of_quotients,
        picks_of_places,
        unpacks_and_counts,
        maps_what_may_raise,
    ],
)
def test_items_that_may_raise_are_gone_over_one_after_the_other(
    function: Any, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    x, along = np.array([0.6, 1.7, 0.3]), np.array([0.3, -0.2, 0.7])
    value, slopes = sd.value_and_grad(function, argnums=0)(x, p)
    assert value == function(x, p)
    expected = directional(lambda x: function(x, p), (x,), (along,), step=0.01).value
    np.testing.assert_allclose(slopes @ along, expected, rtol=1e-8, atol=1e-9)
    tangent = sd.jvp(function, (x, p), (along, 0.0))[1]
    np.testing.assert_allclose(tangent, expected, rtol=1e-8, atol=1e-9)


def test_totals_that_may_raise_are_refused() -> None:
    def of_totals(p: Any) -> Any:
        try:
            return max(itertools.accumulate((p, 2.0, p - 1.7), operator.truediv))
        except ZeroDivisionError:
            return p

    with pytest.raises(UnsupportedSyntaxError, match="try"):
        sd.grad(of_totals)(0.9)


class _Limited:
    def __init__(self, v):
        if v > 5.0:
            raise ValueError("too large")
        self.v = v

    def __call__(self, w):
        z = y = _checked(self.v * w)
        z = z * math.cos(z) + z * w + z * math.tanh(z + w) * math.tanh(z * w)
        z = z * math.cos(z) + z * w + z * math.tanh(z + w) * math.tanh(z * w)
        z = z * math.cos(z) + z * w + z * math.tanh(z + w) * math.tanh(z * w)
        return y * y + z


def _checked(y):
    if y > 4.0:
        raise ValueError("too large")
    return y


class _Counted:
    def __init__(self):
        self.calls = 0

    def __call__(self, v):
        self.calls += 1
        return _Limited(v)(1.0)


def _all_within_limits(x):
    found, count = [x], _Counted()
    try:
        found.extend(map(count, [0.5, x, 1.1 * x, 0.2 * x]))
    except ValueError:
        found.append(3.0)
    return sum(found) * count.calls


def _within_limits(x):
    try:
        y = _all_within_limits(x)
    except ValueError:
        y = 7.0 * x
    return y * x


@pytest.mark.parametrize("x", [0.3, 1.3, 3.2, 6.0])
def test_objects_that_are_half_made_in_attempts_within_attempts(x):
    slope = (_within_limits(x + 1e-6) - _within_limits(x - 1e-6)) / 2e-6
    found, derivative = sd.value_and_grad(_within_limits)(x)
    assert found == _within_limits(x)
    assert derivative == pytest.approx(slope, rel=1e-6)
