"""Normal distributions of two variables, of matrices and without variance in some direction."""

import numpy as np
import pytest
from scipy import stats

import symdiff as sd
from tests.definitions.calls import check

X = np.array([0.31, 0.74, 1.12, 1.63, 2.05, 2.9])
C = np.array([[2.0, 0.3], [0.3, 1.0]])
FLAT = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
normal, of_matrices = stats.multivariate_normal, stats.matrix_normal


def covariance(x):
    return np.diag(x[:2] + 0.4) + 0.1 * x[2]


@pytest.mark.parametrize(
    "found",
    [
        lambda x: normal.cdf(x[:2], [0.3, 0.2], C),
        lambda x: normal.cdf(x.reshape(3, 2), x[1:3], covariance(x)),
        lambda x: normal(x[:2], covariance(x)).cdf([1.0, 1.2]),
        lambda x: normal.cdf(x[:2], [0.3, 0.2], C, lower_limit=[-1, x[3] - 3]),
        lambda x: normal.cdf([0.4, 0.5], cov=[[1.0, x[0] + 0.5], [x[0] + 0.5, 1.0]]),
        lambda x: normal.cdf(np.append(x[:1], np.inf), cov=C, lower_limit=[-np.inf, x[3]]),
        lambda x: normal.logcdf(x[:2], [0.3, 0.2], C),
        lambda x: normal.cdf(x, 0.7, 2.0) + normal.cdf(x[0], cov=x[1], lower_limit=-x[2]),
        lambda x: normal.logpdf(x[:2], x[2:4], covariance(x), allow_singular=True),
        lambda x: normal.pdf(np.stack((x[0], x[0], x[1])), [0, 0, 1.0], FLAT, allow_singular=True),
        lambda x: of_matrices.logpdf(x.reshape(3, 2), rowcov=np.diag(x[:3]), colcov=C),
        lambda x: of_matrices.logpdf(np.ones((3, 2)), x.reshape(3, 2), x[0], np.diag(x[1:3])),
        lambda x: of_matrices(colcov=covariance(x), rowcov=np.eye(3)).pdf(x.reshape(3, 2) / 3),
    ],
)
def test_normal_distributions_of_several_variables(found):
    check(found, X)


def test_by_a_covariance_without_variance_somewhere_there_is_no_derivative():
    def found(c):
        return normal.logpdf([0.5, 0.5], cov=np.array([[c, c], [c, c]]), allow_singular=True)

    value, slope = sd.value_and_grad(found)(1.5)
    assert value == found(1.5)
    assert np.isnan(slope)
    off = sd.value_and_grad(
        lambda x: normal.logpdf([x, 0.3], cov=FLAT[:2, :2], allow_singular=True)
    )
    assert off(0.5) == (-np.inf, 0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: normal.cdf(x[:4], cov=np.eye(4)),
        lambda x: normal.cdf(x[:2], cov=C, allow_singular=True),
    ],
)
def test_more_variables_are_refused(call):
    with pytest.raises(sd.UnsupportedCallError, match=r"more than three variables|singular=True"):
        sd.grad(call)(X)


# Three variables: what is held fixed leaves two ---------------------------------------------------

THREE = np.array([[1.4, 0.5, -0.3], [0.5, 2.0, 0.7], [-0.3, 0.7, 0.9]])


def given(limits, fixed):
    """The share of the rest, and its limits and covariance, where some are at their limits."""
    rest = [k for k in range(3) if k not in fixed]
    across = np.linalg.solve(THREE[np.ix_(fixed, fixed)], THREE[np.ix_(fixed, rest)])
    place = limits[rest] - limits[fixed] @ across
    return normal.cdf(place, cov=THREE[np.ix_(rest, rest)] - THREE[np.ix_(rest, fixed)] @ across)


def density(limits, fixed):
    return normal.pdf(limits[fixed], cov=THREE[np.ix_(fixed, fixed)])


@pytest.mark.parametrize("limits", [[0.4, -0.2, 0.9], [-1.5, 2.1, 0.3], [0.2, 3.0, -1.0]])
def test_three_variables_move_with_their_limits_and_covariance(limits):
    x = np.array(limits)
    value, (slope, moved) = sd.value_and_grad(
        lambda x, c: normal.cdf(x, cov=c, abseps=1e-4), argnums=(0, 1)
    )(x, THREE)
    np.testing.assert_allclose(value, normal.cdf(x, cov=THREE), atol=1e-3)
    exact = [density(x, [k]) * given(x, [k]) for k in range(3)]
    np.testing.assert_allclose(slope, exact, rtol=1e-9)
    bent = sd.hessian(lambda x: normal.cdf(x, cov=THREE, abseps=1e-2))(x)
    pairs = {(i, j): density(x, [i, j]) * given(x, [i, j]) for i, j in ((0, 1), (0, 2), (1, 2))}
    for (i, j), expected in pairs.items():
        np.testing.assert_allclose([bent[i, j], moved[i, j] + moved[j, i]], expected, rtol=1e-8)
    np.testing.assert_allclose(np.diag(moved), np.diag(bent) / 2.0, rtol=1e-8)  # Plackett 1954


def test_three_variables_far_off_leave_two():
    def far(x):
        return normal.cdf([x[0], np.inf, x[1]], cov=THREE, abseps=1e-2)

    def near(x):
        return normal.cdf(x, cov=THREE[np.ix_([0, 2], [0, 2])])

    x = np.array([0.3, 0.8])
    np.testing.assert_allclose(sd.grad(far)(x), sd.grad(near)(x), rtol=1e-9)
    np.testing.assert_allclose(sd.hessian(far)(x), sd.hessian(near)(x), rtol=1e-8)


def test_three_variables_between_limits():
    def box(x):
        return normal.cdf(x[:3], cov=THREE, lower_limit=[-x[3], -np.inf, 0.1], abseps=1e-2)

    x = np.array([0.4, 0.9, 0.8, 0.2])
    corners = [(sign, bounds) for sign, bounds in (
        (1, [0.4, 0.9, 0.8]), (-1, [-0.2, 0.9, 0.8]), (-1, [0.4, 0.9, 0.1]), (1, [-0.2, 0.9, 0.1])
    )]  # fmt: skip
    top = sum(
        sign * density(np.array(b), [0]) * given(np.array(b), [0])
        for sign, b in corners
        if b[0] == 0.4
    )
    low = sum(
        sign * density(np.array(b), [0]) * given(np.array(b), [0])
        for sign, b in corners
        if b[0] == -0.2
    )
    slope = sd.grad(box)(x)
    np.testing.assert_allclose(slope[[0, 3]], [top, -low], rtol=1e-9)


def test_a_correlation_moves_the_share_of_an_orthant():
    """By the derivative of ``1/8 + (asin r12 + asin r13 + asin r23) / (4 pi)``."""

    def share(r):
        cov = np.array([[1.0, r, -0.4], [r, 1.0, 0.1], [-0.4, 0.1, 1.0]])
        return normal.cdf(np.zeros(3), cov=cov, abseps=1e-2)

    for r in (0.3, -0.85, 0.8):
        exact = 1.0 / (4.0 * np.pi * np.sqrt(1.0 - r * r))
        np.testing.assert_allclose(sd.grad(share)(r), exact, rtol=1e-9)


def test_what_the_integral_does_not_resolve_is_told():
    near = np.full((3, 3), 1.0 - 1e-9) + 1e-9 * np.eye(3)
    x = np.array([0.3, 0.3, 0.31])
    with pytest.raises(NotImplementedError, match="nearly singular"):
        sd.grad(lambda x: normal.cdf(x, cov=near, abseps=1e-2))(x)
    with pytest.raises(NotImplementedError, match="two variables with a covariance that is nearly"):
        sd.grad(lambda x: normal.cdf(x, cov=near[:2, :2]))(x[1:])
    assert sd.grad(lambda x: normal.cdf(x, cov=[[1.0, 0.9999], [0.9999, 1.0]]))(x[1:])[0] > 0.2


# Of matrices --------------------------------------------------------------------------------------

wishart, inverse, counts = stats.wishart, stats.invwishart, stats.multinomial


def shares(x):
    return x / np.sum(x)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: wishart.logpdf(x[0], 4.0 * x[1], x[2]) + wishart.pdf(x[:3], 4.5, scale=x[3]),
        lambda x: wishart.logpdf(np.stack((x[0], x[2])), 3.0 * x[3], np.stack((x[1], x[4]))),
        lambda x: wishart.logpdf(x[0], 3.0, np.eye(2)),
        lambda x: inverse.pdf(x, df=6, scale=1) + inverse.logpdf(x[0], 5.0 * x[1], x[2]),
        lambda x: inverse.logpdf(covariance(x), 3.0 * x[3], covariance(x[::-1])),
        lambda x: wishart.mean(3.0 * x[3], x[:2]) + wishart.mode(4.0 * x[3], covariance(x)),
        lambda x: wishart.var(3.0 * x[3], covariance(x)) * wishart.var(2.5, x[0]),
        lambda x: wishart.entropy(3.0 * x[3], covariance(x)) + wishart.entropy(3.0 * x[0], x[1]),
        lambda x: inverse.mean(3.0 * x[3], covariance(x)) + inverse.mode(3.0 * x[3], x[:2]),
        lambda x: of_matrices.entropy(covariance(x), np.diag(x[:3])),
        lambda x: counts.mean(4, shares(x[:3])),
        lambda x: counts.cov([4, 5], [shares(x[:2]), shares(x[2:4])]),
        lambda x: wishart.rvs(5.3, covariance(x), size=3, random_state=np.random.default_rng(2)),
        lambda x: wishart.rvs(5, x[:2], random_state=1) * wishart.rvs(2.5, x[2], random_state=4),
        lambda x: of_matrices.rvs(
            x.reshape(2, 3), covariance(x), np.diag(x[:3]), size=2, random_state=1
        ),
        lambda x: of_matrices.rvs(rowcov=covariance(x), colcov=np.eye(3), random_state=1),
    ],
)
@pytest.mark.one_in(4)
def test_distributions_of_matrices(found):
    check(found, X, step=0.01)


def test_a_draw_by_its_degrees_stays_at_its_place():
    """Of one row it is a draw of χ², whose place is told by the distribution function."""
    df, scale = 3.4, 1.7
    value, slope = sd.value_and_grad(lambda df: wishart.rvs(df, scale, random_state=3))(df)
    share = stats.chi2.cdf(value / scale, df)
    moved = [stats.chi2.ppf(share, df + h) for h in (-1e-4, 1e-4)]
    assert slope == pytest.approx(scale * (moved[1] - moved[0]) / 2e-4, rel=1e-6)


def test_where_there_is_no_mean_there_is_none():
    assert sd.differentiable(lambda x: inverse.mean(2.5, np.eye(2)) is None)(1.0)
    value, slope = sd.jvp(lambda p: counts.cov(3, np.stack((p, 1.0 - p))), (1.5,), (1.0,))
    assert np.isnan(value).all()
    assert slope.shape == (2, 2)


EYE = np.eye(2)


def spread(x):
    """A multiple of the identity at ``X``, whose change is none."""
    return 0.3 * np.eye(2) + np.diag(x[:2] - X[:2]) + (x[2] - X[2]) * np.array([[0, 1.0], [1.0, 0]])


@pytest.mark.parametrize(
    "found",
    [
        lambda x: stats.matrix_t.logpdf(x.reshape(3, 2), np.eye(3)[:, :2], np.eye(3), spread(x), 3),
        lambda x: stats.matrix_t(None, spread(x), np.eye(3), x[3]).pdf(x.reshape(2, 3)),
        lambda x: of_matrices.rvs(rowcov=spread(x), colcov=np.eye(2), random_state=1) ** 2,
    ],
)
def test_spreads_whose_eigenvalues_are_equal(found):
    check(lambda x: np.sum(found(x)), X)


def test_a_spread_without_variance_somewhere_raises_as_outside():
    with pytest.raises(np.linalg.LinAlgError, match="must be symmetric positive definite"):
        sd.grad(lambda c: stats.matrix_t.logpdf(np.eye(2), EYE, c + 0.0 * EYE, EYE, 3))(0.3)
