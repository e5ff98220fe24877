"""The functions of ``scipy.special``: elementwise ops with partial derivatives in closed form.

SciPy is not imported here: an op finds its function when it is first asked for a type or a value,
and what calls mean is registered once a program has imported ``scipy.special``. Partials are made
of ops that have partials, so that any order can be taken. A derivative by a parameter that has no
closed form (those of Tricomi's function) is refused by name.
"""

from __future__ import annotations

import ast
import functools
import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Node, Value
from symdiff.ops.arithmetic import (
    absolute,
    bitwise_and,
    bitwise_or,
    choose,
    clip,
    constant_of,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    maximum,
    nonzero,
    over_nonzero,
    strong_constant,
    trunc,
)
from symdiff.ops.casts import conjugated, is_complex, real
from symdiff.ops.declare import (
    Absent,
    Meaning,
    Operation,
    Rule,
    Spelling,
    array_type,
    call,
    elementwise,
    lowers,
    static,
)
from symdiff.ops.elementary import exp, hypot, log, log1p
from symdiff.ops.incomplete import (
    beta_by,
    beta_density,
    gamma_by_a,
    gamma_density,
    hypergeometric_0f1,
    hypergeometric_1f1,
    hypergeometric_2f1,
    riemann_slope,
    student_by_df,
    zeta_slope,
)
from symdiff.ops.strong import product_over
from symdiff.ops.ufuncs import staged, ufunc_lowering

ROOT_PI = math.sqrt(math.pi)
ROOT_2_PI = math.sqrt(2.0 * math.pi)


# Declaring ----------------------------------------------------------------------------------------


class LibraryFunction:
    """An elementwise function of a library, imported when it is asked for; else like a ufunc.

    ``last``: what is given after the operands.
    """

    nout = 1

    def __init__(
        self, module: str, name: str, nin: int, part: int | None = None, last: tuple[Any, ...] = ()
    ) -> None:
        self.module, self.__name__, self.nin, self.part = module, name, nin, part
        self.last = last

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        found: Callable[..., Any] = getattr(importlib.import_module(self.module), self.__name__)
        return found

    def __call__(self, *operands: Any) -> Any:
        result = self.function(*operands, *self.last)
        return result if self.part is None else result[self.part]

    def resolve_dtypes(self, tokens: Sequence[Any]) -> Sequence[Any]:
        """The dtypes of operands and results: a function in Python is tried on ones."""
        if isinstance(self.function, np.ufunc):
            given = (*tokens[: self.nin], *[None] * self.function.nout)
            found = self.function.resolve_dtypes(given)
            return (*found[: self.nin], found[self.nin + (self.part or 0)])
        ones = [np.ones(1, t) if isinstance(t, np.dtype) else t(1) for t in tokens[: self.nin]]
        return (*tokens[: self.nin], np.asarray(self.function(*ones)).dtype)


def refused_by(function: str, parameter: str) -> Rule:
    """The partial by a parameter of which the derivative has no closed form."""

    def refuse(y: Value, *operands: Value) -> NoReturn:
        raise UnsupportedCallError(
            f"the derivative of scipy.special.{function} by {parameter!r} has no closed form",
            hint="wrap it in symdiff.stop_gradient(...), or give a rule with symdiff.custom_vjp",
        )

    return refuse


def is_refused(partial: Any) -> bool:
    """Return whether a partial is one of ``refused_by``."""
    return getattr(partial, "__module__", None) == __name__ and partial.__name__ == "refuse"


def special_function(
    name: str,
    documentation: str,
    *partials: Rule | float | str | None,
    sympy: Meaning | None,
    part: tuple[str, int | None] | None = None,
    jax: str | Absent | None = None,
    **more: Any,
) -> Operation:
    """``scipy.special.<name>`` as the op ``special_<name>``, which is what calls of it mean.

    A partial that is the name of a parameter has no closed form, and is refused. Of a function of
    several results, one is an op: ``part`` is its name and its number, None of one result. Partials
    may be infinite where the operands are not, if nothing else is said or known of the function.
    """
    more.setdefault("singular", name not in _BOUNDED)
    called, number = part or (name, None)
    function: Any = LibraryFunction("scipy.special", name, len(partials), number)
    _NAMED[called] = operation = elementwise(
        function,
        documentation,
        *(refused_by(name, p) if isinstance(p, str) else p for p in partials),
        name=f"special_{called}",
        spelling=call(f"scipy.special.{name}") if number is None else _item_of(name, number),
        jax=jax or (None if name in _OF_JAX else Absent("jax.scipy.special does not have it")),
        sympy=sympy,
        **more,
    )
    return operation


_NAMED: dict[str, Operation] = {}
_BOUNDED = frozenset((
    "bei", "ber", "cosdg", "cosm1", "dawsn", "erf", "erfc", "erfcx", "erfi", "exp10", "exp2",
    "expit", "expm1", "fresnel", "huber", "i0", "i0e", "i1", "i1e", "j0", "j1", "log_expit",
    "log_ndtr", "ndtr", "pseudo_huber", "radian", "sindg", "wofz",
))  # fmt: skip
"""Functions whose partials are finite where the operands are."""
_OF_JAX = (
    *("beta", "betainc", "betaln", "entr", "erf", "erfc", "erfinv", "exp1", "expi", "expit"),
    *("expn", "gamma", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e", "kl_div"),
    *("log_ndtr", "logit", "ndtr", "ndtri", "rel_entr", "xlog1py", "xlogy", "zeta"),
)


def _item_of(name: str, number: int) -> Spelling:
    called = call(f"scipy.special.{name}")

    def spell(node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        return ast.Subscript(called(node, operands), ast.Constant(number), ast.Load())

    return spell


def special_op(name: str) -> Operation:
    """The op of a function, by its name."""
    return _NAMED[name]


# Gamma and beta functions ------------------------------------------------------------------------

gamma: Operation = special_function(
    "gamma", "The gamma function.", lambda y, x: y * psi(x), sympy="gamma"
)
gammaln: Operation = special_function(
    "gammaln",
    "Logarithm of the absolute value of the gamma function.",
    lambda y, x: psi(x),
    sympy="loggamma",
)
loggamma: Operation = special_function(
    "loggamma",
    "The principal branch of the logarithm of the gamma function.",
    lambda y, x: psi(x),
    sympy="loggamma",
)


def _psi_partial(y: Value, x: Value) -> Value:
    if is_complex(x):
        raise UnsupportedCallError("the derivative of scipy.special.psi of complex numbers")
    return zeta(2.0, x)


psi: Operation = special_function(
    "psi",
    "The digamma function; its derivatives are Hurwitz's zeta functions.",
    _psi_partial,
    sympy="digamma",
    jax="jax.scipy.special.digamma",
)
zeta: Operation = special_function(
    "zeta",
    "Hurwitz's zeta function.",
    lambda y, s, q: zeta_slope(s, q, orders=(1, 0)),
    lambda y, s, q: -(s * zeta(s + 1.0, q)),
    sympy="zeta",
)


def _riemann_partial(y: Value, x: Value) -> Any:
    if is_complex(x):
        raise UnsupportedCallError("the derivative of scipy.special.zeta of complex numbers")
    return riemann_slope(x, orders=(1,))


riemann_zeta: Operation = special_function(
    "zeta",
    "Riemann's zeta function.",
    _riemann_partial,
    part=("riemann_zeta", None),
    sympy="zeta",
    jax=Absent("jax.scipy.special.zeta takes two arguments"),
)


def _rise_of_psi(a: Value, b: Value) -> Value:
    """``psi(a + b) - psi(a)``; of a small step, where few digits would be left, that of
    ``psi(x + 1)`` by its series around the middle, and ``1 / a - 1 / (a + b)``.
    """
    is_small = less(absolute(1.0 * b), 1e-4 * (1.0 + a))
    start = choose(is_small, 1.0 * a, strong_constant(1e9, 1.0 * a))  # where zeta takes no time
    step = choose(is_small, 1.0 * b, strong_constant(0, 1.0 * b))
    middle = 1.0 + start + 0.5 * step
    series = zeta(2.0, middle) + 0.25 * step * (step * zeta(4.0, middle))
    stepped = step * series + step / start / (start + step)
    return choose(is_small, stepped, psi(a + b) - psi(a))


betaln: Operation = special_function(
    "betaln",
    "Logarithm of the beta function.",
    lambda y, a, b: -_rise_of_psi(a, b),
    lambda y, a, b: -_rise_of_psi(b, a),
    sympy=lambda sp, a, b: sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b),
)
beta: Operation = special_function(
    "beta",
    "The beta function.",
    lambda y, a, b: -y * _rise_of_psi(a, b),
    lambda y, a, b: -y * _rise_of_psi(b, a),
    sympy=lambda sp, a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b),
)
rgamma: Operation = special_function(
    "rgamma",
    "``1 / gamma(x)``; its derivative is NaN at the poles of ``gamma``.",
    lambda y, x: -y * psi(x),
    sympy=lambda sp, x: 1 / sp.gamma(x),
)
gammasgn: Operation = special_function(
    "gammasgn",
    "The sign of the gamma function; its derivative is 0.",
    None,
    sympy=lambda sp, x: sp.sign(sp.gamma(x)),
)
poch: Operation = special_function(
    "poch",
    "Pochhammer's symbol, ``gamma(a + m) / gamma(a)``.",
    lambda y, a, m: y * _rise_of_psi(a, m),
    lambda y, a, m: y * psi(a + m),
    sympy=lambda sp, a, m: sp.gamma(a + m) / sp.gamma(a),
)
binom: Operation = special_function(
    "binom",
    "The binomial coefficient, of real numbers.",
    lambda y, n, k: y * _rise_of_psi(n - k + 1.0, k),
    lambda y, n, k: y * _rise_of_psi(k + 1.0, n - 2.0 * k),
    sympy=lambda sp, n, k: sp.gamma(n + 1) / (sp.gamma(k + 1) * sp.gamma(n - k + 1)),
)


def log_gamma_density(a: Value, x: Value) -> Any:
    """``(a - 1) log(x) - x - gammaln(a)``; near a large ``a``, where these cancel, by ``x / a - 1``
    and Stirling's series.
    """
    usual = bitwise_or(less(a, FAR_SHAPE), less(x, 0.5 * a))
    one = strong_constant(1.0, x - a)
    shape, place = choose(usual, FAR_SHAPE * one, a), choose(usual, FAR_SHAPE * one, x)
    apart, square = (place - shape) / shape, 1.0 / shape * (1.0 / shape)
    rest = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680)))) / shape
    far = shape * (log1p(apart) - apart) + 0.5 * log(0.5 / math.pi * shape) - rest - log(place)
    shape, place = choose(usual, a, one), choose(usual, x, one)
    return choose(usual, xlogy(shape - 1.0, place) - place - gammaln(shape), far)


FAR_SHAPE = 20.0

gammainc: Operation = special_function(
    "gammainc",
    "Regularised lower incomplete gamma function.",
    lambda y, a, x: gamma_by_a(a, x),
    lambda y, a, x: gamma_density(a, x, orders=(0, 0)),
    strong=True,
    sympy=lambda sp, a, x: sp.lowergamma(a, x) / sp.gamma(a),
)
gammaincc: Operation = special_function(
    "gammaincc",
    "Regularised upper incomplete gamma function.",
    lambda y, a, x: -gamma_by_a(a, x),
    lambda y, a, x: -gamma_density(a, x, orders=(0, 0)),
    strong=True,
    sympy=lambda sp, a, x: sp.uppergamma(a, x) / sp.gamma(a),
)
betainc: Operation = special_function(
    "betainc",
    "Regularised incomplete beta function.",
    lambda y, a, b, x: beta_by(1, a, b, x),
    lambda y, a, b, x: beta_by(2, a, b, x),
    lambda y, a, b, x: beta_density(a, b, x, orders=(0, 0, 0)),
    strong=True,
    sympy=lambda sp, a, b, x: sp.betainc(a, b, 0, x) / sp.beta(a, b),
)


# Error functions ----------------------------------------------------------------------------------

stdtr: Operation = special_function(
    "stdtr",
    "Student's distribution function.",
    lambda y, df, t: student_by_df(df, t),
    lambda y, df, t: exp(
        -betaln(0.5 * df, 0.5) - 0.5 * log(df) - 0.5 * (df + 1.0) * log1p(t * t / df)
    ),
    sympy=lambda sp, df, t: (
        sp.Rational(1, 2)
        + t
        * sp.gamma((df + 1) / 2)
        * sp.hyper((sp.Rational(1, 2), (df + 1) / 2), (sp.Rational(3, 2),), -(t**2) / df)
        / (sp.sqrt(sp.pi * df) * sp.gamma(df / 2))
    ),
)
erf: Operation = special_function(
    "erf", "The error function.", lambda y, x: 2.0 / ROOT_PI * exp(-(x * x)), sympy="erf"
)
erfc: Operation = special_function(
    "erfc", "``1 - erf(x)``.", lambda y, x: -2.0 / ROOT_PI * exp(-(x * x)), sympy="erfc"
)
erfi: Operation = special_function(
    "erfi",
    "The error function of an imaginary number, ``-1j * erf(1j * x)``.",
    lambda y, x: 2.0 / ROOT_PI * exp(x * x),
    sympy="erfi",
)
FROM = 12.0  # where the expansion in 1 / x² is as good as the closed form


def expansion(inverse: Value, sign: float) -> Value:
    """``Σ (2n - 1)!! (2n + 1) u**n / x²``, by Horner's scheme, with ``u = sign / (2 x²)``.

    It is of ``1 / x``, since the square of ``x`` overflows.
    """
    square = inverse * inverse
    factors = [float(math.prod(range(1, 2 * n, 2)) * (2 * n + 1)) for n in range(12)]
    total: Any = factors[-1]
    for factor in reversed(factors[:-1]):
        total = factor + 0.5 * sign * square * total
    return inverse * (inverse * total)  # type: ignore[no-any-return]


def _erfcx_partial(y: Value, x: Value) -> Value:
    """``2 x y - 2 / √π``, of which nothing would be left where ``x`` is large."""
    expanded = -expansion(1.0 / maximum(x, FROM), -1.0) / ROOT_PI
    return choose(greater(x, FROM), expanded, 2.0 * x * y - 2.0 / ROOT_PI)


erfcx: Operation = special_function(
    "erfcx",
    "``exp(x * x) * erfc(x)``.",
    _erfcx_partial,
    sympy=lambda sp, x: sp.exp(x**2) * sp.erfc(x),
)


def _dawsn_partial(y: Value, x: Value) -> Value:
    """``1 - 2 x y``, of which nothing would be left where ``x`` is large.

    Complex numbers count as large where ``exp(-x * x)``, which the expansion leaves out, is small.
    """
    if is_complex(x):
        is_far = greater(real(x * x), FROM * FROM)
        far = choose(is_far, x, strong_constant(FROM, x))
    else:
        is_far, far = greater(absolute(x), FROM), maximum(absolute(x), FROM)
    return choose(is_far, -0.5 * expansion(1.0 / far, 1.0), 1.0 - 2.0 * x * y)


dawsn: Operation = special_function(
    "dawsn",
    "Dawson's integral.",
    _dawsn_partial,
    sympy=lambda sp, x: sp.sqrt(sp.pi) / 2 * sp.exp(-(x**2)) * sp.erfi(x),
)
erfinv: Operation = special_function(
    "erfinv",
    "The inverse of ``erf``.",
    lambda y, x: 0.5 * ROOT_PI * exp(y * y),
    sympy="erfinv",
    singular=True,
)
erfcinv: Operation = special_function(
    "erfcinv",
    "The inverse of ``erfc``.",
    lambda y, x: -0.5 * ROOT_PI * exp(y * y),
    sympy=lambda sp, x: sp.erfinv(1 - x),
    singular=True,
)
ndtr: Operation = special_function(
    "ndtr",
    "The normal distribution function.",
    lambda y, x: exp(-0.5 * (x * x)) / ROOT_2_PI,
    sympy=lambda sp, x: sp.erfc(-x / sp.sqrt(2)) / 2,
)


def _log_ndtr_partial(y: Value, x: Value) -> Value:
    """``√(2/π) / erfcx(-x / √2)``; the quotient of the densities above 0, where that overflows, and
    the expansion of Mills' ratio far below, where its square does.
    """
    is_above, is_far, zero = greater(x, 0), less(x, -1e4), strong_constant(0, x)
    high = choose(is_above, x, zero)
    above = exp(-0.5 * (high * high)) / (ROOT_2_PI * ndtr(high))
    far = choose(is_far, x, strong_constant(-1e4, x))
    square = 1.0 / far * (1.0 / far)
    below = -far / (1.0 - square * (1.0 - 3.0 * square))
    near = choose(bitwise_or(is_above, is_far), zero, x)
    middle = math.sqrt(2.0 / math.pi) / erfcx(-math.sqrt(0.5) * near)
    return choose(is_above, above, choose(is_far, below, middle))


log_ndtr: Operation = special_function(
    "log_ndtr",
    "Logarithm of the normal distribution function.",
    _log_ndtr_partial,
    sympy=lambda sp, x: sp.log(sp.erfc(-x / sp.sqrt(2)) / 2),
)
ndtri: Operation = special_function(
    "ndtri",
    "The inverse of ``ndtr``.",
    lambda y, x: ROOT_2_PI * exp(0.5 * (y * y)),
    sympy=lambda sp, x: sp.sqrt(2) * sp.erfinv(2 * x - 1),
    singular=True,
)


# Logistic functions, and those with logarithms ----------------------------------------------------

expit: Operation = special_function(
    "expit",
    "The logistic function, ``1 / (1 + exp(-x))``.",
    lambda y, x: y * expit(-x),
    sympy=lambda sp, x: 1 / (1 + sp.exp(-x)),
)
log_expit: Operation = special_function(
    "log_expit",
    "Logarithm of the logistic function.",
    lambda y, x: expit(-x),
    sympy=lambda sp, x: -sp.log(1 + sp.exp(-x)),
)
logit: Operation = special_function(
    "logit",
    "The inverse of the logistic function.",
    lambda y, x: 1.0 / (x * (1.0 - x)),
    singular=True,
    sympy=lambda sp, x: sp.log(x / (1 - x)),
)
xlogy: Operation = special_function(
    "xlogy",
    "``a * log(b)``, and 0 where ``a`` is 0.",
    lambda y, a, b: log(b),
    lambda y, a, b: a / choose(equal(a, 0), strong_constant(1, y), b),
    jvp={1: lambda t, y, a, b: product_over(t, a, b)},
    vjp={1: lambda g, y, a, b: product_over(g, conjugated(a), conjugated(b))},
    strong=True,
    sympy=lambda sp, a, b: a * sp.log(b),
)
xlog1py: Operation = special_function(
    "xlog1py",
    "``a * log1p(b)``, and 0 where ``a`` is 0.",
    lambda y, a, b: log1p(b),
    lambda y, a, b: a / choose(equal(a, 0), strong_constant(1, y), 1.0 + b),
    jvp={1: lambda t, y, a, b: product_over(t, a, 1.0 + b)},
    vjp={1: lambda g, y, a, b: product_over(g, conjugated(a), 1.0 + conjugated(b))},
    strong=True,
    sympy=lambda sp, a, b: a * sp.log(1 + b),
)
entr: Operation = special_function(
    "entr",
    "The summand of an entropy, ``-x * log(x)``.",
    lambda y, x: -log(x) - 1.0,
    strong=True,
    sympy=lambda sp, x: -x * sp.log(x),
)


def _log_ratio(a: Value, b: Value) -> Any:
    """``log(a / b)``, though the quotient may overflow; to its own digits where that is near 1."""
    apart = log(a) - log(b)
    near, one = less(absolute(apart), 1), strong_constant(1, a)
    return choose(near, log(choose(near, a, one) / choose(near, b, one)), apart)


rel_entr: Operation = special_function(
    "rel_entr",
    "The summand of a relative entropy, ``a * log(a / b)``.",
    lambda y, a, b: _log_ratio(a, b) + 1.0,
    lambda y, a, b: -(a / b),
    jvp={1: lambda t, y, a, b: -product_over(t, a, b)},
    vjp={1: lambda g, y, a, b: -product_over(g, a, b)},
    strong=True,
    sympy=lambda sp, a, b: a * sp.log(a / b),
)
kl_div: Operation = special_function(
    "kl_div",
    "The summand of a divergence, ``a * log(a / b) - a + b``.",
    lambda y, a, b: _log_ratio(a, b),
    lambda y, a, b: 1.0 - a / b,
    strong=True,
    sympy=lambda sp, a, b: a * sp.log(a / b) - a + b,
)


def _by_lambda(at_zero: Value, logarithm: Value, power: Value) -> Value:
    """``∫₀¹ t exp(t u) dt * log(x)²`` with ``u = power * log(x)``: smooth where that is 0.

    Where ``x`` is 0, the logarithm is that of 1: the function is ``-1 / power`` there.
    """
    mean = hyp1f1(2.0, 3.0, power * logarithm)
    divisor = choose(at_zero, 1.0 * power, strong_constant(1, power * logarithm))
    smooth = 0.5 * (logarithm * logarithm) * mean
    return choose(at_zero, 1.0 / (divisor * divisor), smooth)


boxcox: Operation = special_function(
    "boxcox",
    "Box and Cox's transformation, ``(x**p - 1) / p``, and ``log(x)`` at ``p = 0``.",
    lambda y, x, power: x ** (power - 1.0),
    lambda y, x, power: _by_lambda(equal(x, 0), log(nonzero(x)), power),
    singular=True,
    sympy=lambda sp, x, power: sp.Piecewise(
        (sp.log(x), sp.Eq(power, 0)), ((x**power - 1) / power, True)
    ),
)


def _above_minus_one(x: Value) -> tuple[Value, Value]:
    """Return whether ``x`` is -1, and ``log1p(x)``, 0 there."""
    at_zero = equal(x, -1)
    return at_zero, log1p(choose(at_zero, strong_constant(0, x), x))


boxcox1p: Operation = special_function(
    "boxcox1p",
    "``boxcox`` of ``1 + x``.",
    lambda y, x, power: exp((power - 1.0) * log1p(x)),
    lambda y, x, power: _by_lambda(*_above_minus_one(x), power),
    singular=True,
    sympy=lambda sp, x, power: sp.Piecewise(
        (sp.log(1 + x), sp.Eq(power, 0)), (((1 + x) ** power - 1) / power, True)
    ),
)


def _inverse(sp: Any, z: Any, power: Any) -> Any:
    return sp.Piecewise((sp.exp(z), sp.Eq(power, 0)), ((1 + power * z) ** (1 / power), True))


def _log_of_inverse(y: Value, above_one: Value) -> Value:
    """The logarithm of ``y``, of which ``above_one`` is ``y - 1``; 0 where ``y`` is 0."""
    one, is_near = strong_constant(1, y), greater(y, 0.5)
    near = log1p(choose(is_near, above_one, strong_constant(0, y)))
    return choose(is_near, near, log(choose(is_near, one, nonzero(y))))


def _inverse_by_argument(y: Value, above_one: Value, power: Value) -> Value:
    """``y ** (1 - power)``; ``y`` itself may have been rounded to 1."""
    smooth = exp((1.0 - power) * _log_of_inverse(y, above_one))
    return choose(equal(y, 0), y ** (1.0 - power), smooth)


def _inverse_by_lambda(y: Value, above_one: Value, power: Value) -> Value:
    """``-y log(y)² ∫₀¹ (1 - t) exp(-t u) dt`` with ``u = power * log(y)``, as ``_by_lambda``."""
    at_zero, logarithm = equal(y, 0), _log_of_inverse(y, above_one)
    divisor = choose(at_zero, 1.0 * power, strong_constant(1, power * logarithm))
    mean = hyp1f1(1.0, 3.0, -(power * logarithm))
    smooth = -0.5 * (logarithm * logarithm) * mean * y
    return choose(at_zero, -(y ** (1.0 - power)) / (divisor * divisor), smooth)


inv_boxcox: Operation = special_function(
    "inv_boxcox",
    "The inverse of ``boxcox``.",
    lambda y, z, power: _inverse_by_argument(y, inv_boxcox1p(z, power), power),
    lambda y, z, power: _inverse_by_lambda(y, inv_boxcox1p(z, power), power),
    singular=True,
    sympy=_inverse,
)
inv_boxcox1p: Operation = special_function(
    "inv_boxcox1p",
    "The inverse of ``boxcox1p``.",
    lambda y, z, power: _inverse_by_argument(inv_boxcox(z, power), y, power),
    lambda y, z, power: _inverse_by_lambda(inv_boxcox(z, power), y, power),
    singular=True,
    sympy=lambda sp, z, power: _inverse(sp, z, power) - 1,
)
huber: Operation = special_function(
    "huber",
    "Huber's loss.",
    lambda y, d, r: maximum(absolute(r) - d, 0.0),
    lambda y, d, r: clip(r, -(1.0 * d), d),
    sympy=lambda sp, d, r: sp.Piecewise(
        (r**2 / 2, sp.Abs(r) <= d), (d * (sp.Abs(r) - d / 2), True)
    ),
)


def _pseudo_huber_by_delta(y: Value, d: Value, r: Value) -> Value:
    """``(h - d)² / h`` with ``h = hypot(d, r)``; ``h - d`` is ``r² / (h + d)``, which is exact."""
    length = hypot(d, r)
    excess = r * over_nonzero(r, length + d)
    return excess * over_nonzero(excess, length)


pseudo_huber: Operation = special_function(
    "pseudo_huber",
    "The pseudo-Huber loss, ``d ** 2 * (sqrt(1 + (r / d) ** 2) - 1)``.",
    _pseudo_huber_by_delta,
    lambda y, d, r: d * over_nonzero(r, hypot(d, r)),
    sympy=lambda sp, d, r: d**2 * (sp.sqrt(1 + (r / d) ** 2) - 1),
)


# Exponential integrals, elliptic integrals, hypergeometric functions ------------------------------

exp1: Operation = special_function(
    "exp1",
    "The exponential integral E₁.",
    lambda y, x: -exp(-x) / x,
    singular=True,
    sympy=lambda sp, x: sp.expint(1, x),
)
expi: Operation = special_function(
    "expi", "The exponential integral Ei.", lambda y, x: exp(x) / x, singular=True, sympy="Ei"
)


def _expn_partial(y: Value, n: Value, x: Value) -> Value:
    """``-expn(n - 1, x)``, and of order 0 that of ``exp(-x) / x``."""
    order = constant_of(n)
    if order is not None and order >= 1:
        return -expn(order - 1, x)
    of_0 = -y * (1.0 + 1.0 / x)
    if order is not None:
        return of_0
    whole = trunc(n) if array_type(n).dtype.kind == "f" else n  # as SciPy takes it
    return choose(greater(whole, 0), -expn(maximum(whole - 1, 0), x), of_0)


expn: Operation = special_function(
    "expn",
    "The exponential integrals of whole orders.",
    "n",
    _expn_partial,
    singular=True,
    sympy="expint",
)


def ellipk_slope(k: Value, m: Value, rest: Value) -> Value:
    """The derivative of ``k = ellipk(m)``, with ``rest = 1 - m``.

    A series where ``m`` is small; where the rest is, ``m`` may be 1, and what ``ellipe(m)`` is
    there follows from ``k``. (SciPy's ``hyp2f1`` has few digits where ``m`` is large.)
    """
    is_small, is_end, half = less(absolute(m), 0.5), less(rest, 1e-8), strong_constant(0.5, m)
    near = math.pi / 8.0 * hyp2f1(1.5, 1.5, 2.0, choose(is_small, m, strong_constant(0, m)))
    is_outside = bitwise_or(is_small, is_end)
    middle, beside = choose(is_outside, half, m), choose(is_outside, half, rest)
    found = 0.5 * (ellipe(middle) / beside - k) / middle
    end = 0.5 / choose(is_end, rest, half) - 0.25 * k + 0.375
    return choose(is_small, near, choose(is_end, end, found))


ellipk: Operation = special_function(
    "ellipk",
    "Complete elliptic integral of the first kind.",
    lambda y, m: ellipk_slope(y, m, 1.0 - m),
    singular=True,
    sympy="elliptic_k",
)
ellipe: Operation = special_function(
    "ellipe",
    "Complete elliptic integral of the second kind.",
    lambda y, m: -math.pi / 8.0 * hyp2f1(0.5, 1.5, 2.0, m),
    singular=True,
    sympy="elliptic_e",
)


def _hypergeometric(name: str, operation: Operation) -> Iterator[Rule]:
    """The derivatives by the parameters, of which the letters are those of SciPy."""
    letters = {"hyp0f1": "v", "hyp1f1": "ab", "hyp2f1": "abc"}[name]
    for position, letter in enumerate(letters):
        orders = tuple(int(k == position) for k in range(len(letters) + 1))

        def partial(y: Value, *operands: Value, letter: str = letter, orders: Any = orders) -> Any:
            if is_complex(operands[-1]):
                raise UnsupportedCallError(
                    f"the derivative of scipy.special.{name} of complex numbers by {letter!r}"
                )
            return operation(*operands, orders=orders)

        yield partial


hyp0f1: Operation = special_function(
    "hyp0f1",
    "The confluent limit function ₀F₁.",
    *_hypergeometric("hyp0f1", hypergeometric_0f1),
    lambda y, v, x: hyp0f1(v + 1.0, x) / v,
    sympy=lambda sp, v, x: sp.hyper((), (v,), x),
)
hyp1f1: Operation = special_function(
    "hyp1f1",
    "Kummer's function.",
    *_hypergeometric("hyp1f1", hypergeometric_1f1),
    lambda y, a, b, x: a / b * hyp1f1(a + 1.0, b + 1.0, x),
    sympy=lambda sp, a, b, x: sp.hyper((a,), (b,), x),
)
hyp2f1: Operation = special_function(
    "hyp2f1",
    "Gauss's hypergeometric function.",
    *_hypergeometric("hyp2f1", hypergeometric_2f1),
    lambda y, a, b, c, x: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, x),
    sympy=lambda sp, a, b, c, x: sp.hyper((a, b), (c,), x),
)
hyperu: Operation = special_function(
    "hyperu",
    "Tricomi's function; its derivatives by the parameters are refused.",
    "a",
    "b",
    lambda y, a, b, x: -(a * hyperu(a + 1.0, b + 1.0, x)),
    sympy=lambda sp, a, b, x: (
        sp.gamma(1 - b) / sp.gamma(a - b + 1) * sp.hyper((a,), (b,), x)
        + sp.gamma(b - 1) / sp.gamma(a) * x ** (1 - b) * sp.hyper((a - b + 1,), (2 - b,), x)
    ),
)


# What calls mean ----------------------------------------------------------------------------------

# Not holomorphic: of complex numbers they have other derivatives; or these are not known.
_OF_REALS = frozenset({"ive", "i0e", "i1e", "elliprg"})


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    for name, operation in _NAMED.items():
        function = getattr(special, name, None)  # parts of results have no function
        if isinstance(function, np.ufunc):
            lowers(function)(_lowering(function, operation))
    lowers(special.zeta)(_zeta)
    for name in _OF_WHOLE_NUMBERS:
        lowers(getattr(special, name))(_of_known(getattr(special, name)))


_OF_WHOLE_NUMBERS = ("comb", "factorial", "perm", "factorial2")


def _lowering(function: np.ufunc, operation: Operation) -> Callable[..., Any]:
    of_ufunc = ufunc_lowering(operation, function, "scipy.special")

    def lowering(*operands: Any, dtype: Any = None) -> Value:  # SciPy's own where= breaks
        name = function.__name__
        if name in _OF_REALS and any(is_complex(staged(operand)) for operand in operands):
            raise UnsupportedCallError(f"scipy.special.{name} of complex numbers")
        return of_ufunc(*operands, dtype=dtype)  # type: ignore[no-any-return]

    return lowering


def _zeta(x: Any, q: Any = None) -> Value:
    return riemann_zeta(staged(x)) if q is None else zeta(staged(x), staged(q))


def _of_known(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of whole numbers that are known where it is compiled, or of floats."""
    of_floats = _OF_FLOATS.get(function.__name__)

    def lowering(*operands: Any, **options: Any) -> Any:
        if of_floats is not None and not options and _are_of_ufuncs(operands):
            return of_floats(*map(staged, operands))
        known = {name: static(value) for name, value in options.items()}
        return function(*map(static, operands), **known)

    return lowering


def _are_of_ufuncs(operands: Sequence[Any]) -> bool:
    """Return whether there are floats or arrays, and none without axes, of which SciPy makes
    arrays; nor Python's numbers beside narrow ones, to which they do not give way there.
    """
    types = [array_type(staged(operand)) for operand in operands]
    real = all(each.dtype.kind in "biuf" for each in types)
    some = any(each.rank or each.dtype.kind == "f" for each in types)
    wide = all(each.dtype.itemsize == 8 for each in types) or not any(e.weak for e in types)
    return real and some and wide and all(each.kind != "array" or each.rank for each in types)


def _has_ways(n: Value, k: Value) -> Value:
    """Return where as many can be chosen of some."""
    return bitwise_and(bitwise_and(less_equal(k, n), greater_equal(n, 0)), greater_equal(k, 0))


def _factorial(n: Value) -> Value:
    if array_type(n).dtype == np.float32:  # a scalar's 0 is of double precision, and arrays are
        raise UnsupportedCallError("scipy.special.factorial of single precision")
    return choose(less(n, 0), staged(0.0), gamma(n + 1))


_OF_FLOATS: dict[str, Callable[..., Value]] = {
    "comb": lambda n, k: choose(_has_ways(n, k), binom(n, k), staged(0.0)),
    "perm": lambda n, k: choose(_has_ways(n, k), poch(n - k + 1, k), staged(0.0)),
    "factorial": _factorial,
}
