"""Formulas as property packages write them.

Tables by name, methods chosen by text, correlations that fall back, equations of state as classes,
solvers that give way to others, results kept on objects.
"""

import math
from collections import ChainMap, namedtuple
from math import exp, log, sqrt
from types import MappingProxyType

import numpy as np

from tests.programs.registry import program

R = 8.31446261815324

ANTOINE = {
    "water": (10.11, 1687.5, -42.98),
    "ethanol": (10.25, 1648.2, -42.23),
}
CRITICAL = MappingProxyType({"water": (647.1, 22.06e6, 0.344), "methane": (190.6, 4.6e6, 0.011)})
DEFAULTS = {"rough": 1e-4, "method": None, "full": False}


class OutOfRangeError(ValueError):
    """A correlation was asked for what it does not cover."""

    def __init__(self, name, value):
        super().__init__(f"{name} = {value:.3g} is out of range")
        self.name, self.value = name, value


class UnconvergedError(Exception):
    """A solver gave up; ``point`` is where it stood."""

    def __init__(self, message, point=None, iterations=0):
        super().__init__(message)
        self.point = point
        self.iterations = iterations


def secant(func, x0, args=(), xtol=1e-13, maxiter=60, low=None, high=None):
    """The secant method, as packages carry it with them."""
    p0 = 1.0 * x0
    p1 = x0 * 1.0001 + 1e-4 if x0 >= 0 else x0 * 1.0001 - 1e-4
    q0, q1 = func(p0, *args), func(p1, *args)
    for i in range(maxiter):
        if q1 == q0:
            if p1 == p0 or abs(q1) < 1e-12:
                return (p1 + p0) / 2.0
            raise UnconvergedError("the slope vanished", p1, i)
        p = p1 - q1 * (p1 - p0) / (q1 - q0)
        if low is not None and p < low:
            p = low
        if high is not None and p > high:
            p = high
        if abs(p - p1) <= xtol * abs(p):
            return p
        p0, q0 = p1, q1
        p1, q1 = p, func(p, *args)
    raise UnconvergedError("too many iterations", p, maxiter)


def bisect(func, low, high, args=(), turns=60):
    """Halving, and a last step of the secant, which carries the derivative."""
    flow = func(low, *args)
    for _ in range(turns):
        mid = 0.5 * (low + high)
        fmid = func(mid, *args)
        if (fmid > 0) == (flow > 0):
            low = mid
        else:
            high = mid
    a, b = mid - 1e-4, mid + 1e-4
    fa, fb = func(a, *args), func(b, *args)
    return b - fb * (b - a) / (fb - fa)


@program(args=(350.0,), also=((290.0,),))
def antoine_by_name(T, name="water"):
    try:
        A, B, C = ANTOINE[name]
    except KeyError:
        raise ValueError(f"no coefficients for {name!r}; there are {sorted(ANTOINE)}") from None
    return 10.0 ** (A - B / (T + C))


@program(args=(350.0, 2e5), also=((420.0, 9e5),), wrt=(0, 1))
def pressure_ratio_of_any(T, P, names=("water", "acetone", "ethanol")):
    total = 0.0
    for name in names:
        try:
            A, B, C = ANTOINE[name]
        except KeyError:
            continue
        else:
            total += 10.0 ** (A - B / (T + C)) / P
        finally:
            P = P * 1.01
    return total


@program(args=(1e5,), also=((900.0,), (3e3,)))
def friction_factor(Re, eD=1e-3, Method=None):
    """Laminar, or turbulent by the method that is named."""
    if Re < 2040.0:
        return 64.0 / Re
    methods = {
        "Haaland": lambda Re, eD: (-1.8 * math.log10((eD / 3.7) ** 1.11 + 6.9 / Re)) ** -2,
        "Swamee": lambda Re, eD: 0.25 / math.log10(eD / 3.7 + 5.74 / Re**0.9) ** 2,
    }
    Method2 = "Haaland" if Method is None else Method
    if Method2 not in methods:
        raise ValueError("the method is not known: " + Method2)
    return methods[Method2](Re, eD)


@program(args=(1e5, 1.0), also=((4e4, 10.0),), wrt=(0, 1))
def colebrook(Re, roughness):
    eD = 1e-3 * roughness

    def to_solve(x):
        return x + 2.0 * math.log10(eD / 3.7 + 2.51 * x / Re)

    try:
        x = secant(to_solve, 6.0, xtol=1e-15)
    except UnconvergedError as error:
        x = error.point
    return 1.0 / (x * x)


@program(args=(2.0,), also=((0.3,),))
def solver_or_another(a):
    def to_solve(x):
        if x < 0:
            raise UnconvergedError("left the domain", x)
        return sqrt(x) - a

    try:
        return secant(to_solve, 0.01, maxiter=30)
    except (UnconvergedError, ZeroDivisionError):
        return bisect(to_solve, 0.0, 10.0)


class Cubic:
    """A cubic equation of state; classes below give ``a`` and ``b``."""

    c1, c2 = 0.4572355289213825, 0.07779607390388854
    delta, epsilon = 2.0, -1.0

    def __init__(self, Tc, Pc, omega, T=None, P=None):
        self.Tc, self.Pc, self.omega = Tc, Pc, omega
        self.T, self.P = T, P
        self.b = self.c2 * R * Tc / Pc
        self.a = self.c1 * R * R * Tc * Tc / Pc
        self.set_constants()
        if T is not None and P is not None:
            self.solve()

    def set_constants(self):
        """For classes with more constants."""

    def alpha(self, T):
        raise NotImplementedError(type(self).__name__ + " has no alpha")

    def pressure(self, V, T):
        a = self.a * self.alpha(T)
        b = self.b
        return R * T / (V - b) - a / (V * V + self.delta * b * V + self.epsilon * b * b)

    def solve(self):
        V = R * self.T / self.P
        for _ in range(50):
            h = 1e-6 * V
            slope = (self.pressure(V + h, self.T) - self.pressure(V - h, self.T)) / (2 * h)
            step = (self.pressure(V, self.T) - self.P) / slope
            V = V - step
            if abs(step) < 1e-13 * V:
                break
        self.V = V
        self.phase = "g" if V > 5 * self.b else "l"

    @property
    def Z(self):
        return self.P * self.V / (R * self.T)

    @property
    def lnphi(self):
        A = self.a * self.alpha(self.T) * self.P / (R * self.T) ** 2
        B = self.b * self.P / (R * self.T)
        root2 = 2.0**0.5
        Z = self.Z
        top, bottom = Z + (1 + root2) * B, Z + (1 - root2) * B
        return Z - 1 - log(Z - B) - A / (2 * root2 * B) * log(top / bottom)


class PengRobinson(Cubic):
    """Peng and Robinson's, with kappa of the acentric factor."""

    def set_constants(self):
        w = self.omega
        self.kappa = 0.37464 + 1.54226 * w - 0.26992 * w * w

    def alpha(self, T):
        return (1 + self.kappa * (1 - sqrt(T / self.Tc))) ** 2


class VanDerWaals(Cubic):
    c1, c2 = 27.0 / 64.0, 0.125
    delta = epsilon = 0.0

    def alpha(self, T):
        return 1.0


@program(args=(300.0, 1e6), also=((450.0, 2e6),), wrt=(0, 1))
def compressibility(T, P):
    return PengRobinson(*CRITICAL["methane"], T=T, P=P).Z


@program(args=(300.0, 1e6), wrt=(0, 1))
def fugacity_coefficient(T, P):
    Tc, Pc, omega = CRITICAL["methane"]
    eos = PengRobinson(Tc, Pc, omega, T=T, P=P)
    if eos.phase == "l":
        return None
    return exp(eos.lnphi)


@program(args=(300.0, 1e6), wrt=(0, 1))
def volumes_of_models(T, P):
    Tc, Pc, omega = CRITICAL["methane"]
    return sum(model(Tc, Pc, omega, T, P).V for model in (PengRobinson, VanDerWaals)) * 1e3


Shomate = namedtuple("Shomate", "low high A B C D E")
GAS = [
    Shomate(298.0, 500.0, 28.98641, 1.853978, -9.647459, 16.63537, 0.000117),
    Shomate(500.0, 2000.0, 19.50583, 19.88705, -8.598535, 1.369784, 0.527601),
]


@program(args=(400.0,), also=((900.0,),))
def heat_capacity(T):
    for piece in GAS:
        if piece.low <= T < piece.high:
            break
    else:
        raise OutOfRangeError("T", T)
    t = T / 1000.0
    return piece.A + t * (piece.B + t * (piece.C + t * piece.D)) + piece.E / (t * t)


@program(args=(450.0, 700.0), also=((350.0, 400.0),), wrt=(0, 1))
def enthalpy_change(T1, T2):
    def primitive(p, T):
        t = T / 1000.0
        return 1000.0 * (p.A * t + p.B * t**2 / 2 + p.C * t**3 / 3 + p.D * t**4 / 4 - p.E / t)

    dH = 0.0
    for p in GAS:
        low, high = max(p.low, T1), min(p.high, T2)
        if low >= high:
            continue
        dH += primitive(p, high) - primitive(p, low)
    return dH


@program(args=(0.3, 1.2), also=((1.7, 0.4),), wrt=(0, 1))
def options_of_several_sources(x, rough, **kwargs):
    options = ChainMap(kwargs, {"rough": rough}, DEFAULTS)
    y = x * options["rough"]
    if options.get("method") is None and not options["full"]:
        y += options["rough"] ** 2
    return y


@program(args=(0.7, 2.0), also=((1.4, 0.5),), wrt=(0, 1))
def orifice(beta, dP, *, taps="corner"):
    match taps:
        case "corner":
            L1 = L2 = 0.0
        case "flange" | "pipe":
            L1 = L2 = 0.47
        case str() as other:
            raise ValueError(f"taps {other!r}")
    M2 = 2.0 * L2 / (1.0 - min(beta, 0.8))
    C = 0.5961 + 0.0261 * beta**2 - 0.216 * beta**8 + 0.04 * L1 - 0.03 * M2
    try:
        E = 1.0 / sqrt(1.0 - beta**4)
    except ValueError:
        E = 1.0 / beta
    return C * E * sqrt(2.0 * dP)


@program(args=([0.3, 0.2, 0.5], 1.3), wrt=(0, 1))
def mixing_rule(zs, k):
    N = len(zs)
    cmps = range(N)
    a = [1.0 + 0.3 * i for i in cmps]
    total = 0.0
    for i in cmps:
        zi = zs[i]
        for j in range(i):
            total += 2.0 * zi * zs[j] * sqrt(a[i] * a[j]) * (1.0 - 0.05 * k)
        total += zi * zi * a[i]
    return total


@program(args=([0.3, 0.2, 0.5], 0.6), wrt=(0, 1))
def rachford_rice(zs, scale):
    Ks = [4.0 * scale, 1.6, 0.3]
    K_minus = [K - 1.0 for K in Ks]

    def err(V_over_F):
        return sum([z * k / (1.0 + V_over_F * k) for z, k in zip(zs, K_minus)])

    low, high = 1.0 / (1.0 - max(Ks)), 1.0 / (1.0 - min(Ks))
    guess = 0.5 * (low + high)
    try:
        V_over_F = secant(err, guess, low=low + 1e-9, high=high - 1e-9)
    except Exception:
        V_over_F = bisect(err, low + 1e-9, high - 1e-9)
    LF = 1.0 - V_over_F
    xs = [z / (1.0 + V_over_F * k) for z, k in zip(zs, K_minus)]
    ys = [K * x for K, x in zip(Ks, xs)]
    return LF + sum(y * y for y in ys)


@program(args=(330.0,))
def property_by_methods(T):
    class Property:
        name = "viscosity"
        ranked = ("PERRY", "DIPPR", "LETSOU")

        def __init__(self, Tmax):
            self.Tmax = Tmax
            self._method = None
            self.failed = set()

        def calculate(self, T, method):
            if method == "PERRY":
                if T > 300:
                    raise OutOfRangeError("T", T)
                return 1e-3 * T
            if method == "DIPPR":
                return exp(-7.0 + 1200.0 / T)
            return 2e-5 * T**0.6

        def __call__(self, T):
            for method in self.ranked:
                try:
                    value = self.calculate(T, method)
                except OutOfRangeError:
                    self.failed.add(method)
                    continue
                self._method = method
                return value
            return None

    mu = Property(600.0)
    value = mu(T)
    assert mu._method == "DIPPR" and "PERRY" in mu.failed
    return value * 1e3


@program(args=(1.5, 0.4), wrt=(0, 1))
def flow_with_checks(Q, D):
    if D <= 0:
        raise ValueError("The diameter must be positive; it is %g" % D)
    solve_for = [key for key, v in zip(("Q", "D", "v"), (Q, D, None)) if v is None]
    assert len(solve_for) == 1
    (unknown,) = solve_for
    A = math.pi / 4 * D**2
    return {"v": lambda: Q / A, "Q": lambda: A}[unknown]()


@program(args=(0.02, 1.5), also=((0.3, 0.7),), wrt=(0, 1))
def series_until_small(x, a):
    term = total = 1.0
    n = 0
    while True:
        n += 1
        term *= (a + n - 1) * x / n
        total += term
        if abs(term) < 1e-17 * abs(total):
            return total
        if n > 500:
            raise ArithmeticError("no convergence")


@program(args=(300.0, 5e4), wrt=(0, 1))
def saturation_by_newton(T0, P):
    A, B, C = ANTOINE["water"]
    T, iterations = T0, 0
    while True:
        f = A - B / (T + C) - math.log10(P)
        fprime = B / (T + C) ** 2
        dT = f / fprime
        T, T_old = T - dT, T
        iterations += 1
        if abs(T - T_old) < 1e-12 * T or iterations >= 40:
            break
    return T


class Stream:
    """A stream whose derived values are computed once, when they are asked for."""

    def __init__(self, T, ws):
        self.T = T
        self.ws = ws

    @property
    def Cp(self):
        try:
            return self._Cp
        except AttributeError:
            pass
        self._Cp = sum(w * (1.0 + 0.002 * self.T) for w in self.ws)
        return self._Cp

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name.endswith("_log"):
            return log(getattr(self, name[:-4]))
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def __add__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        return Stream(0.5 * (self.T + other.T), [a + b for a, b in zip(self.ws, other.ws)])


@program(args=(300.0, 0.4), wrt=(0, 1))
def streams_mixed(T, w):
    feed = Stream(T, [w, 1.0 - w])
    both = feed + Stream(350.0, [0.2, w * w])
    return both.Cp * both.T_log + feed.Cp * feed.Cp_log


@program(args=(1.0, 3.0), also=((5.0, 3.0),), wrt=(0, 1))
def first_that_is_given(Q1, Q2, h=None):
    given = {k: v for k, v in dict(Q1=Q1, Q2=Q2, h=h).items() if v is not None}
    if not {"Q1", "Q2"} <= given.keys():
        raise TypeError("give two of Q1, Q2, h")
    h = given.setdefault("h", (given["Q1"] * given["Q2"]) ** 0.5)
    return h + given.pop("Q1") / len(given)


@program(args=(1.2,), also=((12.0,),))
def interpolated_table(x):
    xs = [0.0, 1.0, 2.0, 5.0, 10.0]
    ys = [0.0, 0.8, 1.3, 2.2, 2.9]
    if x <= xs[0]:
        return ys[0]
    for (x0, x1), (y0, y1) in zip(zip(xs, xs[1:]), zip(ys, ys[1:])):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    slope = (ys[-1] - ys[-2]) / (xs[-1] - xs[-2])
    return ys[-1] + slope * (x - xs[-1])


@program(args=(np.array([320.0, 380.0, 540.0]),))
def scalar_or_array(T):
    T = np.asarray(T, dtype=float)
    if T.ndim == 0:
        return heat_capacity(float(T))
    out = np.empty_like(T)
    for i, Ti in enumerate(T.flat):
        out.flat[i] = heat_capacity(Ti)
    return out.sum()


@program(args=(0.8, 1.1), wrt=(0, 1))
def coefficients_by_horner(x, c):
    def horner(coeffs, x):
        total = 0.0
        for c in coeffs:
            total = total * x + c
        return total

    numerator, denominator = (1.0, 2.0 * c, 3.0), (c, -0.5, 4.0)
    return horner(numerator, x) / horner(denominator, x)


@program(args=(0.4, 2.5), also=((0.9, 0.3),), wrt=(0, 1))
def activity_coefficients(x1, tau):
    """Wilson's and NRTL's, by a table of bound methods."""

    class Model:
        def __init__(self, **parameters):
            self.__dict__.update(parameters)

        def wilson(self, x):
            s = x + (1 - x) * self.tau
            return -log(s) + (1 - x) * (self.tau / s - 0.5)

        def nrtl(self, x, alpha=0.3):
            G = exp(-alpha * self.tau)
            return (1 - x) ** 2 * self.tau * (G / (x + (1 - x) * G)) ** 2

    model = Model(tau=tau, name="binary")
    return sum(getattr(model, name)(x1) for name in ("wilson", "nrtl"))
