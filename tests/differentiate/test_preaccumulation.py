"""Loops that depend on one number have their derivatives by it computed in their own turns."""

from __future__ import annotations

import re
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symdiff as sd

X = sp.symbols("x", real=True)
TABLE = np.array([1.5, -2.0, 0.25, 3.0, -0.5])


def horner(x: Any, table: Any) -> Any:
    v = 0.0
    for c in table:
        v = v * x + c
    return v * v


def newton(x: Any, n: int) -> Any:
    v = x + 1.0
    for _ in range(n):
        v = 0.5 * (v + x / v)
    return v


def two_carries(x: Any, n: int) -> Any:
    u, v = 1.0, x
    for _ in range(n):
        u, v = v, u + x * v
    return u * v


def from_one_number(x: Any, n: int) -> Any:
    """What the loop starts from and what it reads are computed of ``y`` alone."""
    y = x * x
    v = 2.0 * y + 1.0
    rate = 1.0 - y
    for k in range(n):
        v = v * rate + k * y
    return v + y


def nested(x: Any, n: int) -> Any:
    s = 0.0
    for i in range(n):
        w = 1.0
        for j in range(i):
            w = w * x + j
        s = s * x + w
    return s


def ended_by_data(x: Any, n: int) -> Any:
    v, k = x, 0
    while k < n:
        v = v * x if k % 2 == 0 else v + x
        k += 1
    return v


def twice(x: Any, n: int) -> Any:
    """Of the second loop's result what the first one leaves is a part."""
    v = 1.0
    for _ in range(n):
        v = v * x + 1.0
    w = v
    for _ in range(n):
        w = w * v - x
    return w


PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "horner": (horner, TABLE),
    "newton": (newton, 3),
    "two carries": (two_carries, 5),
    "from one number": (from_one_number, 4),
    "nested": (nested, 4),
    "ended by data": (ended_by_data, 5),
    "twice": (twice, 2),
}
WITHOUT_TURNS: dict[str, tuple[Callable[..., Any], Any]] = {
    "horner": (horner, TABLE[:0]),
    "two carries": (two_carries, 0),
    "from one number": (from_one_number, 0),
}
AT = 0.7


def by_sympy(f: Callable[..., Any], given: Any, order: int) -> float:
    known = [sp.Rational(str(c)) for c in given] if isinstance(given, np.ndarray) else given
    at = sp.Rational(str(AT))
    return float(sp.diff(f(X, known), X, order).subs(X, at))


def loops(source: str) -> int:
    return len(re.findall(r"^ *(?:for|while) ", source, re.MULTILINE))


@pytest.mark.parametrize("name", ["horner", "newton", "two carries", "from one number"])
def test_gradient_has_no_second_loop_and_no_tape(name: str) -> None:
    f, given = PROGRAMS[name]
    source = sd.grad(f).source(AT, given)
    assert loops(source) == 1
    assert "tape" not in source


def test_second_derivative_has_no_second_loop() -> None:
    assert loops(sd.grad(sd.grad(horner)).source(AT, TABLE)) == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_to_third_order_in_reverse(name: str) -> None:
    f, given = PROGRAMS[name]
    derivative: Any = f
    for order in (1, 2, 3):
        derivative = sd.grad(derivative)
        assert derivative(AT, given) == pytest.approx(by_sympy(f, given, order), rel=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivative_forward_over_reverse_and_pullback(name: str) -> None:
    f, given = PROGRAMS[name]
    first, second = by_sympy(f, given, 1), by_sympy(f, given, 2)
    gradient = sd.grad(lambda x: f(x, given))
    assert sd.jvp(gradient, (AT,), (2.0,)) == pytest.approx((first, 2.0 * second), rel=1e-12)
    _, pullback = sd.vjp(lambda x: f(x, given), AT)
    assert pullback(3.0) == pytest.approx((3.0 * first,), rel=1e-12)


@pytest.mark.parametrize("name", WITHOUT_TURNS)
def test_loops_without_turns(name: str) -> None:
    f, given = WITHOUT_TURNS[name]
    assert sd.grad(f)(AT, given) == pytest.approx(by_sympy(f, given, 1), rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_stays_that_of_the_number(dtype: Any) -> None:
    x = dtype(AT)
    found = sd.grad(horner)(x, TABLE.astype(dtype))
    assert found.dtype == dtype
    assert found == pytest.approx(by_sympy(horner, TABLE, 1), rel=1e-5)


def test_a_loop_within_one_that_is_reversed_reads_what_was_computed_around_both() -> None:
    def mixed(x: Any, y: Any, n: int) -> Any:
        p, q, s = 2.0 * x, x * x, y
        for k in range(n):
            v = 0.5 * k + q
            for _ in range(2):
                v = v * p + q
            s = s * y + v
        return s

    a, b = sp.symbols("a b")
    exact = [float(sp.diff(mixed(a, b, 3), s).subs({a: 0.7, b: 1.1})) for s in (a, b)]
    assert sd.grad(mixed, (0, 1))(0.7, 1.1, 3) == pytest.approx(tuple(exact), rel=1e-13)
    arrays = np.array([0.7, 0.2]), np.array([1.1, 0.4])
    found = sd.grad(lambda x, y: np.sum(mixed(x, y, 3)), (0, 1))(*arrays)
    for at in (0, 1):
        here = {a: sp.Rational(str(arrays[0][at])), b: sp.Rational(str(arrays[1][at]))}
        exact = [float(sp.diff(mixed(a, b, 3), s).subs(here)) for s in (a, b)]
        assert [bar[at] for bar in found] == pytest.approx(exact, rel=1e-13)


# Arrays that depend on one number


def heat(rate: Any, u: Any, n: int) -> Any:
    u = u.copy()
    for _ in range(n):
        u[1:-1] += rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def powers(x: Any, n: int) -> Any:
    found = np.zeros(n)
    v = 1.0
    for k in range(n):
        v = v * x
        found[k] = v
    return found


def test_arrays_that_depend_on_one_number() -> None:
    u = np.random.default_rng(0).normal(size=9)
    source = sd.grad(heat).source(0.1, u, 4)
    assert loops(source) == 1
    by_complex_step = heat(0.1 + 1e-30j, u.astype(complex), 4).imag / 1e-30
    assert sd.grad(heat)(0.1, u, 4) == pytest.approx(by_complex_step, rel=1e-13)


def test_jacobian_of_an_array_that_a_loop_fills() -> None:
    exact = [k * AT ** (k - 1) for k in range(1, 6)]
    np.testing.assert_allclose(sd.jacobian(powers, mode="rev")(AT, 5), exact, rtol=1e-14)


# Arrays, element by element


def roots_by_newton(a: Any, n: int) -> Any:
    x = a + 1.0
    for _ in range(n):
        x = 0.5 * (x + a / x)
    return x


def escaping(c: Any, n: int) -> Any:
    z = c * 0.5
    for _ in range(n):
        z = np.where(np.abs(z) < 2.0, z * z + c, z)
    return z


def in_place(x: Any, n: int) -> Any:
    v = x.copy()
    for _ in range(n):
        v *= x
        v += 0.5 * v * v
    return v


BY_ELEMENT = {"newton": roots_by_newton, "escaping": escaping, "in place": in_place}
ELEMENTS = np.array([[0.2, 0.7, 1.1], [1.3, 2.5, 0.4]])


def by_complex_step(f: Callable[..., Any], n: int) -> Any:
    return f(ELEMENTS + 1e-30j, n).imag / 1e-30


@pytest.mark.parametrize("name", BY_ELEMENT)
def test_arrays_that_depend_on_one_by_element(name: str) -> None:
    f = BY_ELEMENT[name]
    total = sd.grad(lambda x: np.sum(f(x, 3)))
    source = total.source(ELEMENTS)
    assert loops(source) == 1
    assert "tape" not in source
    np.testing.assert_allclose(total(ELEMENTS), by_complex_step(f, 3), rtol=1e-13)
    found = total(ELEMENTS.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_complex_step(f, 3), rtol=2e-5)


@pytest.mark.parametrize("name", BY_ELEMENT)
def test_second_derivatives_of_arrays_by_element(name: str) -> None:
    f = BY_ELEMENT[name]
    gradient = sd.grad(lambda x: np.sum(f(x, 2) ** 2))
    ones = np.ones(ELEMENTS.shape)
    expected = second_differences(lambda x: f(x, 2) ** 2)
    np.testing.assert_allclose(sd.jvp(gradient, (ELEMENTS,), (ones,))[1], expected, rtol=1e-6)
    again = sd.grad(lambda x: np.sum(gradient(x)))(ELEMENTS)
    np.testing.assert_allclose(again, expected, rtol=1e-6)


def second_differences(f: Callable[..., Any]) -> Any:
    """Of first derivatives by the complex step, extrapolated."""

    def first(h: float) -> Any:
        ahead, behind = (f(ELEMENTS + step + 1e-30j).imag / 1e-30 for step in (h, -h))
        return (ahead - behind) / (2.0 * h)

    return (4.0 * first(5e-4) - first(1e-3)) / 3.0


def test_memory_does_not_grow_with_the_turns() -> None:
    def kicked(u: Any, n: int) -> Any:
        for _ in range(n):
            u = u - 0.01 * np.sin(u)
        return np.sum(u)

    u, gradient = np.full(4000, 0.5), sd.grad(kicked)
    gradient(u, 3)
    tracemalloc.start()
    gradient(u, 400)
    most = tracemalloc.get_traced_memory()[1] / u.nbytes
    tracemalloc.stop()
    assert most < 12.0


def test_arrays_that_mix_elements_have_all_of_their_derivatives() -> None:
    def mixed(x: Any, n: int) -> Any:
        v = x
        for _ in range(n):
            v = v * x + np.mean(v)
        return np.sum(v)

    def spread(x: Any, n: int) -> Any:
        v = np.zeros((2, x.shape[0]))
        for _ in range(n):
            v = v * x + x[::-1]
        return np.sum(v)

    x = np.array([0.3, 0.8, 1.4])
    for f in (mixed, spread):
        exact = [
            f(x + 1e-30j * unit, 3).imag / 1e-30 if f is mixed else spread_by_hand(x, unit)
            for unit in np.eye(3)
        ]
        np.testing.assert_allclose(sd.grad(f)(x, 3), exact, rtol=1e-13)


def spread_by_hand(x: Any, unit: Any) -> float:
    """Of ``2 * sum(r * (x * x + x + 1))``, ``r`` being ``x`` turned around, after three turns."""
    turned = x[::-1]
    return float(2.0 * np.sum(unit[::-1] * (x * x + x + 1.0) + turned * (2.0 * x + 1.0) * unit))


# Zeros of what was not selected


def roots(x: Any, n: int) -> Any:
    v = 0.0
    for _ in range(n):
        v = v + np.sqrt(x)
    return v


@pytest.mark.parametrize("zero", [0.0, np.float64(0.0)])
def test_infinite_derivatives_of_what_is_not_selected_count_for_nothing(zero: Any) -> None:
    def by_where(x: Any, n: int) -> Any:
        return np.where(x > 0.0, roots(x, n), x)

    def by_branch(x: Any, n: int) -> Any:
        v = roots(x, n)
        return v if x > 0.0 else 3.0 * x

    assert sd.grad(by_where)(zero, 3) == 1.0
    assert sd.grad(by_branch)(zero, 3) == 3.0
    assert sd.grad(by_where)(4.0, 3) == 0.75


def test_what_is_not_selected_in_a_turn_counts_for_nothing() -> None:
    def logs(x: Any, n: int) -> Any:
        v = 0.0
        for k in range(n):
            v = v + np.where(x > k, np.log(x - k), 2.0 * x)
        return v

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the function itself
        assert sd.grad(logs)(1.0, 3) == 1.0 + 2.0 + 2.0


def test_a_residual_that_happens_to_be_zero_keeps_its_slope() -> None:
    def squared(x: Any, n: int) -> Any:
        v = 1.0
        for _ in range(n):
            v = v * np.sqrt(x)
        return np.where(x > 0.0, (v - 8.0) ** 2, 0.0)

    y = sp.symbols("y", positive=True)
    exact = (y ** sp.Rational(3, 2) - 8) ** 2
    derivative: Any = squared
    for order in (1, 2, 3, 4):
        derivative = sd.grad(derivative)
        expected = float(sp.diff(exact, y, order).subs(y, 4))
        assert derivative(4.0, 3) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("x", [np.inf, np.nan])
def test_what_is_not_finite_is_not_made_finite(x: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert not np.isfinite(sd.grad(horner)(x, TABLE))


def test_powers_beyond_the_largest_float_are_infinite_as_of_numpy() -> None:
    def inverse_powers(x: float, n: int) -> float:
        v = 0.0
        for _ in range(n):
            v = v + x**-40
        return v

    x = 10.0**-7.6
    assert inverse_powers(x, 2) < np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert sd.grad(inverse_powers)(x, 2) == -np.inf


# What the function does besides


def test_prints_and_errors_are_those_of_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: float, n: int) -> float:
        v = 1.0
        for k in range(n):
            v = v * x
            print(k, v)
            if v > 20.0:
                raise OverflowError(f"{v} in turn {k}")
        return v

    assert sd.grad(told)(2.0, 3) == 12.0
    assert capsys.readouterr().out == "0 2.0\n1 4.0\n2 8.0\n"
    with pytest.raises(OverflowError, match=r"32\.0 in turn 4"):
        sd.grad(told)(2.0, 9)
    assert capsys.readouterr().out.count("\n") == 5


def test_what_is_caught_is_caught_of_the_function_alone() -> None:
    def caught(x: float, n: int) -> float:
        v = 1.0
        try:
            for _ in range(n):
                v = v * x**2
        except OverflowError:
            v = x
        return v

    assert sd.grad(caught)(1e200, 3) == 1.0
    assert sd.grad(caught)(3.0, 2) == 4.0 * 27.0


def test_derivatives_under_a_context_raise_nothing() -> None:
    def strict(x: Any, n: int) -> Any:
        with np.errstate(all="raise"):
            v = 0.0
            for _ in range(n):
                v = v + np.sqrt(x)
        return v

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert sd.grad(strict)(np.float64(0.0), 2) == np.inf


# What reverse mode alone can do


def test_hooks_in_a_loop_are_called_in_each_turn() -> None:
    def hooked(x: float, n: int) -> float:
        v = x
        for _ in range(n):
            v = sd.grad_hook(v * x, lambda g: 2.0 * g)
        return v

    # x * x * x, each product's cotangent doubled: 4 of the innermost two, 2 of the last
    assert sd.grad(hooked)(3.0, 2) == 4.0 * (3.0 * 3.0 + 3.0 * 3.0) + 2.0 * 9.0


def test_rules_of_the_users_own_in_a_loop_are_theirs() -> None:
    @sd.custom_vjp
    def square(x: float) -> float:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))

    def squares(x: float, n: int) -> float:
        v = x
        for _ in range(n):
            v = square(v)
        return v

    assert sd.grad(squares)(2.0, 2) == (3.0 * 4.0) * (3.0 * 2.0)


def test_lists_that_a_loop_fills() -> None:
    def sums(x: float, n: int) -> float:
        found = []
        v = 1.0
        for _ in range(n):
            v = v * x
            found.append(v)
        return sum(found)

    derivative: Any = sums
    for order in (1, 2, 3):
        derivative = sd.grad(derivative)
        exact = float(sp.diff(X + X**2 + X**3 + X**4, X, order).subs(X, AT))
        assert derivative(AT, 4) == pytest.approx(exact, rel=1e-13)


def test_two_numbers_and_a_loop_that_starts_with_neither() -> None:
    def both(x: float, y: float, n: int) -> float:
        v = 0.0
        for k in range(n):
            v = v * x + k * y
        return v

    a, b = sp.symbols("a b")
    exact = [float(sp.diff(both(a, b, 4), s).subs({a: 0.7, b: 1.1})) for s in (a, b)]
    assert sd.grad(both, (0, 1))(0.7, 1.1, 4) == pytest.approx(tuple(exact), rel=1e-13)


# Programs that are made of it


def test_tangents_beside_a_loop_read_nothing_that_comes_later() -> None:
    def before_its_sine(x: Any, n: int) -> Any:
        a = 1.0 - x
        b = x
        for _ in range(n):
            b = b * np.cos(a)
        return b + np.sin(a)

    def first(x: Any) -> Any:
        return sd.grad(before_its_sine)(x, 2)

    c, s = np.cos(0.75), np.sin(0.75)
    second = 4.0 * c * s + 0.25 * (2.0 * s * s - 2.0 * c * c) - s
    assert sd.grad(first)(0.25) == pytest.approx(second, rel=1e-14)
    assert sd.grad(lambda x: first(x) * x)(0.25) == pytest.approx(
        0.25 * second + first(0.25), rel=1e-14
    )


def test_batches_and_checkpoints() -> None:
    at = np.array([0.3, 0.7, 1.2])
    exact = np.polynomial.Polynomial(TABLE[::-1])
    expected = 2.0 * exact(at) * exact.deriv()(at)
    batched = sd.vmap(sd.grad(horner), in_axes=(0, None))
    np.testing.assert_allclose(batched(at, TABLE), expected, rtol=1e-13)
    kept = sd.checkpoint(horner, every=2)
    np.testing.assert_allclose(sd.grad(kept)(0.7, TABLE), expected[1], rtol=1e-13)


def test_forward_and_backward_part_apart() -> None:
    f = sd.differentiable(horner)
    y, saved = f.forward(AT, TABLE)
    assert y == horner(AT, TABLE)
    (gradient, *_) = f.backward(saved, 2.0)
    assert gradient == pytest.approx(2.0 * by_sympy(horner, TABLE, 1), rel=1e-13)
