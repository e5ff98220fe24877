"""Masked arrays that a function makes, against differences and against NumPy itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy import ma
from scipy.stats import mstats

import symdiff as sd

MASK, OTHER = np.array([0, 1, 0, 0, 1], bool), np.array([0, 0, 1, 0, 0], bool)
BOTH = np.array([[0, 1, 0], [0, 0, 1]], bool)
X = np.array([0.5, 1.2, -0.7, 2.0, 0.3])


@pytest.fixture(autouse=True)
def _verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


def slope(function: Any, x: Any, along: Any) -> Any:
    """By central differences, extrapolated (Richardson)."""
    steps = [0.01 / 2**k for k in range(5)]
    rows = [[(function(x + h * along) - function(x - h * along)) / (2 * h)] for h in steps]
    for k in range(1, 5):
        for j in range(k):
            rows[k].append((4 ** (j + 1) * rows[k][j] - rows[k - 1][j]) / (4 ** (j + 1) - 1))
    return rows[-1][-1]


SCALARS: dict[str, Any] = {
    "sum_ma": lambda x: ma.array(x, mask=MASK).sum() ** 2,
    "nomask": lambda x: (
        ma.array(x).mean() ** 2 + ma.array(x).var() + ma.array(x).std() * ma.array(x).max()
    ),
    "maskfalse": lambda x: ma.array(x, mask=False).mean() ** 2 + ma.array(x, mask=False).var(),
    "masklist": lambda x: ma.array(x, mask=[0, 1, 0, 0, 1]).prod(),
    "npsum": lambda x: (
        np.sum(ma.array(x, mask=MASK)) ** 2
        + np.mean(ma.array(x, mask=MASK))
        + np.max(ma.array(x, mask=MASK))
        + np.var(ma.array(x, mask=MASK))
    ),
    "npexp": lambda x: np.sum(np.exp(ma.array(x, mask=MASK)) * np.sin(ma.array(x, mask=OTHER))),
    "division": lambda x: (
        (1.0 / ma.array(x, mask=MASK)) * (ma.array(x, mask=OTHER) / (x + 3.0))
    ).sum(),
    "divzero": lambda x: (ma.array(x) / np.array([0.0, 1.0, 2.0, 0.0, 1.0])).sum() ** 2,
    "radd": lambda x: (x * ma.array(x, mask=MASK) + 2.0 * ma.array(x, mask=OTHER) - 1.0).sum(),
    "arr_minus": lambda x: (x - ma.array(x**2, mask=MASK)).mean(),
    "power": lambda x: (ma.array(x, mask=MASK) ** 2.0).sum() + (ma.array(x, mask=MASK) ** 3).mean(),
    "powfrac": lambda x: (ma.array(x) ** 1.5).sum(),
    "rpow": lambda x: (2.0 ** ma.array(x, mask=MASK)).sum(),
    "log": lambda x: (
        ma.log(x).sum()
        + np.ma.log10(ma.array(x, mask=MASK)).mean()
        + ma.sqrt(ma.array(x, mask=MASK)).sum()
    ),
    "cmp": lambda x: ma.where(ma.array(x, mask=MASK) > 0.4, ma.array(x, mask=MASK) ** 2, 0.0).sum(),
    "cmp2": lambda x: (ma.array(x, mask=MASK) > 0.4).sum() * x[0],
    "filled": lambda x: np.sum(ma.array(x, mask=MASK).filled(x[0]) ** 2),
    "filleddef": lambda x: (
        np.sum(ma.array(x, mask=MASK).filled() * 1e-20)
        + ma.array(x, mask=MASK, fill_value=2.0).filled()[1] * x[2]
    ),
    "cumsum": lambda x: (
        (ma.array(x, mask=MASK).cumsum() * np.arange(5.0)).sum()
        + ma.array(x, mask=MASK).cumprod()[3]
    ),
    "axis": lambda x: (
        (ma.array(np.outer(x[:2], x[:3]), mask=BOTH).sum(axis=0) ** 2).sum()
        + (ma.array(np.outer(x[:2], x[:3]), mask=BOTH).mean(axis=1) ** 2).sum()
    ),
    "axisvar": lambda x: (
        ma.array(np.outer(x[:2], x[:3]), mask=BOTH).var(axis=1).sum()
        + ma.array(np.outer(x[:2], x[1:4]), mask=BOTH).std(axis=0, ddof=1).sum()
    ),
    "axisminmax": lambda x: (
        (ma.array(np.outer(x[:2], x[:3]), mask=BOTH).min(axis=0) ** 2).sum()
        + ma.array(np.outer(x[:2], x[:3]), mask=BOTH).ptp()
    ),
    "keepdims": lambda x: (
        (
            ma.array(np.outer(x[:2], x[:3]), mask=BOTH)
            - ma.array(np.outer(x[:2], x[:3]), mask=BOTH).mean(axis=1, keepdims=True)
        )
        .filled(0.0)
        .ravel()
        @ np.arange(6.0)
    ),
    "anom": lambda x: (ma.array(x, mask=MASK).anom() ** 3).sum(),
    "avg": lambda x: (
        ma.average(ma.array(x, mask=MASK), weights=x**2)
        + ma.average(ma.array(x, mask=MASK))
        + ma.average(x, weights=np.arange(5.0))
    ),
    "median": lambda x: (
        ma.median(ma.array(x, mask=MASK)) + ma.median(ma.array(x, mask=OTHER)) ** 2 + ma.median(x)
    ),
    "along": lambda x: (
        ma.median(np.outer(x, x[:3]), axis=1).sum() ** 2
        + ma.apply_along_axis(lambda row: row.compressed() ** 2, 0, np.outer(x, x[:2])).sum()
        + ma.apply_along_axis(np.sum, 1, ma.array(np.outer(x, x[:2]))).max()
    ),
    "numbers": lambda x: (
        np.sum(np.asarray(ma.array(x)) ** 2)
        + np.sum(np.asarray(ma.sqrt(ma.array(x) ** 2 + 1.0) / ma.array(x)))
    ),
    "mstats": lambda x: (
        np.sum(mstats.mquantiles(x, [0.3, 0.6]) ** 2)
        + mstats.mquantiles(np.outer(x, x[:3]), axis=0).sum()
        + mstats.compare_medians_ms(np.append(x, x + 2.3)[None], np.append(2.5 * x, x)[None], 1)[0]
    ),
    "conc": lambda x: (
        ma.concatenate([ma.array(x, mask=MASK), x]).mean() ** 2
        + ma.hstack([ma.array(x, mask=MASK), ma.array(x)]).sum()
        + ma.vstack([x, ma.array(x, mask=OTHER)]).sum(axis=0).sum()
    ),
    "index": lambda x: (
        ma.array(x, mask=MASK)[0] * ma.array(x, mask=MASK)[2:4].sum()
        + ma.array(x, mask=MASK)[~MASK].sum()
    ),
    "T2": lambda x: (
        (ma.array(np.outer(x[:2], x[:3]), mask=BOTH).T.reshape(6) * np.arange(6.0)).sum()
        + ma.array(np.outer(x[:2], x[:3]), mask=BOTH).flatten()[3]
    ),
    "getm": lambda x: (
        np.sum(x[~ma.getmask(ma.array(x, mask=MASK))] ** 2)
        + ma.getdata(ma.array(x, mask=MASK))[1] ** 2
        + np.sum(ma.array(x, mask=MASK).mask * x)
        + np.sum(ma.getmaskarray(ma.masked_less(x, 0.0)) * x)
    ),
    "ismasked": lambda x: (
        x[0] * (2.0 if ma.is_masked(ma.array(x, mask=MASK)) else 3.0)
        + x[1] * (2.0 if isinstance(ma.array(x), ma.MaskedArray) else 0.0)
        + x[2] * (ma.isMA(ma.array(x)))
        + x[3] * (ma.array(x).mask is ma.nomask)
    ),
    "count": lambda x: (
        ma.array(x, mask=MASK).count() * x[0]
        + ma.count(ma.array(x)) * x[1]
        + ma.array(np.outer(x[:2], x[:3]), mask=BOTH).count(axis=0).sum() * x[2]
    ),
    "absneg": lambda x: (
        abs(-ma.array(x, mask=MASK)).sum()
        + np.abs(ma.array(x, mask=MASK)).max()
        + (+ma.array(x, mask=OTHER)).min()
    ),
    "allany": lambda x: (
        x[0] * (ma.array(x, mask=MASK) > -1).all() + x[1] * (ma.array(x, mask=MASK) > 5).any()
    ),
    "arg": lambda x: (
        x[ma.array(x, mask=MASK).argmin()] ** 2 + x[ma.array(x, mask=MASK).argmax()] ** 3
    ),
    "allsame": lambda x: (
        ma.masked_where(x > 100.0, x).mean()
        + ma.masked_where(x > 100.0, x).var()
        + ma.masked_where(x > 100.0, x).filled(1.0).sum()
    ),
    "nested": lambda x: (
        ma.array(ma.array(x, mask=MASK), mask=OTHER).sum() ** 2
        + ma.masked_where(x > 1.5, ma.array(x, mask=OTHER)).sum()
    ),
    "ints": lambda x: (
        (ma.array([1, 2, 3], mask=[0, 1, 0]) * x[:3]).sum()
        + ma.array([1, 2, 3], mask=[0, 1, 0]).mean() * x[0]
    ),
    "tan": lambda x: (
        ma.tanh(ma.array(x, mask=MASK)).sum()
        + ma.arcsin(ma.array(x, mask=MASK) / 3.0).sum()
        + ma.multiply(x, ma.array(x, mask=OTHER)).sum()
        + ma.divide(x, ma.array(x, mask=OTHER)).sum()
    ),
    "conditions": lambda x: (
        ma.masked_greater(x, 1.0).sum()
        + ma.masked_less_equal(x, 0.4).mean()
        + ma.masked_inside(x, 0.1, 0.6).sum() ** 2
        + ma.masked_outside(x, 0.1, 1.5).prod()
        + ma.masked_greater_equal(x, 1.9).sum()
    ),
}


def in_place(x: Any) -> Any:
    m = ma.array(x * 1.0, mask=MASK | False)
    m += x
    m *= 2.0
    m -= ma.array(x**2, mask=OTHER)
    return m.sum() + m.filled(0.0).sum()


def written(x: Any) -> Any:
    m = ma.array(x**2, mask=MASK, copy=True)
    m[1] = x[0]
    m[2:4] = ma.array(x[:2], mask=[True, False])
    m[x > 1.5] = ma.masked
    return m.sum()


def seen_through(x: Any) -> Any:
    x = x * 1.0
    m = ma.array(x, mask=[False] * 5)
    m[0] = x[2] ** 2
    return np.sum(x**2) + m.sum()


def in_a_loop(x: Any) -> Any:
    m, total = ma.array(x, mask=MASK), 0.0
    for k in range(len(m)):
        m = m * 0.5 + x
        if not m.mask[k]:
            total = total + m[k] ** 2
    return total + m.sum()


def on_a_path(x: Any) -> Any:
    m = ma.array(x, mask=MASK)
    if x[0] > 0:
        m = m * 2.0
    return m.sum()


def by_a_helper(x: Any) -> Any:
    def standard(m: Any) -> Any:
        return (m - m.mean()) / m.std()

    return (standard(ma.masked_invalid(x)) ** 3).sum()


SCALARS |= {
    f.__name__: f for f in (in_place, written, seen_through, in_a_loop, on_a_path, by_a_helper)
}


# Whether NumPy has a mask decides the precision of a mean: refused in single precision.
OF_DOUBLE_PRECISION = {"allsame", "conditions", "conc"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SCALARS)
def test_derivatives_of_both_modes_to_order_two(name: str) -> None:
    function = SCALARS[name]
    gradient = sd.grad(function)(X)
    expected = [slope(function, X, unit) for unit in np.eye(5)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-9)
    v = np.array([0.3, -1.0, 0.5, 0.2, 0.7])
    np.testing.assert_allclose(sd.jvp(function, (X,), (v,))[1], gradient @ v, rtol=1e-12)
    second = slope(sd.grad(function), X, v)
    np.testing.assert_allclose(sd.hvp(function)(X, v), second, rtol=1e-7, atol=1e-7)
    if name in OF_DOUBLE_PRECISION:
        return
    single = sd.grad(function)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, gradient, rtol=2e-4, atol=2e-5)


VALUES: dict[str, Any] = {
    "(ma.array(x,mask=MASK)+x).mask": lambda x: (ma.array(x, mask=MASK) + x).mask,
    "(ma.array(x)+x).mask": lambda x: (ma.array(x) + x).mask,
    "(ma.array(x,mask=MASK)*ma.array(x,mask=B)).mask": lambda x: (
        (ma.array(x, mask=MASK) * ma.array(x, mask=OTHER)).mask
    ),
    "(ma.array(x,mask=MASK)/ma.array(x,mask=B)).mask": lambda x: (
        (ma.array(x, mask=MASK) / ma.array(x, mask=OTHER)).mask
    ),
    "(ma.array(x)/x).mask": lambda x: (ma.array(x) / x).mask,
    "(-ma.array(x)).mask": lambda x: (-ma.array(x)).mask,
    "np.exp(ma.array(x)).mask": lambda x: np.exp(ma.array(x)).mask,
    "ma.exp(ma.array(x)).mask": lambda x: ma.exp(ma.array(x)).mask,
    "ma.log(ma.array(x)).mask": lambda x: ma.log(ma.array(x)).mask,
    "np.log(ma.array(np.abs(x),mask=MASK)).mask": lambda x: (
        np.log(ma.array(np.abs(x), mask=MASK)).mask
    ),
    "ma.masked_invalid(x).mask": lambda x: ma.masked_invalid(x).mask,
    "ma.array(x,mask=False).mask": lambda x: ma.array(x, mask=False).mask,
    "ma.array(x,mask=True).mask": lambda x: ma.array(x, mask=True).mask,
    "ma.array(np.outer(x,x), mask=np.outer(MASK,B)).sum(axis=0).mask": lambda x: (
        ma.array(np.outer(x, x), mask=np.outer(MASK, OTHER)).sum(axis=0).mask
    ),
    "ma.array(np.outer(x,x)).sum(axis=0).mask": lambda x: ma.array(np.outer(x, x)).sum(axis=0).mask,
    "ma.array(np.outer(x,x), mask=np.outer(MASK,B)).mean(axis=0).mask": lambda x: (
        ma.array(np.outer(x, x), mask=np.outer(MASK, OTHER)).mean(axis=0).mask
    ),
    "ma.array(x,mask=MASK).cumsum().mask": lambda x: ma.array(x, mask=MASK).cumsum().mask,
    "ma.array(x,mask=MASK)[1:3].mask": lambda x: ma.array(x, mask=MASK)[1:3].mask,
    "ma.array(x,mask=MASK).copy().mask": lambda x: ma.array(x, mask=MASK).copy().mask,
    "abs(ma.array(x,mask=MASK)).mask": lambda x: abs(ma.array(x, mask=MASK)).mask,
    "ma.array(x,mask=MASK).anom().mask": lambda x: ma.array(x, mask=MASK).anom().mask,
    "ma.array(ma.array(x,mask=MASK),mask=B).mask": lambda x: (
        ma.array(ma.array(x, mask=MASK), mask=OTHER).mask
    ),
    "ma.array(ma.array(x,mask=MASK)).mask": lambda x: ma.array(ma.array(x, mask=MASK)).mask,
    "ma.array(x,mask=MASK).filled()": lambda x: ma.array(x, mask=MASK).filled(),
    "ma.array(x,mask=MASK).data": lambda x: ma.array(x, mask=MASK).data,
    "ma.array(x,mask=MASK).fill_value": lambda x: ma.array(x, mask=MASK).fill_value,
    "(ma.array(x,mask=MASK, fill_value=3.0)*2).filled()": lambda x: (
        ma.array(x, mask=MASK, fill_value=3.0) * 2
    ).filled(),
    "(x*ma.array(x,mask=MASK, fill_value=3.0)).filled()": lambda x: (
        x * ma.array(x, mask=MASK, fill_value=3.0)
    ).filled(),
    "ma.array([1,2,3],mask=[1,0,0]).filled()": lambda x: ma.array(
        [1, 2, 3], mask=[1, 0, 0]
    ).filled(),
    "ma.array(x,mask=MASK).astype(np.float32).filled(0)": lambda x: (
        ma.array(x, mask=MASK).astype(np.float32).filled(0)
    ),
    "ma.masked_where(x>1,x).data": lambda x: ma.masked_where(x > 1, x).data,
    "ma.array(x,mask=MASK).compressed()": lambda x: ma.array(x, mask=MASK).compressed(),
    "(ma.array(x,mask=MASK) > 0.4).filled(False)": lambda x: (ma.array(x, mask=MASK) > 0.4).filled(
        False
    ),
    "ma.sqrt(ma.array(x,mask=MASK)).filled(-1)": lambda x: ma.sqrt(ma.array(x, mask=MASK)).filled(
        -1
    ),
    "(ma.array(x,mask=MASK)**0.5).filled(-1)": lambda x: (ma.array(x, mask=MASK) ** 0.5).filled(-1),
    "ma.array(x,mask=MASK).mean(axis=0)": lambda x: ma.array(x, mask=MASK).mean(axis=0),
    "ma.array(x,mask=MASK).count()": lambda x: ma.array(x, mask=MASK).count(),
    "ma.array(np.outer(x,x)).mean(axis=0).filled(0)": lambda x: (
        ma.array(np.outer(x, x)).mean(axis=0).filled(0)
    ),
    "ma.array(x,mask=MASK).min(0,None)": lambda x: ma.array(x, mask=MASK).min(0, None),
    "ma.array(x,mask=MASK).max(fill_value=None)": lambda x: ma.array(x, mask=MASK).max(
        fill_value=None
    ),
    "ma.array(x,mask=MASK).mean(0,None,None)": lambda x: ma.array(x, mask=MASK).mean(0, None, None),
    "ma.array(x,mask=MASK).var(0,None,None,1)": lambda x: ma.array(x, mask=MASK).var(
        0, None, None, 1
    ),
    "ma.array(x,mask=MASK).ptp(keepdims=True).filled(0)": lambda x: (
        ma.array(x, mask=MASK).ptp(keepdims=True).filled(0)
    ),
    "ma.array(x,mask=MASK).max(keepdims=True).filled(0)": lambda x: (
        ma.array(x, mask=MASK).max(keepdims=True).filled(0)
    ),
    "ma.array(np.float32(x),mask=MASK).sum()": lambda x: ma.array(np.float32(x), mask=MASK).sum(),
    "ma.array(np.float32(x),mask=MASK).mean()": lambda x: ma.array(np.float32(x), mask=MASK).mean(),
    "ma.array(np.float32(x),mask=MASK).std()": lambda x: ma.array(np.float32(x), mask=MASK).std(),
    "ma.array([3,4,5],mask=[0,1,0]).sum()": lambda x: ma.array([3, 4, 5], mask=[0, 1, 0]).sum(),
    "ma.array([3,4,5],mask=[0,1,0]).mean()": lambda x: ma.array([3, 4, 5], mask=[0, 1, 0]).mean(),
    "ma.array([3,4,5],mask=[0,1,0]).var()": lambda x: ma.array([3, 4, 5], mask=[0, 1, 0]).var(),
    "ma.array([3,4,5],mask=[0,1,0]).max()": lambda x: ma.array([3, 4, 5], mask=[0, 1, 0]).max(),
    "ma.array([True,False,True],mask=[0,1,0]).sum()": lambda x: ma.array(
        [True, False, True], mask=[0, 1, 0]
    ).sum(),
    "ma.average(ma.array([3,4,5],mask=[0,1,0]),weights=[1,2,3])": lambda x: ma.average(
        ma.array([3, 4, 5], mask=[0, 1, 0]), weights=[1, 2, 3]
    ),
    "ma.median(ma.array([3,4,5,7],mask=[0,1,0,0]))": lambda x: ma.median(
        ma.array([3, 4, 5, 7], mask=[0, 1, 0, 0])
    ),
    "ma.median(ma.array([3,4,5,7],mask=[0,1,0,1]))": lambda x: ma.median(
        ma.array([3, 4, 5, 7], mask=[0, 1, 0, 1])
    ),
    "ma.array(0.5).sum()": lambda x: ma.array(0.5).sum(),
    "ma.array(0.5)*2": lambda x: ma.array(0.5) * 2,
    "ma.array(x+1j,mask=MASK).mean()": lambda x: ma.array(x + 1j, mask=MASK).mean(),
    "ma.array(x+1j,mask=MASK).var()": lambda x: ma.array(x + 1j, mask=MASK).var(),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", VALUES)
def test_values_and_masks_are_numpys(name: str) -> None:
    expected = VALUES[name](X)
    found = sd.jvp(VALUES[name], (X,), (np.ones(5),))[0]
    np.testing.assert_array_equal(found, expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert type(found) is type(expected)


REFUSED: dict[str, tuple[Any, str]] = {
    "data of a result": (lambda x: (ma.array(x, mask=MASK) * 2.0).data, "under the mask"),
    "a mask that may be left out": (lambda x: ma.masked_less(x, 0.0).mask, "getmaskarray"),
    "an attribute": (lambda x: ma.array(x).hardmask, "hardmask"),
    "matrices": (lambda x: ma.array(x) @ x, "operation"),
    "a masked array itself": (lambda x: ma.array(x), "returns an object"),
    "a mean of few bits": (lambda x: ma.masked_less(np.float32(x), 0.0).mean(), "precision"),
    "a dtype of sums": (lambda x: ma.array(x).sum(dtype=np.float32), "argument dtype"),
    "an array to write to": (lambda x: ma.array(x).min(out=np.zeros(())), "argument out"),
    "its truth": (lambda x: 1.0 if ma.array(x) else x, "operation"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused(name: str) -> None:
    function, reason = REFUSED[name]
    with pytest.raises(sd.SymdiffError, match=reason):
        sd.jvp(function, (X,), (X,))


def test_what_only_hidden_elements_make_is_an_error() -> None:
    for function in (
        lambda x: ma.array(x, mask=True).sum(),
        lambda x: ma.array(x, mask=MASK)[1],
        lambda x: ma.masked_less(x, 9.0).mean(),
        lambda x: ma.array(x, mask=MASK).var(ddof=3),
    ):
        with pytest.raises(NotImplementedError, match="masked"):
            sd.grad(function)(X)


@pytest.mark.parametrize(
    "found",
    [
        lambda x: ma.mean(ma.array(x, mask=[True] * 5)),
        lambda x: ma.std(ma.array(x, mask=[True] * 5)),
        lambda x: ma.masked * x[0],
    ],
)
def test_what_is_masked_whatever_the_values_is_refused(found: Any) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=r"masked") as refused:
        sd.vjp(found, X)
    assert refused.value.span is not None


def test_masked_is_told_from_numbers() -> None:
    def first(x: Any) -> Any:
        return ma.masked if x[0] > 0.0 else 2.0 * x[0]

    def loss(x: Any) -> Any:
        found = first(x)
        return np.sum(x**2) if found is ma.masked else found * x[1]

    x = np.array([1.0, -3.0])
    np.testing.assert_array_equal(sd.grad(loss)(x), [2.0, -6.0])
    np.testing.assert_array_equal(sd.grad(loss)(-x), [6.0, -2.0])


def test_hidden_numbers_have_no_derivative_whatever_they_are() -> None:
    x = np.array([1.0, np.nan, np.inf, 0.25])
    found = sd.grad(lambda x: ma.sqrt(ma.masked_invalid(x)).sum() + ma.masked_invalid(x).mean())(x)
    np.testing.assert_allclose(found, [1.0, 0.0, 0.0, 1.5])
    found = sd.grad(lambda x: ma.log(x).sum() + (1.0 / ma.array(x)).sum())(
        np.array([2.0, 0.0, -1.0])
    )
    np.testing.assert_allclose(found, [0.25, 0.0, -1.0])


def test_one_program_serves_all_sizes() -> None:
    gradient = sd.grad(lambda x: (ma.array(x, mask=x > 0.5) * 0.5 + x).mean())
    for size in (3, 7, 40):
        gradient(np.linspace(0.0, 1.0, size))
    assert len(gradient.signatures()) == 1


def test_a_mask_of_another_shape_is_an_error() -> None:
    with pytest.raises(NotImplementedError, match="another shape"):
        sd.grad(lambda x: ma.array(x, mask=[True, False]).sum())(X)


def test_what_is_returned_is_told_how_to_be_an_array() -> None:
    with pytest.raises(sd.UnsupportedSyntaxError, match="returns a masked array") as refused:
        sd.vjp(lambda x: ma.masked_greater(x, 0.5) * 2, X)
    assert "x.filled(0.0)" in str(refused.value)
    with pytest.raises(sd.SignatureError, match="is a MaskedArray") as refused:
        sd.grad(lambda x: np.sum(x))(ma.array(X))
    assert "x.data" in str(refused.value)


@pytest.mark.parametrize("axis", [None, 1])
def test_deviations_of_equal_elements_have_the_derivative_0_that_numpys_have(axis: Any):
    def loss(x: Any) -> Any:
        return np.sum(ma.filled(ma.std(ma.array(x, mask=BOTH), axis=axis), 0.0))

    x = np.full((2, 3), 0.7)
    np.testing.assert_array_equal(sd.grad(loss)(x), np.zeros((2, 3)))
    assert sd.jvp(loss, (x,), (np.arange(6.0).reshape(2, 3),))[1] == 0.0
    np.testing.assert_array_equal(sd.hessian(loss)(x), np.zeros((2, 3, 2, 3)))


@pytest.mark.parametrize("last", [np.inf, np.nan])
def test_deviations_that_numpy_masks_as_they_are_not_finite_are_errors(last: float) -> None:
    x = np.array([1.0, 1.0, last])
    for loss in (ma.std, lambda x: ma.std(ma.array(x, mask=[False, False, False]))):
        with np.errstate(invalid="ignore"):
            assert loss(x) is ma.masked
            with pytest.raises(NotImplementedError, match=r"masked, .* not finite"):
                sd.grad(lambda x, loss=loss: loss(x))(x)
            with pytest.raises(NotImplementedError, match=r"masked, .* not finite"):
                sd.jvp(lambda x, loss=loss: loss(x), (x,), (np.ones(3),))
