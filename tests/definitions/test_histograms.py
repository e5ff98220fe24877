"""Histograms by weights, by counts, over one and several dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check
from tests.test_programs import same

X = np.random.default_rng(2).normal(size=(3, 4))
W = np.random.default_rng(3).uniform(0.5, 2.0, size=(3, 4))
EDGES = np.array([-1.0, -0.2, 0.1, 0.9])


def of_equal_bins(x, w):
    sums, edges = np.histogram(x, bins=4, weights=w)
    counts, again = np.histogram(x, 3, (-1, 1))
    return sums * edges[1:], counts * again[:-1]


def between_edges(x, w):
    sums, edges = np.histogram(x, EDGES, weights=w)
    return sums * edges[1:], np.histogram(x, [-1, 0, 1.0])[0] * w[0, 0]


def densities(x, w):
    alone = np.histogram(x, bins=3, density=True)[0]
    return alone, np.histogram(x, EDGES, density=True, weights=w)[0]


def edges_alone(x, w):
    return np.histogram_bin_edges(x, 3) * np.histogram_bin_edges(w, bins=3, range=(0, 1))


def of_points(x, w):
    plane, across, up = np.histogram2d(x[0], x[1], bins=(2, 3), weights=w[0])
    space, edges = np.histogramdd(x, bins=2, weights=w[:, 0], density=True)
    grid = np.histogramdd([x[0], x[2]], [EDGES, 2], range=[None, (-1, 2)])[0]
    return plane * across[0] * up[1], space * edges[0][1], grid * w[0, 0]


FUNCTIONS = [of_equal_bins, between_edges, densities, edges_alone, of_points]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_of_elements_and_weights(function: Any) -> None:
    check(function, X, W, wrt=(0, 1), step=1e-3)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_and_types_are_numpys(function: Any) -> None:
    for x, w in (
        (X.astype("float32"), W),
        (X[:, ::-1], W.astype("float32")),
        (np.round(2 * X), W[::-1]),
    ):
        assert same(sd.vjp(function, x, w)[0], function(x, w))


def test_what_is_as_great_as_the_last_edge_is_in_the_last_bin() -> None:
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    gradient = sd.grad(lambda w: np.histogram(x, [0.0, 1.0, 2.0], weights=w)[0] @ [3.0, 5.0])
    np.testing.assert_array_equal(gradient(np.ones(5)), [3.0, 5.0, 5.0, 5.0, 0.0])


def test_of_nothing() -> None:
    def function(w):
        return np.sum(np.histogram(np.zeros(0), 2, weights=w[:0])[0]) + np.sum(w)

    assert sd.value_and_grad(function)(np.ones(2))[0] == 2.0


def test_mistakes_are_numpys() -> None:
    for error, message, function in (
        (ValueError, "must increase", lambda x: np.histogram(x, EDGES[::-1])[0]),
        (ValueError, "must be positive", lambda x: np.histogram(x, 0)[0]),
        (ValueError, "same shape", lambda x: np.histogram(x, weights=x[0])[0]),
        (ValueError, "max must be larger", lambda x: np.histogram(x, range=(1, 0))[1]),
        (sd.UnsupportedCallError, "that the data choose", lambda x: np.histogram(x, "auto")[1]),
    ):
        with pytest.raises(error, match=message):
            sd.grad(lambda x, function=function: np.sum(function(x) * x[0, 0]))(X)
