"""Effects and marks: templates, what they do, and what derivatives make of them."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.ir.types import FLOAT
from symdiff.ops.declare import REGISTRY, StageOperation
from symdiff.ops.effects import (
    Field,
    Named,
    Text,
    assert_,
    enter_context,
    fill,
    grad_hook,
    leave_context,
    opaque_call,
    print_,
    raise_,
    set_attribute,
    set_item,
    spell_template,
    stop_gradient,
)
from symdiff.ops.keys import Slot
from tests.ops.straightline import Program, check, evaluate, pullback, stage

V = np.linspace(-1.0, 2.0, 4)
MESSAGE = Text(("x = ", Field(Slot(0), "r", ">8"), "!"))


def run(program: Program, *arguments: Any) -> None:
    evaluate(program, arguments)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (MESSAGE, "f'x = {v!r:>8}!'"),
        (Text((Field(Slot(0), None, Text((Field(Slot(0)), ".1f"))),)), "f'{v:{v}.1f}'"),
        (("a", Slot(0), None), "('a', v, None)"),
        ([1, {"k": Slot(0)}], "[1, {'k': v}]"),
        (Named(len, "len"), "len"),
    ],
)
def test_template_means_what_it_is_spelled_as(template: Any, text: str) -> None:
    spelled = spell_template(template, [ast.Name("v", ast.Load())])
    assert ast.unparse(spelled) == text
    assert eval(text, {"v": 3}) == fill(template, [3])


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("loss", Slot(0), MESSAGE)
    program = stage(lambda x: (print_(x, arguments=arguments, keywords=(("sep", "|"),)), x)[1], 1.5)
    run(program, 2.0)
    assert capsys.readouterr().out.splitlines()[0] == "loss|2.0|x =      2.0!"
    node = program.nodes[0]
    assert node.op.effect
    spelled = node.op.spelling(node, [ast.Name("x", ast.Load())])  # type: ignore[attr-defined]
    assert ast.unparse(spelled) == "print('loss', x, f'x = {x!r:>8}!', sep='|')"


def test_raise_and_assert() -> None:
    raising = stage(lambda x: (raise_(x, exception=ValueError, arguments=(MESSAGE,)), x)[1], 1.5)
    with pytest.raises(ValueError, match="x = "):
        raising.nodes[0].op.evaluate(1.0, **raising.nodes[0].attributes)  # type: ignore[misc]
    claim = stage(lambda p, x: (assert_(p, x, message=MESSAGE), x)[1], True, 1.5)
    run(claim, True, 1.5)
    with pytest.raises(AssertionError, match=r"x =      1.5!"):
        run(claim, False, 1.5)


def test_opaque_call_has_no_derivative_rule() -> None:
    function = Named(np.sinc, "np.sinc")
    program = stage(
        lambda x: opaque_call(x, function=function, arguments=(Slot(0),), type=FLOAT), 0.5
    )
    assert program.nodes[0].op.evaluate(0.5, **program.nodes[0].attributes) == np.sinc(0.5)  # type: ignore[misc]
    operation = REGISTRY["opaque_call"]
    assert operation.carries(0)
    assert operation.rule("vjp", 0) is None
    assert operation.rule("jvp", 0) is None


def test_writes_outside() -> None:
    class Counter:
        calls = 0

    counter, items = Counter(), {"k": 0}
    run(stage(lambda n: (set_attribute(n, owner=counter, name="calls"), n)[1], 3), 3)
    run(stage(lambda n: (set_item(n, owner=Named(items, "d"), key="k"), n)[1], 3), 3)
    assert (counter.calls, items) == (3, {"k": 3})


def test_stop_gradient() -> None:
    check(lambda x: stop_gradient(x) * 1, lambda x: x * 1, V, wrt=[])
    program = stage(lambda x: stop_gradient(x) * x, V)
    (cotangent,) = pullback(program, [0])(V, np.ones(4))
    np.testing.assert_array_equal(cotangent, V)


def test_grad_hook_changes_the_cotangent() -> None:
    hook = Named(lambda g: g * 2.0, "hook")
    program = stage(lambda x: grad_hook(x, function=hook) * 3.0, V)
    back = pullback(program, [0])
    for node in back.nodes:
        if node.op.name == "call_hook":
            node.op = StageOperation("call_hook", node.op.infer, node.op.evaluate)
    (cotangent,) = back(V, np.ones(4))
    np.testing.assert_array_equal(cotangent, np.full(4, 6.0))


def test_a_hook_must_keep_the_shape() -> None:
    evaluate_hook = REGISTRY["call_hook"].evaluate
    assert evaluate_hook is not None
    with pytest.raises(ValueError, match="shape"):
        evaluate_hook(V, function=np.sum)
    assert evaluate_hook(V.astype("float32"), function=np.float64).dtype == np.float32


def test_errstate_is_set_and_comes_back() -> None:
    settings = (("divide", "ignore"), ("invalid", "ignore"))
    manager = {"function": Named(np.errstate, "np.errstate"), "arguments": (), "keywords": settings}

    def quiet(x: Any) -> Any:
        before = enter_context(**manager)
        y = 1.0 / x
        leave_context(before)
        return y

    before = np.geterr()
    (y,) = stage(quiet, V)(np.zeros(2))
    assert np.isinf(y).all()
    assert np.geterr() == before


# Settings of floating-point errors


def raises_inside(x):
    with np.errstate(divide="raise"):
        y = 1.0 / x
    return y.sum()


def silent(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    z = y * 0.5
    return np.where(np.isinf(z), 0.0, z).sum()


def one_inside_another(x):
    s = 0.0
    for v in x:
        with np.errstate(all="ignore"):
            with np.errstate(divide="raise"):
                a = 1.0 / v
            b = np.log(v)
        s = s + a * b
    return s


@pytest.mark.parametrize("function", [raises_inside, one_inside_another])
def test_settings_are_restored_where_the_body_raises(function):
    before = np.geterr()
    for call in (symdiff.value_and_grad(function), symdiff.differentiable(function).forward):
        with pytest.raises(FloatingPointError):
            call(np.array([1.0, 0.0]))
        assert np.geterr() == before
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(symdiff.grad(raises_inside)(x), -1 / x**2)


def test_what_is_computed_inside_stays_inside():
    value, gradient = symdiff.value_and_grad(silent)(np.array([0.0, 2.0]))
    assert value == 0.5 * np.log(2.0)
    assert gradient[1] == 0.25


def test_settings_are_written_as_a_block():
    text = symdiff.value_and_grad(one_inside_another).source(np.ones(2))
    assert text.count("with np.errstate(") == 2
    assert "seterr" not in text


GAP = "   "


def in_lines(x):
    head = f"\nrate = {x}{GAP}step"
    tail = f"\nat: {x!s}"
    print(f"\n{head}{tail} {{}}")
    return x * x


def in_columns(x):
    row = f"{x:.2f}\n{{}}"
    both = f"{row!r} and {row:>30} {x!s:>8}"
    print(f"<{both}>\t{{{row:{int(x * 10)}}}}", "\\")
    return x * x


def in_errors(x):
    rows = [f"{k}: {x * k:.1f}" for k in range(3)]
    text = "\n".join(rows)
    raise ValueError(f"bad:\n{text}\n" if x > 3.0 else f"{text!r}")


@pytest.mark.parametrize("function", [in_lines, in_columns, in_errors])
def test_texts_of_several_lines_stand_in_other_texts(function, capsys):
    for x in (2.0, 4.0):
        told = []
        for called in (function, symdiff.grad(function)):
            try:
                called(x)
            except ValueError as error:
                told.append(str(error))
            else:
                told.append(capsys.readouterr().out)
        assert told[0] == told[1]
        assert told[0]


def test_a_text_within_a_text_is_written_as_one():
    assert "print(f'\\n\\nrate = {x}   step\\nat: {x!s} {{}}')" in symdiff.grad(in_lines).source(
        2.0
    )
