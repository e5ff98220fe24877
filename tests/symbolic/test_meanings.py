"""What ops mean in SymPy, from the registry: values, and derivatives against SymPy's ``diff``."""

from __future__ import annotations

import warnings
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import symdiff as sd
from symdiff.definitions.libraries import load_all
from symdiff.differentiate import jvp
from symdiff.ir.build import Builder, building
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.structure import Leaf
from symdiff.ir.types import COMPLEX, FLOAT, INT, ArrayType
from symdiff.ops.declare import EVALUATED, REGISTRY, OnArrays, Operation
from symdiff.ops.special import is_refused
from symdiff.symbolic.evaluate import expressions_of
from tests.symbolic.evaluating import inputs_of, values_at

load_all()

NUMBER = ArrayType(np.dtype("float64"), (), "scalar")

# Elementwise ops that have no meaning in SymPy: it has no name for the functions.
WITHOUT_MEANING = frozenset(
    f"special_{name}"
    for name in (
        *("gammaincinv", "gammainccinv", "betaincinv", "betainccinv"),
        *("stdtrit", "chdtri", "fdtri", "chndtr", "ncfdtr", "elliprg"),
        *("kolmogorov", "kolmogi", "smirnov", "smirnovi", "nctdtr"),
        *("ellipj_sn", "ellipj_cn", "ellipj_dn", "ellipj_ph"),
        *("besselpoly", "itstruve0", "it2struve0", "itmodstruve0", "tklmbda", "wright_bessel"),
        *(f"itairy_{k}" for k in range(4)),
        *(f"{kind}_{k}" for kind in ("pbdv", "pbvv", "pbwa") for k in range(2)),
        *(f"{kind}_{k}" for kind in ("iti0k0", "it2i0k0", "itj0y0", "it2j0y0") for k in range(2)),
    )
)
# Points inside of each op's domain, where no partial has a jump.
POINTS = {
    "arccosh": (1.7,),
    "math_acosh": (1.7,),
    "clip": (0.3, -1.0, 2.0),
    "math_ldexp": (0.3, 3),
    "left_shift": (5, 2),
    "right_shift": (21, 2),
    "special_expn": (2, 0.8),
    "special_kn": (2, 0.8),
    "special_yn": (2, 0.8),
    "special_lambertw": (0.8, 0),
    "special_ndtri_exp": (-0.7,),
    "special_cotdg": (37.0,),
    "special_ellipeinc": (0.8, 0.3),
    "special_ellipkinc": (0.8, 0.3),
    "special_eval_jacobi": (3, 0.8, 1.3, 0.4),
    "special_hyp2f1": (0.8, 1.3, 1.7, 0.4),
    "special_zeta": (2.5, 1.2),
}
PLAIN = (0.37, 1.21, 0.83)
OF_WHOLE_ORDERS = ("special_expn", "special_kn", "special_yn", "special_eval", "special_spherical")
ON_INTEGERS = frozenset({"left_shift", "right_shift"})
ON_TRUTHS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "invert"})


def elementwise_ops() -> list[Operation]:
    """All that have partials; ops on bits stand for those on truth values."""
    found = [op for op in REGISTRY.values() if op.partials is not None]
    return sorted(found, key=lambda op: op.name)


def ops_with_meaning() -> list[Operation]:
    return [op for op in elementwise_ops() if op.name not in WITHOUT_MEANING]


def arity(op: Operation) -> int:
    return len(op.partials or ())


def types_of(op: Operation) -> list[ArrayType]:
    if op.name in ON_INTEGERS:
        return [INT] * arity(op)
    if op.name in ON_TRUTHS:
        return [ArrayType(np.dtype(bool), (), "scalar")] * arity(op)
    if op.name.startswith("cmath_"):
        return [COMPLEX] * arity(op)
    if op.name == "math_ldexp":
        return [FLOAT, INT]
    if op.name == "special_lambertw":
        return [NUMBER, INT]
    if op.name.startswith(OF_WHOLE_ORDERS):
        return [INT] + [NUMBER] * (arity(op) - 1)
    return [FLOAT if op.name.startswith("math_") else NUMBER] * arity(op)


def point_of(op: Operation) -> tuple[Any, ...]:
    plain = PLAIN[: arity(op)]
    if op.name.startswith(("special_eval_", "special_spherical_")):
        plain = (3, *PLAIN[1 : arity(op)])
    point = POINTS.get(op.name, plain)
    if op.name in ON_TRUTHS:
        return tuple(np.bool_(k % 2 == 0) for k in range(arity(op)))
    if op.name.startswith("cmath_"):
        return (0.37 + 0.2j,)
    if op.name in ON_INTEGERS or op.name.startswith("math_"):
        return point
    return tuple(x if isinstance(x, int) else np.float64(x) for x in point)


def graph_of(op: Operation) -> Graph:
    """The graph of the op alone."""
    nodes: list[Any] = []
    parameters = tuple(Value(t, name=f"x{k}") for k, t in enumerate(types_of(op)))
    with building(Builder(nodes)):
        result = op(*parameters)
    inputs = tuple(Input((f"x{k}",)) for k in range(len(parameters)))
    return Graph(op.name, Block(parameters, nodes, (result,)), inputs, Leaf(0))


def symbols_of(op: Operation) -> list[Any]:
    kinds = {"f": {"real": True}, "i": {"integer": True}, "c": {"complex": True}, "b": {}}
    return [sp.Symbol(f"x{k}", **kinds[t.dtype.kind]) for k, t in enumerate(types_of(op))]


def derivative_of(expression: Any, symbol: Any, point: dict[Any, Any]) -> Any:
    """``diff`` of the meaning at a point, or, where SymPy has none, a difference quotient.

    The derivatives of ``floor`` and ``sign``, which SymPy leaves too, are 0 between jumps.
    """
    derivative = sp.diff(expression, symbol)
    derivative = derivative.xreplace(dict.fromkeys(derivative.atoms(sp.DiracDelta), sp.S.Zero))
    if not derivative.has(sp.Subs, sp.Derivative):
        (value,) = values_at(derivative, point)
        return value
    with mpmath.workdps(40):
        along = sp.lambdify(
            symbol, expression.subs({s: x for s, x in point.items() if s != symbol}), "mpmath"
        )
        return mpmath.diff(along, mpmath.mpmathify(point[symbol]))


def test_every_elementwise_op_means_something_in_sympy():
    assert {op.name for op in elementwise_ops() if op.sympy is None} == WITHOUT_MEANING


@pytest.mark.parametrize("op", ops_with_meaning(), ids=lambda op: op.name)
def test_the_meaning_has_the_value_of_the_op(op: Operation):
    symbols, point = symbols_of(op), point_of(op)
    (expression,) = expressions_of(graph_of(op), symbols)
    (expected,) = evaluate_graph(graph_of(op), point)
    (value,) = values_at(expression, dict(zip(symbols, point, strict=True)))
    np.testing.assert_allclose(complex(value), complex(expected), rtol=1e-14)


@pytest.mark.parametrize("op", ops_with_meaning(), ids=lambda op: op.name)
def test_the_derivative_rule_is_sympys_derivative(op: Operation):
    """By each operand that carries one: our rule, evaluated, against ``diff`` of the meaning."""
    graph, symbols, point = graph_of(op), symbols_of(op), point_of(op)
    (expression,) = expressions_of(graph, symbols)
    for k, symbol in enumerate(symbols):
        if not op.carries(k) or types_of(op)[k].dtype.kind not in "fc":
            continue
        if is_refused((op.partials or ())[k]):
            continue
        tangent = jvp(graph, [k])
        seed = type(point[k])(1.0)
        ours = evaluate_graph(tangent, (*point, seed))[-1]
        value = derivative_of(expression, symbol, dict(zip(symbols, point, strict=True)))
        np.testing.assert_allclose(complex(ours), complex(value), rtol=1e-13, atol=1e-15)


def reductions() -> list[Any]:
    """Functions of an array that reduce it or work on matrices, as users write them."""
    return [
        np.sum,
        np.prod,
        np.mean,
        np.var,
        lambda x: np.std(x, ddof=1),
        np.max,
        lambda x: np.min(x, axis=0),
        lambda x: np.cumsum(x, axis=1),
        np.cumprod,
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.linalg.norm(x[0], 3),
        lambda x: np.linalg.norm(x[0], np.inf),
        np.linalg.norm,
        np.linalg.det,
        np.linalg.inv,
        lambda x: np.linalg.solve(x, x[0] ** 2),
        lambda x: np.linalg.slogdet(x)[1],
        np.trace,
        lambda x: np.einsum("ij,kj->ik", x, x),
        lambda x: x @ x[0],
        lambda x: np.outer(x[0], x[1]),
        lambda x: np.logaddexp.reduce(x[0]),
        lambda x: np.tril(x) + np.triu(x, 1) + np.diag(np.diag(x)),
        lambda x: np.concatenate([x, x.T], axis=1).reshape(-1)[::3],
        lambda x: np.where(x > 1.0, x * x, np.sqrt(x)),
        lambda x: np.clip(x, 0.5, 1.5) + np.round(x),
    ]


@pytest.mark.parametrize("function", reductions())
def test_meanings_of_whole_arrays_have_the_values_of_the_ops(function: Any):
    x = np.array([[1.3, 0.4], [0.7, 2.2]])
    form = sd.differentiable(function).sympy(x)
    point = {entry: x[tuple(map(int, entry.indices))] for entry in inputs_of(form)}
    np.testing.assert_allclose(values_at(form, point), np.ravel(function(x)), rtol=1e-14)


def test_an_op_on_whole_arrays_is_declared_as_such():
    """No op that is not elementwise has a meaning that is applied entry by entry by mistake."""
    names = {"where", "choice", "sinc", "real", "imag", "conjugate", "complex_of", "not_", "round"}
    names |= {
        "guarded",
        "i0",
        "ldexp",
        "complex_sign",
        "squared_absolute",
        "gamma_density",
        "beta_density",
    }
    for op in REGISTRY.values():
        plain = op.sympy is not None and not isinstance(op.sympy, OnArrays)
        scalars = op.name.startswith(("python_", "math_", "cmath_")) or op.name in (
            "as_scalar",
            "astype",
            "polygamma",
        )
        assert not plain or op.partials is not None or op.name in names or scalars, op.name
        assert op.sympy is not EVALUATED or op.evaluate is not None, op.name


def test_compiling_without_closed_forms_does_not_import_sympy():
    import subprocess
    import sys

    program = (
        "import sys, symdiff as sd; print(sd.grad(lambda x: x * x)(3.0), 'sympy' in sys.modules)"
    )
    with warnings.catch_warnings():
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "6.0 False\n" or "SourceUnavailable" in run.stderr, run.stderr
