"""What one asks of a computation graph, asked of plain NumPy code.

A tour through the questions that tutorials of PyTorch's autograd teach: leaves and ``grad_fn``, the
walk to the leaves, values and gradients on the way, accumulation, freed graphs, hooks, what is cut
off, in-place changes, anomalies. Each answer is printed, and held against one worked out by hand;
where PyTorch is installed its own answer stands beside it.
"""

import importlib.util
from typing import Any

import numpy as np
import numpy.typing as npt

import symdiff as sd

Array = npt.NDArray[np.float64]
HAS_TORCH = importlib.util.find_spec("torch") is not None

W, B = np.array([[0.5, -0.25], [1.0, 0.75]]), np.array([0.1, -0.2])
X, Y = (
    np.array([[1.0, 2.0], [-0.5, 1.5], [0.25, -1.0]]),
    np.array([[0.5, 0.0], [1.0, -1.0], [0.0, 0.5]]),
)


@sd.differentiable
def loss(w: Array, b: Array, x: Array, y: Array) -> np.floating[Any]:
    """The mean squared error of one layer."""
    h = np.tanh(x @ w + b)
    r = h - y
    value: np.floating[Any] = np.mean(r * r)
    return value


def by_hand() -> tuple[Array, Array, Array]:
    """The gradients of ``loss`` by ``h``, ``w`` and ``b``, by the chain rule on paper."""
    h = np.tanh(X @ W + B)
    h_bar = 2 * (h - Y) / h.size
    z_bar = h_bar * (1 - h * h)
    return h_bar, X.T @ z_bar, z_bar.sum(axis=0)


def with_torch() -> dict[str, Any]:
    """The same in PyTorch: the loss, its leaves, and what it keeps."""
    import torch

    w, b = (torch.tensor(a, requires_grad=True) for a in (W, B))
    h = torch.tanh(torch.tensor(X) @ w + b)
    h.retain_grad()
    r = h - torch.tensor(Y)
    return {"w": w, "b": b, "h": h, "r": r, "loss": (r * r).mean()}


def heading(text: str) -> None:
    """A question."""
    print(f"\n{text}\n{'-' * len(text)}")


def show_graph() -> None:
    """Leaves, the root, and the functions of the backward sweep."""
    heading("What is the graph? Who is a leaf, and what is grad_fn?")
    g = loss.graph(W, B, X, Y)
    print(g)
    r, w = g["r"], g["w"]
    assert r.grad_fn is not None
    print("r:", r.is_leaf, r.requires_grad, r.grad_fn.name(), "| w:", w.is_leaf, w.grad_fn)
    assert (r.is_leaf, w.is_leaf, w.grad_fn) == (False, True, None)

    reached: set[str] = set()
    pending: list[Any] = [g.root.grad_fn]
    while pending:
        function = pending.pop()
        if function.name().startswith("AccumulateGrad"):
            reached.add(function.variable.name)
        pending += [following for following, _ in function.next_functions if following is not None]
    print("the walk along next_functions ends at", sorted(reached))
    assert reached == {"w", "b", "x", "y"}
    if HAS_TORCH:
        print("PyTorch:", with_torch()["loss"].grad_fn.next_functions)


def show_values() -> None:
    """One run with all its values; their gradients; accumulation; what is freed."""
    heading("What are the values and gradients at each node?")
    h_bar, w_bar, b_bar = by_hand()
    t = loss.trace(W, B, X, Y)
    t.backward(retain_graph=True)
    print(t)
    np.testing.assert_allclose(t["h"].grad, h_bar, rtol=1e-14)
    np.testing.assert_allclose(t["w"].grad, w_bar, rtol=1e-14)
    if HAS_TORCH:
        theirs = with_torch()
        theirs["loss"].backward()
        print("PyTorch's gradient by h:", theirs["h"].grad.numpy().round(4).tolist())
        np.testing.assert_allclose(t["h"].grad, theirs["h"].grad.numpy(), rtol=1e-12)

    heading("Do gradients accumulate, and is the graph freed?")
    t.backward()
    np.testing.assert_allclose(t["b"].grad, 2 * b_bar, rtol=1e-14)
    print("after a second backward, b's gradient is doubled:", t["b"].grad)
    t.zero_grad()
    try:
        t.backward()
    except sd.ReleasedError as error:
        print("a third one:", error)
    else:
        raise AssertionError("what was saved should have been released")


def show_non_scalar() -> None:
    """The gradient of something that is not one number."""
    heading("What is the gradient of a vector?")
    residual = sd.differentiable(lambda w: np.tanh(X @ w) - Y)
    try:
        residual.grad(W)
    except sd.GradientShapeError as error:
        print(str(error).splitlines()[0])
    weights = np.ones_like(Y)
    value, pullback = residual.vjp(W)
    (w_bar,) = pullback(weights)
    np.testing.assert_allclose(w_bar, X.T @ (weights * (1 - (value + Y) ** 2)), rtol=1e-14)
    print("gradient=ones:", w_bar.round(4).tolist(), "without a Jacobian, which has shape", end=" ")
    print(residual.jacobian(W).shape)


def show_second_order() -> None:
    """Gradients of gradients."""
    heading("And gradients of gradients (create_graph)?")
    cube = sd.differentiable(lambda x: np.sum(x**3))
    x = np.array([1.0, -2.0])
    print("hessian:", cube.hessian(x).tolist(), "hvp:", cube.hvp(x, np.ones(2)))
    np.testing.assert_array_equal(cube.hessian(x), np.diag(6 * x))
    print(cube.hvp.source("float64[n]", "float64[n]").split('"""')[-1].strip())


def show_hooks() -> None:
    """Gradients of intermediates, kept and changed on their way."""
    heading("Can I keep, or change, the gradient in the middle?")
    h_bar, w_bar, _ = by_hand()
    _, _, kept = sd.value_and_grad(loss, retain=("h",))(W, B, X, Y)
    np.testing.assert_allclose(kept["h"], h_bar, rtol=1e-14)
    halved = loss.with_hook("h", lambda cotangent: 0.5 * cotangent)
    np.testing.assert_allclose(halved.grad(W, B, X, Y), 0.5 * w_bar, rtol=1e-14)
    np.testing.assert_allclose(loss.grad(W, B, X, Y), w_bar, rtol=1e-14)
    print("retain:", kept["h"].round(4).tolist())
    print("hooked by half:", halved.grad(W, B, X, Y).round(4).tolist())


def show_cuts() -> None:
    """What is not differentiated: detach, no_grad, frozen arguments."""
    heading("How do I cut the graph?")

    def scaled(x: Array) -> np.float64:
        with sd.no_grad():
            largest = np.max(x)
        value: np.float64 = np.sum(x * sd.detach(x)) / largest
        return value

    x = np.array([1.0, 2.0, 4.0])
    print("detach and no_grad:", sd.grad(scaled)(x))
    np.testing.assert_array_equal(sd.grad(scaled)(x), x / 4.0)
    by_rest = loss.freeze("w", "x", "y").grad(W, B, X, Y)
    np.testing.assert_allclose(by_rest, by_hand()[2], rtol=1e-14)
    print("all but b frozen:", by_rest)


def show_in_place() -> None:
    """Code that PyTorch refuses, and an array that is changed too early."""
    heading("What of changes in place?")

    def squared_in_place(x: Array) -> np.float64:
        y = np.exp(x)
        total: np.float64 = np.sum(y * y)
        y *= x
        total += np.sum(y)
        return total

    x = np.array([0.5, -1.0])
    expected = 2 * np.exp(2 * x) + np.exp(x) * (1 + x)
    np.testing.assert_allclose(sd.grad(squared_in_place)(x), expected, rtol=1e-14)
    print("exp is saved, then overwritten; the gradient is right:", sd.grad(squared_in_place)(x))
    if HAS_TORCH:
        import torch

        leaf = torch.tensor(x, requires_grad=True)
        y = torch.exp(leaf)
        total = (y * y).sum()
        y.mul_(leaf)
        try:
            (total + y.sum()).backward()
        except RuntimeError as error:
            print("PyTorch:", str(error).split(":")[0])


def show_anomalies() -> None:
    """The first infinity of a backward sweep."""
    heading("Where does the infinity come from (detect_anomaly)?")
    root = sd.differentiable(lambda x: np.sum(np.sqrt(x)))
    with sd.detect_anomaly(), np.errstate(divide="ignore"):
        try:
            root.grad(np.array([4.0, 0.0]))
        except sd.AnomalyError as error:
            print(error)
        else:
            raise AssertionError("an infinite derivative should have been told")


def main() -> None:
    """Ask everything."""
    print("PyTorch's answers stand beside" if HAS_TORCH else "PyTorch is not installed here")
    show_graph()
    show_values()
    show_non_scalar()
    show_second_order()
    show_hooks()
    show_cuts()
    show_in_place()
    show_anomalies()
    heading("Where are the rules (derivatives.yaml)?")
    print(sd.rules(np.tanh))


if __name__ == "__main__":
    main()
