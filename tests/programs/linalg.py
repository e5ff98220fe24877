"""Programs built on ``numpy.linalg``."""

import numpy as np
from numpy import linalg as LA

from tests.programs.registry import program

rng = np.random.default_rng(41)
A = rng.uniform(-1, 1, (3, 3)) + 2.5 * np.eye(3)
S = A @ A.T
B = rng.uniform(-1, 1, 3)
POINTS = rng.uniform(0, 2, (5, 2))


@program(args=(A, B), wrt=(0, 1))
def solves(a, b):
    x = np.linalg.solve(a, b)
    y = np.linalg.solve(a.T, np.outer(x, b) + np.eye(3))
    return x @ b + np.trace(y) * x[0]


@program(args=(A,))
def inverse_and_determinant(a):
    inv = LA.inv(a)
    d = LA.det(a)
    sign, logdet = np.linalg.slogdet(a)
    return np.sum(inv * a.T) + d * 0.1 + sign * logdet**2


@program(args=(POINTS, np.array([0.3, 1.2, -0.4, 0.8, 0.1]), 0.7, 0.3), wrt=(0, 1, 2, 3))
def gp_marginal_likelihood(x, y, ell, noise):
    d = x[:, None, :] - x[None, :, :]
    k = np.exp(-0.5 * np.sum(d**2, axis=-1) / ell**2) + noise**2 * np.eye(len(x))
    L = np.linalg.cholesky(k)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(x) * np.log(2 * np.pi)


@program(args=(A, B), wrt=(0, 1))
def norms(a, b):
    n = np.linalg.norm(b) * np.linalg.norm(a)
    cols = np.linalg.norm(a, axis=0)
    rows = np.linalg.norm(a, axis=1, keepdims=True)
    return n + np.sum(a / rows) + cols.prod() + LA.norm(b, 1) + LA.norm(b, ord=3)


@program(args=(rng.uniform(-1, 1, (6, 3)), rng.uniform(-1, 1, 6), 0.1), wrt=(0, 1, 2))
def ridge_regression(X, y, lam):
    beta = np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)
    res = y - X @ beta
    return res @ res / len(y) + lam * np.sum(beta**2)


@program(args=(S, B, B[::-1] * 0.5), wrt=(0, 1, 2))
def gaussian_log_density(cov, x, mu):
    d = x - mu
    _, logdet = np.linalg.slogdet(cov)
    maha = d @ np.linalg.inv(cov) @ d
    return -0.5 * (maha + logdet + len(x) * np.log(2 * np.pi))


@program(args=(np.array([S, 2 * S + np.eye(3)]), rng.uniform(-1, 1, (2, 3))), wrt=(0, 1))
def batched(a, b):
    x = np.linalg.solve(a, b[..., None])[..., 0]
    d = np.linalg.det(a)
    L = np.linalg.cholesky(a)
    return np.sum(x * b) + np.log(d).sum() + np.sum(L @ np.swapaxes(a, -1, -2)) * 0.01


@program(args=(A, B), wrt=(0, 1))
def einsum_contractions(a, b):
    q = np.einsum("i,ij,j", b, a, b)
    t = np.einsum("ij,jk->ik", a, a)
    d = np.einsum("ii->i", t)
    o = np.einsum("i,j->ij", b, b)
    s = np.einsum("ij->", o * a) + np.einsum("ij->j", a) @ b
    return q * s + d @ d * 0.1


@program(args=(A * 0.3,))
def matrix_exponential_series(a):
    term = np.eye(3)
    total = np.eye(3)
    for k in range(1, 12):
        term = term @ a / k
        total = total + term
    p = np.linalg.matrix_power(a, 3)
    return np.sum(total**2) + np.trace(p)


@program(args=(S, B), wrt=(0, 1))
def newton_in_n_dimensions(H, c):
    x = np.zeros(3)
    for _ in range(4):
        g = H @ x + x**3 - c
        J = H + np.diag(3 * x**2)
        x = x - np.linalg.solve(J, g)
    return x @ c + np.sum(x**2)


@program(args=(np.array([1.0, 0.0, 0.5]), np.array([0.2, 0.9, -0.3])), wrt=(0, 1))
def rodrigues_rotation(w, v):
    theta = np.sqrt(w @ w)
    k = w / theta
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    R = np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * (K @ K)
    u = R @ v
    return u[0] * u[1] + u[2] ** 2 + np.cross(w, v)[1]


@program(args=(np.array([0.2, 0.5]), S[:2, :2], 0.3), wrt=(0, 1, 2))
def kalman_filter(x, P, q):
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Q = q * np.eye(2)
    R = np.array([[0.5]])
    loglik = 0.0
    for z in (0.3, 0.1, 0.6, 0.4):
        x = F @ x
        P = F @ P @ F.T + Q
        innovation = np.array([z]) - H @ x
        s = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(s)
        x = x + K @ innovation
        P = (np.eye(2) - K @ H) @ P
        loglik += -0.5 * (innovation @ np.linalg.solve(s, innovation) + np.log(np.linalg.det(s)))
    return loglik + x @ x
