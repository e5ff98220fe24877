"""Functions of ``scipy.special`` that are integrals of Bessel's, Airy's and Struve's functions, and
such whose slopes are other members of their families.

``it2j0y0`` gives the integrals of ``(1 - J0(t)) / t`` from 0 to ``x`` and of ``Y0(t) / t`` from
``x`` to infinity; ``it2i0k0`` and ``it2struve0`` are of that kind too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial, pi
from types import ModuleType
from typing import Any

from symdiff.definitions.libraries import when_imported
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import absolute, choose, equal, less, strong_constant
from symdiff.ops.bessel import airy_ai, airy_bi, i0, j0, k0, modstruve, struve, y0
from symdiff.ops.declare import Operation, Rule, lowers
from symdiff.ops.elementary import exp, log, log1p
from symdiff.ops.special import hyp1f1, special_function
from symdiff.ops.ufuncs import staged

_NEAR = 0.5  # where a series is exact, and a difference has lost digits


def _parts(name: str, *parts: tuple[str, Rule]) -> tuple[Operation, ...]:
    """The ops of a function of several results."""
    return tuple(
        special_function(name, f"{what}.", rule, part=(f"{name}_{k}", k), sympy=None)
        for k, (what, rule) in enumerate(parts)
    )


def _beside(x: Value, far: Callable[[Value], Value], series: Sequence[float], odd: bool) -> Value:
    """A function of ``x``; by its series of even powers, or of odd ones, where ``x`` is small."""
    small = less(absolute(x), _NEAR)
    zero, one = strong_constant(0, x), strong_constant(1, x)
    inside = choose(small, x, zero)
    square = inside * inside
    near = series[-1] + 0.0 * square
    for coefficient in reversed(series[:-1]):
        near = near * square + coefficient
    return choose(small, near * inside if odd else near, far(choose(small, one, x)))


_J0 = [-((-0.25) ** k) / factorial(k) ** 2 for k in range(1, 10)]
_I0 = [0.25**k / factorial(k) ** 2 for k in range(1, 10)]


def _odd_factorial(k: int) -> int:
    return 1 if k == 0 else (2 * k + 1) * _odd_factorial(k - 1)


_H0 = [2.0 / pi * (-1.0) ** k / _odd_factorial(k) ** 2 for k in range(9)]


def _rest_of_j0(y: Value, x: Value) -> Value:
    return _beside(x, lambda x: (1.0 - j0(x)) / x, _J0, odd=True)


def _rest_of_i0(y: Value, x: Value) -> Value:
    return _beside(x, lambda x: (i0(x) - 1.0) / x, _I0, odd=True)


_SEVERAL: dict[str, tuple[Operation, ...]] = {
    "itairy": _parts(
        "itairy",
        ("The integral of Ai", lambda y, x: airy_ai(x)),
        ("The integral of Bi", lambda y, x: airy_bi(x)),
        ("The integral of Ai to the left", lambda y, x: airy_ai(-x)),
        ("The integral of Bi to the left", lambda y, x: airy_bi(-x)),
    ),
    "itj0y0": _parts(
        "itj0y0",
        ("The integral of J0", lambda y, x: j0(x)),
        ("The integral of Y0", lambda y, x: y0(x)),
    ),
    "iti0k0": _parts(
        "iti0k0",
        ("The integral of I0", lambda y, x: i0(x)),
        ("The integral of K0", lambda y, x: k0(x)),
    ),
    "it2j0y0": _parts(
        "it2j0y0",
        ("The integral of ``(1 - J0(t)) / t``", _rest_of_j0),
        ("The integral of ``Y0(t) / t`` to infinity", lambda y, x: -y0(x) / x),
    ),
    "it2i0k0": _parts(
        "it2i0k0",
        ("The integral of ``(I0(t) - 1) / t``", _rest_of_i0),
        ("The integral of ``K0(t) / t`` to infinity", lambda y, x: -k0(x) / x),
    ),
}

itstruve0: Operation = special_function(
    "itstruve0", "The integral of H0.", lambda y, x: struve(0.0, x), sympy=None
)
itmodstruve0: Operation = special_function(
    "itmodstruve0", "The integral of L0.", lambda y, x: modstruve(0.0, x), sympy=None
)
it2struve0: Operation = special_function(
    "it2struve0",
    "The integral of ``H0(t) / t`` to infinity.",
    lambda y, x: -_beside(x, lambda x: struve(0.0, x) / x, _H0, odd=False),
    sympy=None,
)

# Of their own families ----------------------------------------------------------------------------

wright_bessel: Operation = special_function(
    "wright_bessel",
    "Wright's generalised Bessel function; its derivatives by ``a`` and ``b`` are refused.",
    "a",
    "b",
    lambda y, a, b, x: wright_bessel(a, a + b, x),
    sympy=None,
)
besselpoly: Operation = special_function(
    "besselpoly",
    "The integral of ``x**lmb * J(2 a x)``; its derivatives by the powers are refused.",
    lambda y, a, lmb, nu: besselpoly(a, lmb + 1.0, nu - 1.0) - besselpoly(a, lmb + 1.0, nu + 1.0),
    "lmb",
    "nu",
    sympy=None,
)


def _logarithms(y: Value) -> tuple[Value, Value, Value]:
    """Whether a share is 0 or 1, and the logarithms of it and of what is left."""
    at_end = equal(y * (1.0 - y), 0)
    share = choose(at_end, strong_constant(0.5, y), y)
    return at_end, log(share), log1p(-share)


def _tukey_density(y: Value, x: Value, shape: Value) -> Any:
    at_end, low, high = _logarithms(y)
    slope = exp((shape - 1.0) * low) + exp((shape - 1.0) * high)
    return choose(at_end, strong_constant(0, slope), 1.0 / slope)


def _tukey_by_shape(y: Value, x: Value, shape: Value) -> Any:
    """By the quantile, ``log(p) exprel(s log(p)) - log(1 - p) exprel(s log(1 - p))``."""
    at_end, low, high = _logarithms(y)
    moved = low * low * hyp1f1(2.0, 3.0, shape * low) - high * high * hyp1f1(2.0, 3.0, shape * high)
    made = -0.5 * moved * _tukey_density(y, x, shape)
    return choose(at_end, strong_constant(0, made), made)


tklmbda: Operation = special_function(
    "tklmbda",
    "The distribution function of Tukey's lambda distribution.",
    _tukey_density,
    _tukey_by_shape,
    sympy=None,
)


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    for name, operations in _SEVERAL.items():
        lowers(getattr(special, name))(_all(operations))


def _all(operations: tuple[Operation, ...]) -> Callable[..., Any]:
    def lowering(x: Any) -> tuple[Value, ...]:
        value = staged(x)
        return tuple(operation(value) for operation in operations)

    return lowering
