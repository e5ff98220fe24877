"""Functions of ``scipy.special`` that are integrals, and their inverses: of trigonometric and
exponential functions, of densities, elliptic ones. Declared like those of ``special``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.ir.graph import Value
from symdiff.ops import support
from symdiff.ops.arithmetic import (
    absolute,
    bitwise_and,
    choose,
    equal,
    floor,
    greater,
    greater_equal,
    less,
    minimum,
    nonzero,
    strong_constant,
)
from symdiff.ops.arrays import lower_asarray
from symdiff.ops.bessel import ive
from symdiff.ops.casts import as_dtype_of, astype, imag
from symdiff.ops.declare import (
    Meaning,
    Operation,
    Rule,
    array_type,
    elementwise,
    lowers,
    static,
    supporting_call,
)
from symdiff.ops.elementary import cos, cosh, exp, log, log1p, sin, sinc, sqrt
from symdiff.ops.incomplete import (
    beta_by,
    beta_density,
    beta_inverse_by,
    ellipeinc_slope,
    ellipkinc_slope,
    elliprg_slope,
    f_by,
    f_drawn_by,
    gamma_by_a,
    gamma_density,
    gamma_inverse_by_a,
    kolmogorov_of_samples,
    kolmogorov_tail,
    kolmogorov_tail_of_samples,
    noncentral_chi_by_degrees,
    noncentral_f_by,
    noncentral_t,
    smirnov_tail,
    student_by_df,
)
from symdiff.ops.special import (
    FROM,
    ROOT_2_PI,
    ROOT_PI,
    LibraryFunction,
    betaln,
    ellipk_slope,
    erf,
    expansion,
    gammaln,
    hyp0f1,
    hyp1f1,
    log_gamma_density,
    rgamma,
    special_function,
    xlog1py,
    xlogy,
)
from symdiff.ops.strong import strong_multiply
from symdiff.ops.ufuncs import cast, staged

# Of trigonometric and exponential functions -------------------------------------------------------


def _part(function: str, number: int, name: str, partial: Rule, sympy: str, what: str) -> Operation:
    return special_function(
        function, what, partial, part=(name, number), sympy=sympy, singular=True
    )


def _mean_exp(x: Value) -> Value:
    """``(exp(x) - 1) / x``, and 1 at 0."""
    return hyp1f1(1.0, 2.0, x)


def _shi_partial(y: Value, x: Value) -> Value:
    """``sinh(x) / x``."""
    return choose(greater(x, 0.0), _mean_exp(-2.0 * x) * exp(x), _mean_exp(2.0 * x) * exp(-x))


si = _part("sici", 0, "si", lambda y, x: sinc(x / math.pi), "Si", "The sine integral.")
ci = _part("sici", 1, "ci", lambda y, x: cos(x) / x, "Ci", "The cosine integral.")
shi = _part("shichi", 0, "shi", _shi_partial, "Shi", "The hyperbolic sine integral.")
chi = _part(
    "shichi",
    1,
    "chi",
    lambda y, x: cosh(x) / x,
    "Chi",
    "The hyperbolic cosine integral.",
)
fresnel_s = _part(
    *("fresnel", 0, "fresnel_s"),
    lambda y, x: sin(0.5 * math.pi * (x * x)),
    *("fresnels", "Fresnel's integral of the sine."),
)
fresnel_c = _part(
    *("fresnel", 1, "fresnel_c"),
    lambda y, x: cos(0.5 * math.pi * (x * x)),
    *("fresnelc", "Fresnel's integral of the cosine."),
)
spence: Operation = special_function(
    "spence",
    "Spence's function, the dilogarithm of ``1 - x``.",
    lambda y, x: -1.0 / _mean_exp(log(x)),
    singular=True,
    sympy=lambda sp, x: sp.polylog(2, 1 - x),
)


def _wofz_partial(y: Value, z: Value) -> Value:
    """``2j / √π - 2 z y``, of which nothing would be left where ``z`` is large: an expansion holds
    there in the upper half of the plane.
    """
    near = 2j / ROOT_PI - 2.0 * z * y
    inverse = 1.0 / choose(greater(absolute(z), FROM), z, z + FROM)
    expanded = -1j / ROOT_PI * expansion(inverse, 1.0)
    is_far = greater(minimum(absolute(z) - FROM, imag(z)), 0.0)
    return choose(is_far, expanded, near)


wofz: Operation = special_function(
    "wofz",
    "Faddeeva's function, of complex numbers.",
    _wofz_partial,
    sympy=lambda sp, z: sp.exp(-(z**2)) * sp.erfc(-sp.I * z),
)
lambertw: Operation = special_function(
    "lambertw",
    "Lambert's function, the inverse of ``w * exp(w)``, of complex numbers.",
    lambda y, z, k: exp(-y) / (1.0 + y),
    None,
    singular=True,
    sympy=lambda sp, z, k: sp.LambertW(z, k),
)
wrightomega: Operation = special_function(
    "wrightomega",
    "Wright's omega function, ``lambertw(exp(z))``.",
    lambda y, z: y / (1.0 + y),
    sympy=lambda sp, z: sp.LambertW(sp.exp(z)),
)
exprel: Operation = special_function(
    "exprel",
    "``(exp(x) - 1) / x``, and 1 at 0.",
    lambda y, x: 0.5 * hyp1f1(2.0, 3.0, x),
    sympy=lambda sp, x: sp.hyper((1,), (2,), x),
)

# Elliptic -----------------------------------------------------------------------------------------


def _left(phi: Value, m: Value) -> Value:
    s = sin(phi)
    return sqrt(1.0 - m * (s * s))


def _slope_by_m(
    function: Callable[..., Any], by_phi: Rule, again: Operation, sympy: Meaning
) -> Operation:
    """The derivative of an incomplete integral by ``m``, and the op that has those of it."""
    name = function.__name__
    called: Any = LibraryFunction(support.__name__, name, 2)
    return elementwise(
        called,
        f"The derivative of ``{name.removesuffix('_by_m')}`` by ``m``.",
        by_phi,
        lambda y, phi, m: again(phi, m, orders=(0, 2)),
        name=name,
        spelling=supporting_call(function),
        sympy=sympy,
    )


ellipkinc_by_m = _slope_by_m(
    support.ellipkinc_by_m,
    lambda y, phi, m: 0.5 * sin(phi) ** 2 / _left(phi, m) ** 3,
    ellipkinc_slope,
    lambda sp, phi, m: (
        (sp.elliptic_e(phi, m) / (1 - m) - sp.elliptic_f(phi, m)) / (2 * m)
        - sp.sin(2 * phi) / (4 * (1 - m) * sp.sqrt(1 - m * sp.sin(phi) ** 2))
    ),
)
ellipeinc_by_m = _slope_by_m(
    support.ellipeinc_by_m,
    lambda y, phi, m: -0.5 * sin(phi) ** 2 / _left(phi, m),
    ellipeinc_slope,
    lambda sp, phi, m: (sp.elliptic_e(phi, m) - sp.elliptic_f(phi, m)) / (2 * m),
)
ellipkinc: Operation = special_function(
    "ellipkinc",
    "Incomplete elliptic integral of the first kind.",
    lambda y, phi, m: 1.0 / _left(phi, m),
    lambda y, phi, m: ellipkinc_by_m(phi, m),
    sympy="elliptic_f",
)
ellipeinc: Operation = special_function(
    "ellipeinc",
    "Incomplete elliptic integral of the second kind.",
    lambda y, phi, m: _left(phi, m),
    lambda y, phi, m: ellipeinc_by_m(phi, m),
    sympy="elliptic_e",
)
ellipkm1: Operation = special_function(
    "ellipkm1",
    "Complete elliptic integral of the first kind, near 1: ``ellipk(1 - p)``.",
    lambda y, p: -ellipk_slope(y, 1.0 - p, p),
    singular=True,
    sympy=lambda sp, p: sp.elliptic_k(1 - p),
)


# Jacobi's, inverses of ``u = ellipkinc(phi, m)`` (DLMF 22.13 by ``u``; by ``m`` as implicit ones).


def _jacobi(number: int, by_u: Rule, by_m: Rule, what: str) -> Operation:
    name = ("sn", "cn", "dn", "ph")[number]
    return special_function(
        "ellipj",
        f"Jacobi's {what}.",
        by_u,
        by_m,
        part=(f"ellipj_{name}", number),
        sympy=None,
    )


def _amplitude_by_m(u: Value, m: Value) -> Value:
    return -ellipj_dn(u, m) * ellipkinc_by_m(ellipj_ph(u, m), m)


ellipj_sn: Operation = _jacobi(
    0,
    lambda y, u, m: ellipj_cn(u, m) * ellipj_dn(u, m),
    lambda y, u, m: ellipj_cn(u, m) * _amplitude_by_m(u, m),
    "elliptic function sn",
)
ellipj_cn: Operation = _jacobi(
    1,
    lambda y, u, m: -ellipj_sn(u, m) * ellipj_dn(u, m),
    lambda y, u, m: -ellipj_sn(u, m) * _amplitude_by_m(u, m),
    "elliptic function cn",
)
ellipj_dn: Operation = _jacobi(
    2,
    lambda y, u, m: -m * ellipj_sn(u, m) * ellipj_cn(u, m),
    lambda y, u, m: (
        (
            -0.5 * ellipj_sn(u, m)
            + m * ellipj_cn(u, m) * ellipkinc_by_m(ellipj_ph(u, m), m) * ellipj_dn(u, m)
        )
        * ellipj_sn(u, m)
        / y
    ),
    "elliptic function dn",
)
ellipj_ph: Operation = _jacobi(
    3,
    lambda y, u, m: ellipj_dn(u, m),
    lambda y, u, m: _amplitude_by_m(u, m),
    "amplitude",
)


def _agm_partial(y: Value, a: Value, b: Value) -> Any:
    """By ``a``: with ``agm = π / 4 (a + b) / K``, where ``K = ellipkm1(p)`` and
    ``p = 4 a b / (a + b)²``. Where one is 0, so is the mean, whatever the other is.

    It is of the parts of ``a`` and ``b`` in their sum, whose square overflows, or is 0.
    """
    total = a + b
    at_zero = equal(y, 0)
    half = strong_constant(0.5, y)
    first, second = (choose(at_zero, half, part / total) for part in (a, b))
    p = choose(at_zero, half, 4.0 * first * second)
    k = ellipkm1(p)
    slope = 4.0 * second * (second - first)
    inside = 0.25 * math.pi / k * (1.0 + ellipk_slope(k, 1.0 - p, p) / k * slope)
    return choose(at_zero, b / choose(at_zero, 1.0 * a, strong_constant(1, y)), inside)


agm: Operation = special_function(
    "agm",
    "The arithmetic-geometric mean.",
    _agm_partial,
    lambda y, a, b: _agm_partial(y, b, a),
    singular=True,
    sympy=lambda sp, a, b: sp.pi / 4 * (a + b) / sp.elliptic_k(((a - b) / (a + b)) ** 2),
)


def _carlson_partial(position: int) -> Rule:
    orders = tuple(int(k == position) for k in range(3))

    def partial(y: Value, *operands: Value) -> Any:
        return elliprg_slope(*(as_dtype_of(v, y) for v in operands), orders=orders)

    return partial


elliprg: Operation = special_function(
    "elliprg",
    "Carlson's symmetric integral of the second kind.",
    *map(_carlson_partial, range(3)),
    singular=True,
    sympy=None,
)

# Of densities -------------------------------------------------------------------------------------


def _log_beta_density(a: Any, b: Any, x: Any) -> Any:
    return xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b)


def _log_f_density(n: Any, d: Any, x: Any) -> Any:
    """The powers of ``r = n x / d`` and ``1 + r`` cancel where ``r`` is large."""
    ratio = n / d
    r = ratio * x
    low, one = less(r, 1), strong_constant(1, r)
    near, far = choose(low, r, one), choose(low, one, r)
    small = xlogy(0.5 * n - 1.0, near) - 0.5 * (n + d) * log1p(near)
    large = -log(far) - 0.5 * n * log1p(1.0 / far) - 0.5 * d * log1p(far)
    return log(ratio) + choose(low, small, large) - betaln(0.5 * n, 0.5 * d)


def _f_density(n: Any, d: Any, x: Any) -> Any:
    """At 0 by the power itself, whose derivatives are right there; but where that is infinite."""
    at_end, one = bitwise_and(equal(x, 0), greater_equal(n, 2)), strong_constant(1, x)
    ratio, at = n / d, choose(at_end, x, one)
    rest = 0.5 * n * log(ratio) - 0.5 * (n + d) * log1p(ratio * at) - betaln(0.5 * n, 0.5 * d)
    end = at ** (0.5 * n - 1.0) * exp(minimum(rest, 700.0))
    return choose(at_end, end, exp(_log_f_density(n, d, choose(at_end, one, x))))


def _beta_of_f(sp: Any, n: Any, d: Any, x: Any) -> Any:
    a, b = n / 2, d / 2
    return sp.betainc(a, b, 0, n * x / (n * x + d)) / sp.beta(a, b)


betaincc: Operation = special_function(
    "betaincc",
    "``1 - betainc(a, b, x)``.",
    lambda y, a, b, x: -beta_by(1, a, b, x),
    lambda y, a, b, x: -beta_by(2, a, b, x),
    lambda y, a, b, x: -beta_density(a, b, x, orders=(0, 0, 0)),
    strong=True,
    sympy=lambda sp, a, b, x: 1 - sp.betainc(a, b, 0, x) / sp.beta(a, b),
)
chdtr: Operation = special_function(
    "chdtr",
    "The distribution function of χ².",
    lambda y, v, x: 0.5 * gamma_by_a(0.5 * v, 0.5 * x),
    lambda y, v, x: 0.5 * gamma_density(0.5 * v, 0.5 * x, orders=(0, 0)),
    strong=True,
    sympy=lambda sp, v, x: sp.lowergamma(v / 2, x / 2) / sp.gamma(v / 2),
)
chdtrc: Operation = special_function(
    "chdtrc",
    "``1 - chdtr(v, x)``.",
    lambda y, v, x: -0.5 * gamma_by_a(0.5 * v, 0.5 * x),
    lambda y, v, x: -0.5 * gamma_density(0.5 * v, 0.5 * x, orders=(0, 0)),
    strong=True,
    sympy=lambda sp, v, x: sp.uppergamma(v / 2, x / 2) / sp.gamma(v / 2),
)
fdtr: Operation = special_function(
    "fdtr",
    "The distribution function of F.",
    lambda y, n, d, x: f_by(1, n, d, x),
    lambda y, n, d, x: f_by(2, n, d, x),
    lambda y, n, d, x: _f_density(n, d, x),
    strong=True,
    sympy=_beta_of_f,
)
fdtrc: Operation = special_function(
    "fdtrc",
    "``1 - fdtr(dfn, dfd, x)``.",
    lambda y, n, d, x: -f_by(1, n, d, x),
    lambda y, n, d, x: -f_by(2, n, d, x),
    lambda y, n, d, x: -_f_density(n, d, x),
    strong=True,
    sympy=lambda sp, n, d, x: 1 - _beta_of_f(sp, n, d, x),
)


def _moved_density(b: Value, moved: Value, rate: Value) -> Value:
    """``moved`` times the gamma distribution's density at ``moved * rate``, which may be infinite
    where ``moved`` is 0.
    """
    zero, one, divisor = equal(moved, 0), strong_constant(1, moved), nonzero(rate)
    away = moved * gamma_density(b, rate * choose(zero, one, moved), orders=(0, 0))
    product = strong_multiply(moved, divisor)
    near = choose(zero, product, strong_constant(1, product))
    at = near**b * (exp(-near) * rgamma(b)) / divisor
    return choose(zero, at, away)


gdtr: Operation = special_function(
    "gdtr",
    "The distribution function of the gamma distribution, of the rate ``a`` and the shape ``b``.",
    lambda y, a, b, x: _moved_density(b, x, a),
    lambda y, a, b, x: gamma_by_a(b, a * x),
    lambda y, a, b, x: _moved_density(b, a, x),
    strong=True,
    sympy=lambda sp, a, b, x: sp.lowergamma(b, a * x) / sp.gamma(b),
)
gdtrc: Operation = special_function(
    "gdtrc",
    "``1 - gdtr(a, b, x)``.",
    lambda y, a, b, x: -_moved_density(b, x, a),
    lambda y, a, b, x: -gamma_by_a(b, a * x),
    lambda y, a, b, x: -_moved_density(b, a, x),
    strong=True,
    sympy=lambda sp, a, b, x: sp.uppergamma(b, a * x) / sp.gamma(b),
)


def _poisson(sign: float) -> Rule:
    def partial(y: Value, k: Value, m: Value) -> Any:
        count = floor(k)
        return sign * exp(xlogy(count, m) - m - gammaln(count + 1.0))

    return partial


pdtr: Operation = special_function(
    "pdtr",
    "The distribution function of Poisson's distribution.",
    None,
    _poisson(-1.0),
    sympy=lambda sp, k, m: sp.uppergamma(sp.floor(k) + 1, m) / sp.gamma(sp.floor(k) + 1),
)
pdtrc: Operation = special_function(
    "pdtrc",
    "``1 - pdtr(k, m)``.",
    None,
    _poisson(1.0),
    sympy=lambda sp, k, m: sp.lowergamma(sp.floor(k) + 1, m) / sp.gamma(sp.floor(k) + 1),
)


def _owens_t_by_a(y: Value, h: Value, a: Value) -> Any:
    square = 1.0 + a * a
    return exp(-0.5 * (h * h * square)) / (2.0 * math.pi * square)


def _owens_integral(sp: Any, h: Any, a: Any) -> Any:
    t = sp.Dummy("t", real=True)
    return sp.Integral(sp.exp(-(h**2) * (1 + t**2) / 2) / (1 + t**2), (t, 0, a)) / (2 * sp.pi)


owens_t: Operation = special_function(
    "owens_t",
    "Owen's function, of the normal distribution of two variables.",
    lambda y, h, a: -0.5 / ROOT_2_PI * exp(-0.5 * (h * h)) * erf(math.sqrt(0.5) * (a * h)),
    _owens_t_by_a,
    sympy=_owens_integral,
)

# Inverses of distribution functions: SymPy has no names for most of them.

ndtri_exp: Operation = special_function(
    "ndtri_exp",
    "``ndtri(exp(x))``, the inverse of ``log_ndtr``.",
    lambda y, x: ROOT_2_PI * exp(x + 0.5 * (y * y)),
    sympy=lambda sp, x: sp.sqrt(2) * sp.erfinv(2 * sp.exp(x) - 1),
    singular=True,
)
gammaincinv: Operation = special_function(
    "gammaincinv",
    "The inverse of ``gammainc``.",
    lambda y, a, p: gamma_inverse_by_a(a, y),
    lambda y, a, p: exp(-log_gamma_density(a, y)),
    sympy=None,
)
gammainccinv: Operation = special_function(
    "gammainccinv",
    "The inverse of ``gammaincc``.",
    lambda y, a, p: gamma_inverse_by_a(a, y),
    lambda y, a, p: -exp(-log_gamma_density(a, y)),
    sympy=None,
)
betaincinv: Operation = special_function(
    "betaincinv",
    "The inverse of ``betainc``.",
    lambda y, a, b, p: beta_inverse_by(1, a, b, y),
    lambda y, a, b, p: beta_inverse_by(2, a, b, y),
    lambda y, a, b, p: exp(-_log_beta_density(a, b, y)),
    sympy=None,
)
betainccinv: Operation = special_function(
    "betainccinv",
    "The inverse of ``betaincc``.",
    lambda y, a, b, p: beta_inverse_by(1, a, b, y),
    lambda y, a, b, p: beta_inverse_by(2, a, b, y),
    lambda y, a, b, p: -exp(-_log_beta_density(a, b, y)),
    sympy=None,
)


def _over_student_density(df: Value, t: Value) -> Any:
    return exp(betaln(0.5 * df, 0.5) + 0.5 * log(df) + 0.5 * (df + 1.0) * log1p(t * t / df))


stdtrit: Operation = special_function(
    "stdtrit",
    "The inverse of ``stdtr``.",
    lambda y, df, p: -student_by_df(df, y) * _over_student_density(df, y),
    lambda y, df, p: _over_student_density(df, y),
    sympy=None,
)

chdtri: Operation = special_function(
    "chdtri",
    "The inverse of ``chdtrc``.",
    lambda y, v, p: gamma_inverse_by_a(0.5 * v, 0.5 * y),
    lambda y, v, p: -2.0 * exp(-log_gamma_density(0.5 * v, 0.5 * y)),
    sympy=None,
)
fdtri: Operation = special_function(
    "fdtri",
    "The inverse of ``fdtr``.",
    lambda y, n, d, p: f_drawn_by(1, n, d, y),
    lambda y, n, d, p: f_drawn_by(2, n, d, y),
    lambda y, n, d, p: choose(greater(y, 0), f_drawn_by(0, n, d, y), exp(-_log_f_density(n, d, y))),
    sympy=None,
)

# Of the largest difference of distribution functions, and their inverses.

kolmogorov: Operation = special_function(
    "kolmogorov",
    "Kolmogorov's survival function, of the largest difference either way.",
    lambda y, x: kolmogorov_tail(x, orders=(1,)),
    sympy=None,
)
kolmogi: Operation = special_function(
    "kolmogi",
    "The inverse of ``kolmogorov``.",
    lambda y, p: 1.0 / kolmogorov_tail(y, orders=(1,)),
    singular=True,
    sympy=None,
)
smirnov: Operation = special_function(
    "smirnov",
    "The survival function of the largest difference one way, of ``n`` samples.",
    "n",
    lambda y, n, d: smirnov_tail(d, n, orders=(1, 0)),
    sympy=None,
)
smirnovi: Operation = special_function(
    "smirnovi",
    "The inverse of ``smirnov``.",
    "n",
    lambda y, n, p: 1.0 / smirnov_tail(y, n, orders=(1, 0)),
    singular=True,
    sympy=None,
)


@when_imported("scipy.stats._ksstats")
def _register_samples(ksstats: ModuleType) -> None:
    @lowers(ksstats.kolmogn)
    def _kolmogn(n: Any, x: Any, cdf: Any = True) -> Value:
        operation = kolmogorov_of_samples if static(cdf) else kolmogorov_tail_of_samples
        double = astype(staged(x), dtype=np.dtype(np.float64))
        return lower_asarray(operation(double, staged(n), orders=(0, 0)))


# With a parameter of noncentrality: mixtures by Poisson's weights, of which the slope by it is half
# the difference to the one of two degrees more (Johnson, Kotz and Balakrishnan 1995, 29 and 30): a
# density, in which nothing cancels.


def _noncentral_chi_slope(x: Any, v: Any, nc: Any) -> Any:
    """``x**(v/2 - 1) * exp(-(x + nc) / 2) / (2**(v/2) gamma(v/2)) * 0F1(v/2, nc x / 4)``.

    Where that series is large, with Bessel's function without its exponential, which is 0 for
    arguments far below its order: NaN then, of many thousand degrees.
    """
    half, product = 0.5 * v, nc * x
    is_small = less(product, minimum(4.0 * (half + 1.0) ** 2, 49e4))
    one = strong_constant(1, product)
    near = xlogy(half - 1.0, x) - half * math.log(2.0) - gammaln(half) - 0.5 * (x + nc)
    small = exp(near + log(hyp0f1(half, 0.25 * choose(is_small, product, one))))
    at, other = choose(is_small, one, x), choose(is_small, one, nc)
    root = sqrt(at * other)
    far = -0.5 * (sqrt(at) - sqrt(other)) ** 2 + 0.5 * (half - 1.0) * log(at / other)
    bessel = ive(half - 1.0, root)
    known = choose(equal(bessel, 0), strong_constant(math.nan, bessel), bessel)
    return choose(is_small, small, 0.5 * exp(far) * known)


def _noncentral_f_slope(y: Value, n: Value, d: Value, nc: Value, f: Value) -> Value:
    """The density without ``nc``, times ``exp(-nc / 2) 1F1((n + d) / 2, n / 2, nc r / 2)``."""
    part = n * f / (n * f + d)
    series = hyp1f1(0.5 * (n + d), 0.5 * n, 0.5 * nc * part)
    return exp(_log_f_density(n, d, f) - 0.5 * nc) * series


def _noncentral_f_by_nc(y: Value, n: Value, d: Value, nc: Value, f: Value) -> Any:
    """A density too: of two beta functions, of which one is the next, what is between is a term."""
    part = n * f / (n * f + d)
    series = hyp1f1(0.5 * (n + d), 0.5 * n + 1.0, 0.5 * nc * part)
    return -(f / n) * exp(_log_f_density(n, d, f) - 0.5 * nc) * series


chndtr: Operation = special_function(
    "chndtr",
    "The distribution function of a noncentral chi-squared.",
    lambda y, x, v, nc: _noncentral_chi_slope(x, v, nc),
    lambda y, x, v, nc: noncentral_chi_by_degrees(x, v, nc),
    lambda y, x, v, nc: -_noncentral_chi_slope(x, v + 2.0, nc),
    sympy=None,
)
ncfdtr: Operation = special_function(
    "ncfdtr",
    "The distribution function of a noncentral F.",
    lambda y, n, d, nc, f: noncentral_f_by(1, n, d, nc, f),
    lambda y, n, d, nc, f: noncentral_f_by(2, n, d, nc, f),
    _noncentral_f_by_nc,
    _noncentral_f_slope,
    sympy=None,
)


def _student_slope(orders: tuple[int, ...]) -> Rule:
    def partial(y: Value, df: Value, nc: Value, t: Value) -> Any:
        return noncentral_t(*(as_dtype_of(v, y) for v in (t, nc, df)), orders=orders)

    return partial


nctdtr: Operation = special_function(
    "nctdtr",
    "The distribution function of a noncentral t.",
    _student_slope((0, 0, 1)),
    _student_slope((0, 1, 0)),
    _student_slope((1, 0, 0)),
    sympy=None,
)

# What calls mean ----------------------------------------------------------------------------------

_PAIRS = {"sici": (si, ci), "shichi": (shi, chi), "fresnel": (fresnel_s, fresnel_c)}


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    for name, operations in _PAIRS.items():
        lowers(getattr(special, name))(_pair(operations))
    lowers(special.lambertw)(_lambertw)
    lowers(special.ellipj)(_jacobi_functions)


def _pair(operations: tuple[Operation, ...]) -> Callable[..., Any]:
    def lowering(x: Any) -> tuple[Value, ...]:
        value = staged(x)
        return tuple(operation(value) for operation in operations)

    return lowering


def _lambertw(z: Any, k: Any = 0) -> Value:
    branch = staged(k)
    if array_type(branch).dtype.kind not in "iu":
        branch = cast(branch, np.dtype(int))
    return lambertw(staged(z), branch)


def _jacobi_functions(u: Any, m: Any) -> tuple[Value, ...]:
    argument, parameter = staged(u), staged(m)
    parts = ellipj_sn, ellipj_cn, ellipj_dn, ellipj_ph
    return tuple(part(argument, parameter) for part in parts)
