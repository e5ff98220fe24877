"""Objects that are made on one path, in each turn of a loop, or stand under several names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.programs.registry import program

V = np.array([0.9, -0.4, 1.6, -1.2, 0.3])


@dataclass
class Particle:
    x: Any
    v: Any

    def step(self, dt):
        return Particle(self.x + dt * self.v, self.v - dt * np.sin(self.x))

    def energy(self):
        return np.sum(self.v**2) - np.sum(np.cos(self.x))


@dataclass(frozen=True)
class Frozen:
    x: Any
    v: Any


class Momentum:
    def __init__(self, rate):
        self.rate = rate
        self.mean = None
        self.steps = 0

    def step(self, p, g):
        self.steps += 1
        self.mean = g if self.mean is None else 0.9 * self.mean + g
        return p - self.rate * self.mean / self.steps


class Link:
    def __init__(self, value, behind=None):
        self.value = value
        self.behind = behind


def particle_or_none(x):
    if x[0] > 0.2:
        return Particle(x, x**2)
    return None


def one_particle_or_the_other(x):
    if x[0] > 0.2:
        return Particle(x, x**2)
    return Particle(x**2, x * 0.5)


@program(args=(V, 3), also=[(V, 0)])
def object_in_each_turn(x, n):
    p = Particle(x, np.cos(x))
    for _ in range(n):
        p = p.step(0.1)
    return p.energy()


@program(args=(V, 3), also=[(V, 1)])
def replaced_in_each_turn(x, n):
    p = Frozen(x, np.cos(x))
    for i in range(n):
        p = replace(p, x=p.x + 0.1 * p.v**2 * x[i])
    return np.sum(p.x**2 * p.v)


@program(args=(V,), also=[(V * 0.2,)])
def object_in_a_while_loop(x):
    p = Particle(x, np.cos(x))
    while np.sum(p.x**2) < 4.0:
        p = Particle(p.x * 1.5 + 0.1 * p.v, p.v)
    return p.energy()


@program(args=(V, 3), also=[(V, 1)])
def made_inside_a_loop(x, n):
    p = x
    for i in range(n):
        optimiser = Momentum(x[i] * 0.1)
        other = optimiser
        p = other.step(p, 2.0 * p)
        p = optimiser.step(p, p**2)
    return np.sum(p**2) * optimiser.steps


@program(args=(V, 3), also=[(V, 1)])
def state_in_an_object(x, n):
    optimiser, p = Momentum(0.1), x
    for _ in range(n):
        p = optimiser.step(p, np.sin(p))
    return np.sum(p**2)


@program(args=(V,), also=[(-V,)])
def object_or_none(x):
    p = particle_or_none(x)
    if p is not None:
        p.x = p.x * x[1]
        return p.energy()
    return x[1] ** 2


@program(args=(V,), also=[(-V,)])
def object_of_either_path(x):
    p = one_particle_or_the_other(x)
    p.x = p.x * x[1]
    return p.energy()


@program(args=(V,), also=[(-V,)])
def one_of_two_objects(x):
    q, r = Particle(x, x), Particle(x * 2.0, x**2)
    p = q if x[0] > 0.2 else r
    p.x = p.x * 3.0 * x[1]
    return q.energy() + 2.0 * r.energy() + p.energy() * (x[0] if p is q else x[2])


@program(args=(V,), also=[(-V,)])
def an_array_of_one_of_two_objects(x):
    p = Particle(x.copy(), x)
    y = p.x
    if x[0] > 0.2:
        p = Particle(x * 2.0, x**2)
    p.x[0] = x[1] ** 2
    return p.energy() + np.sum(y**3)


@program(args=(V, 4), also=[(-V, 4), (V, 0)])
def best_object_so_far(x, n):
    best = None
    for i in range(n):
        p = Particle(x * x[i], x[: i + 1].sum())
        if best is None or p.energy() < best.energy():
            best = p
    return best.energy() if best is not None else x[0] ** 2


@program(args=(V, 4), also=[(-V, 5), (V, 0)])
def object_made_when_first_needed(x, n):
    state = None
    for i in range(n):
        if x[i] > 0.2:
            if state is None:
                state = Particle(x, x[0])
            state.x = state.x * x[i]
    return state.energy() if state is not None else x[0] ** 2


@program(args=(V,), also=[(-V,)])
def kept_and_changed_afterwards(x):
    kept = [Particle(x, x)]
    for i in range(3):
        p = Particle(x * x[i], x)
        if x[i] > 0.2:
            kept[0] = p
        p.x = p.x * x[i]
    return kept[0].energy() + p.energy()


@program(args=(V, 3), also=[(-V, 2)])
def objects_change_places(x, n):
    a, b = Particle(x, x**2), Particle(x * 3.0, x)
    for i in range(n):
        a.x = a.x + b.v * x[i]
        a, b = b, a
    return a.energy() - b.energy() ** 2


@program(args=(V,), also=[(-V,)])
def linked_objects(x):
    head = None
    for v in x:
        head = Link(v**2, head)
    total = 0.0
    while head is not None:
        total = total * 0.5 + head.value
        head = head.behind
    return total


@program(args=(V,), also=[(-V,)])
def one_of_two_lists(x):
    few, many = [x[0]], [x[1], x[2]]
    chosen = few if x[0] > 0.2 else many
    chosen.append(x[2] ** 2)
    return sum(few) ** 2 + 3.0 * sum(many) * chosen[0]


@program(args=(V,), also=[(-V,)])
def one_of_two_dicts(x):
    a, b = {"w": x[0]}, {"w": x[1]}
    chosen = a if x[0] > 0.2 else b
    chosen["w"] = chosen["w"] ** 2
    chosen["b"] = x[0]
    return sum(a.values()) + 2.0 * sum(b.values())
