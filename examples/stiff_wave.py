"""March a stiff equation in large steps: Newton's method with a sparse Jacobian in each of them.

Nagumo's equation u_t = u_xx + u (1 - u) (u - a), a model of a nerve, has a wave that travels:

    u(x, t) = 1 / (1 + exp((x - c t) / √2)),    c = √2 (1/2 - a)

Explicit steps are stable up to dx² / 2 only. Implicit ones are as long as accuracy allows, and need
the Jacobian of the residual by the new values. It has three diagonals, which symdiff finds out: it
takes three sweeps, however many points there are.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import spsolve

import symdiff as sd

Vector = npt.NDArray[np.float64]
THRESHOLD = 0.2
SPEED = np.sqrt(2.0) * (0.5 - THRESHOLD)


def residual(new: Vector, old: Vector, dt: float, dx: float) -> Vector:
    """What is left of a step by the trapezoidal rule's midpoint; the ends stay."""
    u = 0.5 * (new + old)
    rate = np.zeros_like(u)
    rate[1:-1] = (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2
    rate[1:-1] += u[1:-1] * (1.0 - u[1:-1]) * (u[1:-1] - THRESHOLD)
    return new - old - dt * rate


jacobian = sd.jacobian(residual, sparse=True)


def step(old: Vector, dt: float, dx: float) -> tuple[Vector, int]:
    """The values a step later, and how many Newton steps it took."""
    new = old.copy()
    for count in range(1, 20):
        change = spsolve(jacobian(new, old, dt, dx).tocsc(), residual(new, old, dt, dx))
        new -= change
        if np.max(np.abs(change)) < 1e-10:
            return new, count
    raise RuntimeError("Newton's method did not settle")


def wave(x: Vector, t: float) -> Vector:
    """The exact solution."""
    u: Vector = 1.0 / (1.0 + np.exp((x - SPEED * t) / np.sqrt(2.0)))
    return u


def main() -> None:
    """March to time 20 with several step lengths, and compare with the exact wave."""
    x = np.linspace(-30.0, 40.0, 1401)
    dx = float(x[1] - x[0])
    print(jacobian.explain(x, x, 0.1, dx))
    print(f"explicit steps: at most {0.5 * dx**2:.5f} long\n")
    print(f"{'step':>8}{'steps':>8}{'Newton':>8}{'error':>12}")
    errors = []
    for dt in (1.0, 0.5, 0.25):
        u, total, steps = wave(x, 0.0), 0, round(20.0 / dt)
        for _ in range(steps):
            u, count = step(u, dt, dx)
            total += count
        errors.append(np.max(np.abs(u - wave(x, 20.0))))
        print(f"{dt:8}{steps:8}{total:8}{errors[-1]:12.2e}")
    assert jacobian.sparsity(x, x, 0.1, dx).nnz == 3 * x.size - 4
    assert errors[1] < errors[0] / 3.0  # of second order
    assert errors[2] < 2e-4


if __name__ == "__main__":
    main()
