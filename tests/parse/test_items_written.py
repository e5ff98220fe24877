"""Lists and dicts that are items of a list whose length is known at run time only, and written."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.errors import AliasingError
from tests.reference import directional, inner, second_directional

P = np.array([0.6, 1.4, 2.3])


def written_after_it_was_put(p):
    rows = []
    for v in p:
        row = [v]
        rows.append(row)
        row[0] = v * v
    return sum(row[0] * row[0] for row in rows)


def put_in_every_turn(p):
    rows, row = [], [p[0]]
    for v in p:
        rows.append(row)
        row[0] = row[0] * v
    return sum(r[0] * r[0] for r in rows)


def written_after_the_loop(p):
    rows, row = [], {"a": p[0]}
    for v in p:
        rows.append((v, row))
    row["a"] = p[1] * p[2]
    return sum(v * r["a"] for v, r in rows)


def put_before_the_loop(p):
    first = [p[0]]
    rows = [first]
    for v in p:
        rows.append([v])
    first[0] = p[1] * p[2]
    return sum(row[0] * row[0] for row in rows)


def put_before_the_loop_written_inside(p):
    first = [p[0]]
    rows = [first]
    for v in p:
        first[0] = first[0] * v
        rows.append([v])
    return sum(row[0] * row[0] for row in rows)


def the_last_one_is_written(p):
    rows, last = [], None
    for v in p:
        last = [v]
        rows.append(last)
    last[0] = p[0] * p[1]
    return sum(row[0] * row[0] for row in rows)


def the_least_is_written(p):
    rows = [{"v": v, "w": v * v} for v in p]
    least = min(rows, key=lambda row: row["w"])
    least["w"] = least["w"] * p[2]
    return sum(row["w"] * row["v"] for row in rows)


def one_of_two_is_written(p):
    rows = [[v] for v in p]
    row = rows[1] if p[0] > 0.5 else rows[0]
    row[0] = p[0] * p[2]
    return sum(row[0] * row[0] for row in rows)


def found_in_a_loop_and_written(p):
    rows = [[v] for v in p]
    found = (1, rows[0])
    for row in rows:
        if row[0] > 1.0:
            found = (2, row)
    found[1][0] = p[0] * p[2]
    return sum(row[0] * row[0] for row in rows)


def a_part_of_one_is_written(p):
    rows = [{"n": {"b": v}} for v in p]
    part = rows[0]["n"] if p[0] > 0.5 else rows[1]["n"]
    part["b"] = p[0] * p[1]
    return sum(row["n"]["b"] * row["n"]["b"] for row in rows)


def held_by_an_object(p):
    rows = [[v] for v in p]
    holder = SimpleNamespace(row=rows[0])
    if p[0] > 0.5:
        holder.row = rows[1]
    holder.row.append(p[0] * p[0])
    return sum(sum(row) for row in rows)


def buckets(p):
    done, bucket = [], {"n": 0.0, "s": 0.0}
    for v in p:
        if bucket["s"] > 1.0:
            done.append(bucket)
            bucket = {"n": 0.0, "s": 0.0}
        bucket["n"] += 1.0
        bucket["s"] += v * v
    return sum(b["s"] / b["n"] for b in done) + bucket["s"]


def two_kinds_of_buckets(p):
    ones, twos, one, two = [], [], [0.0], np.zeros(2)
    for v in p:
        if v > 1.0:
            ones.append(one)
            one = [v]
        if v > 2.0:
            twos.append(two)
            two = two * v
        one[0] += v * v
        two[0] += v
    return sum(b[0] ** 2 for b in ones) + sum(b[0] for b in twos) + one[0] * two[0]


FOLLOWED = [
    written_after_it_was_put,
    put_in_every_turn,
    written_after_the_loop,
    put_before_the_loop,
    put_before_the_loop_written_inside,
    the_last_one_is_written,
    the_least_is_written,
    one_of_two_is_written,
    found_in_a_loop_and_written,
    a_part_of_one_is_written,
    held_by_an_object,
    buckets,
    two_kinds_of_buckets,
]


@pytest.mark.parametrize("f", FOLLOWED)
def test_what_is_written_is_seen_in_the_list(f: Any) -> None:
    u, v = np.array([0.3, -0.7, 0.5]), np.array([0.9, 0.2, -0.4])
    value, gradient = sd.value_and_grad(f)(P)
    assert value == f(P)
    slope = directional(f, (P,), (u,), step=0.01).value
    np.testing.assert_allclose(inner(u, gradient), slope, rtol=1e-9)
    np.testing.assert_allclose(sd.jvp(f, (P,), (u,))[1], slope, rtol=1e-9)
    second = sd.jvp(sd.grad(f), (P,), (v,))[1]
    expected = second_directional(f, (P,), (u,), (v,), step=0.01).value
    np.testing.assert_allclose(inner(u, second), expected, rtol=1e-6, atol=1e-7)


def chosen_by_numbers(p):
    return [[v] for v in p if v > 1.0]


def put_on_a_path_and_written(p):
    rows, row = [], [p[0]]
    for v in p:
        if v > 1.0:
            rows.append(row)
    row[0] = p[1]
    return sum(r[0] for r in rows)


def one_of_several_is_written(p):
    rows = chosen_by_numbers(p)
    row = rows[0] if p[0] > 0.5 else rows[1]
    row[0] = p[1]
    return sum(r[0] for r in rows)


def reduced_and_written(p):
    rows = chosen_by_numbers(p)
    row = functools.reduce(lambda a, b: a if a[0] > b[0] else b, rows)
    row.append(p[1])
    return sum(len(r) * r[0] for r in rows)


def put_again_by_another_name(p):
    rows, row = [], [p[0]]
    other = row
    for v in p:
        if v > 1.0:
            rows.append(row)
            row = [v]
        if v > 2.0:
            rows.append(other)
        row[0] = row[0] * v
    return sum(r[0] for r in rows)


@pytest.mark.parametrize(
    "f",
    [
        put_on_a_path_and_written,
        one_of_several_is_written,
        reduced_and_written,
        put_again_by_another_name,
    ],
)
def test_it_is_refused_where_the_length_depends_on_numbers(f: Any) -> None:
    with pytest.raises(AliasingError) as caught:
        sd.grad(f)(P)
    assert caught.value.hint is not None


def made_on_a_path(p):
    if p[0] > 0.0:
        pairs = [(q, 1) for q in p if q > 0.5]
    return sum(q * k for q, k in pairs)


def made_in_each_turn(p):
    for v in p:
        pairs = [(q, v) for q in p if q > 0.5]
    return sum(q * v * v for q, v in pairs)


def made_in_some_turn(p):
    for v in p:
        if v > 1.0:
            table = {"a": [(q, v) for q in p if q > 0.5]}
    return sum(q * v * v for q, v in table["a"])


def made_before_something_raises(p):
    try:
        pairs = [[q, v] for q in p for v in p if q > v]
        if p[0] > 0.0:
            raise ValueError
        pairs = [[p[0], p[0]]]
    except ValueError:
        pass
    return sum(q * v * v for q, v in pairs)


def one_of_two_kinds_of_pairs(p):
    pairs = [(p[1], 0.5), (p[2], p[0])]
    pairs = [q for q in pairs if q[0] > 0.0] or [(p[0], p[0])]
    pairs = [q for q in pairs if q[0] > 0.4] or [(p[0], p[0])]
    return sum(a * b for a, b in pairs)


@pytest.mark.parametrize(
    "f",
    [
        made_on_a_path,
        made_in_each_turn,
        made_in_some_turn,
        made_before_something_raises,
        one_of_two_kinds_of_pairs,
    ],
)
def test_a_list_of_pairs_that_some_paths_make_has_its_derivative(f: Any) -> None:
    test_what_is_written_is_seen_in_the_list(f)
