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


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("function", [from_arrays, shuffled])
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
        (lambda x: rng.normal(x, 1.0), "cannot differentiate"),
        (lambda x: rng.shuffle([x, x]), "shuffle of"),
    ):
        with pytest.raises(UnsupportedCallError, match=message):
            sd.vjp(function, X)
    with pytest.raises(AttributeError, match="Generator' object has no attribute 'randn'"):
        sd.vjp(lambda x: x * rng.randn(3), X)
