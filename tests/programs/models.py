"""Likelihoods, networks and other models, as people write them for a fit."""

import math
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
from numpy import exp

from tests.programs.registry import program

rng = np.random.default_rng(17)


@program(
    args=(
        rng.normal(size=3),
        rng.normal(size=(3, 3)),
        rng.exponential(size=3),
        rng.integers(0, 2, 3).astype(bool),
    ),
    wrt=(0, 1),
)
def cox_partial(beta, X, times, event):
    order = np.argsort(-times)
    X = X[order]
    event = event[order]
    eta = X @ beta
    risk = np.log(np.cumsum(np.exp(eta)))
    return -np.sum((eta - risk)[event])


@program(
    args=(rng.normal(size=2), rng.normal(size=(3, 2)), rng.integers(0, 5, 3), 0.5),
    also=[(rng.normal(size=2), rng.normal(size=(1, 2)), rng.integers(0, 5, 1), 0.5)],
    wrt=(0, 1, 3),
)
def negative_binomial_glm(beta, X, counts, log_r):
    r = math.exp(log_r)
    ll = 0.0
    for i in range(X.shape[0]):
        mu = math.exp(X[i] @ beta)
        k = int(counts[i])
        ll += (
            math.lgamma(k + r)
            - math.lgamma(r)
            - math.lgamma(k + 1)
            + r * math.log(r / (r + mu))
            + k * math.log(mu / (r + mu))
        )
    return -ll


@dataclass
class ARMA:
    phi: np.ndarray
    theta: np.ndarray
    sigma: float

    def residuals(self, y):
        e = np.zeros_like(y)
        p, q = (len(self.phi), len(self.theta))
        for t in range(len(y)):
            e[t] = y[t]
            for i in range(min(p, t)):
                e[t] -= self.phi[i] * y[t - 1 - i]
            for j in range(min(q, t)):
                e[t] -= self.theta[j] * e[t - 1 - j]
        return e

    def nll(self, y):
        e = self.residuals(y)
        return 0.5 * np.sum(e**2) / self.sigma**2 + len(y) * np.log(self.sigma)


@program(
    args=(ARMA(np.array([0.5, -0.2]), np.array([0.3]), 0.8), rng.normal(size=3)),
    also=[(ARMA(np.array([0.5, -0.2]), np.array([0.3]), 0.8), rng.normal(size=1))],
    wrt=(0, 1),
)
def arma_likelihood(model, y):
    return model.nll(y)


@program(
    args=([0.1, 0.05, 0.9], rng.normal(size=3)),
    also=[([0.1, 0.05, 0.9], rng.normal(size=1))],
    wrt=(0, 1),
)
def garch_list_params(p, ret):
    omega, alpha, beta = p
    h = [np.var(ret) + 0.1]
    for r in ret[:-1]:
        h.append(omega + alpha * r**2 + beta * h[-1])
    h = np.array(h)
    assert np.all(h > 0), f"negative variance at {p}"
    return 0.5 * np.sum(np.log(h) + ret**2 / h)


def softmax(z, axis=-1):
    z = z - np.max(z, axis=axis, keepdims=True)
    e = np.exp(z)
    return e / np.sum(e, axis=axis, keepdims=True)


@program(
    args=(
        dict(
            q=rng.normal(size=(4, 4)),
            k=rng.normal(size=(4, 4)),
            v=rng.normal(size=(4, 4)),
            o=rng.normal(size=(4, 4)),
        ),
        rng.normal(size=(3, 4)),
    ),
    also=[
        (
            dict(
                q=rng.normal(size=(4, 4)),
                k=rng.normal(size=(4, 4)),
                v=rng.normal(size=(4, 4)),
                o=rng.normal(size=(4, 4)),
            ),
            rng.normal(size=(1, 4)),
        )
    ],
    wrt=(0, 1),
)
def causal_multihead_attention(p, x):
    T, D = x.shape
    H = 2

    def split(w):
        return (x @ w).reshape(T, H, D // H).transpose(1, 0, 2)

    q, k, v = (split(p["q"]), split(p["k"]), split(p["v"]))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(D // H)
    mask = np.triu(np.ones((T, T), dtype=bool), 1)
    s = np.where(mask, -1000000000.0, s)
    a = softmax(s)
    y = (a @ v).transpose(1, 0, 2).reshape(T, D) @ p["o"]
    return np.mean(y**2)


@program(
    args=(rng.normal(size=(4, 3)), np.ones(3), np.zeros(3), np.zeros(3), np.ones(3)),
    also=[(rng.normal(size=(2, 3)), np.ones(3), np.zeros(3), np.zeros(3), np.ones(3))],
    wrt=(0, 1, 2),
    mutates=("running_mean", "running_var"),
)
def batchnorm_in_place(x, gamma, beta, running_mean, running_var):
    m = x.mean(axis=0)
    v = x.var(axis=0)
    running_mean *= 0.9
    running_mean += 0.1 * m
    running_var[:] = 0.9 * running_var + 0.1 * v
    xh = (x - m) / np.sqrt(v + 1e-05)
    out = gamma * xh + beta
    return np.sum(out**3) + np.sum(running_mean * running_var)


class Sequential:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Linear:
    def __init__(self, W, b):
        self.W, self.b = (W, b)

    def __call__(self, x):
        return x @ self.W + self.b


class Dropout:
    def __init__(self, rate, mask):
        self.rate = rate
        self.mask = mask

    def __call__(self, x):
        return x * self.mask / (1 - self.rate)


@program(
    args=(
        rng.normal(size=(3, 4)),
        rng.normal(size=4),
        rng.normal(size=(4, 1)),
        rng.normal(size=(3, 3)),
        rng.integers(0, 2, (3, 4)).astype(float),
    ),
    also=[
        (
            rng.normal(size=(3, 4)),
            rng.normal(size=4),
            rng.normal(size=(4, 1)),
            rng.normal(size=(1, 3)),
            rng.integers(0, 2, (1, 4)).astype(float),
        )
    ],
    wrt=(0, 1, 2, 3),
)
def sequential_of_callables(W1, b1, W2, X, mask):
    net = Sequential(Linear(W1, b1), np.tanh, Dropout(0.5, mask), Linear(W2, np.zeros(1)))
    return np.mean(net(X) ** 2)


@program(
    args=({"w": rng.normal(size=3), "b": 0.1}, rng.normal(size=(3, 3)), rng.normal(size=3)),
    also=[({"w": rng.normal(size=1), "b": 0.1}, rng.normal(size=(3, 1)), rng.normal(size=3))],
    wrt=(0, 1, 2),
)
def adam_unrolled(params, X, y):

    def grads(p):
        e = X @ p["w"] + p["b"] - y
        return {"w": 2 * X.T @ e / len(y), "b": 2 * e.mean()}

    m = {k: 0 * v for k, v in params.items()}
    v = {k: 0 * val for k, val in params.items()}
    p = dict(params)
    for t in range(1, 4):
        g = grads(p)
        for key in p:
            m[key] = 0.9 * m[key] + 0.1 * g[key]
            v[key] = 0.99 * v[key] + 0.01 * g[key] ** 2
            mh = m[key] / (1 - 0.9**t)
            vh = v[key] / (1 - 0.99**t)
            p[key] = p[key] - 0.05 * mh / (np.sqrt(vh) + 1e-08)
    return np.sum((X @ p["w"] + p["b"] - y) ** 2)


@program(args=(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), 0.5), wrt=(0, 1, 2))
def info_nce(a, b, tau):
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    sim = a @ b.T / tau
    lse = lambda s: np.log(np.exp(s - s.max(1, keepdims=True)).sum(1)) + s.max(1)
    return 0.5 * np.mean(lse(sim) - np.diag(sim)) + 0.5 * np.mean(lse(sim.T) - np.diag(sim))


@program(
    args=(rng.normal(size=3), rng.integers(0, 2, 3)),
    also=[(rng.normal(size=1), rng.integers(0, 2, 1))],
    wrt=(0,),
)
def bradley_terry(skill, winner):
    ll = 0.0
    n = len(skill)
    for i in range(n):
        for j in range(i):
            d = skill[i] - skill[j]
            ll += -np.logaddexp(0, -d if winner[i] else d)
    return -ll + 0.5 * np.sum(skill**2)


@program(args=(0.5, rng.exponential(size=3)), also=[(0.5, rng.exponential(size=1))], wrt=(0, 1))
def hawkes_process(alpha, gaps):
    mu, beta = (0.8, 1.5)
    t = np.cumsum(gaps)
    A = 0.0
    ll = np.log(mu)
    for i in range(1, len(t)):
        A = np.exp(-beta * (t[i] - t[i - 1])) * (1 + A)
        ll += np.log(mu + alpha * A)
    ll -= mu * t[-1] + alpha / beta * np.sum(1 - np.exp(-beta * (t[-1] - t)))
    return -ll


@program(
    args=(rng.normal(size=3), rng.normal(size=(3, 3)), rng.integers(0, 2, 3).astype(float)),
    also=[(rng.normal(size=3), rng.normal(size=(1, 3)), rng.integers(0, 2, 1).astype(float))],
    wrt=(0, 1, 2),
)
def irls_logistic(beta, X, y):
    for it in range(3):
        p = 1 / (1 + exp(-(X @ beta)))
        W = p * (1 - p) + 0.001
        H = X.T @ (W[:, None] * X) + np.eye(3)
        g = X.T @ (y - p) - beta
        beta = beta + np.linalg.solve(H, g)
    return beta @ beta


@program(
    args=(rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.integers(0, 4, 3)),
    also=[(rng.normal(size=(1, 4)), rng.normal(size=(4, 4)), rng.integers(0, 4, 1))],
    wrt=(0, 1),
)
def crf_loglik(unary, trans, tags):
    T, K = unary.shape
    alpha = unary[0]
    for t in range(1, T):
        z = alpha[:, None] + trans + unary[t][None, :]
        m = z.max(axis=0)
        alpha = m + np.log(np.exp(z - m).sum(axis=0))
    m = alpha.max()
    logZ = m + np.log(np.exp(alpha - m).sum())
    score = unary[np.arange(T), tags].sum()
    if T > 1:
        score = score + trans[tags[:-1], tags[1:]].sum()
    return logZ - score


@program(
    args=(rng.normal(size=3), rng.normal(size=3)),
    also=[(rng.normal(size=1), rng.normal(size=1))],
    wrt=(0, 1),
)
def gumbel_softmax_st(logits, noise):

    def soft(z, t=0.7):
        z = z / t
        z = z - z.max()
        e = np.exp(z)
        return e / e.sum()

    y = soft(logits + noise)
    hard = np.zeros_like(y)
    hard[np.argmax(y)] = 1
    return (y * np.arange(1, len(y) + 1)).sum() + hard @ logits


def _walk(tree, fn):
    if isinstance(tree, dict):
        return {k: _walk(v, fn) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)((_walk(v, fn) for v in tree))
    return fn(tree)


def _leaves(tree):
    if isinstance(tree, dict):
        return [l for v in tree.values() for l in _leaves(v)]
    if isinstance(tree, (list, tuple)):
        return sum((_leaves(v) for v in tree), [])
    return [tree]


@program(
    args=({"w": [rng.normal(size=3), rng.normal(size=(3, 2))], "b": (0.5, rng.normal(size=2))},),
    also=[({"w": [rng.normal(size=1), rng.normal(size=(1, 2))], "b": (0.5, rng.normal(size=2))},)],
)
def tree_map_style(params):
    scaled = _walk(params, lambda l: np.tanh(l) * 2)
    l2 = sum((np.sum(np.square(l)) for l in _leaves(scaled)))
    h = scaled["w"][0] @ scaled["w"][1] + scaled["b"][1] * scaled["b"][0]
    return l2 + h @ h


@dataclass
class Config:
    lr: float = 0.1
    steps: int = 3
    schedule: Optional[str] = None
    history: list = field(default_factory=list)


class Model:
    count = 0

    def __init__(self, w, cfg=None):
        self.w = w
        self.cfg = cfg or Config()

    def loss(self, X, y):
        return np.mean((X @ self.w - y) ** 2)

    def grad(self, X, y):
        return 2 * X.T @ (X @ self.w - y) / len(y)

    def step(self, X, y):
        self.w = self.w - self.cfg.lr * self.grad(X, y)
        self.cfg.history.append(self.loss(X, y))
        return self

    @classmethod
    def zeros(cls, n):
        return cls(np.zeros(n))

    @staticmethod
    def scale(x):
        return x / (1 + np.abs(x))


@program(
    args=(rng.normal(size=3), rng.normal(size=(4, 3)), rng.normal(size=4)),
    also=[(rng.normal(size=1), rng.normal(size=(4, 1)), rng.normal(size=4))],
    wrt=(0, 1, 2),
)
def class_model(w, X, y):
    m = Model(w, Config(lr=0.05))
    for _ in range(m.cfg.steps):
        m.step(X, Model.scale(y))
    return m.cfg.history[-1] + 0.1 * sum(m.cfg.history[:-1]) + Model.zeros(2).w.sum()


@program(args=(rng.normal(size=3), rng.integers(0, 3, 3)))
def bincount_groups(x, g):
    sums = np.zeros(3)
    np.add.at(sums, g, x)
    cnt = np.bincount(g, minlength=3)
    means = sums / np.maximum(cnt, 1)
    return np.sum((x - means[g]) ** 2)
