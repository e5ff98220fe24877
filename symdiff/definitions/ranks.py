"""Tests of ``scipy.stats`` that ask nothing but the order of samples.

What they say stays the same while the order does: SciPy's values stand, and derivatives are 0.
"""

from typing import Any

import numpy as np

from symdiff.definitions.bunches import bunch
from symdiff.definitions.declare import defines, is_known_empty, refuse
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed


def _said(name, samples, options, fields):
    """What a test says, outside of a program."""
    from scipy import stats

    found = getattr(stats, name)(*samples, **options)
    return np.array([getattr(found, field) for field in fields], dtype=np.float64)


def _samples(given):
    """The samples as arrays, of one dimension each."""
    samples = [np.asarray(sample) for sample in given]
    for sample in samples:
        if sample.ndim != 1:
            refuse("samples of other than one dimension")
        if sample.dtype.kind == "f" and sample.dtype not in (np.float32, np.float64):
            refuse(f"samples of {sample.dtype}")
    return samples


def _require_method(method):
    if method is not None and not isinstance(method, str):
        refuse("method= that is no text")


_ALONE = ("statistic", "pvalue")
_KEEPS = ("mannwhitneyu", "wilcoxon", "ansari", "chatterjeexi")  # single precision, as samples are


def _numbers(name, given, options, fields=_ALONE):
    """The numbers that a test says, one for each field."""
    samples = _samples(given)
    for option in ("keepdims", "_no_deco"):
        if options.pop(option, False):
            refuse(f"{option}=")
    found = computed(np.zeros(len(fields)), _said, name, samples, options, fields)
    dtype = np.result_type(*samples) if name in _KEEPS else np.dtype(np.float64)
    if dtype == np.float32:
        found = found.astype(np.float32)
    return tuple([found[k] for k in range(len(fields))])


def _correlation(name, x, y, options):
    from scipy.stats._stats_py import SignificanceResult

    statistic, pvalue = _numbers(name, (x, y), options)
    return bunch(SignificanceResult, (statistic, pvalue), correlation=statistic)


def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """Spearman's correlation, of two samples."""
    if b is None:
        refuse("b=None")
    options = {"axis": axis, "nan_policy": nan_policy, "alternative": alternative}
    return _correlation("spearmanr", a, b, options)


def kendalltau(x, y, *, method="auto", variant="b", alternative="two-sided", **options):
    """Kendall's correlation."""
    asked = {"method": method, "variant": variant, "alternative": alternative}
    return _correlation("kendalltau", x, y, {**asked, **options})


def weightedtau(x, y, rank=True, weigher=None, additive=True, **options):
    """Kendall's correlation with weights by rank, of SciPy's own weights."""
    if weigher is not None:
        refuse("weigher=")
    if np.asarray(x).dtype == np.float32 or np.asarray(y).dtype == np.float32:
        refuse("samples of float32")
    return _correlation("weightedtau", x, y, {"rank": rank, "additive": additive, **options})


def mannwhitneyu(
    x, y, use_continuity=True, alternative="two-sided", axis=0, method="auto", **options
):
    """Which of two samples has the larger numbers."""
    from scipy.stats._mannwhitneyu import MannwhitneyuResult

    _require_method(method)
    asked = {"use_continuity": use_continuity, "alternative": alternative}
    options = {**asked, "axis": axis, "method": method, **options}
    return bunch(MannwhitneyuResult, _numbers("mannwhitneyu", (x, y), options))


def wilcoxon(
    x,
    y=None,
    zero_method="wilcox",
    correction=False,
    alternative="two-sided",
    method="auto",
    **options,
):
    """Whether differences lie around 0."""
    from scipy.stats._morestats import WilcoxonResult

    _require_method(method)
    asked = {"zero_method": zero_method, "correction": correction}
    options = {**asked, "alternative": alternative, "method": method, **options}
    samples = (x,) if y is None else (x, y)
    if method not in ("approx", "asymptotic"):
        return bunch(WilcoxonResult, _numbers("wilcoxon", samples, options))
    fields = (*_ALONE, "zstatistic")
    statistic, pvalue, z = _numbers("wilcoxon", samples, options, fields)
    return bunch(WilcoxonResult, (statistic, pvalue), zstatistic=z)


def ansari(x, y, alternative="two-sided", *, axis=0, **options):
    """Whether two samples are as wide as each other."""
    from scipy.stats._morestats import AnsariResult

    options = {"alternative": alternative, "axis": axis, **options}
    return bunch(AnsariResult, _numbers("ansari", (x, y), options))


def chatterjeexi(x, y, *, axis=0, y_continuous=False, method="asymptotic", **options):
    """Chatterjee's correlation."""
    from scipy.stats._stats_py import SignificanceResult

    _require_method(method)
    asked = {"axis": axis, "y_continuous": y_continuous, "method": method}
    return bunch(SignificanceResult, _numbers("chatterjeexi", (x, y), {**asked, **options}))


def ks_2samp(data1, data2, alternative="two-sided", method="auto", *, axis=0, **options):
    """The distance of the distributions of two samples, and the number where they are apart."""
    from scipy.stats._stats_py import KstestResult

    asked = {"alternative": alternative, "method": method, "axis": axis}
    fields = (*_ALONE, "statistic_location", "statistic_sign")
    found = _numbers("ks_2samp", (data1, data2), {**asked, **options}, fields)
    statistic, pvalue, place, sign = found
    samples = _samples((data1, data2))
    if is_known_empty(samples[0]) or is_known_empty(samples[1]):
        refuse("an empty sample")
    both = np.concatenate(samples)
    if both.dtype.kind == "f":  # NaN where there is none
        is_there = both == place
        location = np.where(np.any(is_there), both[np.argmax(is_there)], place.astype(both.dtype))
    else:
        location = place.astype(both.dtype)
    more = {"statistic_location": location[()], "statistic_sign": sign.astype(np.int8)}
    return bunch(KstestResult, (statistic, pvalue), **more)


def percentileofscore(a, score, kind="rank", nan_policy="propagate"):
    """How many per cent of numbers lie below others."""
    score = np.asarray(score)
    options = {"kind": kind, "nan_policy": nan_policy}
    found = computed(np.zeros(score.shape), _percentages, np.asarray(a), score, options)
    return found[()]


def _percentages(a, score, options):
    from scipy import stats

    return np.asarray(stats.percentileofscore(a, score, **options), dtype=np.float64)


_DEFINITIONS: tuple[Any, ...] = (
    *(spearmanr, kendalltau, weightedtau, mannwhitneyu, wilcoxon, ansari),
    *(chatterjeexi, ks_2samp, percentileofscore),
)


@when_imported("scipy.stats")
def register(stats):
    """Say what the functions mean."""
    for definition in _DEFINITIONS:
        function = getattr(stats, definition.__name__, None)
        if function is not None:  # of this version of SciPy
            defines(function)(definition)
