"""Sparse Jacobians and Hessians as modules: they need NumPy and SciPy, and not symdiff."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdiff as sd
from tests.exporting.test_export import run

CELLS = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
MANY = np.stack([np.arange(100), (np.arange(100) + 1) % 100])


def load(path: Path) -> dict:
    namespace: dict = {"__name__": "exported", "__file__": str(path)}
    exec(path.read_text(), namespace)
    return namespace


def valley(x, a):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def bends_of_valley(x: np.ndarray, a: float) -> np.ndarray:
    """The second derivatives of ``valley``, by hand."""
    found = np.diag(np.append(12 * a * x[:-1] ** 2 - 4 * a * x[1:] + 2, 0.0))
    found += np.diag(np.append(0.0, np.full(len(x) - 1, 2 * a)))
    beside = np.diag(-4 * a * x[:-1], 1)
    return found + beside + beside.T


def flux(u, k=1):
    return u[k:-k] * (u[2 * k :] - u[: -2 * k])


def slopes_of_flux(u: np.ndarray, k: int) -> np.ndarray:
    """The derivatives of ``flux``, by hand."""
    found = np.zeros((len(u) - 2 * k, len(u)))
    rows = np.arange(len(u) - 2 * k)
    found[rows, rows] = -u[k:-k]
    found[rows, rows + k] = u[2 * k :] - u[: -2 * k]
    found[rows, rows + 2 * k] = u[k:-k]
    return found


@pytest.mark.parametrize("size", [3, 12, 200])
def test_a_hessian_beside_a_gradient(size: int, tmp_path: Path):
    x = np.linspace(0.5, 1.5, size)
    path = tmp_path / "valley.py"
    bends = sd.hessian(valley, sparse=True)
    sd.export(path, {"bends": bends, "slopes": sd.grad(valley)}, x, 10.0)
    assert (tmp_path / "valley.npz").exists() == (size > 20)
    found = load(path)["bends"](x**2, 7.0)
    assert found.has_canonical_format
    np.testing.assert_allclose(found.toarray(), bends_of_valley(x**2, 7.0), rtol=1e-13)
    told = run(path)
    assert "bends agrees with the forward sweep" in told
    assert "bends agrees with differences" in told


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_a_jacobian_is_for_its_sizes_and_integers(mode: str, tmp_path: Path):
    u = np.linspace(0.5, 1.5, 9) ** 3
    path = tmp_path / "flux.py"
    sd.jacobian(flux, mode=mode, sparse=True).export(path, u, k=2, stub=True)
    made = load(path)["flux_jacobian"]
    np.testing.assert_allclose(made(u, 2).toarray(), slopes_of_flux(u, 2), rtol=1e-14)
    np.testing.assert_allclose(made(2 * u, 2).toarray(), slopes_of_flux(2 * u, 2), rtol=1e-14)
    first, second = made(u, 2), made(u, 2)
    first.indices[:] = 0  # what a caller does with one is not seen by the next
    np.testing.assert_array_equal(second.toarray(), made(u, 2).toarray())
    with pytest.raises(TypeError, match="k must be 2, of which the pattern is, not 1"):
        made(u, 1)
    with pytest.raises(TypeError, match="axis 0 of u must have length 9"):
        made(u[1:], 2)
    assert "-> scipy.sparse.csr_array" in (tmp_path / "flux.pyi").read_text()
    assert "flux_jacobian agrees with differences" in run(path)


def springs(x, cells):
    ends = x[cells]
    return (ends[:, 1] - ends[:, 0]) ** 2


def test_places_among_the_arguments_and_outside(tmp_path: Path):
    x = np.array([0.3, 1.2, 2.5, 4.0])
    path = tmp_path / "springs.py"
    sd.jacobian(springs, sparse=True).export(path, x, CELLS)
    made = load(path)["springs_jacobian"]
    wanted = np.zeros((4, 4))
    for row, (start, end) in enumerate(CELLS):
        wanted[row, [start, end]] = [-2 * (x[end] - x[start]), 2 * (x[end] - x[start])]
    np.testing.assert_allclose(made(x, CELLS).toarray(), wanted, rtol=1e-14)
    with pytest.raises(TypeError, match="cells must be array"):
        made(x, CELLS[::-1])

    def around(x):
        return (x[MANY[1]] - x[MANY[0]]) ** 2

    y = np.sin(np.arange(100.0))
    path = tmp_path / "around.py"
    with pytest.raises(sd.SignatureError, match="depends on the integers in MANY"):
        sd.jacobian(around, sparse=True).export(path, y)
    sd.jacobian(around, sparse=True).export(path, y, constants="file")
    gaps = np.roll(y, -1) - y
    wanted = np.diag(-2 * gaps) + np.roll(np.diag(2 * gaps), 1, axis=1)
    (name,) = load(path)["__all__"]
    np.testing.assert_allclose(load(path)[name](y).toarray(), wanted, rtol=1e-14)
    assert "agrees with differences" in run(path)
    with pytest.raises(sd.SignatureError, match="depends on the integers in cells"):
        sd.jacobian(springs, sparse=True).export(tmp_path / "many.py", y, MANY.T)


def test_single_precision_and_results_without_entries(tmp_path: Path):
    u = np.linspace(0.5, 1.5, 9, dtype=np.float32)
    path = tmp_path / "single.py"
    sd.jacobian(flux, sparse=True).export(path, u)
    found = load(path)["flux_jacobian"](u)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), slopes_of_flux(u, 1), rtol=1e-6)
    path = tmp_path / "nothing.py"
    sd.jacobian(lambda x: np.floor(x), sparse=True).export(path, np.ones(3))
    made = load(path)
    found = made[made["__all__"][0]](np.ones(3))
    assert found.shape == (3, 3) and found.nnz == 0


def test_what_has_no_sparse_module(tmp_path: Path):
    u, path = np.ones(5), tmp_path / "no.py"
    made = sd.jacobian(flux, sparse=True)
    with pytest.raises(sd.SignatureError, match="its pattern is that of sizes"):
        made.export(path, "float64[n]", 1)
    with pytest.raises(sd.SignatureError, match="written for NumPy and SciPy"):
        sd.export(path, {"j": made}, u, namespace="jax.numpy")
    several = sd.jacobian(lambda x, y: x * y, argnums=(0, 1), sparse=True)
    with pytest.raises(sd.SignatureError, match="is of several arguments"):
        several.export(path, u, u)
