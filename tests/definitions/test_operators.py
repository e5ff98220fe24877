"""Linear operators, factors, eigenvalues and functions of sparse matrices, by differences."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla
from scipy import sparse
from scipy.linalg import cosm, expm

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
ROWS, COLUMNS = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 0, 2])
TIGHT, EXACT = {"rtol": 1e-14}, {"rtol": 1e-14, "atol": 1e-15}


def general(x):
    return sparse.csr_array((x + 1, (ROWS, COLUMNS)), shape=(3, 3))


def symmetric(x):
    return np.diag(x[:3] + 3) + 0.1 * np.outer(x[3:], x[3:])


def lines(x, n=12):
    middle = (2.5 + x[1]) * np.linspace(1, 2, n)
    return sparse.diags([x[0] * np.ones(n - 1), middle, x[0] * np.ones(n - 1)], [-1, 0, 1]).tocsr()


def with_preconditioner(x):
    A = sla.LinearOperator((3, 3), matvec=lambda v: symmetric(x) @ v)
    M = sla.LinearOperator((3, 3), matvec=lambda v: v / np.diag(symmetric(x)))
    return sla.cg(A, x[3:], M=M, **TIGHT)[0]


def only_where_it_has_converged(x):
    A = sla.LinearOperator((3, 3), matvec=lambda v: symmetric(x) @ v)
    found, info = sla.gmres(A, x[3:], **TIGHT)
    if info != 0:
        raise RuntimeError("not converged")
    return found


def algebra(x):
    S = symmetric(x)
    A = sla.LinearOperator((3, 3), matvec=lambda v: S @ v, rmatvec=lambda v: S.T @ v)
    B = 2.0 * A - sla.aslinearoperator(np.diag(x[:3])) @ A + A**2
    return B @ x[:3] + B.T @ x[3:] + A.rmatvec(x[:3]) + (B @ np.stack((x[:3], x[3:]), axis=1))[:, 1]


FIXED = np.diag(np.arange(1.0, 13.0))
START = np.random.default_rng(3).normal(size=(12, 2))


def outermost(A, **options):
    return sla.lobpcg(A, START.copy(), tol=1e-13, maxiter=300, **options)


def symmetric_of_12(x):
    return x[0] * FIXED + 0.1 * x[1] * np.outer(START[:, 0], START[:, 0])


def apart_from_found(A, largest=True):
    """The next two, where one is known."""
    vectors = np.linalg.eigh(A.toarray())[1]
    known = np.ascontiguousarray(vectors[:, -1:] if largest else vectors[:, :1])
    return outermost(A, Y=known, largest=largest)


def _halved(columns):
    return 0.5 * columns


def _grown(columns):
    return FIXED @ columns


@pytest.mark.parametrize(
    "found",
    [
        lambda x: sla.cg(sla.LinearOperator((3, 3), lambda v: symmetric(x) @ v), x[:3], **TIGHT)[0],
        lambda x: sla.bicgstab(sla.aslinearoperator(symmetric(x)), x[:3], **TIGHT)[0],
        lambda x: sla.gmres(sla.aslinearoperator(general(x)), x[:3], **TIGHT)[0],
        lambda x: sla.cg(symmetric(x), x[:3], M=np.diag(1.0 / (x[:3] + 3)), **TIGHT)[0],
        with_preconditioner,
        only_where_it_has_converged,
        algebra,
    ],
)
def test_equations_with_a_matrix_that_is_known_by_its_products(found):
    check(found, X)


def test_what_has_not_converged_has_no_derivative():
    def found(x):
        return sla.cg(sla.LinearOperator((3, 3), lambda v: x[:3] * v), x[3:], maxiter=1)[0]

    assert np.all(np.isnan(sd.jacobian(found)(X)))


@pytest.mark.parametrize(
    "found",
    [
        lambda x: sla.splu(general(x).tocsc()).solve(x[:3]),
        lambda x: sla.splu(general(x).tocsc()).solve(x.reshape(3, 2), "T"),
        lambda x: sla.factorized(general(x).tocsc())(x[3:]),
        lambda x: sla.spsolve_triangular(sparse.tril(general(x)).tocsr(), x[:3]),
        lambda x: sla.spsolve_triangular(
            sparse.triu(general(x)).tocsr(), x[:3], lower=False, unit_diagonal=True
        ),
        lambda x: sla.inv(general(x).tocsc()).toarray(),
        lambda x: sla.expm(0.3 * general(x).tocsc()).toarray(),
        lambda x: sla.matrix_power(general(x), 5).toarray(),
        lambda x: sla.norm(general(x)) + sla.norm(general(x), 1) + sla.norm(general(x), np.inf),
        lambda x: sla.expm_multiply(0.2 * general(x), x[:3], start=0, stop=1, num=3),
        lambda x: sla.funm_multiply_krylov(expm, symmetric(x), x[3:], t=0.2 * x[1], **EXACT),
        lambda x: sla.funm_multiply_krylov(cosm, 0.2 * general(x), x[:3], **EXACT),
        lambda x: sla.eigsh(lines(x), 3, return_eigenvectors=False, v0=np.ones(12)),
        lambda x: sla.eigsh(lines(x), 2, sigma=0.1, v0=np.ones(12))[1] ** 2,
        lambda x: sla.eigsh(lines(x), 2, which="SA", v0=np.ones(12))[0],
        lambda x: sla.svds(lines(x)[:8], 2, v0=np.ones(8))[1],
        lambda x: sla.svds(lines(x)[:8], 2, which="SM", v0=np.ones(8))[0] ** 2,
        lambda x: sla.svds(lines(x)[:8], 2, return_singular_vectors=False, v0=np.ones(8)),
        lambda x: outermost(lines(x))[0],
        lambda x: outermost(lines(x), B=np.diag(1.0 + 0.1 * np.arange(12.0) * x[3]))[1] ** 2,
        lambda x: outermost(x[0] * FIXED + x[1] * np.eye(12), largest=False, M=_halved)[0],
        lambda x: x[0] * outermost(_grown)[0],
        lambda x: outermost(sla.LinearOperator((12, 12), lambda v: lines(x) @ v.ravel()))[0],
        lambda x: outermost(sla.aslinearoperator(symmetric_of_12(x)), largest=False)[1] ** 2,
        lambda x: apart_from_found(lines(x))[0],
        lambda x: apart_from_found(lines(x), largest=False)[1] ** 2,
    ],
)
def test_what_is_made_of_a_sparse_matrix(found):
    check(found, X)


def test_a_loop_of_steps_with_the_factors_of_one_matrix():
    def walked(x):
        factors = sla.splu(lines(x).tocsc())
        y = x[2] * np.ones(12)
        for _ in range(4):
            y = factors.solve(y)
        return y

    check(walked, X)


def test_a_search_begins_with_the_best_of_its_start_in_the_place_of_that():
    def made(x, by_rows):
        start = x[0] * START if by_rows else (x[0] * START.T).T
        start[0] = x[:2]
        sla.lobpcg(FIXED, start, np.diag(2.0 + np.sin(np.arange(12.0) * x[3])), maxiter=300)
        return start

    check(lambda x: made(x, True), X)
    check(lambda x: made(x, False), X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: sla.bicg(sla.aslinearoperator(symmetric(x)), x[:3])[0], "transpose"),
        (lambda x: sla.eigsh(sla.aslinearoperator(symmetric(x)), 1)[0], "use its matrix"),
        (lambda x: sla.eigsh(symmetric(x), 1, M=np.eye(3))[0], "M="),
        (lambda x: sla.eigsh(symmetric(x), 1, which="BE")[0], "which='BE'"),
        (
            lambda x: sla.lobpcg(sla.aslinearoperator(FIXED), x[0] * START, np.eye(12))[0],
            "a linear operator with B=",
        ),
        (lambda x: sla.splu(general(x).tocsc()).L.toarray(), "attribute L"),
        (
            lambda x: np.result_type(sla.aslinearoperator(symmetric(x)), float).itemsize * x,
            "dtype of a linear operator",
        ),
    ],
)
def test_what_is_refused_is_named(call, message):
    with pytest.raises(sd.SymdiffError, match=message):
        sd.jacobian(call)(X)
