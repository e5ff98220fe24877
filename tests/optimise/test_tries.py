"""The body of a ``try`` becomes one piece, and means what it did."""

from __future__ import annotations

import linecache
import math
import random
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.reference import richardson_gradient


def written(text: str) -> Any:
    """The function ``f`` of a text, whose source can be read."""
    name = f"<tries {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"math": math}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def straight(x: Any, y: Any) -> Any:
    try:
        a = 1.0 / x
        b = math.sqrt(y)
        c = a * b / (x - y)
        r = math.log(c)
    except Exception:
        r = 2.0 * x
    return r * y


def test_a_body_of_numbers_is_written_as_try() -> None:
    source = str(sd.differentiable(straight).source(3.0, 1.5))
    assert source.partition('"""\n')[2].startswith(
        """    try:
        a = 1.0 / x
        b = math.sqrt(y)
        t = x - y
        c = a * b / t
        r = math.log(c)
        raised = False
    except (ZeroDivisionError, ValueError):
        raised = True
        r = 2.0 * x
        a = b = t = None
    return r * y, (y, raised, r, a, b, t)
"""
    )
    backward = source.partition("def straight_backward")[2]
    assert backward.count("if ") == 2  # whether it raised, and a strong zero at the root


CASES = [(3.0, 1.5), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0), (1.0, 2.0), (4.0, 0.0), (0.7, 0.3)]


@pytest.mark.parametrize("case", CASES)
def test_either_way_out_has_its_value_and_derivatives(case: tuple[float, float]) -> None:
    x, y = case
    ratio = math.sqrt(y) / x / (x - y) if x != 0 and x != y and y >= 0 else 0.0
    fine = ratio > 0.0
    value, slopes = sd.value_and_grad(straight, argnums=(0, 1))(x, y)
    assert value == straight(x, y)
    if not fine:
        assert slopes == (2.0 * y, 2.0 * x)
        assert sd.hessian(straight, argnums=(0, 1))(x, y) == ((0.0, 2.0), (2.0, 0.0))
        return
    by_x = -y / x - y / (x - y)
    by_y = math.log(ratio) + 0.5 + y / (x - y)
    assert slopes == pytest.approx((by_x, by_y))
    assert sd.jvp(straight, (x, y), (1.0, 2.0))[1] == pytest.approx(by_x + 2.0 * by_y)
    curved = sd.grad(lambda x, y: sd.grad(straight)(x, y))(x, y)
    assert curved == pytest.approx(y / x**2 + y / (x - y) ** 2)


def keeps_what_was_bound(x: Any, y: Any) -> Any:
    a = b = 0.0
    try:
        a = 3.0 * x
        b = a / y
        a = math.sqrt(b)
        b = 1.0 / (a - 1.0)
    except (ZeroDivisionError, ValueError):
        return a * x + 5.0 * b
    return a + b


KEPT = {  # by arguments: the slopes of 3 x * x + 5 b, or of what is returned without a handler
    (2.0, 0.0): (12.0, 0.0),  # b = 0
    (2.0, -1.0): (12.0 - 15.0, -30.0),  # b = 3 x / y
    (1.0, 3.0): (1.5 + 5.0, -0.5 / 3.0 - 5.0 / 3.0),  # sqrt(3 x / y) * x + 5 b
}


@pytest.mark.parametrize("case", [*KEPT, (2.0, 3.0)])
def test_a_handler_sees_what_was_bound_before_it_raised(case: tuple[float, float]) -> None:
    value, slopes = sd.value_and_grad(keeps_what_was_bound, argnums=(0, 1))(*case)
    assert value == keeps_what_was_bound(*case)
    if case not in KEPT:
        found = [richardson_gradient(keeps_what_was_bound, case, k).value for k in range(2)]
        np.testing.assert_allclose(slopes, found, rtol=1e-7)
    else:
        assert slopes == pytest.approx(KEPT[case])


def another_class(x: Any, y: Any) -> Any:
    try:
        a = 1.0 / x
        b = math.sqrt(y)
        return a * b / (x - y)
    except ZeroDivisionError:
        return x * y


def test_what_no_handler_names_leaves_as_it_did() -> None:
    assert sd.grad(another_class)(0.0, 4.0) == 4.0
    assert sd.grad(another_class)(2.0, 2.0) == 2.0
    for f in (another_class, sd.grad(another_class)):
        with pytest.raises(ValueError, match="math domain error"):
            f(1.0, -1.0)
    assert "attempted" not in str(sd.grad(another_class).source(1.0, 2.0))


def at_a_pole_of_the_derivative(x: Any, y: Any) -> Any:
    try:
        a = math.sqrt(x)
        b = y / (a + 1.0)
        return a * b
    except (ZeroDivisionError, ValueError):
        return -1.0 * y


def test_arithmetic_of_the_derivative_is_not_what_is_caught() -> None:
    with np.errstate(divide="ignore"):
        value, slopes = sd.value_and_grad(at_a_pole_of_the_derivative, argnums=(0, 1))(0.0, 3.0)
    assert value == 0.0 and slopes == (math.inf, 0.0)
    assert sd.grad(at_a_pole_of_the_derivative, argnums=1)(-1.0, 3.0) == -1.0


def raises_again(x: Any) -> Any:
    try:
        return 1.0 / x + math.log(x)
    except ValueError:
        raise KeyError("negative") from None
    except ZeroDivisionError:
        return 7.0 * x


def test_a_handler_that_raises_does() -> None:
    assert sd.grad(raises_again)(2.0) == 0.25
    assert sd.grad(raises_again)(0.0) == 7.0
    with pytest.raises(KeyError, match="negative"):
        sd.grad(raises_again)(-2.0)


def raises_again_inside(x: Any) -> Any:
    try:
        try:
            b = math.atanh(x)
        except Exception:
            raise
    except OverflowError:
        return 2.0 * x
    return b


def test_what_is_raised_again_passes_handlers_of_other_classes() -> None:
    assert sd.grad(raises_again_inside)(0.5) == pytest.approx(4.0 / 3.0)
    with pytest.raises(ValueError, match="math domain error"):
        sd.grad(raises_again_inside)(-1.0)


def told_apart(x: Any) -> Any:
    try:
        a = 1.0 / x
        b = math.log(a)
        return math.sqrt(b) ** -1.0
    except ZeroDivisionError:
        return 2.0 * x
    except ValueError as error:
        return 3.0 * x if "domain" in str(error) else 5.0 * x


def test_classes_that_are_handled_apart_stay_apart() -> None:
    gradient = sd.grad(told_apart)
    assert [gradient(x) for x in (0.0, 1.0, -1.0, 3.0)] == [2.0, 2.0, 3.0, 3.0]
    u = math.log(1.0 / 0.4)
    assert gradient(0.4) == pytest.approx(0.5 * u**-1.5 / 0.4)


def in_a_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        try:
            term = 1.0 / (x - k)
            term = math.log(term) * term
        except ArithmeticError:
            continue
        except ValueError:
            total += 0.5 * x
            continue
        else:
            total += term
    return total


def test_each_turn_of_a_loop_has_its_own_way_out() -> None:
    slope = sum(-(1.0 - math.log(2.5 - k)) / (2.5 - k) ** 2 for k in range(3)) + 0.5 * 2
    assert sd.grad(in_a_loop)(2.5, 5) == pytest.approx(slope)
    assert sd.grad(in_a_loop)(2.0, 5) == pytest.approx(
        sum(-(1.0 - math.log(2.0 - k)) / (2.0 - k) ** 2 for k in range(2)) + 0.5 * 2
    )


def nested(x: Any, y: Any) -> Any:
    try:
        a = 1.0 / y
        try:
            b = math.sqrt(x)
            c = math.log(b) / a
        except ValueError:
            c = a * x
        d = c / (x - 1.0)
    except ZeroDivisionError:
        d = x * y * 5.0
    return d


def test_a_try_in_a_try() -> None:
    gradient = sd.grad(nested)
    assert gradient(1.0, 3.0) == 15.0
    assert gradient(2.0, 0.0) == 0.0
    assert gradient(-3.0, 2.0) == pytest.approx(-0.5 / 16.0)
    x, y = 4.0, 3.0
    c = math.log(2.0) * y
    assert gradient(x, y) == pytest.approx(0.5 / x * y / (x - 1) - c / (x - 1) ** 2)


def two_handlers_alike(x: Any, y: Any) -> Any:
    try:
        a = math.exp(y)
    except OverflowError:
        return 0.0
    try:
        b = math.pow(x, 3.0 * y)  # may overflow, which nobody catches
    except ValueError:
        return 0.0
    return a + b * x


def two_handlers_alike_turned(x: Any, y: Any) -> Any:
    try:
        b = math.pow(x, 3.0 * y)
    except ValueError:
        return 0.0
    try:
        a = math.exp(y)
    except OverflowError:
        return 0.0
    return a + b * x


@pytest.mark.parametrize("f", [two_handlers_alike, two_handlers_alike_turned])
def test_each_operation_is_caught_by_its_own_handlers(f: Any) -> None:
    gradient = sd.value_and_grad(f)
    with pytest.raises(OverflowError):
        gradient(1e200, 1.0)
    assert gradient(1.0, 800.0) == (0.0, 0.0) == gradient(-1.0, 0.5)
    value, slope = gradient(2.0, 1.0)
    assert value == f(2.0, 1.0) and slope == pytest.approx(4.0 * 2.0**3)


def said(n: int) -> None:
    print("between")


def refused(n: int) -> None:
    if n == 0:
        raise KeyError("between")


def between(done: Any) -> Any:
    """A function that does something between two bodies of ``try``."""

    def f(x: Any, n: int, y: Any) -> Any:
        try:
            a = math.log(x)
            k = 5 // n  # may raise what nobody catches, before anything is done
        except ValueError:
            failed = True
        else:
            failed = False
        done(n)
        if failed:
            v = 0.0
        else:
            try:
                v = a + math.sqrt(y) * k
            except ValueError:
                v = 0.0
        return v * x

    return f


prints_between, raises_between = between(said), between(refused)


def test_what_leaves_a_try_leaves_it_before_what_is_done_behind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for f in (prints_between, raises_between):
        with pytest.raises(ZeroDivisionError):
            sd.grad(f)(1.0, 0, 1.0)
        assert sd.value_and_grad(f)(2.0, 5, 4.0)[0] == f(2.0, 5, 4.0)
    with pytest.raises(KeyError):
        sd.grad(raises_between)(-1.0, 0, 1.0)
    assert capsys.readouterr().out == "between\n" * 2


def returns_from_the_body(x: Any, y: Any) -> Any:
    try:
        _ = 2.0 % y
        _ = y / (2.0 - 2.0)
        return 2.0 * y
    except (ZeroDivisionError, ValueError) as _:
        pass
    return 5.0 * y


def returns_from_the_body_inside(x: Any, y: Any) -> Any:
    c = 1.0
    try:
        try:
            c = 0.5 / y + 2.0 / x
            return x
        except (ZeroDivisionError, ValueError):
            try:
                x = math.sqrt(x + 1.0)
            except ArithmeticError:
                c /= y
            except ValueError as _:
                pass
    except ZeroDivisionError as _:
        pass
    return c + x * y


@pytest.mark.parametrize("f", [returns_from_the_body, returns_from_the_body_inside])
def test_a_body_that_returns_catches_all_that_it_does(f: Any) -> None:
    gradient = sd.value_and_grad(f, argnums=(0, 1))
    for case in [(1.0, 1.5), (0.0, 1.5), (1.0, 0.0), (0.0, 0.0), (-2.0, 3.0)]:
        assert gradient(*case)[0] == f(*case)
    assert sd.grad(f, argnums=1)(0.0, 3.0) == (1.0 if f is returns_from_the_body_inside else 5.0)


def tries_in_a_row(levels: int) -> Any:
    body = "".join(f"        a{k + 1} = math.sqrt(a{k}) + 1.0 / a{k}\n" for k in range(levels))
    text = f"    try:\n        a0 = 1.0 / x\n{body}    except Exception:\n        return x\n"
    return f"def f(x):\n{text}    return a{levels}\n"


def test_the_text_grows_as_the_function_does() -> None:
    lengths = []
    for levels in (10, 20):
        f = written(tries_in_a_row(levels))
        source = str(sd.differentiable(f).source(2.0))
        assert "attempted" not in source
        lengths.append(len(source))
    assert lengths[1] < 2.5 * lengths[0]


# Random bodies


class _Body:
    """A function with random statements in ``try``, and random handlers."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines = ["def f(x, y):", "    a = b = c = 1.0"]
        for _ in range(2):
            self.attempt(1, 0)
        self.lines.append("    return a + 1.3 * b + 0.7 * c")

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def name(self) -> str:
        return self.draw.choice("abcxy")

    def expression(self, depth: int = 0) -> str:
        u, v = self.name(), self.draw.choice(["0.6", "1.7", "x", "y", "a", "b"])
        if depth < 1 and self.draw.random() < 0.4:
            u, v = self.expression(depth + 1), self.expression(depth + 1)
        return self.draw.choice(
            [f"({u} + {v})", f"({u} - {v})", f"{u} * {v}", f"({u}) / ({v})", f"math.sqrt({u})",
             f"math.log({v})", f"math.exp({u})", f"math.sin({u})", f"({u}) ** 3"]
        )  # fmt: skip

    def block(self, indent: int, depth: int, most: int) -> None:
        for _ in range(self.draw.randint(1, most)):
            pad, kind = "    " * indent, self.draw.random()
            if kind < 0.7 or depth > 2:
                self.lines.append(f"{pad}{self.draw.choice('abc')} = {self.expression()}")
            elif kind < 0.85:
                self.lines.append(f"{pad}if {self.name()} > {self.name()}:")
                self.block(indent + 1, depth + 1, 2)
            else:
                self.attempt(indent, depth)

    def attempt(self, indent: int, depth: int) -> None:
        pad = "    " * indent
        self.lines.append(f"{pad}try:")
        self.block(indent + 1, depth + 1, 6)
        kinds = ["Exception", "ZeroDivisionError", "ValueError", "ArithmeticError"]
        for kind in self.draw.sample(kinds, self.draw.choice([1, 1, 2])):
            self.lines.append(f"{pad}except {kind}:")
            self.block(indent + 1, depth + 1, 1)


def _outcome(f: Any, *arguments: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return f(*arguments)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("seed", range(16))
def test_random_bodies(seed: int) -> None:
    f = written(_Body(seed).text())
    gradient = sd.value_and_grad(f, argnums=(0, 1))
    draw = random.Random(seed)
    for number in range(8):
        at = [draw.choice([0.0, 1.0, 2.0, -1.0]) for _ in range(2)]
        if number > 3:
            at = [draw.uniform(-1.0, 3.0) for _ in range(2)]
        found, expected = _outcome(gradient, *at), _outcome(f, *at)
        if isinstance(expected, type):
            assert found is expected
            continue
        value, slopes = found
        assert value == expected or (math.isnan(value) and math.isnan(expected))
        for k in range(2) if number > 3 else ():
            estimates = [_difference(f, at, k, step) for step in (1e-3, 5e-4)]
            if None not in estimates and estimates[0] == pytest.approx(estimates[1], rel=1e-7):
                assert slopes[k] == pytest.approx(estimates[1], rel=1e-5, abs=1e-6)


def _difference(f: Any, at: list[float], k: int, step: float) -> float | None:
    """A difference of fourth order; None where the function raises nearby."""
    values = []
    for distance in (-2.0, -1.0, 1.0, 2.0):
        moved = list(at)
        moved[k] += distance * step
        values.append(_outcome(f, *moved))
    if any(isinstance(value, type) for value in values):
        return None
    a, b, c, d = values
    return float((a - 8.0 * b + 8.0 * c - d) / (12.0 * step))


def raised_again_beside(x: Any, y: Any) -> Any:
    try:
        try:
            try:
                a = 1.0 / x
            except ZeroDivisionError:
                raise
            b = a / (y - 1.0)
        except ValueError:
            b = 7.0 * x
        c = b * x * x
    except ZeroDivisionError:
        c = 2.0 * x + y
    return c


def test_what_is_raised_again_stands_beside_what_an_operation_raises() -> None:
    gradient = sd.grad(raised_again_beside)
    assert [gradient(0.0, 3.0), gradient(2.0, 1.0)] == [2.0, 2.0]
    assert gradient(2.0, 3.0) == 0.5
