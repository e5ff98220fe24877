"""Series of ``numpy.polynomial`` in two variables, and matrices of their functions."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from symdiff.definitions.declare import defines, known_integer, refuse

# The next function of a kind, by the last two, the argument and its number.
_NEXT: dict[tuple[str, str], Callable[..., Any]] = {
    ("polynomial", "poly"): lambda a, b, x, n: b * x,
    ("chebyshev", "cheb"): lambda a, b, x, n: 2 * x * b - a,
    ("legendre", "leg"): lambda a, b, x, n: (b * x * (2 * n - 1) - a * (n - 1)) / n,
    ("hermite", "herm"): lambda a, b, x, n: b * (2 * x) - a * (2 * (n - 1)),
    ("hermite_e", "herme"): lambda a, b, x, n: b * x - a * (n - 1),
    ("laguerre", "lag"): lambda a, b, x, n: (b * (2 * n - 1 - x) - a * (n - 1)) / n,
}


def _first(kind, x):
    """The function of degree one."""
    if kind == "lag":
        return 1 - x
    return 2 * x if kind == "herm" else x


def _columns(kind, following, x, deg):
    deg = known_integer(deg)
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = np.array(x, ndmin=1) + 0.0
    made = [np.ones_like(x)]
    for n in range(1, deg + 1):
        made.append(_first(kind, x) if n == 1 else following(made[-2], made[-1], x, n))
    return np.stack(made, axis=-1)


def _matrix(kind, following):
    def vander(x, deg):
        return _columns(kind, following, x, deg)

    return vander


def _matrix_of_two(kind, following):
    def vander2d(x, y, deg):
        a, b = np.array(x, ndmin=1), np.array(y, ndmin=1)
        if a.shape != b.shape:
            refuse("x and y of two shapes")
        one = _columns(kind, following, a, deg[0])
        made = one[..., :, None] * _columns(kind, following, b, deg[1])[..., None, :]
        return made.reshape(*a.shape, (deg[0] + 1) * (deg[1] + 1))

    return vander2d


def _at_points(value):
    def val2d(x, y, c):
        return value(np.asarray(y), value(np.asarray(x), c), tensor=False)

    return val2d


def _on_a_grid(value):
    def grid2d(x, y, c):
        return value(np.asarray(y), value(np.asarray(x), c))

    return grid2d


for (_module, _letters), _following in _NEXT.items():
    _found: Any = importlib.import_module(f"numpy.polynomial.{_module}")
    _value = getattr(_found, f"{_letters}val")
    for _name, _definition in (
        ("vander", _matrix(_letters, _following)),
        ("vander2d", _matrix_of_two(_letters, _following)),
        ("val2d", _at_points(_value)),
        ("grid2d", _on_a_grid(_value)),
    ):
        defines(getattr(_found, f"{_letters}{_name}"), rounded=True)(_definition)


@defines(np.polynomial.polynomial.polyfromroots, rounded=True)
def polyfromroots(roots):
    """The coefficients of the product of ``x - root``, the lowest first."""
    roots = np.asarray(roots)
    if roots.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    c: Any = np.ones(1, np.result_type(roots, np.float64))
    for k in range(len(roots)):
        c = np.convolve(c, np.stack((-roots[k], np.ones_like(roots[k]))))
    return c
