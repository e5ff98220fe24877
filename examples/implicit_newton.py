"""Differentiate through a ``while`` loop: Kepler's equation, solved by Newton's method.

E − e sin E = M has no closed solution for E, so it is iterated until the step is small, and nobody
knows beforehand how often. The derivatives of the loop are compared with what the implicit function
theorem says about its limit:

    ∂E/∂M = 1 / (1 − e cos E)
    ∂E/∂e = sin E / (1 − e cos E)
    ∂²E/∂M² = −e sin E / (1 − e cos E)³
"""

import math

import symdiff as sd


@sd.differentiable
def eccentric_anomaly(mean_anomaly: float, eccentricity: float) -> float:
    """Solve Kepler's equation for the eccentric anomaly, all angles in radians."""
    anomaly = mean_anomaly
    step = 1.0
    while abs(step) > 1e-13:
        excess = anomaly - eccentricity * math.sin(anomaly) - mean_anomaly
        step = excess / (1.0 - eccentricity * math.cos(anomaly))
        anomaly = anomaly - step
    return anomaly


def main() -> None:
    """Compare first and second derivatives with the implicit function theorem on five orbits."""
    by_both = sd.grad(eccentric_anomaly, argnums=("mean_anomaly", "eccentricity"))
    by_anomaly_twice = eccentric_anomaly.grad.grad

    print(f"{'M':>6}{'e':>6}{'E':>12}{'dE/dM':>12}{'dE/de':>12}{'d2E/dM2':>12}")
    for mean_anomaly, eccentricity in ((0.3, 0.0), (0.5, 0.2), (1.0, 0.6), (2.5, 0.8), (4.0, 0.3)):
        anomaly = eccentric_anomaly(mean_anomaly, eccentricity)
        by_mean, by_eccentricity = by_both(mean_anomaly, eccentricity)
        twice = by_anomaly_twice(mean_anomaly, eccentricity)
        print(
            f"{mean_anomaly:6}{eccentricity:6}{anomaly:12.6f}"
            f"{by_mean:12.6f}{by_eccentricity:12.6f}{twice:12.6f}"
        )

        slope = 1.0 - eccentricity * math.cos(anomaly)
        assert math.isclose(by_mean, 1.0 / slope, rel_tol=1e-11)
        assert math.isclose(by_eccentricity, math.sin(anomaly) / slope, rel_tol=1e-11)
        expected = -eccentricity * math.sin(anomaly) / slope**3
        assert math.isclose(twice, expected, rel_tol=1e-9, abs_tol=1e-12)

    print()
    print(eccentric_anomaly.grad.source("float", "float"))


if __name__ == "__main__":
    main()
