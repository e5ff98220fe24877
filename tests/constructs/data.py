"""Numbers, containers, objects: as locals and arguments, built, grown, updated, iterated."""

from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tests.constructs.settings import X, construct

GAIN = 1.5
OFFSETS = np.array([0.1, -0.2, 0.3])
CONFIG = {"rate": 0.4, "sizes": [2, 3], "nested": {"bias": 0.7}}


# Numbers


@construct(3, np.float64(1.2), np.int64(2), True)
def numbers_of_every_kind(x, c, n, strong, count, flag):
    a = n * c + strong * x[0] + count * x[1] - flag * c
    b = n / 2 + n // 2 + n % 2 + n**2 + (n << 1) - (~n)
    d = np.float64(c) * np.int64(n) + float(strong) * int(count) + 1e-1 * 0x10
    return a * b + d * x[2] * c


@construct(np.array(0.8), np.array([1, 2, 3]), np.array([True, False, True]))
def arrays_of_every_kind(x, c, scalar, counts, mask):
    y = x[:3] * counts + mask * c
    return y @ counts * scalar + np.sum(y * mask) + scalar[()] * counts.sum() * x[0]


@construct(wrt=(0, 1), settings=("outside",), also=[(X, 2)])
def a_python_int_counts_as_float(x, c):
    return c**3 * x[0]


@construct()
def complex_values_inside(x, c):
    z = x[0] + 1j * c
    w = np.exp(1j * x) * z
    w[0] = z * np.conj(w[1])
    return (w @ np.conj(w)).real + abs(z * z) + (z * w[2]).imag + np.angle(z) * np.abs(w[3]) ** 2


@construct()
def slices_that_end_at_a_number_or_nowhere(x, c):
    items = [(x[0], 1), (x[1] * c, np.ones(2)), (x[3], x)]
    total, reached = 0.0, 1 + (x[1] > 100.0)
    for stop in (reached, None, 2):
        for value, weight in items[1:stop]:
            total = total + np.sum(weight) * c * value
    return total


# Tuples and NamedTuples


class State(NamedTuple):
    position: float
    speed: float
    mass: float = 2.0

    def energy(self):
        return 0.5 * self.mass * self.speed**2 + self.position


class Vector(NamedTuple):
    """A named tuple with operators of its own."""

    x: float
    y: float
    unit = 2.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __lt__(self, other):
        return self.x < other.x

    def __contains__(self, value):
        return value > self.x

    def __call__(self, t):
        return self.x + t * self.y

    @property
    def length(self):
        return np.sqrt(self @ self) * self.unit

    @classmethod
    def along(cls, x):
        return cls(x, cls.unit)


Bond = namedtuple("Bond", "i j strength")


@construct()
def tuples(x, c):
    t = (x[0], c, x[1])
    u = t + (x[2],)
    w = (c,) * 2
    a, b = u[1:3]
    total = u[::-1][0] * w[1] + len(u) + u[-1] * (c in t)
    for p, q in zip(t, u[1:]):
        total += p * q
    return total * a + b


@construct()
def named_tuples(x, c):
    state = State(x[0], speed=x[1])
    state = state._replace(speed=state.speed * c, mass=x[2])
    p, v, m = state
    bonds = [Bond(0, 1, c), Bond(1, 2, x[3])]
    total = sum(bond.strength * (x[bond.j] - x[bond.i]) ** 2 for bond in bonds)
    return state.energy() * p * v * m + total + state[1] * len(state._fields)


@construct()
def named_tuples_with_operators(x, c):
    v = Vector(x[0], c) + 0.8 * Vector.along(x[2]) + -Vector(x[3], x[4]) * c
    if Vector(x[5] - 9.0, 0.0) < v and 50.0 in v:
        v = v + v
    return v.length * (v @ v) * v(c) + v.x * len(v) * Vector.unit


@construct(State(0.4, 1.1), wrt=(0, 1, 2))
def named_tuple_argument(x, c, state):
    position, speed, mass = state
    moved = state._replace(position=position + c * speed)
    return moved.energy() * x[0] + mass * moved.position


# Lists


@construct()
def lists_grown_by_append(x, c):
    out = []
    for v in x:
        out.append(v * c)
    out.append(c)
    total = out[0] * out[-1]
    for i in range(len(out)):
        total += out[i] * (i + 1)
    return total * sum(out)


@construct()
def lists_grown_on_data(x, c):
    path = [x[0] + 3.0]
    while path[-1] > 0.53:
        path.append(path[-1] * c)
    large = []
    for v in path:
        if v > 0.9:
            large.append(v * v)
    return sum(path) * np.array(path)[1] + sum(large) * len(path) + large[-1] * large[0]


@construct()
def lists_extended_and_concatenated(x, c):
    a = [x[0]]
    a.extend([c, x[1]])
    a.extend(v * c for v in x[:2])
    a += [x[2]]
    b = a + [c] * 2
    d = b[1:4] + list(x[:2])
    return sum(k * v for k, v in enumerate(b)) * d[0] + np.prod(np.array(d))


@construct()
def lists_extended_on_data(x, c):
    values, n = [c], 0
    while len(values) < 3 * x[0] + 3:
        values.extend([values[-1] * x[1], x[n]])
        values = values + [c * n]
        n += 1
    return np.array(values) @ np.arange(1.0, len(values) + 1) + values[2]


@construct()
def lists_inserted_into_and_popped(x, c):
    a = [x[0], x[1], x[2]]
    a.insert(1, c)
    a.insert(0, x[3] * c)
    last = a.pop()
    first = a.pop(0)
    second = a.pop(1)
    a[0] *= last
    del a[1]
    return a[0] * first + second * len(a)


@construct()
def lists_popped_on_data(x, c):
    queue = [v * c for v in x]
    done = []
    while queue:
        job = queue.pop(0)
        if job > 0.43 and len(done) < 9:
            queue.append(job * 0.4)
            queue.insert(0, job * 0.3)
        done.append(job)
    stack = list(done)
    total = 0.0
    while len(stack) > 1:
        total = total * 0.5 + stack.pop() * stack[-1]
    return total + done[-1]


@construct()
def lists_written(x, c):
    a = [x[0], x[1], c, x[2]]
    a[0] = a[1] * c
    a[-1] += a[0]
    a[1:3] = [x[3], x[4], c]
    a.reverse()
    a[0], a[1] = a[1], a[0] * 2.0
    b = a
    b[2] = c * c
    d = a.copy()
    d.clear()
    return sum(k * v for k, v in enumerate(a)) + len(d)


@construct()
def lists_into_arrays(x, c):
    rows = []
    state = x[:2]
    for k in range(3):
        state = np.tanh(state * x[k] + c)
        rows.append(state)
    stacked = np.stack(rows)
    table = np.array([[c, x[0]], [x[1], 1.0]])
    joined = np.concatenate(rows) * np.hstack(rows)
    return np.sum(stacked @ table) + np.vstack(rows)[1, 0] * joined[2] + np.array(rows)[2, 1]


@construct()
def lists_of_lists(x, c):
    table = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            table[i][j] = x[i] * x[j + 2] * c
            if i > 0:
                table[i][j] += table[i - 1][j] ** 2
    flat = [v for row in table for v in row]
    return np.array(table)[1] @ x[:3] + sum(flat) * table[0][1]


@construct()
def lists_of_arrays_written(x, c):
    bins = [np.zeros(2), np.ones(2)]
    for i, v in enumerate(x):
        b = bins[i % 2]
        b[i // 3] += v**2 * c
        b *= 0.9
    shared = [bins[0], bins[0]]
    shared[1][0] *= 2.0
    return bins[0] @ bins[1] + shared[0][0]


# Dicts


@construct()
def dicts_built_and_updated(x, c):
    d = {"x": x[0], "c": c}
    d["sum"] = d["x"] + d["c"]
    d.update(x=d["x"] * 2, z=x[1] * c)
    d.update({"c": d["c"] ** 2})
    d["z"] += 1.0
    e = {**d, "x": 0.5, **dict(w=x[2])}
    old = e.pop("w")
    d.setdefault("q", x[3])
    del e["sum"]
    total = old + d.get("missing", c) * ("q" in d)
    for key, value in d.items():
        total += value * (2 if key in e else 3)
    return total * sum(e.values()) + len(e)


@construct()
def dicts_in_loops(x, c):
    state = {"s": c, "p": 1.0, "all": []}
    for v in x:
        state["s"] = state["s"] + v * state["p"]
        state["p"] *= 1.0 + 0.1 * v
        state["all"].append(state["s"])
    table = {}
    for i in range(3):
        table[i] = x[i] ** 2
        table["last"] = x[i] * c
    return state["s"] * state["p"] + state["all"][1] * table[2] + table["last"]


@construct()
def dicts_of_tuples(x, c):
    pairs = {(i, j): x[i] * x[j] for i in range(3) for j in range(i)}
    return sum(pairs.values()) * pairs[2, 1] * c + len(pairs)


@construct({"w": np.array([0.3, -0.5, 0.8]), "b": 0.1, "n": 2}, wrt=(0, 1, 2))
def dict_argument(x, c, p):
    z = x[:3] @ p["w"] + p["b"] * c
    for key, value in p.items():
        z = z + np.sum(value) * (2.0 if key == "b" else 1.0)
    return np.tanh(z) ** p["n"] + p.get("missing", c) * p["b"]


@construct([(np.array([[0.3, 0.2], [0.1, 0.5]]), 0.1), (np.eye(2) * 0.4, 0.3)], wrt=(0, 1, 2))
def list_of_tuples_argument(x, c, layers):
    h = x[:2] * c
    for w, b in layers[:-1]:
        h = np.tanh(h @ w + b)
    w, b = layers[-1]
    return np.sum(h @ w) * b * len(layers)


@construct(((0.5, 1.5), [np.array([1.0, 2.0]), (0.3,)], {"a": {"b": 2.0}}), wrt=(0, 1, 2))
def nested_argument(x, c, tree):
    (a, b), rest, named = tree
    v, (d,) = rest
    return a * b * c + v @ v * d + named["a"]["b"] ** 2 * v[0] * x[0]


# Dataclasses and objects


@dataclass
class Body:
    mass: float
    position: np.ndarray
    label: str = "sun"
    trail: list = field(default_factory=list)

    @property
    def moment(self):
        return self.mass * np.sum(self.position)

    def push(self, by):
        self.position = self.position + by / self.mass
        self.trail.append(self.position[0])


@dataclass(frozen=True)
class Pair:
    first: Body
    strength: float


@construct()
def dataclasses_inside(x, c):
    body = Body(c, x[:2])
    other = Body(mass=x[2], position=x[2:4] * 1.0, label="moon")
    body.push(other.position)
    body.push(c)
    heavier = replace(body, mass=body.mass * 2.0)
    pair = Pair(heavier, x[4])
    return pair.first.moment * pair.strength + sum(body.trail) * other.moment


@construct(Pair(Body(2.0, np.array([0.4, 0.5])), 0.7), wrt=(0, 1, 2))
def dataclass_argument(x, c, pair):
    total = pair.strength * pair.first.moment * c
    return total * x[0] + (pair.first.mass if pair.first.label == "sun" else 0.0)


class Counter:
    """Counts what it evaluates."""

    def __init__(self, scale):
        self.scale = scale
        self.nfev = 0
        self.values = []
        self.best = {}

    def evaluate(self, x):
        self.nfev += 1
        value = np.sum(x * x) * self.scale
        self.values.append(value)
        self.best["last"] = value * value
        return value


class Quiet(Counter):
    def evaluate(self, x):
        self.nfev += 1
        return np.sum(x * x) * self.scale


QUIET = Quiet(0.8)


@construct()
def objects_inside(x, c):
    counter = Counter(c)
    a = counter.evaluate(x) * counter.evaluate(x[:3])
    counter.scale = counter.scale * x[0]
    counter.scale += 1.0
    return a + counter.evaluate(x[1:]) * counter.nfev + sum(counter.values) * counter.best["last"]


@construct(reset=lambda: setattr(QUIET, "nfev", 0), observe=lambda: QUIET.nfev)
def objects_outside_count(x, c):
    return QUIET.evaluate(x) * QUIET.evaluate(x * c) + QUIET.scale


@construct()
def objects_share(x, c):
    first = Counter(c)
    second = first
    second.scale = x[0] * c
    third = [first, second][1]
    third.scale += c
    return first.scale * x[1] + third.scale * second.nfev


# What stands outside


@construct()
def globals_and_what_they_hold(x, c):
    total = GAIN * x[0] + OFFSETS @ x[:3] * c
    for k in CONFIG["sizes"]:
        total += CONFIG["rate"] * x[k] ** k
    return total * CONFIG["nested"]["bias"]


def _factory(gain, offsets):
    def model(v):
        return gain * v[0] ** 2 + offsets @ v

    return model


MODEL = _factory(0.7, np.array([0.2, 0.1, 0.4]))


@construct()
def closure_cells(x, c):
    local = _factory(c, x[:3])
    return MODEL(x[:3]) * c + local(x[3:])


@construct()
def results_in_structures(x, c):
    def several(v):
        return {"norm": v @ v, "parts": [v * c, (v[0], State(v[1], c))]}

    found = several(x)
    parts, (first, state) = found["parts"]
    return found["norm"] * state.energy() + parts[2] * first


# Results in structures, and arguments that are asked for


@construct(settings=("outside",))
def result_tuple(x, c):
    return x[0] * c, (x[1:3] * c, [c**2, x]), 3, "name", None


@construct(settings=("outside",))
def result_dict(x, c):
    return {"a": x * c, "b": {"d": x[0] ** 2, "e": [c, x[1] * x[2]]}}


@construct(settings=("outside",))
def result_named_tuple(x, c):
    return State(x[0] * c, x[1] ** 2, c)


@construct(settings=("outside",))
def result_dataclass(x, c):
    return Body(c * x[0], x * c, "moved")


@construct(settings=("outside",))
def result_array_in_a_loop(x, c):
    y = x
    for _ in range(3):
        y = np.tanh(y * c) + y[::-1] * x
    return np.outer(y, y)


@construct(7732185)
def items_of_the_text_of_an_int(x, c, n):
    text = str(n)
    shown = f"{text[:-3]}-{text[-3:-1]}-{text[-1]}"
    y = x[0] * int(text[0]) + c ** float(text[3])
    for part in shown.split("-"):
        y = y + x[len(part)] * float(part[0])
    return y
