"""Arrays from nothing and from numbers: values, types, derivatives, and how they are written."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.graph import Value
from symdiff.ir.types import INT, ArrayType, Size
from symdiff.ops.creation import range_element_of, range_length_of, zeros_of
from symdiff.ops.declare import ATTRIBUTES, FUNCTIONS
from symdiff.ops.index import index_of
from tests.ops.straightline import check, stage

V = np.linspace(-1.0, 2.0, 5)
M = np.linspace(-1.0, 2.0, 12).reshape(3, 4)


def by_name(function: Any, *arguments: Any, **keywords: Any) -> None:
    """A call without staged arguments means what NumPy means."""
    check(
        lambda: FUNCTIONS[function](*arguments, **keywords),
        lambda: function(*arguments, **keywords),
    )


@pytest.mark.parametrize("shape", [3, (2, 3), (), (0, 2), (np.int64(2),), [2, 2]])
@pytest.mark.parametrize("dtype", [None, float, "float32", np.int64, bool, complex])
def test_filled_arrays(shape: Any, dtype: Any) -> None:
    for function in (np.zeros, np.ones):
        by_name(function, shape, dtype)
    by_name(np.full, shape, 2.5, dtype)
    by_name(np.full, shape, 2, dtype)
    for similar in (np.zeros_like, np.ones_like):
        check(
            lambda x, similar=similar: FUNCTIONS[similar](x, dtype),
            lambda x, similar=similar: similar(x, dtype),
            M.astype("float32"),
        )
    check(
        lambda x: FUNCTIONS[np.full_like](x, 0.5, dtype),
        lambda x: np.full_like(x, 0.5, dtype),
        np.arange(3),
    )


def test_empty_has_its_shape() -> None:
    program = stage(lambda n: FUNCTIONS[np.empty]((n, 2)), 3)
    assert program(3)[0].shape == (3, 2)
    program = stage(lambda x: FUNCTIONS[np.empty_like](x), M)
    assert program.results[0].type == program.parameters[0].type


@pytest.mark.parametrize(
    "arguments", [(3,), (3, 4), (4, 3, 1), (3, None, -1), (3, 3, 0, "float32"), (0,)]
)
def test_eye(arguments: tuple[Any, ...]) -> None:
    by_name(np.eye, *arguments)


def test_identity() -> None:
    by_name(np.identity, 3)


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (0,),
        (-3,),
        (2, 5),
        (5, 2, -1),
        (0, 10, 3),
        (5.0,),
        (0.5, 3.0),
        (0.0, 1.0, 0.1),
        (1, 2, 0.25),
        (np.float32(3),),
        (np.float32(0), np.float32(1), np.float32(0.25)),
        (5, None, 1, float),
        (0, 5, 1, "float32"),
    ],
)
def test_arange(arguments: tuple[Any, ...]) -> None:
    by_name(np.arange, *arguments)
    numbers = [a for a in arguments if isinstance(a, int | float | np.generic)]
    if len(numbers) == len(arguments):
        check(FUNCTIONS[np.arange], np.arange, *numbers, wrt=[])


def test_derivative_of_arange() -> None:
    check(FUNCTIONS[np.arange], np.arange, 0.5, 2.8, 0.3, wrt=[0, 2], order=1)


@pytest.mark.parametrize(
    "arguments",
    [(0.0, 1.0), (0, 1, 5), (2.0, -1.0, 4, False), (0.0, 1.0, 1), (np.float32(0), 2, 3)],
)
def test_linspace(arguments: tuple[Any, ...]) -> None:
    by_name(np.linspace, *arguments)
    check(lambda a, b: FUNCTIONS[np.linspace](a, b, 4), lambda a, b: np.linspace(a, b, 4), 0.5, 2.0)
    check(
        lambda a, b: FUNCTIONS[np.linspace](a, b, 4, endpoint=False, retstep=True),
        lambda a, b: np.linspace(a, b, 4, endpoint=False, retstep=True),
        *(0.5, 2.0),
    )


def test_full_of_a_staged_number() -> None:
    check(lambda v: FUNCTIONS[np.full]((2, 3), v), lambda v: np.full((2, 3), v), 0.5)
    check(lambda v: FUNCTIONS[np.full]((2, 3), v), lambda v: np.full((2, 3), v), V[:3])
    check(lambda v, n: FUNCTIONS[np.full](n, v), lambda v, n: np.full(n, v), np.float32(0.5), 3)
    check(lambda v: FUNCTIONS[np.full](1, v), lambda v: np.full(1, v), 0.5)


@pytest.mark.parametrize(
    "build",
    [
        lambda make, a, b: make([a, b]),
        lambda make, a, b: make((a, 1.0, b)),
        lambda make, a, b: make([[a, b], [b, 2]]),
        lambda make, a, b: make([[[a]], [[b]]]),
        lambda make, a, b: make([a, b], dtype="float32"),
        lambda make, a, b: make([a, 1j]),
        lambda make, a, b: make(a),
        lambda make, a, b: make([a], ndmin=2),
        lambda make, a, b: make([1, 2]),
        lambda make, a, b: make([1, 2.5]),
        lambda make, a, b: make([True, False]),
        lambda make, a, b: make([]),
        lambda make, a, b: make([[], []]),
        lambda make, a, b: make(3),
    ],
)
def test_array_of_numbers(build: Any) -> None:
    for arguments in ((0.5, 2.0), (np.float32(0.5), 2.0), (np.float64(0.5), np.float32(2))):
        check(
            lambda a, b: build(FUNCTIONS[np.array], a, b),
            lambda a, b: build(np.array, a, b),
            *arguments,
        )


def test_array_of_arrays() -> None:
    check(lambda x, y: FUNCTIONS[np.array]([x, y]), lambda x, y: np.array([x, y]), V, V + 1.0)
    check(lambda x: FUNCTIONS[np.array](x), lambda x: np.array(x), V)
    check(lambda x: FUNCTIONS[np.array](x, "float32"), lambda x: np.array(x, "float32"), V)
    check(lambda x: FUNCTIONS[np.asarray](x), lambda x: np.asarray(x), V)
    check(lambda x: FUNCTIONS[np.asarray](x, float), lambda x: np.asarray(x, float), V)
    check(
        lambda x: FUNCTIONS[np.array]([index_of(x, 0), index_of(x, 2)]),
        lambda x: np.array([x[0], x[2]]),
        V,
    )


def test_ragged_lists_are_refused_as_by_numpy() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        stage(lambda a: FUNCTIONS[np.array]([[a, a], [a]]), 1.0)
    with pytest.raises(ValueError, match="inhomogeneous"):
        stage(lambda a, x: FUNCTIONS[np.array]([a, x]), 1.0, V)


def test_lengths_must_be_integers() -> None:
    with pytest.raises(TypeError):
        stage(lambda a: FUNCTIONS[np.zeros](a), 1.5)
    with pytest.raises(TypeError):
        stage(lambda: FUNCTIONS[np.zeros]((2, 1.5)))


@pytest.mark.parametrize(
    "bounds", [(0, 5, 1), (2, 5, 1), (5, 0, -2), (0, 0, 1), (3, 1, 1), (0, 7, 3)]
)
def test_ranges(bounds: tuple[int, int, int]) -> None:
    check(range_length_of, lambda *b: len(range(*b)), *bounds)
    if len(range(*bounds)):
        check(
            lambda a, c, k: range_element_of(a, c, k),
            lambda a, c, k: a + c * k,
            *(bounds[0], bounds[2], 0),
        )
    check(lambda k: range_element_of(0, 1, k), lambda k: k, 3)
    check(lambda k: range_element_of(2, 1, k), lambda k: k + 2, 3)


def written(value: Value) -> str:
    """A value as source; parameters are x, y, …, sizes are spelled where they stand."""
    if value.node is None:
        return str(value.name)
    operands = [ast.parse(written(v), mode="eval").body for v in value.node.operands]
    if value.node.op.name == "constant":
        number = value.node.attributes["value"]
        return f"np.array({number.tolist()})" if isinstance(number, np.ndarray) else repr(number)
    return ast.unparse(value.node.op.spelling(value.node, operands))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda x, n: FUNCTIONS[np.zeros]((n, 3)), "np.zeros((n, 3))"),
        (lambda x, n: FUNCTIONS[np.zeros](n), "np.zeros(n)"),
        (lambda x, n: FUNCTIONS[np.zeros](()), "np.zeros(())"),
        (lambda x, n: FUNCTIONS[np.zeros](n, int), "np.zeros(n, dtype=np.int64)"),
        (lambda x, n: FUNCTIONS[np.ones_like](x), "np.ones_like(x)"),
        (lambda x, n: zeros_of(x), "np.zeros(x.shape)"),
        (lambda x, n: FUNCTIONS[np.zeros_like](x), "np.zeros_like(x)"),
        (lambda x, n: FUNCTIONS[np.full_like](x, 2.0), "np.full_like(x, 2.0)"),
        (
            lambda x, n: FUNCTIONS[np.zeros](ATTRIBUTES["shape"](x)[::-1]),
            "np.zeros((x.shape[1], x.shape[0]))",
        ),
        (
            lambda x, n: FUNCTIONS[np.zeros](ATTRIBUTES["shape"](x), bool),
            "np.zeros(x.shape, dtype=np.bool)",
        ),
        (lambda x, n: FUNCTIONS[np.arange](n), "np.arange(n)"),
        (lambda x, n: FUNCTIONS[np.arange](1, n), "np.arange(1, n)"),
        (lambda x, n: FUNCTIONS[np.full]((n,), 2.0), "np.full(n, 2.0)"),
        (lambda x, n: FUNCTIONS[np.eye](n), "np.eye(n)"),
        (lambda x, n: FUNCTIONS[np.array]([[n, 1], [2, 3]]), "np.array([[n, 1], [2, 3]])"),
        (lambda x, n: index_of(x, (slice(1, -1), n)), "x[1:-1, n]"),
        (lambda x, n: index_of(x, (slice(n, None), None)), "x[n:, np.newaxis]"),
        (lambda x, n: index_of(x, [0, 2]), "x[[0, 2]]"),
        (lambda x, n: index_of(x, (Ellipsis, slice(None, None, -1))), "x[..., ::-1]"),
        (lambda x, n: FUNCTIONS[np.reshape](x, (n, -1)), "x.reshape(n, -1)"),
        (lambda x, n: FUNCTIONS[np.reshape](x, -1), "x.reshape(-1)"),
        (lambda x, n: FUNCTIONS[np.transpose](x), "x.T"),
        (lambda x, n: ATTRIBUTES["shape"](x)[0], "x.shape[0]"),
        (lambda x, n: FUNCTIONS[np.concatenate]((x, x), 1), "np.concatenate((x, x), axis=1)"),
        (lambda x, n: FUNCTIONS[np.roll](x, 1, axis=0), "np.roll(x, 1, axis=0)"),
        (lambda x, n: FUNCTIONS[np.pad](x, 1), "np.pad(x, 1)"),
        (lambda x, n: FUNCTIONS[np.cumsum](x, 0), "np.cumsum(x, axis=0)"),
        (lambda x, n: FUNCTIONS[np.sort](x), "np.sort(x)"),
    ],
)
def test_written_as_a_person_would(build: Any, text: str) -> None:
    def named(x: Value, n: Value) -> Any:
        x.name, n.name = "x", "n"
        return build(x, n)

    assert written(stage(named, M, 3).results[0]) == text


def test_dimensions_of_computed_lengths() -> None:
    def shape(build: Any) -> Any:
        type_ = stage(build, V, 3).results[0].type
        assert isinstance(type_, ArrayType)
        return type_.shape

    zeros, size = FUNCTIONS[np.zeros], ATTRIBUTES["size"]
    assert shape(lambda x, n: zeros(size(x))) == (Size("ai"),)
    assert shape(lambda x, n: zeros(size(x) - 1)) == (Size("ai", -1),)
    assert shape(lambda x, n: zeros(1 + (size(x) - 2))) == (Size("ai", -1),)
    (first,) = shape(lambda x, n: zeros(n + 2))
    assert first.open
    assert first.offset == 2
    same = stage(lambda n: (zeros(n * 2), zeros(n * 2)), 3)
    assert same.results[0].type == same.results[1].type
    assert stage(lambda n: n, 3).results[0].type == INT


def test_none_is_nan_where_floats_are_asked_for():
    def f(x):
        alone, among = np.asarray(None, float), np.array([None, 2.0], dtype="float32")
        return np.sum(x) * (2.0 if np.isnan(alone) and np.isnan(among[0]) else 1.0) * among[1]

    np.testing.assert_array_equal(sd.grad(f)(np.ones(2)), [4.0, 4.0])
    with pytest.raises(TypeError):  # as NumPy does
        sd.grad(lambda x: np.sum(np.asarray(None, int) * x))(np.ones(2))
