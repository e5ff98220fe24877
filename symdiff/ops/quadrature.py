"""Tanh-sinh quadrature (Takahasi and Mori 1974), which functions of generated code integrate by.

Places crowd towards both ends doubly exponentially, so that what is steep or singular there costs
no digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def integral(heights: Any, length: Any, more: Any = 0.0) -> Any:
    """The integral from 0 on of a function of the place and of what is left, ``more`` after it.

    >>> integral(lambda x, rest: x, np.array([2.0]))
    array([2.])
    """
    t = np.linspace(-3.6, 3.6, 225).reshape((-1,) + (1,) * np.ndim(length))
    s = np.exp(np.pi * np.sinh(t))
    near, far = s / (1.0 + s), 1.0 / (1.0 + s)
    weights = (7.2 / 224) * np.pi * np.cosh(t) * near * far
    values = heights(length * near, length * far + more)
    return length * np.sum(np.where(np.isfinite(values), values * weights, 0.0), axis=0)
