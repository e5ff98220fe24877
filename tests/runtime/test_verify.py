"""Verification: the emitted primal beside the user's function."""

import numpy as np
import pytest

import symdiff as sd
from symdiff import pipeline
from symdiff.ir.verify import is_asked_for
from symdiff.runtime.verify import Outcome, difference, difference_of_outcomes


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (1.0, 1.0, None),
        (float("nan"), float("nan"), None),
        (0.0, -0.0, "the result is -0.0, not 0.0"),
        (1.0, np.float64(1.0), "the result is of type float64, not float"),
        (1, True, "the result is of type bool, not int"),
        (np.ones(2), np.ones(2), None),
        (np.ones(2), np.ones(2, np.float32), "the result is"),
        (np.ones(2), np.ones((2, 1)), "the result is"),
        ({"a": [1.0]}, {"a": [2.0]}, "the result['a'][0] is 2.0, not 1.0"),
        ({"a": 1}, {"b": 1}, "has the keys ('b',), not ('a',)"),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), None),
    ],
)
def test_every_bit_dtype_shape_and_kind_counts(one, other, found):
    said = difference(one, other, "the result")
    assert said is None if found is None else found in said


def test_exceptions_and_arguments_count():
    expected = Outcome(None, ValueError("a"), (np.ones(2),))
    assert difference_of_outcomes(expected, Outcome(None, ValueError("b"), (np.ones(2),))) is None
    assert "raised" in difference_of_outcomes(expected, Outcome(1.0, None, (np.ones(2),)))
    assert "arguments" in difference_of_outcomes(
        expected, Outcome(None, ValueError(), (np.zeros(2),))
    )


@pytest.fixture
def verified(monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")


@pytest.mark.usefixtures("verified")
def test_right_programs_pass_and_arguments_stay():
    def f(x, n):
        for _ in range(n):
            x[1:] += np.sin(x[:-1])
        return np.sum(x)

    x = np.linspace(0, 1, 5)
    np.testing.assert_allclose(sd.grad(f)(x, 0), np.ones(5))
    sd.grad(f)(x, 3)
    np.testing.assert_array_equal(x, np.linspace(0, 1, 5))


@pytest.mark.usefixtures("verified")
def test_a_wrong_program_is_found(monkeypatch):
    load = pipeline.load

    def wrong(emitted, signature):
        function = load(emitted, signature)
        return function if emitted.name.endswith("grad") else lambda *args: function(*args) + 1e-9

    monkeypatch.setattr(pipeline, "load", wrong)

    def f(x):
        return x * x

    with pytest.raises(sd.InternalError, match="the program emitted for f differs: the result is"):
        sd.grad(f)(3.0)


@pytest.mark.usefixtures("verified")
def test_functions_with_effects_are_not_run_twice(capsys):
    def f(x):
        print("x is", x)
        return x * x

    assert sd.grad(f)(3.0) == 6.0
    assert capsys.readouterr().out == "x is 3.0\n"


def test_it_is_asked_for_by_the_environment(monkeypatch):
    for value, asked in (("", False), ("0", False), ("1", True)):
        monkeypatch.setenv("SYMDIFF_VERIFY", value)
        assert is_asked_for() is asked


@pytest.mark.usefixtures("verified")
def test_transforms_of_a_function_share_what_is_run_beside_it(monkeypatch):
    def f(x):
        return np.sum(np.sin(x) * x)

    built = []
    build = pipeline.build_primal
    monkeypatch.setattr(
        pipeline, "build_primal", lambda *given: built.append(given) or build(*given)
    )
    x = np.linspace(0.1, 1.0, 4)
    expected = np.sin(x) + x * np.cos(x)
    np.testing.assert_allclose(sd.grad(f)(x), expected)
    np.testing.assert_allclose(sd.jvp(f, (x,), (np.ones(4),))[1], np.sum(expected))
    np.testing.assert_allclose(sd.vjp(f, x)[1](2.0)[0], 2.0 * expected)
    assert len(built) == 1
    sd.grad(f)(np.ones((2, 2)))  # another signature, which is another program
    assert len(built) == 2
