"""Arguments of other layouts, dtypes and sizes than plain float64 arrays, as text and as values.

>>> drawn(Random(3), (2, 2), lambda: 0.5).text.startswith("np.")
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

VECTORS = (
    "np.array({})",
    "np.array({})[::-1]",
    "np.repeat(np.array({}), 2)[::2]",
    "np.repeat(np.array({}), 2)[1::2]",
    "np.array({}, dtype=np.float32)",
    "np.array([{}, {}])[:, 0::1][1]",
    "np.array({}).reshape(1, -1)[0]",
)
MATRICES = (
    "np.array({})",
    "np.asfortranarray(np.array({}))",
    "np.array({})[::-1]",
    "np.array({})[:, ::-1]",
    "np.repeat(np.array({}), 2, axis=1)[:, ::2]",
    "np.array({}, dtype=np.float32)",
    "np.array([{}, {}])[1]",
)
NUMBERS = ("{}", "np.float64({})", "np.float32({})", "np.array({})", "np.array([{}])[0]")
TEMPLATES = {0: NUMBERS, 1: VECTORS, 2: MATRICES}


@dataclass(frozen=True)
class Drawn:
    """An argument: the expression that makes it, and its value."""

    text: str
    value: Any


def drawn(
    random: Random, shape: tuple[int, ...], number: Callable[[], float], template: str = ""
) -> Drawn:
    """A random argument of a shape; ``template`` the way in which to make it, drawn by default."""
    template = template or random.choice(TEMPLATES[len(shape)])
    values = np.array([number() for _ in range(int(np.prod(shape)))]).reshape(shape)
    numbers = str(values.tolist()) if values.size else f"np.zeros({shape})"
    text = template.format(numbers, numbers)
    return Drawn(text, eval(text, {"np": np}))
