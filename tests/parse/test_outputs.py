"""Arrays to write to that functions are given, and views that cannot be written."""

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError
from tests.parse.following import follows

M = np.random.default_rng(0).uniform(0.2, 0.9, (3, 4))


def by_position(x):
    c = np.zeros((3, 4))
    r = np.add(x, x * 2, c)
    r[0, 0] = 9.0
    return c, r


def by_name_in_a_tuple(x):
    c = np.zeros((3, 4))
    r = np.multiply(x, x * 2, out=(c,))
    r[0, 0] = 9.0
    return c, r


def into_itself(x):
    y = x * 1.0
    np.sin(y, y)
    np.subtract(y[1:], y[:-1], y[1:])
    np.add(y, np.max(y, axis=1, keepdims=True), y)
    return y


def into_views(x):
    y = np.zeros((4, 3))
    np.exp(x, y.T)
    np.maximum(y, 0.5, out=y.T.T)
    return y


def two_outputs(x):
    q, r = np.zeros((3, 4)), np.zeros((3, 4))
    np.divmod(x * 7, 2.0, q, r)
    s, t = np.divmod(x * 5, 2.0, out=(None, q))
    return q, r, s, t


def of_reductions(x):
    q = np.zeros(4)
    np.sum(x, 0, None, q)
    w = q * 1.0
    x.mean(axis=0, out=q)
    np.add.reduce(x * 3.0, 0, None, q[::-1])
    return q, w


def of_other_functions(x):
    q, r = np.zeros((3, 4)), np.zeros((3, 3))
    np.clip(x, 0.2, 0.6, q)
    w = q * 1.0
    np.round(x, 1, q)
    np.matmul(x, x.T, r)
    s = r * 1.0
    np.dot(x, 2.0 * x.T, r)
    return q, w, r, s


def into_another_type(x):
    q = np.zeros((2, 3, 4), np.float32)
    np.add(x, 1.0, q)
    return q, q * 2


def no_output(x):
    return np.add(x, 1.0, None), np.add(x, 1.0, out=None), np.add(x, 1.0, out=(None,))


def put(x):
    y = x * 1.0
    np.put(y, [1, -5], [7.0, 8.0])
    np.put(y.T, [1, 5], [7.0, 8.0])
    y.put([0, 2], 3.0)
    return y


def seen_as_a_view(x):
    y = x * 1.0
    y.view()[0] = 5.0
    return y


def diagonal_written(x):
    y = x[:, :3] * 1.0
    d = np.diagonal(y)
    d[0] = 1.0
    return y


def diagonal_of_einsum_written(x):
    y = x[:, :3] * 1.0
    d = np.einsum("ii->i", y)
    d[:] = 9.0
    return y


def broadcast_written(x):
    y = x[0] * 1.0
    b = np.broadcast_to(y, (3, 4))
    b[0] = 1.0
    return y


FUNCTIONS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_written_is_what_numpy_writes(function):
    follows(function, M)


def test_a_result_that_cannot_be_cast_is_numpys_error():
    def function(x):
        q = np.zeros((3, 4), int)
        np.add(x, 1.0, q)
        return q.sum() * x[0, 0]

    with pytest.raises(TypeError, match="Cannot cast"):
        sd.grad(function)(M)


def test_derivatives_flow_through_an_output():
    def function(x):
        y = x * 1.0
        np.multiply(x[1:], y[:-1], y[1:])
        np.exp(y, y)
        return np.sum(y)

    sd.check_grads(function, (M,), order=2)


def test_a_view_without_derivative_is_not_written_beside_its_base():
    def detached(x):
        y = x * 1.0
        view = sd.stop_gradient(y)
        view[0] = 3.0
        return np.sum(y**2)

    def in_no_grad(x):
        y = x * 1.0
        with sd.no_grad():
            view = y[1:]
            view[0] = 3.0
        return np.sum(y**2)

    for function in (detached, in_no_grad):
        with pytest.raises(AliasingError, match="in the memory of 'y' with other derivatives"):
            sd.grad(function)(M)


def test_a_view_without_derivative_can_be_read():
    def function(x):
        y = x * 1.0
        with sd.no_grad():
            weight = y[1:].sum()
        return np.sum(y**2) * weight

    np.testing.assert_allclose(sd.grad(function)(M), 2 * M * M[1:].sum())
