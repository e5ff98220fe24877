"""Sparse Jacobians and Hessians, against closed forms and extrapolated differences."""

from __future__ import annotations

import builtins
import pickle
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import symdiff as sd

X = np.array([0.7, 1.3, -0.4, 0.9, 1.8, -1.1])
Function = Callable[..., Any]


def differences(f: Function, x: np.ndarray, *rest: Any) -> np.ndarray:
    """The Jacobian by central differences, extrapolated twice."""
    size, columns = np.size(x), []
    for k in range(size):
        step = np.zeros(size)
        step[k] = 1.0

        def slope(h: float, step: np.ndarray = step) -> np.ndarray:
            ends = [f(x + sign * h * step.reshape(np.shape(x)), *rest) for sign in (1, -1)]
            return (np.ravel(ends[0]) - np.ravel(ends[1])) / (2 * h)

        coarse, middle, fine = (slope(h) for h in (4e-3, 2e-3, 1e-3))
        first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
        columns.append((16 * second - first) / 15)
    return np.stack(columns, axis=1) if columns else np.zeros((np.size(f(x, *rest)), 0))


def bends(f: Function, x: np.ndarray, *rest: Any) -> np.ndarray:
    """The Hessian: differences of differences."""
    return differences(lambda y: differences(f, y, *rest)[0], x)


def require_jacobian(f: Function, x: np.ndarray, *rest: Any) -> None:
    """Require the Jacobian in all modes, and a pattern that covers it."""
    wanted = differences(f, x, *rest)
    for mode in ("auto", "forward", "reverse"):
        found = sd.jacobian(f, mode=mode, sparse=True)(x, *rest)
        np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-7, atol=1e-8)
        again = sd.jacobian(f, mode=mode, sparse=True)(x, *rest)
        assert (found != again).nnz == 0
    assert not wanted[~sd.sparsity(f, x, *rest).toarray()].any()


def places(matrix: Any) -> list[list[int]]:
    """The columns of the entries of each row."""
    return [row.nonzero()[0].tolist() for row in matrix.toarray()]


# Functions ----------------------------------------------------------------------------------------


def stencil(x):
    y = np.empty_like(x)
    y[0] = x[0] - 1.0
    y[-1] = x[-1] * x[0]
    y[1:-1] = x[2:] - 2.0 * x[1:-1] + x[:-2] + np.exp(x[1:-1])
    return y


def by_elements(x):
    y = np.zeros_like(x)
    for k in range(1, len(x) - 1):
        y[k] = x[k - 1] * x[k + 1] - x[k] ** 3
    return y


def steps(x, count):
    u = x.copy()
    for _ in range(count):
        u[1:-1] = u[1:-1] + 0.1 * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def chosen(x, which):
    return x[which] * x[which[::-1]]


def scattered(x, where):
    y = np.zeros(3)
    np.add.at(y, where, x * x)
    return y


def pieces(x):
    return np.concatenate([x[::2] * 2.0, np.roll(x, 1), x.reshape(2, 3).T.ravel() ** 2])


def sums(x):
    table = x.reshape(2, 3)
    return np.concatenate([np.sum(table * table, axis=0), np.max(table, axis=1), np.cumsum(x)])


def products(x):
    table = x.reshape(2, 3)
    return table @ np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])


def by_sign(x):
    y = np.empty_like(x)
    for k in range(len(x)):
        if x[k] > 0.0:
            y[k] = x[k] * x[(k + 1) % len(x)]
        else:
            y[k] = x[k - 1]
    return y


def selected(x):
    return np.where(x > 0.0, x * x, x[::-1])


def masked(x):
    return x * np.sum(x[x > 0.0])


def until_small(x):
    y = x * 1.0
    while np.sum(y * y) > 0.5:
        y = 0.5 * y * np.cos(y)
    return y


def helper(a, b):
    return a * b + np.sin(a)


def of_helper(x):
    return np.array([helper(x[k], x[k + 1]) for k in range(len(x) - 1)])


def of_lists(x):
    rows = []
    for k in range(0, len(x) - 1, 2):
        rows.append(x[k] * x[k + 1])
    total = rows.pop()
    return np.array([*rows, total * total])


def written(x):
    x[0] = x[1] * x[2]
    return x * 2.0


def solved(x):
    return np.linalg.solve(np.eye(6) * 3.0 + np.diag(x[1:], 1), x)


def transformed(x):
    return np.fft.rfft(x).real


def interpolated(x):
    return np.interp(np.array([0.3, 3.4]), np.cumsum(x * x), x)


def by_one_element(x):
    y = x * x[0]
    if x[1:2] > 0.5:
        y[2:3] = y[:1] * x[-1:]
    return y


def last_turn(x):
    for k in range(0, 2, 2):
        v = np.arange(5.0)[k:] * x[0]
    return np.mean(v**2) * x


LAPLACE = csr_array(np.diag(np.full(6, -2.0)) + np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))


def by_matrix(x):
    return LAPLACE @ x + LAPLACE.T @ np.stack([x, x * x], axis=1)[:, 1]


def contracted(x):
    table = x.reshape(3, 2)
    products = np.einsum("ij,jk->ik", table, np.array([[1.0, 2.0, 0.5], [0.3, 1.0, 2.0]]))
    return np.concatenate([products.ravel(), table.dot(np.ones(2)), np.einsum("ij->j", table**2)])


def convolved(x):
    return np.convolve(x, np.array([1.0, -2.0, 0.5]), "same") * np.convolve(x, x)[:6]


def stacked_systems(x):
    systems = np.eye(2) * 3.0 + np.ones((3, 2, 2))
    return np.linalg.solve(systems, x.reshape(3, 2, 1)).ravel()


FUNCTIONS = [
    (stencil, ()),
    (by_elements, ()),
    (steps, (3,)),
    (chosen, (np.array([4, 0, 2]),)),
    (scattered, (np.array([0, 2, 0, 1, 1, 0]),)),
    (pieces, ()),
    (sums, ()),
    (products, ()),
    (by_sign, ()),
    (selected, ()),
    (masked, ()),
    (until_small, ()),
    (of_helper, ()),
    (of_lists, ()),
    (solved, ()),
    (transformed, ()),
    (last_turn, ()),
    (by_one_element, ()),
    (by_matrix, ()),
    (contracted, ()),
    (convolved, ()),
    (stacked_systems, ()),
]


@pytest.mark.parametrize(("f", "rest"), FUNCTIONS)
def test_jacobians_are_those_of_differences(f: Function, rest: tuple[Any, ...]) -> None:
    require_jacobian(f, X, *rest)


@pytest.mark.parametrize(("f", "rest"), FUNCTIONS)
def test_hessians_are_those_of_differences(f: Function, rest: tuple[Any, ...]) -> None:
    def total(x):
        return np.sum(np.sin(f(x, *rest)))

    found = sd.hessian(total, sparse=True)(X).toarray()
    np.testing.assert_allclose(found, bends(total, X), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found, found.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("f", "rest"), FUNCTIONS)
def test_patterns_cover_what_is_not_zero_wherever_it_is(f: Function, rest: tuple[Any, ...]) -> None:
    pattern = sd.sparsity(f, X, *rest).toarray()
    random = np.random.default_rng(0)
    for _ in range(10):
        x = random.normal(size=6)
        assert not differences(f, x, *rest)[~pattern].any()


# Exact patterns -----------------------------------------------------------------------------------


def test_patterns_are_exact_where_values_decide_nothing() -> None:
    band = [[0], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 5]]
    assert places(sd.sparsity(stencil, X)) == band
    assert places(sd.sparsity(by_elements, X)) == [[], *band[1:-1], []]
    assert places(sd.sparsity(steps, X, 0)) == [[k] for k in range(6)]
    assert places(sd.sparsity(steps, X, 2))[2] == [0, 1, 2, 3, 4]
    assert places(sd.sparsity(chosen, X, np.array([4, 0, 2]))) == [[2, 4], [0], [2, 4]]
    assert places(sd.sparsity(scattered, X, np.array([0, 2, 0, 1, 1, 0]))) == [
        [0, 2, 5],
        [3, 4],
        [1],
    ]
    assert places(sd.sparsity(sums, X))[:5] == [[0, 3], [1, 4], [2, 5], [0, 1, 2], [3, 4, 5]]
    assert places(sd.sparsity(products, X)) == [[0, 1, 2]] * 2 + [[3, 4, 5]] * 2
    assert places(sd.sparsity(of_helper, X)) == [[k, k + 1] for k in range(5)]
    assert places(sd.sparsity(of_lists, X)) == [[0, 1], [2, 3], [4, 5]]


def test_patterns_of_products_are_exact() -> None:
    band = [[j for j in (k - 1, k, k + 1) if 0 <= j < 6] for k in range(6)]
    assert places(sd.sparsity(by_matrix, X)) == band
    assert places(sd.sparsity(contracted, X))[6:13] == [
        *([4, 5],) * 3,
        *([0, 1], [2, 3], [4, 5]),
        [0, 2, 4],
    ]
    assert places(sd.sparsity(stacked_systems, X)) == [
        [k // 2 * 2, k // 2 * 2 + 1] for k in range(6)
    ]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_patterns_of_convolutions_are_exact(mode: Any) -> None:
    for size in range(1, 7):
        for width in range(1, 7):
            kernel = np.arange(1.0, 1.0 + width)
            wanted = [np.convolve(row, kernel, mode) != 0.0 for row in np.eye(size)]
            found = sd.sparsity(lambda x, k, m: np.convolve(x, k, m), X[:size], kernel, mode)
            assert (found.toarray() == np.stack(wanted, axis=1)).all()


def test_branches_on_values_unite() -> None:
    wanted = [sorted({k, (k + 1) % 6, (k - 1) % 6}) for k in range(6)]
    assert places(sd.sparsity(by_sign, X)) == wanted
    assert places(sd.sparsity(selected, X)) == [sorted({k, 5 - k}) for k in range(6)]


def test_the_pattern_of_a_gradient_is_that_of_the_hessian() -> None:
    def chain(x):
        return np.sum(x[1:] * x[:-1]) + x[0] ** 4

    assert places(sd.sparsity(sd.grad(chain), X))[:3] == [[0, 1], [0, 2], [1, 3]]
    assert places(sd.hessian(chain, sparse=True).sparsity(X))[:2] == [[0, 1], [0, 2]]


def test_integers_of_the_call_decide_and_are_not_mixed_up() -> None:
    jacobian = sd.jacobian(steps, sparse=True)
    counts = [jacobian(X, k).nnz for k in (0, 1, 2, 0, 1)]
    assert counts == [6, 14, 20, 6, 14]
    index = sd.jacobian(chosen, sparse=True)
    for which in ([0, 1, 2], [3, 4, 5], [0, 1, 2]):
        assert set(index(X, np.array(which)).indices) == set(which)


OFFSET = 1


def shifted(x):
    return x[OFFSET:] * x[: len(x) - OFFSET]


def test_integers_outside_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    jacobian = sd.jacobian(shifted, sparse=True)
    assert places(jacobian(X))[0] == [0, 1]
    monkeypatch.setitem(globals(), "OFFSET", 3)
    assert places(jacobian(X)) == [[0, 3], [1, 4], [2, 5]]


# Closed forms -------------------------------------------------------------------------------------


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x: np.ndarray) -> np.ndarray:
    diagonal = np.zeros_like(x)
    diagonal[:-1] = 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    diagonal[1:] += 200.0
    across = -400.0 * x[:-1]
    return np.diag(diagonal) + np.diag(across, 1) + np.diag(across, -1)


def test_the_hessian_of_rosenbrock() -> None:
    found = sd.hessian(rosenbrock, sparse=True)(X)
    np.testing.assert_allclose(found.toarray(), rosenbrock_hessian(X), rtol=1e-14)
    assert found.nnz == 16
    assert found.format == "csr"
    assert found.dtype == np.float64


def test_an_arrow_is_found_in_two_sweeps() -> None:
    def arrow(x):
        return np.sum(x[0] * x[1:] ** 2) + x[0] ** 3

    wanted = np.diag(np.concatenate([[6.0 * X[0]], np.full(5, 2.0 * X[0])]))
    wanted[0, 1:] = wanted[1:, 0] = 2.0 * X[1:]
    hessian = sd.hessian(arrow, sparse=True)
    np.testing.assert_allclose(hessian(X).toarray(), wanted, rtol=1e-14)
    assert "2 sweeps" in hessian.explain(X)


def test_few_results_are_found_by_rows() -> None:
    def two(x):
        return np.array([np.sum(x * x), x[0] * x[1]])

    jacobian = sd.jacobian(two, sparse=True)
    np.testing.assert_allclose(
        jacobian(X).toarray(), [2.0 * X, [X[1], X[0], 0.0, 0.0, 0.0, 0.0]], rtol=1e-15
    )
    assert "2 sweeps in reverse mode" in jacobian.explain(X)
    assert jacobian(X).nnz == 8


def test_many_colours_are_swept_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdiff.api.sparse._MOST_AT_ONCE", 12)

    def dense(x):
        return np.sum(x) * x

    wanted = np.diag(np.full(6, X.sum())) + X[:, None]
    np.testing.assert_allclose(sd.jacobian(dense, sparse=True)(X).toarray(), wanted, rtol=1e-14)


# Edges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_small_sizes(size: int) -> None:
    x = X[:size]
    found = sd.jacobian(lambda x: np.cumsum(x) * x, sparse=True)(x)
    wanted = np.tril(np.ones((size, size))) * x[:, None] + np.diag(np.cumsum(x))
    assert found.shape == (size, size)
    np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-14)
    hessian = sd.hessian(lambda x: np.sum(x**3), sparse=True)(x)
    np.testing.assert_allclose(hessian.toarray(), np.diag(6.0 * x), rtol=1e-14)


def test_numbers_are_matrices_of_one_row_or_column() -> None:
    assert sd.jacobian(lambda x: x * x, sparse=True)(3.0).toarray().tolist() == [[6.0]]
    assert sd.jacobian(lambda x: x * x, sparse=True)(3).toarray().tolist() == [[6.0]]
    assert sd.jacobian(lambda x: x * x, sparse=True)(np.array(3.0)).toarray().tolist() == [[6.0]]
    column = sd.jacobian(lambda a: np.array([a, 2.0, a * a]), sparse=True)(3.0)
    assert column.toarray().tolist() == [[1.0], [0.0], [6.0]]
    assert column.nnz == 2
    assert sd.jacobian(lambda x: x[1] * x[1], sparse=True)(X).shape == (1, 6)


def test_float32_stays() -> None:
    x = X.astype(np.float32)
    for mode in ("forward", "reverse"):
        found = sd.jacobian(stencil, mode=mode, sparse=True)(x)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.toarray(), differences(stencil, X), rtol=1e-5, atol=1e-6)


def test_a_result_of_another_dtype_keeps_its_digits() -> None:
    x = X.astype(np.float32)
    for mode in ("forward", "reverse"):
        found = sd.jacobian(lambda x: np.float64(1.0) / 3.0 * x, mode=mode, sparse=True)(x)
        assert found.diagonal() == pytest.approx(1.0 / 3.0, rel=1e-7)
        wide = sd.jacobian(lambda x: x.astype(np.float64) ** 2, mode=mode, sparse=True)(x)
        assert wide.shape == (6, 6)


def test_explain_tells_what_is_dense_and_where() -> None:
    told = sd.jacobian(interpolated, sparse=True).explain(X)
    line = interpolated.__code__.co_firstlineno + 1
    assert "interpolated by x: 2 x 6, 12 entries, 2 sweeps in reverse mode" in told
    assert told.count(f"line {line}: index_add counts as dense: no rule tells") == 1
    assert sd.jacobian(stencil, sparse=True).explain(X).count("\n") == 0
    assert "def stencil_sweeps(x, v):" in sd.jacobian(stencil, sparse=True).source(X)


def test_arrays_of_any_rank_in_the_order_of_ravel() -> None:
    def grid(x):
        return x[1:, :] * x[:-1, :]

    x = np.arange(1.0, 7.0).reshape(3, 2)
    found = sd.jacobian(grid, sparse=True)(x)
    assert found.shape == (4, 6)
    np.testing.assert_allclose(found.toarray(), differences(grid, x), rtol=1e-9, atol=1e-9)
    transposed = np.asfortranarray(x)
    assert (sd.jacobian(grid, sparse=True)(transposed) != found).nnz == 0


def test_other_arguments_by_number_name_or_tuple() -> None:
    def f(a, x, *, scale=2.0):
        return scale * a * x[1:]

    by_name = sd.jacobian(f, "x", sparse=True)(3.0, X, scale=5.0)
    assert places(by_name) == [[k + 1] for k in range(5)]
    assert by_name.data.tolist() == [15.0] * 5
    first, second = sd.jacobian(f, (0, 1), sparse=True)(3.0, X)
    np.testing.assert_allclose(first.toarray()[:, 0], 2.0 * X[1:])
    assert second.data.tolist() == [6.0] * 5
    bends = sd.hessian(lambda a, x: a * np.sum(x**3), 1, sparse=True)(2.0, X)
    np.testing.assert_allclose(bends.toarray(), np.diag(12.0 * X))


def test_the_argument_is_not_changed_and_matrices_are_ones_own() -> None:
    x = X.copy()
    jacobian = sd.jacobian(written, sparse=True)
    found = jacobian(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(
        found.toarray(), differences(lambda x: written(x.copy()), X), atol=1e-9
    )
    found.data[:] = 7.0
    found.indices[:] = 0
    np.testing.assert_allclose(jacobian(x).toarray()[1:], 2.0 * np.eye(6)[1:])


def test_methods_and_decorated_functions() -> None:
    class Model:
        def __init__(self):
            self.rate = 3.0

        def residual(self, x):
            return self.rate * x[1:] * x[:-1]

    @sd.differentiable
    def f(x):
        return x[1:] - x[:-1]

    assert places(sd.jacobian(Model().residual, sparse=True)(X)) == [[k, k + 1] for k in range(5)]
    assert sd.jacobian(f, sparse=True)(X).sum() == 0.0


def test_rules_of_the_users_are_what_is_found() -> None:
    @sd.custom_vjp
    def lazy(x):
        return x * x

    lazy.defvjp(lambda x: (x * x, x), lambda x, g: (g[::-1] * x,))
    found = sd.jacobian(lambda x: 2.0 * lazy(x), mode="reverse", sparse=True)(X).toarray()
    np.testing.assert_allclose(found, 2.0 * np.diag(X)[:, ::-1].T[:, :])


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_forward_rules_of_the_users_are_what_is_found(mode: Any) -> None:
    @sd.custom_jvp
    def crossed(x):
        return x * x

    crossed.defjvp(lambda p, t: (p[0] * p[0], 5.0 * t[0][::-1]))
    found = sd.jacobian(lambda x: crossed(x) * 1.0, mode=mode, sparse=True)(X)
    np.testing.assert_array_equal(found.toarray(), 5.0 * np.eye(6)[::-1])


def test_hooks_make_hessians_that_are_not_symmetric() -> None:
    def total(x):
        y = sd.grad_hook(x * x, lambda g: g * np.array([1.0, 0.0, 0.0, 2.0, 0.0, 0.0]))
        return np.sum(y[1:] * x[:-1] ** 2)

    found = sd.hessian(total, sparse=True)(X).toarray()
    wanted = differences(lambda x: sd.grad(total)(x), X)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)
    assert not np.allclose(found, found.T)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "argument", "words"),
    [
        (lambda x: (x, x), X, "does not return one array"),
        (lambda x: x[0] + x[1], [1.0, 2.0], "not by a list"),
        (lambda x: x * x, np.array([1j]), "complex128[1] takes part"),
        (lambda x: x * 1j, X, "takes part"),
        (lambda x: np.argmax(x), X, "takes part"),
        (lambda x: x * 2.0, np.array([1, 2]), "it is int64"),
        (lambda x: x.astype(np.float16), X, "float16[x.shape[0]] takes part"),
        (lambda x: x[x > 0.0], X, "how long its result is"),
    ],
)
def test_what_has_no_sparse_jacobian(f: Function, argument: Any, words: str) -> None:
    with pytest.raises(sd.SymdiffError) as error:
        sd.jacobian(f, sparse=True)(argument)
    assert words in str(error.value)


def printing(x):
    print("once")
    return x * 2.0


def test_effects_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(sd.UnsupportedCallError, match="prints, draws or writes"):
        sd.jacobian(printing, sparse=True)(X)
    sd.sparsity(stencil, X)
    assert not capsys.readouterr().out


def test_a_hessian_by_several_arguments_is_refused() -> None:
    with pytest.raises(sd.SignatureError, match="by one argument"):
        sd.hessian(lambda a, b: np.sum(a * b), (0, 1), sparse=True)


def inside(x):
    return sd.jacobian(stencil, sparse=True)(x).sum()


def pattern_inside(x):
    return x * sd.sparsity(stencil, x).nnz


@pytest.mark.parametrize("f", [inside, pattern_inside])
def test_sparse_matrices_inside_a_program_are_refused(f: Function) -> None:
    with pytest.raises(sd.UnsupportedCallError, match="does not compile sparse") as error:
        sd.jacobian(f)(X)
    assert f"test_sparse.py:{f.__code__.co_firstlineno + 1}:" in str(error.value)


def test_without_scipy_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "scipy":
            raise ImportError("No module named 'scipy'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="need SciPy: pip install"):
        sd.jacobian(stencil, sparse=True)(X)


# Cost ---------------------------------------------------------------------------------------------


def test_memory_is_in_proportion_to_the_band() -> None:
    hessian, jacobian = sd.hessian(rosenbrock, sparse=True), sd.jacobian(stencil, sparse=True)

    def both(size: int) -> None:
        x = np.linspace(0.0, 1.0, size)
        assert hessian(x).nnz == 3 * size - 2
        assert jacobian(x).nnz == 3 * size - 3

    def peak(size: int) -> int:
        tracemalloc.start()
        try:
            both(size)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    both(10)  # compiles
    assert peak(20_000) < 15 * peak(2_000)


def test_large_products_are_not_made_entry_by_entry() -> None:
    def total(x):
        return np.sum(x) ** 2

    with pytest.raises(sd.UnsupportedCallError, match="too many entries"):
        sd.hessian(total, sparse=True)(np.ones(100_000))


# Pictures -----------------------------------------------------------------------------------------


def squares(picture: str) -> set[tuple[int, int]]:
    """The rows and columns of the dark cells."""
    return {(int(row), int(column)) for column, row in re.findall(r"M(\d+) (\d+)h1v1", picture)}


def test_a_pattern_is_a_picture_in_notebooks():
    pattern = sd.sparsity(stencil, X)
    picture = pattern._repr_html_()
    assert squares(picture) == set(zip(*pattern.nonzero(), strict=True))
    assert "6 × 6, " in picture
    again = pickle.loads(pickle.dumps(pattern))
    assert again._repr_html_() == picture == pattern.copy()._repr_html_()
    assert (again.toarray() == pattern.toarray()).all()
    flat = sd.sparsity(lambda x: x[:2] * 2.0, X)
    assert squares(flat._repr_html_()) == {(0, 0), (1, 1)}
    assert squares(sd.sparsity(lambda x: 0.0 * x[:0], X)._repr_html_()) == set()


def test_a_large_pattern_is_drawn_in_cells():
    picture = sd.sparsity(lambda x: x[1:] - x[:-1], np.ones(10_000))._repr_html_()
    found = squares(picture)
    assert max(row for row, _ in found) == 127
    assert all(abs(row - column) <= 1 for row, column in found)
    assert len(picture) < 20_000


def test_an_export_without_arguments_says_what_they_are_for(tmp_path: Any) -> None:
    slopes = sd.jacobian(lambda x: x * x, sparse=True)
    with pytest.raises(sd.SignatureError, match="give export arguments that have them"):
        slopes.export(tmp_path / "slopes.py")
