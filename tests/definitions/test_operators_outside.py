"""Linear operators that were made outside of the program, by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.definitions.calls import check

linalg = pytest.importorskip("scipy.sparse.linalg")
sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")

X = np.array([0.31, 0.74, 1.12])
MATRIX = np.array([[4.0, 1.0, 0.5], [0.2, 3.0, 0.7], [0.1, 0.4, 5.0]])
SYMMETRIC = MATRIX + MATRIX.T
DENSE = linalg.aslinearoperator(MATRIX)
SPARSE = linalg.aslinearoperator(sparse.csr_array(SYMMETRIC))
GIVEN = linalg.LinearOperator((3, 3), matvec=lambda v: MATRIX @ v, rmatvec=lambda v: v @ MATRIX)
LAPLACIAN = csgraph.laplacian(MATRIX, form="lo")
CALLED = csgraph.laplacian(MATRIX, form="function", normed=True)
ND = linalg.LaplacianNd((3,), boundary_conditions="periodic")


@pytest.mark.parametrize(
    "product",
    [
        lambda x: GIVEN @ x**2 + GIVEN.rmatvec(x),
        lambda x: DENSE.T @ x**2,
        lambda x: DENSE.dot(SYMMETRIC * x**2),
        lambda x: (2 * DENSE + DENSE.T @ GIVEN) @ x**2,
        lambda x: SPARSE.matvec(x**2) * SPARSE(x),
        lambda x: LAPLACIAN(np.diag(x**2)) + CALLED(np.diag(x**3)),
        lambda x: ND.matvec(x**2) + ND.matmat(MATRIX * x**2)[0],
        lambda x: linalg.aslinearoperator(GIVEN) @ x**2,
        lambda x: (linalg.LinearOperator((3, 3), matvec=lambda v: v * x) + DENSE) @ x,
        lambda x: linalg.cg(SPARSE, x**2, rtol=1e-14)[0],
        lambda x: linalg.gmres(np.diag(x + 3.0), x**2, M=SPARSE, rtol=1e-14)[0],
    ],
)
def test_products_and_equations(product: Any) -> None:
    check(product, X)


@pytest.mark.parametrize(
    "laplacian",
    [
        lambda x: csgraph.laplacian(MATRIX * x**2),
        lambda x: csgraph.laplacian(MATRIX * x**2, normed=True, use_out_degree=True),
        lambda x: csgraph.laplacian(MATRIX * x**2, return_diag=True, symmetrized=True),
    ],
)
def test_laplacians_of_graphs(laplacian: Any) -> None:
    check(laplacian, X)
