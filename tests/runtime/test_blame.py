"""Errors of the user's function show the user's line, wherever generated code raises them."""

import math
import traceback

import numpy as np
import pytest

import symdiff as sd


def model(x, w):
    for _ in range(2):
        x = np.tanh(x)
    r = x @ w
    total = np.sum(r)
    return total


def lines_of(error):
    return [(frame.filename, frame.name, frame.line) for frame in traceback.extract_tb(error)]


def test_the_users_line_comes_after_the_generated_one():
    gradient = sd.grad(model)
    gradient(np.ones((3, 2)), np.ones(2))
    with pytest.raises(ValueError, match="matmul") as raised:
        gradient(np.ones((3, 2)), np.ones(4))
    *_, generated, user = lines_of(raised.value.__traceback__)
    assert generated[0].startswith("<symdiff model_grad")
    assert "x[:0] @ w" in generated[2] or "x1[:0] @ w" in generated[2]
    assert user == (__file__, "model", "r = x @ w")


def test_frames_below_the_generated_one_stay():
    def f(x, g):
        y = sd.grad_hook(x * x, g)
        return np.sum(y)

    class Hook:
        def __call__(self, g):
            raise ValueError("in the hook")

    def hook(g):
        return Hook()(g)

    with pytest.raises(ValueError, match="in the hook") as raised:
        sd.grad(f)(np.ones(2), hook)
    names = [name for _, name, _ in lines_of(raised.value.__traceback__)]
    assert names[-1] == "__call__"


def test_an_error_at_compile_time_is_raised_by_the_function_itself():
    def f(x):
        table = {"a": 1.0}
        return x * table["b"]

    with pytest.raises(KeyError, match="b") as raised:
        sd.grad(f)(2.0)
    assert lines_of(raised.value.__traceback__)[-1][1:] == ("f", 'return x * table["b"]')


def test_a_refusal_shows_no_line_of_the_compiler():
    def f(x):
        return np.fromstring(x)[0]

    with pytest.raises(sd.UnsupportedCallError) as raised:
        sd.grad(f)(np.ones(3))
    files = {file for file, _, _ in lines_of(raised.value.__traceback__)}
    assert not any("/parse/" in file for file in files)
    assert "test_blame.py" in str(raised.value)


def test_the_users_line_is_shown_for_what_is_returned_where_it_is_computed():
    def grows(x):
        return np.linalg.inv(x * np.eye(2))

    with pytest.raises(np.linalg.LinAlgError) as raised:
        sd.jvp(grows, (0.0,), (1.0,))
    assert (__file__, "grows", "return np.linalg.inv(x * np.eye(2))") in lines_of(
        raised.value.__traceback__
    )
    with pytest.raises(OverflowError) as raised:
        sd.grad(lambda x: math.exp(x))(1e5)
    assert "math.exp(x)" in lines_of(raised.value.__traceback__)[-1][2]
    assert lines_of(raised.value.__traceback__)[-1][0] == __file__
