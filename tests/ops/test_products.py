"""Products of arrays: value as NumPy's, both modes to order two, every combination of ranks."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.ops import support
from symdiff.ops.declare import FUNCTIONS, METHODS, NeedsStatic
from symdiff.ops.einsum import explicit_subscripts
from tests.ops.straightline import check, pullback, same, stage


def draw(*shape: int, dtype: str = "float64", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, *shape])
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape)).astype(dtype) if "c" in dtype else x.astype(dtype)


RANKS = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((1, 3), (3, 1)),
    ((3,), (5, 3, 2)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)),
    ((6, 1, 2, 3), (5, 3, 4)),
    ((2, 0), (0, 3)),
    ((0, 3), (3, 2)),
]


@pytest.mark.parametrize(("a", "b"), RANKS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_matmul(a: Any, b: Any, dtype: str) -> None:
    x, y = draw(*a, dtype=dtype), draw(*b, seed=1, dtype=dtype)
    check(FUNCTIONS[np.matmul], np.matmul, x, y, order=2 if dtype == "float64" else 1)


def test_matmul_of_mixed_types() -> None:
    check(FUNCTIONS[np.matmul], np.matmul, draw(2, 3), draw(3, 2, dtype="complex128"))
    check(FUNCTIONS[np.matmul], np.matmul, draw(2, 3, dtype="float32"), draw(3))
    check(FUNCTIONS[np.matmul], np.matmul, draw(2, 3), np.array([1, 2, 3]))


def test_matmul_refuses_numbers() -> None:
    with pytest.raises(ValueError, match="dimensions"):
        stage(FUNCTIONS[np.matmul], np.eye(2), 2.0)


@pytest.mark.parametrize(("a", "b"), [*RANKS[:8], ((2, 3), (5, 3, 4)), ((5, 2, 3), (6, 3, 4))])
def test_dot(a: Any, b: Any) -> None:
    check(FUNCTIONS[np.dot], np.dot, draw(*a), draw(*b, seed=1))
    check(METHODS["dot"], np.dot, draw(*a, dtype="complex128"), draw(*b, seed=1), order=1)


def test_dot_with_numbers_multiplies() -> None:
    for function in (np.dot, np.inner):
        for z in (1.7 + 0.3j, np.complex128(-0.4 + 1.1j), np.array(0.3 - 2.1j)):
            check(FUNCTIONS[function], function, z, draw(7, dtype="complex128"))
            check(FUNCTIONS[function], function, draw(3, 4, dtype="complex128"), z)
            check(FUNCTIONS[function], function, z, draw(7))
        check(FUNCTIONS[function], function, np.array([-0.0, 1.5, 0.0]), -2.0)  # 0, not -0
        check(FUNCTIONS[function], function, np.float32(1.7), draw(7, dtype="float32"), order=1)
        check(FUNCTIONS[function], function, 2.0, draw(3))
        check(FUNCTIONS[function], function, draw(3), np.float64(2.0))
        check(FUNCTIONS[function], function, 2.0, 3.0)


@pytest.mark.parametrize(
    ("a", "b"), [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((3,), (2, 3))]
)
def test_inner(a: Any, b: Any) -> None:
    check(FUNCTIONS[np.inner], np.inner, draw(*a), draw(*b, seed=1))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_vdot_and_outer(dtype: str) -> None:
    a, b = draw(2, 3, dtype=dtype), draw(3, 2, dtype=dtype)
    for function in (np.vdot, np.outer):
        check(FUNCTIONS[function], function, a, b)
        check(FUNCTIONS[function], function, a[0], b[:, 0])
    check(FUNCTIONS[np.outer], np.outer, 2.0, b)


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (4, 5), 0),
        ((2, 3, 4), (4, 2, 5), ([0, 2], [1, 0])),
        ((2, 3, 4), (4, 2, 5), ((2, 0), (0, 1))),
        ((2, 3), (3, 2), (1, 0)),
        ((2, 3), (2, 3), 2),
    ],
)
def test_tensordot(a: Any, b: Any, axes: Any) -> None:
    check(
        lambda x, y: FUNCTIONS[np.tensordot](x, y, axes),
        lambda x, y: np.tensordot(x, y, axes),
        draw(*a),
        draw(*b, seed=1),
    )


EINSUMS: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("i,i->", [(3,), (3,)]),
    ("i,j->ij", [(3,), (2,)]),
    ("ij->", [(2, 3)]),
    ("ij->i", [(2, 3)]),
    ("ij->ji", [(2, 3)]),
    ("ii->", [(3, 3)]),
    ("ii->i", [(3, 3)]),
    ("iij->j", [(3, 3, 2)]),
    ("ii,i->i", [(3, 3), (3,)]),
    ("bij,bjk->bik", [(4, 2, 3), (4, 3, 2)]),
    ("...ij,...jk->...ik", [(4, 2, 3), (3, 2)]),
    ("...i,i", [(2, 3), (3,)]),
    ("ij,kj,k->i", [(2, 3), (4, 3), (4,)]),
    ("ij,k->i", [(2, 3), (4,)]),
    ("ij,ij->ij", [(1, 3), (2, 3)]),
]


@pytest.mark.parametrize(("subscripts", "shapes"), EINSUMS)
def test_einsum(subscripts: str, shapes: Any) -> None:
    for dtype in ("float64", "complex128"):
        check(
            lambda *xs: FUNCTIONS[np.einsum](subscripts, *xs),
            lambda *xs: np.einsum(subscripts, *xs),
            *(draw(*shape, dtype=dtype, seed=k) for k, shape in enumerate(shapes)),
            order=2 if dtype == "float64" else 1,
        )


def test_einsum_optimized_keeps_its_bits() -> None:
    a, b, c = draw(4, 5), draw(5, 6), draw(6, 3)
    check(
        lambda *xs: FUNCTIONS[np.einsum]("ij,jk,kl->il", *xs, optimize=True),
        lambda *xs: np.einsum("ij,jk,kl->il", *xs, optimize=True),
        a,
        b,
        c,
        order=1,
    )


def test_explicit_subscripts() -> None:
    assert explicit_subscripts("ba,ac", [2, 2]) == "ba,ac->bc"
    assert explicit_subscripts("...i, ...i", [2, 3]) == "bi,abi->ab"
    with pytest.raises(ValueError, match="number"):
        explicit_subscripts("i", [1, 1])


@pytest.mark.parametrize(
    "subscripts",
    [
        ([0, 1], [1, 2]),
        ([0, 1], [1, 2], [0, 2]),
        ([27, 3], [3, 1], [1]),
        ([..., 1], [1, 0], [0, ...]),
    ],
)
def test_einsum_by_lists(subscripts: Any) -> None:
    first, second, *output = subscripts

    def both(einsum: Any) -> Any:
        return lambda x, y: einsum(x, first, y, second, *output)

    check(both(FUNCTIONS[np.einsum]), both(np.einsum), draw(2, 3), draw(3, 4))
    check(lambda x: FUNCTIONS[np.einsum](x, [1, 0]), lambda x: np.einsum(x, [1, 0]), draw(2, 3))


@pytest.mark.parametrize("offset", [0, 1, -1])
def test_trace(offset: int) -> None:
    check(lambda x: FUNCTIONS[np.trace](x, offset), lambda x: np.trace(x, offset), draw(3, 4))
    check(lambda x: METHODS["trace"](x, offset), lambda x: x.trace(offset), draw(3, 3))
    ints = np.eye(2, dtype="int32")
    same(stage(FUNCTIONS[np.trace], ints)(ints), [np.trace(ints)])


def test_trace_in_a_dtype() -> None:
    for trace in (np.trace, np.linalg.trace):
        check(
            lambda x, trace=trace: FUNCTIONS[trace](x, offset=1, dtype=np.float32),
            lambda x, trace=trace: trace(x, offset=1, dtype=np.float32),
            draw(3, 4).astype("float32").astype(float),
            wrt=[],
        )


def test_trace_of_a_stack() -> None:
    check(FUNCTIONS[np.trace], np.trace, draw(3, 4, 2))
    check(
        lambda x: FUNCTIONS[np.trace](x, 0, -2, -1), lambda x: np.trace(x, 0, -2, -1), draw(2, 3, 3)
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("step", [1, 3, -2])
def test_a_strong_product_of_vectors_leaves_out_what_stands_beside_zeros(
    dtype: str, step: int
) -> None:
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for n, wrong in itertools.product((0, 1, 2, 3, 7, 8, 64, 1000), (0.0, np.inf, np.nan)):
            g, p = draw(3 * n, dtype=dtype), draw(3 * n, dtype=dtype, seed=1)
            g, p = g[::step][:n], p[::step][:n]
            g[::2], p[::2] = 0, wrong
            exact = math.fsum(float(a) * float(b) for a, b in zip(g, p, strict=True) if a != 0)
            found = support.strong_dot(g, p)
            assert found.dtype == dtype
            scale = 1.0 + float(np.abs(g[1::2]) @ np.abs(p[1::2]))
            assert abs(float(found) - exact) <= 8 * np.finfo(dtype).eps * scale


@pytest.mark.parametrize(
    ("g", "p", "expected"),
    [
        ([np.nan, 0.0], [1.0, np.inf], np.nan),
        ([1.0, 0.0], [np.nan, 1.0], np.nan),
        ([1.0, 0.0], [np.inf, -np.inf], np.inf),
        ([1.0, 1.0], [np.inf, -np.inf], np.nan),
        ([np.inf, 0.0], [0.0, np.nan], np.nan),
        ([0.0, -0.0], [np.inf, np.nan], 0.0),
    ],
)
def test_a_strong_product_of_vectors_hides_nothing_beside_what_is_not_zero(
    g: list[float], p: list[float], expected: float
) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_equal(support.strong_dot(np.array(g), np.array(p)), expected)


def test_a_strong_product_of_vectors_warns_where_what_counts_overflows() -> None:
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert support.strong_dot(np.array([1e200, 0.0]), np.array([1e200, np.inf])) == np.inf


def test_cross() -> None:
    def length_three(x: Any) -> Any:
        return FUNCTIONS[np.reshape](x, (-1, 3))

    for b in (draw(2, 3), draw(1, 3)):
        check(
            lambda x, y: FUNCTIONS[np.cross](length_three(x), length_three(y)),
            np.cross,
            draw(2, 3),
            b,
        )
    with pytest.raises(NeedsStatic):  # two components mean another type: a guard decides
        stage(FUNCTIONS[np.cross], draw(3), draw(3))


def test_cross_of_two_vectors_has_numpys_bits_and_is_called_for_float64_alone() -> None:
    x, y = draw(200, 3), draw(200, 3, seed=1)
    x[:50] *= 1e-200
    x[50:80] = np.round(x[50:80])
    y[50:80] = np.round(y[50:80]) * 0.0
    for a, b in zip(x, y, strict=True):
        assert support.cross(a, b).tobytes() == np.cross(a, b).tobytes()

    def moment(force, arm):
        return np.cross(arm, force)

    program = symdiff.functional(moment)
    a, b = x[100], y[100]
    assert " cross(arm, force)" in str(program.source(a, b))
    assert "np.cross" in str(program.source(a.astype("f4"), b))
    assert "np.cross" in str(program.source(np.stack((a, b)), b))
    dot = symdiff.jvp(moment, (a, b), (y[101], x[101]))[1]
    np.testing.assert_allclose(dot, np.cross(x[101], a) + np.cross(b, y[101]), rtol=1e-13)


def test_cross_of_vectors_that_overflow_warns_as_numpys() -> None:
    for large in (1e200, np.inf):
        a, b = np.array([large, 1.0, 2.0]), np.array([large, -large, 3.0])
        with pytest.warns(RuntimeWarning) as theirs:
            expected = np.cross(a, b)
        with pytest.warns(RuntimeWarning) as ours:
            np.testing.assert_array_equal(support.cross(a, b), expected)
        assert [str(one.message) for one in ours] == [str(one.message) for one in theirs]
    with pytest.raises(ValueError, match="unpack"):
        support.cross(np.ones(2), np.ones(3))


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (3, 2)), ((3,), (2,)), ((2,), (2, 3)), ((1, 2), (2, 1))]
)
def test_kron(a: Any, b: Any) -> None:
    check(FUNCTIONS[np.kron], np.kron, draw(*a), draw(*b, seed=1))


def test_all_pairs() -> None:
    for ufunc in (np.add, np.subtract, np.multiply, np.maximum):
        check(FUNCTIONS[ufunc.outer], ufunc.outer, draw(3), draw(2))
        check(FUNCTIONS[ufunc.outer], ufunc.outer, draw(2, 3), draw(2))


def test_every_ufunc_of_two_operands_has_its_outer_method() -> None:
    ufuncs = [f for f in FUNCTIONS if isinstance(f, np.ufunc) and f.nin == 2]
    ufuncs = [f for f in ufuncs if f.signature is None and f.nout == 1]
    ufuncs = [f for f in ufuncs if getattr(np, f.__name__, None) is f]  # other libraries have some
    assert len(ufuncs) > 30
    assert all(ufunc.outer in FUNCTIONS for ufunc in ufuncs)
    a, b = np.array([0.7, 1.9]), np.array([1.3, 0.4, 2.6])
    for ufunc in (np.hypot, np.arctan2, np.logaddexp, np.copysign, np.fmax, np.less):
        check(FUNCTIONS[ufunc.outer], ufunc.outer, a, b)
    check(
        lambda a, b: FUNCTIONS[np.add.outer](a, b, dtype=np.float32),
        lambda a, b: np.add.outer(a, b, dtype=np.float32),
        a.astype("float32"),
        b.astype("float32"),
    )
    i, j = np.array([1, 2]), np.array([[3], [4]])
    for ufunc in (np.bitwise_xor, np.left_shift, np.floor_divide):
        same(stage(FUNCTIONS[ufunc.outer], i, j)(i, j), [ufunc.outer(i, j)])


def test_gradients_of_products_are_written_plainly() -> None:
    """``x @ W``: the adjoints are one product each, with no sums and no tests."""
    back = pullback(stage(FUNCTIONS[np.matmul], draw(5, 3), draw(3, 2)), [0, 1])
    names = [node.op.name for node in back.nodes]
    assert sorted(names) == ["matmul"] * 3 + ["transpose"] * 2
    back = pullback(stage(FUNCTIONS[np.matmul], draw(5, 3), draw(3)), [0, 1])
    assert sorted(node.op.name for node in back.nodes) == ["matmul", "matmul", "outer", "transpose"]


# A matrix that all of a stack share ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (4, 2)),
        ((2, 3, 4), (4,)),
        ((1, 3, 4), (4, 1)),
        ((0, 3, 4), (4, 5)),
        ((2, 0, 4), (4, 5)),
        ((2, 3, 0), (0, 5)),
        ((2, 3, 4), (4, 0)),
        ((2, 3, 1), (1,)),
    ],
    ids=str,
)
def test_the_derivative_by_a_shared_matrix_is_one_product(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any
) -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=(2, *shape)) for shape in shapes)
    turn = 1j if dtype is np.complex128 else 0.0
    a, b = ((x[0] + turn * x[1]).astype(dtype) for x in (a, b))

    def loss(a: Any, b: Any) -> Any:
        y = a @ b
        return np.sum(np.real(y * np.conj(y)))

    letters = "xyzw"[: a.ndim - 1]
    by_b, by_a = (f"{letters}k,{letters}m->km", f"{letters}m,km->{letters}k")
    y = a @ b
    wide, right = (y, b) if b.ndim == 2 else (y[..., None], b[:, None])
    want_b = 2.0 * np.einsum(by_b, np.conj(a), wide).reshape(b.shape)
    want_a = 2.0 * np.einsum(by_a, wide, np.conj(right))
    tolerance = 1e-4 if dtype is np.float32 else 1e-12
    found_a, found_b = symdiff.grad(loss, argnums=(0, 1))(a, b)
    assert found_b.dtype == dtype
    np.testing.assert_allclose(found_b, want_b, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found_a, want_a, rtol=tolerance, atol=tolerance)
    if a.ndim == 3:
        source = str(symdiff.grad(loss, argnums=1).source(a, b))
        assert "axis=0" not in source
        assert "(0, 2, 1)" not in source


def test_second_derivatives_by_a_shared_matrix() -> None:
    rng = np.random.default_rng(3)
    x, w, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 5)), rng.normal(size=(4, 5))

    def loss(w: Any) -> Any:
        return np.sum(np.sin(x @ w))

    want = -np.einsum("abk,abm->km", x, np.sin(x @ w) * (x @ v))
    for found in (
        symdiff.hvp(loss)(w, v),
        symdiff.jvp(symdiff.grad(loss), (w,), (v,))[1],
        symdiff.grad(lambda w: np.sum(symdiff.grad(loss)(w) * v))(w),
    ):
        np.testing.assert_allclose(found, want, rtol=1e-12)


def test_cross_products_of_vectors_that_a_branch_chooses():
    fixed, x = np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 9.0])

    def volume(x, c):
        v = x if c > 0 else fixed
        return np.cross(v, np.array([0.5, -1.0, 2.0])) @ fixed

    slopes = np.cross(np.array([0.5, -1.0, 2.0]), fixed)
    np.testing.assert_allclose(symdiff.grad(volume)(x, 1.0), slopes, rtol=1e-14)
    np.testing.assert_allclose(symdiff.grad(volume)(x, -1.0), np.zeros(3))


@pytest.mark.parametrize("function", [np.cross, np.linalg.cross])
def test_cross_products_of_numbers_are_refused_as_such(function: Any) -> None:
    for arguments in ((1.5, np.ones(3)), (np.ones(3), 1.5)):
        with pytest.raises((ValueError, IndexError)):
            function(*map(np.asarray, arguments))
        with pytest.raises(symdiff.UnsupportedCallError, match="cross of a number"):
            symdiff.grad(lambda a, b: np.sum(function(np.asarray(a), np.asarray(b))))(*arguments)
