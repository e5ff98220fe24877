"""The README's ten lines: a gradient, and the code that computed it.

Run it with ``python examples/quickstart.py``. The gradient is compared with the one worked out by
hand, 2/n xᵀ (r (1 − tanh²(x w))).
"""

import numpy as np

import symdiff as sd


@sd.differentiable
def loss(w, x, y):
    r = np.tanh(x @ w) - y
    return np.mean(r * r)


def main() -> None:
    """Print the value, the gradient and its source; compare with the gradient by hand."""
    rng = np.random.default_rng(0)
    w, x, y = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=5)

    print("loss     ", loss(w, x, y))
    print("gradient ", loss.grad(w, x, y))
    print()
    print(loss.grad.source(w, x, y))

    prediction = np.tanh(x @ w)
    by_hand = 2 / len(y) * x.T @ ((prediction - y) * (1 - prediction**2))
    np.testing.assert_allclose(loss.grad(w, x, y), by_hand, rtol=1e-13)
    print("agrees with the gradient worked out by hand")


if __name__ == "__main__":
    main()
