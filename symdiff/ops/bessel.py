"""Bessel functions of ``scipy.special``, also scaled and spherical, of Hankel, Airy and Struve.

Declared like those of ``special``. Derivatives by the order are those of ``bessel_values``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.libraries import when_imported
from symdiff.errors import UnsupportedCallError
from symdiff.ir.graph import Value
from symdiff.ops.arithmetic import (
    absolute,
    choose,
    greater,
    less,
    maximum,
    sign,
    strong_constant,
    trunc,
)
from symdiff.ops.casts import astype, is_complex, real
from symdiff.ops.declare import (
    Absent,
    Meaning,
    Operation,
    Rule,
    array_type,
    elementwise,
    lowers,
    static,
    template,
)
from symdiff.ops.elementary import exp, sqrt
from symdiff.ops.incomplete import bessel_i, bessel_ie, bessel_j, bessel_k, bessel_ke, bessel_y
from symdiff.ops.special import ROOT_PI, LibraryFunction, gamma, special_function, special_op
from symdiff.ops.ufuncs import cast, staged

# Of the first and the second kind -----------------------------------------------------------------


def scaled_slope(
    y: Value, v: Value | float, x: Value, turn: complex, near: Callable[[Value], Value]
) -> Value:
    """The derivative of a Bessel function without its exponential: ``near``, which cancels where
    ``x`` is large, and by Hankel's expansion there (NIST Handbook, 10.17 and 10.40).

    The function is a constant times ``Σ a_k (turn / x)**k / √x``, with ``a_0 = 1`` and
    ``a_k = a_{k-1} (4 v² - (2 k - 1)²) / (8 k)``.
    """
    square = 4.0 * v * v
    least = 0.5 * square + 50.0
    is_far = greater(real(x) if is_complex(x) else absolute(x), least)
    far = choose(is_far, x, strong_constant(1, x) * least)
    inverse = 1.0 / (far if is_complex(x) else absolute(far))
    total: Any = 1.0
    changed: Any = TERMS + 0.5
    for k in range(TERMS, 0, -1):
        ratio = turn / (8.0 * k) * (square - float(2 * k - 1) ** 2) * inverse
        total, changed = 1.0 + ratio * total, k - 0.5 + ratio * changed
    within = near(choose(is_far, strong_constant(1, x), x))
    return choose(is_far, -y * (changed / total / far), within)


TERMS = 12


def _of_order(
    name: str,
    by_order: Rule | str,
    partial: Rule,
    sympy: Meaning,
    documentation: str,
) -> Operation:
    """A function of an order and of an argument; one of complex numbers is refused by the order."""

    def of_reals(y: Value, v: Value, x: Value) -> Any:
        if is_complex(x):
            raise UnsupportedCallError(
                f"the derivative of scipy.special.{name} of complex numbers by 'v'"
            )
        return by_order(y, v, x)  # type: ignore[operator]

    if isinstance(by_order, str):
        documentation = f"{documentation}; its derivative by the order is refused"
    first = by_order if isinstance(by_order, str) else of_reals
    return special_function(name, f"{documentation}.", first, partial, sympy=sympy)


def _by(operation: Operation) -> Rule:
    """The derivative by the order, of an op of ``bessel_values``."""
    return lambda y, v, x: operation(v, x, orders=(1, 0))


def _neighbours(of: Callable[[], Operation], sign: int, factor: float = 0.5) -> Rule:
    """Half the sum, or the difference, of the functions of the orders beside."""

    def partial(y: Value, v: Value, x: Value) -> Value:
        below, above = of()(v - 1.0, x), of()(v + 1.0, x)
        return factor * (below + above if sign > 0 else below - above)

    return partial


jv: Operation = _of_order(
    "jv",
    _by(bessel_j),
    _neighbours(lambda: jv, -1),
    "besselj",
    "Bessel function of the first kind",
)
yv: Operation = _of_order(
    "yv",
    _by(bessel_y),
    _neighbours(lambda: yv, -1),
    "bessely",
    "Bessel function of the second kind",
)
iv: Operation = _of_order(
    "iv",
    _by(bessel_i),
    _neighbours(lambda: iv, 1),
    "besseli",
    "Modified Bessel function of the first kind",
)


kv: Operation = _of_order(
    "kv",
    _by(bessel_k),
    _neighbours(lambda: kv, 1, -0.5),
    "besselk",
    "Modified Bessel function of the second kind",
)
ive: Operation = _of_order(
    "ive",
    _by(bessel_ie),
    lambda y, v, x: scaled_slope(
        y, v, x, -1.0, lambda x: 0.5 * (ive(v - 1.0, x) + ive(v + 1.0, x)) - sign(x) * y
    ),
    lambda sp, v, x: sp.exp(-sp.Abs(x)) * sp.besseli(v, x),
    "``iv(v, x) * exp(-abs(x))``",
)


def _of_known_order(
    name: str, partial: Callable[[Value, Value], Value], sympy: str, documentation: str
) -> Operation:
    """A function of the order that its name ends with."""
    order = int(name[-1])
    return special_function(
        name,
        f"{documentation} of order {order}.",
        partial,
        sympy=lambda sp, x: getattr(sp, sympy)(order, x),
    )


_FIRST, _SECOND = (f"Bessel function of the {kind} kind" for kind in ("first", "second"))
j0: Operation = _of_known_order("j0", lambda y, x: -j1(x), "besselj", _FIRST)
j1: Operation = _of_known_order("j1", lambda y, x: 0.5 * (j0(x) - jv(2.0, x)), "besselj", _FIRST)
y0: Operation = _of_known_order("y0", lambda y, x: -y1(x), "bessely", _SECOND)
y1: Operation = _of_known_order("y1", lambda y, x: 0.5 * (y0(x) - yv(2.0, x)), "bessely", _SECOND)
i0: Operation = _of_known_order("i0", lambda y, x: i1(x), "besseli", f"Modified {_FIRST}")
i1: Operation = _of_known_order(
    "i1", lambda y, x: 0.5 * (i0(x) + iv(2.0, x)), "besseli", f"Modified {_FIRST}"
)
i0e: Operation = special_function(
    "i0e",
    "``i0(x) * exp(-abs(x))``.",
    lambda y, x: scaled_slope(y, 0.0, x, -1.0, lambda x: i1e(x) - sign(x) * y),
    sympy=lambda sp, x: sp.exp(-sp.Abs(x)) * sp.besseli(0, x),
)
i1e: Operation = special_function(
    "i1e",
    "``i1(x) * exp(-abs(x))``.",
    lambda y, x: scaled_slope(
        y, 1.0, x, -1.0, lambda x: 0.5 * (i0e(x) + ive(2.0, x)) - sign(x) * y
    ),
    sympy=lambda sp, x: sp.exp(-sp.Abs(x)) * sp.besseli(1, x),
)
k0: Operation = _of_known_order("k0", lambda y, x: -k1(x), "besselk", f"Modified {_SECOND}")
k1: Operation = _of_known_order(
    "k1", lambda y, x: -0.5 * (k0(x) + kv(2.0, x)), "besselk", f"Modified {_SECOND}"
)

# Scaled, and of whole orders ----------------------------------------------------------------------


def _whole(n: Value) -> Value:
    """An order as SciPy takes it where it is to be whole: cut off."""
    return trunc(n) if array_type(n).dtype.kind == "f" else n


kn: Operation = _of_order(
    "kn",
    "n",
    lambda y, n, x: -0.5 * (kv(_whole(n) - 1.0, x) + kv(_whole(n) + 1.0, x)),
    "besselk",
    "Modified Bessel function of the second kind of whole orders",
)
yn: Operation = _of_order(
    "yn",
    "n",
    lambda y, n, x: 0.5 * (yv(_whole(n) - 1.0, x) - yv(_whole(n) + 1.0, x)),
    "bessely",
    "Bessel function of the second kind of whole orders",
)
jve: Operation = _of_order(
    "jve",
    _by(bessel_j),
    _neighbours(lambda: jve, -1),
    "besselj",
    "``jv(v, x) * exp(-abs(x.imag))``",
)
yve: Operation = _of_order(
    "yve",
    _by(bessel_y),
    _neighbours(lambda: yve, -1),
    "bessely",
    "``yv(v, x) * exp(-abs(x.imag))``",
)
kve: Operation = _of_order(
    "kve",
    _by(bessel_ke),
    lambda y, v, x: scaled_slope(
        y, v, x, 1.0, lambda x: y - 0.5 * (kve(v - 1.0, x) + kve(v + 1.0, x))
    ),
    lambda sp, v, x: sp.exp(x) * sp.besselk(v, x),
    "``kv(v, x) * exp(x)``",
)
k0e: Operation = special_function(
    "k0e",
    "``k0(x) * exp(x)``.",
    lambda y, x: scaled_slope(y, 0.0, x, 1.0, lambda x: y - k1e(x)),
    sympy=lambda sp, x: sp.exp(x) * sp.besselk(0, x),
)
k1e: Operation = special_function(
    "k1e",
    "``k1(x) * exp(x)``.",
    lambda y, x: scaled_slope(y, 1.0, x, 1.0, lambda x: y - 0.5 * (k0e(x) + kve(2.0, x))),
    sympy=lambda sp, x: sp.exp(x) * sp.besselk(1, x),
)


def _hankel_by_order(sign: int, v: Value, z: Value) -> Any:
    second = bessel_y(v, z, orders=(1, 0))
    return bessel_j(v, z, orders=(1, 0)) + sign * 1j * second


hankel1: Operation = _of_order(
    "hankel1",
    lambda y, v, z: _hankel_by_order(1, v, z),
    _neighbours(lambda: hankel1, -1),
    "hankel1",
    "Hankel function of the first kind",
)
hankel2: Operation = _of_order(
    "hankel2",
    lambda y, v, z: _hankel_by_order(-1, v, z),
    _neighbours(lambda: hankel2, -1),
    "hankel2",
    "Hankel function of the second kind",
)
hankel1e: Operation = _of_order(
    "hankel1e",
    lambda y, v, z: exp(-1j * z) * _hankel_by_order(1, v, z),
    lambda y, v, z: scaled_slope(
        y, v, z, 1j, lambda z: 0.5 * (hankel1e(v - 1.0, z) - hankel1e(v + 1.0, z)) - 1j * y
    ),
    lambda sp, v, z: sp.exp(-sp.I * z) * sp.hankel1(v, z),
    "``hankel1(v, z) * exp(-1j * z)``",
)
hankel2e: Operation = _of_order(
    "hankel2e",
    lambda y, v, z: exp(1j * z) * _hankel_by_order(-1, v, z),
    lambda y, v, z: scaled_slope(
        y, v, z, -1j, lambda z: 0.5 * (hankel2e(v - 1.0, z) - hankel2e(v + 1.0, z)) + 1j * y
    ),
    lambda sp, v, z: sp.exp(sp.I * z) * sp.hankel2(v, z),
    "``hankel2(v, z) * exp(1j * z)``",
)

# Spherical ----------------------------------------------------------------------------------------


def _spherical(
    name: str, below: float, above: float, sympy: Callable[..., Any], derived: bool = False
) -> Operation:
    """A spherical Bessel function, or what SciPy gives as its derivative, whose derivative is
    ``(below * n * f(n - 1, z) + above * (n + 1) * f(n + 1, z)) / (2 n + 1)``: nothing is divided
    by ``z``.
    """

    def partial(y: Value, n: Value, z: Value) -> Any:
        n = _wide_order(n)
        before = below * n * operation(maximum(n - 1, 0), z)
        inner = choose(greater(n, 0), before, 0.0 * z)
        return (inner + above * (n + 1.0) * operation(n + 1, z)) / (2.0 * n + 1.0)

    what = f"Spherical Bessel function ``{name.rpartition('_')[2]}`` of a whole order"
    if not derived:
        operation = special_function(name, f"{what}.", None, partial, sympy=sympy)
        return operation
    function: Any = LibraryFunction("scipy.special", name, 2, last=(True,))
    operation = elementwise(
        function,
        f"{what}, its derivative.",
        None,
        partial,
        name=f"special_{name}_slope",
        spelling=template(f"scipy.special.{name}({{0}}, {{1}}, True)"),
        jax=Absent("jax.scipy.special does not have it"),
        sympy=lambda sp, n, z: _slope_of(sp, sympy, n, z),
    )
    return operation


def _slope_of(sp: Any, meaning: Callable[..., Any], n: Any, z: Any) -> Any:
    t = sp.Dummy("t")
    return meaning(sp, n, t).diff(t).subs(t, z)


def _wide_order(n: Value) -> Value:
    """An order beside which there are others, whatever integer it is."""
    dtype = array_type(n).dtype
    narrow = dtype.kind in "iub" and not array_type(n).weak and dtype != np.int64
    return astype(n, dtype=np.dtype(np.int64)) if narrow else n


def _by_half(name: str) -> Callable[..., Any]:
    def meaning(sp: Any, n: Any, z: Any) -> Any:
        return sp.sqrt(sp.pi / (2 * z)) * getattr(sp, name)(n + sp.Rational(1, 2), z)

    return meaning


_SPHERICAL = {
    "spherical_jn": (1.0, -1.0, _by_half("besselj")),
    "spherical_yn": (1.0, -1.0, _by_half("bessely")),
    "spherical_in": (1.0, 1.0, _by_half("besseli")),
    "spherical_kn": (-1.0, -1.0, _by_half("besselk")),
}
_SLOPES = {name: _spherical(name, *form, derived=True) for name, form in _SPHERICAL.items()}
spherical_jn, spherical_yn, spherical_in, spherical_kn = (
    _spherical(name, *form) for name, form in _SPHERICAL.items()
)

# Airy and Struve ----------------------------------------------------------------------------------


def _airy(number: int, partial: Rule, sympy: str, documentation: str) -> Operation:
    name = ("ai", "ai_prime", "bi", "bi_prime")[number]
    return special_function(
        "airy", f"{documentation}.", partial, part=(f"airy_{name}", number), sympy=sympy
    )


airy_ai: Operation = _airy(0, lambda y, z: airy_ai_prime(z), "airyai", "Airy's function Ai")
airy_ai_prime: Operation = _airy(
    1, lambda y, z: z * airy_ai(z), "airyaiprime", "The derivative of Ai"
)
airy_bi: Operation = _airy(2, lambda y, z: airy_bi_prime(z), "airybi", "Airy's function Bi")
airy_bi_prime: Operation = _airy(
    3, lambda y, z: z * airy_bi(z), "airybiprime", "The derivative of Bi"
)


# Times an exponential of ``2/3 z**1.5`` that keeps them finite; of real numbers.


def _scaled_airy(name: str, number: int, of: str, partial: Rule, sign: int) -> Operation:
    def meaning(sp: Any, z: Any) -> Any:
        power = sp.Rational(2, 3) * z ** sp.Rational(3, 2)
        return getattr(sp, of)(z) * sp.exp(sign * (power if sign > 0 else sp.re(power)))

    return special_function(
        "airye", f"The scaled ``{of}``.", partial, part=(name, number), sympy=meaning
    )


def _root(z: Value) -> Value:
    """``√z``, and 0 left of 0, where ``airye`` scales nothing."""
    left = less(z, 0.0)
    one = strong_constant(1, z)
    return choose(left, strong_constant(0, z), sqrt(choose(left, one, z)))


airye_ai: Operation = _scaled_airy(
    *("airye_ai", 0, "airyai"), lambda y, z: airye_ai_prime(z) + sqrt(z) * y, 1
)
airye_ai_prime: Operation = _scaled_airy(
    *("airye_ai_prime", 1, "airyaiprime"), lambda y, z: z * airye_ai(z) + sqrt(z) * y, 1
)
airye_bi: Operation = _scaled_airy(
    *("airye_bi", 2, "airybi"), lambda y, z: airye_bi_prime(z) - _root(z) * y, -1
)
airye_bi_prime: Operation = _scaled_airy(
    *("airye_bi_prime", 3, "airybiprime"), lambda y, z: z * airye_bi(z) - _root(z) * y, -1
)


# Kelvin's are the real and imaginary parts of Bessel functions of ``x * exp(3j * pi / 4)``, which
# solve ``w'' + w' / x = 1j * w`` (DLMF 10.61.3).


def _kelvin(name: str, documentation: str, partial: Rule) -> Operation:
    return special_function(name, f"{documentation}.", partial, sympy=_part_of_bessel(name))


def _part_of_bessel(name: str) -> Callable[..., Any]:
    """What one of them means in SymPy: half a sum, or half a difference, of Bessel functions at
    conjugate arguments, as SymPy cannot differentiate real and imaginary parts.
    """

    def meaning(sp: Any, x: Any) -> Any:
        bessel, eighths = (sp.besselj, 3) if name.startswith("be") else (sp.besselk, 1)
        turns = [sp.exp(sign * eighths * sp.I * sp.pi / 4) for sign in (1, -1)]
        if name.endswith("p"):
            above, below = (-turn * bessel(1, x * turn) for turn in turns)
        else:
            above, below = (bessel(0, x * turn) for turn in turns)
        return (above - below) / (2 * sp.I) if "i" in name else (above + below) / 2

    return meaning


ber: Operation = _kelvin("ber", "Kelvin's function ber", lambda y, x: berp(x))
bei: Operation = _kelvin("bei", "Kelvin's function bei", lambda y, x: beip(x))
ker: Operation = _kelvin("ker", "Kelvin's function ker", lambda y, x: kerp(x))
kei: Operation = _kelvin("kei", "Kelvin's function kei", lambda y, x: keip(x))
berp: Operation = _kelvin("berp", "The derivative of ber", lambda y, x: -bei(x) - y / x)
beip: Operation = _kelvin("beip", "The derivative of bei", lambda y, x: ber(x) - y / x)
kerp: Operation = _kelvin("kerp", "The derivative of ker", lambda y, x: -kei(x) - y / x)
keip: Operation = _kelvin("keip", "The derivative of kei", lambda y, x: ker(x) - y / x)


def _first_term(v: Value, x: Value) -> Value:
    """``(x / 2)**v / (√π Γ(v + 3/2))``."""
    return (0.5 * x) ** v / (ROOT_PI * gamma(v + 1.5))


def _series(sign: int) -> Callable[..., Any]:
    def meaning(sp: Any, v: Any, x: Any) -> Any:
        a, b = sp.Rational(3, 2), v + sp.Rational(3, 2)
        first = 2 * (x / 2) ** (v + 1) / (sp.sqrt(sp.pi) * sp.gamma(b))
        return first * sp.hyper((1,), (a, b), sign * x**2 / 4)

    return meaning


struve: Operation = _of_order(
    "struve",
    "v",
    lambda y, v, x: 0.5 * (struve(v - 1.0, x) - struve(v + 1.0, x) + _first_term(v, x)),
    _series(-1),
    "Struve's function",
)
modstruve: Operation = _of_order(
    "modstruve",
    "v",
    lambda y, v, x: 0.5 * (modstruve(v - 1.0, x) + modstruve(v + 1.0, x) + _first_term(v, x)),
    _series(1),
    "Struve's modified function",
)

# What calls mean ----------------------------------------------------------------------------------


@when_imported("scipy.special")
def _register(special: ModuleType) -> None:
    for name, slope in _SLOPES.items():
        lowers(getattr(special, name))(_of_whole_order(special_op(name), slope))
    lowers(special.airy)(_airy_functions)
    lowers(special.airye)(_scaled_airy_functions)


def _of_whole_order(operation: Operation, slope: Operation) -> Callable[..., Any]:
    def lowering(n: Any, z: Any, derivative: Any = False) -> Value:
        order, argument = staged(n), staged(z)
        if array_type(order).dtype.kind not in "iu":
            order = cast(order, np.dtype(int))
        return (slope if static(derivative) else operation)(order, argument)

    return lowering


def _airy_functions(z: Any) -> tuple[Value, ...]:
    value = staged(z)
    return tuple(op(value) for op in (airy_ai, airy_ai_prime, airy_bi, airy_bi_prime))


def _scaled_airy_functions(z: Any) -> tuple[Value, ...]:
    value = staged(z)
    if is_complex(value):
        raise UnsupportedCallError("scipy.special.airye of complex numbers")
    return airye_ai(value), airye_ai_prime(value), airye_bi(value), airye_bi_prime(value)
