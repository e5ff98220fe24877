"""``with`` statements in which what goes wrong is found where it begins."""

from __future__ import annotations

from contextvars import Token
from typing import ClassVar, Self

from symdiff.runtime.modes import ANOMALIES, CHANGES, Mode


class _Statement:
    _mode: ClassVar[Mode]

    def __init__(self) -> None:
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._tokens.append(self._mode.enter())
        return self

    def __exit__(self, *exception: object) -> None:
        self._mode.leave(self._tokens.pop())


class detect_anomaly(_Statement):  # noqa: N801 - a class used as a word
    """``with detect_anomaly():`` — the first NaN or infinity in a backward sweep is an error.

    It names the user's line whose derivative gave it, and the values there. Gradients, ``vjp`` and
    ``forward`` that are called inside run programs with a check behind each step of the sweep,
    compiled for this at the first call; outside nothing is slower. Of ``forward`` and ``backward``
    it is ``forward`` that has to be inside.

    :raises AnomalyError: from the call of the derivative.

    >>> import numpy as np
    >>> from symdiff import AnomalyError, grad
    >>> with np.errstate(divide="ignore"), detect_anomaly():
    ...     try:
    ...         grad(lambda x: np.sum(np.log(x)))(np.array([1.0, 0.0]))
    ...     except AnomalyError as error:
    ...         print(error.message, "as", error.hint)
    the backward sweep makes the gradient by 'x' inf at [1] as 'x' is 0.0 there; the cotangent of
    the result is 1.0 there
    """

    _mode = ANOMALIES


class detect_changes(_Statement):  # noqa: N801 - a class used as a word
    """``with detect_changes():`` — an array that is changed between ``forward`` and ``backward``
    is an error.

    symdiff saves copies: the gradient is right for what the array held before, whether the mode is
    on or not. Inside, ``forward`` and ``trace`` remember what they saved; ``backward`` compares.

    :raises ArrayChangedError: from ``backward``, ``vjp``'s pullback or ``Trace.backward``; it names
        the array and the line it was saved for.

    >>> import numpy as np
    >>> from symdiff import ArrayChangedError, vjp
    >>> x = np.array([1.0, 2.0])
    >>> with detect_changes():
    ...     y, pullback = vjp(lambda x: np.sum(x * x), x)
    >>> x[0] = 5.0
    >>> try:
    ...     pullback(1.0)
    ... except ArrayChangedError as error:
    ...     print(error.message)
    'x' was changed after the forward sweep, which saved it for this line
    """

    _mode = CHANGES
