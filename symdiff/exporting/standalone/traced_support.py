"""What ``ops.support`` has for NumPy, for JAX: under its name there, with an underscore.

And ``_hermitian``, by which functions of JAX mean what those of NumPy do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax


def _one_of(y: Any) -> Any:
    """The number 1 in the shape of ``y``, whose gradient is asked for: it has one element."""
    if y.size != 1:
        raise TypeError(f"the gradient of something that is not a scalar: its shape is {y.shape}")
    return jnp.ones_like(y)


def _prod_except(x: Any, *directions: Any, axis: Any = None) -> Any:
    """For each element the product of all the others along ``axis``, zeros among them or not.

    With directions, the derivative of that product in these directions: the sum over all ways to
    take as many of the others from the directions, one from each, instead of from ``x``.
    """
    dtype = jnp.result_type(x, *directions)
    axes = tuple(range(jnp.ndim(x))) if axis is None else tuple(np.atleast_1d(axis))
    front = [jnp.moveaxis(jnp.asarray(a, dtype), axes, range(len(axes))) for a in (x, *directions)]
    count, kept = int(np.prod(front[0].shape[: len(axes)])), front[0].shape[len(axes) :]
    rows = tuple(array.reshape(count, *kept) for array in front)
    sets = range(2 ** len(directions))  # of directions that are used up, a bit each

    def extended(products: Any, row: Any) -> Any:
        longer = [products[used] * row[0] for used in sets]
        for used in sets:
            for d, step in enumerate(row[1:]):
                if used & 1 << d:
                    longer[used] += products[used ^ 1 << d] * step
        return tuple(longer), products

    nothing = tuple(jnp.full(kept, 0.0 if used else 1.0, dtype) for used in sets)
    before = lax.scan(extended, nothing, rows)[1]
    after = lax.scan(extended, nothing, rows, reverse=True)[1]
    result: Any = sum(before[used] * after[sets[-1] ^ used] for used in sets)
    return jnp.moveaxis(result.reshape(front[0].shape), range(len(axes)), axes)


def _product_over(g: Any, n: Any, d: Any) -> Any:
    """``g * n / d``, 0 where a factor is, though a product or quotient of two may overflow."""
    n = jnp.where(g != 0, n, jnp.zeros_like(n))
    d = jnp.where(n != 0, d, jnp.ones_like(d))
    is_less = jnp.abs(g) < jnp.abs(n)
    small, large = jnp.where(is_less, g, n), jnp.where(is_less, n, g)
    apart = (jnp.abs(small) < 1) & (jnp.abs(large) >= 1)
    one = jnp.ones_like(large)
    return small * jnp.where(apart, large, one) / d * jnp.where(apart, one, large)


def _cross(a: Any, b: Any) -> Any:
    """The vector product."""
    return jnp.cross(a, b)


def _cofactors(a: Any) -> Any:
    """The derivative of the determinant by each entry: ``det(a) * inv(a).T``, singular or not."""
    regular = jnp.linalg.det(a)[..., None, None] * jnp.swapaxes(jnp.linalg.inv(a), -1, -2)

    def of_singular() -> Any:
        u, s, vh = jnp.linalg.svd(a)
        one = jnp.asarray(1, s.dtype)
        others = jnp.prod(jnp.where(jnp.eye(s.shape[-1]) > 0, one, s[..., None, :]), axis=-1)
        turn = (jnp.linalg.det(u) * jnp.linalg.det(vh))[..., None, None]
        return turn * ((u.conj() * others[..., None, :].astype(u.dtype)) @ vh.conj())

    return lax.cond(jnp.all(jnp.isfinite(regular)), lambda: regular, of_singular)


def _hermitian(a: Any, UPLO: str = "L") -> Any:
    """The matrix of which one triangle is given: NumPy reads no other, JAX takes the mean."""
    given = jnp.tril(a, -1) if UPLO == "L" else jnp.triu(a, 1)
    diagonal = jnp.where(jnp.eye(a.shape[-1], dtype=bool), a, 0)
    return diagonal + given + jnp.swapaxes(given, -1, -2).conj()


def _over_gaps(x: Any, w: Any) -> Any:
    """``x[i, j] / (w[j] - w[i])``, 0 on the diagonal.

    Eigenvalues equal up to rounding leave it open: NaN, but 0 where the columns of both are 0.
    """
    gaps = w[..., None, :] - w[..., None]
    level = 16 * np.finfo(gaps.dtype).eps * jnp.sum(jnp.abs(w), axis=-1)
    near = jnp.abs(gaps) <= level[..., None, None]
    turned = x / jnp.where(near, jnp.ones_like(gaps), gaps)
    told = jnp.any(x != 0, axis=-2)
    of_vectors = (told[..., None, :] | told[..., None]) & ~jnp.eye(w.shape[-1], dtype=bool)
    return jnp.where(near, jnp.where(of_vectors, jnp.nan, 0).astype(turned.dtype), turned)


def _vectors_share(v_bar: Any, w: Any, v: Any) -> Any:
    """What a Hermitian matrix gets of the cotangents of its eigenvectors."""
    turned = _over_gaps(jnp.swapaxes(v, -1, -2).conj() @ v_bar, w)
    both = (turned + jnp.swapaxes(turned, -1, -2).conj()) * 0.5
    return v @ both @ jnp.swapaxes(v, -1, -2).conj()


def _singular_part(a: Any, part: str) -> Any:
    """The derivative of the sum, maximum or minimum of singular values: by ``a``, by themselves.

    Ties share it evenly; a singular value of 0 has none.
    """
    u, s, vh = jnp.linalg.svd(a, full_matrices=False)
    weights = jnp.ones_like(s)
    if part != "all" and s.size:
        extreme = jnp.max if part == "largest" else jnp.min
        chosen = s == extreme(s, axis=-1, keepdims=True)
        weights = weights * chosen / jnp.sum(chosen, axis=-1, keepdims=True, dtype=s.dtype)
    weights = jnp.where(s > 0, weights, 0)
    return (u * weights[..., None, :]) @ vh, weights


def _polar_turn(t: Any, a: Any, r: Any) -> Any:
    """The tangent of ``r``, a product of the singular vectors of ``a``, as ``a`` changes by ``t``.

    What stands over a sum of singular values that is 0 up to rounding is NaN where there is a
    change at all.
    """
    if a.shape[-2] < a.shape[-1]:
        t, a, r = (jnp.swapaxes(x, -1, -2).conj() for x in (t, a, r))
        return jnp.swapaxes(_polar_turn(t, a, r), -1, -2).conj()
    back = jnp.swapaxes(r, -1, -2).conj()
    w, v = jnp.linalg.eigh(back @ a, symmetrize_input=True)
    level = 16 * np.finfo(w.dtype).eps * jnp.sum(jnp.abs(w), axis=-1)[..., None, None]
    missing = jnp.where(jnp.any(t != 0, axis=(-2, -1)), jnp.nan, 0.0)[..., None, None]

    def over(x: Any, sums: Any) -> Any:
        near = jnp.abs(sums) <= level
        return jnp.where(near, missing.astype(x.dtype), x / jnp.where(near, 1, sums))

    h = jnp.swapaxes(v, -1, -2).conj()
    moved = h @ back @ t @ v
    turned = over(moved - jnp.swapaxes(moved, -1, -2).conj(), w[..., None] + w[..., None, :])
    if not jnp.iscomplexobj(turned):
        turned = jnp.where(jnp.eye(w.shape[-1], dtype=bool), 0, turned)
    made = r @ v @ turned @ h
    if a.shape[-2] > a.shape[-1]:
        made = made + over((t - r @ (back @ t)) @ v, w[..., None, :]) @ h
    return made


def _sliding_window_view(x: Any, width: Any, axis: int) -> Any:
    """The stretches of ``width`` elements along an axis, on a last axis."""
    places = jnp.arange(x.shape[axis] - width + 1)[:, None] + jnp.arange(width)
    return jnp.moveaxis(jnp.take(x, places, axis), axis + 1, -1)


def _triangular_inv(a: Any, lower: bool) -> Any:
    """The inverse of triangular matrices."""
    return _triangular_solve(
        a, jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape), lower
    )


def _triangular_solve(a: Any, b: Any, lower: bool) -> Any:
    """The ``x`` of ``a @ x = b`` of triangular matrices."""
    columns = b[:, None] if b.ndim == 1 else b
    stack = jnp.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    a = jnp.broadcast_to(a, (*stack, *a.shape[-2:]))
    columns = jnp.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    x = lax.linalg.triangular_solve(a, columns, left_side=True, lower=lower)
    return x[..., 0] if b.ndim == 1 else x


def _added_windows(windows: Any, axis: int) -> Any:
    """What stands in windows along an axis, added where they overlap."""
    columns = jnp.moveaxis(windows, (axis, -1), (0, 1))
    count, width = columns.shape[:2]
    places = jnp.arange(count)[:, None] + jnp.arange(width)
    x = jnp.zeros((max(0, count + width - 1), *columns.shape[2:]), columns.dtype)
    return jnp.moveaxis(x.at[places].add(columns), 0, axis)


def _complex_eigvals(a: Any) -> Any:
    """The eigenvalues of a matrix as complex numbers, as JAX gives them."""
    return jnp.linalg.eigvals(a)


def _complex_eig(a: Any) -> Any:
    """The eigenvalues and eigenvectors of a matrix as complex numbers, as JAX gives them.

    Since it has the option, JAX has derivatives of the eigenvectors too, which hold where
    eigenvalues differ.
    """
    options: Any = {"compute_left_eigenvectors": False, "enable_eigvec_derivs": True}
    try:
        w, v = lax.linalg.eig(a + 0.0, **options)
    except TypeError:
        w, v = jnp.linalg.eig(a)
    return w, v


def _polygamma(x: Any, order: int = 0) -> Any:
    """The derivative of that order of the digamma function."""
    made = jax.scipy.special
    return made.polygamma(order, x) if order else made.digamma(x)


def _sinc(x: Any, order: int = 0) -> Any:
    """The derivative of that order of ``sin(pi x) / (pi x)``.

    Near 0 by its power series; elsewhere by the recurrence that differentiating
    ``u * sinc(u) = sin(u)`` gives.
    """
    u = jnp.pi * jnp.asarray(x, jnp.result_type(x, jnp.float64))
    is_far = jnp.abs(u) > order + 1
    far, near = jnp.where(is_far, u, 1), jnp.where(is_far, 0, u)
    made = jnp.sin(far) / far
    for n in range(1, order + 1):
        made = (jnp.sin(far + n * jnp.pi / 2) - n * made) / far
    terms = range((order + 1) // 2, order + 20)
    parts = [(-1) ** k / ((2 * k + 1) * math.factorial(2 * k - order)) for k in terms]
    series: Any = sum(p * near ** (2 * k - order) for p, k in zip(parts, terms, strict=True))
    values = jnp.pi**order * jnp.where(is_far, made, series)
    return values.astype(jnp.sinc(jnp.ones(1, jnp.asarray(x).dtype)).dtype)
