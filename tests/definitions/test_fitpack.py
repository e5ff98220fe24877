"""What is made of splines, fits at given knots, splines on grids: by extrapolated differences."""

import numpy as np
import pytest
from scipy import interpolate

import symdiff as sd
from symdiff.errors import UnsupportedCallError
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
K = np.linspace(0.0, 5.0, 6)
KNOTS = np.array([0, 0, 0, 0, 5, 5, 5, 5.0])
CORNERS = np.array([[0, 0], [4, 0], [0, 4], [4, 4], [1.4, 2.6], [0.2, 0.9]])
SURFACE = interpolate.RectBivariateSpline(K, K, np.sin(np.add.outer(K, K)))
SMOOTH = interpolate.UnivariateSpline(K, np.sin(K), s=0.01)
PARTS = interpolate.bisplrep(
    np.repeat(K, 6), np.tile(K, 6), np.sin(np.add.outer(K, K)).ravel(), s=0
)
NODES = np.sort(X)
COLUMNS = np.stack((NODES**2, np.sin(NODES)), axis=1)
KNOWN = np.array([0.74, 1.12, 1.63, 2.05, 0.8, 1.9])  # of which four are nodes
THROUGH = {
    "barycentric": interpolate.BarycentricInterpolator(NODES, np.cos(NODES)),
    "columns": interpolate.BarycentricInterpolator(NODES, COLUMNS),
    "krogh": interpolate.KroghInterpolator(NODES, np.cos(NODES)),
    "fractions": interpolate.FloaterHormannInterpolator(NODES, np.cos(NODES)),
    "columns of fractions": interpolate.FloaterHormannInterpolator(NODES, COLUMNS.T, axis=1),
    "adaptive": interpolate.AAA(NODES, np.cos(NODES)),
    "radial": interpolate.Rbf(NODES, np.cos(NODES)),
    "several radial": interpolate.Rbf(NODES, COLUMNS, function="gaussian", mode="N-D"),
}
PIECES = {
    "interp1d": interpolate.interp1d(NODES, np.cos(NODES), kind="cubic"),
    "filled": interpolate.interp1d(NODES - 1, X, bounds_error=False, fill_value=(1.0, 2.0)),
    "spline": interpolate.make_interp_spline(NODES, COLUMNS),
    "along the last axis": interpolate.make_interp_spline(NODES, COLUMNS.T, axis=1),
}
OF_THE_NEAREST = interpolate.NearestNDInterpolator(CORNERS, X)
THETA, PHI = np.linspace(0.3, 2.8, 6), np.linspace(0.1, 6.0, 7)
RADII = np.sin(THETA)[:, None] * np.cos(PHI) + 2.0
ON_SPHERE = interpolate.RectSphereBivariateSpline(THETA, PHI, RADII)
SMOOTH_ON_SPHERE = interpolate.SmoothSphereBivariateSpline(
    np.repeat(THETA, 7), np.tile(PHI, 6), RADII.ravel(), s=3.5
)
TIGHT = {"solver_args": {"rtol": 1e-15, "atol": 0.0}}


@pytest.mark.parametrize(
    "found",
    [
        lambda x: interpolate.splev(1.2, interpolate.splder(interpolate.splrep(K, x), 2)),
        lambda x: interpolate.splev(1.2, interpolate.splantider(interpolate.splrep(K, x))),
        lambda x: interpolate.splint(x[0], x[1] + 1, interpolate.splrep(K, np.sin(K))),
        lambda x: interpolate.splint(4.2, 0.1, interpolate.splrep(K, x)),
        lambda x: interpolate.spalde(x[1], interpolate.splrep(K, np.sin(x))),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x).derivative()(K - 0.3),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x, ext=3).derivative()(K - 0.3),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x).antiderivative(2)(1.7),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x).integral(0.3, 2.2),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x, k=2).derivatives(0.7),
        lambda x: interpolate.InterpolatedUnivariateSpline(K, x).get_coeffs(),
        lambda x: interpolate.InterpolatedUnivariateSpline(K + x, x).get_knots(),
        lambda x: SMOOTH.derivative()(x) + SMOOTH.integral(0.1, x[0]),
        lambda x: SMOOTH.derivatives(x[1]) * x[0],
        lambda x: interpolate.LSQUnivariateSpline(K, x, [2.2], k=2)(X[:2]),
        lambda x: interpolate.LSQUnivariateSpline(K, x, [2.2], K + 1, k=1)(x[:2]),
        lambda x: interpolate.make_lsq_spline(K, x, KNOTS, 3)(np.array([0.3, 1.7])),
        lambda x: interpolate.make_lsq_spline(K, x, KNOTS, 3, 1 + x).derivative()(x[0]),
        lambda x: SURFACE.ev(x[:3], x[3:]),
        lambda x: SURFACE.ev(x[0], x[1], dx=1, dy=2),
        lambda x: SURFACE(np.sort(x[:2]), x[3:], dx=1),
        lambda x: SURFACE(x[:3], x[3:], grid=False),
        lambda x: interpolate.bisplev(x[:3], x[3:], PARTS, dx=1, dy=2),
        lambda x: interpolate.LinearNDInterpolator(CORNERS, x)(0.3, 0.35),
        lambda x: interpolate.LinearNDInterpolator(CORNERS, X)(x[:3], x[3:]),
        lambda x: interpolate.LinearNDInterpolator(CORNERS, X, -1.0)(np.stack((x, -x), axis=1)),
        lambda x: interpolate.NearestNDInterpolator(CORNERS, x)(np.array([[0.3, 0.35], [3, 3]])),
        lambda x: interpolate.RegularGridInterpolator((K, K), np.outer(x, x), method="slinear")(
            np.stack((x[:3], x[3:]), axis=1)
        ),
    ],
)
def test_what_is_made_of_splines(found):
    check(found, X, step=0.01)


@pytest.mark.parametrize("method", ["cubic", "quintic"])
def test_splines_on_grids(method):
    """Where SciPy solves by steps its values are those of the spline to 1e-3."""

    def splined(x):
        grid = interpolate.RegularGridInterpolator((K, K), np.outer(x, np.sin(x)), method=method)
        return grid(np.stack((x[:3], x[3:]), axis=1))

    def expected(x):
        places, table = np.stack((x[:3], x[3:])), np.outer(x, np.sin(x))
        k = {"cubic": 3, "quintic": 5}[method]
        rows, columns = (interpolate.make_interp_spline(K, np.eye(6), k)(p) for p in places)
        return np.einsum("mi,ij,mj->m", rows, table, columns)

    value, tangent = sd.jvp(splined, (X,), (np.cos(K),))
    np.testing.assert_array_equal(value, splined(X))

    def along(h):
        return (expected(X + h * np.cos(K)) - expected(X - h * np.cos(K))) / (2 * h)

    np.testing.assert_allclose(tangent, (4 * along(1e-3) - along(2e-3)) / 3, rtol=1e-7)
    (slopes,) = sd.vjp(splined, X)[1](np.ones(3))
    assert slopes @ np.cos(K) == pytest.approx(np.sum(tangent), rel=1e-10)


def test_points_outside_of_all_simplices_get_what_fills_them():
    def found(x):
        return interpolate.LinearNDInterpolator(CORNERS, x, fill_value=7.0)(9.0, 9.0)

    value, slope = sd.value_and_grad(found)(X)
    assert value == 7.0
    np.testing.assert_array_equal(slope, np.zeros(6))


def test_an_order_that_a_spline_does_not_have_is_an_error_as_of_scipy():
    with pytest.raises(ValueError, match="must be <= order"):
        sd.grad(lambda x: interpolate.splder(interpolate.splrep(K, x), 4)[1][0])(X)
    with pytest.raises(ValueError, match="must hold"):
        sd.grad(lambda x: interpolate.bisplev(x[0], x[1], PARTS, dx=3))(X)


def test_coefficients_without_the_zeros_behind_them():
    """SciPy computes something else of them, where their number lets it."""
    knots, c, k = interpolate.splrep(K, np.sin(K))
    check(lambda x: interpolate.splder((knots, x[0] * c[:6], k))[1], X)
    with pytest.raises(ValueError, match="broadcast"):
        sd.grad(lambda x: interpolate.splder((knots, x[0] * c[:7], k))[1][0])(X)


def test_the_derivative_of_an_antiderivative_of_what_was_fitted_outside():
    check(lambda x: SMOOTH.antiderivative().derivative()(x), 1.7, step=0.01)


@pytest.mark.parametrize("name", THROUGH)
def test_interpolants_made_outside_at_their_nodes_and_between(name):
    check(lambda x: THROUGH[name](x), KNOWN, step=0.01)
    check(lambda x: THROUGH[name](x), 1.12, step=0.01)
    check(lambda x: THROUGH[name](x), 1.2, step=0.01)


@pytest.mark.parametrize("name", PIECES)
def test_pieces_made_outside(name):
    check(lambda x: PIECES[name](x), NODES[1:] - 0.1, step=0.01)
    check(lambda x: PIECES[name](x), 1.2, step=0.01)


def test_derivatives_of_a_polynomial_at_its_nodes():
    for name in ("barycentric", "krogh"):
        check(lambda x: THROUGH[name].derivative(x, 2), KNOWN, step=0.01)  # noqa: B023
        check(lambda x: THROUGH[name].derivatives(x, 3), KNOWN, step=0.01)  # noqa: B023


def test_a_polynomial_has_the_slopes_of_its_coefficients():
    """Where SciPy's own formula takes a value at a node for a constant."""
    line = interpolate.BarycentricInterpolator([0.0, 1.0, 2.0], [1.0, 3.0, 9.0])
    points = np.array([0.0, 1.0, 2.0, 0.5])
    np.testing.assert_allclose(
        sd.vjp(line, points)[1](np.ones(4))[0], [0.0, 4.0, 8.0, 2.0], atol=1e-14
    )


@pytest.mark.parametrize(
    "found",
    [
        lambda x: interpolate.splprep([x, x * x, np.cos(K)], s=0)[0][1][1],
        lambda x: interpolate.splprep([x, x * x], s=0, k=2)[0][0],
        lambda x: interpolate.splprep([x, x * x], s=0)[1],
        lambda x: interpolate.splprep(np.stack((x, x * x)), u=K, s=0)[0][1][0],
        lambda x: interpolate.splev([0.2, 0.7], interpolate.splprep([x, K], s=0)[0])[0],
        lambda x: interpolate.splev(0.2, interpolate.splprep([x, K], s=0)[0], der=1)[1],
        lambda x: interpolate.make_splprep([x, x * x], s=0)[0](0.4),
        lambda x: interpolate.make_splrep(K, x, s=0)(1.2),
        lambda x: interpolate.splder(interpolate.make_interp_spline(K, x), 2)(1.2),
        lambda x: interpolate.splantider(interpolate.make_interp_spline(K, x))(1.2),
        lambda x: interpolate.splint(x[0], 7.0, interpolate.make_interp_spline(K, x)),
        lambda x: interpolate.BSpline.basis_element([0, 1, 2, 3.0, 4])(x),
        lambda x: interpolate.BSpline.basis_element(np.cumsum(x[:5]))(4.1),
        lambda x: ON_SPHERE(np.sort(x[:2]), np.sort(x[3:])),
        lambda x: ON_SPHERE.ev(x[:3], x[3:], dtheta=1),
        lambda x: ON_SPHERE(x[:3], x[3:], dphi=1, grid=False),
        lambda x: SMOOTH_ON_SPHERE.ev(x[:3], x[3:]),
        lambda x: x * OF_THE_NEAREST(x[0], x[1]) + OF_THE_NEAREST(x, 2 * x),
    ],
)
@pytest.mark.one_in(4)
def test_curves_and_splines_on_spheres(found):
    check(found, X, step=0.01)


def test_the_roots_of_a_cubic_spline():
    def roots(x):
        return interpolate.sproot(interpolate.splrep(K, x, s=0))

    given = np.array([0.3, -0.7, 0.4, 0.9, -1.1, -0.2])
    value, tangent = sd.jvp(roots, (given,), (np.ones(6),))
    np.testing.assert_array_equal(value, roots(given))
    slopes = interpolate.splev(value, interpolate.splrep(K, given, s=0), 1)
    np.testing.assert_allclose(tangent, -1.0 / slopes, rtol=1e-12)  # all values rise by as much
    check(roots, given, step=0.01)


def test_a_place_beyond_the_sphere_is_an_error():
    with pytest.raises(ValueError, match="theta out of bounds"):
        sd.vjp(lambda x: ON_SPHERE(x, x, grid=False), np.array([3.5]))
    with pytest.raises(ValueError, match="phi out of bounds"):
        sd.vjp(lambda x: SMOOTH_ON_SPHERE(x, -x, grid=False), np.array([0.5]))


def test_curves_that_are_smoothed_are_refused():
    with pytest.raises(UnsupportedCallError, match="depends on the values"):
        sd.grad(lambda x: interpolate.splprep([x, x * x])[1][1])(X)
