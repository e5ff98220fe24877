"""Which of NumPy's functions give views, which copies, and which the array itself: as it shows when
the result is written.
"""

import copy
import functools
import warnings

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError, UnsupportedSyntaxError
from tests.definitions.calls import check

M = np.random.default_rng(0).uniform(0.2, 0.9, (3, 4))
BASES = {
    "matrix": lambda x: x * 1.0,
    "transposed": lambda x: x.T,
    "column": lambda x: x[:, 0],
    "number": lambda x: x[0, 0] * 2.0,
}
RESULTS = [
    lambda y: np.tile(y, 1),
    lambda y: np.repeat(y, 1, axis=0),
    lambda y: np.roll(y, 0),
    lambda y: np.clip(y, None, 9.0),
    lambda y: np.clip(y, -9.0, None),
    lambda y: np.round(y, 3),
    lambda y: np.around(y),
    lambda y: np.concatenate([y]),
    lambda y: np.stack([y]),
    lambda y: np.squeeze(y),
    lambda y: np.expand_dims(y, 0),
    lambda y: np.atleast_1d(y),
    lambda y: np.atleast_2d(y),
    lambda y: np.atleast_3d(y),
    lambda y: np.real(y),
    lambda y: np.imag(y),
    lambda y: y.real,
    lambda y: y.imag,
    lambda y: np.conj(y),
    lambda y: y.conj(),
    lambda y: y.conjugate(),
    lambda y: np.conjugate(y),
    lambda y: np.abs(y),
    lambda y: abs(y),
    lambda y: +y,
    lambda y: np.positive(y),
    lambda y: np.asarray(y),
    lambda y: np.asanyarray(y),
    lambda y: np.array(y),
    lambda y: np.array(y, copy=False),
    lambda y: np.array(y, ndmin=3),
    lambda y: np.array(y, ndmin=3, copy=None),
    lambda y: np.asarray(y, dtype=float),
    lambda y: np.asarray(y, float),
    lambda y: y.astype(float),
    lambda y: y.astype(float, copy=False),
    lambda y: y.copy(),
    lambda y: np.copy(y),
    lambda y: y.flatten(),
    lambda y: y.ravel(),
    lambda y: np.ravel(y),
    lambda y: y.reshape(-1),
    lambda y: y.T,
    lambda y: np.transpose(y),
    lambda y: y.transpose(),
    lambda y: y[...],
    lambda y: y[()],
    lambda y: y[:],
    lambda y: y[None],
    lambda y: y[::-1],
    lambda y: np.flip(y),
    lambda y: np.flipud(y),
    lambda y: np.flip(y, 0),
    lambda y: np.rot90(y),
    lambda y: np.fliplr(y),
    lambda y: np.diagonal(y),
    lambda y: np.diag(y),
    lambda y: np.tril(y),
    lambda y: np.triu(y),
    lambda y: np.trace(y),
    lambda y: np.sum(y, axis=()),
    lambda y: np.sum(y, keepdims=True),
    lambda y: np.swapaxes(y, 0, -1),
    lambda y: y.swapaxes(0, -1),
    lambda y: np.moveaxis(y, 0, -1),
    lambda y: np.rollaxis(y, -1),
    lambda y: np.nan_to_num(y),
    lambda y: np.broadcast_to(y, y.shape),
    lambda y: np.broadcast_arrays(y, y)[0],
    lambda y: np.meshgrid(y, copy=False)[0],
    lambda y: np.split(y, 1)[0],
    lambda y: np.array_split(y, 2)[0],
    lambda y: np.hsplit(y, 1)[0],
    lambda y: np.vsplit(y, 1)[0],
    lambda y: np.hstack([y]),
    lambda y: np.vstack([y]),
    lambda y: np.column_stack([y]),
    lambda y: np.dstack([y]),
    lambda y: np.append(y, []),
    lambda y: np.where(True, y, y),
    lambda y: np.where(y > -9, y, 0.0),
    lambda y: np.take(y, [0]),
    lambda y: np.take(y, 0),
    lambda y: y.take([0]),
    lambda y: np.compress([True], y, axis=0),
    lambda y: np.sort(y),
    lambda y: np.einsum("...->...", y),
    lambda y: np.einsum("...i->i...", y),
    lambda y: np.fix(y),
    lambda y: np.trunc(y),
    lambda y: np.rint(y),
    lambda y: np.maximum(y, y),
    lambda y: np.copysign(y, y),
    lambda y: np.select([y > 0], [y], y),
    lambda y: np.pad(y, 0),
    lambda y: np.cumsum(y),
    lambda y: np.median(y),
    lambda y: np.squeeze(y[None]),
    lambda y: y.squeeze(),
    lambda y: np.ascontiguousarray(y),
    lambda y: np.asfortranarray(y),
    lambda y: np.asarray(y, order="F"),
    lambda y: np.asarray(y, order="C"),
    lambda y: np.matrix_transpose(y),
    lambda y: y.mT,
    lambda y: np.permute_dims(y),
    lambda y: np.concat([y]),
    lambda y: np.block(y),
    lambda y: np.block([y]),
    lambda y: np.r_[y],
    lambda y: np.c_[y],
    lambda y: np.interp(y, y, y),
    lambda y: np.diff(y, n=0),
    lambda y: np.nancumsum(y),
    lambda y: np.sum(y, axis=0),
    lambda y: np.prod(y[:1], axis=0),
    lambda y: np.max(y[:1], axis=0),
    lambda y: np.min(y, axis=0),
    lambda y: np.mean(y[None], axis=0),
    lambda y: np.linalg.norm(y[None], axis=0),
    lambda y: np.ediff1d(y),
    lambda y: np.float64(y),
    lambda y: list(y)[0],
    lambda y: tuple(y)[0],
    lambda y: next(iter(y)),
    lambda y: y.view(),
    lambda y: np.multiply(y, 1.0),
    lambda y: y * 1,
    lambda y: y**1,
    lambda y: y / 1,
    lambda y: y + 0,
    lambda y: y - 0,
    lambda y: y @ np.eye(y.shape[-1]),
    lambda y: np.dot(y, 1.0),
    lambda y: np.outer(y, [1.0]),
    lambda y: np.inner(y, 1.0),
    lambda y: np.kron(y, [1.0]),
    lambda y: y.clip(-9, 9),
    lambda y: y.round(),
    lambda y: y.dot(1.0),
    lambda y: y.cumsum(),
    lambda y: y.repeat(1),
    lambda y: y.diagonal(),
    lambda y: np.ravel(y, order="F"),
    lambda y: np.reshape(y, y.shape),
    lambda y: np.reshape(y, y.shape, order="F"),
    lambda y: y.reshape(y.shape, copy=True),
    lambda y: np.reshape(y, -1, copy=True),
    lambda y: y.reshape(y.shape[::-1]),
    lambda y: y[np.arange(len(y))],
    lambda y: y[[0]],
    lambda y: y[y > -99],
    lambda y: y[0],
    lambda y: y[0:1],
    lambda y: y[-1],
    lambda y: y[..., 0],
    lambda y: y[..., None],
    lambda y: max(y, key=lambda r: 0),
    lambda y: sorted([y], key=lambda r: 0)[0],
    lambda y: y if y.size else 0,
    lambda y: (y or 0) if y.size == 1 else y,
    lambda y: {"a": y}["a"],
    lambda y: (lambda q: q)(y),
    lambda y: [y, 1][0],
    lambda y: copy.copy(y),
    lambda y: copy.deepcopy(y),
    lambda y: functools.reduce(lambda a, b: a, [y, y]),
    lambda y: sum([y]),
    lambda y: sum([y], 0.0),
    lambda y: np.add.reduce([y]),
    lambda y: np.maximum.reduce(y[None]),
    lambda y: np.array([y])[0],
    lambda y: np.array(list(y)),
    lambda y: np.stack(list(y)),
    lambda y: np.vstack(list(y)),
]


def outcome(function, argument):
    """What a call came to: a result, or the kind of its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(argument)
        except (UnsupportedCallError, UnsupportedSyntaxError):
            return None
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("number", range(len(RESULTS)))
@pytest.mark.parametrize("base", BASES)
def test_what_is_written_through_a_result_is_what_numpy_writes(number, base):
    of_base, of_result = BASES[base], RESULTS[number]

    def function(x):
        x = x * 1.0
        y = of_base(x)
        z = of_result(y)
        if isinstance(z, np.ndarray):
            z[...] = 7.0
        return x, y, z

    expected = outcome(function, M.copy())
    made = outcome(lambda x: sd.functional(function)(x)[0], M.copy())
    if made is None:  # refused aloud
        return
    assert type(made) is type(expected)
    if isinstance(expected, type):
        assert made is expected
        return
    for one, other in zip(made, expected, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("a", [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5)])
def test_a_number_repeated_is_an_array_that_cannot_be_written(a):
    def result(a):
        b = np.broadcast_to(a, (2, 3))
        c, d = np.broadcast_arrays(a, b[0])
        return np.sum(b[0] * a) + np.sum(c * d), b

    def written(a):
        b = np.broadcast_to(a, (2, 3))
        b[0] = 1.0
        return b

    (value, b), expected = sd.differentiable(result).forward(a)[0], result(a)
    assert value == expected[0]
    np.testing.assert_array_equal(b, expected[1])
    assert sd.grad(result, has_aux=True)(a)[0] == 12 * a
    with pytest.raises(ValueError, match="read-only"):
        sd.differentiable(written).forward(a)


VECTOR = np.array([0.7, 1.3, 0.2])


def _put_on_diagonals(x):
    stack = np.zeros((2, 3, 3))
    np.einsum("ijj->ij", stack)[...] = x
    return stack * x[0]


def _diagonal_of_three(x):
    cube = np.multiply.outer(np.outer(x, x), x)
    np.einsum("iii->i", cube)[1:] += x[1:]
    return cube


def _diagonal_and_transposed(x):
    y = np.multiply.outer(np.ones((2, 2)), x)
    view = np.einsum("iij->ji", y)
    view *= x[1]
    return y


def _flat_items_are_copies(x):
    y = x * 1.0
    flat = y.flat
    kept, other = flat[1:], y.flat[:2]
    y *= 2.0
    other *= 3.0
    return np.concatenate((kept, other, y))


def _flat_is_filled_again(x):
    y = np.outer(x, x)
    flat = y.flat
    flat[2:] = [x[0], 5.0]
    y.flat[1:] += x[2]
    flat[[0, 4]] = x[1] ** 2
    return y


@pytest.mark.parametrize(
    "function",
    [
        _put_on_diagonals,
        _diagonal_of_three,
        _diagonal_and_transposed,
        _flat_items_are_copies,
        _flat_is_filled_again,
    ],
)
def test_views_of_diagonals_and_what_flat_gives(function):
    check(function, VECTOR, step=1e-2)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (3, 1)])
def test_the_diagonal_of_what_is_not_square_raises(shape):
    with pytest.raises(ValueError, match="for collapsing index"):
        sd.grad(lambda x: np.sum(np.einsum("ii->i", x)))(np.ones(shape))
    with pytest.raises(ValueError, match="for collapsing index"):
        sd.grad(lambda x: np.sum(np.einsum("ii->i", np.outer(x[x > 0], x))))(np.array([1.0, -1.0]))


@pytest.mark.parametrize(
    "made",
    [
        lambda x: np.broadcast_arrays(x, np.ones((2, 3)))[0],
        lambda x: np.meshgrid(x, x[:2], copy=False)[0],
    ],
)
def test_a_write_to_what_is_repeated_in_memory_is_refused(made):
    def f(x):
        grid = made(x * 1.0)
        grid[0] = 2.0
        return np.sum(grid)

    with pytest.raises(UnsupportedCallError, match="write to a copy of it"):
        sd.grad(f)(VECTOR)
