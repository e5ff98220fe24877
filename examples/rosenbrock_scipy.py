"""Minimise Rosenbrock's function with exact first and second derivatives, through SciPy.

``rosenbrock.grad`` is what ``scipy.optimize.minimize`` calls ``jac`` and ``rosenbrock.hvp``, the
vector last, is its ``hessp``: neither needs a wrapper. SciPy brings derivatives of the same
function written by hand, and those are what the generated ones are compared with.
"""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, rosen_der, rosen_hess_prod

import symdiff as sd


@sd.differentiable
def rosenbrock(x: npt.NDArray[np.float64]) -> np.float64:
    """Rosenbrock's curved valley in any number of dimensions; the minimum is at all ones."""
    total: np.float64 = np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    return total


def main() -> None:
    """Compare both derivatives with SciPy's, then minimise in 100 dimensions with and without."""
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=100), rng.normal(size=100)
    np.testing.assert_allclose(rosenbrock.grad(x), rosen_der(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(rosenbrock.hvp(x, v), rosen_hess_prod(x, v), rtol=1e-10, atol=1e-10)

    start = np.full(100, -1.2)
    exact = minimize(
        rosenbrock, start, jac=rosenbrock.grad, hessp=rosenbrock.hvp, method="trust-ncg"
    )
    differences = minimize(rosenbrock, start, method="BFGS")

    print(f"{'':24}{'calls of f':>12}{'distance to the minimum':>28}")
    for name, result in (
        ("gradient and hessp", exact),
        ("finite differences", differences),
    ):
        print(f"{name:24}{result.nfev:12}{np.max(np.abs(result.x - 1.0)):28.1e}")

    assert exact.success, exact.message
    np.testing.assert_allclose(exact.x, np.ones(100), atol=1e-7)


if __name__ == "__main__":
    main()
