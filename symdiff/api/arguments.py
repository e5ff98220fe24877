"""Arguments of the transforms themselves, checked: what to differentiate by, what to keep."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from symdiff.errors import SignatureError

Mode = Literal["auto", "forward", "reverse", "fwd", "rev"]
Direction = Literal["auto", "fwd", "rev"]
_SHORT: dict[str, Direction] = {
    "auto": "auto",
    "forward": "fwd",
    "reverse": "rev",
    "fwd": "fwd",
    "rev": "rev",
}


def checked_mode(mode: Any) -> Direction:
    """A mode of a Jacobian, in short.

    :raises ValueError: for anything else.
    """
    if mode not in _SHORT:
        raise ValueError(f"mode is 'auto', 'forward' or 'reverse', not {mode!r}")
    return _SHORT[mode]


def checked_argnums(argnums: Any) -> int | str | tuple[int | str, ...]:
    """A position, a name, or a tuple of them.

    :raises SignatureError: for anything else.
    """
    if isinstance(argnums, list | tuple):
        return tuple(_one_argnum(argument) for argument in argnums)
    return _one_argnum(argnums)


def checked_names(names: Any) -> tuple[str, ...]:
    """Names as a tuple, each once.

    :raises SignatureError: for anything else.
    """
    given = names if isinstance(names, list | tuple) else None
    if given is None or not all(isinstance(name, str) for name in given):
        raise SignatureError("retain is a tuple of names", hint='retain=("h",)')
    return tuple(dict.fromkeys(given))


def _one_argnum(argument: Any) -> int | str:
    if isinstance(argument, bool) or not isinstance(argument, int | str | np.integer):
        raise SignatureError(
            f"argnums is a position, a name, or a tuple of them, not a {type(argument).__name__}",
            hint="grad(f, argnums=(0, 1)) says what to differentiate by; the arguments of f are"
            " given to what it returns: grad(f)(x)",
        )
    return argument if isinstance(argument, str) else int(argument)


def checked_order(order: Any) -> int:
    """Give back the order of a derivative.

    :raises ValueError: where it is no whole number, or negative.
    """
    if not isinstance(order, int | np.integer) or isinstance(order, bool) or order < 0:
        raise ValueError(f"order is 0, 1, 2 …, not {order!r}")
    return int(order)
