"""Lists, tuples and dicts of numbers outside a function are one parameter of what is emitted."""

import importlib.util

import numpy as np
import pytest

import symdiff as sd

MANY = [0.5 + k for k in range(112)]
TUPLE = tuple(0.1 * k for k in range(30))
PAIR = (1.0, 2, 3.0, 4.0)
TABLE = {"a": 1.0, "b": 2.0, "c": 3.0, "d": {"inner": [4.0, 5.0]}}
X = 0.5  # whose products with whole numbers are exact, in whatever way Python adds them


class Model:
    def __init__(self):
        self.weights = [1.0, 2.0, 3.0]


MODEL = Model()


def polynomial(x):
    s = 0.0
    for c in MANY[:20]:
        s = s * x + c
    return s


def indexed(x):
    s = 0.0
    for k in range(len(MANY)):
        if MANY[k] * x > 50.0:
            break
        s = s + MANY[k] * x**k
    return s


def as_array(x):
    return np.sum(np.array(MANY) * x**2)


def of_a_tuple(x):
    return PAIR[0] * x + PAIR[1] * x**2 + PAIR[2] * x**3 + PAIR[3]


def of_a_dict(x):
    return TABLE["a"] * x + TABLE["b"] * x**2 + TABLE["c"] + TABLE["d"]["inner"][1] * x**3


def of_an_object(x):
    return sum(w * x**2 for w in MODEL.weights)


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (polynomial, "x, MANY"),
        (indexed, "x, MANY"),
        (as_array, "x, MANY"),
        (of_a_tuple, "x, PAIR"),
        (of_a_dict, "x, TABLE"),
        (of_an_object, "x, MODEL_weights"),
    ],
)
def test_numbers_of_one_container_are_one_parameter(function, parameters):
    gradient = sd.grad(function)
    estimate = (function(X + 1e-6) - function(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient(X), estimate, rtol=1e-7)
    source = gradient.source(X)
    assert source.startswith(f"def {function.__name__}_grad({parameters}):")
    assert max(map(len, source.splitlines())) <= 100
    curvature = sd.grad(gradient)
    estimate = (gradient(X + 1e-6) - gradient(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(curvature(X), estimate, rtol=1e-6, atol=1e-8)


def shifted(x):
    s = 0.0
    for c, d in zip(MANY[2:20], TUPLE[:18], strict=True):
        s = s * x + c * d
    return s


def test_numbers_that_follow_one_another_are_a_part_of_their_container():
    source = sd.grad(shifted).source(X)
    assert "MANY[2:20]" in source and "TUPLE[:18]" in source and "MANY[3]" not in source
    estimate = (shifted(X + 1e-6) - shifted(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(sd.grad(shifted)(X), estimate, rtol=1e-7)


def horner(coefficients, x):
    s = 0.0
    for c in coefficients:
        s = s * x + c
    return s


LOW, HIGH = TUPLE[:25], [0.3 - 0.02 * k for k in range(28)]


def state(x):
    if x < 0.3:
        v = horner(LOW, x)
    elif x < 0.8:
        v = horner(HIGH, x)
    else:
        v = HIGH[3] * x + HIGH[4] * x * x + HIGH[0] + HIGH[1] * x**3
    w = np.exp(v) * x + np.sin(v * x)
    for k in range(3):
        w = w * np.cos(w) + v * k
    u = w * np.sin(w) + v
    return u * u + np.cos(v) * w


def of_states(x):
    return state(0.9 * x) + state(0.5 * x) * state(0.25 * x)


@pytest.mark.parametrize("x", [0.5, 0.9, 1.1])
def test_functions_that_are_called_are_given_the_container(x):
    source = sd.differentiable(of_states).source(x)
    assert "def state_forward(x, LOW, HIGH):" in source
    calls = [line for line in source.splitlines() if "= state_forward(" in line]
    assert len(calls) == 3 and all(line.endswith(", LOW, HIGH)") for line in calls)
    gradient = sd.grad(of_states)
    slope = (of_states(x + 1e-6) - of_states(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient(x), slope, rtol=1e-6)
    curvature = (gradient(x + 1e-6) - gradient(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(sd.grad(gradient)(x), curvature, rtol=1e-6)


def scaled(table, x):
    y = table[0] * x + table[1] * x**2 + table[2] * x**3 + table[3]
    w = np.exp(y) * x + np.sin(y * x)
    for k in range(3):
        w = w * np.cos(w) + y * k
    u = w * np.sin(w) + y
    return u * u + np.cos(y) * w


def of_several(x):
    return scaled(LOW, x) + scaled(HIGH, 0.5 * x) * scaled(LOW, 0.2 * x)


def test_functions_that_are_given_several_containers_read_their_own():
    source = sd.differentiable(of_several).source(0.4)
    assert source.count("def scaled_forward(") == 1
    slope = (of_several(0.4 + 1e-6) - of_several(0.4 - 1e-6)) / 2e-6
    np.testing.assert_allclose(sd.grad(of_several)(0.4), slope, rtol=1e-7)


ROWS = [[0.5 * k - 0.1 * j for j in range(16)] for k in range(9)]
ENDS = [0.3 * k + 0.3 for k in range(8)]


def by_range(x):
    i = 8
    for k in range(8):
        if x < ENDS[k]:
            i = k
            break
    s = 0.0
    for c in ROWS[i]:
        s = s * x + c
    return s + ROWS[i][2] * x


@pytest.mark.parametrize("x", [0.1, 0.7, 1.55, 2.6])
def test_rows_of_a_table_are_read_by_their_place(x):
    source = str(sd.differentiable(by_range).source(x))
    assert "= ROWS[i]\n" in source and "ROWS[i][2]" in source and "ROWS[0]" not in source
    assert source.count("elif x < ENDS[") == 7  # each where it is reached, if it is
    slope = (by_range(x + 1e-6) - by_range(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(sd.grad(by_range)(x), slope, rtol=1e-7)


def test_a_place_that_a_table_has_not_raises():
    def f(x, k):
        return ROWS[int(k)][2] * x

    assert sd.grad(f)(X, 3.0) == ROWS[3][2]
    assert sd.grad(f)(X, -1.0) == ROWS[-1][2]
    assert "ROWS[int(k)][2]" in str(sd.differentiable(f).source(X, 3.0))
    with pytest.raises(IndexError, match="list index out of range"):
        sd.grad(f)(X, 9.0)


def test_a_row_that_is_changed_or_given_back_is_no_row_of_the_table():
    def f(x, k):
        row = [*ROWS[int(k)]]
        row[0] = x
        return row[0] * row[1] + ROWS[int(k)][0], row

    (y, row), pullback = sd.vjp(f, X, 2.0)
    assert row == [X, *ROWS[2][1:]] and y == X * ROWS[2][1] + ROWS[2][0]
    assert ROWS[2][0] == 1.0
    assert pullback((1.0, [0.0] * 16))[0] == ROWS[2][1]


def test_few_numbers_of_a_container_stay_parameters():
    source = sd.grad(lambda x: MANY[3] * x + MANY[7] * x**2).source(X)
    assert "(x, MANY_3, MANY_7):" in source


def test_what_is_in_a_list_is_read_at_each_call():
    weights = [1.0, 2.0, 3.0, 4.0]
    gradient = sd.grad(lambda x: sum(w * x for w in weights))
    assert gradient(X) == 10.0
    weights[0] = 5.0
    assert gradient(X) == 14.0
    weights.append(6.0)
    assert gradient(X) == 20.0


def test_what_may_change_meanwhile_is_read_before():
    weights = [1.0, 2.0, 3.0, 4.0]

    @sd.nondifferentiable
    def doubles():
        weights[3] *= 2.0

    def f(x):
        before = weights[3] * x
        doubles()
        return before + weights[0] * x + weights[1] * x + weights[2] * x

    assert sd.grad(f)(X) == 10.0
    assert weights == [1.0, 2.0, 3.0, 8.0]


def test_a_list_that_the_function_writes_is_written():
    weights = [1.0, 2.0, 3.0, 4.0]

    def f(x):
        weights[0] = weights[1] * weights[2] * weights[3]
        return weights[0] * x + weights[1] * x + weights[2] * x + weights[3] * x

    assert sd.grad(f)(X) == 33.0
    assert weights == [24.0, 2.0, 3.0, 4.0]


def test_a_long_list_is_a_constant_of_a_module(tmp_path):
    path = tmp_path / "indexed_grad.py"
    sd.grad(indexed).export(path, X)
    spec = importlib.util.spec_from_file_location("indexed_grad", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    estimate = (indexed(X + 1e-6) - indexed(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(module.indexed_grad(X), estimate, rtol=1e-7)
    assert path.read_text().count("MANY = [") == 1
