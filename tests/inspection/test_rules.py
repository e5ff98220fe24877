"""The table of rules: what it shows is run, and agrees with differences of the calls it shows."""

import cmath
import json
import math
import os
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import symdiff as sd
from symdiff.definitions.libraries import load_all
from symdiff.inspection.examples import parameters_of, type_of
from symdiff.inspection.rules import assigned, rule_of
from symdiff.inspection.ruletable import is_named, program, table_of
from symdiff.ops import (
    bessel_values,
    density_values,
    elliptic_values,
    incomplete_values,
    noncentral_values,
    samples_values,
    series_values,
    support,
    zeta_values,
)
from symdiff.ops.declare import REGISTRY

load_all()

DOCUMENT = Path(__file__).parents[2] / "symdiff" / "inspection" / "rules.md"
EXAMPLES = {name: op.example for name, op in REGISTRY.items() if op.example is not None}
UPDATE = bool(os.environ.get("UPDATE_README"))

ELEMENTWISE = [
    name
    for name, op in REGISTRY.items()
    if op.partials is not None and any(partial is not None for partial in op.partials)
]


def names_for_code() -> dict:
    """What the code of rules may name: NumPy, ``math`` and the functions that support them."""
    modules = (
        bessel_values,
        density_values,
        elliptic_values,
        incomplete_values,
        noncentral_values,
        samples_values,
        series_values,
        zeta_values,
        support,
    )
    found = {name: value for module in modules for name, value in vars(module).items()}
    public = {k: v for k, v in found.items() if isinstance(v, types.FunctionType)}
    return {**public, "np": np, "math": math, "cmath": cmath, "scipy": scipy}


def run(code: str, target: str, **values):
    """What a name is after code has run; arguments are never written."""
    names = names_for_code() | {k: v.copy() if hasattr(v, "copy") else v for k, v in values.items()}
    exec(code, names)
    return names[target]


# Elementwise --------------------------------------------------------------------------------------

POINTS = {
    "x": (0.37, -0.41, 1.73, 5.3),
    "a": (0.62, -0.83, 1.31, 4.7),
    "b": (0.47, 1.9, -0.58, 3.2),
}
POINTS_OF = {
    "special_betainc": [(0.8, 1.7, 0.4)],
    **{f"special_hankel{kind}": [(0.8, 1.7), (-0.6, 9.4)] for kind in ("1", "2", "1e", "2e")},
    "special_hyp1f1": [(0.8, 1.7, 0.4)],
    "special_wright_bessel": [(0.8, 1.7, 0.4)],
    "special_besselpoly": [(0.8, 1.7, 0.4)],
    **{f"special_itairy_{k}": [(0.02,), (0.37,)] for k in range(4)},  # SciPy has few digits far off
    "special_chndtr": [(2.3, 3.0, 0.4), (4.1, 3.0, 2.4)],
    "special_ncfdtr": [(3.0, 7.0, 1.2, 1.5)],
    "special_elliprg": [(0.37, 1.73, 2.9)],
    "special_nctdtr": [(3.0, 0.7, 1.4), (5.0, -0.6, 1.1)],
    "special_kolmogorov": [(0.37,), (1.31,)],
    "special_kolmogi": [(0.37,), (0.93,)],
    "special_smirnov": [(4.0, 0.37)],
    "special_smirnovi": [(4.0, 0.37)],
    "special_hyp2f1": [(0.8, 1.3, 1.7, 0.4)],
    "special_zeta": [(2.5, 0.7)],
    "special_expn": [(2.0, 0.7)],
    "special_kn": [(2, 0.7)],
    "special_yn": [(2, 0.7)],
    "special_lambertw": [(0.7, 0)],
    "special_ndtri_exp": [(-0.7,)],
    "special_radian": [(3.0, 20.0, 7.0)],
    "special_eval_jacobi": [(3.0, 0.8, 1.7, 0.4)],
    "special_eval_hermite": [(3, 0.7)],
    "special_eval_hermitenorm": [(3, 0.7)],
    **{
        f"special_{name}": [(2.3, 1.7, 0.4)]
        for name in (
            *("hyperu", "betaincc", "fdtr", "fdtrc", "betaincinv", "betainccinv"),
            *("eval_gegenbauer", "eval_genlaguerre", "gdtr", "gdtrc", "fdtri"),
        )
    },
    **{
        f"special_spherical_{name}{slope}": [(0, 0.7), (2, 0.7)]
        for name in ("jn", "yn", "in", "kn")
        for slope in ("", "_slope")
    },
}
TRIPLES = {"x": (0.2, -1.7, 2.9), "lo": (-0.5, -0.9, -0.7), "hi": (0.9, 0.8, 0.6)}


def points(names: list[str]) -> list[tuple[float, ...]]:
    table = TRIPLES if len(names) == 3 else POINTS
    return list(zip(*(table[name] for name in names), strict=True))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_partials_agree_with_differences_of_the_call(name: str):
    record = rule_of(name)
    assert record.call is not None
    operands = [*record.partials, *record.constant, *record.refused]
    places = ("a", "b", "c", "x") if name in POINTS_OF else ("x", "a", "b", "lo", "hi")
    order = [n for n in places if n in operands]
    tried = 0
    for point in POINTS_OF.get(name) or points(order):
        given = dict(zip(order, map(as_array_or_number(name), point), strict=True))
        if name == "math_ldexp":
            given["b"] = 3
        for by, code in record.partials.items():
            try:
                difference = central(record.call, given, by)
                y = run(assigned("y", record.call), "y", **given)
            except (ValueError, TypeError, OverflowError):
                continue  # outside of what math takes
            if not np.all(np.isfinite(difference)):
                continue
            partial = run(assigned("d", code), "d", y=y, **given)
            partial = np.real(partial) if name == "angle" else partial  # along a real step
            np.testing.assert_allclose(np.asarray(partial) + 0.0, difference, rtol=2e-7, atol=1e-7)
            tried += 1
    assert tried


def as_array_or_number(name: str):
    if name.startswith("cmath_"):
        return lambda value: complex(value, 0.3)
    if name == "angle":
        return lambda value: np.array([complex(value, 0.3)])
    return float if name.startswith("math_") else lambda value: np.array([value])


def central(call: str, given: dict, by: str):
    """The derivative by central differences with one extrapolation (Richardson)."""

    def of(h: float):
        ahead = run(assigned("y", call), "y", **{**given, by: given[by] + h})
        behind = run(assigned("y", call), "y", **{**given, by: given[by] - h})
        return (ahead - behind) / (2 * h)

    h = 1e-3
    return (4 * of(h / 2) - of(h)) / 3


# Rules of operands --------------------------------------------------------------------------------

SHAPES = {
    "x": (5,), "w": (5,), "t": (3,), "X": (5, 4), "Y": (4, 3), "A": (5, 5), "M": (4, 4),
    "B": (5, 3), "z": (5,), "a": (), "b": (), "s": (), "x3": (5, 3), "w3": (5, 3), "part": (3,),
}  # fmt: skip


_OF_ONE_TRIANGLE = ("cholesky", "eigh", "eigvalsh")
_OF_POSITIVE = ("cholesky", "eigh", "eigvalsh", "eig", "logm", "sqrtm", "solve_sylvester")


def drawn(name: str, op: str, rng: np.random.Generator):
    """A value for an operand of an example."""
    fixed = {
        "c": np.array([True, False, True, True, False]),
        "i": np.array([2, 0, 2]),
        "I": np.array([[0, 1, 1], [3, 2, 0], [1, 1, 1], [0, 0, 2], [3, 1, 2]]),
        "j": 1,
        "items": [rng.normal(size=3) for _ in range(3)],
        "more": [rng.normal(size=3) for _ in range(2)],
    }
    if name in fixed:
        return fixed[name]
    value = rng.uniform(0.2, 0.9, SHAPES[name])
    if name == "z":
        return value + 1j * rng.normal(size=5)
    if name == "A" and op.removeprefix("linalg_") in _OF_POSITIVE:
        made = value @ value.T + np.diag([3.0, 7.0, 11.0, 15.0, 19.0])
        return made[::-1, ::-1] if op == "linalg_eigh" else made  # where LAPACK keeps to its signs
    if op == "interp" and name == "x":
        return np.sort(value)
    kind = type_of(name)
    return float(value) if getattr(kind, "kind", "array") != "array" else value


def flat(value) -> list:
    """The numbers in arrays, in tuples and lists of arrays."""
    if isinstance(value, tuple | list):
        return [number for item in value for number in flat(item)]
    return list(np.ravel(value))


def pairing(g, t) -> float:
    """Re Σ conj(g) t."""
    return float(np.real(np.vdot(np.array(flat(g)), np.array(flat(t)))))


def perturbed(value, direction, h: float):
    if isinstance(value, list):
        return [item + h * d for item, d in zip(value, direction, strict=True)]
    return value + h * direction


def direction_for(name: str, value, op: str, rng: np.random.Generator):
    if isinstance(value, list):
        return [rng.normal(size=item.shape) for item in value]
    d = rng.normal(size=np.shape(value))
    if np.iscomplexobj(value):
        d = d + 1j * rng.normal(size=np.shape(value))
    if op.removeprefix("linalg_") in _OF_ONE_TRIANGLE:
        d = np.tril(d) + np.tril(d, -1).T  # of symmetric matrices, only one triangle is read
    return d


@pytest.mark.parametrize("name", EXAMPLES)
def test_rules_of_operands_agree_with_differences_of_the_call(name: str):
    record = rule_of(name)
    assert record.call is not None
    rng = np.random.default_rng(3)
    operands = type_names(name)
    given = {operand: drawn(operand, name, rng) for operand in operands}
    call = assigned("y", record.call)
    y = run(call, "y", **given)
    g = cotangent(y, rng)
    seeds = results_named("g", g) | results_named("y", y)
    tolerance = 2e-3 if name == "astype" else 1e-6
    for operand, code in record.reverse.items():
        d = direction_for(operand, given[operand], name, rng)
        h = 1e-2 if name == "astype" else 1e-5
        ahead = run(call, "y", **{**given, operand: perturbed(given[operand], d, h)})
        behind = run(call, "y", **{**given, operand: perturbed(given[operand], d, -h)})
        t = [(a - b) / (2 * h) for a, b in zip(flat(ahead), flat(behind), strict=True)]
        bar = run(assigned("bar", code), "bar", **given, **seeds)
        expected = pairing(g, t)
        lower = np.tril(d) if name.removeprefix("linalg_") in _OF_ONE_TRIANGLE else d
        np.testing.assert_allclose(pairing(bar, lower), expected, rtol=tolerance, atol=1e-7)
        if operand in record.forward:
            tangent = {f"{operand}_dot": d}
            y_dot = run(assigned("d", record.forward[operand]), "d", **given, **seeds, **tangent)
            if isinstance(y, tuple):  # a 0 is said of all of a result that has no tangent
                y_dot = tuple(
                    np.broadcast_to(d, np.shape(r)) for d, r in zip(y_dot, y, strict=True)
                )
            np.testing.assert_allclose(flat(y_dot), t, rtol=tolerance, atol=1e-6)


def type_names(name: str) -> list[str]:
    return parameters_of(EXAMPLES[name])


def cotangent(y, rng: np.random.Generator):
    if isinstance(y, tuple | list):
        return (
            type(y)(cotangent(item, rng) for item in y)
            if type(y) in (tuple, list)
            else tuple(cotangent(item, rng) for item in y)
        )
    g = rng.normal(size=np.shape(y))
    g = g + 1j * rng.normal(size=np.shape(y)) if np.iscomplexobj(y) else g
    return np.asarray(g, np.asarray(y).dtype)[()]


def results_named(name: str, value) -> dict:
    if isinstance(value, tuple):
        return {f"{name}{k}": item for k, item in enumerate(value)}
    return {name: value}


# The table ----------------------------------------------------------------------------------------


def test_every_differentiable_op_that_numpy_has_a_name_for_is_shown():
    named = {name for name in REGISTRY if is_named(name)} - {"math_fsum"}  # of a list
    shown = {name for name in named if rule_of(name).call is not None or not rule_of(name).flows}
    assert shown == named
    assert {"sin", "matmul", "solve", "quantile", "math_sin"} <= named


def test_the_table_of_all_ops_is_plain_data():
    table = sd.rules()
    ops = [record["op"] for record in json.loads(json.dumps(table.as_dicts()))]
    assert sorted(ops) == sorted(REGISTRY)
    assert len(table) == len(REGISTRY)
    assert table[0].op == next(iter(REGISTRY))


@pytest.mark.parametrize(
    ("asked", "op"),
    [
        (np.tanh, "tanh"),
        ("tanh", "tanh"),
        ("np.tanh", "tanh"),
        (np.linalg.solve, "solve"),
        ("math.sin", "math_sin"),
        (math.sin, "math_sin"),
        (np.abs, "absolute"),
    ],
)
def test_an_op_is_asked_for_by_name_or_function(asked, op: str):
    (record,) = sd.rules(asked)
    assert record.op == op


def test_an_unknown_op_is_refused_with_those_that_are_near():
    with pytest.raises(sd.SignatureError, match="no op called 'tanhh'") as raised:
        sd.rules("tanhh")
    assert "tanh" in str(raised.value.hint)


def test_what_is_well_known_reads_as_in_books():
    assert str(sd.rules("tanh")).splitlines()[1:] == [
        "    y = np.tanh(x)",
        "    dy_dx = 1.0 - y * y",
    ]
    (solve,) = sd.rules("solve")
    assert solve.reverse["B"] == "np.linalg.solve(A.T, g)"
    assert solve.forward["A"] == "-np.linalg.solve(A, A_dot @ y)"
    (total,) = sd.rules("sum")
    assert total.linear == ("X",)
    assert total.forward == {}
    assert rule_of("heaviside").constant == ("a",)
    assert not rule_of("floor").flows
    assert rule_of("log").masked
    assert not rule_of("sin").masked


def test_conventions_at_kinks_are_said():
    for name in ("absolute", "sqrt", "maximum", "power", "hypot", "clip", "max", "norm", "std"):
        assert "derivative" in rule_of(name).meaning, name


def test_html_shows_code_as_text():
    page = sd.rules("fmax", "less")._repr_html_()
    assert "<script" not in page
    assert "&gt;" in page or "&#62;" in page


def test_the_documentation_is_the_registrys():
    text = table_of().as_markdown() + "\n"
    if UPDATE:
        DOCUMENT.write_text(text, encoding="utf-8")
    stale = "run: python -m symdiff.inspection.ruletable symdiff/inspection/rules.md"
    assert DOCUMENT.read_text(encoding="utf-8") == text, stale


def test_code_blocks_of_the_documentation_are_python():
    for name in EXAMPLES:
        compile(program(rule_of(name)), name, "exec")
