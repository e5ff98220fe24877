"""How evenly points fill the unit cube: the discrepancies of ``scipy.stats.qmc``, and how far
distributions are from one another.

The forms are those of Fang, Li and Sudjianto (2006, "Design and Modeling for Computer Experiments",
3.2), of all pairs of points at once.
"""

import numpy as np

from symdiff.definitions.declare import defines, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import strong_multiply, valued, without_derivative


def _over_points(parts):
    """The sum over points of the products over coordinates."""
    return np.sum(np.prod(parts, axis=-1))


def _pairs(x):
    """Each point beside each other one."""
    return x[:, np.newaxis, :], x[np.newaxis, :, :]


def _centered(x, count):
    off = np.abs(x - 0.5)
    one, other = _pairs(off)
    apart = np.abs(x[:, np.newaxis, :] - x[np.newaxis, :, :])
    single = _over_points(1.0 + 0.5 * off - 0.5 * off**2)
    both = _over_points(1.0 + 0.5 * one + 0.5 * other - 0.5 * apart)
    return (13.0 / 12.0) ** x.shape[1] - 2.0 / count * single + both / count**2


def _wrapped(x, count):
    one, other = _pairs(x)
    apart = np.abs(one - other)
    return _over_points(1.5 - apart * (1.0 - apart)) / count**2 - (4.0 / 3.0) ** x.shape[1]


def _mixed(x, count):
    off = np.abs(x - 0.5)
    one, other = _pairs(off)
    apart = np.abs(x[:, np.newaxis, :] - x[np.newaxis, :, :])
    single = _over_points(5.0 / 3.0 - 0.25 * off - 0.25 * off**2)
    both = 15.0 / 8.0 - 0.25 * one - 0.25 * other - 0.75 * apart + 0.5 * apart**2
    both = _over_points(both)
    return (19.0 / 12.0) ** x.shape[1] - 2.0 / count * single + both / count**2


def _star(x, count):
    one, other = _pairs(x)
    size = x.shape[1]
    single, both = _over_points(1.0 - x**2), _over_points(1.0 - np.maximum(one, other))
    return np.sqrt(3.0**-size - 2.0 ** (1.0 - size) / count * single + both / count**2)


_METHODS = {"CD": _centered, "WD": _wrapped, "MD": _mixed, "L2-star": _star}


def _points(sample):
    """Points, which have to be inside."""
    x = np.asarray(sample, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    if np.max(x) > 1.0 or np.min(x) < 0.0:
        raise ValueError("Sample is not in unit hypercube")
    return x


def discrepancy(sample, *, iterative=False, method="CD", workers=1):
    """The discrepancy, or what it is of one more point but for that."""
    x = _points(sample)
    if method not in _METHODS:
        refuse(f"method={method!r}")
    return _METHODS[method](x, len(x) + 1 if iterative else len(x))


def update_discrepancy(x_new, sample, initial_disc):
    """The centered discrepancy of one more point."""
    x, new = _points(sample), np.asarray(x_new, dtype=np.float64)
    if new.ndim != 1:
        raise ValueError("x_new is not a 1D array")
    if not (np.all(new >= 0.0) and np.all(new <= 1.0)):
        raise ValueError("x_new is not in unit hypercube")
    count, off, others = len(x) + 1, np.abs(new - 0.5), np.abs(x - 0.5)
    single = np.prod(1.0 + 0.5 * off - 0.5 * off**2)
    both = _over_points(1.0 + 0.5 * off + 0.5 * others - 0.5 * np.abs(new - x))
    own = np.prod(1.0 + off)
    return initial_disc - 2.0 / count * single + (2.0 * both + own) / count**2


def geometric_discrepancy(sample, method="mindist", metric="euclidean"):
    """The least distance between points, or the mean one of those that span a tree of them."""
    from scipy.spatial.distance import pdist

    apart = pdist(_points(sample), metric)
    if method == "mindist":
        return np.min(apart[apart != 0.0])
    if method != "mst":
        raise ValueError(
            f"{method!r} is not a valid method. It must be one of {{'mindist', 'mst'}}"
        )
    spans = computed(apart, _spanning, apart)
    return np.sum(apart * spans) / np.sum(spans)


def _spanning(apart):
    """1 for the pairs of points that span the least tree, 0 for others."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import squareform

    tree = minimum_spanning_tree(squareform(apart)).toarray()
    return squareform((tree + tree.T != 0.0).astype(float), checks=False)


# Between distributions ----------------------------------------------------------------------------


def wasserstein_distance_nd(u_values, v_values, u_weights=None, v_weights=None):
    """What it costs to move one distribution to the other by the cheapest plan. What it moves
    nearby is linear in the weights, where no part of the plan is 0 that might be more.
    """
    from scipy.spatial import distance_matrix
    from scipy.stats import wasserstein_distance

    u, v = np.asarray(u_values, np.float64), np.asarray(v_values, np.float64)
    if u.ndim == 1 and v.ndim == 1:
        return wasserstein_distance(u, v, u_weights, v_weights)
    if u.ndim != 2 or v.ndim != 2:
        raise ValueError("Invalid input values. Dimensions of inputs must be equal.")
    costs = distance_matrix(u, v)
    shares, others = _shares(u, u_weights), _shares(v, v_weights)
    ends = np.concatenate((shares, others))
    like = np.zeros((len(u) * len(v), 2 + len(u) + len(v)))
    found = computed(like, _cheapest, costs, shares, others)
    moved = found[:, 2:] @ (ends - without_derivative(ends))
    plan = found[:, 0] + strong_multiply(moved, found[:, 1])
    exact = np.sum(plan * np.ravel(costs))
    told = computed(np.asarray(0.0), _distance, u_values, v_values, u_weights, v_weights)
    return float(valued(exact, told[()]))


def _distance(*given):
    from scipy.stats import wasserstein_distance_nd as found

    return np.asarray(found(*given))


def _shares(values, weights):
    if weights is None:
        return np.full(len(values), 1.0 / len(values))
    given = np.asarray(weights, np.float64)
    return given / np.sum(given)


def _cheapest(costs, shares, others):
    """The plan, 1 or NaN where weights determine it or not, and by what they are multiplied."""
    from scipy.optimize import linprog

    rows, columns = costs.shape
    by_rows = np.kron(np.eye(rows), np.ones(columns))
    by_columns = np.kron(np.ones(rows), np.eye(columns))
    sums = np.vstack((by_rows, by_columns))
    ends = np.append(shares, others)
    found = linprog(costs.ravel(), A_eq=sums, b_eq=ends, method="highs")
    if found.x is None:
        return np.full((rows * columns, 2 + len(ends)), np.nan)
    used = np.where(found.x > 1e-12, 1.0, 0.0)
    known = np.full(len(used), 1.0 if np.sum(used) == len(ends) - 1 else np.nan)
    return np.column_stack((found.x, known, np.linalg.pinv(sums * used)))


@when_imported("scipy.stats.qmc")
def register(qmc):
    """Say what the functions mean."""
    from scipy import stats

    for definition in (discrepancy, update_discrepancy, geometric_discrepancy):
        defines(getattr(qmc, definition.__name__), rounded=True)(definition)
    if hasattr(stats, "wasserstein_distance_nd"):  # in this version of SciPy
        defines(stats.wasserstein_distance_nd)(wasserstein_distance_nd)
