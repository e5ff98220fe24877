"""``vars`` of an object from outside that a function has given attributes, in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdiff as sd


class Model:
    def __init__(self) -> None:
        self.scale = 2.0

    def fit(self, x: Any) -> Model:
        self.mean_ = np.mean(x)
        self.count_ = 3
        return self

    def transform(self, x: Any) -> Any:
        if not [v for v in vars(self) if v.endswith("_") and not v.startswith("__")]:
            raise ValueError("not fitted")
        return self.scale * (x - self.mean_)


MODEL = Model()


def weighted(model: Any) -> Any:
    return sum([(k + 1.0) * v for k, v in enumerate(vars(model).values())])


def test_a_model_from_outside_is_fitted_and_used() -> None:
    x = np.array([1.0, 2.0, 4.0])
    gradient = sd.grad(lambda x: np.sum(MODEL.fit(x).transform(x) ** 2))
    for _ in range(2):  # the second time the model has the attributes
        np.testing.assert_allclose(gradient(x), 8.0 * (x - np.mean(x)))
    assert list(vars(MODEL)) == ["scale", "mean_", "count_"]


def test_attributes_are_gone_over_as_they_were_given() -> None:
    def total(x: Any) -> Any:
        model.b = x[0]
        model.scale = x[1]
        model.a = x[2]
        return weighted(model)

    model = Model()
    np.testing.assert_array_equal(sd.grad(total)(np.ones(3)), [2.0, 1.0, 3.0])
    assert list(vars(model)) == ["scale", "b", "a"]


def set_last(x: Any) -> Any:
    for _ in range(3):
        x = np.sin(x) + x
    HELD.last = np.tanh(x)
    return x


HELD: Any = Model()


@pytest.fixture
def _unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """What paths leave behind has one order of attributes for all of them."""
    monkeypatch.setenv("SYMDIFF_VERIFY", "0")


@pytest.mark.usefixtures("_unverified")
def test_a_function_of_several_calls_gives_an_attribute_behind_those_there_are() -> None:
    def total(x: Any, case: float) -> Any:
        if case > 2.0:
            HELD.a, HELD.b = x[0], x[1]
            return set_last(x[2]) * 0.0 + weighted(HELD)
        if case > 1.0:
            HELD.b, HELD.a = x[1], x[0]
            return set_last(x[2]) * 0.0 + weighted(HELD)
        HELD.a, HELD.b = x[0], x[1]
        return set_last(x[2]) * 0.0 + weighted(HELD)

    x = np.array([1.0, 2.0, 0.0])
    for case, wanted in ((3.0, [2.0, 3.0]), (2.0, [3.0, 2.0]), (1.0, [2.0, 3.0])):
        HELD.__dict__.clear()
        HELD.scale = 2.0
        np.testing.assert_array_equal(sd.grad(total)(x, case)[:2], wanted)


def test_an_order_that_differs_between_paths_is_refused() -> None:
    def total(x: Any) -> Any:
        model = outside
        if x[0] > 0.0:
            model.a, model.b = x[0], x[1]
        else:
            model.b, model.a = x[1], x[0]
        return weighted(model)

    outside = Model()
    with pytest.raises(sd.UnsupportedCallError, match="all attributes of an object, in order"):
        sd.grad(total)(np.array([1.0, 5.0]))
