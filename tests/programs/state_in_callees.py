"""Functions that write to what stands outside, called often: what one writes another one reads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

COUNT = 0
LAST: Any = 1.0
KIND = "none"
RUNS = [0.0, 0.0]
TABLE: dict[str, Any] = {"sum": 0.0, "calls": 0}
BUFFER = np.zeros(3)


class State:
    def __init__(self) -> None:
        self.total = 0.0
        self.steps = 0


STATE = State()


def state() -> dict[str, Any]:
    """All that stands outside, as it is now."""
    held = {"runs": list(RUNS), "table": dict(TABLE), "buffer": BUFFER.tolist()}
    own = {"total": STATE.total, "steps": STATE.steps}
    return held | own | {"count": COUNT, "last": LAST, "kind": KIND}


def restart(x: float) -> None:
    global COUNT, LAST, KIND
    COUNT, LAST, KIND = 0, x, "none"
    RUNS[:] = [x, 0.0]
    TABLE["sum"], TABLE["calls"] = x, 0
    BUFFER[:] = x
    STATE.total, STATE.steps = x, 0


def counted(v: Any) -> Any:
    global COUNT
    COUNT += 1
    if v > 0.7:
        return v * COUNT
    COUNT += 2
    return v - COUNT


def counts(x: float, y: float) -> float:
    """An integer that is counted up on some paths more than on others."""
    global COUNT
    COUNT = 3
    found = 0.0
    for k, v in enumerate((x, y, x * y, x - y, y)):
        found = found + counted(v) * (k + 1)
        if k == 2:
            COUNT = 1
    return found * COUNT


def follows(v: Any) -> Any:
    global LAST
    before = LAST
    LAST = v * before if v > 0.5 else v + before
    return before * v


def asks() -> Any:
    return LAST * 0.5


def one_after_another(x: float, y: float) -> float:
    """A number that is read and bound by calls, and between them."""
    global LAST
    LAST = x
    found = follows(y) * asks()
    found += follows(x) + asks()
    LAST = LAST * y
    found += follows(x * y) * asks() + follows(0.3 * x)
    LAST = 2.0
    return found + follows(y - x) * asks() + follows(x) + LAST


def first_writes(x: float, y: float) -> float:
    """Nothing was bound before the first call."""
    found = follows(x) * follows(y)
    return found * asks() + follows(x * y) - follows(0.1 * y) * counted(x) * counted(x)


def adds(v: Any) -> Any:
    STATE.total += v
    if v > 0.6:
        STATE.steps += 1
    return STATE.total * v


def on_an_object(x: float, y: float) -> float:
    STATE.total, STATE.steps = x, 1
    found = adds(x) + adds(y) * adds(x * y)
    STATE.total = found
    found = found + adds(0.1 * y) * STATE.steps
    return found + adds(x) * STATE.total + adds(y) * STATE.steps


def raises_behind(v: Any) -> Any:
    global LAST, COUNT
    LAST = LAST * v
    COUNT += 1
    if v > 0.9:
        raise ValueError
    LAST = LAST + v
    return math.sqrt(v) * LAST


def raised(x: float, y: float) -> float:
    """What is bound before something is raised stays bound."""
    global LAST, COUNT
    LAST, COUNT = y, 0
    found = 0.0
    for v in (x, y, x * y, 0.5 * y, y * y, 0.2 * x):
        try:
            found = found + raises_behind(v)
        except ValueError:
            found = found - LAST * COUNT
    return found + LAST * COUNT


def tried(v: Any) -> Any:
    try:
        return raises_behind(v)
    except ValueError:
        return LAST * v


def tried_inside(x: float, y: float) -> float:
    global LAST, COUNT
    LAST, COUNT = x, 0
    return sum(tried(v) for v in (x, y, x * y, 0.5 * y, y * y, 0.2 * x)) * COUNT + LAST


def notes(v: Any) -> Any:
    RUNS[1] = RUNS[0]
    if v > 0.6:
        RUNS[0] = v * RUNS[1]
    TABLE["sum"] += v * RUNS[0]
    TABLE["calls"] += 1
    BUFFER[1:] = BUFFER[:-1] * v
    if v < 0.7:
        BUFFER[0] += v
    return TABLE["sum"] * BUFFER[1] + TABLE["calls"]


def in_containers(x: float, y: float) -> float:
    restart(x)
    found = notes(x) + notes(y) * RUNS[1]
    TABLE["sum"] = found
    found = found + notes(x * y) * BUFFER[2]
    BUFFER[:] = y
    RUNS[0] = y
    for v in (y, 0.5 * x):
        found = found + notes(v) * notes(v * x)
    return float(found + np.sum(BUFFER) + RUNS[0] * RUNS[1])


def enters(v: Any) -> Any:
    if v > 0.6:
        RUNS[0] = RUNS[0] * 0.9 + v
    else:
        TABLE["sum"] += v * RUNS[1]
    RUNS[1] = RUNS[0] * v
    TABLE["calls"] += 1
    return TABLE["sum"] * v


def enters_twice(v: Any) -> Any:
    if v > 0.5:
        TABLE["sum"] -= 0.1 * v
        return enters(v * 0.9) + enters(v)
    RUNS[1] += v
    return enters(v + 0.3) * RUNS[1]


def in_arms(x: float, y: float) -> float:
    """A list and a dict of the module's are written in one arm or the other."""
    found = enters_twice(x) * RUNS[1] + enters_twice(y)
    TABLE["sum"] = found * y
    found += enters_twice(x * y) * TABLE["calls"]
    RUNS[0], RUNS[1] = y, found
    for v in (y, 0.5 * x, x + y):
        found = found * 0.1 + enters_twice(v)
    return float(found + RUNS[0] * RUNS[1] + TABLE["sum"] * TABLE["calls"])


def prefers(v: Any) -> Any:
    global LAST
    if LAST is None:
        LAST = v * v
        return v
    kept = LAST
    LAST = None if v > 0.8 else kept * v
    return kept + v


def none_or_a_number(x: float, y: float) -> float:
    """A variable of the module's is None on some paths."""
    global LAST
    LAST = None
    found = 0.0
    for v in (x, y, x * y, 0.3 * x, y * y, 0.5 * y):
        found = found + prefers(v) * y
    return found if LAST is None else found * LAST


def grows(v: float) -> float:
    """What is appended in the body of a ``try`` is not appended again."""
    try:
        y = math.sin(math.sqrt(v) * 0.97) * 0.9
        RUNS.append(y)
    except ValueError:
        y = math.sin(-v * 0.97) * 0.9
        RUNS.append(y)
    return y * 0.9


def grows_more(v: float) -> float:
    try:
        y = grows(math.sqrt(v) * 0.97)
        RUNS.append(y)
    except ValueError:
        y = grows(-v * 0.97)
        RUNS.append(y)
    return y * 0.9


def in_tries(x: float, y: float) -> float:
    RUNS[:] = [x]
    return grows_more(x) * grows_more(y - 0.7) * sum(RUNS) * len(RUNS)


PROGRAMS: list[Callable[[float, float], float]] = [
    counts,
    one_after_another,
    first_writes,
    on_an_object,
    raised,
    tried_inside,
    in_containers,
    in_arms,
    in_tries,
    none_or_a_number,
]
