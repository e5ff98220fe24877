"""Derivatives of a generated program by the complex step, independent of symdiff.

The text of the program is loaded a second time with a ``np`` and a ``math`` whose functions are
analytic: ``np.zeros`` makes complex arrays, ``abs`` keeps the imaginary part, comparisons look at
the real part (NumPy's order of complex numbers). A step of 1e-30 along the imaginary axis then
gives derivatives to the last digits. Where a program does something that has no such meaning, or
the complex run goes another way than the real one, extrapolated differences take its place.
"""

from __future__ import annotations

import copy
import math
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tests import reference
from tests.fuzz.surface import is_analytic

Array = Any
Function = Callable[..., Any]
STEP = 1e-30
LARGEST_STEP = 0.003  # of differences
_STEPS = (0.02, 0.002, 0.0003)
_SMALL_STEPS = (1e-5, 1e-7, 1e-12)  # where slopes have all their digits
_LEVELS = 6


class NotAnalyticError(TypeError):
    """What has no meaning on complex numbers here."""


# --- NumPy and math on complex numbers


def _absolute(x: Any) -> Any:
    if not np.iscomplexobj(x):
        return np.abs(x)
    return np.where(np.real(x) < 0, -x, np.where(np.real(x) > 0, x, 0.0))[()]  # 0 at the kink


def _refused(*args: Any, **kwargs: Any) -> Any:
    raise NotAnalyticError


def _made_complex(function: Function) -> Function:
    def create(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        floating = made.dtype.kind == "f" and "dtype" not in kwargs
        return made.astype(complex) if floating else made

    return create


def _variance(x: Any, axis: Any = None, **kwargs: Any) -> Any:
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(deviation * deviation, axis=axis, **kwargs)


def _deviation(x: Any, axis: Any = None, **kwargs: Any) -> Any:
    return np.sqrt(_variance(x, axis=axis, **kwargs))


def _norm(x: Any, axis: Any = None, **kwargs: Any) -> Any:
    if kwargs:
        raise NotAnalyticError
    return np.sqrt(np.sum(x * x, axis=axis))


class _Namespace(types.ModuleType):
    """A module with some of its functions replaced."""

    def __init__(self, module: types.ModuleType, replaced: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(vars(module))
        self.__dict__.update(replaced)


def _log_determinant(a: Any) -> Any:
    determinant = np.linalg.det(a)
    sign = -1.0 if np.real(determinant) < 0 else 1.0
    return sign, np.log(sign * determinant)


_CREATION = (
    "zeros",
    "ones",
    "full",
    "empty",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "eye",
    "linspace",
)
_LINALG = _Namespace(
    np.linalg,
    {
        "norm": _norm,
        "slogdet": _log_determinant,
        "cholesky": _refused,
        "eigh": _refused,
        "svd": _refused,
        "qr": _refused,
    },
)
_NUMPY = _Namespace(
    np,
    {
        **{name: _made_complex(getattr(np, name)) for name in _CREATION},
        "abs": _absolute,
        "absolute": _absolute,
        "fabs": _absolute,
        "var": _variance,
        "std": _deviation,
        "linalg": _LINALG,
        "float64": np.complex128,
        "vdot": _refused,
        "arctan2": _refused,
        "hypot": _refused,
        "logaddexp": _refused,
        "sign": _refused,
    },
)
_MATH = _Namespace(
    math,
    {
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
        "tanh": np.tanh,
        "atan": np.arctan,
        "pow": np.power,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "fabs": _absolute,
        "log1p": np.log1p,
        "expm1": np.expm1,
        "hypot": _refused,
    },
)
_BUILTINS = {"abs": _absolute, "float": lambda x: x}


def analytic_namespace(text: str) -> dict[str, Any]:
    """The module's names, its functions working on complex numbers."""
    namespace: dict[str, Any] = {"__name__": "analytic", **_BUILTINS}
    lines = [
        line for line in text.splitlines() if line not in ("import math", "import numpy as np")
    ]
    namespace |= {"np": _NUMPY, "math": _MATH}
    exec(compile("\n".join(lines), "<analytic>", "exec"), namespace)
    for name, value in namespace.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            namespace[name] = value.astype(complex)
    return namespace


# --- derivatives


def _complex_argument(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(complex)
    return np.complex128(value) if isinstance(value, (float, np.floating)) else copy.deepcopy(value)


def _in_double(value: Any) -> Any:
    single = getattr(value, "dtype", None) == np.float32
    return value.astype(np.float64) if single else value


def _flat(result: Any, weights: Any) -> Any:
    return reference.weigh(result, weights) if weights is not None else np.sum(result)


class Reference:
    """First and second derivatives of a program at given arguments.

    ``method`` says what they were computed by; ``weights`` reduce a result that is not a scalar.
    They are of double precision also where arguments are of ``single``.
    """

    def __init__(
        self, text: str, function: Function, args: Sequence[Any], wrt: Sequence[int], weights: Any
    ) -> None:
        self.function = function
        self.single = any(getattr(arg, "dtype", None) == np.float32 for arg in args)
        self.args = list(map(_in_double, args))
        self.wrt = tuple(wrt)
        self.weights = weights
        self.value = float(np.squeeze(self._real(self.args)))
        self._analytic: Function | None = None
        self.method = "differences"
        if not is_analytic(text):
            return
        try:
            self._analytic = analytic_namespace(text)["program"]
            value = self._complex(self.args, None)
            bound = 1e-4 if self.single else 1e-9
            if abs(value.real - self.value) <= bound * max(1.0, abs(self.value)):
                self.method = "complex step"
        except Exception:
            pass

    def at(self, args: Sequence[Any]) -> Reference:
        """The reference at other arguments."""
        other = copy.copy(self)
        other.args = list(map(_in_double, args))
        other.value = float(np.squeeze(other._real(other.args)))
        return other

    def _real(self, args: Sequence[Any]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return float(np.squeeze(_flat(self.function(*copy.deepcopy(list(args))), self.weights)))

    def _complex(self, args: Sequence[Any], along: Sequence[Any] | None) -> complex:
        assert self._analytic is not None
        moved = [_complex_argument(arg) for arg in args]
        for position, step in enumerate(along or ()):
            if step is not None:
                moved[position] = moved[position] + 1j * STEP * step
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return complex(np.squeeze(_flat(self._analytic(*moved), self.weights)))

    def units(self) -> Iterator[list[Any]]:
        """The unit directions of all elements of what is differentiated, in order."""
        for position in self.wrt:
            for unit in reference.units(self.args[position]):
                along: list[Any] = [None] * len(self.args)
                along[position] = unit
                yield along

    def slope(self, args: Sequence[Any], along: Sequence[Any], step: float = LARGEST_STEP) -> float:
        """The directional derivative at other arguments, the mean of both sides at a kink.

        Of numbers that tie, the maximum is the one with the larger imaginary part: one side's.
        """
        if self.method == "complex step":
            back = [None if step is None else -step for step in along]
            ahead, behind = (self._complex(args, side).imag for side in (along, back))
            return (ahead - behind) / (2.0 * STEP)
        estimate = reference.directional(lambda *a: self._real(a), args, along, step=step)
        return float(estimate.value)

    def is_steady(self, tolerance: float) -> bool:
        """Whether differences of much smaller steps say the same: no jump is within the steps."""
        if self.method == "complex step":
            return True
        units = list(self.units())
        closer = np.array([self.slope(self.args, along, LARGEST_STEP / 50) for along in units])
        return bool(np.max(np.abs(closer - self.gradient()), initial=0.0) <= tolerance)

    def gradient(self) -> Array:
        """All first derivatives as one vector."""
        return np.array([self.slope(self.args, along) for along in self.units()])

    def second(self, u: Sequence[Any], v: Sequence[Any]) -> list[float]:
        """Estimates of the mixed derivative along two directions, for several step sizes.

        A kink may be nearer than the larger ones reach.
        """
        steps = (*_STEPS, *_SMALL_STEPS) if self.method == "complex step" else _STEPS
        return [self._second(u, v, step) for step in steps]

    def _second(self, u: Sequence[Any], v: Sequence[Any], step: float) -> float:
        def moved_slope(h: float) -> float:
            return self.slope(reference.move_arguments(self.args, v, h), u)

        def difference(h: float) -> float:
            return (moved_slope(h) - moved_slope(-h)) / (2.0 * h)

        return float(reference._ridders(difference, step, _LEVELS).value)
