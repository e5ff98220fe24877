"""Models as scientists publish them: series, filters, reactions, doses, collisions."""

import bisect
import itertools
import math
import warnings
from collections import Counter, namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.programs.registry import program

RETURNS = np.array([0.3, -0.5, 0.8, 0.1, -0.9, 0.4, 0.7, -0.2])


class Recursion:
    """The variance of each day from shocks and variances of the days before."""

    def __init__(self, shocks=1, memory=1, exponent=2.0):
        self.shocks, self.memory, self.exponent = int(shocks), int(memory), exponent
        self.label = self.described()

    def described(self):
        if self.exponent == 2.0:
            return "squared" if self.memory > 0 else "squared, without memory"
        return "of a power"

    def orders(self):
        yield from (("shocks", self.shocks), ("memory", self.memory))

    def __str__(self):
        return f"{self.label}: {', '.join(f'{name}={n}' for name, n in self.orders())}"

    def variances(self, theta, returns):
        level, *weights = theta
        sizes = np.abs(returns) ** self.exponent
        start = sizes.mean()
        powers = np.full(len(returns), start)
        for day in range(len(returns)):
            powers[day] = level
            for lag, weight in enumerate(weights[: self.shocks], start=1):
                powers[day] += weight * (sizes[day - lag] if day >= lag else start)
            for lag, weight in enumerate(weights[self.shocks :], start=1):
                powers[day] += weight * (powers[day - lag] if day >= lag else start)
            if powers[day] < 1e-8:
                powers[day] = 1e-8
        powers **= 2.0 / self.exponent
        return powers

    def likelihood(self, theta, returns):
        v = self.variances(theta, returns)
        return -0.5 * np.sum(np.log(2.0 * np.pi * v) + returns**2 / v)


@program(args=(np.array([0.1, 0.2, 0.6]),), step=0.003)
def likelihood_of_returns(theta):
    plain, other = Recursion(), Recursion(memory=0, exponent=1.5)
    total = plain.likelihood(theta, RETURNS) + other.likelihood(theta[:2], RETURNS)
    return total + len(str(plain)) * theta[0] + len(str(other)) * theta[1]


class SpreadFilter:
    """A filter that carries points spread around the mean through functions."""

    def __init__(self, mean, covariance, move, see):
        self.mean, self.covariance = mean, covariance
        self.move, self.see = move, see
        self.seen = np.array([[None] * 1]).T
        self.evidence = 0.0

    def spread(self):
        n = len(self.mean)
        root = np.linalg.cholesky(n * self.covariance)
        yield from (self.mean + sign * root[:, k] for k in range(n) for sign in (1, -1))

    @staticmethod
    def moments(points, noise):
        rows = np.array(points)
        mean = rows.mean(axis=0)
        return mean, (rows - mean).T @ (rows - mean) / len(rows) + noise

    def step(self, seen, noise, error, **settings):
        points = [self.move(p, **settings) for p in self.spread()]
        self.mean, self.covariance = self.moments(points, noise)
        if seen is None:
            self.seen = np.array([[None] * 1]).T
            return
        self.seen[0, 0] = seen
        points = list(self.spread())
        images = [self.see(p) for p in points]
        middle, spread = self.moments(images, error)
        both = sum(np.outer(p - self.mean, q - middle) for p, q in zip(points, images, strict=True))
        gain = both / len(points) @ np.linalg.inv(spread)
        self.mean = self.mean + gain @ (seen - middle)
        self.covariance = self.covariance - gain @ spread @ gain.T
        missed = (seen - middle) @ np.linalg.solve(spread, seen - middle)
        self.evidence -= 0.5 * (missed + np.linalg.slogdet(spread)[1])


@program(args=(0.1, 0.3, np.array([1.0, 1.2, 1.1, 1.6])), wrt=(0, 1, 2), step=0.01)
def pendulum_seen_now_and_then(q, r, seen):
    def move(state, *, damping=0.1):
        angle, speed = state
        return np.array([angle + 0.1 * speed, speed - 0.1 * (np.sin(angle) + damping * speed)])

    found = SpreadFilter(
        np.array([0.5, 0.2]), 0.2 * np.eye(2), move, lambda state: np.array([np.sin(state[0])])
    )
    for k, value in enumerate([*seen[:2], None, *seen[2:]]):
        found.step(value, q**2 * np.eye(2), r**2 * np.eye(1), damping=0.05 * k)
    return found.evidence + found.mean.sum() + found.seen.T[0][0] ** 2


Reaction = namedtuple("Reaction", "name rate reactants products")


class Network:
    def __init__(self):
        self.reactions = []

    def add(self, text, rate):
        left, _, right = (s.strip() for s in text.partition("->"))
        parse = lambda side: Counter(s.strip() for s in side.split("+") if s.strip() != "0")
        self.reactions.append(Reaction(f"R{len(self.reactions)}", rate, parse(left), parse(right)))
        return self

    def propensities(self, state):
        for r in self.reactions:
            a = r.rate
            for s, n in r.reactants.items():
                for k in range(n):
                    a = a * (state[s] - k)
            yield a

    def run(self, state, uniforms, tmax):
        state = Counter(state)
        t = 0.0
        it = iter(uniforms)
        weighted = 0.0
        while t < tmax:
            a = list(self.propensities(state))
            cumulative = list(itertools.accumulate(a))
            if cumulative[-1] <= 0:
                break
            try:
                u, v = next(it), next(it)
            except StopIteration:
                break
            tau = -math.log(u) / cumulative[-1]
            t += tau
            weighted += tau * state["B"]
            r = self.reactions[bisect.bisect(cumulative, v * cumulative[-1])]
            state.subtract(r.reactants)
            state.update(r.products)
        return t, weighted, state


@program(args=(1.0, 0.5, 0.3), wrt=(0, 1, 2), step=0.003)
def reactions_at_random(k1, k2, k3):
    net = Network().add("A -> B", k1).add("B + B -> C", k2).add("C -> 0", k3).add("0 -> A", 0.4)
    u = [
        0.31,
        0.72,
        0.55,
        0.1,
        0.83,
        0.47,
        0.22,
        0.91,
        0.64,
        0.38,
        0.12,
        0.77,
        0.6,
        0.05,
        0.44,
        0.66,
    ]
    t, weighted, state = net.run({"A": 5, "B": 1, "C": 0}, u, 50.0)
    return t + weighted**2 + state.total() + sum(state[s] for s in "AB")


class LeftBracketWarning(UserWarning):
    pass


class Equilibrium:
    R = 8.314

    def __init__(self, stoich, dG, dH, T0=298.15):
        self.stoich, self.dG, self.dH, self.T0 = stoich, dG, dH, T0

    def K(self, T):
        return np.exp(-self.dG / self.R / self.T0 - self.dH / self.R * (1 / T - 1 / self.T0))

    def moles(self, n0, xi):
        return {s: n0.get(s, 0.0) + nu * xi for s, nu in self.stoich.items()}

    def residual(self, xi, T, P, n0):
        n = self.moles(n0, xi)
        total = sum(n.values())
        lhs = rhs = 1.0
        for s, nu in self.stoich.items():
            y = n[s] / total * P
            if nu > 0:
                lhs *= y**nu
            else:
                rhs *= y ** (-nu)
        return lhs - self.K(T) * rhs

    def limits(self, n0):
        lo = max(-n0.get(s, 0) / nu for s, nu in self.stoich.items() if nu > 0)
        hi = min(n0.get(s, 0) / -nu for s, nu in self.stoich.items() if nu < 0)
        return lo, hi

    def solve(self, T, P=1.0, *, n0, method="newton", log=None):
        lo, hi = self.limits(n0)
        f = lambda xi: self.residual(xi, T, P, n0)
        if method == "newton":
            xi = 0.5 * (lo + hi)
            for it in range(30):
                h = 1e-6
                df = (f(xi + h) - f(xi - h)) / (2 * h)
                new = xi - f(xi) / df
                if not lo < new < hi:
                    warnings.warn("left the bracket", LeftBracketWarning, stacklevel=2)
                    return self.solve(T, P, n0=n0, method="bisect", log=log)
                if abs(new - xi) < 1e-14:
                    break
                xi = new
            else:
                raise RuntimeError("no convergence")
        elif method == "bisect":
            a, b = lo + 1e-12, hi - 1e-12
            fa = f(a)
            for it in range(60):
                xi = 0.5 * (a + b)
                if f(xi) * fa > 0:
                    a, fa = xi, f(xi)
                else:
                    b = xi
            h = 1e-6
            xi = xi - f(xi) / ((f(xi + h) - f(xi - h)) / (2 * h))
        else:
            raise ValueError(method)
        if log is not None:
            log.append((method, it))
        return xi


@program(
    args=(900.0, 2.0, -33.0), wrt=(0, 1, 2), also=((700.0, 2.0, -33.0),), step=0.003, order2=False
)
def ammonia_at_equilibrium(T, P, dG):
    eq = Equilibrium({"N2": -1, "H2": -3, "NH3": 2}, dG * 1e3, -92e3)
    log = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftBracketWarning)
        x = eq.solve(T, P, n0={"N2": 1.0, "H2": 3.0}, log=log)
        y = eq.solve(T, P * 50, n0={"N2": 1.0, "H2": 3.0, "NH3": 0.1}, method="bisect", log=log)
    n = eq.moles({"N2": 1.0, "H2": 3.0}, x)
    return n["NH3"] / sum(n.values()) + y + len(log) * x + sum(m == "bisect" for m, _ in log) * y


@dataclass(order=True)
class Dose:
    time: float
    amount: float = field(compare=False)
    route: str = field(default="iv", compare=False)


class Regimen:
    def __init__(self, *doses):
        self._doses = sorted(doses)

    @classmethod
    def every(cls, interval, amount, n, start=0.0, **kw):
        return cls(*(Dose(start + k * interval, amount, **kw) for k in range(n)))

    def __add__(self, other):
        return Regimen(*self, *other)

    def __iter__(self):
        yield from self._doses

    def __len__(self):
        return len(self._doses)

    def upto(self, t):
        return self._doses[: bisect.bisect_right(self._doses, Dose(t, 0.0))]


class OneCompartment:
    def __init__(self, *, CL, V, ka=None, F=1.0):
        self.CL, self.V, self.ka, self.F = CL, V, ka, F

    @property
    def k(self):
        return self.CL / self.V

    @property
    def half_life(self):
        return math.log(2) / self.k

    def single(self, dose, t):
        dt = t - dose.time
        if dt < 0:
            return 0.0
        if dose.route == "iv":
            return dose.amount / self.V * math.exp(-self.k * dt)
        if self.ka is None:
            raise ValueError(f"no ka for route {dose.route!r}")
        if math.isclose(self.ka, self.k, rel_tol=1e-9):
            return self.F * dose.amount / self.V * self.k * dt * math.exp(-self.k * dt)
        return (
            self.F
            * dose.amount
            * self.ka
            / self.V
            / (self.ka - self.k)
            * (math.exp(-self.k * dt) - math.exp(-self.ka * dt))
        )

    def __call__(self, t, regimen):
        if np.ndim(t):
            return np.asarray([self(s, regimen) for s in t])
        return math.fsum(self.single(d, t) for d in regimen.upto(t))


@program(args=(2.0, 10.0, 0.9), wrt=(0, 1, 2), step=0.01)
def concentrations_of_doses(CL, V, ka):
    m = OneCompartment(CL=CL, V=V, ka=ka, F=0.8)
    plan = Regimen.every(8, 100.0, 3, route="oral") + Regimen(Dose(4.0, 20.0), Dose(2.5, 30.0))
    c = m(np.array([1.0, 3.0, 9.0, 30.0]), plan)
    try:
        OneCompartment(CL=CL, V=V)(5.0, plan)
    except ValueError as e:
        c = c * len(str(e))
    auc = np.trapezoid(c, [1.0, 3.0, 9.0, 30.0])
    return auc / 100 + c.max() + m.half_life + len(plan) * ka + m(2.6, plan)


@dataclass
class Event:
    func: Callable
    terminal: bool = False
    direction: int = 0
    action: Callable | None = None
    count: int = 0


def integrate(f, y, t0, t1, h, events=()):
    t, ts, ys, log = t0, [t0], [y], []
    g = [e.func(t, y) for e in events]
    while t < t1 - 1e-12:
        step = min(h, t1 - t)
        k1 = f(t, y)
        k2 = f(t + step / 2, y + step / 2 * k1)
        k3 = f(t + step / 2, y + step / 2 * k2)
        k4 = f(t + step, y + step * k3)
        new = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        for i, e in enumerate(events):
            gn = e.func(t + step, new)
            if g[i] * gn < 0 and (e.direction == 0 or (gn - g[i]) * e.direction > 0):
                lo, hi = 0.0, 1.0
                th = g[i] / (g[i] - gn)
                y_e = y + th * (new - y)
                for _ in range(3):
                    ge = e.func(t + th * step, y + th * (new - y))
                    dth = 1e-6
                    slope = (e.func(t, y + (th + dth) * (new - y)) - ge) / dth
                    th = th - ge / slope
                y_e = y + th * (new - y)
                e.count += 1
                log.append((i, t + th * step))
                if e.action is not None:
                    new = e.action(t, y_e)
                    step = th * step
                gn = e.func(t + step, new)
                if e.terminal and e.count >= 3:
                    return ts, ys, log
            g[i] = gn
        y, t = new, t + step
        ts.append(t)
        ys.append(y)
    return ts, ys, log


@program(args=(1.3, 0.8), wrt=(0, 1), step=0.003, order2=False)
def ball_with_events(height, bounce):
    f = lambda t, y: np.array([y[1], -9.81])
    hit = Event(
        lambda t, y: y[0],
        terminal=True,
        direction=-1,
        action=lambda t, y: np.array([1e-9, -bounce * y[1]]),
    )
    apex = Event(lambda t, y: y[1] - 0.01)
    ts, ys, log = integrate(f, np.array([height, 0.0]), 0.0, 2.0, 0.05, (hit, apex))
    return ts[-1] + ys[-1] @ [1.0, 0.1] + sum(t * (i + 1) for i, t in log) + hit.count * bounce
