"""Analyses as people write them: estimators that are fitted, filters, solvers with callbacks and
histories, little languages that are parsed, simulations made of parts.
"""

import abc
import bisect
import collections
import configparser
import contextlib
import dataclasses
import functools
import heapq
import itertools
import json
import logging
import math
import re
import string
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tests.programs.registry import program

LOG = logging.getLogger(__name__)
SERIES = np.array([0.3, 0.9, 1.4, 1.1, 0.2, -0.6, -0.4, 0.5, 1.2, 0.8])
DATA = np.array([[0.2, 1.1], [1.4, -0.3], [0.7, 0.8], [-0.9, 0.4], [1.1, 1.9], [0.1, -1.2]])


# Estimators


class NotFittedError(ValueError, AttributeError):
    """An estimator was asked before it was fitted."""


class Estimator(abc.ABC):
    """Parameters are what ``__init__`` takes; what ``fit`` finds ends with an underscore."""

    def get_params(self):
        return {k: v for k, v in vars(self).items() if not k.endswith("_")}

    def set_params(self, **params):
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"invalid parameter {name!r} of {type(self).__name__}")
            setattr(self, name, value)
        return self

    @abc.abstractmethod
    def fit(self, X, y=None): ...

    def _check_is_fitted(self):
        if not any(name.endswith("_") for name in vars(self)):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet")


class Scaler(Estimator):
    def __init__(self, with_mean=True):
        self.with_mean = with_mean

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0) if self.with_mean else np.zeros(X.shape[1])
        self.scale_ = X.std(axis=0)
        self.scale_[self.scale_ == 0.0] = 1.0
        return self

    def transform(self, X):
        self._check_is_fitted()
        return (X - self.mean_) / self.scale_

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)


class Ridge(Estimator):
    def __init__(self, alpha=1.0, fit_intercept=True):
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def fit(self, X, y=None):
        n, p = X.shape
        A = np.column_stack([np.ones(n), X]) if self.fit_intercept else X
        penalty = self.alpha * np.eye(A.shape[1])
        if self.fit_intercept:
            penalty[0, 0] = 0.0
        w = np.linalg.solve(A.T @ A + penalty, A.T @ y)
        self.intercept_, self.coef_ = (w[0], w[1:]) if self.fit_intercept else (0.0, w)
        return self

    def predict(self, X):
        self._check_is_fitted()
        return X @ self.coef_ + self.intercept_

    def score(self, X, y):
        u = ((y - self.predict(X)) ** 2).sum()
        v = ((y - y.mean()) ** 2).sum()
        return 1 - u / v


class Pipeline(Estimator):
    def __init__(self, steps):
        self.steps = steps

    @property
    def named_steps(self):
        return dict(self.steps)

    def fit(self, X, y=None):
        for name, step in self.steps[:-1]:
            X = step.fit_transform(X, y)
        self.last_ = self.steps[-1][1].fit(X, y)
        return self

    def predict(self, X):
        for _, step in self.steps[:-1]:
            X = step.transform(X)
        return self.last_.predict(X)


def split(n, folds):
    sizes = np.full(folds, n // folds, dtype=int)
    sizes[: n % folds] += 1
    stop = 0
    for size in sizes:
        start, stop = stop, stop + size
        test = np.arange(start, stop)
        yield np.setdiff1d(np.arange(n), test), test


@program(args=(0.7, DATA), also=((0.05, DATA * 2.0),), wrt=(0, 1))
def cross_validated_score(alpha, X):
    y = X[:, 0] * 0.5 - np.sin(X[:, 1])
    scores = []
    for train, test in split(len(X), 3):
        model = Pipeline([("scale", Scaler()), ("ridge", Ridge(alpha=1.0))])
        model.named_steps["ridge"].set_params(alpha=alpha)
        try:
            model.predict(X[test])
        except AttributeError:
            model.fit(X[train], y[train])
        scores.append(np.mean((model.predict(X[test]) - y[test]) ** 2))
    return np.mean(scores)


class KMeans(Estimator):
    def __init__(self, centres, max_iter=20, tol=1e-8):
        self.centres, self.max_iter, self.tol = centres, max_iter, tol

    def fit(self, X, y=None):
        centres = np.array(self.centres, dtype=float)
        for self.n_iter_ in range(1, self.max_iter + 1):
            distances = ((X[:, None, :] - centres[None]) ** 2).sum(axis=2)
            labels = distances.argmin(axis=1)
            updated = np.stack(
                [
                    X[labels == k].mean(axis=0) if np.any(labels == k) else c
                    for k, c in enumerate(centres)
                ]
            )
            shift = np.linalg.norm(updated - centres)
            centres = updated
            if shift < self.tol:
                break
        else:
            warnings.warn("not converged", RuntimeWarning, stacklevel=2)
        self.cluster_centers_, self.labels_ = centres, labels
        self.inertia_ = sum(((x - centres[k]) ** 2).sum() for x, k in zip(X, labels, strict=True))
        return self


@program(args=(DATA,), step=0.01)
def inertia_of_clusters(X):
    found = KMeans(X[[0, 3]]).fit(X)
    return found.inertia_ + 0.1 * found.cluster_centers_[0].sum() * found.n_iter_


# Series and filters


class KalmanFilter:
    """A local level and slope, missing observations left out."""

    def __init__(self, q, r):
        self.F = np.array([[1.0, 1.0], [0.0, 1.0]])
        self.Q = np.diag([q, 0.1 * q])
        self.H = np.array([[1.0, 0.0]])
        self.R = np.array([[r]])
        self.x = np.zeros(2)
        self.P = np.eye(2) * 10.0
        self.history = []

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        if z is None:
            return 0.0
        S = self.H @ self.P @ self.H.T + self.R
        innovation = z - self.H @ self.x
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ innovation
        self.P = (np.eye(2) - K @ self.H) @ self.P
        self.history.append((self.x.copy(), self.P.copy()))
        return -0.5 * (
            innovation @ np.linalg.solve(S, innovation) + np.log(np.linalg.det(2 * np.pi * S))
        )


@program(args=(0.2, 0.5), also=((0.01, 2.0),), wrt=(0, 1))
def likelihood_by_filter(q, r):
    kalman = KalmanFilter(q, r)
    total = 0.0
    for k, z in enumerate(SERIES):
        kalman.predict()
        total += kalman.update(None if k in {3, 4} else z)
    level = kalman.history[-1][0][0]
    return total + level * len(kalman.history)


@program(args=(np.array([0.1, 0.2, 0.7]),))
def garch(theta):
    omega, alpha, beta = theta
    returns = SERIES - SERIES.mean()
    sigma2 = np.empty_like(returns)
    sigma2[0] = returns.var()
    for t in range(1, len(returns)):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    if not np.all(sigma2 > 0) or alpha + beta >= 1:
        return np.inf
    return 0.5 * np.sum(np.log(2 * np.pi * sigma2) + returns**2 / sigma2)


def haar(signal, levels):
    """Averages, and differences from the coarsest level on."""
    details = collections.deque()
    for _ in range(levels):
        if len(signal) % 2:
            signal = np.append(signal, signal[-1])
        even, odd = signal[::2], signal[1::2]
        details.appendleft((even - odd) / math.sqrt(2))
        signal = (even + odd) / math.sqrt(2)
    return signal, list(details)


@program(args=(SERIES, 0.37), wrt=(0, 1), step=0.003)
def denoised(signal, threshold):
    signal = np.append(signal, signal[:6])
    coarse, details = haar(signal, 3)
    kept = [np.sign(d) * np.maximum(np.abs(d) - threshold, 0.0) for d in details]
    for d in kept:
        fine = np.empty(2 * len(coarse))
        fine[::2], fine[1::2] = coarse + d, coarse - d
        coarse = fine / math.sqrt(2)
    return np.sum((coarse - signal) ** 2) + coarse[1]


@program(args=(np.array([0.6, 0.3]), np.array([0.2, 0.7])), wrt=(0, 1))
def likelihood_of_a_hidden_chain(stay, rates):
    transition = np.array([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]])
    emission = {"a": 1 - rates, "b": rates}

    @functools.lru_cache(maxsize=None)
    def weight(symbol):
        return emission[symbol]

    def forward(symbols) -> Iterator[tuple[Any, float]]:
        alpha = np.full(2, 0.5)
        for symbol in symbols:
            alpha = (alpha @ transition) * weight(symbol)
            norm = alpha.sum()
            alpha = alpha / norm
            yield alpha, math.log(norm)

    *_, (last, _) = forward("abba")
    return sum(log for _, log in forward("abbab")) + last[0]


# Images


def padded(image, width, mode):
    match mode:
        case "reflect" | "edge" as known:
            return np.pad(image, width, mode=known)
        case ("constant", float() | int() as value):
            return np.pad(image, width, constant_values=value)
        case {"wrap": True}:
            return np.pad(image, width, mode="wrap")
        case _:
            raise ValueError(f"unknown mode {mode!r}")


def correlated(image, kernel, mode="reflect"):
    (h, w), (kh, kw) = image.shape, kernel.shape
    around = padded(image, max(kh, kw) // 2, mode)
    out = np.zeros_like(image)
    for i, j in np.ndindex(kh, kw):
        out += kernel[i, j] * around[i : i + h, j : j + w]
    return out


@program(args=(np.outer(SERIES[:4], SERIES[2:7]) + 0.3, 0.8), wrt=(0, 1))
def edges_in_an_image(image, sigma):
    at = np.arange(-1, 2)
    smooth = np.exp(-0.5 * (at[:, None] ** 2 + at[None, :] ** 2) / sigma**2)
    smooth /= smooth.sum()
    sobel = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
    total = 0.0
    for mode in ("edge", ("constant", 0.5), {"wrap": True}):
        soft = correlated(image, smooth, mode)
        gx, gy = correlated(soft, sobel, mode), correlated(soft, sobel.T, mode)
        total = total + np.hypot(gx, gy + 0.01).mean()
    return total


# Solvers


class OptimizeResult(dict):
    """A dict with attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as missing:
            raise AttributeError(name) from missing

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class StopOptimisation(Exception):
    pass


@dataclass
class Recorder:
    every: int = 1
    seen: list = field(default_factory=list)
    limit: float = 1e-3

    def __call__(self, intermediate_result):
        if intermediate_result.nit % self.every == 0:
            self.seen.append(intermediate_result.fun)
        if len(self.seen) > 1 and self.seen[-2] - self.seen[-1] < self.limit:
            raise StopOptimisation


def descend(f, df, x0, *, rate, maxiter=30, callback=None, **unknown):
    if unknown:
        raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
    result = OptimizeResult(x=np.asarray(x0, dtype=float).copy(), nit=0, success=True)
    result.fun = f(result.x)
    with contextlib.suppress(StopOptimisation):
        while result.nit < maxiter:
            step = rate
            slope = df(result.x)
            while f(result.x - step * slope) > result.fun - 0.5 * step * slope @ slope:
                step *= 0.5
            result.x = result.x - step * slope
            result.nit += 1
            result.fun = f(result.x)
            if callback is not None:
                callback(result)
        result.success = False
    return result


@program(args=(np.array([1.2, -0.4]), 0.3), also=((np.array([0.2, 0.9]), 0.9),), wrt=(0, 1))
def descent_with_a_recorder(x0, rate):
    def bowl(x):
        return x[0] ** 2 + 3.0 * x[1] ** 2 + 0.1 * x[0] ** 4

    def slope(x):
        return np.array([2.0 * x[0] + 0.4 * x[0] ** 3, 6.0 * x[1]])

    record = Recorder(every=2)
    result = descend(bowl, slope, x0, rate=rate, callback=record)
    if not result.success:
        LOG.warning("stopped after %d iterations", result.nit)
    return result.fun + result["x"] @ result.x * result.nit + sum(record.seen)


class Step(NamedTuple):
    t: float
    y: Any
    h: float


BOGACKI = ((0.0,), (0.5, 0.5), (0.75, 0.0, 0.75))


def adaptive(f, t, y, end, h, rtol=1e-3):
    """Steps of Bogacki and Shampine's pair."""
    while t < end:
        h = min(h, end - t)
        ks = []
        for c, *weights in BOGACKI:
            ks.append(f(t + c * h, y + h * sum((w * k for w, k in zip(weights, ks)), 0.0)))
        high = y + h * (2 * ks[0] + 3 * ks[1] + 4 * ks[2]) / 9
        error = h * np.abs(-5 * ks[0] / 72 + ks[1] / 12 + ks[2] / 9 - f(t + h, high) / 8).max()
        if error <= rtol:
            t, y = t + h, high
            yield Step(t, y, h)
        h *= min(2.0, max(0.3, 0.9 * (rtol / max(error, 1e-12)) ** (1 / 3)))


@program(args=(np.array([1.0, 0.2]), 0.4), wrt=(0, 1), step=0.003)
def steps_of_an_adaptive_solver(y0, damping):
    def pendulum(t, y):
        return np.array([y[1], -np.sin(y[0]) - damping * y[1] + 0.1 * np.cos(t)])

    total = 0.0
    for number, step in enumerate(adaptive(pendulum, 0.0, y0, 2.0, 0.5)):
        total += step.h * step.y[0] ** 2 + number * 1e-3
    return total + step.t * step.y[1]


# Little languages


class Token(NamedTuple):
    kind: str
    text: str


TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:e-?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/^(),]))"
)
FUNCTIONS: dict[str, Callable[..., Any]] = {"sin": np.sin, "exp": np.exp, "max": np.maximum}


def tokens(text):
    at = 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if found is None:
            raise SyntaxError(f"unexpected {text[at]!r} at {at}")
        yield Token(found.lastgroup, found.group(found.lastgroup))
        at = found.end()
    yield Token("end", "")


class Parser:
    """A formula by recursive descent, computed while it is read."""

    PRECEDENCE: ClassVar = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}

    def __init__(self, text, names):
        self.stream, self.names = tokens(text), names
        self.now = next(self.stream)

    def take(self, *texts):
        if texts and self.now.text not in texts:
            raise SyntaxError(f"{' or '.join(texts)} expected, not {self.now.text!r}")
        taken, self.now = self.now, next(self.stream, Token("end", ""))
        return taken

    def expression(self, least=1):
        left = self.atom()
        while self.PRECEDENCE.get(self.now.text, 0) >= least:
            sign = self.take().text
            right = self.expression(self.PRECEDENCE[sign] + (sign != "^"))
            match sign:
                case "+":
                    left = left + right
                case "-":
                    left = left - right
                case "*":
                    left = left * right
                case "/":
                    left = left / right
                case "^":
                    left = left**right
        return left

    def atom(self):
        match self.take():
            case Token("number", text):
                return float(text)
            case Token("name", name) if self.now.text == "(":
                self.take("(")
                arguments = [self.expression()]
                while self.now.text == ",":
                    self.take(",")
                    arguments.append(self.expression())
                self.take(")")
                return FUNCTIONS[name](*arguments)
            case Token("name", name):
                return self.names[name]
            case Token("sign", "-"):
                return -self.atom()
            case Token("sign", "("):
                inner = self.expression()
                self.take(")")
                return inner
            case other:
                raise SyntaxError(f"unexpected {other.text!r}")


@program(args=(0.7, 1.9), wrt=(0, 1))
def formula_as_text(x, y):
    names = {"x": x, "y": y, "pi": math.pi}
    total = Parser("3*x^2 - sin(pi*y)/(1 + exp(-x))*2", names).expression()
    try:
        Parser("x * * y", names).expression()
    except SyntaxError as wrong:
        total = total + x * len(wrong.msg)
    return total + Parser("max(x, y) * 1e-1 + -x", names).expression()


SETTINGS = """
[model]
kind = logistic
rate = 0.8
terms = 1, 2, 3

[output]
scale = 2.5
clip = yes
"""


@program(args=(-0.4,), also=((-0.1,),))
def configured_by_text(x):
    parser = configparser.ConfigParser()
    parser.read_string(SETTINGS)
    model = parser["model"]
    terms = [float(term) for term in model["terms"].split(",")]
    y = sum(t * x**k for k, t in enumerate(terms)) * model.getfloat("rate")
    if model.get("kind") == "logistic":
        y = 1 / (1 + np.exp(-y))
    scale = parser.getfloat("output", "scale", fallback=1.0)
    return np.clip(y * scale, 0.5, 2.0) if parser.getboolean("output", "clip") else y * scale


@program(args=(np.array([0.5, -1.2]),))
def network_from_json(x):
    text = '{"layers": [{"w": [[0.3, -0.2], [0.1, 0.5]], "f": "tanh"}, {"w": [[1.0, 2.0]], "f": null}]}'
    for layer in json.loads(text)["layers"]:
        x = np.asarray(layer["w"]) @ x
        if layer["f"] is not None:
            x = getattr(np, layer["f"])(x)
    return x[0]


@program(args=(20.0, 3.0), wrt=(0, 1))
def report_filled_in(mean, spread):
    text = string.Template("mean=$mean;spread=$spread").substitute(mean=4, spread=0.5)
    fields = dict(part.split("=") for part in text.split(";"))
    line = f"{float(fields['mean']):>8.2f}|{'x':^5}|"
    return mean * float(fields["spread"]) + spread ** int(fields["mean"]) / len(line)


# Simulations of parts


class Component(abc.ABC):
    registry: ClassVar[dict[str, type]] = {}

    def __init_subclass__(cls, *, kind, **rest):
        super().__init_subclass__(**rest)
        Component.registry[kind] = cls

    @abc.abstractmethod
    def current(self, v): ...

    @staticmethod
    def of(text):
        kind, _, value = text.partition(" ")
        return Component.registry[kind](float(value))


class Resistor(Component, kind="R"):
    def __init__(self, ohms):
        self.ohms = ohms

    def current(self, v):
        return v / self.ohms, 1 / self.ohms


class Diode(Component, kind="D"):
    thermal: float = 0.5

    def __init__(self, saturation):
        self.saturation = saturation

    def current(self, v):
        grown = self.saturation * np.exp(v / self.thermal)
        return grown - self.saturation, grown / self.thermal


@program(args=(1.5, 2.0), also=((0.3, 5.0),), wrt=(0, 1))
def circuit_of_parts(voltage, resistance):
    diode, parallel = (Component.of(line) for line in ("D 0.02", "R 7.5"))
    series = Resistor(resistance)
    v = 0.1
    for _ in itertools.count():
        residual, slope = 0.0, 0.0
        for part, across, sign in ((series, voltage - v, 1), (diode, v, -1), (parallel, v, -1)):
            i, g = part.current(across)
            residual += sign * i
            slope -= g
        dv = residual / slope
        v = v - dv
        if abs(dv) < 1e-12:
            break
    return v * (voltage - v) / resistance


@program(args=(0.9, 1.3), also=((2.0, 0.5),), wrt=(0, 1))
def queue_of_events(arrival, service):
    gaps = itertools.accumulate([arrival * g for g in (0.5, 1.0, 0.2, 0.9)])
    queue = [(t, False) for t in gaps]
    heapq.heapify(queue)
    free, waited, served = 0.0, 0.0, 0
    while queue:
        time, leaves = heapq.heappop(queue)
        if not leaves:
            start = max(time, free)
            waited += start - time
            free = start + service
            heapq.heappush(queue, (free, True))
        else:
            served += 1
    return waited / served + free**2


@program(args=(np.array([0.2, 1.7, 2.4]), np.array([0.8, 1.1, 0.6])), wrt=(0, 1))
def charge_on_a_grid(positions, charges):
    grid, spacing = np.zeros(5), 1.0
    cells = np.floor(positions / spacing).astype(int)
    share = positions / spacing - cells
    np.add.at(grid, cells % 5, charges * (1 - share))
    np.add.at(grid, (cells + 1) % 5, charges * share)
    potential = np.zeros_like(grid)
    for _ in range(25):
        before = potential.copy()
        for i in range(5):
            potential[i] = 0.5 * (before[i - 1] + before[(i + 1) % 5] + grid[i] - grid.mean())
        potential -= potential[0]
        if np.max(np.abs(potential - before)) < 1e-15:
            break
    return grid @ potential


TABLE = [(0.0, 1.0), (0.5, 1.4), (1.5, 0.7), (3.0, 2.0)]


@program(args=(0.7, 0.2), also=((2.2, 1.0),), wrt=(0, 1))
def delayed_control(target, gain):
    speeds = [s for _, s in sorted(TABLE)]
    places = [p for p, _ in sorted(TABLE)]

    def response(u):
        k = min(max(bisect.bisect(places, u) - 1, 0), len(places) - 2)
        f = (u - places[k]) / (places[k + 1] - places[k])
        return speeds[k] * (1 - f) + speeds[k + 1] * f

    pending = collections.deque([0.0] * 3, maxlen=3)
    y, integral, cost = 0.0, 0.0, 0.0
    for _ in range(6):
        error = target - y
        integral += error
        pending.append(gain * error + 0.1 * integral)
        y += 0.3 * (response(pending[0]) - y)
        cost += error**2 + 0.01 * pending[-1] ** 2
    return cost


@program(args=(np.array([1.0, 2.0, 1.5]),), also=((np.array([0.4, 0.3, 2.5]),),))
def truss_assembled(areas):
    nodes = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.5, 1.0)}
    bars = [("a", "b"), ("b", "c"), ("c", "a")]
    numbers = {name: 2 * k for k, name in enumerate(nodes)}
    K = np.zeros((6, 6))
    for (start, end), area in zip(bars, areas, strict=True):
        (x0, y0), (x1, y1) = nodes[start], nodes[end]
        length = math.dist((x0, y0), (x1, y1))
        c, s = (x1 - x0) / length, (y1 - y0) / length
        local = area / length * np.outer(v := np.array([-c, -s, c, s]), v)
        dofs = [numbers[start], numbers[start] + 1, numbers[end], numbers[end] + 1]
        K[np.ix_(dofs, dofs)] += local
    fixed = {0, 1, 3}
    free = np.array(sorted(set(range(6)) - fixed))
    load = np.zeros(6)
    load[5] = -1.0
    u = np.zeros(6)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    return load @ u


@dataclass(frozen=True)
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return dataclasses.replace(self, x=self.x + other.x, y=self.y + other.y)

    def __mul__(self, k):
        return type(self)(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __sub__(self, other):
        return self + -1 * other

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __iter__(self):
        return iter(dataclasses.astuple(self))


@program(args=(0.8, 1.2), wrt=(0, 1))
def bodies_that_attract(speed, mass):
    bodies = [
        {"at": Vector(0.0, 0.0), "v": Vector(0.0, -0.1), "m": mass},
        {"at": Vector(1.0, 0.0), "v": Vector(0.0, speed), "m": 0.3},
        {"at": Vector(-1.5, 0.4), "v": Vector(speed / 2, 0.0), "m": 0.1},
    ]
    for _ in range(4):
        forces = [Vector(0.0, 0.0) for _ in bodies]
        for (i, a), (j, b) in itertools.combinations(enumerate(bodies), 2):
            gap = b["at"] - a["at"]
            pull = gap * (a["m"] * b["m"] / (abs(gap) ** 3 + 0.05))
            forces[i], forces[j] = forces[i] + pull, forces[j] - pull
        for body, force in zip(bodies, forces, strict=True):
            body["v"] = body["v"] + 0.1 * force * (1 / body["m"])
            body["at"] += 0.1 * body["v"]
    x, y = bodies[1]["at"]
    return sum(0.5 * b["m"] * abs(b["v"]) ** 2 for b in bodies) + x * y
