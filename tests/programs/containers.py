"""Tuples, lists, dicts, NamedTuples, dataclasses as arguments, locals and results."""

from collections import namedtuple
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tests.programs.registry import program

RNG = np.random.default_rng(3)
LAYERS = [
    (RNG.uniform(-0.7, 0.7, (3, 4)), RNG.uniform(-0.1, 0.1, 4)),
    (RNG.uniform(-0.7, 0.7, (4, 4)), RNG.uniform(-0.1, 0.1, 4)),
    (RNG.uniform(-0.7, 0.7, (4, 2)), RNG.uniform(-0.1, 0.1, 2)),
]
BATCH = RNG.uniform(-1, 1, (5, 3))
LABELS = np.array([0, 1, 1, 0, 1])


@program(args=(LAYERS, BATCH, LABELS), wrt=(0, 1))
def mlp_cross_entropy(params, x, y):
    h = x
    for w, b in params[:-1]:
        h = np.tanh(h @ w + b)
    w, b = params[-1]
    logits = h @ w + b
    logits = logits - logits.max(axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(len(y)), y])


@program(args=({"w": np.array([0.3, -0.5, 0.8]), "b": 0.1, "n": 2}, BATCH), wrt=(0, 1))
def dict_of_parameters(p, x):
    z = x @ p["w"] + p["b"]
    out = 1 / (1 + np.exp(-z))
    return np.sum(out ** p["n"]) + p.get("missing", 0.5) * p["b"]


class Pendulum(NamedTuple):
    angle: float
    speed: float
    length: float = 1.0

    def energy(self):
        return 0.5 * (self.length * self.speed) ** 2 - 9.81 * self.length * np.cos(self.angle)


@program(args=(Pendulum(0.4, 0.2, 1.1), 0.02), wrt=(0, 1))
def namedtuple_state(state, dt):
    for _ in range(6):
        angle, speed, length = state
        speed = speed - dt * 9.81 / length * np.sin(angle)
        state = state._replace(angle=angle + dt * speed, speed=speed)
    last = Pendulum(state.angle, state[1])
    return state.energy() + last.energy() * state.length


Bond = namedtuple("Bond", "i j k")


@program(args=(np.array([0.0, 1.2, 1.9]), [Bond(0, 1, 2.0), Bond(1, 2, 0.5)]), wrt=(0, 1))
def bonds(x, network):
    e = 0.0
    for bond in network:
        e += bond.k * (x[bond.j] - x[bond.i] - 1.0) ** 2
    for i, j, k in network:
        e *= 1 + k * x[j] * 0.1
    return e


@dataclass
class Body:
    mass: float
    position: np.ndarray
    label: str = "sun"


@dataclass(frozen=True)
class Pair:
    first: Body
    second: Body
    strength: float


PAIR = Pair(Body(2.0, np.array([0.0, 0.5])), Body(1.0, np.array([1.0, -0.2]), "earth"), 0.7)


@program(args=(PAIR,))
def dataclass_argument(pair):
    r = pair.second.position - pair.first.position
    d = np.sqrt(r @ r)
    scaled = replace(pair, strength=pair.strength * d)
    e = -scaled.strength * pair.first.mass * pair.second.mass / d
    return e if pair.first.label == "sun" else 0.0


@program(args=(((0.5, 1.5), [np.array([1.0, 2.0]), (0.3,)], {"a": {"b": 2.0}}),))
def deeply_nested(tree):
    (a, b), rest, named = tree
    v, (c,) = rest
    return a * b + v @ v * c + named["a"]["b"] ** 2 * v[0]


@program(args=(0.6, np.array([0.2, 0.9])), wrt=(0, 1))
def returns_a_tuple(a, v):
    w = np.sin(a * v)
    return w.sum() * a, w * v, a**2


@program(args=(0.6, np.array([0.2, 0.9])), wrt=(0, 1))
def returns_a_dict(a, v):
    out = {"norm": np.sqrt(v @ v + a)}
    out["scaled"] = v / out["norm"]
    out["nested"] = [a * a, (v[0] * a, v[1] ** 3)]
    return out


@program(args=(Pendulum(0.4, 0.2, 1.1), 0.05), wrt=(0, 1))
def returns_a_namedtuple(s, dt):
    accel = -9.81 / s.length * np.sin(s.angle)
    return Pendulum(s.angle + dt * s.speed, s.speed + dt * accel, s.length)


@program(args=(Body(1.5, np.array([0.4, 0.3])),))
def returns_a_dataclass(b):
    return Body(b.mass * 2, b.position * b.mass, label="moved")


@program(args=(np.array([0.5, 1.5, -0.5]),))
def returns_an_array(x):
    j = np.outer(x, x)
    return j / (1 + np.trace(j)) + np.eye(3)


@program(args=(0.7,))
def returns_mixed_structure(x):
    return x**2, 3, "ok", None, [x, {"k": np.array([x, 1.0])}]


@program(args=(1.2, 0.3), wrt=(0, 1))
def dict_built_and_updated(x, y):
    d = {"x": x, "y": y}
    d["sum"] = d["x"] + d["y"]
    d.update(x=d["x"] * 2, z=x * y)
    d.update({"y": d["y"] ** 2})
    d["z"] += 1.0
    d["sum"] *= d["z"]
    e = {**d, "x": 0.5, **{"w": x}}
    old = e.pop("w")
    c = dict(d)
    c["x"] = 100.0
    d.setdefault("q", x)
    total = old
    for key, value in d.items():
        total += value * (2 if key in e else 3)
    del e["z"]
    for key in list(e):
        total += e[key] * e[key]
    return total + len(e)


@program(args=(np.array([0.2, 0.5, 0.9]),))
def dict_in_a_loop(x):
    state = {"s": 0.0, "p": 1.0, "hist": []}
    for i, v in enumerate(x):
        state["s"] += v * state["p"]
        state["p"] = state["p"] * (1 + v)
        state["hist"].append(state["s"])
    table = {}
    for i in range(3):
        table[i] = x[i] ** 2
        table["last"] = x[i]
    return state["s"] * state["p"] + state["hist"][1] * table[2] + table["last"]


@program(
    args=(
        {
            "enc": {"w": np.array([0.4, 0.1]), "b": 0.2},
            "dec": {"w": np.array([0.3, 0.9]), "b": 0.1},
        },
    )
)
def walks_parameter_tree(params):
    l2 = 0.0
    for part in params.values():
        for name, leaf in part.items():
            if name != "b":
                l2 += np.sum(leaf**2)
            else:
                l2 = l2 * leaf
    return l2 * np.dot(params["enc"]["w"], params["dec"]["w"])


@program(args=((1.0, 2.0, 3.0), 0.4), wrt=(0, 1))
def tuple_operations(t, x):
    u = t + (x,)
    v = u[::-1]
    w = (x,) * 3
    a, b = u[1:3]
    s = 0.0
    for p, q in zip(u, v):
        s += p * q * x
    return s + a * b + w[2] * w[0] + (len(u) if x in (0.4, 0.5) else 1)


@program(args=(np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 0.2]]), 0.1), wrt=(0, 1))
def linked_list_of_tuples(points, w):
    chain = None
    for i in range(3):
        chain = (points[i], chain)
    total = w
    while chain is not None:
        p, chain = chain
        total = total * p[1] + p[0] ** 2
    return total


@program(args=([np.array([0.1, 0.4]), np.array([0.7]), np.array([0.2, 0.3, 0.5])],))
def ragged_list(parts):
    s = 0.0
    for part in parts:
        s += np.prod(part) * len(part)
    return s * np.concatenate(parts).sum()
