"""Tests by ranks: SciPy's values, which the order of the data decides, and derivatives of 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd

stats = pytest.importorskip("scipy.stats")

X = np.random.default_rng(1).normal(size=9)
Y = np.random.default_rng(2).normal(size=9)
W = np.linspace(0.5, 1.5, 9)

TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "spearmanr": lambda x, y: stats.spearmanr(x, y, alternative="less"),
    "kendalltau": lambda x, y: stats.kendalltau(x, y, variant="c", nan_policy="omit"),
    "weightedtau": lambda x, y: stats.weightedtau(x, y, rank=None),
    "mannwhitneyu": lambda x, y: stats.mannwhitneyu(x, y, False, "greater", method="exact"),
    "wilcoxon": lambda x, y: stats.wilcoxon(x, y, zero_method="zsplit"),
    "wilcoxon of one": lambda x, y: stats.wilcoxon(x - y, correction=True),
    "ks_2samp": lambda x, y: stats.ks_2samp(x, y, "less", "asymp"),
    "ansari": lambda x, y: stats.ansari(x, y),
}


def _differences(function: Any, x: Any, step: float = 1e-6) -> Any:
    """Central differences, by each number."""
    return np.array(
        [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    )


@pytest.mark.parametrize("name", TESTS)
def test_what_tests_by_ranks_say_is_a_constant(name: str) -> None:
    """A product with it has it as its slope, at order two nothing."""

    def weighed(x: Any) -> Any:
        found = TESTS[name](x, Y)
        known = found.statistic + 2.0 * np.nan_to_num(found.pvalue)  # one has none
        return known * np.sum(W * x) + found[0]

    found = TESTS[name](X, Y)
    share = found[0] + 2.0 * np.nan_to_num(found[1])
    value, slope = sd.value_and_grad(weighed)(X)
    assert value == weighed(X)
    np.testing.assert_allclose(slope, share * W, rtol=1e-14)
    np.testing.assert_allclose(sd.jvp(weighed, (X,), (Y,))[1], share * np.sum(W * Y), rtol=1e-13)
    np.testing.assert_array_equal(sd.hessian(weighed)(X), np.zeros((9, 9)))


@pytest.mark.parametrize("name", TESTS)
def test_tests_by_ranks_of_single_precision_and_lists(name: str) -> None:
    test = TESTS[name]
    if name not in ("weightedtau", "wilcoxon of one"):
        slope = sd.grad(lambda x: test(x, Y.astype(np.float32)).pvalue * x[0])(X.astype(np.float32))
        assert slope.dtype == np.float32
        expected = test(X.astype(np.float32), Y.astype(np.float32)).pvalue
        np.testing.assert_allclose(slope[0], expected, rtol=1e-6)
    if name != "wilcoxon of one":
        slope = sd.grad(lambda x: test(x, [*Y]).pvalue * x[0])(X)
        np.testing.assert_allclose(slope, [test(X, Y).pvalue, *[0.0] * 8], rtol=1e-14)


def test_the_numbers_beside_what_tests_say() -> None:
    """The place where two samples are apart is one of the numbers, which moves with it."""

    def several(x: Any) -> Any:
        apart, paired = stats.ks_2samp(x, Y, "greater"), stats.wilcoxon(x, method="approx")
        more = paired.zstatistic + stats.spearmanr(x, Y).correlation
        return apart.statistic_location**2 * apart.statistic_sign + more * x[0] * x[1]

    assert stats.ks_2samp(X, Y, "greater").statistic_location in X
    np.testing.assert_allclose(sd.grad(several)(X), _differences(several, X), rtol=1e-7, atol=1e-8)
    tangent = sd.jvp(several, (X,), (W,))[1]
    np.testing.assert_allclose(tangent, _differences(several, X) @ W, rtol=1e-7)


@pytest.mark.parametrize("kind", ["rank", "weak", "strict", "mean"])
def test_percentages_of_scores(kind: str) -> None:
    def weighed(x: Any) -> Any:
        inner = stats.percentileofscore(Y, x, kind) * x
        return np.sum(inner) + stats.percentileofscore(x, 0.1, kind=kind) * x[0] ** 2

    expected = _differences(weighed, X)
    np.testing.assert_allclose(sd.grad(weighed)(X), expected, rtol=1e-7, atol=1e-6)


def test_samples_without_numbers_and_in_two_dimensions() -> None:
    with pytest.warns(RuntimeWarning, match="too small"):
        slope = sd.grad(lambda x: np.nan_to_num(stats.mannwhitneyu(x[:0], Y)[1]) + x[0])(X)
    np.testing.assert_array_equal(slope, [1.0, *[0.0] * 8])
    with pytest.raises(sd.UnsupportedCallError, match="of other than one dimension"):
        sd.grad(lambda x: stats.mannwhitneyu(x.reshape(3, 3), Y)[1])(X)


def test_the_correlation_in_what_kendalls_tau_gives_by_scipys_own_path() -> None:
    """A NaN among the data, which SciPy hands on."""
    given = np.array([0.3, np.nan, 0.1, 0.7])
    found = sd.jvp(lambda x: stats.kendalltau(x, x).correlation, (given,), (given,))
    assert np.isnan(found[0])
    assert found[1] == 0.0


def test_samples_with_nan_are_apart_nowhere() -> None:
    """All that SciPy says of them is NaN."""
    given = np.where(np.arange(9) == 3, np.nan, X)

    def placed(x: Any) -> Any:
        return stats.ks_2samp(x, Y, nan_policy="propagate").statistic_location * 1.0

    value, tangent = sd.jvp(placed, (given,), (W,))
    np.testing.assert_array_equal(value, placed(given))
    assert np.isnan(value)
    assert tangent == 0.0 or np.isnan(tangent)
    whole = np.array([3, 1, 4, 15])
    made = sd.grad(lambda x: stats.ks_2samp(whole, [2, 7]).statistic_location * x)(2.0)
    assert made == stats.ks_2samp(whole, [2, 7]).statistic_location


def test_errors_of_such_tests_are_scipys() -> None:
    with pytest.raises(ValueError, match=r"shape|length|size|broadcast"):
        sd.grad(lambda x: stats.wilcoxon(x, Y[:4])[1])(X)
    with pytest.raises(sd.UnsupportedCallError, match="weigher="):
        sd.grad(lambda x: stats.weightedtau(x, Y, weigher=lambda r: 1.0)[0])(X)
