"""What SciPy's statistics do about NaN: left out, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests.definitions.test_distributions import check
from tests.test_programs import same

stats = pytest.importorskip("scipy.stats")

X = np.random.default_rng(5).normal(size=9) + 4.0
WITHIN = np.insert(X, [2, 6], np.nan)
KEPT = ~np.isnan(WITHIN)

STATISTICS: dict[str, Callable[..., Any]] = {
    "gmean": lambda x, **policy: stats.gmean(x, **policy),
    "hmean": lambda x, **policy: stats.hmean(x, **policy),
    "skew": lambda x, **policy: stats.skew(x, bias=False, **policy),
    "kurtosis": lambda x, **policy: stats.kurtosis(x, **policy),
    "sem": lambda x, **policy: stats.sem(x, **policy),
    "variation": lambda x, **policy: stats.variation(x, ddof=1, **policy),
    "iqr": lambda x, **policy: stats.iqr(x, **policy),
    "moment": lambda x, **policy: stats.moment(x, 3, **policy),
    "ttest_ind": lambda x, **policy: stats.ttest_ind(x, x[:5] * 2.0, **policy)[0],
}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_left_out_has_no_part_in_slopes(name: str) -> None:
    """The others have the slopes that they have alone, by differences."""
    function = STATISTICS[name]

    def among_others(x: Any) -> Any:
        there = np.full(len(WITHIN), np.nan)
        there[[0, 1, 3, 4, 5, 7, 8, 9, 10]] = x
        return function(there, nan_policy="omit")

    check(among_others, X, wrt=(0,))
    if name != "ttest_ind":  # of which another part is left
        assert same(sd.vjp(among_others, X)[0], function(X))
    slopes = sd.grad(lambda x: function(x, nan_policy="omit"))(WITHIN)
    np.testing.assert_allclose(slopes[KEPT], sd.grad(among_others)(X), rtol=1e-12)
    assert not np.any(slopes[~KEPT])


@pytest.mark.parametrize("name", STATISTICS)
def test_nan_that_is_an_error_is_one(name: str) -> None:
    function = STATISTICS[name]
    slopes = sd.grad(lambda x: function(x, nan_policy="raise"))
    np.testing.assert_allclose(slopes(X), sd.grad(lambda x: function(x))(X), rtol=1e-12, atol=1e-15)
    with pytest.raises(ValueError, match="contains nan values"):
        slopes(WITHIN)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_of_single_precision_of_rows_and_of_nothing_but_nan() -> None:
    single = WITHIN.astype(np.float32)
    value, slopes = sd.value_and_grad(lambda x: stats.gmean(x, nan_policy="omit"))(single)
    assert slopes.dtype == np.float32
    assert same(value, stats.gmean(single, nan_policy="omit"))
    rows = np.stack([X, X[::-1]])
    function = STATISTICS["skew"]
    with np.errstate(all="ignore"):
        assert np.isnan(sd.vjp(lambda x: function(x, nan_policy="omit"), np.full(3, np.nan))[0])
    whole = sd.grad(lambda x: stats.skew(x, axis=None, nan_policy="omit"))(rows)
    np.testing.assert_allclose(
        whole.ravel(), sd.grad(lambda x: stats.skew(x))(rows.ravel()), rtol=1e-12
    )
