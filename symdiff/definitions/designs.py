"""Designs of filters by ``scipy.signal``: sections of second order, the bilinear transform, and
filters whose largest error is the least.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued

# Sections of second order -------------------------------------------------------------------------


def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """Polynomials of the roots that SciPy has put together, which stay together nearby."""
    zeros, poles = np.asarray(z).astype(complex), np.asarray(p).astype(complex)
    if not np.isreal(k):
        raise ValueError("k must be real")
    gain = np.real(k)
    if len(zeros) == 0 and len(poles) == 0:
        if analog:
            return np.array([[0.0, 0.0, gain, 0.0, 0.0, 1.0]])
        return np.array([[gain, 0.0, 0.0, 1.0, 0.0, 0.0]])
    is_even = pairing != "minimal" if pairing is not None else not analog
    count = (max(len(zeros), len(poles)) if is_even else len(poles)) + 1
    given = zeros, poles, pairing, analog
    found = computed(np.zeros((count // 2, 6)), _sections, *given)
    made = np.concatenate((_of_roots(zeros, found[:, :3]), _of_roots(poles, found[:, 3:])), axis=1)
    first = np.where(np.arange(6) < 3, gain, 1.0)
    scale = np.where(np.arange(count // 2)[:, None] == 0, first, 1.0)
    return valued(made, found) * scale


def _sections(zeros, poles, pairing, analog):
    from scipy.signal import zpk2sos as find

    return find(zeros, poles, 1.0, pairing, analog=analog)


def _of_roots(roots, rows):
    """The polynomials with rows of coefficients, by the two, or fewer, of the roots that each has.

    Of conjugates SciPy takes the mean, of real ones the real part.
    """
    places = computed(np.zeros((rows.shape[0], 4), np.int64), _places, roots, rows)
    known = np.concatenate((roots, np.zeros(1, complex)))
    first, second = known[places[:, 0]], known[places[:, 1]]
    real, imaginary = 0.5 * (first.real + second.real), 0.5 * (first.imag - second.imag)
    is_pair = places[:, 3] == 1
    product = np.where(is_pair, real * real + imaginary * imaginary, first.real * second.real)
    degree = places[:, 2]
    total = np.where(degree == 1, first.real, 2.0 * real)
    leading = np.where(degree == 2, 1.0, 0.0)
    middle = np.where(degree == 2, -total, np.where(degree == 1, 1.0, 0.0))
    last = np.where(degree == 2, product, np.where(degree == 1, -total, 1.0))
    return np.stack((leading, middle, last), axis=1)


def _places(roots, rows):
    """The places of the roots of each row of coefficients, its degree, and whether the roots are
    conjugates. Behind the roots stand zeros, which SciPy adds.
    """
    known = np.append(roots, 0.0)
    left = np.ones(len(known), bool)
    found = np.zeros((len(rows), 4), np.int64)
    for row, coefficients in zip(found, rows, strict=True):
        degree = int(2 - np.flatnonzero(coefficients)[0])
        places = _taken(known, left, coefficients[2 - degree :])
        left[places] = False
        left[-1] = True
        row[:degree], row[2] = places, degree
        row[3] = degree == 2 and known[places[0]].imag != 0.0
    return found


def _taken(known, left, coefficients):
    """The places of the roots that are left of a polynomial of degree 2, 1, or 0."""
    degree = len(coefficients) - 1
    if degree == 0:
        return []
    apart = np.where(left, 0.0, np.inf)
    if degree == 1:
        return [int(np.argmin(np.abs(known + coefficients[1]) + apart))]
    first, second = known[:, None], known[None, :]
    apart = apart[:, None] + apart[None, :]
    apart = apart + np.diag(np.append(np.full(len(known) - 1, np.inf), 0.0))
    apart = apart + np.abs(first + second + coefficients[1])
    apart = apart + np.abs(first * second - coefficients[2])
    return [int(place) for place in np.unravel_index(np.argmin(apart), apart.shape)]


# The bilinear transform ---------------------------------------------------------------------------


def bilinear(b, a, fs=1.0):
    """The powers of ``2 fs (z - 1) / (z + 1)``, times that of ``z + 1``."""
    from scipy.signal import normalize

    above, below = np.atleast_1d(b), np.atleast_1d(a)
    if above.ndim != 1 or below.ndim != 1:
        raise ValueError("Parameters a and b have to be 1d arrays")
    above, below = np.trim_zeros(above, "f"), np.trim_zeros(below, "f")
    degree = max(len(above), len(below)) - 1
    table = computed(np.zeros((degree + 1, degree + 1)), _bilinear_table, degree)
    return normalize(_mapped(above, table, fs), _mapped(below, table, fs))


def _mapped(c, table, fs):
    count = len(c)
    powers = np.sqrt(2.0 * fs) ** (2.0 * np.arange(count) - (len(table) - 1.0))
    return (c[::-1] * powers) @ table[:count]


def _bilinear_table(degree):
    """Rows of the coefficients of ``(z + 1)**(degree - k) * (z - 1)**k``, the highest first."""
    rows = np.zeros((degree + 1, degree + 1))
    for k in range(degree + 1):
        rows[k] = np.poly(np.append(-np.ones(degree - k), np.ones(k)))
    return rows


# The least largest error --------------------------------------------------------------------------


def remez(
    numtaps,
    bands,
    desired,
    *,
    weight=None,
    type="bandpass",
    maxiter=25,
    grid_density=16,
    fs=None,
):
    """The filter whose errors on a grid are largest, and alike, at one frequency more than it has
    numbers (Parks and McClellan 1972): at these it is known.
    """
    if type not in ("bandpass", "differentiator", "hilbert"):
        raise ValueError("Type must be 'bandpass', 'differentiator', or 'hilbert'")
    edges = np.ravel(np.asarray(bands, np.float64)) / (1.0 if fs is None else fs)
    levels = np.asarray(desired, np.float64)
    weights = np.ones(len(levels)) if weight is None else np.asarray(weight, np.float64)
    options = numtaps, type, grid_density
    given = bands, desired, weight, maxiter, fs
    told = computed(np.zeros(numtaps), _least_error, *options, *given)
    count = numtaps // 2 + (numtaps % 2 if type == "bandpass" else 0)
    found = computed(np.zeros((count + 1, 4)), _touched, *options, edges, levels, weights, told)
    band = found[:, 0].astype(np.int64)
    step = 0.5 / (grid_density * count)
    starts = np.where(found[:, 2] == 2, 0.0, edges[2 * band]) + found[:, 1] * step
    frequencies = np.where(found[:, 2] == 1, edges[2 * band + 1], starts)
    wanted, weighed = _wanted(type, frequencies, levels[band], weights[band])
    errors = (found[:, 3] / weighed)[:, None]
    matrix = np.concatenate((_responses(numtaps, type, frequencies), errors), axis=1)
    taps = _mirrored(numtaps, type, np.linalg.solve(matrix, wanted)[:count])
    near = np.max(np.abs(taps - told)) < 1e-6 * np.max(np.abs(told))
    return valued(taps * np.where(near, 1.0, np.nan), told)


def _least_error(numtaps, type, grid_density, bands, desired, weight, maxiter, fs):
    from scipy.signal import remez as found

    given = {"weight": weight, "type": type, "maxiter": maxiter, "fs": fs}
    return found(numtaps, bands, desired, grid_density=grid_density, **given)


def _wanted(type, frequencies, levels, weights):
    """The responses that are wanted, and the weights of their errors."""
    if type != "differentiator":
        return levels + 0.0 * frequencies, weights + 0.0 * frequencies
    apart = np.where(levels >= 0.0001, frequencies, 1.0)
    return levels * frequencies, weights / apart


def _responses(numtaps, type, frequencies):
    """What the first half of the numbers do at frequencies, each at its own column."""
    behind = (numtaps - 1) / 2 - np.arange(numtaps // 2)
    turned = 2.0 * np.pi * frequencies[:, None] * behind
    if type != "bandpass":
        return 2.0 * np.sin(turned)
    if numtaps % 2 == 0:
        return 2.0 * np.cos(turned)
    return np.concatenate((2.0 * np.cos(turned), np.ones((len(frequencies), 1))), axis=1)


def _mirrored(numtaps, type, half):
    if type == "bandpass":
        return np.concatenate((half, half[: numtaps // 2][::-1]))
    return np.concatenate((half, np.zeros(numtaps % 2), -half[::-1]))


def _touched(numtaps, type, grid_density, edges, levels, weights, taps):
    """Where the errors are largest: the band, steps from its start, or that it is its end, and the
    sign of the error.
    """
    count = numtaps // 2 + (numtaps % 2 if type == "bandpass" else 0)
    rows, frequencies = _grid(numtaps, type, edges, 0.5 / (grid_density * count))
    band = rows[:, 0].astype(int)
    wanted, weighed = _wanted(type, frequencies, levels[band], weights[band])
    response = _responses(numtaps, type, frequencies) @ taps[:count]
    errors = weighed * (wanted - response)
    places = _alternating(errors, count + 1)
    if len(places) <= count or np.any(errors[places] == 0.0):  # there is no such filter
        k = np.arange(count + 1.0)
        return np.column_stack((k % len(levels), k, 0.0 * k, np.nan * k))
    return np.column_stack((rows[places], np.sign(errors[places])))


def _grid(numtaps, type, edges, step):
    """The frequencies of the grid as SciPy adds them up, and where they come from."""
    is_odd, rows, frequencies = type != "bandpass", [], []
    for band, (low, high) in enumerate(edges.reshape(-1, 2)):
        moved = is_odd and band == 0 and low < step
        at, steps = (step, 1) if moved else (low, 0)
        while True:
            rows.append((band, steps, 2 if moved else 0))
            frequencies.append(at)
            at, steps = at + step, steps + 1
            if at > high:
                break
        rows[-1], frequencies[-1] = (band, 0, 1), high
    if is_odd == bool(numtaps % 2) and frequencies[-1] > 0.5 - step:
        rows, frequencies = rows[:-1], frequencies[:-1]
    return np.array(rows, float), np.array(frequencies)


def _alternating(errors, count):
    """The places of the largest errors whose signs alternate, ``count`` of them if there are."""
    breaks = np.flatnonzero(np.diff(np.sign(errors)) != 0) + 1
    runs = np.split(np.arange(len(errors)), breaks)
    places = [run[np.argmax(np.abs(errors[run]))] for run in runs]
    while len(places) > count:
        ends = np.abs(errors[[places[0], places[-1]]])
        places = places[1:] if ends[0] < ends[1] else places[:-1]
    return np.array(places)


# Roots --------------------------------------------------------------------------------------------


def unique_roots(p, tol=1e-3, rtype="min"):
    """Roots, of those that are near one another one, and how many there are of each."""
    if rtype not in _OF_SEVERAL:
        raise ValueError(
            "`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}"
        )
    roots = np.asarray(p)
    group = computed(roots.real.astype(float), _groups, roots, tol).astype(np.int64)
    members = np.bincount(group)
    if rtype in ("avg", "mean"):
        sums = np.zeros(len(members), np.result_type(roots, 1.0))
        np.add.at(sums, group, roots)
        exact = sums / members
    else:
        exact = roots[computed(members + 0.0, _chosen, roots, tol, rtype).astype(np.int64)]
    return valued(exact, computed(exact, _united, roots, tol, rtype)), members


_OF_SEVERAL = ("max", "maximum", "min", "minimum", "avg", "mean")


def _groups(roots, tol):
    """Of each root the group that it is in."""
    from scipy.spatial import cKDTree

    tree = cKDTree(np.stack((roots.real, roots.imag), axis=1))
    group, count = np.full(len(roots), -1.0), 0
    for k, root in enumerate(roots):
        if group[k] < 0:
            near = tree.query_ball_point([root.real, root.imag], tol)
            group[[j for j in near if group[j] < 0]] = count
            count += 1
    return group


def _united(roots, tol, rtype):
    from scipy.signal import unique_roots

    return unique_roots(roots, tol, rtype)[0]


def _chosen(roots, tol, rtype):
    """Which one of each group is its largest or its least."""
    group, best = _groups(roots, tol), _united(roots, tol, rtype)
    equal = (group == np.arange(len(best))[:, None]) & (roots == best[:, None])
    return np.argmax(equal, axis=1).astype(float)


@when_imported("scipy.signal")
def register(signal):
    """Say what the functions mean."""
    functions: tuple[Any, ...] = (zpk2sos, bilinear, remez)
    registered(signal, *functions, rounded=True)
    registered(signal, unique_roots)
