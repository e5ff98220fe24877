"""Physical and other systems in time: buffers, events, objects with a state."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tests.programs.registry import program

rng = np.random.default_rng(17)


@program(
    args=(
        np.arange(4, dtype=float).reshape(2, 2) * 0.8 + 0.05 * rng.normal(size=(2, 2)),
        0.1 * rng.normal(size=(2, 2)),
    ),
    also=[
        (
            np.arange(2, dtype=float).reshape(1, 2) * 0.8 + 0.05 * rng.normal(size=(1, 2)),
            0.1 * rng.normal(size=(1, 2)),
        )
    ],
    wrt=(0, 1),
)
def verlet_neighbours(pos, vel):
    n = len(pos)
    dt = 0.01
    rc = 2.0

    def build(pos):
        pairs = []
        for i in range(n):
            for j in range(i + 1, n):
                d = pos[i] - pos[j]
                if d @ d < rc * rc:
                    pairs.append((i, j))
        return pairs

    def forces(pos, pairs):
        F = np.zeros_like(pos)
        for i, j in pairs:
            d = pos[i] - pos[j]
            r2 = d @ d
            inv6 = 1.0 / r2**3
            f = (12 * inv6 * inv6 - 6 * inv6) / r2 * d
            F[i] += f
            F[j] -= f
        return F

    pos = pos.copy()
    vel = vel.copy()
    pairs = build(pos)
    F = forces(pos, pairs)
    for step in range(4):
        vel += 0.5 * dt * F
        pos += dt * vel
        if step % 2 == 1:
            pairs = build(pos)
        F = forces(pos, pairs)
        vel += 0.5 * dt * F
    return np.sum(pos**2) + 0.5 * np.sum(vel**2)


@program(
    args=(1 + 0.1 * rng.normal(size=5), 0.1 * rng.normal(size=5)),
    also=[(1 + 0.1 * rng.normal(size=3), 0.1 * rng.normal(size=3))],
    wrt=(0, 1),
    step=0.001,
)
def shallow_water(h, hu):
    g, dx, dt = (9.81, 1.0, 0.01)
    h = np.array(h)
    hu = np.array(hu)
    for it in range(4):
        F1 = hu
        F2 = hu**2 / h + 0.5 * g * h**2
        a = np.max(np.abs(hu / h) + np.sqrt(g * h))
        f1 = 0.5 * (F1[1:] + F1[:-1]) - 0.5 * a * (h[1:] - h[:-1])
        f2 = 0.5 * (F2[1:] + F2[:-1]) - 0.5 * a * (hu[1:] - hu[:-1])
        h[1:-1] -= dt / dx * (f1[1:] - f1[:-1])
        hu[1:-1] -= dt / dx * (f2[1:] - f2[:-1])
        h[0], h[-1] = (h[1], h[-2])
        hu[0], hu[-1] = (-hu[1], -hu[-2])
    return np.sum(h**2) + np.sum(hu**2)


class SEIR(NamedTuple):
    S: float
    E: float
    I: float
    R: float

    def deriv(self, p):
        inf = p["beta"] * self.S * self.I
        return SEIR(
            -inf,
            inf - p["sigma"] * self.E,
            p["sigma"] * self.E - p["gamma"] * self.I,
            p["gamma"] * self.I,
        )


def _axpy(a, x, y):
    return type(y)(*(a * xi + yi for xi, yi in zip(x, y)))


@program(
    args=({"beta": 0.5, "sigma": 0.2, "gamma": 0.1}, 3),
    also=[({"beta": 0.5, "sigma": 0.2, "gamma": 0.1}, 1)],
    wrt=(0,),
)
def seir_namedtuple_rk2(p, steps):
    y = SEIR(0.9, 0.05, 0.05, 0.0)
    for _ in range(steps):
        k1 = y.deriv(p)
        k2 = _axpy(0.5, k1, y).deriv(p)
        y = _axpy(1.0, k2, y)
    return y.I + 2 * y.R


@program(
    args=(rng.uniform(1, 2, 3), rng.uniform(0.5, 1, 3), 5.0),
    also=[(rng.uniform(1, 2, 1), rng.uniform(0.5, 1, 1), 5.0)],
    wrt=(0, 1, 2),
)
def resistor_ladder(R, G, V):
    """nodal analysis of a ladder"""
    n = R.shape[0]
    A = np.zeros((n, n))
    b = np.zeros(n)
    for i in range(n):
        A[i, i] += 1 / R[i] + G[i]
        if i > 0:
            A[i, i - 1] -= 1 / R[i]
            A[i - 1, i] -= 1 / R[i]
            A[i - 1, i - 1] += 1 / R[i]
        else:
            b[i] += V / R[i]
    v = np.linalg.solve(A, b)
    return v[-1] ** 2 + v.sum()


@dataclass(frozen=True)
class State:
    pos: np.ndarray
    vel: np.ndarray
    t: float


@program(
    args=(State(rng.normal(size=3), rng.normal(size=3), 0.0), 0.3),
    also=[(State(rng.normal(size=1), rng.normal(size=1), 0.0), 0.3)],
    wrt=(0, 1),
)
def frozen_state_replace(state, damping):
    for _ in range(4):
        acc = -state.pos - damping * state.vel + np.cos(state.t)
        state = replace(
            state, pos=state.pos + 0.1 * state.vel, vel=state.vel + 0.1 * acc, t=state.t + 0.1
        )
    return np.sum(state.pos**2) * state.t


@program(
    args=(rng.uniform(0.2, 0.8, size=5), 0.1),
    also=[(rng.uniform(0.2, 0.8, size=3), 0.1)],
    wrt=(0, 1),
)
def burgers_viscous_bc(u, nu, bc="periodic"):
    if bc not in ("periodic", "dirichlet"):
        raise ValueError(f"unknown boundary condition {bc!r}")
    dx, dt = (0.1, 0.01)
    for _ in range(4):
        if bc == "periodic":
            up, um = (np.roll(u, -1), np.roll(u, 1))
        else:
            up = np.append(u[1:], 0.0)
            um = np.append(0.0, u[:-1])
        conv = np.where(u > 0, u * (u - um), u * (up - u)) / dx
        u = u - dt * conv + nu * dt / dx**2 * (up - 2 * u + um)
    return np.trapezoid(u**2, dx=dx)


@program(
    args=(rng.uniform(0, 1, (5, 5)), 0.16, 0.05),
    also=[(rng.uniform(0, 1, (3, 3)), 0.16, 0.05)],
    wrt=(0, 1, 2),
)
def wave2d_leapfrog_buffers(u, c, damp):
    buf = [u.copy(), u.copy(), np.zeros_like(u)]
    for t in range(4):
        prev, cur, nxt = (buf[t % 3], buf[(t + 1) % 3], buf[(t + 2) % 3])
        nxt[1:-1, 1:-1] = (2 * cur - prev)[1:-1, 1:-1] + c * (
            cur[2:, 1:-1] + cur[:-2, 1:-1] + cur[1:-1, 2:] + cur[1:-1, :-2] - 4 * cur[1:-1, 1:-1]
        )
        nxt *= 1 - damp
    return np.sum(buf[(t + 2) % 3] ** 2)


@program(
    args=(rng.uniform(size=5), 0.1, 0.5),
    also=[(rng.uniform(size=3), 0.1, 0.5)],
    wrt=(0, 1, 2),
)
def crank_nicolson(u, D, dt):
    n = len(u)
    a = -0.5 * D * dt * np.ones(n)
    b = (1 + D * dt) * np.ones(n)
    c = a.copy()
    b[0] = b[-1] = 1.0
    c[0] = a[-1] = 0.0
    for _ in range(2):
        d = u.copy()
        d[1:-1] += 0.5 * D * dt * (u[2:] - 2 * u[1:-1] + u[:-2])
        cp, dp = (np.zeros(n), np.zeros(n))
        cp[0], dp[0] = (c[0] / b[0], d[0] / b[0])
        for i in range(1, n):
            m = b[i] - a[i] * cp[i - 1]
            cp[i] = c[i] / m
            dp[i] = (d[i] - a[i] * dp[i - 1]) / m
        x = np.zeros(n)
        x[-1] = dp[-1]
        for i in range(n - 2, -1, -1):
            x[i] = dp[i] - cp[i] * x[i + 1]
        u = x
    return np.sum(u**2)


@program(
    args=(rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), 4.0),
    also=[(rng.normal(size=(2, 2)), rng.normal(size=(2, 2)), 4.0)],
    wrt=(0, 1, 2),
)
def boids_periodic(pos, vel, L):
    for _ in range(2):
        d = pos[None] - pos[:, None]
        d -= L * np.round(d / L)
        dist2 = (d**2).sum(-1) + np.eye(len(pos))
        coh = (d * np.exp(-dist2)[..., None]).mean(1)
        ali = vel.mean(0) - vel
        vel = vel + 0.1 * coh + 0.05 * ali
        pos = (pos + 0.1 * vel) % L
    return np.sum(vel**2) + pos[0, 0]


@dataclass
class Battery:
    capacity: float
    eff: float = 0.9
    soc: float = 0.5
    log: list = field(default_factory=list)

    def charge(self, e):
        room = self.capacity * (1 - self.soc)
        used = min(e * self.eff, room)
        self.soc += used / self.capacity
        self.log.append(used)
        return used

    def discharge(self, e):
        avail = self.capacity * self.soc * self.eff
        out = e if e < avail else avail
        self.soc -= out / self.eff / self.capacity
        return out


@program(args=(rng.normal(size=3), 2.0), also=[(rng.normal(size=1), 2.0)], wrt=(0, 1))
def battery_dispatch(net, cap):
    b = Battery(cap, soc=0.4)
    unmet = 0.0
    for e in net:
        if e >= 0:
            unmet += (e - b.charge(e)) ** 2
        else:
            unmet += (-e - b.discharge(-e)) ** 2
    return unmet + b.soc + sum(b.log)


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = (x, y)

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s)

    __rmul__ = __mul__

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    def __iter__(self):
        return iter((self.x, self.y))


@program(args=(1.0, 0.5, 0.1, 3), also=[(1.0, 0.5, 0.1, 1)], wrt=(0, 1, 2))
def vec_class_orbit(px, vy, dt, n):
    p, v = (Vec(px, 0.0), Vec(0.0, vy))
    for _ in range(n):
        r3 = p.dot(p) ** 1.5
        v = v - dt * (p * (1 / r3))
        p = p + v * dt
    x, y = p
    return x * x + 2 * y
