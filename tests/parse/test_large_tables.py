"""Tables of many lists and dicts: what is not asked for is not read."""

import copy
import math

import pytest

import symdiff
from tests.reference import richardson_gradient

COUNT = 50
ROWS = {f"k{i}": {"a": 0.0, "cs": [0.0] * (i % 4 + 1), "name": None} for i in range(COUNT)}
PAIRS = [[0.0, 0.0] for _ in range(COUNT)]
ONE = ROWS["k5"]["cs"]


def restore():
    """What the tables hold where a test begins, in the same lists and dicts."""
    for i, row in enumerate(ROWS.values()):
        row["a"] = 0.5 * i + 1.0
        row["cs"][:] = [float(j) for j in range(i % 4 + 1)]
    for i, pair in enumerate(PAIRS):
        pair[:] = [float(i), float(i + 1)]


@pytest.fixture(autouse=True)
def _restored():
    restore()


def reads_in_an_arm(x):
    found = ROWS["k3"]["a"] if x > 0.5 else ROWS["k6"]["cs"][1] * x
    return found * x + ROWS["k6"]["cs"][2] * x


def writes_in_an_arm(x):
    if x > 0.5:
        ROWS["k7"]["cs"].append(x * 2.0)
    else:
        ROWS["k7"]["a"] = x
    return sum(ROWS["k7"]["cs"]) * x + ROWS["k7"]["a"]


def writes_by_another_name(x):
    ONE[0] = x * x
    return ROWS["k5"]["cs"][0] * 3.0


def reads_by_another_name(x):
    ROWS["k5"]["cs"][0] = x * x
    return ONE[0] * 3.0


def writes_in_a_loop(x):
    total = 0.0
    for k in range(3):
        PAIRS[k][0] = PAIRS[k][0] + x
        total = total + PAIRS[k][0] * x
    return total


def _added(x, row):
    row["a"] = row["a"] + x
    return row["a"] * x


def writes_in_calls(x):
    first = _added(x, ROWS["k1"]) + _added(2.0 * x, ROWS["k1"]) + _added(x, ROWS["k2"])
    return first + ROWS["k1"]["a"]


def tries(x):
    try:
        found = ROWS["zz"]["a"]
    except KeyError:
        found = x
    try:
        other = ROWS["k10"]["cs"][5]
    except IndexError:
        other = ROWS["k10"]["a"] * x
    return found * other


def reads_all(x):
    return sum(row["a"] for row in ROWS.values()) * x + sum(pair[0] for pair in PAIRS) * x * x


@pytest.mark.filterwarnings("ignore::symdiff.LostDerivativeWarning")
@pytest.mark.parametrize(
    "function",
    [
        reads_in_an_arm, writes_in_an_arm, writes_by_another_name, reads_by_another_name,
        writes_in_a_loop, writes_in_calls, tries, reads_all,
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [0.7, 0.3])
def test_parts_of_a_table_are_read_and_written(function, x):
    def anew(x):
        restore()
        return function(x)

    expected = float(richardson_gradient(anew, (x,)).value)
    anew(x)
    left = copy.deepcopy((ROWS, PAIRS))
    restore()
    assert math.isclose(symdiff.grad(function)(x), expected, rel_tol=1e-7)
    assert left == (ROWS, PAIRS)


def test_what_is_not_asked_for_is_no_input():
    def function(x, key):
        return ROWS[key]["a"] * x

    derivative = symdiff.differentiable(function)
    graph = derivative.graph(2.0, "k8")
    assert len(graph.inputs) == 2
