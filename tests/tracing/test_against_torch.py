"""Traces, hooks and retained gradients beside PyTorch's own, where that is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(8, 3)), RNG.normal(size=8)
W1, W2 = RNG.normal(size=(3, 4)), RNG.normal(size=4)


@sd.differentiable
def network(w1, w2, x, y):
    h = np.tanh(x @ w1)
    out = h @ w2
    r = out - y
    loss = np.mean(r * r)
    return loss


def in_torch(hook: Any = None) -> dict[str, Any]:
    """Values and gradients of the same network in PyTorch."""
    w1, w2 = (torch.tensor(w, requires_grad=True) for w in (W1, W2))
    x, y = torch.tensor(X), torch.tensor(Y)
    h = torch.tanh(x @ w1)
    out = h @ w2
    r = out - y
    loss = (r * r).mean()
    for one in (h, out, r, loss):
        one.retain_grad()
    if hook is not None:
        h.register_hook(hook)
    loss.backward()
    return {"w1": w1, "w2": w2, "h": h, "out": out, "r": r, "loss": loss}


def test_every_name_has_the_value_and_the_gradient_of_its_tensor() -> None:
    trace = network.trace(W1, W2, X, Y)
    trace.backward()
    for name, tensor in in_torch().items():
        np.testing.assert_allclose(trace[name].value, tensor.detach().numpy(), rtol=1e-12)
        np.testing.assert_allclose(trace[name].grad, tensor.grad.numpy(), rtol=1e-11, atol=1e-15)


def test_hooks_do_what_register_hook_does() -> None:
    theirs = in_torch(lambda g: g.clamp(-0.05, 0.05))["w1"].grad.numpy()
    ours = network.with_hook("h", lambda g: np.clip(g, -0.05, 0.05)).grad(W1, W2, X, Y)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-15)


def test_several_hooks_are_called_and_gradients_kept_as_theirs_are() -> None:
    h = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True) * 1.0
    h.retain_grad()
    h.register_hook(lambda g: g + 1.0)
    h.register_hook(lambda g: 3.0 * g)
    (h * h).sum().backward()

    def f(x):
        h = x * 1.0
        return np.sum(h * h)

    hooked = sd.differentiable(f)
    hooked = hooked.with_hook("h", lambda g: g + 1.0).with_hook("h", lambda g: 3.0 * g)
    trace = hooked.trace(np.array([0.5, -2.0]))
    trace.backward()
    np.testing.assert_allclose(trace["h"].grad, h.grad.numpy(), rtol=1e-15)


def test_retain_gives_what_retain_grad_does() -> None:
    theirs = in_torch()
    _, gradient, retained = sd.value_and_grad(network, retain=("h", "r"))(W1, W2, X, Y)
    np.testing.assert_allclose(gradient, theirs["w1"].grad.numpy(), rtol=1e-11)
    for name in ("h", "r"):
        np.testing.assert_allclose(retained[name], theirs[name].grad.numpy(), rtol=1e-11)


def test_gradients_accumulate_as_theirs_do() -> None:
    w = torch.tensor(W2, requires_grad=True)
    for _ in range(2):
        (w * w).sum().backward()
    trace = sd.differentiable(lambda w: np.sum(w * w)).trace(W2)
    trace.backward(retain_graph=True)
    trace.backward()
    np.testing.assert_allclose(trace["w"].grad, w.grad.numpy(), rtol=1e-14)
