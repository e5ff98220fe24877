"""Fit a smooth curve with outliers by SciPy's ``least_squares``, with a sparse exact Jacobian.

The unknowns are the curve's values at 500 points. Each residual depends on one value (the datum)
or on three (the bend), so that of half a million derivatives 2000 are other than zero. SciPy could
find them by differences too, if it is told where they are: ``jac_sparsity=sd.sparsity(...)`` does.
"""

import time

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

import symdiff as sd

Vector = npt.NDArray[np.float64]
SMOOTH = 10.0


def residuals(curve: Vector, data: Vector) -> Vector:
    """How far the curve is from the data, and how much it bends."""
    bend = curve[2:] - 2.0 * curve[1:-1] + curve[:-2]
    return np.concatenate([curve - data, SMOOTH * bend])


jacobian = sd.jacobian(residuals, sparse=True)


def main() -> None:
    """Fit with the exact Jacobian and with differences, and compare both with the truth."""
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 500)
    truth = np.sin(6.0 * x) + x**2
    data = truth + 0.05 * rng.normal(size=len(x))
    data[rng.integers(0, len(x), 15)] += 3.0
    print(jacobian.explain(data, data))
    options = {"args": (data,), "loss": "soft_l1", "f_scale": 0.1, "method": "trf"}
    options |= {"tr_solver": "lsmr", "xtol": 1e-8, "ftol": 1e-8}
    errors = []
    for name, derivative in (
        ("exact", {"jac": jacobian}),
        ("differences", {"jac_sparsity": sd.sparsity(residuals, data, data)}),
    ):
        start = time.perf_counter()
        found = least_squares(residuals, data, **options, **derivative)
        seconds = time.perf_counter() - start
        errors.append(float(np.sqrt(np.mean((found.x - truth) ** 2))))
        print(f"{name:>12}: {found.nfev} steps, {seconds:.2f} s, error {errors[-1]:.4f}")
    assert max(errors) < 0.04, "the curve is not found"


if __name__ == "__main__":
    main()
