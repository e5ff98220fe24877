"""Python as libraries write it: names as a dict, flags, functions of NumPy without rules."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from tests import reference

X = np.array([0.3, 1.2, 0.8])


def gradient_of(function: Any, *args: Any) -> Any:
    """The gradient by symdiff, which differences confirm."""
    found = sd.grad(function)(*args)
    expected = reference.richardson_gradient(function, args).value
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    return found


def test_a_recursion_may_give_its_arguments_by_name_in_any_order() -> None:
    def folded(level: float, total: float = 1.0, *, by: float = 0.5) -> float:
        if level < 0.1:
            return total
        return folded(by=by * 0.9, total=total * level + by, level=level * 0.5)

    assert gradient_of(lambda a: folded(a, a * a), 1.3) != 0.0
    assert gradient_of(lambda a: folded(1.3, by=a), 0.5) != 0.0


def test_locals_are_a_dict_of_the_names_that_are_bound() -> None:
    def model(x: Any, scale: Any = 2.0, other: Any = None) -> Any:
        y = x * scale
        known = locals()
        missing = [name for name in known if known[name] is None]
        z = locals()["y"] * len(missing)
        return np.sum(z * z) + len(known) + ("z" in known)

    gradient_of(model, X)


def test_locals_are_one_dict_before_python_3_13() -> None:
    def model(x: Any) -> Any:
        known = locals()
        y = x * x
        later = locals()
        return np.sum(y) * (2.0 if later is known else 3.0) * ("y" in known or 0.5)

    same = sys.version_info < (3, 13)
    found = gradient_of(model, X)
    np.testing.assert_allclose(found, 2.0 * X * (2.0 if same else 1.5))


def test_locals_of_a_nested_function_are_refused() -> None:
    def model(x: Any) -> Any:
        def inner() -> Any:
            return locals()["x"]

        return np.sum(x) * len(inner())

    with pytest.raises(sd.UnsupportedCallError, match=r"does not compile locals\(\)"):
        sd.grad(model)(X)


def test_a_flag_that_a_branch_has_made_is_fixed_where_it_tells_the_structure() -> None:
    def solved(v: Any, full: Any = False, more: Any = False) -> Any:
        flag = (more if full else False) or (full and more)
        return (v, v * v) if flag else v**3

    gradient_of(lambda x: np.sum(solved(x)), X)
    gradient_of(lambda x: np.sum(solved(x, True, True)[1]), X)


def test_a_function_of_numpy_without_a_rule_is_followed_where_all_in_it_has_rules() -> None:
    gradient_of(lambda x: np.sum(x**3) if np.iterable(x) else x, X)
    assert sd.grad(lambda x: x[0] if np.ma.isMaskedArray(x) else x[1])(X).tolist() == [0, 1, 0]


def test_a_function_of_numpy_with_something_in_it_that_has_no_rule_is_refused_by_its_name() -> None:
    with pytest.raises(sd.UnsupportedCallError, match=r"no rule for numpy.*fromstring"):
        sd.grad(lambda x: np.sum(np.fromstring(x)))(X)


def test_copies_are_asked_for_by_the_members_of_numpys_enumeration() -> None:
    modes = np._CopyMode
    for mode in (modes.ALWAYS, modes.IF_NEEDED):
        gradient_of(lambda x, mode=mode: np.sum(np.array(x * x, copy=mode)), X)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        sd.grad(lambda x: np.sum(np.array([x[0], x[1]], copy=modes.NEVER)))(X)
