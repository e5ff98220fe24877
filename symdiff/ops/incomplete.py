"""Derivatives of functions of SciPy by their parameters, to any order.

>>> incomplete_gamma.documentation
'A derivative of the regularised incomplete gamma function P(a, exp(u)), by u and a.'
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions import densities
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ir.types import ArrayType, Type
from symdiff.ops import (
    bessel_values,
    density_values,
    elliptic_values,
    incomplete_values,
    noncentral_values,
    samples_values,
    series_values,
    zeta_values,
)
from symdiff.ops.arithmetic import absolute, choose, less_equal, sign, strong_constant
from symdiff.ops.casts import as_dtype_of
from symdiff.ops.declare import (
    Meaning,
    Operation,
    broadcast_shapes,
    lowers,
    require_array,
    supporting_call,
    ufunc_dtypes,
)
from symdiff.ops.elementary import log, log1p, sin
from symdiff.ops.strong import strong_multiply


def _raised(orders: tuple[int, ...], position: int) -> tuple[int, ...]:
    return tuple(n + (k == position) for k, n in enumerate(orders))


def _declared(
    name: str,
    documentation: str,
    module: ModuleType = incomplete_values,
    closed: Callable[..., Any] | None = None,
    counted: bool = False,
    sympy: Meaning | None = None,
) -> Operation:
    """A derivative, by the orders by its operands; that by the first one may have a form of its
    own, ``closed(orders, *operands)``. The others may be ``counted``: whole numbers only. Orders
    that are the default of ``name`` are not spelled.
    """
    function = getattr(module, name)
    defaults = dict(zip(("orders",), function.__defaults__ or (), strict=False))

    def partial(position: int, *operands: Value, orders: tuple[int, ...]) -> Any:
        if counted and position > 0:
            raise UnsupportedCallError(
                "the derivative of a distribution of samples by their number has no closed form",
                hint="wrap it in symdiff.stop_gradient(...), or make it an int",
            )
        if position == 0 and closed is not None:
            return closed(orders, *operands)
        return operation(*operands, orders=_raised(orders, position))

    def infer(*operands: Type, orders: tuple[int, ...]) -> tuple[Type, ...]:
        types = [require_array(t, name) for t in operands]
        dtypes = [ufunc_dtypes(np.hypot, (types[0], t))[0] for t in types]
        shape = broadcast_shapes(*(t.shape for t in types))
        return (ArrayType(np.result_type(*dtypes), shape, "array" if shape else "scalar"),)

    def vjp(position: int, g: Value, y: Value, *operands: Value, orders: tuple[int, ...]) -> Value:
        made = strong_multiply(g, partial(position, *operands, orders=orders))
        return as_dtype_of(made, operands[position])

    def jvp(position: int, t: Value, y: Value, *operands: Value, orders: tuple[int, ...]) -> Value:
        made = strong_multiply(t, partial(position, *operands, orders=orders))
        return as_dtype_of(made, y)

    operation = Operation(
        name,
        infer,
        function,
        arithmetic=True,
        cost="heavy",
        spelling=supporting_call(function, **defaults),
        sympy=sympy,
        vjp=vjp,
        jvp=jvp,
        broadcasts=True,
        singular=True,
        order="kept",
        operands=0,
        documentation=documentation,
    )
    return operation


incomplete_gamma: Operation = _declared(
    "incomplete_gamma",
    "A derivative of the regularised incomplete gamma function P(a, exp(u)), by u and a.",
)
incomplete_beta: Operation = _declared(
    "incomplete_beta",
    "A derivative of the regularised incomplete beta function I(a, b) at the number whose logit is"
    " u, by u, a and b.",
)
bessel_j, bessel_y, bessel_i, bessel_ie, bessel_k, bessel_ke = (
    _declared(
        "bessel_" + name.replace("v", ""),
        f"A derivative of the Bessel function {name}(v, x) of positive numbers, by both.",
        bessel_values,
    )
    for name in ("jv", "yv", "iv", "ive", "kv", "kve")
)
kolmogorov_tail: Operation = _declared(
    "kolmogorov_tail", "A derivative of Kolmogorov's survival function."
)
smirnov_tail: Operation = _declared(
    "smirnov_tail",
    "A derivative of Smirnov's survival function of n samples by its argument.",
    counted=True,
)
kolmogorov_of_samples, kolmogorov_tail_of_samples = (
    _declared(
        f"kolmogorov_{part}of_samples",
        f"A derivative of the {name} function of the largest difference of n samples either way.",
        samples_values,
        counted=True,
    )
    for part, name in (("", "distribution"), ("tail_", "survival"))
)
elliprg_slope: Operation = _declared(
    "elliprg_slope", "A derivative of Carlson's symmetric integral of the second kind."
)
noncentral_gamma: Operation = _declared(
    "noncentral_gamma",
    "A derivative of the mean of P(a + k, exp(u)) over Poisson's k, by u, a and the mean of k.",
    noncentral_values,
)
noncentral_beta: Operation = _declared(
    "noncentral_beta",
    "A derivative of the mean of I(a + k, b) over Poisson's k, at the number whose logit is u, by"
    " u, a, b and the mean of k.",
    noncentral_values,
)
noncentral_t: Operation = _declared(
    "noncentral_t",
    "A derivative of the distribution function of a noncentral t, by t, nc and its degrees.",
    noncentral_values,
)


def _derived(density: Callable[..., Any]) -> Meaning:
    """The derivative of a density in SymPy, by the orders by its operands."""

    def meaning(sp: Any, *operands: Any, orders: tuple[int, ...]) -> Any:
        given = [sp.Dummy(positive=True) for _ in operands]
        counts = [pair for pair in zip(given, orders, strict=True) if pair[1]]
        made = density(sp, *given)
        made = sp.diff(made, *counts) if counts else made
        return made.subs(dict(zip(given, operands, strict=True)), simultaneous=True)

    return meaning


gamma_density: Operation = _declared(
    "gamma_density",
    "The gamma distribution's density, or a derivative of it by its shape and the place.",
    density_values,
    sympy=_derived(lambda sp, a, x: x ** (a - 1) * sp.exp(-x) / sp.gamma(a)),
)
beta_density: Operation = _declared(
    "beta_density",
    "The beta distribution's density, or a derivative of it by its shapes and the place.",
    density_values,
    sympy=_derived(lambda sp, a, b, x: x ** (a - 1) * (1 - x) ** (b - 1) / sp.beta(a, b)),
)
lowers(densities.gamma_density)(lambda y, a: gamma_density(a, y, orders=(0, 0)))
lowers(densities.beta_density)(lambda y, a, b: beta_density(a, b, y, orders=(0, 0, 0)))

hypergeometric_0f1, hypergeometric_1f1, hypergeometric_2f1 = (
    _declared(
        f"hypergeometric_{name}",
        f"A derivative of the hypergeometric function hyp{name} of real numbers, by all of them.",
        series_values,
    )
    for name in ("0f1", "1f1", "2f1")
)
zeta_slope: Operation = _declared(
    "zeta_slope",
    "A derivative of Hurwitz's zeta function, by both of its arguments.",
    zeta_values,
)
riemann_slope: Operation = _declared(
    "riemann_slope",
    "A derivative of Riemann's zeta function of real numbers.",
    zeta_values,
)


def _elliptic_by_phi(power: float) -> Callable[..., Any]:
    """What stands under the integral, of ``(1 - m sin²θ)**-power`` and its derivatives by ``m``."""

    def closed(orders: tuple[int, ...], phi: Value, m: Value) -> Any:
        order = orders[1]
        square = sin(phi) ** 2
        scale = math.prod(power + k for k in range(order))
        return scale * square**order * (1.0 - m * square) ** -(power + order)

    return closed


ellipkinc_slope, ellipeinc_slope = (
    _declared(
        f"{name}_slope",
        f"A derivative of {name}(phi, m) by m.",
        elliptic_values,
        closed=_elliptic_by_phi(power),
    )
    for name, power in (("ellipkinc", 0.5), ("ellipeinc", -0.5))
)

# By parameters ------------------------------------------------------------------------------------


def _where_positive(x: Value, made: Callable[[Value], Any]) -> Value:
    """What is made of a positive number, and 0 of others."""
    zero = less_equal(x, 0)
    return choose(zero, strong_constant(0, x), made(choose(zero, strong_constant(1, x), 1.0 * x)))


def _where_inside(x: Value, made: Callable[[Value], Any]) -> Value:
    """What is made of the logit of a number between 0 and 1, and 0 of others."""
    outside = less_equal(x * (1.0 - x), 0)
    inside = choose(outside, strong_constant(0.5, x), 1.0 * x)
    return choose(outside, strong_constant(0, x), made(log(inside) - log1p(-inside)))


def gamma_by_a(a: Value, x: Value) -> Value:
    """The derivative of ``gammainc(a, x)``."""
    return _where_positive(x, lambda x: incomplete_gamma(log(x), a, orders=(0, 1)))


def gamma_inverse_by_a(a: Value, y: Value) -> Value:
    """The derivative of the ``y`` whose ``gammainc(a, y)`` is given."""

    def ratio(y: Value) -> Any:
        u = log(y)
        by_a, by_u = (incomplete_gamma(u, a, orders=orders) for orders in ((0, 1), (1, 0)))
        return -y * (by_a / by_u)

    return _where_positive(y, ratio)


def beta_by(position: int, a: Value, b: Value, x: Value) -> Value:
    """The derivative of ``betainc(a, b, x)`` by ``a``, number 1, or ``b``, number 2."""
    orders = tuple(int(k == position) for k in range(3))
    return _where_inside(x, lambda u: incomplete_beta(u, a, b, orders=orders))


def beta_inverse_by(position: int, a: Value, b: Value, y: Value) -> Value:
    """The derivative of the ``y`` whose ``betainc(a, b, y)`` is given."""
    orders = tuple(int(k == position) for k in range(3))

    def ratio(u: Value) -> Any:
        by_u = incomplete_beta(u, a, b, orders=(1, 0, 0))
        return -(y * (1.0 - y)) * (incomplete_beta(u, a, b, orders=orders) / by_u)

    return _where_inside(y, ratio)


def student_by_df(df: Value, t: Value) -> Value:
    """The derivative of ``stdtr(df, t)``: a tail is half of ``betainc(df / 2, 1 / 2, x)``, where
    the logit of ``x`` is ``log(df / t²)``.
    """

    def tail(size: Value) -> Any:
        u = log(df) - 2.0 * log(size)
        by_u = incomplete_beta(u, 0.5 * df, 0.5, orders=(1, 0, 0))
        return 0.5 * by_u / df + 0.25 * incomplete_beta(u, 0.5 * df, 0.5, orders=(0, 1, 0))

    return -sign(t) * _where_positive(absolute(t), tail)


def f_by(position: int, n: Value, d: Value, x: Value) -> Value:
    """The derivative of ``fdtr(n, d, x)``, which is ``betainc(n / 2, d / 2, w)``, where the logit
    of ``w`` is ``log(n x / d)``, by ``n``, number 1, or ``d``, number 2.
    """
    orders = tuple(int(k == position) for k in range(3))

    def made(x: Value) -> Any:
        u = log(n) - log(d) + log(x)
        by_u = incomplete_beta(u, 0.5 * n, 0.5 * d, orders=(1, 0, 0))
        moved = by_u / n if position == 1 else -(by_u / d)
        return moved + 0.5 * incomplete_beta(u, 0.5 * n, 0.5 * d, orders=orders)

    return _where_positive(x, made)


def noncentral_chi_by_degrees(x: Value, v: Value, nc: Value) -> Value:
    """The derivative of ``chndtr(x, v, nc)``: a mean of ``P(v / 2 + k, x / 2)``."""

    def made(x: Value) -> Any:
        return 0.5 * noncentral_gamma(log(0.5 * x), 0.5 * v, 0.5 * nc, orders=(0, 1, 0))

    return _where_positive(x, made)


def noncentral_f_by(position: int, n: Value, d: Value, nc: Value, x: Value) -> Value:
    """The derivative of ``ncfdtr(n, d, nc, x)`` by ``n``, number 1, or ``d``, number 2: as that
    of ``f_by``, of a mean.
    """
    orders = tuple(int(k == position) for k in range(4))

    def made(x: Value) -> Any:
        given = log(n) - log(d) + log(x), 0.5 * n, 0.5 * d, 0.5 * nc
        by_u = noncentral_beta(*given, orders=(1, 0, 0, 0))
        moved = by_u / n if position == 1 else -(by_u / d)
        return moved + 0.5 * noncentral_beta(*given, orders=orders)

    return _where_positive(x, made)


# Of what is drawn, at whose probability it stays --------------------------------------------------


def student_drawn_by_df(df: Value, t: Value) -> Value:
    """The derivative of the ``t`` whose ``stdtr(df, t)`` is given: see ``student_by_df``."""

    def made(size: Value) -> Any:
        u = log(df) - 2.0 * log(size)
        by_df, by_u = (incomplete_beta(u, 0.5 * df, 0.5, orders=o) for o in ((0, 1, 0), (1, 0, 0)))
        return 0.5 * (1.0 / df + 0.5 * by_df / by_u)

    return t * _where_positive(absolute(t), made)


def f_drawn_by(position: int, n: Value, d: Value, x: Value) -> Value:
    """The derivative of the ``x`` whose ``fdtr(n, d, x)`` is given: see ``f_by``; number 0 is the
    probability.
    """
    orders = tuple(int(k == position) for k in range(3))

    def made(x: Value) -> Any:
        u = log(n) - log(d) + log(x)
        by_u = incomplete_beta(u, 0.5 * n, 0.5 * d, orders=(1, 0, 0))
        if position == 0:
            return 1.0 / by_u
        moved = -0.5 * incomplete_beta(u, 0.5 * n, 0.5 * d, orders=orders) / by_u
        return moved - 1.0 / n if position == 1 else moved + 1.0 / d

    return x * _where_positive(x, made)
