"""``with warnings.catch_warnings(record=True) as kept``: known while the function is compiled."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import UnsupportedCallError


def squared(x: Any) -> Any:
    if x < 0:
        warnings.warn("negative", RuntimeWarning, stacklevel=2)
    return x * x


def on_every_path(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        warnings.warn("hello")  # noqa: B028
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        y = x * x
    assert len(kept) == 2
    assert kept[0].category is UserWarning
    assert str(kept[0].message) == "hello"
    assert issubclass(kept[-1].category, DeprecationWarning)
    return y * len(kept) + len(str(kept[-1].message))


def on_some_paths(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        y = squared(x)
    if kept:
        return y * 3.0
    return y


def in_a_loop(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        y = 0.0
        for k in range(3):
            y = y + squared(x - k)
    return y * (1 + len(kept)) + len([one for one in kept if one.category is RuntimeWarning])


def by_filters(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("error", DeprecationWarning)
        warnings.filterwarnings("ignore", "HE", UserWarning)
        warnings.warn("hello")  # noqa: B028
        try:
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        except DeprecationWarning as error:
            x = x * len(str(error))
    return x * x + len(kept)


def nested(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("a")  # noqa: B028
        warnings.warn("b")  # noqa: B028
        with warnings.catch_warnings(record=True) as inner:
            warnings.warn("c")  # noqa: B028
            warnings.warn("d")  # noqa: B028
            inner.pop()
    return x * x * len(kept) + 10 * len(inner)


def left_early(x: Any) -> Any:
    with warnings.catch_warnings(record=True, action="always") as kept:
        warnings.warn(UserWarning(x), stacklevel=2)
        if x < 0:
            return x * x * len(kept)
        warnings.warn("more")  # noqa: B028
    return kept[0].message.args[0] * len(kept)


SLOPES = [
    (on_every_path, lambda x: 4 * x),
    (on_some_paths, lambda x: 6 * x if x < 0 else 2 * x),
    (in_a_loop, lambda x: 2 * (3 * x - 3) * (1 + sum(x < k for k in range(3)))),
    (by_filters, lambda x: 18 * x),
    (nested, lambda x: 2 * x),
    (left_early, lambda x: 2 * x if x < 0 else 2),
]


@pytest.mark.parametrize(("f", "slope"), SLOPES)
@pytest.mark.parametrize("x", [-1.5, 0.5, 1.5, 2.5])
def test_what_a_block_keeps_is_known_and_shown_to_nobody(f: Any, slope: Any, x: float) -> None:
    value, step = f(x), 1e-4
    filters = list(warnings.filters)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            assert sd.value_and_grad(f)(x) == (value, pytest.approx(slope(x), rel=1e-14))
            assert sd.jvp(f, (x,), (1.0,)) == (value, pytest.approx(slope(x), rel=1e-14))
        second = (slope(x + step) - slope(x - step)) / (2 * step)
        assert sd.hessian(f)(x) == pytest.approx(second, rel=1e-9, abs=1e-12)
    assert not seen
    assert list(warnings.filters) == filters


def of_arrays(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        y = np.log(x)
    return y * len(kept)


def of_known_numbers(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        y = np.log(0.0)
    return x * len(kept) + 0.0 * np.exp(y)


def as_outside(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.warn("a")  # noqa: B028
    return x * len(kept)


def once(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("once")
        warnings.warn("a")  # noqa: B028
    return x * len(kept)


def after_a_reset(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        warnings.resetwarnings()
        warnings.warn("a")  # noqa: B028
    return x * len(kept)


def by_a_pattern(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        re.compile("a[[b]")
    return x * len(kept)


def where_it_was(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        warnings.warn("a")  # noqa: B028
    return x * kept[0].lineno


@pytest.mark.parametrize(
    ("f", "line", "told"),
    [
        (of_arrays, 3, "what may warn by itself"),
        (of_known_numbers, 3, "what may warn by itself"),
        (as_outside, 2, "may be kept or not"),
        (once, 3, "may be kept or not"),
        (after_a_reset, 4, "may be kept or not"),
        (by_a_pattern, 3, "a pattern, which may warn"),
        (where_it_was, 4, "where a warning was given"),
    ],
)
def test_what_may_be_kept_or_not_is_refused(f: Any, line: int, told: str) -> None:
    for transform in (sd.grad, sd.hessian):
        with pytest.raises(UnsupportedCallError, match=told) as raised:
            transform(f)(1.0)
        assert raised.value.span is not None
        assert raised.value.span.line == f.__code__.co_firstlineno + line
