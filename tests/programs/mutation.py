"""Functions whose result is the argument they change: kernels, out=, in-place steps."""

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(23)
A = rng.uniform(-1, 1, (4, 4)) + 3 * np.eye(4)
B = rng.uniform(-1, 1, (4, 4))
V = rng.uniform(0.3, 1.3, 4)
GRID = rng.uniform(0, 1, (5, 6))


def kernel_gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


@program(args=(0.7, 1.2, B, A, B.T.copy()), wrt=(0, 1, 2, 3, 4), mutates=("C",))
def gemm_in_place(alpha, beta, C, A, B):
    kernel_gemm(alpha, beta, C, A, B)


@program(args=(0.7, 1.2, B, A), wrt=(0, 1, 2, 3))
def gemm_through_a_wrapper(alpha, beta, C, A):
    out = C.copy()
    kernel_gemm(alpha, beta, out, A, C.T)
    return np.sum(out * C)


@program(args=(V, A, V[::-1] * 0.4), wrt=(0, 1, 2), mutates=("x1",))
def mvt(x1, A, y):
    x1 += A @ y


@program(args=(V, A, V[::-1] * 0.4), wrt=(0, 1, 2))
def mvt_wrapped(x1, A, y):
    x = x1.copy()
    z = y.copy()
    mvt(x, A, y)
    mvt(z, A.T, x)
    return np.dot(x, x) + z.sum()


def jacobi_2d(tsteps, A, B):
    for t in range(1, tsteps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )


@program(args=(3, GRID, GRID * 0.5), wrt=(1, 2), mutates=("A", "B"))
def jacobi_in_place(tsteps, A, B):
    jacobi_2d(tsteps, A, B)


@program(args=(GRID,))
def jacobi_through_a_wrapper(grid):
    a = np.array(grid)
    b = np.zeros_like(grid)
    jacobi_2d(4, a, b)
    return np.sum(a**2 * grid)


@program(args=(A,), mutates=("A",))
def lu_in_place(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


@program(args=(A @ A.T,))
def cholesky_by_hand_logdet(A):
    L = A.copy()
    n = L.shape[0]
    for i in range(n):
        for j in range(i):
            L[i, j] -= np.dot(L[i, :j], L[j, :j])
            L[i, j] /= L[j, j]
        L[i, i] -= np.dot(L[i, :i], L[i, :i])
        L[i, i] = np.sqrt(L[i, i])
    return 2.0 * np.sum(np.log(np.diag(L)))


@program(args=(A, V), wrt=(0, 1))
def triangular_solve(L, b):
    x = np.empty_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


@program(args=(GRID,), mutates=("A",))
def seidel_2d(A):
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            A[i, j] = (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1] + A[i, j] ** 2) / 5.0


@program(args=(V, 0.2), wrt=(0, 1))
def out_arguments(x, c):
    buf = np.empty(4)
    np.multiply(x, c, out=buf)
    np.add(buf, x**2, out=buf)
    np.exp(buf[1:3], out=buf[1:3])
    r = np.sqrt(buf, out=buf)
    r[0] *= 2.0
    acc = np.zeros((2, 4))
    np.dot(np.outer(x[:2], x[2:]), np.ones((2, 4)) * c, out=acc)
    for i in range(2):
        np.subtract(acc[i], buf, out=acc[i])
        np.maximum(acc, -5.0, out=acc)
    return np.sum(acc**2) + buf @ x


@program(args=(V, 1.4), wrt=(0, 1), mutates=("x",))
def scales_and_returns(x, c):
    old = x.sum()
    x *= c
    x[1:] += x[:-1]
    return old * c, x[0] ** 2


@program(args=({"w": V, "b": np.array([0.1, 0.2])}, 0.1), wrt=(0, 1), mutates=("params",))
def sgd_step_on_a_dict(params, lr):
    for name in params:
        params[name] -= lr * 2.0 * params[name] ** 3
    params["b"] = params["b"] * params["w"][0]


@program(args=([V, V * 2], 0.5), wrt=(0, 1), mutates=("layers",))
def updates_arrays_in_a_list(layers, m):
    for i in range(len(layers)):
        layers[i][:] = np.tanh(layers[i] * m)
    layers[0] += layers[1]


@program(args=(V, V * 0.5, 0.05), wrt=(0, 1, 2), mutates=("q", "p"))
def leapfrog_in_place(q, p, h):
    for _ in range(4):
        p -= 0.5 * h * np.sin(q)
        q += h * p
        p -= 0.5 * h * np.sin(q)


@program(args=(V,))
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0] / 4
    beta = 1.0
    y[0] = alpha
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] / 4 + np.dot(np.flip(r[:k]) / 4, y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y @ y + beta


@program(args=(GRID,))
def floyd_warshall_like(path):
    d = path.copy()[:5, :5] + 0.3
    for k in range(5):
        d[:] = np.minimum(d[:], np.add.outer(d[:, k], d[k, :]) * 0.9)
    return np.sum(d**2)


@program(args=(rng.uniform(0, 1, (3, 4)),))
def gram_schmidt(A):
    M = A.T.copy() + np.eye(4)[:, :3]
    Q = np.zeros_like(M)
    R = np.zeros((3, 3))
    for k in range(3):
        nrm = np.dot(M[:, k], M[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = M[:, k] / R[k, k]
        for j in range(k + 1, 3):
            R[k, j] = np.dot(Q[:, k], M[:, j])
            M[:, j] -= Q[:, k] * R[k, j]
    return R[0, 2] * R[2, 2] + Q[0, 1]
