"""Arguments of library functions: taken, left at their defaults, or refused by name."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg, ndimage, optimize

import symdiff as sd
from symdiff.definitions import DEFINITIONS
from symdiff.definitions.libraries import import_all
from symdiff.ops.arguments import documented, untaken
from symdiff.ops.declare import FUNCTIONS, METHODS, WRITES

V = np.array([0.3, 0.7, 1.2])


def every_callable() -> dict[Any, Callable[..., Any]]:
    import_all()
    of_arrays = {name: getattr(np.ndarray, name, None) for name in METHODS}
    methods = {own: METHODS[name] for name, own in of_arrays.items() if own is not None}
    return {**FUNCTIONS, **DEFINITIONS, **WRITES, **methods}


def test_what_a_callable_requires_is_taken() -> None:
    for function, meaning in every_callable().items():
        assert inspect.Parameter.empty not in untaken(function, meaning).values(), function


def test_every_other_argument_is_refused_by_name() -> None:
    """What is refused is seen before the call is: its other arguments do not matter."""
    count = 0
    for function, meaning in {**FUNCTIONS, **DEFINITIONS, **WRITES}.items():
        for name in untaken(function, meaning, out=function not in DEFINITIONS):
            options = {name: "something else"}

            def called(x: Any, function: Any = function, options: Any = options) -> Any:
                return function(x, **options)

            with pytest.raises(sd.UnsupportedCallError, match=f"with the argument {name}= is not"):
                sd.differentiable(called).forward(V)
            count += 1
    assert count > 500


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sin(x, None, where=True, casting="same_kind", order="K", subok=True),
        lambda x: np.modf(x, casting="same_kind", order="K", dtype=None),
        lambda x: np.matmul(x, x, casting="same_kind"),
        lambda x: np.trace(np.outer(x, x), 0, 0, 1, None),
        lambda x: np.zeros(3, like=None, device=None) + x,
        lambda x: np.einsum("i,i", x, x, out=None, optimize=False),
        lambda x: np.concatenate((x, x), casting="same_kind"),
        lambda x: np.sort(x, stable=None),
        lambda x: np.unique(x, sorted=True),
        lambda x: np.nanquantile(x, 0.3, None, None, False, "linear"),
        lambda x: x.astype(float, "K", "unsafe", True, True),
        lambda x: np.sum(x, None, None, None, True),
        lambda x: np.std(x, 0, None, None, 1),
        lambda x: np.max(x, 0, None, True, 0.5),
        lambda x: np.percentile(x, 30, None, None, True, "hazen"),
        lambda x: np.take(x, [1, 5], 0, None, "clip"),
        lambda x: x.sum(0, None, None, True, 2.0),
        lambda x: linalg.solve(np.diag(x), x, True, False, False, False, "pos"),
        lambda x: ndimage.correlate1d(x, x, 0, None, "constant", 0.5),
        lambda x: optimize.brentq(lambda t, c: t * t - c, 0.0, 2.0, x[0], 1e-9, 1e-9, 80),
    ],
)
def test_defaults_may_be_written_out(call: Any) -> None:
    found, _ = sd.differentiable(call).forward(V)
    for one, other in zip(found, call(V), strict=True) if np.ndim(found) else [(found, call(V))]:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.zeros(3, float, "C", device="gpu") + x,
        lambda x: x + np.zeros(3, like=x),
        lambda x: np.sin(x, signature="f->f"),
        lambda x: np.add.reduce(x, whereabouts=True),
    ],
)
def test_a_refusal_tells_the_place_and_the_argument(call: Any) -> None:
    with pytest.raises(sd.UnsupportedCallError, match=r"argument \w+= is not supported") as caught:
        sd.grad(call)(V)
    assert caught.value.span is not None
    assert "test_arguments.py" in str(caught.value)


def test_what_the_library_does_not_know_is_its_own_error() -> None:
    for call in (lambda x: np.sort(x, upwards=True), lambda x: np.sum(x, axes=0)):
        with pytest.raises(TypeError, match="unexpected keyword"):
            call(V)
        with pytest.raises(TypeError, match="unexpected keyword"):
            sd.grad(call)(V)


def test_parameters_are_read_where_they_are_told() -> None:
    assert list(documented(np.add) or ())[:3] == ["x1", "x2", "out"]
    assert "where" not in (documented(np.matmul) or {"where"})
    assert documented(max) is None
