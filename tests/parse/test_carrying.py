"""Known numbers, texts and lengths that are handed down chains of calls, and carried there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import carrying, templates
from tests.parse.slopes import check_slopes

X = [0.05, 0.21, 0.38, 0.55, 0.83]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, copied: None) -> None:
    """Numbers and texts are carried where the second call differs in them."""
    monkeypatch.setattr(carrying, "ENOUGH", 0)
    monkeypatch.setattr(carrying, "MANY", 1)
    monkeypatch.setattr(carrying, "FEW", 0)


def power_of(v: Any, m: int, w: float) -> Any:
    return np.sin(v) ** m * w + v / (m + 1)


def middle_power(v: Any, m: int, w: float) -> Any:
    return power_of(v * 0.9, m + 1, w * 0.5) if v > 0.3 else power_of(v, 2 * m, -w)


def through_powers(x: Any) -> Any:
    return middle_power(x, 1, 0.5) * middle_power(x + 0.2, 2, 1.5) + middle_power(x, 3, 2.5)


def counted(v: Any, m: str) -> Any:
    return v * (len(m) + 3 * m.count("ab") + (5.0 if m == "cab" else v))


def middle_counted(v: Any, m: str) -> Any:
    return counted(v * 0.9, m + "a") if v > 0.3 else counted(v * v, m + "b")


def through_texts(x: Any) -> Any:
    return middle_counted(x, "c") * middle_counted(x + 0.2, "ca") + middle_counted(x, "aab")


def of_pair(v: Any, pair: tuple[Any, ...]) -> Any:
    kind, (a, b) = pair
    return v * a + np.cos(v) * b if kind == "sum" else v * a - b


def through_pairs(x: Any) -> Any:
    y = of_pair(x, ("sum", (1, 2.0))) * of_pair(x, ("sum", (2, x)))
    return y + of_pair(y, ("difference", (3, 0.5))) * of_pair(x, ("sum", (0, -1.5)))


def repeated(v: Any, m: int) -> Any:
    s = 0.0
    for k in range(m):
        s = s + v**k / math.factorial(k)
    return s


def through_counts(x: Any) -> Any:
    return repeated(x, 3) * repeated(x * 0.5, 4) - repeated(x, 0) + repeated(x, 6)


def summed_along(v: Any, axis: int) -> Any:
    return np.sum(np.outer(v, v) * np.array([[1.0, 2.0], [3.0, 4.0]]), axis=axis)


def through_axes(x: Any) -> Any:
    """Of which axis the sum is has to be known."""
    v = np.array([x, 2.0 * x])
    product = summed_along(v, 0) * summed_along(v, 1) * summed_along(v, -2)
    return np.sum(product) + summed_along(v, -1)[0]


def one_more(v: Any, axis: int) -> Any:
    return v * 0.5, axis + 1


def through_axes_that_are_given(x: Any) -> Any:
    """What a call gives has to be known where it was carried."""
    v = np.array([x, 2.0 * x])
    v, first = one_more(v, -1)
    v, second = one_more(v, 0)
    v, third = one_more(v, -2)
    return np.sum(np.sum(np.outer(v, v), axis=first) * [3.0, 1.0]) + v[second] * v[third]


def of_class(v: Any, m: Any) -> Any:
    return v * m if isinstance(m, int) else v + m


def through_classes(x: Any) -> Any:
    y = of_class(x, 2) * of_class(x, 3) + of_class(x, 0.5) * of_class(x, 1.5)
    return y + of_class(x, 4) * of_class(x, 2.5)


def weighted(v: Any, a: list[Any]) -> Any:
    total = v * a[-1] + a[0]
    for k, w in enumerate(a):
        total = total + w * w / (k + 1.0)
    return total * len(a)


def middle_weighted(v: Any, a: list[Any]) -> Any:
    return weighted(v * 0.9, [*a, v]) if v > 0.3 else weighted(v, [v * v, 0.5, *a])


def through_lists(x: Any) -> Any:
    a = [x, 2.0]
    y = middle_weighted(x, a) * middle_weighted(x + 0.2, [x]) - middle_weighted(x, a + a)
    return y + middle_weighted(x * 0.5, [1.5, 2.5, x]) * a[1] + a[0]


def collected(v: Any, a: list[Any], b: list[Any]) -> Any:
    a.append(v * len(b))
    b[0] = b[0] * v
    return a[-1] + sum(b)


def through_lists_written(x: Any) -> Any:
    """What a call writes is seen behind it, in a list that is given twice, too."""
    a, b, c = [x], [0.5, x], [x * x, 1.0, 2.0]
    total = collected(x, a, b) + collected(x * 0.5, b, c) * collected(x, a, a)
    total = total + collected(math.sin(x), c, a) + collected(x, c, c)
    return total * a[-1] + len(a) * b[1] - len(b) * c[0] + sum(c) * len(c)


def of_three(v: Any, a: list[Any]) -> Any:
    first, *others = a
    return v * first + sum(others) * 0.5


def through_lists_unpacked(x: Any) -> Any:
    y = of_three(x, [x, 1.0]) * of_three(x, [2.0, x, x])
    return y + of_three(x, [x, x * x, 1.0, 2.0]) - of_three(y, [x])


ALL = [
    through_lists, through_lists_written, through_lists_unpacked,
    through_powers, through_texts, through_pairs, through_counts, through_axes,
    through_axes_that_are_given, through_classes,
]  # fmt: skip


@pytest.mark.parametrize("f", ALL)
def test_they_are_differentiated(f: Any) -> None:
    for x in X:
        check_slopes(f, x)


@pytest.mark.parametrize("f", ALL)
def test_they_are_mapped_over_batches(f: Any) -> None:
    x = np.array(X)
    np.testing.assert_allclose(sd.vmap(f)(x), [f(float(one)) for one in x], rtol=1e-13)


def test_templates_carry_them_where_they_need_not_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, set[bool]] = {}
    making = templates._made

    def noted(interp: Any, function: Any, seen: Any, *others: Any) -> Any:
        template = making(interp, function, seen, *others)
        if seen.carried:
            made.setdefault(function.name, set()).add(template is not None)
        return template

    monkeypatch.setattr(templates, "_made", noted)
    for f in ALL:
        sd.grad(f)(0.55)
    assert made["summed_along"] == {False}
    names = ["middle_power", "middle_counted", "of_pair", "repeated", "one_more", "of_class"]
    for name in (*names, "middle_weighted", "collected"):
        assert made[name] == {True}
