"""Products of both singular vectors: their derivatives where singular values are equal, too.

The references are extrapolated differences of NumPy's own values, and closed forms by other means.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import symdiff as sd

linalg = np.linalg
rng = np.random.default_rng(41)
WEIGHTS = rng.normal(size=(5, 5)) + 1j * rng.normal(size=(5, 5))
START = rng.bit_generator.state


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    """Whatever tests are run, each has the same numbers."""
    rng.bit_generator.state = START


def unitary(n: int, complex_: bool = False) -> np.ndarray:
    drawn = rng.normal(size=(n, n)) + (1j * rng.normal(size=(n, n)) if complex_ else 0)
    return linalg.qr(drawn)[0]


def with_values(rows: int, columns: int, s: Any, sign: int = 0, complex_: bool = False) -> Any:
    """A matrix of these singular values, its determinant of this sign (0: any)."""
    u, v = unitary(rows, complex_)[:, : len(s)], unitary(columns, complex_)[: len(s)]
    if sign:
        u[:, 0] *= sign * np.sign(linalg.det(u) * linalg.det(v))
    return (u * np.array(s)) @ v


def extrapolated(f: Callable[[float], Any], h: float = 4e-3) -> Any:
    """The derivative at 0, by central differences of three steps."""

    def quotient(h: float) -> Any:
        return (f(h) - f(-h)) / (2 * h)

    return (64 * quotient(h / 4) - 20 * quotient(h / 2) + quotient(h)) / 45


def weighed(x: Any) -> Any:
    """A number made of all entries, of their phases too, by products."""
    w = WEIGHTS[: x.shape[-2], : x.shape[-1]]
    w = w if np.iscomplexobj(x) else w.real
    return np.sum((x * w).real) + np.sum((x * w).real ** 2)


def check_derivatives(f: Callable[[Any], Any], a: np.ndarray, tolerance: float = 1e-9) -> None:
    """Both modes, to order two, against differences; gradients are conjugate to JAX's."""
    g = sd.differentiable(f)
    t = rng.normal(size=a.shape)
    if np.iscomplexobj(a):
        t = t + 1j * rng.normal(size=a.shape)
    expected = extrapolated(lambda h: f(a + h * t))
    gradient = g.grad(a)
    assert gradient.dtype == a.dtype
    assert np.sum((gradient.conj() * t).real) == pytest.approx(expected, abs=tolerance)
    assert sd.jvp(g, (a,), (t,))[1] == pytest.approx(expected, abs=tolerance)
    second = extrapolated(lambda h: g.grad(a + h * t))
    np.testing.assert_allclose(g.hvp(a, t), second, atol=10 * tolerance)
    pushed = sd.jvp(lambda x: g.grad(x), (a,), (t,))[1]
    np.testing.assert_allclose(pushed, second, atol=10 * tolerance)
    assert sd.vjp(g, a)[0] == f(a)  # the bits of the function


# u @ vh -------------------------------------------------------------------------------------------


def product(a: Any) -> Any:
    u, _, vh = linalg.svd(a, full_matrices=False)
    return weighed(u @ vh)


def product_turned(a: Any) -> Any:
    u, _, vh = linalg.svd(a, full_matrices=False)
    return weighed(np.dot(vh.T, u.T))


def product_of_adjoints(a: Any) -> Any:
    u, _, vh = linalg.svd(a, full_matrices=False)
    return weighed(vh.conj().T @ u.conj().T)


VALUES = [(3.0, 2.0, 0.5), (2.0, 2.0, 0.5), (2.0, 2.0, 2.0)]


@pytest.mark.parametrize("function", [product, product_turned, product_of_adjoints])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 5)])
@pytest.mark.parametrize("s", VALUES)
@pytest.mark.parametrize("complex_", [False, True])
def test_product_of_singular_vectors(function: Any, shape: Any, s: Any, complex_: bool) -> None:
    check_derivatives(function, with_values(*shape, s, complex_=complex_))


def test_product_at_the_unit_matrix_in_closed_form() -> None:
    """The derivative of the polar factor of ``c · 1`` is the skew part of the change over c."""
    t, w = rng.normal(size=(2, 4, 4))

    def f(a: Any) -> Any:
        u, _, vh = linalg.svd(a)
        return np.sum(u @ vh * w)

    a = 3.0 * np.eye(4)
    np.testing.assert_allclose(sd.grad(f)(a), (w - w.T) / 6.0, atol=1e-14)
    assert sd.jvp(f, (a,), (t,))[1] == pytest.approx(np.sum((t - t.T) * w) / 6.0)
    # of third order in t: exp(hx) and the symmetric factor, to the second order
    x, y = (t - t.T) / 6.0, (t + t.T) / 6.0
    second = x @ x - (x @ y + y @ x)
    assert np.sum(sd.hvp(f)(a, t) * t) == pytest.approx(np.sum(second * w))


def test_third_derivative_where_singular_values_are_equal() -> None:
    a, t = with_values(3, 3, VALUES[1]), rng.normal(size=(3, 3))

    def along(h: Any) -> Any:
        return product(a + h * t)

    second = sd.derivative(along, 2)
    expected = extrapolated(lambda h: second(h), 2e-3)
    assert sd.derivative(along, 3)(0.0) == pytest.approx(expected, rel=1e-7)


def test_it_is_the_factor_of_scipy() -> None:
    a, t = with_values(4, 3, (2.0, 2.0, 2.0)), rng.normal(size=(4, 3))
    expected = extrapolated(lambda h: scipy.linalg.polar(a + h * t)[0])

    def f(a: Any) -> Any:
        u, _, vh = linalg.svd(a, full_matrices=False)
        return u @ vh

    np.testing.assert_allclose(sd.jvp(f, (a,), (t,))[1], expected, atol=1e-10)
    np.testing.assert_allclose(np.tensordot(sd.jacobian(f)(a), t), expected, atol=1e-10)


def test_stacks() -> None:
    a = np.array([with_values(3, 2, (2.0, 2.0)), with_values(3, 2, (2.0, 1.0))])
    check_derivatives(product, a)


def test_single_precision_and_empty_matrices() -> None:
    a = with_values(3, 3, VALUES[1])
    single = a.astype(np.float32)
    t = rng.normal(size=(3, 3)).astype(np.float32)
    g = sd.differentiable(product)
    for found, double in ((g.grad(single), g.grad(a)), (g.hvp(single, t), g.hvp(a, t))):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, double, atol=2e-4)
    assert g.grad(np.zeros((0, 0))).shape == (0, 0)


def test_matrices_that_do_not_lie_in_c_order() -> None:
    check_derivatives(product, np.asfortranarray(with_values(4, 3, VALUES[2])))
    check_derivatives(lambda a: product(a[::2, ::-1]), rng.normal(size=(6, 3)))


def test_value_may_be_written_to() -> None:
    def f(a: Any) -> Any:
        u, _, vh = linalg.svd(a)
        turn = u @ vh
        turn[0] *= a[1]
        return weighed(turn)

    check_derivatives(f, with_values(3, 3, VALUES[2]))


# Signs --------------------------------------------------------------------------------------------


def kabsch_by_a_diagonal(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    d = np.sign(linalg.det(vh.T @ u.T))
    return weighed(vh.T @ np.diag([1.0, 1.0, d]) @ u.T)


def kabsch_by_a_determinant(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    middle = np.eye(3)
    middle[2, 2] = linalg.det(u) * linalg.det(vh)
    return weighed(u @ (middle @ vh))


def kabsch_by_a_row(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    turn = vh.T @ u.T
    if linalg.det(turn) < 0:
        vh[-1] *= -1
        turn = vh.T @ u.T
    return weighed(turn)


def kabsch_by_a_column(a: Any) -> Any:
    u, s, vh = linalg.svd(a)
    v = vh.T
    if (linalg.det(u) * linalg.det(v)) < 0.0:
        s[-1] = -s[-1]
        v[:, -1] = -v[:, -1]
    return weighed(v @ u.T)


def kabsch_by_factors(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    d = -1.0 if linalg.det(u @ vh) < 0 else 1.0
    return weighed((u * np.array([1.0, 1.0, d])) @ vh)


KABSCH = [
    kabsch_by_a_diagonal,
    kabsch_by_a_determinant,
    kabsch_by_a_row,
    kabsch_by_a_column,
    kabsch_by_factors,
]


@pytest.mark.parametrize("function", KABSCH)
@pytest.mark.parametrize(
    ("s", "sign"),
    [((3.0, 2.0, 0.5), 1), ((3.0, 2.0, 0.5), -1), ((2.0, 2.0, 2.0), 1), ((2.0, 2.0, 0.5), -1)],
)
def test_rotation_nearest_to_a_matrix(function: Any, s: Any, sign: int) -> None:
    check_derivatives(function, with_values(3, 3, s, sign), 1e-8)


@pytest.mark.parametrize("function", KABSCH)
def test_rotation_nearest_to_a_matrix_of_rank_two(function: Any) -> None:
    """Of points in a plane: the third axis follows from the two others."""
    check_derivatives(function, with_values(3, 3, (2.0, 2.0, 0.0)), 1e-8)


def test_reflection_in_closed_form() -> None:
    """Sums of values with their signs: ``(d_i + d_j) / (s_i + s_j)`` on the skew part, and
    ``(d_j - d_i) / (s_j - s_i)`` on the other one.
    """
    s, d = np.array([3.0, 2.0, 0.5]), np.array([1.0, 1.0, -1.0])
    t = rng.normal(size=(3, 3))
    skew, symmetric = (t - t.T) / 2, (t + t.T) / 2
    gaps = s - s[:, None] + np.eye(3)
    expected = skew * (d + d[:, None]) / (s + s[:, None]) + symmetric * (d - d[:, None]) / gaps

    def f(a: Any) -> Any:
        u, _, vh = linalg.svd(a)
        return u @ np.diag([1.0, 1.0, -1.0]) @ vh

    np.testing.assert_allclose(sd.jvp(f, (np.diag(s),), (t,))[1], expected, atol=1e-14)


# Where it is open ---------------------------------------------------------------------------------


def test_what_the_matrix_leaves_open_is_no_number() -> None:
    """Two singular values of 0; a tall matrix of deficient rank; equal ones of other signs."""
    gradient = sd.grad(product)
    assert np.all(np.isnan(gradient(with_values(3, 3, (2.0, 0.0, 0.0)))))
    assert np.all(np.isnan(gradient(with_values(4, 3, (2.0, 1.0, 0.0)))))
    assert np.all(np.isnan(gradient(with_values(3, 3, (2.0, 1.0, 0.0), complex_=True))))
    assert np.all(np.isnan(sd.grad(kabsch_by_factors)(with_values(3, 3, (3.0, 2.0, 2.0), -1))))


def test_what_is_not_selected_has_no_share_of_it() -> None:
    def f(a: Any) -> Any:
        u, _, vh = linalg.svd(a)
        return np.sum(np.where(a[0, 0] > 1.0, u @ vh, a))

    np.testing.assert_array_equal(sd.grad(f)(np.zeros((3, 3))), np.ones((3, 3)))


def other_values(a: Any) -> Any:
    u, s, vh = linalg.svd(a)
    return weighed((u * s**2) @ vh)


def one_part(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    return weighed(u @ np.diag([1.0, 1.0, 0.0]) @ vh)


def a_part_by_rectangles(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    return weighed(u @ np.eye(3, 2) @ np.eye(2, 3) @ vh)


def rows_with_other_signs(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    u[1] *= -1.0
    return weighed(u @ vh)


def other_signs_than_of_vectors(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    return weighed((u * np.array([1.0, 1.0, -1.0])[:, None]) @ vh)


def mixed(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    return weighed(u @ np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) @ vh)


def turned_twice(a: Any) -> Any:
    vh = linalg.svd(a)[2]
    return weighed(vh.T @ np.diag([1.0, 1.0, -1.0]) @ vh)


@pytest.mark.parametrize(
    "function",
    [
        other_values,
        one_part,
        a_part_by_rectangles,
        rows_with_other_signs,
        other_signs_than_of_vectors,
        mixed,
        turned_twice,
    ],
)
def test_other_products_of_singular_vectors(function: Any) -> None:
    """What looks like one and is none has the derivatives that it had."""
    check_derivatives(function, with_values(3, 3, (3.0, 2.0, 0.5)), 1e-7)
    assert "polar_turn" not in sd.differentiable(function).grad.source("float64[3,3]")


def test_vectors_of_two_matrices_are_none() -> None:
    def f(a: Any, b: Any) -> Any:
        return weighed(linalg.svd(a)[0] @ linalg.svd(b)[2])

    assert "polar_turn" not in sd.differentiable(f).grad.source("float64[3,3]", "float64[3,3]")


def test_signs_that_are_an_argument_are_differentiated() -> None:
    """At 1 and -1, which they need not stay."""

    def f(a: Any, d: Any) -> Any:
        u, _, vh = linalg.svd(a)
        return weighed(u @ np.diag(d) @ vh)

    a, d = with_values(3, 3, (3.0, 2.0, 0.5)), np.array([1.0, 1.0, -1.0])
    sd.check_grads(f, (a, d))
    t = np.array([1.0, -2.0, 0.5])
    mixed = sd.jvp(lambda d: sd.grad(f)(a, d), (d,), (t,))[1]
    np.testing.assert_allclose(mixed, extrapolated(lambda h: sd.grad(f)(a, d + h * t)), atol=1e-9)


# Programs -----------------------------------------------------------------------------------------


def test_in_loops_and_calls() -> None:
    def nearest(a: Any) -> Any:
        u, _, vh = linalg.svd(a, full_matrices=False)
        return u @ vh

    def f(a: Any) -> Any:
        total = 0.0
        for k in range(3):
            a = a + 0.3 * nearest(a) + k
            total += weighed(nearest(a))
        return total

    check_derivatives(f, np.eye(3), 1e-8)


def test_exported_derivative(tmp_path: Any) -> None:
    path = tmp_path / "turned.py"
    a = with_values(3, 3, VALUES[1])
    sd.differentiable(product).grad.export(path, a)
    exported = runpy.run_path(str(path))["product_grad"]
    np.testing.assert_array_equal(exported(a), sd.grad(product)(a))
