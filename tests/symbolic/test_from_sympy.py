"""Functions made from expressions: values, shapes, dtypes, derivatives, source, refusals."""

from __future__ import annotations

import ast
import inspect
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import symdiff as sd
from symdiff.errors import SignatureError, UnsupportedCallError
from tests.benchmarks.expressions import both, cases, points

x, y, z = sp.symbols("x y z", real=True)


@pytest.mark.parametrize("name", cases())
def test_values_and_gradients_are_sympys(name: str):
    expression, symbols = cases()[name]
    functions = both(expression, symbols)
    point = points(len(symbols))["floats"]
    ours, theirs = (np.asarray(f(*point)) for f in functions.values())
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    at = dict(zip(symbols, map(sp.Rational, point), strict=True))
    for k, symbol in enumerate(symbols[:3]):
        exact = sp.Array(sp.diff(expression, symbol).subs(at).evalf(30))
        made = np.asarray(sd.jacobian(functions["symdiff"], k)(*point), float)
        expected = np.array(exact.tolist(), float) if exact.shape else float(exact[()])
        np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "expression",
    [x * y, x + sp.pi / 3, sp.Integer(2), sp.sqrt(2), sp.Piecewise((x, x > 0.5), (1, True))],
    ids=str,
)
def test_shape_and_dtype_are_those_of_the_arguments(expression: Any, dtype: Any):
    f = sd.from_sympy(expression, [x, y])
    first = np.linspace(0.1, 0.9, 6).reshape(3, 2).astype(dtype)
    for second in (first, first[0], dtype(0.5), 0.5):
        result = f(first, second)
        assert result.shape == (3, 2)
        assert result.dtype == dtype
        expected = np.vectorize(lambda a, b: float(expression.subs({x: a, y: b})))(first, second)
        np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "expression",
    [
        sp.Piecewise((1, x > 0), (0, True)) * y,
        sp.Heaviside(x) * y,
        sp.Piecewise((sp.pi, x > 0), (2, x > -1), (0, True)),
        sp.Piecewise((1, x > 0), (y, True)),
        sp.Piecewise((sp.Rational(1, 10), x > 0), (0, True)) * y,
    ],
    ids=str,
)
def test_steps_have_the_dtype_of_the_arguments(expression: Any):
    """What only a condition reads counts, too; numbers are rounded to the dtype of the result."""
    f = sd.from_sympy(expression, [x, y])
    single = np.array([0.5, -0.5, -2.0], np.float32)
    double = np.array([0.7, 1.1, 0.3])
    for first, second in [(single, single), (single, np.float32(2.0)), (single, 2.0)]:
        assert f(first, second).dtype == np.float32
    result = f(single, double)
    assert result.dtype == np.float64
    exact = [float(expression.subs({x: a, y: b})) for a, b in zip(single, double, strict=True)]
    np.testing.assert_allclose(result, exact, rtol=1e-15)
    assert f(single[:0], 1.0).shape == (0,)


SINGLE = np.linspace(0.1, 0.9, 3).astype(np.float32)
KINDS = {
    "floats": (0.5, -0.25),
    "beyond math": (800.0, -0.25),
    "no numbers": (math.inf, math.nan),
    "NumPy's numbers": (np.float64(0.5), np.float64(0.25)),
    "beyond math, NumPy's": (np.float64(800.0), np.float64(-0.25)),
    "single numbers": (np.float32(0.5), np.float32(0.25)),
    "a single and a float": (np.float32(0.5), 0.25),
    "integers": (2, 3),
    "an integer and a float": (2, 0.5),
    "one shape": (SINGLE, SINGLE + 1),
    "an array and a float": (SINGLE, 0.25),
    "a float and an array": (0.25, SINGLE),
    "an array and NumPy's number": (SINGLE, np.float64(0.25)),
    "two dtypes": (SINGLE, np.arange(3)),
    "integer arrays": (np.arange(3), np.arange(3, 6)),
    "to be broadcast": (SINGLE[:, np.newaxis], np.linspace(0.1, 0.9, 4)),
    "nothing": (SINGLE[:0], 1.0),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "expression",
    [
        x * y,
        sp.exp(x) * y,
        sp.log(y) - sp.sin(x),
        sp.exp(x) + 2,
        x,
        sp.Integer(3),
        sp.Piecewise((sp.sqrt(y), x > 0), (x, True)),
        sp.Piecewise((1, x > 0), (0, True)),
        sp.Matrix([[sp.cos(x), -sp.sin(x) * y], [y, sp.exp(x)]]),
        sp.Matrix([[x, 0], [1, y]]),
        sp.Matrix([[x * y], [x + y]]),
        sp.Array([x, sp.sqrt(y), x / 3]),
        sp.Matrix([[sp.I * x, y]]),
    ],
    ids=lambda expression: str(expression).replace("\n", " "),
)
def test_what_is_called_computes_what_is_followed(expression: Any):
    """Values, shapes and dtypes are those of the function that is differentiated."""
    f = sd.from_sympy(expression, [x, y])
    for kind, arguments in KINDS.items():
        found, expected = f(*arguments), f.__wrapped__(*arguments)
        assert np.shape(found) == np.shape(expected), kind
        assert np.asarray(found).dtype == np.asarray(expected).dtype, kind
        assert isinstance(found, np.ndarray) == isinstance(expected, np.ndarray), kind
        np.testing.assert_allclose(found, expected, rtol=1e-15, err_msg=kind)
        arrays = [one for one in arguments if isinstance(one, np.ndarray)]
        assert not any(found is one for one in arrays), kind


def test_python_floats_give_a_python_float():
    f = sd.from_sympy(sp.sin(x) * sp.exp(y), [x, y])
    assert type(f(0.5, 0.25)) is float
    assert type(f(np.float64(0.5), 0.25)) is np.float64
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert f(0.5, 1000.0) == np.inf


def test_a_float_gives_a_number():
    f = sd.from_sympy(sp.Piecewise((sp.log(x), x > 1), (x**2 - 1, True)), [x])
    assert f(0.5) == -0.75
    assert f(2.0) == np.log(2.0)
    assert f.grad(2.0) == 0.5
    assert sd.from_sympy(sp.Integer(2), [x])(3.0) == 2.0


def test_matrices_stand_before_the_shape_of_the_arguments():
    f = sd.from_sympy(sp.Matrix([[x, x * y], [2, sp.pi]]), [x, y])
    assert f(1.0, 2.0).tolist() == [[1.0, 2.0], [2.0, np.pi]]
    result = f(np.ones((3, 1), np.float32), np.arange(4, dtype=np.float32))
    assert result.shape == (2, 2, 3, 4)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result[0, 1], np.tile(np.arange(4.0), (3, 1)))
    np.testing.assert_array_equal(result[1, 0], np.full((3, 4), 2.0))
    assert sd.from_sympy(sp.Array([x, y, 1]), [x, y])(1.0, 2.0).tolist() == [1.0, 2.0, 1.0]


def test_integer_arguments_become_floats_where_the_expression_has_fractions():
    f = sd.from_sympy(x / 2 + sp.Rational(1, 3), [x])
    np.testing.assert_allclose(f(np.arange(3)), np.arange(3) / 2 + 1 / 3, rtol=1e-15)


def test_nothing_is_written_in_place():
    f = sd.from_sympy((x + 1) ** 2 * y + sp.sin(x) - z, [x, y, z])
    a, b, c = np.ones(2), np.ones((3, 1)), np.arange(2)
    np.testing.assert_allclose(f(a, b, c), (a + 1) ** 2 * b + np.sin(a) - c)
    np.testing.assert_array_equal(a, np.ones(2))


def test_a_closed_form_goes_round():
    @sd.differentiable
    def loss(w, u):
        return np.sum(np.tanh(u @ w))

    form = loss.sympy("float64[2]", "float64[3,2]")
    args = [sp.IndexedBase("w", shape=(2,), real=True), sp.IndexedBase("u", (3, 2), real=True)]
    made = sd.from_sympy(form, args)
    w, u = np.array([0.1, 0.2]), np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(made(w, u), loss(w, u), rtol=1e-15)
    np.testing.assert_allclose(made.grad(w, u), loss.grad(w, u), rtol=1e-14)


def test_names_are_made_to_fit():
    symbols = sp.symbols(r"lambda \alpha x' np")
    f = sd.from_sympy(sp.Add(*symbols), symbols)
    assert f(1.0, 2.0, 3.0, 4.0) == 10.0
    twins = [sp.Dummy("t"), sp.Dummy("t")]
    assert sd.from_sympy(twins[0] - twins[1], twins)(3.0, 1.0) == 2.0


def test_a_signature_of_several_lines_stands_before_both_texts():
    symbols = sp.symbols("coefficient_0:12", real=True)
    first, second = symbols[:2]
    f = sd.from_sympy(sp.Piecewise((first * second, first > second), (first, True)), symbols)
    assert f(*range(12, 0, -1)) == 132
    assert f.grad(*map(float, range(12, 0, -1))) == 11.0
    assert f(*map(float, range(12))) == 0.0
    assert f(*(np.full(2, float(k)) for k in range(12))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("text", ["__debug__", "None", "x\ny", '"""', "\\", "a b", "#", "\0", "ª"])
def test_any_text_may_be_a_name(text: str):
    """Of a number, of an array, of the function."""
    symbol, other = sp.Symbol(text), sp.Symbol("other")
    f = sd.from_sympy(sp.Piecewise((symbol * other, symbol > 1), (0, True)), [symbol, other])
    assert (f(2.0, 0.5), f.grad(2.0, 0.5)) == (1.0, 0.5)
    base = sp.IndexedBase(symbol)
    assert sd.from_sympy(base[0] * other, [base, other])(np.array([2.0]), 0.5) == 1.0
    assert sd.from_sympy(other**2, [other], name=text).grad(3.0) == 6.0


def test_it_pickles_and_its_source_is_shown():
    f = sd.from_sympy(x * sp.sin(y), [x, y], name="wave")
    assert pickle.loads(pickle.dumps(f))(2.0, 1.0) == f(2.0, 1.0)
    assert "np.cos(y)" in sd.grad(f, 1).source(2.0, 1.0)
    assert f.__name__ == "wave"


def test_the_same_expression_gives_the_same_bytes(tmp_path: Path):
    """Whatever was made before."""
    texts = []
    for k in range(2):
        f = sd.from_sympy(sp.Matrix([sp.sin(x) * y, 3]), [x, y])
        f.export(tmp_path / f"module{k}.py", 2.0, 1.0, functions=["jacobian"])
        texts.append((tmp_path / f"module{k}.py").read_bytes())
        sd.from_sympy(x**2 + k, [x]).grad(1.0)
    assert texts[0] == texts[1]


def test_all_that_is_made_of_it_pickles():
    f = sd.from_sympy(sp.log(1 + sp.exp(x)) * y, [x, y])
    weight = 1.0 / (1.0 + np.exp(-1.0))
    simplified = sd.differentiable(f, simplify=True)
    for made in (f.grad, simplified.grad, f.freeze("y").grad, sd.grad(f), f.jacobian):
        again = pickle.loads(pickle.dumps(made))
        assert again(1.0, 2.0) == pytest.approx(2.0 * weight, rel=1e-14)
    again = pickle.loads(pickle.dumps(simplified))
    assert again(1.0, 2.0) == f(1.0, 2.0)
    assert again.grad(800.0, 2.0) == simplified.grad(800.0, 2.0) == 2.0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sd.from_sympy("x + 1", [x]), SignatureError, "not an expression"),
        (lambda: sd.from_sympy(x, ["x"]), SignatureError, "not of type str"),
        (lambda: sd.from_sympy(x + y, [x]), SignatureError, "y: in the expression"),
        (lambda: sd.from_sympy(x, [x, x]), SignatureError, "twice"),
        (lambda: sd.from_sympy(sp.besselj(0, x), [x]), UnsupportedCallError, "besselj"),
        (lambda: sd.from_sympy(sp.Function("f")(x), [x]), UnsupportedCallError, "SymPy's f"),
    ],
)
def test_refusals(make: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()


def test_text_in_names_is_never_run():
    evil = sp.Symbol("__import__('os').system('false')")
    assert sd.from_sympy(evil + 1, [evil])(1.0) == 2.0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("polynomial", "floats"),
        ("branches", "NumPy's numbers"),
        ("rotation", "floats"),
        ("rotation", "NumPy's numbers"),
        ("a plain matrix", "floats"),
        ("a dozen operations", "floats"),
    ],
)
def test_it_computes_no_more_than_lambdify(name: str, kind: str):
    """Operations in the text; times are compared by ``tests.benchmarks.expressions``."""
    expression, symbols = cases()[name]
    functions, point = both(expression, symbols), points(len(symbols))[kind]
    ours = functions["symdiff"].source(*point)  # type: ignore[attr-defined]
    theirs = inspect.getsource(functions["lambdify"])
    assert operations(str(ours)) <= operations(theirs)


def operations(text: str) -> int:
    """How many operations and calls the first function of a text has."""
    done = (ast.BinOp, ast.Call, ast.Compare, ast.UnaryOp)
    return sum(isinstance(node, done) for node in ast.walk(ast.parse(text).body[0]))


@pytest.mark.parametrize(
    "function",
    [sp.floor, sp.ceiling, sp.sign, sp.Abs, sp.sin, sp.atanh, sp.exp, sp.sqrt, sp.conjugate, sp.re],
    ids=lambda function: function.__name__,
)
def test_functions_of_every_family_of_ops_are_known(function: Any):
    point = -0.3 if function is not sp.sqrt else 0.3
    expected = complex(function(sp.Float(point)))
    argument = sp.Symbol("w")
    assert sd.from_sympy(function(argument) * 2, [argument])(point) == pytest.approx(2 * expected)
