"""Scalar code: ``math``, Python's number operators, NumPy scalars, integers that steer."""

import math
from math import cos, exp, log, pi, sin, sqrt

import numpy as np

from tests.programs.registry import program


def _norm_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@program(args=(1.0, 1.1, 0.5, 0.02, 0.3), wrt=(0, 1, 2, 3, 4))
def black_scholes_call(spot, strike, maturity, rate, vol):
    d1 = (log(spot / strike) + (rate + 0.5 * vol**2) * maturity) / (vol * sqrt(maturity))
    d2 = d1 - vol * sqrt(maturity)
    return spot * _norm_cdf(d1) - strike * exp(-rate * maturity) * _norm_cdf(d2)


@program(args=(0.6,))
def a_tour_of_math(x):
    y = math.sin(x) * math.cosh(x) + math.tanh(x) / math.cos(x)
    y += math.exp(-x) * math.log1p(x) + math.expm1(x) - math.log2(x + 1) * math.log10(x + 2)
    y += math.atan2(x, 2.0) * math.asin(x) + math.acos(x) - math.atan(x) + math.tan(x)
    y *= math.hypot(x, 1.5) + math.pow(x, 2.5) + math.log(x + 3, 2)
    y += math.asinh(x) + math.acosh(x + 1.5) + math.atanh(x) + math.sinh(x)
    y += math.degrees(x) * 0.01 + math.radians(x) + math.fabs(-x)
    return y + math.pi * math.e * x + math.copysign(x, -1.0) * x + math.fsum([x, x * x])


@program(args=(0.6,))
def a_tour_of_numpy_scalars(x):
    y = np.sin(x) * np.cosh(x) + np.tanh(x) / np.cos(x) - np.arctan(x)
    y += np.exp(-x) * np.log1p(x) + np.expm1(x) - np.log2(x + 1) * np.log10(x + 2)
    y += np.arctan2(x, 2.0) * np.arcsin(x) + np.arccos(x) + np.tan(x) + np.square(x)
    y *= np.hypot(x, 1.5) + np.power(x, 2.5) + np.cbrt(x) + np.reciprocal(x + 1)
    y += np.arcsinh(x) + np.arccosh(x + 1.5) + np.arctanh(x) + np.sinh(x) + np.exp2(x)
    y += np.logaddexp(x, 1.0) + np.absolute(-x) * np.sign(x) + np.negative(x) + np.sinc(x)
    return y + np.float64(x) * np.pi + np.maximum(x, 0.2) * np.minimum(x, 3.0) + np.fabs(x - 2)


@program(args=(2.7, 1.1), wrt=(0, 1))
def python_operators(a, b):
    c = a**b - b**a
    d = (a // b) * b + a % b * 2.0
    e = -a + +b - (a - b) / (a * b)
    q, r = divmod(a * 3, b)
    return c * d + e * r + q + (a > b) * a + 2**a * 0.5 ** (-b)


@program(args=(0.7, 3), also=[(0.7, -2), (0.7, 0)])
def integer_powers(x, n):
    y = x**n + x**2 * x**3
    for k in range(4):
        y += x**k * (k + 1) + (1 + x) ** (-k)
    return y + x**0.5 + np.float64(x) ** 2


@program(args=(2, 0.9), wrt=(0, 1))
def python_int_for_a_float(n, x):
    return n**2 * x + n / (1 + x) + n * n


@program(args=(np.float64(0.4), np.float64(1.2)), wrt=(0, 1))
def numpy_scalars_in(x, y):
    z = x * y
    for _ in range(3):
        z = np.sin(z) + x
    return z * float(y) + np.float64(2) * x


@program(args=(np.array(0.8), np.array([1.5])), wrt=(0, 1))
def zero_dimensional(x, y):
    z = np.exp(x) * y
    w = x + 1.0
    return (z[0] * w * w.item()) + np.asarray(w)[()] * y.sum()


@program(args=(0.35,))
def integers_steer(x):
    n = 10
    mask = 0b1011
    total = 0.0
    for bit in range(4):
        if mask >> bit & 1:
            total += x**bit
        else:
            total -= x * (1 << bit)
    n //= 3
    n ^= 1
    for i in range(n):
        total *= 1 + x / (i + 1)
    return total * (n % 2 + (~n & 3) + abs(-n))


@program(args=(48.85, 2.35, 52.52, 13.4), wrt=(0, 1, 2, 3))
def haversine(lat1, lon1, lat2, lon2):
    p1, p2 = math.radians(lat1), math.radians(lat2)
    dp = p2 - p1
    dl = math.radians(lon2 - lon1)
    a = sin(dp / 2) ** 2 + cos(p1) * cos(p2) * sin(dl / 2) ** 2
    return 6.371 * 2 * math.asin(sqrt(a)) / pi * 180


@program(args=(2.3,), also=[(7.6,)])
def rounding_is_flat(x):
    frac = x - math.floor(x)
    up = math.ceil(x) - x
    t = math.trunc(x) * frac + np.floor(x / 2) * up
    whole = int(x)
    return t * frac + round(x) * x + np.mod(x, 1.5) ** 2 + math.fmod(x, 1.7) * whole


@program(args=(0.3, 1.4, -0.6), wrt=(0, 1, 2))
def quadratic_roots(a, b, c):
    disc = b * b - 4 * a * c
    if disc >= 0:
        root = math.sqrt(disc)
        q = -0.5 * (b + (root if b >= 0 else -root))
        return (q / a) * 2 + c / q
    return -b / (2 * a) + math.sqrt(-disc)


@program(args=(4.2,), also=[(0.7,)])
def gamma_functions(x):
    stirling = (x - 0.5) * log(x) - x + 0.5 * log(2 * pi) + 1 / (12 * x)
    return math.lgamma(x) - stirling * 0.5 + math.gamma(x / 2) + math.erf(x) * math.erfc(x / 4)


@program(args=(0.21, 30), also=[(0.21, 3)])
def continued_fraction(x, depth):
    value = 1.0
    for k in range(depth, 0, -1):
        value = 1 + k * x / value
    return 1 / value


@program(args=(1.25,))
def constants_fold(x):
    a = 3 * 4 - 2**3
    b = a / 2 * math.sqrt(16)
    flag = not (a > 100)
    c = b if flag else None
    s = "sq" + "uare"
    y = x**2 if s == "square" else x
    inf = float("inf")
    return min(y * c, inf) + (1e3 - 999) * x
