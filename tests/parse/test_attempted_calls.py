"""Calls in ``try`` of functions of some size: attempted as wholes, as Python does."""

from __future__ import annotations

import math
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import functions, templates
from symdiff.parse.values import NotInTime
from tests.reference import directional


def pressed(x: Any, y: Any) -> Any:
    a = math.sqrt(x) + 1.0 / y
    b = math.log(a) * math.exp(x * y)
    c = a / b - math.sqrt(b)
    d = math.log(c * c + 1.0) / (a - y)
    e = d**1.5 + math.sqrt(d + 3.0) / c
    if e > 50.0:
        raise NotImplementedError("too much")
    return e * a + math.sqrt(e), b / e


def once(x: Any, y: Any) -> Any:
    try:
        p, q = pressed(x, y)
    except (ValueError, ZeroDivisionError):
        return x * x * y
    return p * q + x


def again(x: Any, y: Any) -> Any:
    p, q = pressed(1.0, y)
    total = p * q
    for k in range(4):
        try:
            p, q = pressed(x - 0.3 * k, y)
        except:  # noqa: E722 - what solvers do
            continue
        total = total + p - q
    return total


def by_class(x: Any, y: Any) -> Any:
    try:
        try:
            p, q = pressed(x, y)
        except ValueError:
            p = q = x
    except (NotImplementedError, ArithmeticError):
        return 3.0 * x + y
    return p * q


class TooMuchError(Exception):
    pass


def limited(x: Any, y: Any) -> Any:
    p, q = pressed(x, y)
    if p * q > 3.0:
        raise TooMuchError
    return p * q


def of_its_own(x: Any, y: Any) -> Any:
    try:
        return limited(x, y)
    except TooMuchError:
        return x * y * y
    except ValueError:
        return x + y


def divided(x: Any, y: Any) -> Any:
    a = np.sqrt(x) + 1.0 / y
    b = np.log(a) * np.exp(x * y)
    c = a / b - np.sqrt(b)
    d = np.log(c * c + 1.0) / (x - 0.4)
    e = np.tanh(d) ** 2 + np.sqrt(a + 3.0) / c
    return e * a + b / e + (a + b) * (b + c) * (c + a) * (a + e) * (b + e)


def on_numpys_numbers(x: Any, y: Any) -> Any:
    try:
        return divided(np.float64(x), y)
    except ZeroDivisionError:
        return x * y


PLACES = [(0.7, 0.9), (2.0, 0.5), (-0.2, 0.9), (0.5, 3.0), (0.62, 0.31), (1.7, 0.6)]


@pytest.mark.parametrize("f", [once, again, by_class, of_its_own, on_numpys_numbers])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_path_is_the_one_that_python_takes(f: Any, place: tuple[float, float]) -> None:
    try:
        value = f(*place)
    except Exception as error:
        with pytest.raises(type(error)):
            sd.grad(f)(*place)
        return
    found, gradient = sd.value_and_grad(f, argnums=(0, 1))(*place)
    np.testing.assert_equal(found, value)
    if math.isnan(value):  # NumPy's numbers raise nothing
        return
    for tangents in ((1.0, 0.0), (0.0, 1.0)):
        slope = directional(f, place, tangents).value
        assert np.dot(gradient, tangents) == pytest.approx(slope, rel=1e-6)
        assert sd.jvp(f, place, tangents)[1] == pytest.approx(slope, rel=1e-6)


def test_what_numpy_divides_by_zero_is_not_caught() -> None:
    with np.errstate(all="ignore"):
        value, gradient = sd.value_and_grad(on_numpys_numbers)(0.4, 0.9)
        assert (value, math.isfinite(gradient)) == (on_numpys_numbers(0.4, 0.9), False)
        assert not math.isfinite(sd.jvp(on_numpys_numbers, (0.4, 0.9), (1.0, 0.0))[1])
    assert sd.grad(on_numpys_numbers)(0.4, 0.0) == 0.0  # Python's division does raise


def test_second_derivatives() -> None:
    for place in ((0.7, 0.9), (-0.2, 0.9)):
        hessian = sd.hessian(once, argnums=(0, 1))(*place)
        for k, row in enumerate(hessian):
            slopes = directional(sd.grad(once, argnums=k), place, (0.3, 0.7)).value
            assert np.dot(row, (0.3, 0.7)) == pytest.approx(slopes, rel=1e-6, abs=1e-9)


def test_linearised() -> None:
    for place in ((0.7, 0.9), (-0.2, 0.9)):
        value, linear = sd.linearize(once, *place)
        assert value == once(*place)
        slope = directional(once, place, (0.3, 0.7)).value
        assert linear(0.3, 0.7) == pytest.approx(slope, rel=1e-6)


def test_a_function_is_written_once_whether_it_is_attempted_or_not() -> None:
    text = str(sd.grad(again).source(0.7, 0.9))
    assert text.count("def pressed_forward(") == 1
    assert text.count("def pressed_backward(") == 1
    assert "raised = True" in text
    function = pressed.__code__
    followed = {line for *_, line in function.co_lines()} | {
        line for *_, line in again.__code__.co_lines()
    }
    assert len(text.split("_by_numpy(")[0].splitlines()) < 6 * len(followed)


def test_it_is_exported(tmp_path: Any) -> None:
    path = tmp_path / "exported.py"
    sd.grad(again, argnums=(0, 1)).export(path, 2.0, 0.5)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_batch_of_them() -> None:
    x = np.array([0.7, -0.2, 2.0])
    found = sd.vmap(sd.value_and_grad(once), in_axes=(0, None))(x, 0.9)
    wanted = [sd.value_and_grad(once)(float(each), 0.9) for each in x]
    assert np.allclose(np.transpose(found), wanted, rtol=1e-13)


def noisy(f: Any, x: Any) -> Any:
    print("at", x)
    return math.sqrt(f(x)) / (x - 1.0) + math.log(f(x))


def of_three(x: Any) -> Any:
    try:
        return noisy(math.exp, x) * noisy(math.cosh, x) - noisy(math.atan, x)
    except ValueError:
        return x * x


def test_a_function_that_prints_is_found_to_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its calls of other kinds are not staged as if they could be attempted first."""
    staged, run = [], functions._run_in_frame

    def counted(interp: Any, node: Any, *arguments: Any) -> Any:
        staged.append(getattr(node, "name", ""))
        return run(interp, node, *arguments)

    monkeypatch.setattr(functions, "_run_in_frame", counted)
    for x in (0.7, -0.3):
        expected = directional(of_three, (x,), (1.0,)).value
        capsys.readouterr()
        of_three(x)
        printed = capsys.readouterr().out
        assert sd.grad(of_three)(x) == pytest.approx(expected, rel=1e-7)
        assert capsys.readouterr().out == printed
    assert staged.count("noisy") == 4


def steep(f: Any, x: Any) -> Any:
    return math.sqrt(f(x)) * 2.0


def of_six(x: Any) -> Any:
    try:
        return (
            steep(math.exp, x) + steep(math.cosh, x) + steep(math.atan, x)
            + steep(math.tanh, x) + steep(math.sinh, x) + steep(math.asinh, x)
        )  # fmt: skip
    except ValueError:
        return x * x


def no_template_in_time(*arguments: Any) -> Any:
    raise NotInTime("a place of the caller's")


@pytest.mark.parametrize("in_time", [True, False])
@pytest.mark.parametrize("x", [0.7, -0.3])
def test_what_is_not_worth_it_for_some_calls_of_a_function_is_not_tried_for_all(
    monkeypatch: pytest.MonkeyPatch, in_time: bool, x: float
) -> None:
    """That a small function is a graph, or that one is copied which writes what cannot be left."""
    staged, run = [], functions._run_in_frame

    def counted(interp: Any, node: Any, *arguments: Any) -> Any:
        staged.append(getattr(node, "name", ""))
        return run(interp, node, *arguments)

    monkeypatch.setattr(functions, "_run_in_frame", counted)
    if not in_time:
        monkeypatch.setattr(templates, "_left", no_template_in_time)
    fresh = types.FunctionType(of_six.__code__.replace(), globals())
    expected = directional(fresh, (x,), (1.0,)).value
    assert sd.grad(fresh)(x) == pytest.approx(expected, rel=1e-7)
    tried = templates.MOST_NOT_ATTEMPTED if in_time else templates.MOST_UNTIMELY
    assert staged.count("steep") == 6 + tried


def rooted(x: Any) -> Any:
    z = x
    for k in range(6):
        z = 0.3 * math.sin(k + z) * math.exp(-z * z) + 0.1 * math.atan(z) * math.hypot(z, 1.0)
        z = 0.5 * z * math.cos(z) + 0.3 * math.tanh(z * x) + 0.1 * math.cosh(z) + 0.1 * x * z * z
    return math.sqrt(x) + z


def at_a_root(x: Any) -> Any:
    try:
        return rooted(x)
    except (ArithmeticError, ValueError):
        return 7.0 * x + 3.0


def test_what_a_derivative_raises_between_pythons_floats_is_not_caught() -> None:
    """It divides by a root that is 0, where the function does not."""
    for x in (0.0, 0.4, -1.0):
        slope = math.inf if x == 0.0 else directional(at_a_root, (x,), (1.0,)).value
        with np.errstate(divide="ignore"):
            assert sd.grad(at_a_root)(x) == pytest.approx(slope, rel=1e-7)
            found = sd.value_and_grad(at_a_root)(x)
            assert found == pytest.approx((at_a_root(x), slope), rel=1e-7)
            assert sd.jvp(at_a_root, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-7)
    assert "x_bar = rooted_backward" in sd.grad(at_a_root).source(1.0)


def ratio_of_sine(a, b):
    return math.sin(a) / (a - b)


def positive_cube(x):
    if x > 1.0:
        raise ValueError("too large")
    return x**3


def slope_or_a(a, b):
    try:
        return sd.grad(ratio_of_sine)(a, b)
    except ZeroDivisionError:
        return a


def tangent_or_b(a, b):
    try:
        return sd.jvp(ratio_of_sine, (a, b), (1.0, 0.0))[1]
    except ZeroDivisionError as error:
        return b * len(str(error))


def bend_or_product(a, b):
    try:
        made = a * sd.derivative(lambda u: ratio_of_sine(u, b), 2)(a)
    except ArithmeticError:
        made = a * b
    return made * made


def slope_by_numpy(a, b):
    try:
        with np.errstate(all="raise"):
            return sd.grad(lambda u: np.sum(np.sin(u) / (u - b)))(np.array([a, a]))[0]
    except FloatingPointError:
        return a


@pytest.mark.parametrize("f", [slope_or_a, tangent_or_b, bend_or_product, slope_by_numpy])
def test_what_a_derivative_raises_is_handled(f: Any) -> None:
    for place in ((1.0, 0.7), (0.5, 0.5)):
        value, found = sd.value_and_grad(f, argnums=(0, 1))(*place)
        assert value == pytest.approx(f(*place), rel=1e-12)
        along = [sd.jvp(f, place, one)[1] for one in ((1.0, 0.0), (0.0, 1.0))]
        np.testing.assert_allclose(along, found, rtol=1e-10)
    assert sd.grad(slope_or_a)(0.5, 0.5) == 1.0
    assert sd.grad(tangent_or_b, argnums=1)(0.5, 0.5) == len("float division by zero")
    step = 1e-6
    ahead, behind = f(1.0 + step, 0.7), f(1.0 - step, 0.7)
    assert sd.grad(f)(1.0, 0.7) == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)


def test_what_a_branch_of_it_raises_is_refused() -> None:
    def f(x):
        try:
            return sd.grad(positive_cube)(x)
        except ValueError:
            return x

    with pytest.raises(sd.UnsupportedCallError, match="differentiated inside try"):
        sd.grad(f)(0.5)
