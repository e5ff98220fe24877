"""Random draws: those of NumPy's generators, each once and in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.test_programs import same

X = np.array([0.4, 1.3, -0.7])
M = np.arange(12.0).reshape(4, 3)
PARAMETERS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("standard_cauchy", "standard_exponential", "standard_normal"), ()),
    **dict.fromkeys(("chisquare", "exponential", "pareto", "power", "rayleigh"), (2.0,)),
    **dict.fromkeys(("standard_gamma", "standard_t", "weibull", "zipf", "poisson"), (2.5,)),
    **dict.fromkeys(("beta", "f", "gamma", "gumbel", "laplace", "logistic"), (2.0, 3.0)),
    **dict.fromkeys(("lognormal", "noncentral_chisquare", "normal", "uniform"), (1.0, 2.0)),
    **dict.fromkeys(("vonmises", "wald"), (1.0, 2.0)),
    "noncentral_f": (2.0, 3.0, 1.0),
    "triangular": (0.0, 0.5, 2.0),
    **dict.fromkeys(("geometric", "logseries"), (0.4,)),
    **dict.fromkeys(("binomial", "negative_binomial"), (5, 0.4)),
    "hypergeometric": (5, 4, 3),
}


def drawn(rng, name, x):
    """One of a kind, a matrix by position, a vector by name, and one for each element."""
    draw = getattr(rng, name)
    parameters = PARAMETERS[name]
    one, many = draw(*parameters), draw(*parameters, (2, 3))
    more = draw(*parameters, size=len(x))
    if parameters:
        more = more * draw(np.full(3, parameters[0]), *parameters[1:])
    return many * x * one + more, one


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_distributions_are_numpys(name: str, kind: Any) -> None:
    (value, one), pullback = sd.vjp(lambda x, rng: drawn(rng, name, x), X, kind(3))
    expected, expected_one = drawn(kind(3), name, X)
    assert same((value, one), (expected, expected_one))
    zero = np.zeros_like(one) if isinstance(one, np.generic) else type(one)(0)
    gradient = pullback((np.ones((2, 3)), zero))[0]
    shift, _ = drawn(kind(3), name, X + 1.0)
    np.testing.assert_allclose(gradient, np.sum(shift - expected, axis=0), rtol=1e-12)


def of_other_dtypes(rng, x):
    first = rng.standard_normal(3, dtype=np.float32) + rng.random(3, np.float32)
    whole = rng.integers(0, 9, 3, dtype=np.int8) + rng.integers(4, size=3, endpoint=True)
    more = rng.standard_exponential(3, dtype="f4", method="inv") * rng.integers([2, 3, 4])
    return x * first, x * whole, x * more, x * rng.integers(7, dtype=np.int16), rng.integers(5)


def vectors(rng, x):
    first = rng.multivariate_normal(np.zeros(3), np.eye(3), 2) * x
    second = rng.dirichlet((1.0, 2.0, 3.0), size=(2, 2)) * x
    third = rng.multinomial(4, [0.2, 0.8]) * x[0] + rng.multinomial(n=4, pvals=[0.2, 0.8], size=2)
    return first, second, third


def from_arrays(rng, x, m):
    one, some = rng.choice(x), rng.choice(x, 4)
    rows = rng.permutation(m) * x + rng.choice(6, (4, 1), p=np.full(6, 1 / 6))
    return one * some, rows, rng.permutation(x) * rng.permutation(3), rng.choice([1.0, 2.0]) * x


def shuffled(rng, x, m):
    y = x * 2.0
    rng.shuffle(y)
    return y, np.sum(m)


def permuted(rng, x, m):
    squares = m * m * x
    lines, columns = rng.permuted(squares, axis=-1), rng.permuted(squares, axis=0)
    return lines * columns, rng.permuted(squares), rng.permuted(x=x, axis=0) @ x


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        *((np.random.default_rng, function) for function in (from_arrays, shuffled, permuted)),
        *((np.random.RandomState, function) for function in (from_arrays, shuffled)),
    ],
)
def test_elements_in_an_order_that_is_drawn_carry_derivatives(kind: Any, function: Any) -> None:
    value, pullback = sd.vjp(lambda x, m, rng: function(rng, x, m), X, M, kind(5))
    expected = function(kind(5), X, M)
    assert same(value, expected)
    weights = tuple(np.cos(np.arange(1.0, np.size(v) + 1)).reshape(np.shape(v)) for v in expected)
    gradient = pullback(weights)[0]

    def weighed(x: Any) -> Any:
        return sum(np.sum(w * v) for w, v in zip(weights, function(kind(5), x, M), strict=True))

    for k in range(3):
        shift = np.where(np.arange(3) == k, 1e-3, 0.0)
        expected = (weighed(X + shift) - weighed(X - shift)) / 2e-3
        np.testing.assert_allclose(gradient[k], expected, atol=1e-9)


@pytest.mark.parametrize("function", [of_other_dtypes, vectors])
def test_draws_of_a_generator(function: Any) -> None:
    value, _ = sd.vjp(lambda x, rng: function(rng, x), X, np.random.default_rng(7))
    assert same(value, function(np.random.default_rng(7), X))


def seeded(x):
    np.random.seed(11)
    first = np.random.normal(size=3) * np.random.RandomState(4).rand(3)
    np.random.shuffle(first)
    more = np.random.Generator(np.random.PCG64(3)).gumbel(size=3)
    return x * first * np.random.choice(5, 3) * more * np.random.randint(9)


def test_draws_of_the_module_and_of_what_is_made_inside() -> None:
    assert same(sd.vjp(seeded, X)[0], seeded(X))


def test_what_is_not_drawn_is_refused() -> None:
    rng = np.random.default_rng(0)
    for function, message in (
        (lambda x: x * rng.random(3, out=np.zeros(3)), r"random\(out=\.\.\.\)"),
        (lambda x: rng.wald(x, 1.0), r"cannot differentiate rng\.wald with respect to 'x'"),
        (lambda x: rng.shuffle([x, x]), "shuffle of"),
        (lambda x: rng.permuted(x, out=np.zeros(3)), r"permuted\(out=\.\.\.\)"),
    ):
        with pytest.raises(UnsupportedCallError, match=message):
            sd.vjp(function, X)
    with pytest.raises(AttributeError, match="Generator' object has no attribute 'randn'"):
        sd.vjp(lambda x: x * rng.randn(3), X)


# Derivatives by location and scale: the formula in the draws that a twin generator gives ----------

SOURCES = [
    lambda: np.random.default_rng(5),
    lambda: np.random.Generator(np.random.MT19937(5)),
    lambda: np.random.RandomState(5),
]
SHAPES: list[tuple[Any, Any, Any]] = [
    (0.3, 1.7, None),
    (np.float64(0.3), np.array(1.7), None),
    (X, 1.7, None),
    (0.3, np.abs(X), None),
    (X, np.abs(X), (4, 3)),
    (X[:, None], np.abs(X), None),
    (0.3, 1.7, 5),
    (X.astype(np.float32), 0.5, None),
]


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize(("mu", "s", "size"), SHAPES)
def test_a_normal_draw_is_differentiated_by_location_and_scale(
    make: Any, mu: Any, s: Any, size: Any
) -> None:
    def program(mu: Any, s: Any, rng: Any) -> Any:
        before = rng.standard_normal()
        return before + np.sum(np.sin(rng.normal(mu, s, size) * rng.normal(scale=s)))

    value, (by_mu, by_s) = sd.value_and_grad(program, (0, 1))(mu, s, make())
    assert same(value, program(mu, s, make()))
    rng = make()
    rng.standard_normal()
    shape = np.broadcast_shapes(np.shape(mu), np.shape(s)) if size is None else size
    z = rng.standard_normal(shape if shape != () else None)
    w = rng.standard_normal(np.shape(s) if np.shape(s) else None)
    mu64, s64 = np.float64(mu), np.float64(s)
    outer = np.cos((mu64 + s64 * z) * (s64 * w))
    for found, expected, like in (
        (by_mu, outer * s64 * w, mu),
        (by_s, outer * (z * s64 * w + (mu64 + s64 * z) * w), s),
    ):
        padded = np.reshape(expected, (1,) * (2 - np.ndim(expected)) + np.shape(expected))
        target = (1,) * (2 - np.ndim(like)) + np.shape(like)
        axes = tuple(k for k in range(2) if target[k] == 1 and padded.shape[k] != 1)
        summed = np.sum(padded, axis=axes, keepdims=True).reshape(np.shape(like))
        assert np.shape(found) == np.shape(like)
        assert np.asarray(found).dtype == np.asarray(like).dtype
        np.testing.assert_allclose(found, summed, rtol=3e-6 if mu is SHAPES[-1][0] else 1e-12)


def drawn_anyhow(mu, s):
    total = 0.0
    for k in range(3):
        if mu * k < 1.0:
            total += np.random.normal(mu, s) ** 2 + np.random.exponential(s)
    return total


def seed():
    np.random.seed(2)


def test_draws_of_modules_are_differentiated_in_loops_and_branches() -> None:
    seed()
    expected = drawn_anyhow(0.4, 1.3)
    z, e = np.zeros(3), np.zeros(3)
    seed()
    for k in range(3):
        z[k], e[k] = np.random.standard_normal(), np.random.standard_exponential()
    seed()
    value, (by_mu, by_s) = sd.value_and_grad(drawn_anyhow, (0, 1))(0.4, 1.3)
    assert same(value, expected)
    moved = 0.4 + 1.3 * z
    assert by_mu == pytest.approx(np.sum(2 * moved), rel=1e-12)
    assert by_s == pytest.approx(np.sum(2 * moved * z + e), rel=1e-12)
    seed()
    tangent = sd.jvp(drawn_anyhow, (0.4, 1.3), (1.0, 0.5))[1]
    assert tangent == pytest.approx(by_mu + 0.5 * by_s, rel=1e-12)
    seed()
    curvature = sd.hessian(drawn_anyhow)(0.4, 1.3)
    assert curvature == pytest.approx(3 * 2, rel=1e-12)


@pytest.mark.parametrize("s", [-1.0, -0.0, np.array([1.0, -2.0])])
def test_a_negative_scale_raises_before_anything_is_drawn(s: Any) -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="scale < 0"):
        sd.grad(lambda s, rng: np.sum(rng.normal(0.5, s)))(s, rng)
    assert rng.random() == np.random.default_rng(1).random()


def test_a_scale_that_is_not_a_number_gives_no_number() -> None:
    value, _ = sd.value_and_grad(lambda s, rng: rng.normal(0.5, s))(
        np.nan, np.random.default_rng(1)
    )
    assert np.isnan(value)


def test_a_size_that_does_not_fit_raises_as_outside() -> None:
    for size in ((1,), 2, (3, 1)):
        for function in (np.random.default_rng(1).normal, np.random.RandomState(1).normal):
            with pytest.raises(ValueError):
                function(X, 1.0, size)
        with pytest.raises(ValueError):
            sd.grad(lambda x, rng, size=size: np.sum(rng.normal(x, 1.0, size)))(
                X, np.random.default_rng(1)
            )


@pytest.mark.parametrize(
    ("draw", "hint"),
    [
        (lambda x, rng: rng.vonmises(0.0, x), "draw with constant ones"),
        (lambda x, rng: np.random.wald(x, 1.0), "draw with constant ones"),
    ],
)
def test_the_hint_at_a_draw_keeps_the_derivative(draw: Any, hint: str) -> None:
    with pytest.raises(UnsupportedCallError, match=hint) as caught:
        sd.grad(draw)(0.4, np.random.default_rng(1))
    assert "opaque" not in str(caught.value)
    assert "stop_gradient" not in str(caught.value)


def test_a_draw_keeps_its_name_where_its_parameters_carry_no_derivative() -> None:
    source = sd.grad(lambda x, s: x * np.random.normal(0.0, s)).source("float", "float")
    assert "normal(0.0, s)" in source


def test_a_generator_where_a_number_is_needed_is_called_so() -> None:
    with pytest.raises(UnsupportedCallError, match="a Generator where a number or an array is"):
        sd.grad(lambda x: x * np.random.default_rng(0))(0.4)


@pytest.mark.parametrize("lies", [np.ascontiguousarray, np.asfortranarray])
def test_all_elements_are_permuted_as_they_lie_in_memory(lies: Any) -> None:
    x = lies(np.arange(1.0, 7.0).reshape(2, 3))
    weights = np.cos(np.arange(6.0)).reshape(2, 3)

    def weighed(x: Any, rng: Any) -> Any:
        rows, columns = rng.permuted(x * x), rng.permuted(x.T, axis=None).T
        return np.sum(weights * rows) + np.sum(weights * columns)

    value, gradient = sd.value_and_grad(weighed)(x, np.random.default_rng(3))
    assert value == weighed(x, np.random.default_rng(3))
    for place in np.ndindex(2, 3):
        step = lies(np.zeros((2, 3)))
        step[place] = 0.5
        rise = [weighed(x + s * step, np.random.default_rng(3)) for s in (1.0, -1.0)]
        np.testing.assert_allclose(gradient[place], rise[0] - rise[1], rtol=1e-12, atol=1e-12)


def test_all_elements_of_an_array_with_gaps_are_permuted_or_refused() -> None:
    x = np.arange(8.0).reshape(2, 4)[:, ::2]
    with pytest.raises(UnsupportedCallError, match="how it lies in memory"):
        sd.grad(lambda x, rng: np.sum(rng.permuted(x)[0]))(x, np.random.default_rng(3))
