"""Formulas of functions of numbers: there where they are small, and None everywhere else."""

import numpy as np
import pytest

import symdiff as sd


def cubic(x):
    return x**3 - 2.0 * x


def of_arrays(x):
    return np.sum(x * x)


def of_dicts(p):
    return p["w"] * p["b"]


def printing(x):
    print(x)
    return x * x


def long(x):
    for k in (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8):
        x = x * np.sin(k * x) / (1.0 + np.exp(k * x) ** 2)
    return x


def test_a_function_and_its_derivatives_have_formulas():
    assert sd.differentiable(cubic)._repr_latex_() == (
        r"$\displaystyle \operatorname{cubic}(x) = x^{3} - 2 x$"
    )
    assert sd.grad(cubic)._repr_latex_() == (
        r"$\displaystyle \operatorname{cubic\_grad}(x) = 3 x^{2} - 2$"
    )
    assert sd.derivative(cubic, order=3)._repr_latex_().endswith("= 6$")


@pytest.mark.parametrize("function", [of_dicts, printing, long, np.linalg.norm])
def test_others_have_none(function, capsys: pytest.CaptureFixture[str]):
    assert sd.grad(function)._repr_latex_() is None
    assert capsys.readouterr().out == ""  # nothing of the function runs


def test_a_function_that_is_called_with_arrays_has_none():
    gradient = sd.grad(of_arrays)
    gradient(np.ones(3))
    assert gradient._repr_latex_() is None
    page = gradient._repr_html_()
    assert page is not None
    assert "<math" not in page


def test_before_the_first_call_there_is_no_page():
    def fresh(x):
        return x * x

    gradient = sd.grad(fresh)
    assert gradient._repr_html_() is None
    gradient(2.0)
    page = gradient._repr_html_()
    assert page is not None
    assert page.startswith('<math display="block">')
    assert "<mi>fresh_grad</mi>" in page
    assert sd.differentiable(fresh)._repr_html_() is None
    sd.vjp(fresh, 2.0)
    assert "fresh_backward" in str(sd.differentiable(fresh)._repr_html_())


def test_methods_and_products_of_tangents_have_none():
    class Model:
        @sd.differentiable
        def energy(self, x):
            return x * x

    assert Model().energy._repr_latex_() is None
    assert sd.differentiable(cubic).jvp._repr_latex_() is None


def test_loops_have_none():
    def counted(x):
        k = 0.0
        while k < x:
            k = k + 0.5
        return k * x

    assert sd.grad(counted)._repr_latex_() is None
