"""Arrays in the other byte order: values have NumPy's dtype, derivatives their operand's."""

import functools

import numpy as np
import pytest
import scipy.linalg
from numpy.polynomial import chebyshev, hermite, laguerre, legendre, polynomial

import symdiff as sd

SERIES = {
    f"{function.__name__} {m}": functools.partial(lambda f, m, x: f(x, m), function, m)
    for function in (
        *(polynomial.polyder, polynomial.polyint, chebyshev.chebder, chebyshev.chebint),
        *(hermite.hermder, hermite.hermint, legendre.legder, legendre.legint),
        *(laguerre.lagder, laguerre.lagint),
    )
    for m in (0, 1, 2)
}
CALLS = {
    "accumulate": np.maximum.accumulate,
    "append": lambda x: np.append(x, 0.5),
    "astype": lambda x: x.astype(x.dtype.newbyteorder("=")),
    "circulant": scipy.linalg.circulant,
    "c_": lambda x: np.c_[x, x],
    "concatenate": lambda x: np.concatenate([x]),
    "conj": lambda x: x.conj(),
    "conjugate": np.conjugate,
    "delete": lambda x: np.delete(x, 1),
    "delete places": lambda x: np.delete(x, [0, 2]),
    "gradient": np.gradient,
    "gradient of knots": lambda x: np.gradient(x, np.arange(4.0)),
    "insert": lambda x: np.insert(x, 1, 0.5),
    "nan_to_num": np.nan_to_num,
    "norm": np.linalg.norm,
    "norm of rows": lambda x: np.linalg.norm(x.reshape(2, 2), axis=1),
    "norm by singular values": lambda x: np.linalg.norm(x.reshape(2, 2), 2, keepdims=True),
    "of rank 0": lambda x: np.conjugate(np.stack([x, x])[0, 0]),
    "pad": lambda x: np.pad(x, 1),
    "pad by means": lambda x: np.pad(x, (1, 2), "mean"),
    "pad by ramps": lambda x: np.pad(x, (1, 2), "linear_ramp"),
    "poly": np.poly,
    "resize": lambda x: np.resize(x, 9),
    "resize to rows": lambda x: np.resize(x, (2, 2)),
    "r_": lambda x: np.r_[x, 0.5, x],
    "svd": lambda x: np.linalg.svd(x.reshape(2, 2))[1],
    "tril": lambda x: np.tril(x.reshape(2, 2)),
    "triu": lambda x: np.triu(x.reshape(2, 2), 1),
    **SERIES,
}


@pytest.mark.parametrize("dtype", [">f4", ">f8", "<f4"])
@pytest.mark.parametrize("name", CALLS)
def test_dtypes_are_those_of_numpy(name: str, dtype: str) -> None:
    x, call = np.array([0.3, -0.2, 0.9, 0.5], dtype), CALLS[name]

    def function(x):
        return call(x)

    expected = np.asarray(function(x))
    value, pullback = sd.vjp(function, x)
    assert np.asarray(value).dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)
    (x_bar,) = pullback(np.ones_like(value))
    tangent = sd.jvp(function, (x,), (np.ones_like(x),))[1]
    assert x_bar.dtype == x.dtype
    assert np.asarray(tangent).dtype == expected.dtype
    native = x.astype(np.float64)
    close = {"rtol": 1e-5, "atol": 1e-6}
    for made, of in ((x_bar, 1), (np.asarray(tangent), -1)):
        steps = np.eye(4) * 1e-5 if of == 1 else np.full((1, 4), 1e-5)
        slopes = [(function(native + h) - function(native - h)) / 2e-5 for h in steps]
        found = [np.sum(slope) for slope in slopes] if of == 1 else slopes[0]
        np.testing.assert_allclose(made, found, **close)


def test_an_array_of_rank_0() -> None:
    for dtype in (">f8", ">c16"):
        x = np.array(0.7, dtype)
        gradient = sd.grad(lambda x: np.real(np.conjugate(x) * x))(x)
        assert gradient.dtype == x.dtype
        np.testing.assert_allclose(gradient, 1.4)
