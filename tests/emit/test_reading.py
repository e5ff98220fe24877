"""What a reader of generated code would ask about: its checks, its names, its updates in place."""

from __future__ import annotations

import importlib
import math
import re
from typing import Any

import numpy as np
import pytest

import symdiff as sd


def statements(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


# Checks


def sum_of_both(x: Any, y: Any) -> Any:
    return np.sum(x + y)


def test_shapes_that_do_not_broadcast_are_refused_though_nobody_needs_the_sum() -> None:
    gradient = sd.grad(sum_of_both)
    np.testing.assert_array_equal(gradient(np.ones(3), np.ones(3)), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        gradient(np.ones(3), np.ones(4))
    assert "np.broadcast(x, y)" in statements(gradient.source("float64[n]", "float64[m]"))
    assert "np.broadcast(x, y)" not in gradient.source("float64[n]", "float64[n]")


def picked(table: Any, rows: Any) -> Any:
    logs = np.log(table)
    return np.sum(logs[rows, 1])


def test_an_index_that_the_adjoint_uses_is_not_checked_before() -> None:
    gradient = sd.grad(picked)
    table, rows = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 1])
    np.testing.assert_array_equal(gradient(table, rows), [[0.0, 0.0], [0.0, 0.5]])
    with pytest.raises(IndexError, match="out of bounds"):
        gradient(table, np.array([2, 0]))
    source = gradient.source("float64[n,2]", "int64[k]")
    assert not any(line.startswith("logs[") and "=" not in line for line in statements(source))


def prints_before(x: Any) -> Any:
    x[1]
    print("seen")
    return x[1] + x[0]


def test_what_is_raised_before_an_effect_is_raised_there(capsys: Any) -> None:
    with pytest.raises(IndexError):
        sd.grad(prints_before)(np.array([1.0]))
    assert capsys.readouterr().out == ""
    assert "# raises what line" in sd.grad(prints_before).source("float64[n]")


def last_of_list(x: Any, n: int) -> Any:
    values = [x]
    for _ in range(n):
        values.append(2.0 * values[-1])
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return total


def test_items_of_a_list_within_its_length_are_not_checked() -> None:
    gradient = sd.grad(last_of_list)
    assert gradient(1.5, 3) == 15.0
    assert not any(
        line in ("list_[k]", "values[k]") for line in statements(gradient.source(1.5, 3))
    )


def constant_table(w: Any) -> Any:
    table = np.array([1.0, 2.0, 3.0])
    return np.sum(w * table)


def test_a_table_of_numbers_raises_nothing() -> None:
    source = sd.hvp(constant_table).source("float64[3]", "float64[3]")
    assert "np.array" not in source


# Updates


def scaled_inside(u: Any, e: Any) -> Any:
    u = u.copy()
    for _ in range(3):
        t = u[1:-1]
        u[1:-1] = t - 0.1 * t * e
    return np.sum(u)


def test_what_is_read_and_stored_back_is_updated_in_place() -> None:
    source = sd.grad(scaled_inside, argnums=(0, 1)).source("float64[n]", "float64")
    assert any(line.startswith("u1[1:-1] -= ") for line in statements(source))
    u = np.array([0.3, 0.7, 0.2, 0.9])
    u_bar, e_bar = sd.grad(scaled_inside, argnums=(0, 1))(u, 0.5)
    factor = 1.0 - 0.1 * 0.5
    np.testing.assert_allclose(u_bar, [1.0, factor**3, factor**3, 1.0])
    np.testing.assert_allclose(e_bar, -0.3 * factor**2 * (0.7 + 0.2))


def wider_than_its_place(x: Any, e: Any) -> Any:
    y = x.copy()
    y[0] = y[0] + e
    return np.sum(y * y)


def test_what_only_broadcasts_into_its_place_is_stored() -> None:
    x, e = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, 0.25]])
    expected = 2.0 * np.array([[1.5, 2.25], [3.0, 4.0]])
    np.testing.assert_array_equal(sd.grad(wider_than_its_place)(x, e), expected)


def grows(x: Any, n: int) -> Any:
    y = x.copy()
    for k in range(n):
        y[1:] = y[1:] + y[:-1] * x[k]
    return np.sum(y)


def test_a_gradient_of_ones_is_made_once_and_written_in_every_turn() -> None:
    source = sd.grad(grows).source("float64[n]", "int")
    assert "y_bar = y_bar.copy()" not in statements(source)
    assert "y_bar = np.ones(x.shape)" in statements(source)
    x = np.array([0.5, -0.25, 2.0])
    step = 1e-6
    expected = [(grows(x + step * e, 2) - grows(x - step * e, 2)) / (2.0 * step) for e in np.eye(3)]
    np.testing.assert_allclose(sd.grad(grows)(x, 2), expected, rtol=1e-8)


def weighted_powers(x: Any, w: Any) -> Any:
    total = 0.0
    y = 1.0
    for k in range(len(w)):
        total = total + w[k] * y
        y = y * x
    return total


def test_the_next_cotangent_is_computed_when_the_last_one_was_used() -> None:
    gradient = sd.grad(weighted_powers)
    lines = statements(gradient.source("float", "float64[n]"))
    assert not any(line.startswith("y_bar1") for line in lines)
    np.testing.assert_allclose(gradient(2.0, np.array([3.0, 5.0, 7.0, 11.0])), 5.0 + 28.0 + 132.0)


# Residuals


def pairs_apart(x: Any, y: Any, w: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            d = x[i] - y[j]
            if d > 0.0:
                total += w[i] * d * d
    return total


def test_what_an_arm_reads_at_known_places_is_not_saved() -> None:
    gradient = sd.grad(pairs_apart)
    source = gradient.source("float64[n]", "float64[m]", "float64[n]")
    assert "tape" not in source
    assert source.count("    for ") == 2  # of the adjoint
    x, y, w = np.array([1.0, 3.0]), np.array([0.5, 2.0]), np.array([2.0, 0.25])
    np.testing.assert_allclose(gradient(x, y, w), [2.0, 0.5 * (2.5 + 1.0)])


def largest_of_row(x: Any) -> Any:
    return np.sum(np.max(np.tanh(x), axis=1))


def test_a_largest_element_asks_for_no_mask_where_partials_are_finite() -> None:
    gradient = sd.grad(largest_of_row)
    assert "np.where" not in gradient.source("float64[n,m]")
    x = np.array([[0.5, 1.0], [2.0, -1.0]])
    expected = [[0.0, 1.0 - np.tanh(1.0) ** 2], [1.0 - np.tanh(2.0) ** 2, 0.0]]
    np.testing.assert_allclose(gradient(x), expected)


# Names


def three_of(x: Any, steps: int) -> Any:
    y = x
    for _ in range(steps):
        y = y + 0.1 * np.array([y[1] * y[2], y[0] * y[2], y[0] * y[1]])
    return np.sum(y)


def one_of(x: Any, steps: int) -> Any:
    y = x
    for _ in range(steps):
        y = y + 0.1 * y[1] * np.sin(y[1])
    return np.sum(y)


def test_elements_and_tapes_are_called_after_what_they_hold() -> None:
    source = sd.grad(three_of).source(np.ones(3), 4)
    assert "y_1, y_2, y_0 = y[1], y[2], y[0]" in statements(source)
    assert any(line.startswith("tape.append((y_") for line in statements(source))
    source = sd.grad(one_of).source(np.ones(3), 4)
    assert {"y_1 = y[1]", "y_1_tape.append(y_1)"} <= set(statements(source))


def newton(x: Any) -> Any:
    y = x
    for _ in range(8):
        y = y - (y * y - x) / (2.0 * y)
    return y


def test_one_text_is_enough_where_numpy_does_the_same() -> None:
    source = sd.grad(newton).source("float")
    assert "_by_numpy" not in source
    np.testing.assert_allclose(sd.grad(newton)(2.0), 0.5 / np.sqrt(2.0), rtol=1e-12)


# Loops that are left


def backtracked(x: Any, direction: Any) -> Any:
    step = 1.0
    for _ in range(20):
        if np.sum((x + step * direction) ** 4) < np.sum(x**4):
            break
        step *= 0.5
    return np.sum((x + step * direction) ** 2)


def test_a_flag_that_is_a_test_is_a_break() -> None:
    x, direction = np.array([0.3, 0.9]), np.array([-6.0, -2.0])
    source = sd.grad(backtracked).source(x, direction)
    assert "break_" not in source
    assert "break" in statements(source)
    np.testing.assert_allclose(sd.grad(backtracked)(x, direction), 2 * (x + direction / 8))
    assert np.sum((x + direction / 8) ** 4) < np.sum(x**4) < np.sum((x + direction / 4) ** 4)


def test_a_chain_of_branches_is_as_deep_as_one(tmp_path: Any, monkeypatch: Any) -> None:
    """One hundred: Python takes no hundred levels of indentation."""
    lines = ["import numpy as np", "def chain(x):", "    if x[0] < 0: y = np.sin(x)"]
    lines += [f"    elif x[0] < {k}: y = {k} * x * x" for k in range(1, 101)]
    lines += ["    else: y = x", "    return np.sum(y)", ""]
    (tmp_path / "a_chain_of_branches.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    chain = importlib.import_module("a_chain_of_branches").chain
    gradient = sd.grad(chain)
    for first, slope in ((-1.0, None), (0.5, 1), (98.5, 99), (200.0, None)):
        x = np.array([first, 2.0])
        expected = np.cos(x) if first < 0 else np.ones(2) if slope is None else 2 * slope * x
        np.testing.assert_allclose(gradient(x), expected)
    source = gradient.source(x)
    assert source.count("\n    elif ") == 100
    assert "        if" not in source


def below_the_diagonal(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += np.sin(x[i] * x[j])
    return total


def test_the_count_of_an_inner_loop_is_on_no_tape() -> None:
    assert "tape" not in sd.grad(below_the_diagonal).source("float64[n]")
    x = np.array([0.4, -0.7, 1.1])
    expected = [sum(y * np.cos(x[i] * y) for j, y in enumerate(x) if i != j) for i in range(3)]
    np.testing.assert_allclose(sd.grad(below_the_diagonal)(x), expected)


def column_times_row(a: Any, b: Any) -> Any:
    return np.sum((a[:, None] * b - b) ** 2)


def all_but_the_first(a: Any, b: Any) -> Any:
    return np.sum((a[1:] * b) ** 2)


def filled(p: Any, k: Any, x: Any) -> Any:
    return np.sum(np.full(k, p) * x)


def test_a_length_is_tested_once_where_it_may_be_one_and_not_where_it_is_known() -> None:
    known = sd.grad(column_times_row, (0, 1)).source("float64[n]", "float64[m]")
    cut = sd.grad(all_but_the_first, (0, 1)).source("float64[n]", "float64[m]")
    made = sd.grad(filled, (0, 2)).source("float", "int", "float64[n]")
    assert [text.count(" if ") for text in (known, cut, made)] == [0, 1, 1]

    x = np.array([0.5, 2.0, 1.5])
    by_a, by_b = sd.grad(all_but_the_first, (0, 1))(x[:2], x)
    np.testing.assert_allclose(by_a, [0.0, 4.0 * np.sum(x**2)])
    np.testing.assert_allclose(by_b, 8.0 * x)
    for k in (1, 3):
        by_p, by_x = sd.grad(filled, (0, 2))(0.7, k, x)
        assert by_p == np.sum(x)
        np.testing.assert_array_equal(by_x, np.full(3, 0.7))


def last_product(x: Any) -> Any:
    for i in range(2):
        for j in range(1, 4):
            product = x[i] * x[j]
    return product * product


def test_what_loops_of_known_length_define_is_defined_behind_them() -> None:
    source = sd.grad(last_product).source("float64[n]")
    assert "bound" not in source
    assert "defined" not in source
    x = np.array([0.4, -0.7, 1.1, 0.5])
    expected = [0.0, 2 * x[1] * x[3] ** 2, 0.0, 2 * x[1] ** 2 * x[3]]
    np.testing.assert_allclose(sd.grad(last_product)(x), expected)


def eccentric(m: Any, e: Any) -> Any:
    angle = m
    for _ in range(6):
        angle = m + e * math.sin(angle) * math.cos(angle)
    return angle


def test_functions_that_the_loop_computed_are_not_computed_by_its_adjoint() -> None:
    source = sd.grad(eccentric, (0, 1)).source("float", "float")
    code = [line.partition("#")[0] for line in source.splitlines()]
    assert [sum(f"math.{name}(" in line for line in code) for name in ("sin", "cos")] == [1, 1]

    def along(m: complex, e: complex) -> float:
        angle = m
        for _ in range(6):
            angle = m + e * np.sin(angle) * np.cos(angle)
        return float(angle.imag / 1e-30)

    expected = along(0.8 + 1e-30j, 0.3), along(0.8, 0.3 + 1e-30j)
    np.testing.assert_allclose(sd.grad(eccentric, (0, 1))(0.8, 0.3), expected, rtol=1e-14)


# Numbers and whole arrays


def spread_along(x: Any, turns: int) -> Any:
    total = 0.0
    for _ in range(turns):
        c = np.cov(x)
        total = total + c[0, 1] - np.sum(c**2) / 2
    return total


def test_nothing_is_done_that_does_nothing() -> None:
    lines = statements(sd.grad(spread_along).source("float64[d,n]", "int"))
    assert not any("[:, :, ...]" in line or "np.float64(" in line for line in lines)
    assert not any("2.0 *" in line or "/ 2.0" in line for line in lines)


# Names of what containers hold


def pair_of_states(x: Any, turns: int) -> Any:
    state = [x, 1.0]
    sums = {"even": 0.0, "odd": x}
    for k in range(turns):
        state[0], state[1] = state[1] * 0.5, state[0] * state[1]
        if k % 2:
            sums["odd"] += state[0]
        else:
            sums["even"] += state[1]
    return state[0] * sums["even"] + sums["odd"]


def test_items_of_lists_and_dicts_are_called_after_the_variable_that_holds_them() -> None:
    source = str(sd.grad(pair_of_states).source("float", "int"))
    assert {"state_0", "state_1", "sums_even"} <= set(re.findall(r"\w+", source))
    assert "list_" not in source
    step = 1e-30j
    expected = complex(pair_of_states(0.7 + step, 5)).imag / step.imag
    np.testing.assert_allclose(sd.grad(pair_of_states)(0.7, 5), expected, rtol=1e-14)


def halved(x: Any, weight: Any) -> Any:
    return x * weight if x > 1.0 else halved(x * 2.0, weight) * weight


def called_twice(weights: Any, x: Any) -> Any:
    return halved(x, weights[0]) * halved(x * x, weights[1])


def test_what_calls_hand_on_is_called_after_results_and_parameters() -> None:
    source = str(sd.grad(called_twice).source("float64[2]", "float"))
    assert "residuals" in source and "weight_bar" in source
    weights = np.array([0.5, 0.25])
    gradient = sd.grad(called_twice)(weights, 0.3)  # of weights[0] ** 3 * weights[1] ** 5 * …
    value = called_twice(weights, 0.3)
    powers = np.array([3.0, 5.0])
    np.testing.assert_allclose(gradient, powers * value / weights, rtol=1e-14)


def products_of_collected(x: Any, turns: int) -> Any:
    found = [1.0]
    for _ in range(turns):
        found.append(found[-1] * x)
    return np.sum(np.array(found) ** 2)


def test_the_cotangent_of_an_item_is_popped_as_it_is_read() -> None:
    source = str(sd.grad(products_of_collected).source("float", "int"))
    assert re.search(r"= found_bar\.pop\(\)", source)
    assert "found_bar[-1]\n" not in source
    expected = sum(2 * k * 0.5 ** (2 * k - 1) for k in range(1, 7))
    np.testing.assert_allclose(sd.grad(products_of_collected)(0.5, 6), expected, rtol=1e-14)


def one_of_many_steps(first: Any, second: Any, third: Any, fourth: Any) -> Any:
    return first if first > 9.0 else one_of_many_steps(first + 1.0, third, fourth, second) * second


def of_long_names(a_long_first_name: Any, a_long_second_name: Any, a_third_one: Any) -> Any:
    names = a_long_first_name, a_long_second_name, a_third_one
    return one_of_many_steps(names[0] * names[1], *names) + a_third_one


def test_long_calls_have_their_arguments_on_lines_of_their_own() -> None:
    gradient = sd.grad(of_long_names, argnums=(0, 1, 2))
    lines = str(gradient.source("float", "float", "float")).splitlines()
    assert any(line.endswith("(") for line in lines)
    assert max(len(line) for line in lines if "#" not in line) <= 100
    point, step = (2.3, 0.5, 0.25), 1e-6
    for k, found in enumerate(gradient(*point)):
        near = [[p + s * (j == k) for j, p in enumerate(point)] for s in (step, -step)]
        expected = (of_long_names(*near[0]) - of_long_names(*near[1])) / (2 * step)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def reversed_into_an_array(x: Any, n: int) -> Any:
    items = [x * k for k in range(n)]
    found = np.zeros(n)
    for _ in range(n):
        found[len(items) - 1] = items[-1]
        items.pop()
    return found


def taken_from_the_front(x: Any, n: int) -> Any:
    heap = [x * k for k in range(n)]
    total = 0.0
    while heap:
        total = 0.5 * total + heap[0] * x
        heap[0] = heap[-1]
        heap.pop()
    return np.array([total])


@pytest.mark.parametrize("function", [reversed_into_an_array, taken_from_the_front])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_an_item_is_not_popped_before_the_place_it_goes_to_is_told(function: Any, n: int) -> None:
    value, slope = sd.jvp(function, (1.5, n), (1.0, None))
    np.testing.assert_array_equal(value, function(1.5, n))
    np.testing.assert_allclose(slope, (function(1.501, n) - function(1.499, n)) / 2e-3, rtol=1e-9)
    weights = np.arange(1.0, len(value) + 1)
    (gradient, _) = sd.vjp(function, 1.5, n)[1](weights)
    np.testing.assert_allclose(gradient, weights @ slope, rtol=1e-13)


def reported(x: Any, limit: float) -> Any:
    report = {"the_value": x * x, "the_number": x}
    if x > limit:
        report["how_far_above_the_limit"] = x - limit
    if x > 2.0 * limit:
        report["how_far_above_twice_the_limit"] = x - 2.0 * limit
    return report


def test_a_long_dict_of_entries_that_may_be_there_has_one_a_line() -> None:
    function = sd.differentiable(reported)
    lines = [line.strip() for line in str(function.source("float", "float")).splitlines()]
    assert sum(line.startswith("| (") for line in lines) == 2
    assert max(map(len, lines)) <= 100
    for x in (0.5, 1.5, 2.5):
        assert function(x, 1.0) == reported(x, 1.0)


def casteljau(points: Any, t: float) -> Any:
    rows = points
    while len(rows) > 1:
        heads, tails = rows[:-1], rows[1:]
        rows = [(1.0 - t) * a + t * b for a, b in zip(heads, tails, strict=True)]
    return np.sum(rows[0])


def test_slices_of_lists_are_stored() -> None:
    gradient = sd.grad(casteljau)
    points = np.array([[0.5, -1.5], [2.0, 1.0], [0.0, 0.3], [1.0, 1.0]])
    source = gradient.source(points, 0.3)
    assert "[1:] = " in source and "[:-1] = " in source
    assert "dict(" not in source
    bernstein = np.array([0.343, 0.441, 0.189, 0.027])
    np.testing.assert_allclose(gradient(points, 0.3), bernstein[:, None] * np.ones((4, 2)))
