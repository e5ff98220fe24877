"""Views of complex numbers as pairs of reals, and back: values, writes, and both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.reference import richardson_gradient

V = np.array([0.5, -1.25, 2.0, 0.75])
M = np.array([[0.5, -1.25, 2.0, 0.75], [1.5, 0.25, -0.5, 1.0]])
Z = V[:2] + 1j * V[2:]


def of_reals(x: Any) -> Any:
    return np.sum((x * (1 + 2j)).view(float) ** 3)


def of_pairs(x: Any) -> Any:
    z = x.view(complex)
    return np.sum(z.real * z.imag**2) + np.sum(np.abs(z) ** 2)


def there_and_back(x: Any) -> Any:
    return np.sum(np.sin(x.view(np.complex128).view(np.float64)) * x)


def written_as_reals(x: Any) -> Any:
    z = x * (1 - 1j)
    r = z.view(float)
    r[..., 1] = x[..., 0] * 3.0
    z[..., 1] *= 2.0
    return np.sum(z.imag * z.real) + np.sum(r**2)


def written_as_pairs(x: Any) -> Any:
    y = x * 2.0
    z = y.view(complex)
    z[..., 0] = z[..., 1] * (1 + 1j)
    y[..., -1] = 5.0
    return np.sum(y**2) + np.sum((z * z).imag)


def in_a_loop(x: Any) -> Any:
    z = np.zeros(2, complex)
    for row in x.reshape(-1, 4):
        z.view(float)[:] += np.sin(row)
        z *= 1j
    return np.sum(z.real * z.imag)


def in_rows(x: Any) -> Any:
    padded = np.concatenate([x.reshape(-1, 4), x.reshape(-1, 4)], axis=1)
    part = padded[:, :4].view(complex)  # rows with gaps between them
    part[:, 0] *= 2j
    return np.sum(padded**3)


FUNCTIONS = [of_reals, of_pairs, there_and_back, written_as_reals, written_as_pairs, in_a_loop,
             in_rows]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [V, M, np.asfortranarray(M[:1])], ids=["vector", "matrix", "row"])
def test_pairs(monkeypatch: pytest.MonkeyPatch, function: Any, x: np.ndarray) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, gradient = sd.value_and_grad(function)(x)
    assert value == function(x)
    expected = richardson_gradient(function, (x,)).value
    np.testing.assert_allclose(gradient, expected, rtol=1e-8, atol=1e-8)
    t = np.cos(np.arange(x.size)).reshape(x.shape)
    np.testing.assert_allclose(sd.jvp(function, (x,), (t,))[1], np.sum(expected * t), rtol=1e-8)
    sd.check_grads(function, (x,), order=2)


def test_single_precision_keeps_its_precision() -> None:
    x = V.astype(np.float32)
    made = sd.grad(lambda x: np.sum(x.view(np.complex64).imag ** 2))(x)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, [0.0, -2.5, 0.0, 1.5])


def test_complex_arguments_have_complex_gradients() -> None:
    made = sd.grad(lambda z: np.sum(z.view(float) ** 2))(Z)
    np.testing.assert_array_equal(made, 2 * Z)


@pytest.mark.parametrize("transposed", [lambda x: x.T, lambda x: np.broadcast_to(x[0], (2, 4))])
def test_cotangents_may_lie_in_any_way(transposed: Any) -> None:
    weights = np.arange(8.0).reshape(4, 2)

    def weighted(x: Any) -> Any:
        z = transposed(x) * (1 + 1j)
        return np.sum(
            np.ascontiguousarray(z).view(float)[..., ::-1].T[: len(weights), :2] * weights
        )

    gradient = sd.grad(weighted)(M)
    expected = richardson_gradient(weighted, (M,)).value
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x[:3].view(complex).real),
        lambda x: np.sum(x[::2].view(complex).real),
        lambda x: np.sum((x + 0j)[::2].view(float)),
        lambda x: np.sum((x[0] + 0j).view(float)),
        lambda x: np.sum(np.array(x[0] + 0j).view(float)),
    ],
)
def test_what_numpy_does_not_take_raises_as_in_numpy(function: Any) -> None:
    with pytest.raises(ValueError, match=r"[Dd]type") as own:
        function(V)
    with pytest.raises(ValueError, match=r"[Dd]type") as raised:
        sd.grad(function)(V)
    assert str(raised.value) == str(own.value)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex64, ">f8"])
def test_other_views_are_refused(dtype: Any) -> None:
    with pytest.raises(UnsupportedCallError, match="a view of float64 as") as raised:
        sd.grad(lambda x: np.sum(x) * x.view(dtype).size)(V)
    assert raised.value.span is not None
