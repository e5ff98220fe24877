"""Singular values, QR, eigenvalues and least squares as statistics and mechanics use them."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(29)
POINTS = rng.normal(size=(5, 3)) * [3.0, 1.5, 0.5]
SQUARE = rng.normal(size=(3, 3)) + np.diag([1.0, 2.0, 4.0])


@program(args=(POINTS, 2), also=[(POINTS[:, :2], 1)])
def variance_in_principal_components(X, count):
    centred = X - X.mean(axis=0)
    u, s, vh = np.linalg.svd(centred, full_matrices=False)
    scores = centred @ vh[:count].T
    left_out = centred - scores @ vh[:count]
    return np.sum(np.abs(scores) ** 3) + np.sum(left_out**4) + s[0] / np.sum(s)


@program(args=(POINTS, POINTS[::-1] + 0.3), wrt=(0, 1))
def rotation_of_one_body_onto_another(P, Q):
    """Kabsch's algorithm."""
    p, q = P - P.mean(axis=0), Q - Q.mean(axis=0)
    found = np.linalg.svd(p.T @ q)
    turn = np.sign(np.linalg.det(found.Vh.T @ found.U.T))
    R = found.Vh.T @ np.diag([1.0, 1.0, turn]) @ found.U.T
    return np.sum((p @ R.T - q) ** 2) + R[0, 1]


@program(args=(POINTS, rng.normal(size=5)), wrt=(0, 1))
def t_statistics_of_a_regression(X, y):
    beta, residuals, rank, _ = np.linalg.lstsq(X, y, rcond=None)
    variance = residuals[0] / (len(y) - rank)
    errors = np.sqrt(variance * np.diag(np.linalg.pinv(X.T @ X)))
    return np.sum(np.tanh(beta / errors))


@program(args=(POINTS, rng.normal(size=5)), wrt=(0, 1))
def leverage_by_qr(X, y):
    q, r = np.linalg.qr(X)
    leverage = np.sum(q * q, axis=1)
    beta = np.linalg.solve(r, q.T @ y)
    return np.sum((y - X @ beta) ** 2 / (1.0 - leverage) ** 2) + np.log(np.linalg.cond(r))


@program(args=(SQUARE, 0.4), also=[(SQUARE - SQUARE.T, 0.4)], wrt=(0, 1))
def growth_of_a_linear_system(A, t):
    """Eigenvalues that are real in one case, complex in the other."""
    w, v = np.linalg.eig(A)
    state = (v * np.exp(t * w)) @ np.linalg.solve(v, np.ones(3) + 0j)
    return np.sum(state.real**2) + np.max(np.abs(w))


@program(args=(SQUARE, rng.normal(size=3)), wrt=(0, 1))
def regularised_matrix(W, x):
    chain = np.linalg.multi_dot([x, W, W.T, W, x])
    sizes = np.linalg.norm(W, 2) + 0.1 * np.linalg.norm(W, "nuc")
    return chain / sizes + np.sum(np.vecdot(W, W[::-1]) ** 2)
