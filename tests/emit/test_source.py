"""The text: names, numbers, comments, containers, objects; and what loading makes of it."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import linecache
import math
import traceback
from typing import Any, NamedTuple

import numpy as np
import pytest

from symdiff.emit import emit_source
from symdiff.emit.namespace import Namespace
from symdiff.emit.text import Line, write
from symdiff.errors import InternalError
from symdiff.ir.build import builder, marked
from symdiff.ir.graph import Input, Value
from symdiff.ir.signature import Nested, Signature
from symdiff.ir.structure import Container, Leaf, Static
from symdiff.ir.types import FLOAT, ArrayType, Size
from symdiff.ops.arithmetic import add, multiply
from symdiff.ops.effects import Field, Named, Text, print_, raise_
from symdiff.ops.elementary import cos, sin
from symdiff.ops.index import index_of
from symdiff.ops.keys import Slot
from symdiff.ops.reduce import sum
from symdiff.ops.shape import copy
from symdiff.runtime.load import load
from symdiff.source import SourceSpan
from tests.emit.graphs import MATRIX, VECTOR, body_of, check, make_graph, named

X = np.linspace(-1.0, 1.0, 7)


# Names


@pytest.mark.parametrize("taken", ["np", "math", "len", "lambda", "range", "float"])
def test_a_users_name_that_means_something_is_changed(taken: str) -> None:
    graph = make_graph({taken: VECTOR}, lambda x: add(sin(x), sum(x, axis=None, keepdims=False)))
    check(graph, X)


def test_names_of_adjoints_do_not_collide_with_the_users() -> None:
    def body(x: Value, x_bar: Value) -> Any:
        g = named(multiply(x, x_bar), "x", "cotangent")
        return g, add(g, x), add(g, x_bar)

    emitted = check(make_graph({"x": FLOAT, "x_bar": FLOAT}, body), 2.0, 3.0)
    assert "x_bar1 = x * x_bar" in emitted.text


def test_a_new_name_is_never_taken() -> None:
    names = Namespace({"t", "t1", "x1"})
    assert [names.fresh(n) for n in ("t", "x1", "x", "x", "import", "max")] == [
        "t2", "x1_1", "x", "x2", "import_", "max_",
    ]  # fmt: skip


def test_a_primal_and_its_cotangent_never_share_a_variable() -> None:
    def body(x: Value) -> Any:
        t = multiply(x, 2.0)
        t = add(t, x)
        g = named(multiply(t, t), "t", "cotangent")
        return add(g, sin(g))

    check(make_graph({"x": VECTOR}, body), X)


# Numbers


@pytest.mark.parametrize(
    "number",
    [
        *(0.0, -0.0, -2.0, 1e300, 1e-300, 0.1, math.inf, -math.inf, math.nan, 7, -7, True),
        *(1j, -1j, complex(1.5, -2.0), complex(-0.0, 0.0), complex(0.0, math.inf)),
        *(np.float64(-1.5), np.float32(0.1), np.float32(-0.0), np.int32(-3), np.bool(True)),
        *(np.complex128(1 - 2j), np.complex64(1j), np.float64(np.nan), np.longdouble("0.1")),
    ],
)
def test_numbers_keep_type_and_bits(number: Any) -> None:
    check(make_graph({"x": FLOAT}, lambda x: builder().constant(number)), 1.0)


def test_a_negative_base_keeps_its_parentheses() -> None:
    from symdiff.ops.elementary import power

    graph = make_graph({"x": FLOAT}, lambda x: power(builder().constant(-2.0), x))
    assert body_of(check(graph, 2.0)) == "return (-2.0) ** x"


def test_an_array_known_now_is_bound_and_never_written() -> None:
    from symdiff.ops.index import index_set_of

    table = np.linspace(0.0, 1.0, 5)
    graph = make_graph({"x": FLOAT}, lambda x: index_set_of(builder().constant(table), x, 0))
    check(graph, 2.0)
    assert table[0] == 0.0


# Expressions


def test_expressions_stay_short() -> None:
    def body(x: Value) -> Value:
        for _ in range(60):
            x = add(multiply(sin(x), cos(x)), 1.0)
        return x

    emitted = check(make_graph({"x": VECTOR}, body), X)
    assert max(map(len, emitted.text.splitlines())) <= 88


def test_a_users_variable_is_not_folded() -> None:
    def body(x: Value) -> Value:
        r = named(sin(x), "r")
        return multiply(r, 2.0)

    assert body_of(check(make_graph({"x": VECTOR}, body), X)) == "r = np.sin(x)\nreturn r * 2.0"


def test_two_thousand_statements_nest_no_deeper_than_two() -> None:
    def body(x: Value) -> Value:
        y = x
        for _ in range(1000):
            x, y = add(sin(x), y), x
        return x

    check(make_graph({"x": FLOAT}, body), 0.5)


# Comments and lines


def span(line: int, text: str) -> SourceSpan:
    return SourceSpan("model.py", line, 5, line, 9, text)


def test_adjoint_statements_say_which_line_they_belong_to() -> None:
    def body(x: Value) -> Any:
        with marked(span=span(3, "    y = sin(x)")):
            y = named(sin(x), "y")
        with marked(span=span(4, "    return y * y\r\n"), role="cotangent"):
            g = named(multiply(2.0, y), "y", "cotangent")
        with marked(span=span(3, "    y = sin(x)"), role="cotangent"):
            h = named(multiply(g, cos(x)), "x", "cotangent")
        return add(named(h, "x", "cotangent"), g), h

    emitted = emit_source(make_graph({"x": VECTOR}, body))
    lines = emitted.text.splitlines()
    assert lines[1] == "    y = np.sin(x)"
    assert lines[2] == "    # model.py, line 4: return y * y"
    assert lines[4] == "    # model.py, line 3: y = sin(x)"
    assert emitted.lines[2].line == 3
    assert emitted.lines[4].line == 4


# Containers


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Model:
    w: Any
    b: Any

    def __post_init__(self) -> None:
        raise AssertionError("a gradient is no argument of __init__")


def leaves_of(kind: type, keys: Any) -> Container:
    return Container(kind, tuple(keys), tuple(Leaf(k) for k in range(len(tuple(keys)))))


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (leaves_of(tuple, (0, 1)), (2.0, 6.0)),
        (leaves_of(list, (0, 1)), [2.0, 6.0]),
        (leaves_of(dict, ("w", 3)), {"w": 2.0, 3: 6.0}),
        (leaves_of(Pair, ("a", "b")), Pair(2.0, 6.0)),
        (Container(tuple, (0, 1, 2), (Leaf(1), Static(None), Static("s"))), (6.0, None, "s")),
        (Container(tuple, (0,), (leaves_of(list, (0, 1)),)), ([2.0, 6.0],)),
    ],
)
def test_results_are_put_into_their_containers(structure: Any, expected: Any) -> None:
    graph = make_graph({"x": FLOAT}, lambda x: (x, multiply(x, 3.0)), output=structure)
    result = load(emit_source(graph))(2.0)
    assert result == expected
    assert type(result) is type(expected)


def test_a_dataclass_is_made_without_its_init() -> None:
    structure = leaves_of(Model, ("w", "b"))
    graph = make_graph({"x": FLOAT}, lambda x: (x, multiply(x, 3.0)), output=structure)
    model = load(emit_source(graph))(2.0)
    assert (type(model), model.w, model.b) == (Model, 2.0, 6.0)


def test_arguments_are_taken_apart() -> None:
    paths = [("p", 0, "w"), ("p", 0, "b"), ("p", 1), ("m", "w"), ("m", "b"), ("s",)]
    inputs = [Input(path) for path in paths]
    types = {Input(path).name: FLOAT for path in paths}
    graph = make_graph(
        types, lambda *values: tuple(multiply(v, 2.0) for v in values), inputs=inputs
    )
    inner = Nested(dict, ("w", "b"), (FLOAT, FLOAT))
    signature = Signature(
        (
            ("p", Nested(list, (0, 1), (inner, FLOAT))),
            ("m", Nested(Pair, ("w", "b"), (FLOAT, FLOAT))),
            ("s", FLOAT),
        )
    )
    emitted = emit_source(graph, signature=signature)
    assert [p.name for p in emitted.parameters] == ["p", "m", "s"]

    class Record:
        w, b = 4.0, 5.0

    result = load(emitted)([{"w": 1.0, "b": 2.0}, 3.0], Record(), 6.0)
    assert result == (2.0, 4.0, 6.0, 8.0, 10.0, 12.0)


def test_a_tuple_whose_items_are_all_read_is_unpacked_at_once() -> None:
    inputs = [Input(("p", 0)), Input(("p", 1))]
    graph = make_graph({"w": FLOAT, "b": FLOAT}, lambda w, b: multiply(w, b), inputs=inputs)
    signature = Signature((("p", Nested(tuple, (0, 1), (FLOAT, FLOAT))),))
    assert body_of(emit_source(graph, signature=signature)) == "w, b = p\nreturn w * b"


# Effects


def test_effects_keep_their_order_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    def body(x: Value) -> Value:
        y = sin(x)
        shown = Text(("x is ", Field(Slot(0), None, ".2f"), "", "!"))
        print_(x, arguments=(shown,), keywords=(("end", ";"),))
        print_(y, arguments=("y", Slot(0)))
        return y

    graph = make_graph({"x": FLOAT}, body)
    text = body_of(emit_source(graph))
    assert "print(f'x is {x:.2f}!', end=';')" in text
    load(emit_source(graph))(0.0)
    assert capsys.readouterr().out == "x is 0.00!;y 0.0\n"


class RefusedError(Exception):
    pass


def test_an_exception_of_the_users_own_is_raised_by_its_name() -> None:
    def body(x: Value) -> Value:
        raise_(x, exception=Named(RefusedError, "RefusedError"), arguments=("no", Slot(0)))
        return x

    emitted = emit_source(make_graph({"x": FLOAT}, body))
    with pytest.raises(RefusedError) as caught:
        load(emitted)(2.0)
    assert caught.value.args == ("no", 2.0)


# Loading


def test_a_traceback_shows_the_line_that_was_written() -> None:
    wide = ArrayType(np.dtype("float64"), (Size("n"),))
    emitted = emit_source(make_graph({"x": wide, "y": wide}, lambda x, y: add(sin(x), y)))
    function = load(emitted)
    with pytest.raises(ValueError, match="broadcast") as caught:
        function(np.zeros(2), np.zeros(3))
    assert "return np.sin(x) + y" in "".join(traceback.format_exception(caught.value))
    linecache.checkcache()
    assert inspect.getsource(function) == emitted.text


def test_what_does_not_read_back_is_an_error() -> None:
    wrong = ast.BinOp(ast.Constant(-2.0), ast.Pow(), ast.Name("x", ast.Load()))
    with pytest.raises(InternalError):
        write([Line(ast.Expr(wrong))])


def test_the_text_depends_on_no_hash() -> None:
    def body(a: Value) -> Any:
        views = [named(index_of(a, k), name) for k, name in enumerate("pqrs")]
        total = copy(views[0])
        for view in views:
            total = add(total, view)
        return total, views[2]

    texts = {emit_source(make_graph({"a": MATRIX}, body)).text for _ in range(5)}
    assert len(texts) == 1


def test_modules_are_those_that_statements_name_not_those_that_comments_name() -> None:
    """x is like np.pi, and scipy.special.erf is not called."""

    def body(x):  # type: ignore[no-untyped-def]
        return add(x, x)

    graph = make_graph({"x": FLOAT}, body)
    graph.docstring = "As np.sin(x), math.sin(x) and scipy.special.erf(x) are."
    emitted = emit_source(graph)
    assert "scipy.special" in emitted.text
    assert emitted.modules == {}
    assert emit_source(make_graph({"x": VECTOR}, lambda x: sin(x))).modules == {"np": "numpy"}


def test_values_of_any_type_are_not_updated_in_place() -> None:
    def body(x):  # type: ignore[no-untyped-def]
        y = sin(x)
        for _ in range(3):
            y = add(multiply(y, y), x)
            y = sin(add(y, 1.0))
        return y

    for type_ in (FLOAT, VECTOR):
        graph = make_graph({"x": type_}, body)
        text = emit_source(graph, fresh=False, augmented=False).text
        assert "+=" not in text and "*=" not in text
        x = np.array([0.3, 0.7])
        y = np.sin(x)
        for _ in range(3):
            y = np.sin(y * y + x + 1.0)
        np.testing.assert_array_equal(load(emit_source(graph, augmented=False))(x), y)


def test_short_items_of_long_containers_stand_in_rows() -> None:
    items = ["x_bar" if k % 4 == 0 else "0.0" for k in range(40)]
    pairs = [f"'a part, {k}': {item}" for k, item in enumerate(items)]
    value = f"{{{', '.join(pairs)}, 'rest': (y, z)}}"
    (function,) = ast.parse(f"def f(x_bar, y, z):\n    return {value}").body
    assert isinstance(function, ast.FunctionDef)
    body = [Line(statement) for statement in function.body]
    function.body = []
    lines = write([Line(function, body=body)]).lines
    assert len(lines) < 20
    assert max(map(len, lines)) <= 88
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)
    expected = {f"a part, {k}": 1.0 if k % 4 == 0 else 0.0 for k in range(40)}
    assert space["f"](1.0, 2.0, 3.0) == {**expected, "rest": (2.0, 3.0)}
