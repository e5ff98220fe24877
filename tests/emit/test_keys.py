"""Keys of dicts, and values that are returned, which have a spelling of their own or have none."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import symdiff as sd


class Part(enum.Enum):
    LOW = "low"


class Order(enum.IntEnum):
    FIRST = 1


class Name(enum.StrEnum):
    RATE = "rate"


class Text(str):
    pass


class Whole(int):
    pass


KEYS = [
    *((1, "a"), (), (Part.LOW, -1), -1, True, None, np.int64(3), frozenset({1}), int),
    *(Part.LOW, Order.FIRST, Name.RATE, Text("rate"), Whole(3)),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_dicts_of_all_keys_are_taken_and_given(key: Any) -> None:
    def scaled(rates: dict[Any, float]) -> Any:
        doubled = {name: 2.0 * rate for name, rate in rates.items()}
        return doubled[key] * rates[key], rates

    (value, same), slopes = sd.value_and_grad(scaled, has_aux=True)({key: 3.0})
    assert (value, same, slopes) == (18.0, {key: 3.0}, {key: 12.0})
    assert type(next(iter(slopes))) is type(next(iter(same))) is type(key)


@pytest.mark.parametrize("known", [Order.FIRST, Name.RATE, Text("rate"), Whole(3)], ids=repr)
def test_values_of_classes_of_numbers_and_texts_are_returned(known: Any) -> None:
    (_, told), _ = sd.value_and_grad(lambda x: (x * x, known), has_aux=True)(2.0)
    assert told is known


def test_keys_of_tuples_are_written_out_and_exported(tmp_path: Any) -> None:
    def product(rates: dict[Any, float]) -> Any:
        return rates[0, "a"] * rates[-1]

    rates = {(0, "a"): 2.0, -1: 3.0}
    assert "{(0, 'a'): " in sd.grad(product).source(rates)
    sd.grad(product).export(tmp_path / "product.py", rates)
    made: dict[str, Any] = {"__name__": "product"}
    exec((tmp_path / "product.py").read_text(), made)
    assert made["product_grad"](rates) == {(0, "a"): 3.0, -1: 2.0}
