"""Functions that generated code calls where NumPy has none; plain NumPy, each complete in itself.

Emission binds them by name; an exported module carries their source.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
import warnings
from typing import Any

import numpy as np

from symdiff.ops.place_grids import add_by_slices, take_by_strides


def prod_except(x: Any, *directions: Any, axis: tuple[int, ...] | int | None = None) -> Any:
    """For each element the product of all the others along ``axis``, zeros among them or not.

    With directions, the derivative of that product in these directions: the sum over all ways to
    take as many of the others from the directions, one from each, instead of from ``x``.

    >>> prod_except(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    arrays = [np.asarray(array) for array in (x, *directions)]
    shape = arrays[0].shape
    axes = tuple(range(len(shape))) if axis is None else tuple(np.atleast_1d(axis))
    front = [np.moveaxis(array, axes, range(len(axes))) for array in arrays]
    kept = front[0].shape[len(axes) :]
    count = int(np.prod(front[0].shape[: len(axes)]))
    line, *steps = [array.reshape(count, *kept) for array in front]
    sets = list(itertools.product((0, 1), repeat=len(steps)))  # of directions that are used up

    def extended(products: dict[Any, Any], k: int) -> dict[Any, Any]:
        longer = {used: products[used] * line[k] for used in sets}
        for used, (d, step) in itertools.product(sets, enumerate(steps)):
            if used[d]:
                longer[used] = longer[used] + products[(*used[:d], 0, *used[d + 1 :])] * step[k]
        return longer

    before = [{used: np.full(kept, float(not any(used)), line.dtype) for used in sets}]
    after = before[:]
    for k in range(count - 1):
        before.append(extended(before[-1], k))
        after.append(extended(after[-1], count - 1 - k))
    result = np.zeros(line.shape, np.result_type(*arrays))
    for k, used in itertools.product(range(count), sets):
        rest = tuple(1 - one for one in used)
        result[k] += before[k][used] * after[count - 1 - k][rest]
    return np.moveaxis(result.reshape(front[0].shape), range(len(axes)), axes)


def logistic(x: Any) -> Any:
    """``1 / (1 + exp(-x))`` without overflow, exact to rounding at both ends.

    >>> logistic(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    largest = 11 if np.result_type(x).char in "bBe" else 88  # 1 is lost beside its power
    power = np.exp(np.minimum(x, largest))
    return power / (1.0 + power)


def cross(a: Any, b: Any) -> Any:
    """``np.cross(a, b)`` of two vectors of three float64, to the bit in a twentieth of its time.

    Where the result is not finite NumPy's own call warns of it.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 2.0]))
    array([ 0., -2.,  1.])
    """
    a0, a1, a2 = a.tolist()
    b0, b1, b2 = b.tolist()
    c0, c1, c2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return np.array((c0, c1, c2)) if math.isfinite(c0 + c1 + c2) else np.cross(a, b)


def add_rows(x: Any, indices: Any, rows: Any) -> None:
    """``np.add.at(x, indices, rows)`` for integer indices, element by element: NumPy does that ten
    times as fast.

    >>> x = np.zeros((2, 2))
    >>> add_rows(x, np.array([1, 1, -2]), np.ones((3, 2)))
    >>> x
    array([[1., 1.],
           [2., 2.]])
    """
    if not x.flags.c_contiguous or x.size == 0:
        np.add.at(x, indices, rows)
        return
    width = x[0].size
    first = np.asarray(indices, np.intp) * width  # of small integers the products wrap
    places = np.add.outer(first, np.arange(width).reshape(x.shape[1:]))
    np.add.at(x.reshape(-1), places.reshape(-1), np.broadcast_to(rows, places.shape).reshape(-1))


def blocks(length: int, size: int) -> list[slice]:
    """Slices of ``size`` places each that go through ``length``; the last one may go beyond.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    return [slice(start, start + size) for start in range(0, length, size)]


def triangular_inv(a: Any, lower: bool) -> Any:
    """The inverse of triangular matrices by those of its blocks, three times as fast as NumPy's.

    >>> triangular_inv(np.array([[2.0, 0.0], [1.0, 4.0]]), lower=True)
    array([[ 0.5  ,  0.   ],
           [-0.125,  0.25 ]])
    """
    n = a.shape[-1]
    if n <= 64:
        return np.linalg.inv(a)
    x = np.zeros(a.shape, a.dtype)
    first, last = slice(None, n // 2), slice(n // 2, None)
    for part in (first, last):
        x[..., part, part] = triangular_inv(a[..., part, part], lower)
    if lower:
        first, last = last, first
    beside = a[..., first, last] @ x[..., last, last]  # solved for: inverses lose digits
    x[..., first, last] = -triangular_solve(a[..., first, first], beside, lower)
    return x


def triangular_solve(a: Any, b: Any, lower: bool) -> Any:
    """The ``x`` of ``a @ x = b`` of triangular matrices, some rows after others, in a time of the
    square of their number where ``b`` is a vector.

    >>> triangular_solve(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([4.0, 8.0]), lower=False)
    array([1., 2.])
    """
    n = a.shape[-1]
    if n <= 64:
        return np.linalg.solve(a, b)
    if b.ndim == 1:
        return triangular_solve(a, b[:, np.newaxis], lower)[..., 0]
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.zeros((*stack, *b.shape[-2:]), np.result_type(a, b))
    starts = range(0, n, 64)
    for first in starts if lower else reversed(starts):
        rows = slice(first, first + 64)
        known = slice(None, first) if lower else slice(first + 64, None)
        left = b[..., rows, :] - a[..., rows, known] @ x[..., known, :]
        x[..., rows, :] = np.linalg.solve(a[..., rows, rows], left)
    return x


def add_at(x: Any, key: Any, values: Any) -> None:
    """``np.add.at(x, key, values)`` slice by slice where the places lie in a grid, as windows do;
    else by places in one line, which NumPy does twice as fast where they are not few.

    >>> x = np.zeros((2, 2))
    >>> add_at(x, ([0, 0, -1], [1, 1, 0]), np.array([1.0, 2.0, 4.0]))
    >>> x
    array([[0., 3.],
           [4., 0.]])
    """
    if add_by_slices(x, key, values):
        return
    if not x.flags.c_contiguous or np.size(values) < max(256, x.size // 4):
        np.add.at(x, key, values)
        return
    places = np.arange(x.size).reshape(x.shape)[key]
    np.add.at(x.reshape(-1), places.reshape(-1), np.broadcast_to(values, places.shape).reshape(-1))


def take_at(x: Any, key: Any) -> Any:
    """``x[key]`` for arrays of places, copied from one view if these lie in a grid, as windows do.

    >>> take_at(np.array([5.0, 6.0, 7.0]), (np.array([[0, 1], [1, 2]]),))
    array([[5., 6.],
           [6., 7.]])
    """
    taken = take_by_strides(x, key)
    return x[key] if taken is None else taken


def added_windows(windows: Any, axis: int) -> Any:
    """The array that windows along ``axis`` slide over, each element the sum of what all windows
    have in its place; the last axis of ``windows`` goes along one.

    >>> added_windows(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 0)
    array([1., 5., 9., 6.])
    """
    columns = np.moveaxis(windows, (axis, -1), (0, 1))
    lines = columns if len(columns) < columns.shape[1] else np.swapaxes(columns, 0, 1)
    length = max(0, columns.shape[0] + columns.shape[1] - 1)
    shape = (*windows.shape[:axis], length, *windows.shape[axis + 1 : -1])
    x = np.zeros(shape, windows.dtype)
    along = np.moveaxis(x, axis, 0)
    for first, line in enumerate(lines):
        along[first : first + len(line)] += line
    return x


def product_of_parts(
    u: Any,
    v: Any,
    u_part: tuple[int | None, int | None] = (None, None),
    v_part: tuple[int | None, int | None] = (None, None),
) -> Any:
    """``u.T @ v``, the sum of the outer products of rows that are zero but for a part: in row ``k``
    from ``k + part[0]`` up to ``k + part[1]``. No zero beside a part meets what is not finite.

    >>> u, v = np.array([[2.0], [np.inf]]), np.array([[5.0, 7.0], [0.0, 3.0]])
    >>> product_of_parts(u, v, v_part=(0, None))
    array([[10., inf]])
    """
    with np.errstate(all="ignore"):
        made = u.T @ v
    if np.isfinite(made).all():
        return made

    def part(k: int, bounds: tuple[int | None, int | None]) -> slice:
        return slice(*(None if bound is None else k + bound for bound in bounds))

    made = np.zeros_like(made)
    for k in range(len(u)):
        rows, columns = part(k, u_part), part(k, v_part)
        made[rows, columns] += np.outer(u[k, rows], v[k, columns])
    return made


def product_over(g: Any, n: Any, d: Any) -> Any:
    """``g * n / d``, 0 where a factor is, though a product or quotient of two may overflow.

    The product comes first where the factors lie on both sides of 1, else the smaller one's
    quotient.

    >>> product_over(1e200, 1e200, 1e200), product_over(1e-310, 1.0, 1e-310)
    (np.float64(1e+200), np.float64(1.0))
    >>> product_over(np.inf, 0.0, 0.0), product_over(0.0, np.nan, 0.0)
    (np.float64(0.0), np.float64(0.0))
    """
    dtype = np.result_type(g, n, d)
    g, n, d = (np.asarray(number, dtype) for number in (g, n, d))
    n = np.where(g != 0, n, 0)
    g, d = np.where(n != 0, g, 0), np.where(n != 0, d, 1)
    is_less = np.abs(g) < np.abs(n)
    small, large = np.where(is_less, g, n), np.where(is_less, n, g)
    apart = (np.abs(small) < 1) & (np.abs(large) >= 1)
    return (small * np.where(apart, large, 1) / d * np.where(apart, 1, large))[()]


def strong_dot(g: Any, p: Any) -> Any:
    """``g @ p`` of vectors, to which no element adds anything where ``g`` is 0, whatever ``p`` is.

    A sum that is finite had no product of 0 and what is not: the mask is made for others alone.

    >>> strong_dot(np.array([2.0, 0.0]), np.array([3.0, np.inf]))
    np.float64(6.0)
    """
    product = np.vdot(g, p)  # which warns of nothing, other than ``@``
    return product if math.isfinite(product) else g @ np.where(g != 0, p, p.dtype.type(0))


def one_of(y: Any) -> Any:
    """The number 1 in the shape of ``y``, whose gradient is asked for: it has one element.

    >>> one_of(np.array([[2.5]]))
    array([[1.]])
    """
    if y.size != 1:
        raise TypeError(f"the gradient of something that is not a scalar: its shape is {y.shape}")
    return np.ones_like(y)


def binomial_turns(turns: int, held: int) -> int:
    """How many turns to run on before the next beginning of a turn is held.

    ``turns`` are to be taken back; ``held`` beginnings may be held, that of the first turn being
    one. Turns are run again least often if the number of times, r, is the least with
    C(held + r, r) ≥ turns (Griewank & Walther 2000).

    >>> binomial_turns(10, 3), binomial_turns(10, 1), binomial_turns(4, 9)
    (4, 9, 1)
    """
    if held < 2:
        return turns - 1
    most, before, fewer = 1, 0, 0  # C(held + r, r); that for r - 1; that for held - 1, too
    times = 0
    while most < turns:
        times += 1
        before, most = most, most * (held + times) // times
        fewer = before * held // (held + times - 1)
    return min(before, turns - fewer)


def sum_if_defined(a: Any, b: Any) -> Any:
    """``a + b``, of lists and tuples item by item; the other one where one is None.

    >>> sum_if_defined([1.0, None], [2.0, None])
    [3.0, None]
    >>> sum_if_defined((1.0, (2.0,)), (0.5, (0.0,)))
    (1.5, (2.0,))
    """
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, (list, tuple)):
        return type(a)([sum_if_defined(x, y) for x, y in zip(a, b, strict=True)])
    return a + b


def zeros_of_saved(x: Any) -> Any:
    """Zeros like what a function has saved: numbers, arrays, and tuples and lists of them.

    None for what is no number.

    >>> zeros_of_saved((2.0, None, [1.0]))
    (0.0, None, [0.0])
    """
    if isinstance(x, (tuple, list)):
        return type(x)([zeros_of_saved(item) for item in x])
    if isinstance(x, np.ndarray):
        return np.zeros_like(x)
    return type(x)(0) if isinstance(x, (int, float, complex, np.generic)) else None


def cofactors(a: Any) -> Any:
    """The derivative of the determinant by each entry: ``det(a) * inv(a).T``, singular or not.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]]))
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    try:
        return np.linalg.det(a)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)
    except np.linalg.LinAlgError:
        u, s, vh = np.linalg.svd(a)
    others = np.prod(np.where(np.eye(s.shape[-1]), s.dtype.type(1), s[..., None, :]), axis=-1)
    turn = np.asarray(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return turn * ((u.conj() * others[..., None, :]) @ vh.conj())


def over_gaps(x: Any, w: Any) -> Any:
    """``x[i, j] / (w[j] - w[i])``, 0 on the diagonal: what eigenvectors turn by.

    Eigenvalues that are equal up to rounding leave the vectors open: NaN, but 0 where the columns
    of both are 0, as nothing moves their vectors, or nothing comes of them.

    >>> over_gaps(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([2.0, 2.0]))
    array([[ 0., nan],
           [nan,  0.]])
    """
    gaps = w[..., np.newaxis, :] - w[..., np.newaxis]
    level = 16 * np.finfo(gaps.dtype).eps * np.sum(np.abs(w), axis=-1)
    near = np.abs(gaps) <= level[..., np.newaxis, np.newaxis]
    turned = x / np.where(near, gaps.dtype.type(1), gaps)
    told = np.any(x != 0, axis=-2)
    of_vectors = (told[..., np.newaxis, :] | told[..., np.newaxis]) & ~np.eye(
        w.shape[-1], dtype=bool
    )
    return np.where(near, np.where(of_vectors, np.nan, 0).astype(turned.dtype), turned)


def vectors_share(v_bar: Any, w: Any, v: Any) -> Any:
    """What a Hermitian matrix gets of the cotangents of its eigenvectors.

    >>> vectors_share(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 3.0]), np.eye(2))
    array([[0., 0.],
           [0., 0.]])
    """
    turned = over_gaps(np.swapaxes(v, -1, -2).conj() @ v_bar, w)
    both = (turned + np.swapaxes(turned, -1, -2).conj()) * turned.dtype.type(0.5)
    return v @ both @ np.swapaxes(v, -1, -2).conj()


def singular_part(a: Any, part: str) -> Any:
    """The derivative of the sum, maximum or minimum of singular values: by ``a``, by themselves.

    Ties share it evenly; a singular value of 0 has none.

    >>> singular_part(np.diag([3.0, 0.0]), "all")
    (array([[1., 0.],
           [0., 0.]]), array([1., 0.]))
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    weights = np.ones_like(s)
    if part != "all" and s.size:
        extreme = np.max if part == "largest" else np.min
        chosen = s == extreme(s, axis=-1, keepdims=True)
        weights = weights * chosen / np.sum(chosen, axis=-1, keepdims=True, dtype=s.dtype)
    weights = np.where(s > 0, weights, s.dtype.type(0))
    return (u * weights[..., np.newaxis, :]) @ vh, weights


def polar_turn(t: Any, a: Any, r: Any) -> Any:
    """The tangent of ``r``, a product of the singular vectors of ``a``, as ``a`` changes by ``t``.

    What stands over a sum of singular values that is 0 up to rounding is NaN where there is a
    change at all.

    >>> polar_turn(np.array([[0.0, 3.0], [1.0, 0.0]]), 2 * np.eye(2), np.eye(2))
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    if a.shape[-2] < a.shape[-1]:
        t, a, r = (np.swapaxes(x, -1, -2).conj() for x in (t, a, r))
        return np.swapaxes(polar_turn(t, a, r), -1, -2).conj()
    back = np.swapaxes(r, -1, -2).conj()
    inner = back @ a
    w, v = np.linalg.eigh((inner + np.swapaxes(inner, -1, -2).conj()) / 2)
    level = 16 * np.finfo(w.dtype).eps * np.sum(np.abs(w), axis=-1)[..., np.newaxis, np.newaxis]
    open_, one = np.where(np.any(t != 0, axis=(-2, -1)), np.nan, 0.0), w.dtype.type(1)

    def over(x: Any, sums: Any) -> Any:
        near = np.abs(sums) <= level
        missing = open_[..., np.newaxis, np.newaxis].astype(x.dtype)
        return np.where(near, missing, x / np.where(near, one, sums))

    h = np.swapaxes(v, -1, -2).conj()
    moved = h @ back @ t @ v
    turned = over(moved - np.swapaxes(moved, -1, -2).conj(), w[..., np.newaxis] + w[..., None, :])
    if turned.dtype.kind != "c":
        turned = np.where(np.eye(w.shape[-1], dtype=bool), w.dtype.type(0), turned)
    made = r @ v @ turned @ h
    if a.shape[-2] > a.shape[-1]:
        made = made + over((t - r @ (back @ t)) @ v, w[..., np.newaxis, :]) @ h
    return made


def complex_eigvals(a: Any) -> Any:
    """The eigenvalues of a matrix as complex numbers, which of a real one NumPy may give as real.

    >>> complex_eigvals(np.eye(2))
    array([1.+0.j, 1.+0.j])
    """
    w = np.linalg.eigvals(a)
    return w.astype(np.result_type(w, np.complex64), copy=False)


def complex_eig(a: Any) -> Any:
    """The eigenvalues and eigenvectors of a matrix as complex numbers, likewise.

    >>> w, v = complex_eig(np.eye(1))
    >>> w, v
    (array([1.+0.j]), array([[1.+0.j]]))
    """
    w, v = np.linalg.eig(a)
    dtype = np.result_type(w, np.complex64)
    return w.astype(dtype, copy=False), v.astype(dtype, copy=False)


def polygamma(x: float, order: int = 0) -> float:
    """The derivative of that order of the digamma function, at a real number.

    By recurrence to above 20 and the asymptotic series there, below 0 by reflection
    (Abramowitz and Stegun 1964, 6.3.18, 6.4.11 and 6.4.7).

    >>> polygamma(1.0)  # minus Euler's constant
    -0.57721566490153...
    """
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    x = float(x)
    if x <= 0 and x == math.floor(x):
        return math.nan
    sign, reflected = (-1.0) ** (order + 1), 0.0
    if x < 0:
        powers = [0, 1]  # of the cotangent, in its derivative of that order
        for _ in range(order):
            slopes = [k * number for k, number in enumerate(powers)][1:]
            pairs = zip([*slopes, 0, 0], [0, 0, *slopes], strict=True)
            powers = [-(one + other) for one, other in pairs]
        for coefficient in reversed(powers):
            reflected = reflected / math.tan(math.pi * (x - round(x))) + coefficient
        reflected *= -(math.pi ** (order + 1))
        x = 1.0 - x
    total = 0.0
    while x < 20 + order:  # psi(x) = psi(x + 1) - 1/x, differentiated
        # Where a power overflows, Python raises and a product does not.
        total += sign * math.factorial(order) * math.prod([1.0 / x] * (order + 1))
        x += 1
    inverse = 1.0 / x
    if order == 0:
        total += math.log(x) - 0.5 * inverse
    else:
        leading = math.factorial(order - 1) * inverse**order
        total += sign * (leading + math.factorial(order) / 2 * inverse ** (order + 1))
    for k, number in enumerate(bernoulli, 1):
        ratio = math.factorial(2 * k + order - 1) / math.factorial(2 * k)
        total += sign * number * ratio * inverse ** (2 * k + order)
    return total if not reflected else reflected - sign * total


def ellipkinc_by_m(phi: Any, m: Any) -> Any:
    """``∫ sin²θ / (2 (1 - m sin²θ)^(3/2)) dθ`` from 0 to ``phi``, by Carlson's integral.

    >>> ellipkinc_by_m(np.pi / 2, 0.0)
    np.float64(0.39269908169872414)
    """
    import scipy.special

    phi, m = (np.asarray(number, np.result_type(phi, m)) for number in (phi, m))
    turns = np.round(np.divide(phi, np.pi))
    s, c = np.sin(phi - np.pi * turns), np.cos(phi)
    part = s**3 / 6 * scipy.special.elliprd(c * c, 1.0, 1 - m * (s * s))
    rest = np.where(turns, 1 - m, 1)
    return (part + turns * scipy.special.elliprd(np.where(turns, 0, 1), 1.0, rest) / 3)[()]


def ellipeinc_by_m(phi: Any, m: Any) -> Any:
    """``∫ -sin²θ / (2 (1 - m sin²θ)^(1/2)) dθ`` from 0 to ``phi``, by Carlson's integral.

    >>> ellipeinc_by_m(np.pi / 2, 0.0)
    np.float64(-0.39269908169872414)
    """
    import scipy.special

    phi, m = (np.asarray(number, np.result_type(phi, m)) for number in (phi, m))
    turns = np.round(np.divide(phi, np.pi))
    s, c = np.sin(phi - np.pi * turns), np.cos(phi)
    part = s**3 / 6 * scipy.special.elliprd(c * c, 1 - m * (s * s), 1.0)
    rest = np.where(turns, 1 - m, 1)
    return -(part + turns * scipy.special.elliprd(np.where(turns, 0, 1), rest, 1.0) / 3)[()]


def frozen(array: Any) -> Any:
    """A copy that cannot be written, for a call that is not followed: what it would write is lost.

    >>> frozen(np.zeros(2)).flags.writeable
    False
    """
    made = np.array(array)
    made.flags.writeable = False
    return made


def left_by(call: Any, *arrays: Any) -> tuple[Any, ...]:
    """What a call gives, and what it leaves in the arrays that it is given, copies of these.

    >>> left_by(lambda a: a.fill(2.0), np.zeros(2))
    (None, array([2., 2.]))
    """
    copies = [np.array(array) for array in arrays]
    return (call(*copies), *copies)


def unless_changed(value: Any, *pairs: Any, by: str) -> Any:
    """The value, where the arrays that follow are equal in pairs: a call ``by`` a name left them.

    >>> unless_changed(1.0, np.ones(2), np.ones(2), by="f")
    1.0
    """
    for before, after in zip(pairs[::2], pairs[1::2], strict=True):
        if np.asarray(before).tobytes() != np.asarray(after).tobytes():
            raise ValueError(
                f"{by}, which is not followed, changes an array through which a derivative"
                " flows: give the function a rule with symdiff.custom_vjp, or pass it a copy"
            )
    return value


def none_returned(name: str) -> None:
    """Say that a function has no derivative where it returns None."""
    raise ValueError(f"{name} returns None here, which has no derivative: return a number")


def holds_no(array: Any, other: str, told: str, hint: str) -> None:
    """Say that numbers are of another dtype where a loop without turns leaves what it began with.

    ``other``: the characters of these dtypes; ``told``: what one of such numbers is.

    >>> holds_no(np.zeros(2), "bhilq?", "an integer", "write 0.0")
    """
    if np.asarray(array).dtype.char in other:
        raise ValueError(
            f"what is written to, or asked for its class or dtype, is {told} where a loop has no"
            f" turn: {hint}"
        )


def is_real(number: Any) -> None:
    """Say that a power of a negative float is complex, of which it is asked what it is.

    >>> is_real(8.0 ** (1 / 3))
    """
    if isinstance(number, complex):
        raise ValueError(
            "a power of a negative float, which is complex, is asked for its class or its parts:"
            " write complex(x) ** y, which is complex on all paths"
        )


def can_be_written(array: Any) -> None:
    """Say that an argument is read-only, of which the function asks whether it is.

    >>> can_be_written(np.zeros(2))
    """
    if not array.flags.writeable:
        raise ValueError(
            "an array that is read-only, where the function asks for its flags: pass a copy of it"
        )


def real_or_refused(number: Any) -> Any:
    """A number whose absolute value is differentiated as that of a float.

    >>> real_or_refused(2.0)
    2.0
    """
    if isinstance(number, complex):
        raise ValueError(
            "the absolute value of a number is differentiated that is complex, for it is made of a"
            " power of a negative float: write complex(x) ** y, which is complex on all paths"
        )
    return number


def holding(error: Any, attributes: Any) -> Any:
    """An exception with attributes set: pairs of names and values.

    >>> vars(holding(ValueError(), (("code", 3),)))
    {'code': 3}
    """
    for name, value in attributes:
        setattr(error, name, value)
    return error


def sinc(x: Any, order: int = 0) -> Any:
    """The derivative of that order of ``sin(pi x) / (pi x)``.

    Near 0 by its power series; elsewhere by the recurrence that differentiating
    ``u * sinc(u) = sin(u)`` gives.

    >>> sinc(np.array([0.0, 1.0]), order=1)
    array([ 0., -1.])
    """
    u = np.pi * np.asarray(x, np.result_type(x, np.float64))
    far = np.where(np.abs(u) > order + 1, u, 1)
    by_recurrence = np.sin(far) / far
    for n in range(1, order + 1):
        by_recurrence = (np.sin(far + n * np.pi / 2) - n * by_recurrence) / far
    near = np.where(np.abs(u) > order + 1, 0, u)
    terms = range((order + 1) // 2, order + 20)
    series = sum(
        (-1) ** k * near ** (2 * k - order) / ((2 * k + 1) * math.factorial(2 * k - order))
        for k in terms
    )
    values = np.pi**order * np.where(np.abs(u) > order + 1, by_recurrence, series)
    return values.astype(np.sinc(np.ones(1, np.asarray(x).dtype)).dtype)[()]


def i0(x: Any, order: int = 0) -> Any:
    """The derivative of that order of the modified Bessel function ``I0``.

    It is the mean of ``cos(t) ** order * exp(x * cos(t))`` around the circle (Abramowitz and Stegun
    1964, 9.6.19). Equidistant points give it to the last digits, since the integrand is periodic;
    those opposite to each other are taken together, so nothing cancels.

    >>> i0(np.array([0.0, 1.0]), order=1)
    array([0.        , 0.5651591...])
    """
    u = np.asarray(x, np.float64)
    largest = np.max(np.abs(u), initial=0.0, where=np.isfinite(u))
    count = 20 + order + int(np.sqrt(20.0 * min(largest, 800.0)))
    total = np.zeros(u.shape)
    for c in np.cos((np.arange(count) + 0.5) * (np.pi / (2 * count))):
        total += c**order * (np.sinh(c * u) if order % 2 else np.cosh(c * u))
    dtype = np.i0(np.ones((), np.asarray(x).dtype)).dtype
    return np.asarray(total / count, dtype)


def of_shape(derivative: Any, shape: tuple[int, ...] | int, rule: str) -> Any:
    """The derivative that a user's ``rule`` gives, which has the ``shape`` of what it is by.

    >>> of_shape(np.ones(2), (2,), "the rule of f")
    array([1., 1.])
    """
    wanted = shape if isinstance(shape, tuple) else (shape,)
    if np.shape(derivative) != wanted:
        given = np.shape(derivative)
        raise ValueError(f"{rule} gives a derivative of shape {given} where {wanted} is needed")
    return derivative


def as_told(result: Any, function: str, *types: str) -> Any:
    """What a function gives that is not followed, of the types it was said to give.

    >>> as_told(np.ones(2), "f", "float64[:]")
    array([1., 1.])
    """
    parts = result if len(types) > 1 and type(result) is tuple else (result,)
    found = [
        f"{getattr(part, 'dtype', type(part).__name__)}{list(np.shape(part))}" for part in parts
    ]
    fit = len(parts) == len(types)
    for given, told, part in zip(found, types, parts, strict=False):
        name, _, sizes = told.partition("[")
        dims = sizes.rstrip("]").split(", ") if sizes.rstrip("]") else []
        fit &= given.startswith(f"{name}[") and len(dims) == np.ndim(part)
        fit &= isinstance(part, np.ndarray) == ("[" in told)
        fit &= all(d in (":", str(n)) for d, n in zip(dims, np.shape(part), strict=False))
    if not fit:
        raise TypeError(
            f"{function} gives {', '.join(found)}, and was said to give {', '.join(types)}"
        )
    return result


def picked(result: Any, *names: Any) -> Any:
    """Parts of what a solver gives, by their names or places; the only one by itself.

    >>> picked((1.0, 2.0), 0)
    1.0
    """
    parts = tuple(getattr(result, k) if isinstance(k, str) else result[k] for k in names)
    return parts if len(parts) > 1 else parts[0]


def integrated(function: Any, y0: Any, t: Any, **given: Any) -> Any:
    """What ``scipy.integrate.odeint`` finds, ``y``, and all that it tells, by names.

    >>> integrated(lambda y, t: -y, 1.0, [0.0, 0.0]).y
    array([[1.],
           [1.]])
    """
    from types import SimpleNamespace

    from scipy.integrate import odeint

    y, told = odeint(function, y0, t, full_output=True, **given)
    return SimpleNamespace(y=y, **told)


def krylov(
    function: Any,
    name: str,
    right: Any,
    args: tuple[Any, ...] = (),
    both: bool = False,
    **given: Any,
) -> Any:
    """What a solver of ``scipy.sparse.linalg`` finds for the matrix of which ``function(v, *args)``
    gives products: also, second, those with a preconditioner, if there are ``both``.

    >>> x, info = krylov(lambda v: 2.0 * v, "cg", np.array([4.0, 6.0]))
    >>> x, info
    (array([2., 3.]), 0)
    """
    from scipy.sparse import linalg

    def product(place: int) -> Any:
        def times(vector: Any) -> Any:
            return function(vector, *args)[place] if both else function(vector, *args)

        return linalg.LinearOperator((len(right),) * 2, matvec=times, dtype=np.float64)

    if both:
        given = {**given, "M": product(1)}
    found = getattr(linalg, name)(product(0), right, **given)
    return found[0], int(found[1])


def outermost(function: Any, X: Any, args: tuple[Any, ...] = (), **given: Any) -> Any:
    """The outermost eigenvalues that ``lobpcg`` finds of a matrix by what it does to columns, their
    vectors, and the columns that it has begun with.

    >>> values, _, _ = outermost(lambda x: np.arange(9.0)[:, None] * x, np.eye(9)[:, 8:] + 0.01)
    >>> values.round(6)
    array([8.])
    """
    from scipy.sparse.linalg import lobpcg

    def products(columns: Any) -> Any:
        found = function(columns, *args)
        if columns.dtype != X.dtype or found.dtype != X.dtype:
            raise not_taken(TypeError("symdiff takes a linear operator that keeps the dtype of X"))
        return found

    start = X.copy("K")
    values, vectors = lobpcg(products, start, **given)
    return values, vectors, start


def dense_output(
    function: Any, t_span: Any, y0: Any, times: Any, args: tuple[Any, ...] = (), **options: Any
) -> Any:
    """The states at times that ``scipy.integrate.solve_ivp`` finds between its steps.

    >>> dense_output(lambda t, y: -y, (0.0, 1.0), [1.0], np.array([0.5])).round(2)
    array([[0.61]])
    """
    from scipy.integrate import solve_ivp

    return solve_ivp(function, t_span, y0, dense_output=True, args=args, **options).sol(times)


def solution_with_events(
    function: Any,
    t_span: Any,
    y0: Any,
    terminal: Any,
    direction: Any,
    args: tuple[Any, ...] = (),
    **options: Any,
) -> Any:
    """``scipy.integrate.solve_ivp`` with events, of which ``function`` gives the numbers behind
    the rates, these if its third argument is 0.0, those if it is 1.0; the times and states of the
    events by number: ``t_0``, ``y_0``.

    >>> fall = lambda t, y, of_events: np.array([y[1], -2.0, y[0]])
    >>> solution_with_events(fall, (0.0, 9.0), [1.0, 0.0], (1,), (0.0,)).t_0.round(6)
    array([1.])
    """
    from scipy.integrate import solve_ivp

    count = len(terminal)

    def rate(t: Any, y: Any, *args: Any) -> Any:
        return function(t, y, 0.0, *args)[:-count]

    def event_at(k: int) -> Any:
        def event(t: Any, y: Any, *args: Any) -> Any:
            return float(function(t, y, 1.0, *args)[k - count])

        event.terminal, event.direction = terminal[k], direction[k]  # type: ignore[attr-defined]
        return event

    events = [event_at(k) for k in range(count)]
    found = solve_ivp(rate, t_span, y0, events=events, args=args, **options)
    for k in range(count):
        times = found.t_events[k]
        found[f"t_{k}"] = times
        found[f"y_{k}"] = np.reshape(found.y_events[k], (len(times), len(y0)))
    return found


def boundary_values(
    function: Any, x: Any, y: Any, p: Any, args: tuple[Any, ...] = (), **options: Any
) -> Any:
    """What ``scipy.integrate.solve_bvp`` finds; ``unknown`` are all values at the nodes, and the
    parameters behind them.

    ``function(x, y, p, ya, yb)`` gives the rates, and the residuals of the boundary conditions.

    >>> def function(x, y, p, ya, yb):
    ...     return np.ones_like(y), ya - 2.0
    >>> boundary_values(function, [0.0, 1.0], np.zeros((1, 2)), np.zeros(0)).unknown.round(12)
    array([2., 3.])
    """
    from scipy.integrate import solve_bvp

    x, y, p = np.asarray(x, float), np.asarray(y, float), np.asarray(p, float)

    def rates(x: Any, y: Any, p: Any = p) -> Any:
        return function(x, y, p, y[:, 0], y[:, -1], *args)[0]

    def ends(ya: Any, yb: Any, p: Any = p) -> Any:
        return function(x, y, p, ya, yb, *args)[1]

    found = solve_bvp(rates, ends, x, y, p if len(p) else None, **options)
    found.unknown = np.append(found.y, p if found.p is None else found.p)
    return found


def with_slopes(
    function: Any, name: str, x0: Any, args: tuple[Any, ...] = (), slope: str = "jac", **given: Any
) -> Any:
    """What a solver of ``scipy.optimize`` finds of a function that gives two parts: its value, and
    its derivative, which the solver takes by the name ``slope``.

    >>> with_slopes(lambda x: (x * x - 4.0, 2.0 * x), "newton", np.ones(1), slope="fprime")
    array([2.])
    """
    from scipy import optimize

    given[slope] = lambda x: function(x, *args)[1]
    return getattr(optimize, name)(lambda x: function(x, *args)[0], x0, **given)


def found_by_name(
    function: Any, name: str, x0: Any, args: tuple[Any, ...] = (), **given: Any
) -> Any:
    """What a solver of ``scipy.optimize`` finds that gives its function no arguments but one.

    >>> found_by_name(lambda x, a: x - a, "broyden1", np.ones(1), (2.0,))
    array([2.])
    """
    from scipy import optimize

    return getattr(optimize, name)(lambda x: function(x, *args), x0, **given)


def searched_along(
    function: Any, xk: Any, pk: Any, args: tuple[Any, ...] = (), **options: Any
) -> Any:
    """The step that ``scipy.optimize.line_search`` finds of a function that gives its value and its
    slope, how often it asks for each, and whether the step is a float of Python's.

    >>> searched_along(lambda x: (x @ x, 2.0 * x), np.array([1.8, 1.7]), np.array([-1.0, -1.0]))
    (1.0, 2, 1, True)
    """
    from scipy.optimize import line_search

    value, slope = (lambda x, k=k: function(x, *args)[k] for k in range(2))
    found = line_search(value, slope, xk, pk, **options)
    if found[0] is None:
        raise not_taken(ValueError("symdiff takes lines on which a step is found"))
    return float(found[0]), found[1], found[2], type(found[0]) is float


def warped(function: Any, image: Any, args: tuple[Any, ...] = (), **options: Any) -> Any:
    """What ``scipy.ndimage.geometric_transform`` makes of an image, by a function that gives the
    place in it of each place in the result.

    >>> warped(lambda place: place - 0.5, np.array([1.0, 3.0, 5.0]), order=1).tolist()
    [0.0, 2.0, 4.0]
    """
    from scipy.ndimage import geometric_transform

    def mapping(place: tuple[int, ...]) -> tuple[float, ...]:
        return tuple(function(np.array(place), *args))

    return geometric_transform(image, mapping, **options)


def solved_and_told(function: Any, x0: Any, args: tuple[Any, ...] = (), **options: Any) -> Any:
    """What ``scipy.optimize.fsolve`` finds, what is left there, why it stopped, by a number and in
    a text, and how often it asked.

    >>> solved_and_told(lambda x: x - 2.0, [0.0])
    (array([2.]), array([0.]), 1, 'The solution converged.', 5)
    """
    from scipy.optimize import fsolve

    x, told, why, text = fsolve(function, x0, args, full_output=True, **options)
    return x, told["fvec"], int(why), text, told["nfev"]


def minimized(
    function: Any,
    x0: Any,
    args: tuple[Any, ...] = (),
    jac: bool = False,
    hess: bool = False,
    constraints: Any = (),
    **options: Any,
) -> Any:
    """What ``scipy.optimize.minimize`` finds of a function that gives several parts.

    These are the value, the gradient (``jac``), the matrix of second derivatives (``hess``), and
    what the constraints give: of each its kind is said, whether its derivative follows, and between
    which ends it lies; of linear ones the matrix and the ends.

    >>> found = minimized(lambda x: (x @ x, x[0] - 1.0), np.zeros(1), constraints=(("eq", False),))
    >>> found.x.round(6)
    array([1.])
    """
    from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

    place = itertools.count()

    def part() -> Any:
        k = next(place)
        return lambda x: function(x, *args)[k]

    given: dict[str, Any] = {"fun": part()}
    given |= {name: part() for name, is_given in (("jac", jac), ("hess", hess)) if is_given}
    told: list[Any] = []
    for kind, *ends in constraints:
        if kind == "linear":
            told.append(LinearConstraint(*ends))
            continue
        own, slope = part(), {"jac": part()} if ends[0] else {}
        if kind == "between":
            told.append(NonlinearConstraint(own, *ends[1:], **slope))
        else:
            told.append({"type": kind, "fun": own, **slope})
    return minimize(x0=x0, constraints=told, **given, **options)


def fitted(
    function: Any, x0: Any, args: tuple[Any, ...] = (), sloped: bool = False, **options: Any
) -> Any:
    """What ``scipy.optimize.leastsq`` finds and says: the solution, the inverse of the matrix of
    the normal equations (infinite where it has none), why it stopped, the sum of squares, why it
    stopped as a text, and how often it asked.

    With ``sloped``, the function gives the residuals and their derivatives.

    >>> fitted(lambda x: np.array([x[0] - 1.0, 2.0 * x[0]]), np.array([1.0]))[1]
    array([[0.2]])
    """
    from scipy.optimize import leastsq

    if sloped:
        both, args_of_both, args = function, args, ()

        def function(x: Any) -> Any:
            return both(x, *args_of_both)[0]

        options["Dfun"] = lambda x: both(x, *args_of_both)[1]
    x, inverse, told, text, why = leastsq(function, x0, args, full_output=True, **options)
    if inverse is None or np.isnan(inverse).any():
        inverse = np.full((len(x),) * 2, np.inf)
    return x, inverse, int(why), np.sum(told["fvec"] ** 2), text, told["nfev"]


def quad_rows(f: Any, a: Any, b: Any, args: Any = (), **options: Any) -> Any:
    """The integral of an array, and nothing else, in a tuple: by ``quad_vec``; where that meets an
    infinity, as at the end of ``1 / sqrt(x)``, each element by ``quad``, which extrapolates.

    >>> quad_rows(lambda x: 0.5 / np.sqrt(np.array([x, 1.0 - x])), 0.0, 1.0)[0].round(6)
    array([1., 1.])
    """
    from scipy.integrate import quad, quad_vec

    with np.errstate(divide="ignore", invalid="ignore"):
        found = quad_vec(f, a, b, args=args, **options)[0]
    if np.iscomplexobj(found) or np.all(np.isfinite(found)):
        return (found,)
    each = [
        quad(lambda x, k=k: np.asarray(f(x, *args)).flat[k], a, b, **options)[0]
        for k in range(found.size)
    ]
    return (np.reshape(np.array(each, found.dtype), found.shape),)


def monotonic_root(f: Any, low: Any, high: Any, args: tuple[Any, ...] = ()) -> Any:
    """Where a monotonic function of each number is 0, between ends that may be infinite: in the
    steps of SciPy's random variables.

    >>> monotonic_root(lambda x: x - np.array([1.0, 2.0]), np.zeros(2), np.full(2, np.inf))
    array([1., 2.])
    """
    from scipy.optimize._bracket import _bracket_root
    from scipy.optimize._chandrupatla import _chandrupatla
    from scipy.stats._distribution_infrastructure import _guess_bracket

    low, high = np.asarray(low), np.asarray(high)
    left, right = (np.reshape(x, low.shape) for x in _guess_bracket(*np.atleast_1d(low, high)))
    whole = np.asarray(0.5 * left + 0.5 * right)

    def function(x: Any, places: Any) -> Any:  # of those not found yet, of some of them twice
        shape, x, places = x.shape, np.ravel(x), np.ravel(places)
        found, left = np.empty(x.size, whole.dtype), np.arange(x.size)
        while left.size:
            first = np.unique(places[left], return_index=True)[1]
            moved, some = whole.copy(), left[first]
            moved.reshape(-1)[places[some]] = x[some]
            found[some] = np.ravel(f(moved[()], *args))[places[some]]
            left = np.delete(left, first)
        return np.reshape(found, shape)

    places = np.reshape(np.arange(low.size), low.shape)
    found = _bracket_root(function, left, right, xmin=low, xmax=high, args=(places,))
    return _chandrupatla(function, found.xl, found.xr, args=(places,), fatol=0, frtol=0).x


def integral_of_one(f: Any, a: Any, b: Any, args: tuple[Any, ...] = ()) -> Any:
    """An integral by ``scipy.integrate.tanhsinh``, of a function of a row of numbers.

    >>> integral_of_one(lambda x: np.exp(-x), 0.0, np.inf).round(12)
    np.float64(1.0)
    """
    from scipy.integrate import tanhsinh

    return tanhsinh(lambda x: np.reshape(f(np.ravel(x), *args), x.shape), a, b).integral


def arrival(result: Any) -> Any:
    """The last state that ``odeint`` (with its full output) or ``solve_ivp`` gives; NaN where it
    has stopped before, at a state of which there is no saying how far off it is.

    >>> arrival((np.array([[1.0, 2.0], [3.0, 4.0]]), {"message": "Integration successful."}))
    array([3., 4.])
    """
    if isinstance(result, tuple):
        rows, told = result
        end, has_arrived = rows[-1], told["message"] == "Integration successful."
    else:
        end, has_arrived = result.y[:, -1], result.success
    return end if has_arrived else np.full_like(end, np.nan)


def converged(result: Any, function: Any, args: Any, where: str, *names: Any) -> Any:
    """``picked``, with a warning where a solver says that it has not converged, unless it has come
    as near as floats allow.

    ``function(x, *args)`` is what the solver was given, ``where`` the place of its call.

    >>> converged((2.0, type("RootResults", (), {"converged": True})), None, (), "", 0)
    2.0
    """
    status = result[1] if isinstance(result, tuple) else result
    is_root = hasattr(status, "converged")
    has_solved = status.converged if is_root else status.success
    if not has_solved and "precision loss" not in str(getattr(status, "message", "")):
        # An exported module stands alone: it warns by the class that symdiff's is one of.
        category = getattr(sys.modules.get("symdiff"), "ConvergenceWarning", RuntimeWarning)

        def residual(x: Any) -> Any:
            value = function(x, *args)
            return value[0] if isinstance(value, tuple) else value

        point = status.root if is_root else status.x
        slope = getattr(status, "jac", None)
        if isinstance(slope, list):  # of trust-constr, those of the conditions
            slope = status.lagrangian_grad
        found: Any = slope
        what = "residual"
        if hasattr(status, "rms_residuals"):
            found = status.rms_residuals
        elif is_root or np.ndim(getattr(status, "fun", 0.0)) > 0:
            found = residual(point)
        elif slope is None or np.ndim(slope) > 1:
            step = 1e-5 * max(1.0, float(np.max(np.abs(point))))
            found = (residual(point + step) - residual(point - step)) / (2.0 * step)
            what = "slope"
        else:
            what = "gradient"
        size = float(np.max(np.abs(found)))
        text = "derivatives are what the implicit function theorem gives at this point"
        text = f"{where}: the solver has not converged, the {what} is {size:.3g}; {text}"
        warnings.warn(text, category, stacklevel=3)
    return picked(result, *names)


def hooked(hook: Any, cotangent: Any) -> Any:
    """What a hook makes of a cotangent, a copy of which it is given: of its shape and dtype.

    >>> hooked(lambda g: 2.0 * g, np.ones(2, "float32"))
    array([2., 2.], dtype=float32)
    """
    rule = f"the hook {getattr(hook, '__name__', hook)}"
    given = hook(cotangent.copy() if isinstance(cotangent, np.ndarray) else cotangent)
    wanted, found = np.asarray(cotangent), np.asarray(given)
    if found.dtype.kind not in "biufc":
        raise TypeError(f"{rule} gives {given!r}: let it return the cotangent")
    of_shape(found, wanted.shape, rule)
    real = found.real if wanted.dtype.kind == "f" else found
    made = real.astype(wanted.dtype, copy=False)
    return made if isinstance(cotangent, np.ndarray) else type(cotangent)(made[()])


def matrix_function_along(function: Any, a: Any, *directions: Any) -> Any:
    """The derivative of a function of matrices along directions, one after the other.

    It stands in the corner of the function of a block matrix (Al-Mohy and Higham 2009, eq. 3.1).
    Directions are made no longer than the matrix, that scaling and rounding go by that one.

    >>> double = np.array([[2.0, 0.0], [0.0, 3.0]])
    >>> matrix_function_along(lambda a: a @ a, double, np.ones((2, 2)))
    array([[4., 5.],
           [5., 6.]])
    """
    block, scale, n = np.asarray(a), 1.0, a.shape[-1]
    size = np.linalg.norm(a)
    for k, direction in enumerate(directions):
        length = np.linalg.norm(direction)
        if length > size > 0 and np.isfinite(length):
            step = 2.0 ** np.ceil(np.log2(length / size))
            direction, scale = direction / step, scale * step
        corner = np.kron(np.eye(2**k, dtype=direction.dtype), direction)
        top = np.concatenate((block, corner), axis=-1)
        bottom = np.concatenate((np.zeros_like(block), block), axis=-1)
        block = np.concatenate((top, bottom), axis=-2)
    value = function(block)[..., :n, -n:]
    return value if scale == 1.0 else value * value.real.dtype.type(scale)


def real_as(a: Any, value: Any) -> Any:
    """A function of a matrix, which has to be real where the matrix is.

    >>> real_as(np.eye(1), np.eye(1))
    array([[1.]])
    """
    if np.iscomplexobj(value) and not np.iscomplexobj(a):
        raise not_taken(
            TypeError(
                "a function of a real matrix is complex here:"
                " pass a complex matrix, a.astype(complex)"
            )
        )
    return value


def order_of_pivots(packed: Any, pivots: Any) -> Any:
    """The rows of a matrix in the order in which its triangular factors have them.

    >>> order_of_pivots(np.eye(3), np.array([2, 2, 2]))
    array([2, 0, 1])
    """
    order = np.arange(len(packed))
    for k, pivot in enumerate(pivots):
        order[[k, pivot]] = order[[pivot, k]]
    return order


def all_complex(results: Any) -> Any:
    """Results of an eigendecomposition, complex even where all of them are real.

    >>> all_complex((np.ones(1), np.ones((1, 1))))
    [array([1.+0.j]), array([[1.+0.j]])]
    """
    return [np.asarray(x).astype(np.result_type(x, np.complex64), copy=False) for x in results]


def lagged_products(w: Any, x: Any, like: Any) -> Any:
    """Sums of ``w[..., n] * conj(x[..., n - k])``, one for each ``k`` below ``len(like)``.

    >>> lagged_products(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 5.0]), np.zeros(4))
    array([18.,  5.,  3.,  0.])
    """
    count, n = len(like), x.shape[-1]
    sums = np.zeros(count, np.result_type(w, x))
    for k in range(min(count, n)):
        sums[k] = np.vdot(x[..., : n - k], w[..., k:])
    return sums


def attempted(classes: tuple[type[BaseException], ...], action: Any) -> tuple[Any, Any]:
    """What an action raises that is of one of the classes, or None; and what it gives.

    >>> attempted((ValueError,), lambda: math.sqrt(-1.0))[0]
    ValueError('math domain error')
    >>> attempted((ValueError,), lambda: math.sqrt(4.0))
    (None, 2.0)
    """
    try:
        return None, action()
    except classes as error:
        if hasattr(error, "not_taken"):
            raise
        return error, None


def not_taken(error: BaseException) -> BaseException:
    """An exception that says what symdiff does not take: no handler of the user's is for it.

    >>> attempted((TypeError,), lambda: real_as(np.eye(1), 1j * np.eye(1)))
    Traceback (most recent call last):
    TypeError: a function of a real matrix is complex here: pass a complex matrix, a.astype(complex)
    """
    error.not_taken = True  # type: ignore[attr-defined]
    return error


def written_apart(x: Any, key: Any, v: Any) -> Any:
    """An array of the type of another after an assignment to it, its other elements anything.

    >>> attempted((ValueError,), lambda: written_apart(np.ones(3), slice(1, None), np.ones(5)))[0]
    ValueError('could not broadcast input array from shape (5,) into shape (2,)')
    """
    written = np.empty_like(x)
    written[key] = v
    return written


def first_class(error: Any, classes: tuple[type[BaseException], ...]) -> int:
    """The number of the first of the classes that an exception is an instance of.

    >>> first_class(KeyError(), (ValueError, LookupError))
    1
    """
    return next((k for k, kind in enumerate(classes) if isinstance(error, kind)), -1)


def place_in(key: Any, *columns: list[Any]) -> int:
    """Where a key stands in a list, as a dict finds it; -1 where it does not.

    Of several columns the keys are tuples, one of each.

    >>> place_in(0.5, [1.0, 0.5]), place_in((1, 2), [1, 1], [1, 3])
    (1, -1)
    """
    place = getattr(columns[0], "place", None)
    if place is not None:
        return int(place(key, columns))
    rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    try:
        return rows.index(key)
    except ValueError:
        return -1


def list_of_keys(*items: Any) -> list[Any]:
    """A list that knows, for ``place_in``, where its items stand, as a dict does.

    >>> keys = list_of_keys(2, 3)
    >>> keys.append(5)
    >>> place_in(5, keys), place_in(4, keys)
    (2, -1)
    """

    class Keys(list[Any]):
        rows: list[Any]  # the keys whose places are known
        places: dict[Any, int]

        def place(self, key: Any, columns: Any) -> int:
            for k in range(len(self.rows), len(self)):
                row = tuple([column[k] for column in columns]) if columns[1:] else self[k]
                self.places.setdefault(row, k)
                self.rows.append(row)
            return self.places.get(key, -1)

        def pop(self, index: Any = -1) -> Any:
            if index != -1:
                self.rows, self.places = [], {}
            elif len(self.rows) == len(self) and self.places[self.rows[-1]] == len(self) - 1:
                del self.places[self.rows[-1]]
            del self.rows[len(self) - 1 :]
            return super().pop(index)

    def forgetting(change: Any) -> Any:
        def changed(keys: Any, *given: Any) -> None:
            keys.rows, keys.places = [], {}
            change(keys, *given)

        return changed

    for name in ("insert", "__setitem__", "__delitem__"):
        setattr(Keys, name, forgetting(getattr(list, name)))
    made = Keys(items)
    made.rows, made.places = [], {}
    return made


def order_in(*columns: list[Any], reverse: bool = False) -> list[int]:
    """The places of a list's items in their order; of several columns the items are tuples.

    >>> order_in([0.5, 0.2, 0.3]), order_in([1, 1], ["b", "a"], reverse=True)
    ([1, 2, 0], [0, 1])
    """
    rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    return sorted(range(len(rows)), key=rows.__getitem__, reverse=reverse)


def order_by(*less: tuple[bool, ...], reverse: bool = False) -> list[int]:
    """The places of items in their order, by the answers whether one is less than another.

    >>> order_by((False, False), (True, False))
    [1, 0]
    """

    def compared(a: int, b: int) -> int:
        return -bool(less[a][b])

    return sorted(range(len(less)), key=functools.cmp_to_key(compared), reverse=reverse)
