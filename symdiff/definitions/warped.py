"""Images of ``scipy.ndimage`` between their elements: splines whose values the elements are.

A spline of order ``k`` is a sum of B-splines around the elements. Their coefficients solve linear
equations, line by line (``spline_filter``); a value takes ``k + 1`` of them along each axis.
"""

from typing import Any

import numpy as np

from symdiff.definitions.declare import is_known, is_one_row, known_integer, refuse, registered
from symdiff.definitions.filters import recurrence
from symdiff.definitions.images import each, numbers, within
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.staged import followed, solver, valued

# The coefficients ---------------------------------------------------------------------------------

# The roots inside of the unit circle of what the equations of an order are (Unser, Aldroubi and
# Eden 1991).
_POLES = {
    2: (-0.171572875253809902396622551580603843,),
    3: (-0.267949192431122706472553658494127633,),
    4: (-0.361341225900220177092212841325675255, -0.013725429297339121360331226939128204),
    5: (-0.430575347099973791851434783493520110, -0.043096288203264653822712376822550182),
}
_PADDED = 12  # elements before and behind an image that has no equations of its own


def _order(order, least=0):
    order = known_integer(order)
    if not least <= order <= 5:
        raise RuntimeError("spline order not supported")
    return order


def _extended(mode):
    """How coefficients go on beyond the ends."""
    if mode in ("reflect", "grid-mirror", "nearest"):
        return "reflect"
    if mode == "grid-wrap":
        return mode
    if mode in ("mirror", "constant", "wrap", "grid-constant"):  # "wrap" moves coordinates only
        return "mirror"
    raise RuntimeError("boundary mode not supported")


def _coefficients(x, order, axis, extended):
    """The coefficients along an axis, whose B-splines sum to the elements: a recurrence forwards
    and one backwards, each from what it would be at that end of an endless line.
    """
    lines = np.moveaxis(x, axis, -1)
    if is_one_row(np.moveaxis(x, axis, 0)):
        return x
    for pole in _POLES[order]:
        lines = lines * ((1.0 - pole) * (1.0 - 1.0 / pole))
    for pole in _POLES[order]:
        first = np.sum(lines * _before(lines.shape[-1], pole, extended), axis=-1, keepdims=True)
        lines = np.concatenate((first, lines[..., 1:]), axis=-1)
        lines = recurrence(np.ones(1), np.array([1.0, -pole]), lines)
        if extended == "mirror":
            last = (pole * lines[..., -2:-1] + lines[..., -1:]) * (pole / (pole * pole - 1.0))
        elif extended == "reflect":
            last = lines[..., -1:] * (pole / (pole - 1.0))
        else:
            power = pole ** np.arange(1, lines.shape[-1])
            last = lines[..., -1:] + np.sum(power * lines[..., :-1], axis=-1, keepdims=True)
            last = last * (pole / (pole ** lines.shape[-1] - 1.0))
        back = np.concatenate((last, -pole * lines[..., :-1][..., ::-1]), axis=-1)
        lines = recurrence(np.ones(1), np.array([1.0, -pole]), back)[..., ::-1]
    return np.moveaxis(lines, -1, axis)


def _before(count, pole, extended):
    """By what elements are weighted in the first value of the recurrence forwards."""
    places = np.arange(count)
    inner = (places > 0) & (places < count - 1)
    if extended == "mirror":
        turned = np.where(inner, pole ** (2 * count - 2 - places), 0.0)
        return (pole**places + turned) / (1.0 - pole ** (2 * count - 2))
    if extended == "grid-wrap":
        return np.where(places == 0, 1.0, pole ** (count - places)) / (1.0 - pole**count)
    # SciPy takes its sum so far in the place of the first element where that comes again.
    own = np.where(places < count - 1, pole**places, pole**count)
    so_far = (own + np.where(inner, pole ** (2 * count - 1 - places), 0.0)) * (
        1.0 + pole ** (2 * count - 1)
    )
    whole = so_far + np.where(places == count - 1, pole ** (count - 1), 0.0)
    return whole * (pole / (1.0 - pole ** (2 * count))) + (places == 0)


def _doubled(x):
    """An array in double precision, real or complex."""
    return x.astype(np.result_type(x, np.float64))


def spline_filter1d(input, order=3, axis=-1, mode="mirror"):
    x, order = _doubled(np.asarray(input)), _order(order)
    if order < 2 or x.size == 0:
        return x
    return _coefficients(x, order, axis, _extended(mode))


def spline_filter(input, order=3, mode="mirror"):
    x, order = _doubled(np.asarray(input)), _order(order, least=2)
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, mode)
    return x


# Values between the elements ----------------------------------------------------------------------


def _weights(at, order, last):
    """The B-splines at the distances of coordinates from elements; the first element of each.

    A straight line ends at the ``last`` element.
    """
    middle = np.floor(at if order % 2 else at + 0.5)
    if order == 1 and last is not None:
        middle = np.minimum(middle, last - 1.0)
    first = middle.astype(np.int64) - order // 2
    if order == 0:
        return first, [np.ones_like(at)]
    after = at - middle
    if order == 1:
        return first, [1.0 - after, after]
    # Cox and de Boor's recurrence, of B-splines whose knots are whole numbers (halves, if even)
    place = after if order % 2 else after + 0.5
    weights: Any = [1.0 - place, place]
    for degree in range(2, order + 1):
        raised = [(1.0 - place) / degree * weights[0]]
        for k in range(1, degree):
            left = (place + (degree - k)) / degree * weights[k - 1]
            raised.append(left + ((k + 1) - place) / degree * weights[k])
        raised.append(place / degree * weights[degree - 1])
        weights = raised
    return first, weights


def _prepared(input, order, mode, cval, prefilter):
    """The coefficients of an image, and how many elements it has been padded by."""
    x = np.asarray(input)
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    if x.dtype.kind in "biu":
        refuse("whole numbers (use x.astype(float))")
    dtype = x.dtype.newbyteorder("=")
    x = _doubled(x)
    if not prefilter or order < 2:
        return x, 0, dtype
    padded = 0
    if mode in ("nearest", "grid-constant"):
        padded = _PADDED
        if mode == "nearest":
            x = np.pad(x, padded, mode="edge")
        else:
            x = np.pad(x, padded, mode="constant", constant_values=cval)
    for axis in range(x.ndim):
        x = _coefficients(x, order, axis, _extended(mode))
    return x, padded, dtype


def _stencil(at, count, order, mode):
    """The elements that values at coordinates take along an axis, with their weights.

    Gives the elements, whether these are there, the weights, and whether the coordinates are there.
    """
    there = np.ones(at.shape, bool)
    if mode == "constant":
        there = (at >= 0.0) & (at <= count - 1.0)
        at = np.where(there, at, 0.0)
    elif mode == "wrap":
        period = np.maximum(count - 1.0, 1.0)
        turned = at - period * np.floor(at / period)
        at = np.where((at < 0.0) | (at > count - 1.0), turned, at)
    first, weights = _weights(at, order, count - 1 if mode in ("constant", "wrap") else None)
    places = np.stack([first + k for k in range(order + 1)])
    inside = (places >= 0) & (places < count)
    elements = within(places, count, "nearest" if mode == "nearest" else _extended(mode))
    if mode == "grid-constant":
        elements = np.clip(places, 0, count - 1)
    return elements, inside, np.stack(weights), there


def _at_points(x, coordinates, order, mode, cval, padded):
    """The spline at points, whose coordinates are given for each axis."""
    shape, rank = coordinates[0].shape, x.ndim
    whole: Any = 1.0
    index, inside, there = [], np.ones((1,), bool), np.ones(shape, bool)
    for k in range(rank):
        elements, known, weights, present = _stencil(
            coordinates[k] + padded, x.shape[k], order, mode
        )
        own = tuple([order + 1 if j == k else 1 for j in range(rank)])
        index.append(elements.reshape(own + shape))
        inside = inside & known.reshape(own + shape)
        whole = whole * weights.reshape(own + shape)
        there = there & present
    found = x[tuple(index)]
    if mode == "grid-constant":
        found = np.where(inside, found, cval)
    made = np.sum(found * whole, axis=tuple(range(rank)))
    return np.where(there, made, cval) if mode == "constant" else made


def _along_axes(x, coordinates, order, mode, cval, padded):
    """The spline at the points of a grid, whose coordinates are given along each axis."""
    there: Any = True
    for k in range(x.ndim):
        elements, inside, weights, present = _stencil(
            coordinates[k] + padded, x.shape[k], order, mode
        )
        found = np.moveaxis(x, k, -1)[..., elements]
        if mode == "grid-constant":
            found = np.where(inside, found, cval)
        x = np.moveaxis(np.sum(found * weights, axis=-2), -1, k)
        ones = tuple([-1 if j == k else 1 for j in range(x.ndim)])
        there = there & present.reshape(ones)
    return np.where(there, x, cval) if mode == "constant" else x


def map_coordinates(input, coordinates, order=3, mode="constant", cval=0.0, prefilter=True):
    order, at = _order(order), np.asarray(coordinates)
    if np.iscomplexobj(at):
        raise TypeError("Complex type not supported")
    x, padded, dtype = _prepared(input, order, mode, cval, prefilter)
    if at.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if at.shape[0] != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    at = at.astype(np.float64)
    points = [at[k] for k in range(x.ndim)]
    return _at_points(x, points, order, mode, cval, padded).astype(dtype)


def shift(input, shift, order=3, mode="constant", cval=0.0, prefilter=True):
    order = _order(order)
    x, padded, dtype = _prepared(input, order, mode, cval, prefilter)
    by, lengths = numbers(shift, x.ndim), np.asarray(input).shape
    at = [np.arange(lengths[k]) - by[k] for k in range(x.ndim)]
    return _along_axes(x, at, order, mode, cval, padded).astype(dtype)


def zoom(input, zoom, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    order = _order(order)
    lengths = np.asarray(input).shape
    factors = each(zoom, len(lengths))
    x, padded, dtype = _prepared(input, order, mode, cval, prefilter)
    at = []
    for k in range(x.ndim):
        made = round(lengths[k] * factors[k])
        if grid_mode:
            step = lengths[k] / made if made else 1.0
            at.append((np.arange(made) + 0.5) * step - 0.5)
        else:
            step = (lengths[k] - 1) / (made - 1) if made != 1 else 1.0
            at.append(np.arange(made) * step)
    return _along_axes(x, at, order, mode, cval, padded).astype(dtype)


def geometric_transform(
    input,
    mapping,
    output_shape=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    extra_arguments=(),
    extra_keywords=None,
):
    order = _order(order)
    x, padded, dtype = _prepared(input, order, mode, cval, prefilter)
    shape = np.asarray(input).shape if output_shape is None else tuple(output_shape)
    named = {} if extra_keywords is None else extra_keywords
    places = np.indices(shape).reshape(len(shape), -1).T
    at = np.array([_mapped(mapping, place, extra_arguments, named) for place in places])
    if at.shape[1] != x.ndim:
        raise RuntimeError("invalid mapping return value")
    points = [at[:, k].reshape(shape) for k in range(x.ndim)]
    exact = _at_points(x, points, order, mode, cval, padded).astype(dtype)

    def mapped(place, *args):
        return np.array(_mapped(mapping, place, extra_arguments, named))

    callback = followed(mapped, (np.zeros(len(shape), np.int64),), ())
    given = {"output_shape": output_shape, "order": order, "mode": mode, "cval": cval}
    given = {**given, "prefilter": prefilter}
    return valued(exact, solver("symdiff.ops.support.warped", callback, (input,), given, exact))


def _mapped(mapping, place, arguments, named):
    """Where a point of the output lies in the input."""
    found = mapping(tuple([int(index) for index in place]), *arguments, **named)
    return [float(coordinate) for coordinate in found]


def affine_transform(
    input, matrix, offset=0.0, output_shape=None, order=3, mode="constant", cval=0.0, prefilter=True
):
    order, matrix = _order(order), np.asarray(matrix, dtype=np.float64)
    x, padded, dtype = _prepared(input, order, mode, cval, prefilter)
    rank = x.ndim
    shape = np.asarray(input).shape if output_shape is None else tuple(output_shape)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if matrix.ndim == 2 and matrix.shape[1] == rank + 1 and matrix.shape[0] in (rank, rank + 1):
        offset = matrix[:rank, rank]
        matrix = matrix[:rank, :rank]
    if matrix.shape[0] != rank:
        raise RuntimeError("affine matrix has wrong number of rows")
    moved = numbers(offset, rank)
    if matrix.ndim == 1:
        at = [np.arange(shape[k]) * matrix[k] + moved[k] for k in range(rank)]
        return _along_axes(x, at, order, mode, cval, padded).astype(dtype)
    if matrix.shape[1] != len(shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    places, points = np.indices(shape), []
    for row in range(rank):
        along: Any = moved[row]
        for column in range(len(shape)):
            along = along + matrix[row, column] * places[column]
        points.append(along)
    return _at_points(x, points, order, mode, cval, padded).astype(dtype)


def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    from scipy.special import cosdg, sindg

    x = np.asarray(input)
    if x.ndim < 2:
        raise ValueError("input array should be at least 2D")
    first, second = sorted([known_integer(axis) % x.ndim for axis in axes])
    c, s = cosdg(angle), sindg(angle)
    rows, columns = x.shape[first], x.shape[second]
    made = rows, columns
    if reshape:
        if not is_known(angle):
            refuse("reshape=True by an angle that is not known")
        made = (
            int(abs(c) * rows + abs(s) * columns + 0.5),
            int(abs(s) * rows + abs(c) * columns + 0.5),
        )
    centre = (made[0] - 1) / 2, (made[1] - 1) / 2
    turned = c * centre[0] + s * centre[1], c * centre[1] - s * centre[0]
    offset = np.stack([(rows - 1) / 2 - turned[0], (columns - 1) / 2 - turned[1]])
    matrix = np.stack([np.stack([c, s]), np.stack([-s, c])])
    planes = np.moveaxis(x, (first, second), (0, 1))
    given = offset, made, order, mode, cval, prefilter
    if x.ndim == 2:
        return affine_transform(planes, matrix, *given)
    others = planes.shape[2:]
    planes = planes.reshape(rows, columns, -1)
    filled = [affine_transform(planes[..., k], matrix, *given) for k in range(planes.shape[-1])]
    turned_planes = np.stack(filled, axis=-1).reshape(made + others)
    return np.moveaxis(turned_planes, (0, 1), (first, second))


@when_imported("scipy.ndimage")
def register(ndimage):
    """Say what the functions mean."""
    registered(
        ndimage,
        *(spline_filter1d, spline_filter, map_coordinates, shift, zoom, affine_transform, rotate),
        rounded=True,
    )
    registered(ndimage, geometric_transform)
