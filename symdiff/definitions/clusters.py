"""Hierarchies and means of clusters, as ``scipy.cluster`` makes them: what is joined with what has
no derivative, how far apart it is has that of the distances.

SciPy finds which clusters are joined. The distances of a cluster from the others follow from those
of its two parts (Lance and Williams 1967): for centroids, medians and Ward's clusters linearly in
squares.
"""

import numpy as np

from symdiff.definitions.declare import defines, defines_inside, known_integer, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed, unknown
from symdiff.definitions.staged import valued

# Hierarchies --------------------------------------------------------------------------------------

_OF_SQUARES = ("centroid", "median", "ward")
_METHODS = ("single", "complete", "average", "weighted", *_OF_SQUARES)


def linkage(y, method="single", metric="euclidean", optimal_ordering=False):
    """Which clusters are joined, how far apart they are, and how many points they have then."""
    from scipy.spatial.distance import pdist

    if method not in _METHODS:
        raise ValueError(f"Invalid method: {method}")
    given = np.asarray(y, dtype=np.float64)
    if given.ndim == 2:
        if method in _OF_SQUARES and metric != "euclidean":
            raise ValueError(f"`method={method}` requires the distance metric to be Euclidean")
        distances, count = np.asarray(pdist(given, metric)), len(given)
    else:
        distances, count = given, _count(len(given))
    shape = np.zeros((count - 1, 4))
    value = computed(shape, _linked, given, method, metric, optimal_ordering)
    heights = valued(_heights(distances, method, value), value[:, 2])
    return np.column_stack((value[:, :2], heights, value[:, 3]))


def _count(pairs):
    """How many points have so many pairs."""
    return int(0.5 + np.sqrt(2.0 * pairs + 0.25))


def _linked(y, method, metric, optimal_ordering):
    from scipy.cluster.hierarchy import linkage

    return linkage(y, method, metric, optimal_ordering)


def _heights(distances, method, joined):
    """How far apart the clusters are that are joined, one pair after the other."""
    count = len(joined) + 1
    squared = method in _OF_SQUARES
    start = distances * distances if squared else 1.0 * distances
    apart = np.zeros((count, count))
    first, second = np.triu_indices(count, 1)
    apart[first, second] = start
    apart[second, first] = start
    places = computed(joined[:, :2], _places, joined).astype(np.int64)
    sizes = np.ones(count)
    heights = np.zeros(count - 1)
    for k in range(count - 1):
        i, j = places[k, 0], places[k, 1]
        between = apart[i, j]
        heights[k] = between
        row = _joined(method, apart[i], apart[j], between, sizes[i], sizes[j], sizes)
        apart[j] = row
        apart[:, j] = row
        sizes[j] = sizes[i] + sizes[j]
    if not squared:
        return heights
    single = np.max(joined[:, :2], axis=1) < count  # the distance of two points is as given
    pair = _pair(np.where(single[:, None], joined[:, :2], 0.0).astype(np.int64), count)
    positive = heights > 0.0
    return np.where(single, distances[pair], np.where(positive, np.sqrt(heights), 0.0))


def _pair(points, count):
    """Where the distance of two points stands among those of all pairs; of no pair anywhere."""
    low, high = np.min(points, axis=1), np.max(points, axis=1)
    return np.where(low < high, low * count - low * (low + 1) // 2 + high - low - 1, 0)


def _places(joined):
    """In which of the rows clusters stand that are joined: the new one in that of the second."""
    count = len(joined) + 1
    row = list(range(count))
    places = np.empty((len(joined), 2))
    for k, (i, j) in enumerate(joined[:, :2].astype(int)):
        places[k] = row[i], row[j]
        row.append(row[j])
    return places


def _joined(method, one, other, between, n, m, sizes):
    """The distances of a cluster from all others by those of its two parts."""
    if method == "single":
        return np.minimum(one, other)
    if method == "complete":
        return np.maximum(one, other)
    if method in ("weighted", "median"):
        middle = 0.5 * (one + other)
        return middle if method == "weighted" else middle - 0.25 * between
    if method == "ward":
        return ((sizes + n) * one + (sizes + m) * other - sizes * between) / (sizes + n + m)
    mean = (n * one + m * other) / (n + m)
    return mean if method == "average" else mean - n * m / (n + m) ** 2 * between


def _of(method):
    def definition(y):
        return linkage(y, method)

    definition.__name__ = method
    return definition


# What is told of hierarchies ----------------------------------------------------------------------


def cophenet(Z, Y=None):
    """How far apart the clusters are that two points are in before they are in one."""
    Z = np.asarray(Z, dtype=np.float64)
    count = len(Z) + 1
    like = np.zeros(count * (count - 1) // 2)
    which = computed(like, _which_together, Z).astype(np.int64)
    together = Z[which, 2]
    if Y is None:
        return together
    Y = np.asarray(Y, dtype=np.float64)
    from scipy.spatial import distance

    distance.is_valid_y(Y, throw=True, name="Y")
    apart, rest = Y - np.mean(Y), together - np.mean(together)
    exact = np.sum(apart * rest) / np.sqrt(np.sum(apart**2) * np.sum(rest**2))
    value = computed(np.mean(Y), _correlation, Z, Y)
    return valued(exact, value), together


def _told(name, Z, *given, **options):
    from scipy.cluster import hierarchy

    return getattr(hierarchy, name)(Z, *given, **options)


def _numbered(Z):
    """A hierarchy whose clusters are at the heights of their numbers."""
    numbered = np.array(Z)
    numbered[:, 2] = np.arange(len(Z))
    return numbered


def _which_together(Z):
    _told("cophenet", Z)  # raises of what is no hierarchy
    return _told("cophenet", _numbered(Z))


def _correlation(Z, Y):
    return _told("cophenet", Z, Y)[0]


def inconsistent(Z, d=2):
    """Means and deviations of the heights in and below each cluster, and how far its own is off."""
    Z = np.asarray(Z, dtype=np.float64)
    value = computed(np.zeros((len(Z), 4)), _inconsistent, Z, d)
    heights, count = Z[:, 2], value[:, 2]
    below = computed(np.zeros((int(np.sum(count)), 2)), _links, Z, d).astype(np.int64)
    clusters, links = below[:, 0], below[:, 1]
    mean = np.zeros(len(Z))
    np.add.at(mean, clusters, heights[links] / count[clusters])
    squares = np.zeros(len(Z))
    apart = heights[links] - mean[clusters]
    np.add.at(squares, clusters, apart * apart / np.maximum(count[clusters] - 1.0, 1.0))
    spread = value[:, 1] > 0.0
    deviation = np.sqrt(np.where(spread, squares, 1.0))
    off = np.where(spread, (heights - mean) / deviation, 0.0)
    deviation = np.where(spread, deviation, 0.0)
    return valued(np.column_stack((mean, deviation, count, off)), value)


def _inconsistent(Z, d):
    return _told("inconsistent", Z, d)


def _links(Z, d):
    """The pairs of a cluster and one that is less than ``d`` steps below it, itself among them."""
    count = len(Z) + 1
    level = found = np.stack((np.arange(len(Z)),) * 2, axis=1)
    for _ in range(int(d) - 1):
        parts = Z[level[:, 1], :2].astype(int) - count
        level = np.stack((np.repeat(level[:, 0], 2), parts.ravel()), axis=1)
        level = level[level[:, 1] >= 0]
        found = np.concatenate((found, level))
    return found.astype(float)


def maxdists(Z):
    """The largest height of each cluster and those below it."""
    Z = np.asarray(Z, dtype=np.float64)
    return Z[computed(Z[:, 0], _which_largest, Z, Z[:, 2]).astype(np.int64), 2]


def maxinconsts(Z, R):
    """How far off the heights are at most in each cluster and those below it."""
    return maxRstat(Z, R, 3)


def maxRstat(Z, R, i):
    """The largest number of a column of ``inconsistent`` in each cluster and those below it."""
    if not isinstance(i, int):
        raise TypeError("The third argument must be an integer.")
    if i < 0 or i > 3:
        raise ValueError("i must be an integer between 0 and 3 inclusive.")
    Z, R = np.asarray(Z, dtype=np.float64), np.asarray(R, dtype=np.float64)
    return R[computed(Z[:, 0], _which_of_statistics, Z, R, i).astype(np.int64), i]


def _which_of_statistics(Z, R, i):
    _told("maxRstat", Z, R, i)  # raises of what is no hierarchy
    return _which_largest(Z, R[:, i])


def _which_largest(Z, numbers):
    """Of each cluster the one with the largest number, among itself and those below it."""
    _told("maxdists", Z)  # raises of what is no hierarchy
    count = len(Z) + 1
    which = np.arange(len(Z))
    for k, parts in enumerate(Z[:, :2].astype(int) - count):
        for part in parts[parts >= 0]:
            if numbers[which[part]] > numbers[which[k]]:
                which[k] = which[part]
    return which.astype(float)


def to_mlab_linkage(Z):
    """A hierarchy whose points are counted from 1, without the sizes."""
    Z = np.asarray(Z, dtype=np.float64)
    if Z.ndim != 2:
        refuse("an empty hierarchy")
    checked = computed(Z[:, :2], _first_columns, Z)
    return np.concatenate((checked + 1.0, Z[:, 2:3]), axis=1)


def _first_columns(Z):
    _told("maxdists", Z)  # raises of what is no hierarchy
    return Z[:, :2].copy()


def from_mlab_linkage(Z):
    """A hierarchy whose points are counted from 0, with the sizes."""
    Z = np.asarray(Z, dtype=np.float64)
    if Z.ndim != 2:
        refuse("an empty hierarchy")
    value = computed(np.zeros((len(Z), 4)), _from_mlab, Z)
    return np.concatenate((value[:, :2], Z[:, 2:3], value[:, 3:]), axis=1)


def _from_mlab(Z):
    return _told("from_mlab_linkage", Z)


# Drawings -----------------------------------------------------------------------------------------


def dendrogram(
    Z, p=30, truncate_mode=None, color_threshold=None, get_leaves=True, orientation="top",
    labels=None, count_sort=False, distance_sort=False, show_leaf_counts=True, no_plot=False,
    no_labels=False, leaf_font_size=None, leaf_rotation=None, leaf_label_func=None,
    show_contracted=False, link_color_func=None, ax=None, above_threshold_color="C0",
):  # fmt: skip
    """Where the links of a hierarchy are drawn, whose ends are as high as the clusters are."""
    if truncate_mode not in (None, "none", "lastp"):
        refuse(f"truncate_mode={truncate_mode!r}")
    if leaf_label_func is not None or link_color_func is not None or not get_leaves:
        refuse("leaf_label_func=, link_color_func= and get_leaves=False")
    Z = np.asarray(Z)
    count = known_integer(len(Z))
    cut = truncate_mode == "lastp" and 0 < p <= count
    shown = {"p": p, "truncate_mode": truncate_mode, "color_threshold": color_threshold}
    sorts = {"count_sort": count_sort, "distance_sort": distance_sort}
    names = {"orientation": orientation, "labels": labels, "show_leaf_counts": show_leaf_counts}
    ticks = {"no_labels": no_labels, "leaf_font_size": leaf_font_size, "ax": ax}
    ticks = {**ticks, "leaf_rotation": leaf_rotation, "show_contracted": show_contracted}
    color = {"above_threshold_color": above_threshold_color, "no_plot": no_plot}
    drawn = unknown(_drawn, Z, {**shown, **sorts, **names, **ticks, **color})
    links = known_integer(p) - 1 if cut else count
    ends = computed(np.zeros((links, 3)), _ends_of_links, Z, {**shown, **sorts}).astype(np.int64)
    heights = []
    for k in range(links):
        left, top, right = ends[k, 0], Z[ends[k, 1], 2], ends[k, 2]
        heights.append([_height(Z, left), top, top, _height(Z, right)])
    told = {name: unknown(_part, drawn, name) for name in _PARTS}
    return {"icoord": told.pop("icoord"), "dcoord": heights, **told}


_PARTS = ("icoord", "ivl", "leaves", "color_list", "leaves_color_list")


def _part(drawn, name):
    return drawn[name]


def _height(Z, row):
    """How high a cluster is; a point is at 0."""
    return Z[row, 2] if row >= 0 else 0.0


def _drawn(Z, options):
    return _told("dendrogram", Z, **options)


def _ends_of_links(Z, options):
    """The rows of the clusters that each link joins, and of the one above them between the two;
    -1 for a point, and for a cluster that is drawn as one.
    """
    clusters: list[int] = []  # those that are linked, each behind all that are below it

    def colored(cluster):
        clusters.append(cluster)
        return "k"

    count = len(Z) + 1
    drawn = _told("dendrogram", Z, no_plot=True, link_color_func=colored, **options)
    ends, seen = np.full((len(clusters), 3), -1.0), set()
    for k, (cluster, heights) in enumerate(zip(clusters, drawn["dcoord"], strict=True)):
        parts = [int(part) for part in Z[cluster - count, :2] if part in seen]
        if len(parts) == 2:
            last = clusters[k - 1]  # the right one is drawn behind the left one
            ends[k, [0, 2]] = sum(parts) - last - count, last - count
        elif parts:  # the other one is a point, whose height is no element of the hierarchy
            ends[k, 2 if type(heights[0]) is float else 0] = parts[0] - count
        ends[k, 1] = cluster - count
        seen.add(cluster)
    return ends


# Means --------------------------------------------------------------------------------------------


def vq(obs, code_book, check_finite=True):
    """The nearest row of the code book to each observation, and how far that is."""
    points, book = np.asarray(obs), np.asarray(code_book)
    kind = np.result_type(points, book)
    like = np.zeros((2, len(points)))
    value = computed(like, _nearest, points, book, check_finite)
    code = value[0].astype(np.int32 if kind.kind == "f" else np.int64)
    apart = points - book[code]
    exact = np.abs(apart) if points.ndim == 1 else np.linalg.norm(apart, axis=1)
    exact = exact.astype(kind if kind.kind == "f" else np.float64)
    return code, valued(exact, value[1].astype(exact.dtype))


def _nearest(points, book, check_finite):
    from scipy.cluster.vq import vq

    return np.stack([np.asarray(part, float) for part in vq(points, book, check_finite)])


def cluster_means(obs, labels, nc):
    """The mean of the observations of each cluster, and which ones have any."""
    members = np.bincount(labels, minlength=nc)
    sums = np.zeros((nc, *obs.shape[1:]), obs.dtype)
    np.add.at(sums, labels, obs)
    count = np.maximum(members, 1).astype(obs.dtype)
    return sums / (count if obs.ndim == 1 else count[:, None]), members > 0


@when_imported("scipy.cluster.hierarchy")
def register_hierarchies(hierarchy):
    """Say what hierarchies are."""
    for name in _METHODS:
        defines(getattr(hierarchy, name))(_of(name))
    told = (cophenet, inconsistent, maxdists, maxinconsts, maxRstat)
    for definition in (linkage, *told, to_mlab_linkage, from_mlab_linkage, dendrogram):
        defines(getattr(hierarchy, definition.__name__))(definition)


@when_imported("scipy.cluster.vq")
def register_means(means):
    """Say what is nearest."""
    defines(means.vq)(vq)
    defines_inside(means._vq.update_cluster_means, cluster_means)
