"""Distances of ``scipy.spatial.distance``, by differences."""

import numpy as np
import pytest
from scipy.spatial import distance

import symdiff as sd
from tests.definitions.calls import check

X = np.array([[0.31, 1.2, 0.7], [2.2, 1.1, 0.9]])


@pytest.mark.parametrize(
    "found",
    [
        lambda x: distance.cdist(x, X + 0.3, "minkowski", p=1.5, w=[1.0, 2.0, 0.5]),
        lambda x: distance.cdist(x, X**2, "minkowski", p=1, w=[1, 2, 3]),
        lambda x: distance.pdist(x, "minkowski", p=3, w=x[0]),
    ],
)
def test_weights_may_be_a_list(found):
    check(found, X)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_a_weight_of_zero_has_a_slope(p):
    """By roots of the weights it would be infinite there, times 0."""
    sizes, weights = np.abs(X[0] - X[1]), np.array([0.0, 1.0, 2.0])
    slopes = np.sum(weights * sizes**p) ** (1.0 / p - 1.0) * sizes**p / p
    for found in (
        lambda w: distance.minkowski(X[0], X[1], p, w),
        lambda w: distance.cdist(X[:1], X[1:], "minkowski", p=p, w=w)[0, 0],
        lambda w: distance.pdist(X, "minkowski", p=p, w=w)[0],
    ):
        np.testing.assert_allclose(sd.grad(found)(weights), slopes, rtol=1e-14)
        forward = sd.jvp(found, (weights,), (np.array([1.0, 0.0, 0.0]),))[1]
        np.testing.assert_allclose(forward, slopes[0], rtol=1e-14)


def test_the_largest_difference_is_one_that_has_a_weight():
    weights = [0, 1, 2]
    for found in (
        lambda x: distance.minkowski(x[0], x[1], np.inf, weights),
        lambda x: distance.cdist(x[:1], x[1:], "minkowski", p=np.inf, w=weights)[0, 0],
    ):
        np.testing.assert_array_equal(sd.grad(found)(X), [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0]])
def test_curvatures_where_a_coordinate_is_equal(weights):
    def found(x):
        return distance.cdist(x[:1], x[1:], "minkowski", p=2, w=weights)[0, 0]

    x = np.array([[0.31, 1.2, 0.7], [2.2, 1.2, 0.9]])
    apart = np.sqrt(weights if weights else np.ones(3)) * (x[0] - x[1])
    size = np.linalg.norm(apart)
    scales = np.sqrt(weights if weights else np.ones(3))
    bent = np.outer(scales, scales) * (np.eye(3) - np.outer(apart, apart) / size**2) / size
    np.testing.assert_allclose(sd.hessian(found)(x)[0, :, 0], bent, atol=1e-14)


def test_of_two_vectors():
    for p in (1, 2, 2.5, np.inf):
        check(lambda x, p=p: distance.minkowski(x[0], x[1] + 0.4, p, [1.0, 2.0, 3.0]), X)
    assert sd.grad(lambda u: distance.minkowski(u, X[0], 2))(X[0]).tolist() == [0.0, 0.0, 0.0]
    for wrong in (
        lambda u: distance.minkowski(u, X[1], 0),
        lambda u: distance.minkowski(u, X[1], 2, [1.0, -1.0, 1.0]),
        lambda u: distance.minkowski(u, X),
        lambda u: distance.minkowski(u.tolist(), X[1], 2, [1.0, 2.0]),
    ):
        with pytest.raises(ValueError) as plain:
            wrong(X[0])
        with pytest.raises(ValueError) as compiled:
            sd.vjp(wrong, X[0])
        assert str(compiled.value) == str(plain.value)
