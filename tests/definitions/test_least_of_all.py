"""The least of all minima, by searches that draw, moves as a minimum does."""

import numpy as np
import pytest
from scipy import optimize

import symdiff as sd

P = np.array([0.7, 0.4])
BOUNDS = [(-2.0, 3.0), (-3.0, 0.1)]


def waves(x, p):
    """Many minima; ``p[0]`` moves all of them along, the second bound holds."""
    return (x[0] - p[0]) ** 2 + 0.3 * np.sin(8.0 * (x[0] - p[0])) ** 2 + (x[1] - p[1]) ** 2


SEARCHES = {
    "differential_evolution": {"rng": 1},
    "dual_annealing": {"rng": 1, "maxiter": 50},
    "shgo": {},
}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_least_of_all_minima_moves_with_the_function(name):
    def found(p):
        result = getattr(optimize, name)(waves, BOUNDS, (p,), **SEARCHES[name])
        if not result.success:
            raise RuntimeError(result.message)
        return np.sum(np.array([1.0, 3.0]) * result.x) + result.fun, [result.nfev, result.nit]

    (value, told), slopes = sd.value_and_grad(found, has_aux=True)(P)
    assert (value, told) == found(P)
    # x is (p0, 0.1), and the least value (0.1 - p1)²
    np.testing.assert_allclose(slopes, [1.0, -2.0 * (0.1 - P[1])], atol=1e-6)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_the_least_value_is_of_the_type_of_scipys(name, kind):
    def found(p):
        bounds = optimize.Bounds([-2.0, -3.0], [3.0, 0.1])
        return p[0], getattr(optimize, name)(
            lambda x: kind(waves(x, p)), bounds, callback=None, **SEARCHES[name]
        ).fun

    (_, least), _ = sd.value_and_grad(found, has_aux=True)(P)
    assert type(least) is type(found(P)[1])
    assert least == found(P)[1]


def test_what_is_given_as_it_is_by_default_is_taken():
    def found(p):
        given = {"workers": 1, "constraints": (), "vectorized": False, "integrality": None}
        return optimize.differential_evolution(waves, BOUNDS, (p,), rng=1, **given).x[0]

    np.testing.assert_allclose(sd.grad(found)(P), [1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "draws without rng="),
        ({"rng": 1, "polish": False}, "does not go down"),
        ({"rng": 1, "workers": 2}, "workers="),
        ({"rng": 1, "vectorized": True}, "vectorized="),
    ],
)
def test_what_is_refused_is_named(given, message):
    def found(p):
        return optimize.differential_evolution(waves, BOUNDS, (p,), **given).fun

    with pytest.raises(sd.UnsupportedCallError, match=message):
        sd.grad(found)(P)
