"""What one asks of a computation graph, asked of plain NumPy code.

A tour through the questions that tutorials of PyTorch's autograd teach: leaves and ``grad_fn``, the
walk to the leaves, values and gradients on the way, accumulation, freed graphs, hooks, what is cut
off, in-place changes, anomalies. Each answer is printed, and held against one worked out by hand;
where PyTorch is installed its own answer stands beside it.
"""

import importlib.util
import textwrap
import warnings
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


def heading(question: str, theirs: str, ours: str) -> None:
    """A question, and how it is asked in PyTorch and here."""
    print(f"\n{question}\n{'-' * len(question)}\n  PyTorch:  {theirs}\n  symdiff:  {ours}\n")


def show_graph() -> None:
    """Leaves, the root, and the functions of the backward sweep."""
    heading(
        "What is the graph? Who is a leaf, and what is grad_fn?",
        "t.is_leaf, t.requires_grad, t.grad_fn.next_functions",
        'g = f.graph(*args); g["r"].is_leaf, .requires_grad, .grad_fn.next_functions',
    )
    g = loss.graph(W, B, X, Y)
    print(g)
    r, w = g["r"], g["w"]
    assert r.grad_fn is not None
    for node in (r, w):
        grad_fn = None if node.grad_fn is None else node.grad_fn.name()
        print(f"{node.name}.is_leaf {node.is_leaf}, .requires_grad {node.requires_grad}", end="")
        print(f", .grad_fn {grad_fn}")
    assert (r.is_leaf, w.is_leaf, w.grad_fn) == (False, True, None)

    # All arguments require a gradient until a derivative says by which it is: then x is data.
    by_parameters = sd.grad(loss, argnums=("w", "b")).graph(W, B, X, Y)
    product = by_parameters.named("h")[0].inputs[0].inputs[0].grad_fn
    assert product is not None
    print("next_functions of x @ w, differentiated by w and b:", product.next_functions)
    assert product.next_functions[0] == (None, 0)

    found = [function.name() for function in walked(by_parameters.root.grad_fn)]
    print("the walk from the root:", " ".join(found))
    assert found.count("AccumulateGrad") == 2
    assert [leaf.name for leaf in by_parameters.leaves] == ["w", "b"]
    if HAS_TORCH:
        theirs = [
            function.name().split("::")[-1] for function in walked(with_torch()["loss"].grad_fn)
        ]
        print("PyTorch's walk:", " ".join(theirs))
        assert theirs.count("AccumulateGrad") == 2


def walked(root: Any) -> list[Any]:
    """The functions of a backward sweep, each once: ours and PyTorch's have the same attributes."""
    reached: dict[Any, None] = {}
    pending = [root]
    while pending:
        function = pending.pop()
        if function is not None and function not in reached:
            reached[function] = None
            pending += [following for following, _ in function.next_functions]
    return list(reached)


def show_paths() -> None:
    """Two ways from a leaf to the root."""
    heading(
        "What if there are several paths to one leaf?",
        "they are summed",
        'they are summed; g["x"].users',
    )
    twice = sd.differentiable(lambda x: x * np.sin(x))
    g = twice.graph(0.5)
    leaf = g.leaves[0]
    print("x is used by", [node.expression for node in leaf.users])
    assert len(leaf.users) == 2
    print("the shares are summed:", twice.grad(0.5))
    assert abs(twice.grad(0.5) - (np.sin(0.5) + 0.5 * np.cos(0.5))) < 1e-15


def show_drawings() -> None:
    """The graph in the languages that draw."""
    heading(
        "How do I draw it (torchviz)?",
        "torchviz.make_dot(loss)",
        "g.to_svg(), g.to_dot(), g.to_mermaid(), g.to_networkx(); g itself in a notebook",
    )
    g = loss.graph(W, B, X, Y)
    dot, mermaid = g.to_dot(), g.to_mermaid()
    print(mermaid.split("classDef")[0].rstrip())
    assert dot.startswith("digraph")
    assert dot.count("<b>") == mermaid.count("<b>") == 7  # boxes with a name
    if importlib.util.find_spec("networkx") is not None:
        network = g.to_networkx()
        print(f"for NetworkX: {len(network)} nodes, {network.number_of_edges()} edges")
        assert len(network) == len(g)
    if importlib.util.find_spec("pygraphviz") is not None:
        print(f"laid out, an SVG of {g.to_svg().count('<path')} arrows and boxes")


def show_values() -> None:
    """One run with all its values; their gradients; accumulation; what is freed."""
    heading(
        "What are the values and gradients at each node?",
        "h.retain_grad(); loss.backward(); h.grad",
        't = f.trace(*args); t.backward(); t["h"].value, t["h"].grad, t["h"][k] of turn k',
    )
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

    def power(x: float) -> float:
        y = x
        for _ in range(3):
            y = y * x
        return y

    turns = sd.differentiable(power).trace(2.0)
    turns.backward()
    print("y in each turn:", turns["y"].values, "and the gradients by it:", turns["y"].grads)
    assert (turns["y"].values, turns["y"].grads) == ([2.0, 4.0, 8.0, 16.0], [8.0, 4.0, 2.0, 1.0])
    drawn = t.to_mermaid()
    print("drawn:", next(line for line in drawn.splitlines() if "<b>r</b>" in line).strip())
    assert drawn.count("gradient: norm") == 7

    heading(
        "Do gradients accumulate, and is the graph freed?",
        "loss.backward(retain_graph=True); w.grad.zero_()",
        "t.backward(retain_graph=True); t.zero_grad(); sd.accumulate(total, gradient)",
    )
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
    total = None
    for start in range(3):  # a training loop that adds up what its batches give
        total = sd.accumulate(
            total, {"b": loss.freeze("w", "x", "y").grad(W, B, X[start:], Y[start:])}
        )
    assert total is not None
    expected = sum(sd.grad(loss, "b")(W, B, X[k:], Y[k:]) for k in range(3))
    np.testing.assert_allclose(total["b"], expected, rtol=1e-15)
    print("accumulated over batches:", total)


def show_losses() -> None:
    """Two losses that share a part."""
    heading(
        "Two losses that share a part (retain_graph)?",
        "one.backward(retain_graph=True); two.backward()",
        't.backward(output="one", retain_graph=True); t.backward(output="two")',
    )

    def losses(w: Array) -> dict[str, Any]:
        shared = np.tanh(X @ w)
        return {"fit": np.mean((shared - Y) ** 2), "size": np.sum(shared * shared)}

    t = sd.differentiable(losses).trace(W)
    t.backward(output="fit", retain_graph=True)
    by_fit = t["w"].grad.copy()
    t.backward(output="size")
    shared = np.tanh(X @ W)
    slope = 1 - shared**2
    np.testing.assert_allclose(by_fit, X.T @ (2 * (shared - Y) / Y.size * slope), rtol=1e-13)
    np.testing.assert_allclose(t["w"].grad - by_fit, X.T @ (2 * shared * slope), rtol=1e-13)
    print("by the first:", by_fit.round(4).tolist(), "by both:", t["w"].grad.round(4).tolist())
    if HAS_TORCH:
        import torch

        w = torch.tensor(W, requires_grad=True)
        theirs = torch.tanh(torch.tensor(X) @ w)
        ((theirs - torch.tensor(Y)) ** 2).mean().backward(retain_graph=True)
        (theirs * theirs).sum().backward()
        assert w.grad is not None
        print("PyTorch, by both:", w.grad.numpy().round(4).tolist())
        np.testing.assert_allclose(t["w"].grad, w.grad.numpy(), rtol=1e-12)


def show_non_scalar() -> None:
    """The gradient of something that is not one number."""
    heading(
        "What is the gradient of a vector?",
        "y.backward(gradient=v)",
        "t.backward(gradient=v); f.backward(saved, gradient=v); f.vjp(x)[1](v)",
    )
    residual = sd.differentiable(lambda w: np.tanh(X @ w) - Y)
    try:
        residual.grad(W)
    except sd.GradientShapeError as error:
        print(error)
    weights = np.ones_like(Y)
    value, pullback = residual.vjp(W)
    (w_bar,) = pullback(weights)
    np.testing.assert_allclose(w_bar, X.T @ (weights * (1 - (value + Y) ** 2)), rtol=1e-14)
    _, saved = residual.forward(W)
    np.testing.assert_array_equal(residual.backward(saved, gradient=weights)[0], w_bar)
    t = residual.trace(W)
    t.backward(gradient=weights)
    np.testing.assert_array_equal(t["w"].grad, w_bar)
    print("gradient=ones:", w_bar.round(4).tolist(), "without a Jacobian, which has shape", end=" ")
    print(residual.jacobian(W).shape)
    if HAS_TORCH:
        import torch

        w = torch.tensor(W, requires_grad=True)
        theirs = torch.tanh(torch.tensor(X) @ w) - torch.tensor(Y)
        try:
            theirs.backward()
        except RuntimeError as error:
            print("PyTorch:", error)
        theirs.backward(gradient=torch.ones_like(theirs))
        assert w.grad is not None
        np.testing.assert_allclose(w_bar, w.grad.numpy(), rtol=1e-12)


def show_products() -> None:
    """Products with the Jacobian, from both sides, and the code that computes them."""
    heading(
        "JVP and VJP: is there a Jacobian?",
        "torch.func.jvp, torch.func.vjp",
        "f.jvp((x,), (v,)), f.vjp(x); f.jvp.source(...) is the code",
    )
    f = sd.differentiable(lambda x: np.sin(x) * x[0])
    x, v = np.array([0.5, -1.0]), np.array([1.0, 2.0])
    value, pushed = f.jvp((x,), (v,))
    _, pullback = f.vjp(x)
    (pulled,) = pullback(v)
    jacobian = np.diag(np.cos(x) * x[0]) + np.outer(np.sin(x), [1.0, 0.0])
    np.testing.assert_allclose(pushed, jacobian @ v, rtol=1e-14)
    np.testing.assert_allclose(pulled, v @ jacobian, rtol=1e-14)
    np.testing.assert_array_equal(value, np.sin(x) * x[0])
    print(f.jvp.source(("float64[n]",), ("float64[n]",)).strip())
    print(f.source("float64[n]").strip())
    if HAS_TORCH:
        import torch

        primal, tangent = torch.tensor(x), torch.tensor(v)
        _, theirs = torch.func.jvp(lambda x: torch.sin(x) * x[0], (primal,), (tangent,))
        print("ours:", pushed, "PyTorch's jvp:", theirs.numpy())
        np.testing.assert_allclose(pushed, theirs.numpy(), rtol=1e-12)


def show_second_order() -> None:
    """Gradients of gradients."""
    heading(
        "And gradients of gradients (create_graph)?",
        "torch.autograd.grad(loss, w, create_graph=True)",
        "f.grad.grad, f.hessian(x), f.hvp(x, v), sd.derivative(f, order=4)",
    )
    cube = sd.differentiable(lambda x: np.sum(x**3))
    x = np.array([1.0, -2.0])
    print("hessian:", cube.hessian(x).tolist(), "hvp:", cube.hvp(x, np.ones(2)))
    np.testing.assert_array_equal(cube.hessian(x), np.diag(6 * x))
    body = cube.hvp.source("float64[n]", "float64[n]").split('"""')[-1]
    print(textwrap.dedent(body).strip())
    fourth = sd.derivative(lambda x: np.sin(2 * x), order=4)(0.3)
    assert abs(fourth - 16 * np.sin(0.6)) < 1e-13
    print("the fourth derivative of sin(2 x) at 0.3:", fourth)
    if HAS_TORCH:
        import torch

        leaf = torch.tensor(x, requires_grad=True)
        (first,) = torch.autograd.grad((leaf**3).sum(), leaf, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), leaf)
        print("PyTorch, create_graph=True:", second.numpy())
        np.testing.assert_allclose(cube.hvp(x, np.ones(2)), second.numpy(), rtol=1e-12)


def show_hooks() -> None:
    """Gradients of intermediates, kept and changed on their way."""
    heading(
        "Can I keep, or change, the gradient in the middle?",
        "h.retain_grad(), h.register_hook(fn)",
        'sd.value_and_grad(f, retain=("h",)), f.with_hook("h", fn), sd.grad_hook(h, fn)',
    )
    h_bar, w_bar, _ = by_hand()
    _, _, kept = sd.value_and_grad(loss, retain=("h",))(W, B, X, Y)
    np.testing.assert_allclose(kept["h"], h_bar, rtol=1e-14)
    halved = loss.with_hook("h", lambda cotangent: 0.5 * cotangent)
    np.testing.assert_allclose(halved.grad(W, B, X, Y), 0.5 * w_bar, rtol=1e-14)
    np.testing.assert_allclose(loss.grad(W, B, X, Y), w_bar, rtol=1e-14)
    print("retain:", kept["h"].round(4).tolist())
    print("hooked by half:", halved.grad(W, B, X, Y).round(4).tolist())
    print(
        "in the code:", next(x for x in halved.grad.source(W, B, X, Y).split("\n") if "0.5 *" in x)
    )
    np.testing.assert_array_equal(halved.without_hook("h").grad(W, B, X, Y), loss.grad(W, B, X, Y))

    def hooked_inside(w: Array) -> Any:
        h = sd.grad_hook(np.tanh(X @ w + B), lambda cotangent: 0.5 * cotangent)
        return np.mean((h - Y) ** 2)

    np.testing.assert_allclose(sd.grad(hooked_inside)(W), 0.5 * w_bar, rtol=1e-14)
    if HAS_TORCH:
        theirs = with_torch()
        theirs["h"].register_hook(lambda cotangent: 0.5 * cotangent)
        theirs["loss"].backward()
        print("PyTorch, register_hook:", theirs["w"].grad.numpy().round(4).tolist())
        np.testing.assert_allclose(halved.grad(W, B, X, Y), theirs["w"].grad.numpy(), rtol=1e-12)


@sd.checkpoint
def layer(h: Array) -> Array:
    """Computed again in the backward sweep."""
    inner = np.tanh(h)
    return inner * h


@sd.custom_vjp
def clipped(x: Array) -> Array:
    """The exponential, with a rule of its own."""
    inside = np.exp(x)
    return inside


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (np.clip(g, -1.0, 1.0) * np.exp(x),))


def show_functions() -> None:
    """Names inside functions that are called."""
    heading(
        "And inside checkpoint, and a Function with a backward of its own?",
        "checkpoint(layer, h), class Clipped(autograd.Function)",
        '@sd.checkpoint, @sd.custom_vjp; t["layer.inner"]',
    )
    t = sd.differentiable(lambda x: np.sum(clipped(layer(x)))).trace(np.array([0.5, -1.0]))
    t.backward()
    print("names:", ", ".join(t))
    x, inner = t["x"].value, np.tanh(t["x"].value)
    expected = np.exp(inner * x) * x
    np.testing.assert_allclose(t["layer.inner"].grad, expected, rtol=1e-14)
    try:
        t["clipped.inside"]
    except sd.UnknownNameError as error:
        print(error)
    else:
        raise AssertionError("the sweep goes around it: there is no gradient by it")


def show_effects() -> None:
    """What is done besides computing."""
    heading(
        "What of print, and of what is written outside?",
        "no part of the graph",
        "g.effects; they stand in print(g) and are drawn; done once, in the forward sweep",
    )
    seen: list[float] = []

    def logged(x: Array) -> np.float64:
        total: np.float64 = np.sum(x * x)
        seen.append(total)
        if total > 1.0:
            print("large:", total)
        return total

    g = sd.differentiable(logged).graph(np.array([1.0, 2.0]))
    print("effects:", [effect.expression for effect in g.effects])
    assert [effect.op for effect in g.effects] == ["opaque_call", "print"]
    np.testing.assert_array_equal(sd.grad(logged)(np.array([1.0, 2.0])), [2.0, 4.0])
    assert seen == [5.0]


def show_cuts() -> None:
    """What is not differentiated: detach, no_grad, frozen arguments."""
    heading(
        "How do I cut the graph?",
        "x.detach(), torch.no_grad(), b.requires_grad_(False)",
        'sd.detach(x), sd.no_grad(), f.freeze("b")',
    )

    def scaled(x: Array) -> np.float64:
        with sd.no_grad():
            largest = np.max(x)
        value: np.float64 = np.sum(x * sd.detach(x)) / largest
        return value

    x = np.array([1.0, 2.0, 4.0])
    print("detach and no_grad:", sd.grad(scaled)(x))
    np.testing.assert_array_equal(sd.grad(scaled)(x), x / 4.0)

    def copied(x: Array) -> np.float64:
        value: np.float64 = np.sum(np.copy(x) * sd.detach(x).copy())
        return value

    np.testing.assert_array_equal(sd.grad(copied)(x), x)
    print("clone is np.copy, detach().clone() a copy of what is detached:", sd.grad(copied)(x))
    if HAS_TORCH:
        import torch

        leaf = torch.tensor(x, requires_grad=True)
        with torch.no_grad():
            largest = leaf.max()
        (
            (leaf * leaf.detach()).sum() / largest + (leaf.clone() * leaf.detach().clone()).sum()
        ).backward()
        assert leaf.grad is not None
        print("PyTorch, both:", leaf.grad.numpy())
        np.testing.assert_allclose(
            sd.grad(scaled)(x) + sd.grad(copied)(x), leaf.grad.numpy(), rtol=1e-14
        )
    by_rest = loss.freeze("w", "x", "y").grad(W, B, X, Y)
    np.testing.assert_allclose(by_rest, by_hand()[2], rtol=1e-14)
    print("all but b frozen:", by_rest)


def show_in_place() -> None:
    """Code that PyTorch refuses, and an array that is changed too early."""
    heading(
        "What of changes in place?",
        "refused, by the version counter",
        "differentiated; sd.detect_changes() finds what is changed between the sweeps",
    )

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

    square = sd.differentiable(lambda x: np.sum(x * x))
    with sd.detect_changes():
        _, pullback = square.vjp(x)
    x[0] = 100.0
    try:
        pullback(1.0)
    except sd.ArrayChangedError as error:
        print(error)
    else:
        raise AssertionError("the array was changed between the sweeps")


def show_anomalies() -> None:
    """The first infinity of a backward sweep."""
    heading(
        "Where does the infinity come from (detect_anomaly)?",
        "torch.autograd.detect_anomaly()",
        "sd.detect_anomaly()",
    )
    root = sd.differentiable(lambda x: np.sum(np.sqrt(x)))
    with sd.detect_anomaly(), np.errstate(divide="ignore"):
        try:
            root.grad(np.array([4.0, 0.0]))
        except sd.AnomalyError as error:
            print(error)
        else:
            raise AssertionError("an infinite derivative should have been told")
    if HAS_TORCH:
        import torch

        leaf = torch.tensor([4.0, 0.0], requires_grad=True)
        warnings.simplefilter("ignore")  # it warns that it is slow
        with torch.autograd.detect_anomaly():
            try:
                (torch.sqrt(leaf) * 0.0).sum().backward()
            except RuntimeError as error:
                print("PyTorch, of a NaN, 0 times infinity (which stays 0 here):", error)


def show_rules() -> None:
    """The table of derivatives."""
    heading(
        "Where are the rules (derivatives.yaml)?",
        "tools/autograd/derivatives.yaml",
        "sd.rules(), sd.rules(np.tanh)",
    )
    print(sd.rules(np.tanh))
    assert sd.rules("tanh")[0].partials == {"x": "1.0 - y * y"}


def main() -> None:
    """Ask everything."""
    print("PyTorch's answers stand beside" if HAS_TORCH else "PyTorch is not installed here")
    show_graph()
    show_paths()
    show_drawings()
    show_values()
    show_losses()
    show_non_scalar()
    show_products()
    show_second_order()
    show_hooks()
    show_functions()
    show_effects()
    show_cuts()
    show_in_place()
    show_anomalies()
    show_rules()
    print(
        "\nWhat trains: digits.py; two networks with two losses over one graph: generative_pair.py"
    )


if __name__ == "__main__":
    main()
