"""Lengths of arguments that meet: one symbol where they fit at the call, and right where not."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdiff
from symdiff.errors import SymdiffError
from symdiff.ir.graph import Block, Graph, Input, Value
from symdiff.ir.signature import Signature, leaves
from symdiff.ir.structure import Container
from symdiff.ir.types import Size
from symdiff.runtime.lengths import common, joined, with_common
from symdiff.runtime.signature import signature_of

SIZES = {name: Size(name) for name in ("x.0", "y.0", "z.0")}


def _joined_of(
    met: Sequence[tuple[Size, Size]], names: Sequence[str], arguments: Sequence[Any]
) -> Signature:
    """The signature of a call of a function that reads all its arguments."""
    signature = signature_of(names, arguments)
    given = [Value(kind, None, name) for name, kind in signature.parameters]
    inputs = tuple(Input((name,), "argument") for name in names)
    graph = Graph("f", Block(tuple(given), [], ()), inputs, Container(tuple, (), ()))
    return joined(signature, graph, met, arguments)


def _joined(*met: tuple[Size, Size], **lengths: int) -> str:
    return str(_joined_of(met, list(lengths), [np.ones(length) for length in lengths.values()]))


def test_lengths_that_meet_and_fit_have_one_symbol() -> None:
    inner = Size("x.0", -2), Size("y.0", -2)
    assert _joined(inner, x=5, y=5) == "x: float64[x.shape[0]], y: float64[x.shape[0]]"
    assert _joined(inner, x=3, y=5) == "x: float64[x.shape[0]], y: float64[y.shape[0]]"
    assert _joined(x=5, y=5) == "x: float64[x.shape[0]], y: float64[y.shape[0]]"


def test_the_shortest_names_the_others() -> None:
    met = (Size("x.0", -1), Size("y.0")), (Size("z.0", -3), Size("x.0", -2))
    assert _joined(*met, x=6, y=5, z=7) == (
        "x: float64[y.shape[0]+1], y: float64[y.shape[0]], z: float64[y.shape[0]+2]"
    )


def test_parts_of_two_arrays_are_as_long_where_the_arrays_are() -> None:
    met = Size("[%3:](x.0)", open=True), Size("[%3:](y.0)", open=True)
    assert _joined(met, x=5, y=5) == "x: float64[x.shape[0]], y: float64[x.shape[0]]"
    other = Size("[%3:](x.0)", open=True), Size("[%4:](y.0)", open=True)
    assert _joined(other, x=5, y=5) == "x: float64[x.shape[0]], y: float64[y.shape[0]]"


def test_what_an_inner_call_has_in_common_an_outer_one_has() -> None:
    arguments = np.ones(5), np.ones((4, 6))
    met = (Size("x.0", -1), Size("y.0")), (Size("x.0"), Size("y.1", -1))
    inner = _joined_of(met, "xy", arguments)
    assert str(inner) == "x: float64[y.shape[0]+1], y: float64[y.shape[0],y.shape[0]+2]"
    ties = [tie.moved(lambda path: ("given", *path)) for tie in common(inner)]
    outer = with_common(signature_of(["given"], [{"x": arguments[0], "y": arguments[1]}]), ties)
    lengths = [dim for _, dim in _dims(outer)]
    least = lengths[1]
    assert lengths == [Size(least.symbol, 1), least, Size(least.symbol, 2)]


def _dims(signature: Any) -> list[tuple[Any, Any]]:
    ((name, specification),) = signature.parameters
    return [(path, dim) for path, type_ in leaves(specification, (name,)) for dim in type_.shape]


# Programs -----------------------------------------------------------------------------------------


def inner_parts(c: np.ndarray, u: np.ndarray) -> Any:
    return np.sum((c[1:-1] * u[1:-1] - u[2:]) ** 2)


def one_shorter(w: np.ndarray, x: np.ndarray) -> Any:
    d = (x[1:] - x[:-1]) * w
    return np.sum(d**3) + np.sum(w * x[1:])


def written_in_place(c: np.ndarray, u: np.ndarray) -> Any:
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] * c[1:-1] + np.sin(u[2:])
    return np.sum(u**2)


def windows(p: np.ndarray, q: np.ndarray) -> Any:
    total = 0.0
    for i in range(len(p)):
        total += np.sum(p[i:] * q[i:] ** 2)
    return total


def rows(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(a[1:, :-1] * b[1:, :-1] ** 2) + np.sum(a[0] * b[0, 0])


CASES: list[tuple[Callable[..., Any], list[tuple[Any, Any]]]] = [
    (inner_parts, [(6, 6), (3, 6), (6, 3), (3, 3), (5, 5)]),
    (one_shorter, [(4, 5), (1, 5), (4, 2), (1, 2), (6, 7)]),
    (written_in_place, [(6, 6), (3, 6), (7, 7)]),
    (windows, [(4, 4), (3, 3), (2, 2), (1, 1)]),
    (rows, [((4, 3), (4, 3)), ((2, 4), (5, 4)), ((4, 2), (4, 5)), ((2, 2), (3, 3))]),
]


def _points(shapes: tuple[Any, Any]) -> list[np.ndarray]:
    numbers = np.random.default_rng(3)
    return [numbers.uniform(0.3, 1.2, shape) for shape in shapes]


def _step(function: Callable[..., Any], point: list[Any], along: list[Any]) -> Any:
    """The slope by the complex step."""
    moved = [x + 1e-30j * t for x, t in zip(point, along, strict=True)]
    return np.imag(function(*moved)) / 1e-30


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("function", "shapes"), CASES, ids=lambda case: getattr(case, "__name__", "")
)
def test_gradients_are_right_whichever_lengths_came_first(
    function: Callable[..., Any], shapes: list[tuple[Any, Any]], backwards: bool
) -> None:
    gradient, pair = symdiff.grad(function, argnums=(0, 1)), symdiff.differentiable(function)
    for lengths in shapes[::-1] if backwards else shapes:
        point, along = _points(lengths), [t - 0.7 for t in _points(lengths)]
        expected = _step(function, point, along)
        found = gradient(*point)
        value, saved = pair.forward(*point)
        slope = symdiff.jvp(function, tuple(point), tuple(along))[1]
        for parts in (found, pair.backward(saved)):
            assert [part.shape for part in parts] == [x.shape for x in point]
            total = sum(np.sum(part * t) for part, t in zip(parts, along, strict=True))
            np.testing.assert_allclose(total, expected, rtol=1e-12)
        assert value == function(*point)
        np.testing.assert_allclose(slope, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "shapes"), CASES, ids=lambda case: getattr(case, "__name__", "")
)
def test_second_derivatives_are_right(
    function: Callable[..., Any], shapes: list[tuple[Any, Any]]
) -> None:
    gradient = symdiff.grad(function, argnums=(0, 1))
    for lengths in shapes:
        point, along = _points(lengths), [t - 0.7 for t in _points(lengths)]
        found = symdiff.hvp(function, argnums=(0, 1))(*point, tuple(along))
        h = 1e-4
        ends = [
            gradient(*(x + k * h * t for x, t in zip(point, along, strict=True)))
            for k in (-2, -1, 1, 2)
        ]
        for part, *four in zip(found, *ends, strict=True):
            slope = (four[0] - 8 * four[1] + 8 * four[2] - four[3]) / (12 * h)
            np.testing.assert_allclose(part, slope, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "shapes"), CASES, ids=lambda case: getattr(case, "__name__", "")
)
def test_nothing_is_asked_at_run_time_where_lengths_fit(
    function: Callable[..., Any], shapes: list[tuple[Any, Any]]
) -> None:
    source = str(symdiff.grad(function, argnums=(0, 1)).source(*_points(shapes[0])))
    assert "== 1" not in source
    assert "shape[0])" not in source.replace("range(p.shape[0])", "").replace("zeros(", "")


def test_lengths_that_do_not_broadcast_raise_what_numpy_does() -> None:
    gradient = symdiff.grad(inner_parts)
    gradient(*_points((6, 6)))
    with pytest.raises(ValueError, match="could not be broadcast"):
        gradient(*_points((6, 7)))


def test_accidents_are_not_rested_on() -> None:
    """A batch as large as a layer does not make a program for such calls alone."""

    def layer(x: np.ndarray, w: np.ndarray) -> Any:
        return np.sum(np.tanh(x @ w))

    gradient = symdiff.grad(layer)
    for batch in (4, 7):
        gradient(np.ones((batch, 4)), np.ones((4, 4)))
    assert len(gradient.signatures()) == 1


def test_a_module_says_which_lengths_belong_together(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    symdiff.grad(one_shorter, argnums=(0, 1)).export(path, *_points((4, 5)))
    gradient = runpy.run_path(str(path))["one_shorter_grad"]
    point = _points((6, 7))
    expected = symdiff.grad(one_shorter, argnums=(0, 1))(*point)
    for found, part in zip(gradient(*point), expected, strict=True):
        np.testing.assert_array_equal(found, part)
    with pytest.raises(TypeError, match=r"axis 0 of x must have length 7 \(n\+1\), not 8"):
        gradient(np.ones(6), np.ones(8))


# What no signature has ----------------------------------------------------------------------------

CONDUCTIVITY = np.linspace(1.0, 2.0, 6)
SPACING = np.linspace(0.5, 0.9, 5)


def of_globals(u: np.ndarray) -> Any:
    flux = (u[1:] - u[:-1]) * SPACING
    return np.sum(flux**2) + np.sum(CONDUCTIVITY[1:-1] * u[1:-1])


class Rod:
    """A rod that knows what it is made of, and counts."""

    def __init__(self, length: int) -> None:
        self.kappa = np.linspace(1.0, 2.0, length)
        self.nfev = 0

    def energy(self, u: np.ndarray) -> Any:
        self.nfev += 1
        return np.sum(self.kappa[1:-1] * (u[2:] - u[:-2]) ** 2)


def test_globals_and_attributes_fit_too() -> None:
    rod, (u,) = Rod(6), _points((6,))
    for function in (of_globals, rod.energy):
        gradient = symdiff.grad(function)
        assert "== 1" not in str(gradient.source(u))
        np.testing.assert_allclose(
            gradient(u) @ (u - 0.7), _step(function, [u], [u - 0.7]), rtol=1e-12
        )


def test_facts_about_lengths_are_told() -> None:
    gradient = symdiff.grad(of_globals)
    gradient(*_points((6,)))
    (line,) = gradient.signatures()
    assert "SPACING.shape[0] == u.shape[0] - 1" in line
    assert "CONDUCTIVITY.shape[0] == u.shape[0]" in line


def test_a_global_of_another_length_is_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (u,) = _points((6,))
    gradient = symdiff.grad(of_globals)
    gradient(u)
    for other in (np.linspace(1.0, 2.0, 3), np.linspace(2.0, 1.0, 6)):
        monkeypatch.setitem(globals(), "CONDUCTIVITY", other)
        np.testing.assert_allclose(
            gradient(u) @ (u - 0.7), _step(of_globals, [u], [u - 0.7]), rtol=1e-12
        )
    monkeypatch.setitem(globals(), "CONDUCTIVITY", np.ones(7))
    with pytest.raises(ValueError, match="could not be broadcast"):
        gradient(u)


def test_a_module_fits_the_arrays_in_it(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    symdiff.grad(of_globals).export(path, *_points((6,)))
    gradient = runpy.run_path(str(path))["of_globals_grad"]
    (u,) = _points((6,))
    np.testing.assert_array_equal(gradient(u), symdiff.grad(of_globals)(u))
    with pytest.raises(TypeError, match=r"u.shape\[0\] must be 6, not 5"):
        gradient(u[1:])


def test_spelled_types_join_nothing() -> None:
    source = str(symdiff.grad(inner_parts).source("float64[n]", "float64[m]"))
    assert "== 1" in source
    with pytest.raises(SymdiffError):
        symdiff.grad(inner_parts).source("float64[n]", "float64[n")
