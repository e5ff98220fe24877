"""Clusters: how far apart they are, and their means, against differences; edges by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.calls import check

hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
vq = pytest.importorskip("scipy.cluster.vq")
distance = pytest.importorskip("scipy.spatial.distance")

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(9, 3))
DISTANCES = distance.pdist(POINTS)
JOINED = hierarchy.average(DISTANCES)
HEIGHTS = JOINED[:, 2].copy()
BOOK = POINTS[:3] + 0.01
METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


def _at(heights: Any) -> Any:
    return np.column_stack((JOINED[:, :2], heights, JOINED[:, 3]))


@pytest.mark.parametrize("method", METHODS)
def test_distances_of_clusters(method: str) -> None:
    check(lambda x: hierarchy.linkage(x, method), POINTS, step=0.004)
    check(lambda y: getattr(hierarchy, method)(y)[:, 2], DISTANCES, step=0.004)


def test_other_distances_and_orders() -> None:
    check(lambda x: hierarchy.linkage(x, "average", "cityblock", True), POINTS, step=0.001)


@pytest.mark.parametrize(
    "told",
    [
        lambda x: hierarchy.cophenet(_at(x)),
        lambda x: hierarchy.cophenet(_at(x), DISTANCES * x[0]),
        lambda x: hierarchy.inconsistent(_at(x)),
        lambda x: hierarchy.inconsistent(_at(x), 4),
        lambda x: hierarchy.maxdists(_at(x)),
        lambda x: hierarchy.maxinconsts(_at(x), hierarchy.inconsistent(_at(x))),
        lambda x: hierarchy.maxRstat(_at(x), hierarchy.inconsistent(_at(x)), 1),
        lambda x: hierarchy.from_mlab_linkage(hierarchy.to_mlab_linkage(_at(x))),
    ],
)
def test_what_is_told_of_hierarchies(told: Any) -> None:
    check(told, HEIGHTS, step=0.001)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"count_sort": True},
        {"distance_sort": "descending", "color_threshold": 1.0},
        {"p": 4, "truncate_mode": "lastp", "distance_sort": True},
        {"p": 1, "truncate_mode": "lastp"},
        {"p": 0, "truncate_mode": "lastp"},
    ],
)
def test_the_links_of_a_drawing_are_as_high_as_the_clusters(options: Any) -> None:
    def heights(x: Any) -> Any:
        drawn = hierarchy.dendrogram(_at(x), no_plot=True, **options)
        return np.reshape(drawn["dcoord"], -1) * x[0]

    check(heights, HEIGHTS, step=0.001)

    def drawn(x: Any) -> Any:
        return hierarchy.dendrogram(_at(x), no_plot=True, **options)

    value, pullback = sd.vjp(drawn, HEIGHTS)
    expected = drawn(HEIGHTS)
    assert value == expected
    assert repr(value) == repr(expected)  # the height of a point is a float, not NumPy's
    ones = {name: _ones(part) for name, part in expected.items()}
    count = sum(np.count_nonzero(row) for row in expected["dcoord"])
    assert np.sum(pullback(ones)[0]) == count


def _ones(part: Any) -> Any:
    if isinstance(part, list):
        return [_ones(item) for item in part]
    return 1.0 if isinstance(part, float) else None


def test_two_clusters_at_one_height_are_told_apart() -> None:
    points = np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [20.0]])
    joined = hierarchy.linkage(points, "single")  # two clusters at height 1, one at height 0
    gradient = sd.grad(lambda z: np.sum(hierarchy.dendrogram(z, no_plot=True)["dcoord"]))(joined)
    assert gradient[:, 2].tolist() == [3.0, 3.0, 3.0, 3.0, 2.0]
    assert not gradient[:, [0, 1, 3]].any()


def test_a_drawing_is_drawn_once() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    _, axes = pyplot.subplots(1, 2)

    def drawn(x: Any) -> Any:
        return hierarchy.dendrogram(_at(x), ax=axes[1])["dcoord"][-1][1]

    assert sd.grad(drawn)(HEIGHTS)[-1] == 1.0
    colors = hierarchy.dendrogram(JOINED, no_plot=True)["color_list"]
    assert len(axes[1].collections) == len(set(colors))
    pyplot.close("all")


def test_drawings_of_an_unknown_number_of_links_are_refused() -> None:
    def drawn(x: Any) -> Any:
        return hierarchy.dendrogram(_at(x), 2, "level", no_plot=True)["dcoord"][0][1]

    with pytest.raises(sd.UnsupportedCallError, match="truncate_mode='level'"):
        sd.grad(drawn)(HEIGHTS)


def test_inversions_have_the_largest_height() -> None:
    inverted = hierarchy.centroid([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    assert inverted[1, 2] < inverted[0, 2]

    def largest(heights: Any) -> Any:
        return hierarchy.maxdists(np.column_stack((inverted[:, :2], heights, inverted[:, 3])))[1]

    np.testing.assert_array_equal(sd.grad(largest)(inverted[:, 2].copy()), [1.0, 0.0])


@pytest.mark.parametrize("method", METHODS)
def test_points_at_one_place(method: str) -> None:
    points = np.array([[0.0, 0.0], [0.0, 0.0], [2.0, 0.0]])

    def farthest(x: Any) -> Any:
        return hierarchy.linkage(x, method)[-1, 2]

    factor = 2.0 / np.sqrt(3.0) if method == "ward" else 1.0
    gradient = sd.grad(farthest)(points)
    np.testing.assert_allclose(gradient[2], [factor, 0.0], atol=1e-14)
    np.testing.assert_allclose(np.sum(gradient, axis=0), 0.0, atol=1e-14)


@pytest.mark.parametrize(
    "means",
    [
        lambda x, b: vq.vq(x, b)[1],
        lambda x, b: vq.vq(x[:, 0], b[:, 0])[1],
        lambda x, b: vq.kmeans(x, b),
        lambda x, b: vq.kmeans2(x, b, minit="matrix", seed=1)[0],
    ],
)
def test_means_of_clusters(means: Any) -> None:
    check(means, POINTS, BOOK, wrt=(0, 1), step=0.0004)


def test_numbers_of_single_precision() -> None:
    value = sd.grad(lambda x: np.sum(vq.vq(x, BOOK.astype(np.float32))[1]))
    assert value(POINTS.astype(np.float32)).dtype == np.float32


def test_what_scipy_raises() -> None:
    with pytest.raises(ValueError, match="Invalid method: nearest"):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x, "nearest")))(POINTS)
    with pytest.raises(ValueError, match="to be Euclidean"):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x, "ward", "cityblock")))(POINTS)
    with pytest.raises(ValueError):
        sd.grad(lambda x: np.sum(hierarchy.linkage(x)))(POINTS[0, :2])
    with pytest.raises(TypeError, match="multiple values for argument now known as `rng`"):
        sd.grad(lambda x: vq.kmeans2(x, BOOK, minit="matrix", seed=1, rng=2)[0][0, 0])(POINTS)


def test_the_time_grows_with_the_square_of_the_points() -> None:
    points = RNG.normal(size=(200, 3))
    gradient = sd.grad(lambda x: np.sum(hierarchy.ward(distance.pdist(x))[:, 2]))(points)
    np.testing.assert_allclose(np.sum(gradient, axis=0), 0.0, atol=1e-9)
