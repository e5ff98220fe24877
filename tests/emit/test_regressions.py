"""Programs that came out wrong once, through the public face."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.emit.statements import Statements


@pytest.fixture(autouse=True)
def empty_arrays_are_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are read though nobody filled them show."""

    def empty(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
        return np.full(shape, np.nan, dtype, order)

    monkeypatch.setattr(np, "empty", empty)


def stops_early(y: Any, steps: int) -> Any:
    y = y.copy()
    for _ in range(steps):
        e = y**2
        y[y > 0.14] += e
        break
    return y.sum()


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_tape_is_read_only_as_far_as_it_was_filled(steps: int) -> None:
    y = np.array([0.5])
    expected = [2.0] if steps else [1.0]
    np.testing.assert_allclose(sd.grad(stops_early)(y, steps), expected)
    np.testing.assert_allclose(
        sd.differentiable(stops_early).forward(y, steps)[0], 0.75 if steps else 0.5
    )


def scaled_in_place(x: Any, y: Any) -> Any:
    y[0] -= x
    y *= x
    return x * 1.0


def rebound(x: Any, y: Any) -> Any:
    y[0] -= x
    y *= x
    y = y.T
    y = y * 2.0
    return x * y.sum()


@pytest.mark.parametrize("function", [scaled_in_place, rebound])
@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_an_argument_gets_its_final_value(
    function: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    y = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    expected = function(1.5, y.copy())
    np.testing.assert_allclose(sd.differentiable(function).forward(1.5, y)[0], expected)
    step = 1e-6
    ahead, behind = (function(1.5 + sign * step, y.copy()) for sign in (1, -1))
    slope = sd.grad(function)(1.5, y)
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-6)


def joined(y: Any, z: Any) -> Any:
    for _ in range(0, 4, 2):
        if not -5.0 < np.mean(np.outer(z, y)) < 1.58:
            break
        y += np.maximum(1.0, 0.1)
    return y


def test_what_may_be_a_python_number_is_asked_for_no_methods(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    assert sd.differentiable(joined).forward(0.3, 0.5)[0] == joined(0.3, 0.5)
    assert sd.grad(joined)(0.3, 0.5) == 1.0


def padded(x: Any) -> Any:
    b = np.asarray(x) * 2.0
    if np.pad(b, 1).any():
        b = b * b
    return b.sum()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
def test_arrays_of_any_rank_are_padded(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 1.1)
    np.testing.assert_allclose(sd.grad(padded)(x), np.full(shape, 8.8))
    np.testing.assert_allclose(sd.differentiable(padded).forward(x)[0], padded(x))


def bound_in_a_turn(x: Any, turns: int) -> Any:
    s = 0.0
    for i in range(turns):
        if i > 1:
            v[0] *= s  # type: ignore[has-type]  # noqa: F821
        else:
            v = x * 2.0
        s = s + (v * v).sum()
    return s


def test_shapes_of_tapes_are_not_asked_of_what_is_not_there() -> None:
    x = np.linspace(0.1, 0.4, 4).reshape(2, 2)
    assert sd.differentiable(bound_in_a_turn).forward(x, 4)[0] == bound_in_a_turn(x, 4)
    slopes = sd.grad(bound_in_a_turn)(x, 4)
    step = 1e-6
    for place in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[place] = step
        ahead, behind = (bound_in_a_turn(x + sign * change, 4) for sign in (1, -1))
        np.testing.assert_allclose(slopes[place], (ahead - behind) / (2 * step), rtol=1e-5)


def rows_till_one_is_large(z: Any) -> Any:
    for row in z:
        if row[0] > 3.0:
            break
        part = row[0:2]
        part[...] *= row[1::2]
    return np.sum(z)


def test_tangents_of_what_one_arm_saved_are_nothing_where_that_is_nothing() -> None:
    z = np.array([[1.5, 0.5, 0.25], [4.0, 2.0, 1.0]])
    direction = np.arange(1.0, 7.0).reshape(2, 3)
    a, b = z[0, :2]
    _, product = sd.jvp(sd.grad(rows_till_one_is_large), (z,), (direction,))
    expected = np.zeros((2, 3))
    u, v = direction[0, :2]
    expected[0, :2] = v, u + 2 * v
    np.testing.assert_array_equal(product, expected)
    np.testing.assert_array_equal(sd.grad(rows_till_one_is_large)(z)[0], [b, a + 2 * b, 1.0])


def last_quotients_unless_negative(x: Any, y: Any) -> Any:
    for k in range(4):
        if y < 0.0:
            return y
        quotients = 0.3 / x[:k]
    return np.mean(quotients)


def test_cotangents_of_what_no_arm_defined_add_up_to_nothing() -> None:
    x = np.array([0.5])
    gradient = sd.grad(last_quotients_unless_negative, argnums=(0, 1))
    for y, slope, curvature in ((1.0, -0.3 / 0.25, 0.6 / 0.125), (-1.0, 0.0, 0.0)):
        (by_x, by_y), pullback = sd.vjp(gradient, x, y)
        np.testing.assert_allclose([by_x[0], by_y], [slope, float(y < 0)], rtol=1e-14)
        np.testing.assert_allclose(pullback((x, y))[0], curvature * x, rtol=1e-14)


def differences_of_rows(x: Any, z: Any) -> Any:
    u = z.copy()
    for _ in range(z.shape[0]):
        u[:1] += u[1:]
        for _ in range(2):
            v = np.var(u[:, 0])
            v, x = x, v + x
    return v


def test_views_on_the_tape_of_an_inner_loop_outlive_the_turn() -> None:
    z = np.array([[1.3, -0.1], [0.4, 0.2]])
    a, b = z[:, 0]  # it gives x + 2 (a / 2)² + ((a + b) / 2)²
    gradient = np.array([[a + (a + b) / 2, 0.0], [(a + b) / 2, 0.0]])
    np.testing.assert_allclose(sd.grad(differences_of_rows, 1)(0.6, z), gradient, rtol=1e-14)
    hessian = np.zeros((2, 2, 2, 2))
    hessian[:, 0, :, 0] = [[1.5, 0.5], [0.5, 0.5]]
    np.testing.assert_allclose(sd.hessian(differences_of_rows, 1)(0.6, z), hessian, atol=1e-14)
    by_reverse = sd.jacobian(sd.grad(differences_of_rows, 1), 1, mode="rev")(0.6, z)
    np.testing.assert_allclose(by_reverse, hessian, atol=1e-14)


def test_only_what_depends_on_each_other_is_assigned_in_parallel() -> None:
    def parsed(text: str) -> Any:
        return ast.parse(text, mode="eval").body

    def names_in(text: str) -> set[str]:
        return {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}

    def moves(**waiting: str) -> list[str]:
        stub: Any = SimpleNamespace(expressions=SimpleNamespace(names_in=names_in), of=parsed)
        stub.parallel = lambda rest: Statements.parallel(stub, rest)
        lines = Statements.ordered(stub, waiting)  # type: ignore[arg-type]
        return [ast.unparse(ast.fix_missing_locations(line.tree)) for line in lines]

    assert moves(n="n + 1") == ["n = n + 1"]
    assert moves(n="n + 1", u="n") == ["u = n", "n = n + 1"]
    assert moves(u="v", v="u") == ["u, v = (v, u)"]


def grows_beside(x: Any, z: Any, places: Any) -> Any:
    for k in range(2):
        z[k:] += np.max(z)
    z += z[places]
    return np.sum(x)


def test_a_sum_that_nobody_reads_is_computed_for_its_errors_alone() -> None:
    x, z = np.array([0.5, 2.0]), np.array([1.0, 0.4])
    np.testing.assert_array_equal(sd.grad(grows_beside)(x, z, np.array([0, 1])), [1.0, 1.0])
    with pytest.raises(ValueError, match="broadcast"):
        sd.grad(grows_beside)(x, z, np.array([0, 1, 1]))


def halves_of_either(x: Any) -> Any:
    either = float(x[0]) if np.sum(x) > 1.0 else x[1] * 2.0
    half = np.multiply(0.5, either)
    return np.sum(half[half > 0.1]) + np.add(either, 1.0).item()


@pytest.mark.parametrize(("x", "expected"), [([2.0, 3.0], [1.5, 0.0]), ([0.2, 0.4], [0.0, 3.0])])
def test_numpys_function_of_what_may_be_pythons_number_gives_numpys(x: Any, expected: Any) -> None:
    x, direction = np.array(x), np.array([0.3, -0.7])
    assert sd.differentiable(halves_of_either).forward(x)[0] == halves_of_either(x)
    np.testing.assert_array_equal(sd.grad(halves_of_either)(x), expected)
    _, tangent = sd.jvp(halves_of_either, (x,), (direction,))
    np.testing.assert_allclose(tangent, direction @ expected, rtol=1e-15)


def neighbours_before_one_is_taken_out(p: Any) -> Any:
    rows = [v for v in p if v > 0.0]
    products = []
    for i in range(len(rows) - 1):
        products.append(rows[i] * rows[i + 1])
    del rows[1]
    return sum(a * b for a, b in zip(rows, products, strict=False))


def test_a_length_is_not_taken_anew_after_an_item_has_been_taken_out() -> None:
    p = np.array([0.6, 1.4, 2.3, -0.5, 1.1])
    a, b, c, d = p[[0, 1, 2, 4]]  # a * a * b + c * b * c + d * c * d
    expected = np.array([2 * a * b, a * a + c * c, 2 * b * c + d * d, 0.0, 2 * c * d])
    direction = np.array([0.3, -0.7, 0.5, 0.1, 0.9])
    gradient = sd.grad(neighbours_before_one_is_taken_out)
    np.testing.assert_allclose(gradient(p), expected, rtol=1e-14)
    tangent = sd.jvp(neighbours_before_one_is_taken_out, (p,), (direction,))[1]
    np.testing.assert_allclose(tangent, direction @ expected, rtol=1e-14)
    s, t, u, _, v = direction
    second = [2 * (s * b + t * a), 2 * (s * a + u * c), 2 * (t * c + u * b + v * d), 0.0]
    second.append(2 * (v * c + u * d))
    np.testing.assert_allclose(sd.jvp(gradient, (p,), (direction,))[1], second, rtol=1e-14)


def strict_in_one_arm(x: Any, c: Any) -> Any:
    if c:
        with np.errstate(all="raise"):
            unread = 2.0 * c  # noqa: F841
    return x * x


def test_an_arm_with_nothing_but_settings_is_no_empty_block() -> None:
    assert sd.grad(strict_in_one_arm)(3.0, 1.0) == 6.0
    assert sd.grad(strict_in_one_arm)(3.0, 0.0) == 6.0
