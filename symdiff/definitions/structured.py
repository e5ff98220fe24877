"""Matrices of ``scipy.linalg`` that are made of few numbers, and solving with them."""

import numpy as np

from symdiff.definitions.declare import refuse, registered
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.matrices import matrix, phases_of
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued, without_derivative


def _line(x):
    x = np.atleast_1d(x)
    if x.ndim != 1:
        refuse("stacks of lines")
    return x


def toeplitz(c, r=None):
    c = _line(c)
    r = c.conj() if r is None else _line(r)
    rows, columns = len(c), len(r)
    places = np.arange(columns) - np.arange(rows)[:, None] + (rows - 1)
    return np.concatenate((c[::-1], r[1:]))[places]


def hankel(c, r=None):
    c = _line(c)
    r = np.zeros_like(c) if r is None else _line(r)
    places = np.arange(len(c))[:, None] + np.arange(len(r))
    return np.concatenate((c, r[1:]))[places]


def circulant(c):
    c = _line(c)
    places = np.arange(len(c))
    return c[(places[:, None] - places) % len(c)].astype(c.dtype.newbyteorder("="))


def companion(a):
    a = _line(a)
    if len(a) < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if a[0] == 0:
        raise ValueError(
            "The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero."
        )
    row = -a[1:] / (1.0 * a[:1])
    return np.concatenate((row[None], np.eye(len(a) - 2, len(a) - 1, dtype=row.dtype)))


def leslie(f, s):
    f, s = _line(f), _line(s)
    below = np.concatenate((np.diag(s), np.zeros((len(s), 1), s.dtype)), axis=1)
    return np.concatenate((f[None], below)).astype(np.result_type(f, s))


def convolution_matrix(a, n, mode="full"):
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    a = _line(a)
    zeros = np.zeros(n - 1, a.dtype)
    whole = toeplitz(np.concatenate((a, zeros)), np.concatenate((a[:1], zeros)))
    cut = min(n, len(a)) - 1
    if mode == "same":
        return whole[cut // 2 : len(whole) - (cut - cut // 2)]
    return whole[cut : len(whole) - cut] if mode == "valid" else whole


def hilbert(n):
    values = 1.0 / (1.0 + np.arange(2 * n - 1))
    return hankel(values[:n], values[n - 1 :])


def khatri_rao(a, b):
    a, b = np.asarray(a), np.asarray(b)
    columns = a[..., :, None, :] * b[..., None, :, :]
    return columns.reshape((*columns.shape[:-3], a.shape[-2] * b.shape[-2], columns.shape[-1]))


def fiedler(a):
    a = _line(a)
    if a.size == 0:
        return np.array([], dtype=float)
    return np.zeros((1, 1)) if a.size == 1 else np.abs(a[:, None] - a)


def block_diag(*arrs):
    blocks = [np.atleast_2d(a) for a in arrs]
    rows, columns = 0, 0
    for block in blocks:
        if block.ndim > 2:
            refuse("stacks of matrices")
        rows, columns = rows + block.shape[0], columns + block.shape[1]
    made = np.zeros((rows, columns), np.result_type(*blocks))
    rows, columns = 0, 0
    for block in blocks:
        below, behind = rows + block.shape[0], columns + block.shape[1]
        made[rows:below, columns:behind] = block
        rows, columns = below, behind
    return made


def _first_lines(c_or_cr):
    if isinstance(c_or_cr, tuple):
        return c_or_cr
    c = np.asarray(c_or_cr)
    return c, c.conj()


def solve_toeplitz(c_or_cr, b):
    c, r = _first_lines(c_or_cr)
    return np.linalg.solve(toeplitz(c, r), b)


def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    if singular != "raise":
        refuse(f"singular={singular!r}")
    c, b = np.moveaxis(np.atleast_1d(c), caxis, -1), np.moveaxis(np.atleast_1d(b), baxis, -1)
    found = np.fft.ifft(np.fft.fft(b) / np.fft.fft(c))
    x = found if np.iscomplexobj(c) or np.iscomplexobj(b) else found.real
    return x if outaxis == -1 else np.moveaxis(x, -1, outaxis)


def matmul_toeplitz(c_or_cr, x):
    c, r = _first_lines(c_or_cr)
    x = np.asarray(x)  # SciPy's is of double precision whatever is given
    return toeplitz(c, r) @ x.astype(np.result_type(x, np.float64))


# By some of the columns of a matrix ---------------------------------------------------------------


def reconstruct_interp_matrix(idx, proj):
    proj = np.asarray(proj)
    whole = np.concatenate((np.eye(len(proj), dtype=proj.dtype), proj), axis=1)
    return whole[:, np.argsort(idx)]


def reconstruct_matrix_from_id(B, idx, proj):
    return np.asarray(B) @ reconstruct_interp_matrix(idx, proj)


def reconstruct_skel_matrix(A, k, idx):
    return np.asarray(A)[:, idx[:k]]


def id_to_svd(B, idx, proj):
    """By that of the product of both triangular factors, which is as small as its rank."""
    q, r = np.linalg.qr(np.asarray(B))
    turned, s = np.linalg.qr(reconstruct_interp_matrix(idx, proj).T.conj())
    u, values, vh = np.linalg.svd(r @ s.T.conj())
    u, v = q @ u, turned @ vh.T.conj()
    told = [computed(part, _part_of_svd, B, idx, proj, k) for k, part in enumerate((u, values, v))]
    factors = computed(values, phases_of, u, told[0])
    return valued(u * factors, told[0]), valued(values, told[1]), valued(v * factors, told[2])


def _part_of_svd(B, idx, proj, part):
    from scipy.linalg.interpolative import id_to_svd as found

    return found(B, idx, proj)[part]


def _drawn_for(A, rng):
    """A real matrix of which SciPy draws samples, with a generator that it makes itself."""
    if not isinstance(A, np.ndarray):
        refuse("a linear operator (use its matrix)")
    if np.iscomplexobj(A):
        refuse("complex matrices")
    if rng is not None and not isinstance(rng, (int, np.integer)):
        refuse("rng= that is no number (give a seed)")
    return matrix(A)


def _sound(found, exact, within):
    """1, or NaN where SciPy's samples give other numbers than those that are differentiated."""
    apart = np.max(np.abs(without_derivative(exact) - found), initial=0.0)
    return np.where(apart <= within * (1.0 + np.max(np.abs(found), initial=0.0)), 1.0, np.nan)


def interp_decomp(A, eps_or_k, rand=True, rng=None):
    """Columns, and what the others are made of them with: what comes nearest to them."""
    a = _drawn_for(A, rng)
    columns = a.shape[1]
    told = computed(np.zeros((columns + 2, columns)), _decomposed, a, eps_or_k, rand, rng)
    k, idx = int(told[0, 0]), told[1].astype(np.int64)
    value = told[2 : 2 + k, : columns - k]
    exact = np.linalg.lstsq(a[:, idx[:k]], a[:, idx[k:]])[0]
    proj = valued(exact * _sound(value, exact, 1e-8), value)
    if isinstance(eps_or_k, float) or eps_or_k < 1:
        return k, idx, proj
    return idx, proj


def _decomposed(a, eps_or_k, rand, rng):
    from scipy.linalg.interpolative import interp_decomp as found

    if isinstance(eps_or_k, float) and eps_or_k >= 1:
        raise TypeError("a rank that is a float: symdiff takes it for a precision")
    *_, idx, proj = found(a, eps_or_k, rand, rng)
    told = np.zeros((len(idx) + 2, len(idx)))
    told[0], told[1] = len(proj), idx
    told[2 : 2 + proj.shape[0], : proj.shape[1]] = proj
    return told


def svd(A, eps_or_k, rand=True, rng=None):
    """Those of what is nearest to the matrix among what is made of the columns that are found."""
    a = _drawn_for(A, rng)
    rows, columns = a.shape
    like = np.zeros((rows + columns + 3, max(rows, columns)))
    told = computed(like, _decomposed_by_singular_values, a, eps_or_k, rand, rng)
    k, idx = int(told[0, 0]), told[1, :columns].astype(np.int64)
    values, left, right = told[2, :k], told[3 : 3 + rows, :k], told[3 + rows :, :k]
    q = np.linalg.qr(a[:, idx[:k]])[0]
    u, s, vh = np.linalg.svd(q.T @ a, full_matrices=False)
    u, v = q @ u, vh.T
    sound = _sound(values, s, 1e-8)
    signs = np.sign(np.sum(without_derivative(u) * left, axis=0)) * sound
    return valued(u * signs, left), valued(s * sound, values), valued(v * signs, right)


def _decomposed_by_singular_values(a, eps_or_k, rand, rng):
    from scipy.linalg.interpolative import interp_decomp
    from scipy.linalg.interpolative import svd as found

    seed = int(np.random.default_rng().integers(2**63)) if rng is None else rng
    *_, idx, _ = interp_decomp(a, eps_or_k, rand, seed)
    u, s, v = found(a, eps_or_k, rand, seed)
    told = np.zeros((len(u) + len(v) + 3, max(a.shape)))
    told[0], told[1, : len(idx)] = len(s), idx
    told[2:, : len(s)] = np.vstack((s, u, v))
    return told


def estimate_spectral_norm(A, its=20, rng=None):
    """The largest singular value."""
    a = _drawn_for(A, rng)
    told = computed(np.zeros(1), _norm, a, its, rng)
    exact = np.linalg.norm(a, 2)
    return valued(exact * _sound(told, exact, 1e-8), float(told[0]))


def _norm(a, its, rng):
    from scipy.linalg.interpolative import estimate_spectral_norm as found

    return np.array([found(a, its, rng)])


def estimate_spectral_norm_diff(A, B, its=20, rng=None):
    a, b = _drawn_for(A, rng), _drawn_for(B, rng)
    told = computed(np.zeros(1), _norm_of_difference, a, b, its, rng)
    exact = np.linalg.norm(a - b, 2)
    return valued(exact * _sound(told, exact, 1e-8), float(told[0]))


def _norm_of_difference(a, b, its, rng):
    from scipy.linalg.interpolative import estimate_spectral_norm_diff as found

    return np.array([found(a, b, its, rng)])


@when_imported("scipy.linalg.interpolative")
def register_interpolation(interpolative):
    """Say what is made of columns and of how the others are made of them."""
    found = reconstruct_interp_matrix, reconstruct_matrix_from_id, reconstruct_skel_matrix
    registered(interpolative, *found, rounded=True)
    registered(interpolative, id_to_svd, interp_decomp, svd)
    registered(interpolative, estimate_spectral_norm, estimate_spectral_norm_diff)


@when_imported("scipy.linalg")
def register(linalg):
    """Say what the functions mean."""
    registered(
        linalg,
        *(toeplitz, hankel, circulant, companion, leslie, convolution_matrix, khatri_rao),
        *(fiedler, block_diag, hilbert),
    )
    registered(linalg, solve_toeplitz, solve_circulant, matmul_toeplitz, rounded=True)
