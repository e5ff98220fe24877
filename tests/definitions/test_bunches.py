"""Tests of hypotheses, and their results: tuples with attributes besides their items."""

import numpy as np
import pytest
from scipy import stats

import symdiff as sd

PLACE = np.array([0.9, 1.7, 0.6, 1.3, 2.1])


def differences(f, x, step=1e-5):
    """Central differences of the fourth order, of SciPy's values."""
    found = []
    for direction in np.eye(x.size):
        near, far = ((f(x + h * direction) - f(x - h * direction)) / 2 for h in (step, 2 * step))
        found.append((4 * near / step - far / (2 * step)) / 3)
    return np.array(found)


def interval_of_pairs(x):
    low, high = stats.ttest_rel(x, x**2).confidence_interval(0.9)
    return low * high


def unpacked(x):
    slope, intercept, r, p, error = stats.linregress(x, np.sin(x))
    return slope * intercept + r + p * error


def on_two_paths(x):
    kind = np.sin if x[0] > 1.0 else np.cos
    found = stats.linregress(x, kind(x))
    if x[1] > 1.65:
        found = stats.linregress(x, x**2)
    return found.intercept_stderr * found.slope


def other_attribute(x):
    """The items are the same ones on both paths, the attribute is not."""
    kind = type(stats.linregress([1.0, 2.0, 4.0], [2.0, 4.0, 5.0]))
    if x[0] > 0.5:
        found = kind(x[0], x[1], x[2], x[3], x[4], intercept_stderr=x[0] ** 2)
    else:
        found = kind(x[0], x[1], x[2], x[3], x[4], intercept_stderr=x[1] ** 3)
    return found.intercept_stderr


def in_a_loop(x):
    found = stats.linregress(x, np.sin(x))
    for k in range(3):
        found = stats.linregress(x + k * found.intercept_stderr, x**2)
    return found.intercept_stderr + found.slope


def given_on(x):
    def error(result):
        return result.intercept_stderr

    results = {"a": stats.linregress(x, np.sin(x))}
    return error(results["a"])


def table(x):
    return np.outer(x, x) + np.diag(x)


CASES = {
    "statistic": lambda x: stats.ttest_1samp(x, 1.0).statistic,
    "p-value": lambda x: stats.ttest_1samp(x, x[0], alternative="greater")[1],
    "low end": lambda x: stats.ttest_1samp(x, 1.0).confidence_interval().low,
    "freedom": lambda x: stats.ttest_ind(x, x**2, equal_var=False).df,
    "trimmed": lambda x: stats.ttest_ind(np.concatenate([x, x**2]), x**2, trim=0.2)[0],
    "high end": lambda x: stats.ttest_ind(x, x**2).confidence_interval(0.9).high,
    "pairs": interval_of_pairs,
    "variances in columns": lambda x: np.sum(stats.f_oneway(table(x), table(x) ** 2)[0]),
    "variances in rows": lambda x: np.sum(stats.f_oneway(table(x), table(x) ** 2, axis=1)[1]),
    "line": unpacked,
    "error of the line": lambda x: stats.linregress(np.arange(5.0), x).intercept_stderr,
    "line less": lambda x: stats.linregress(x, np.sin(x), alternative="less").pvalue,
    "on two paths": on_two_paths,
    "other attribute": other_attribute,
    "in a loop": in_a_loop,
    "given on": given_on,
    "correlation": lambda x: stats.pearsonr(x, np.sin(x)).correlation,
    "correlation less": lambda x: stats.pearsonr(x, np.sin(x), alternative="less")[1],
    "correlation low": lambda x: stats.pearsonr(x, np.sin(x)).confidence_interval(0.9)[0],
    "correlations": lambda x: np.sum(stats.pearsonr(table(x), np.sin(table(x)), axis=1)[0]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("place", [PLACE, PLACE[::-1] + 0.3], ids=["one", "other"])
@pytest.mark.one_in(4)
def test_results_of_tests(name, place):
    f = CASES[name]
    value, gradient = sd.value_and_grad(f)(place)
    np.testing.assert_allclose(value, f(place), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, place), rtol=1e-6, atol=1e-8)
    forward = [sd.jvp(f, (place,), (direction,))[1] for direction in np.eye(place.size)]
    np.testing.assert_allclose(forward, gradient, rtol=1e-9, atol=1e-12)


def test_missing_attribute():
    kind = type(stats.linregress([1.0, 2.0, 4.0], [2.0, 4.0, 5.0]))
    with pytest.raises(TypeError, match="missing keyword argument 'intercept_stderr'"):
        sd.grad(lambda x: kind(x, x, x, x, x).slope)(1.0)


def test_single_precision():
    x = PLACE.astype(np.float32)
    value, gradient = sd.value_and_grad(lambda x: stats.ttest_1samp(x, 1.0).statistic)(x)
    assert value.dtype == gradient.dtype == np.float32
    found = differences(lambda x: stats.ttest_1samp(x, 1.0).statistic, PLACE)
    np.testing.assert_allclose(gradient, found, rtol=1e-4)


def test_returned_whole():
    def fitted(x):
        found = stats.linregress(x, np.sin(x))
        return found.slope, found

    def items(x):
        found = stats.linregress(x, np.sin(x))
        return found.slope, tuple(found)

    with pytest.raises(sd.SymdiffError, match="a LinregressResult, which has attributes"):
        sd.value_and_grad(fitted, has_aux=True)(PLACE)
    (_, found), _ = sd.value_and_grad(items, has_aux=True)(PLACE)
    np.testing.assert_allclose(found, stats.linregress(PLACE, np.sin(PLACE)), rtol=1e-12)
