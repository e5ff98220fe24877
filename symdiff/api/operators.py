"""Derivatives at a point as ``scipy.sparse.linalg.LinearOperator``: products with them alone.

Each is made of a linearization: the function runs once, and each product costs the linear part, or
its transpose. They are by one real array, and of a function that returns one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from symdiff.api.objects import Differentiable, differentiable_of
from symdiff.api.tangents import as_float
from symdiff.errors import GradientShapeError, SignatureError

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

Product = Callable[[np.ndarray], np.ndarray]


def jacobian_at(f: Callable[..., Any], args: tuple[Any, ...], argnum: int | str) -> LinearOperator:
    """Products with the Jacobian, and with its transpose."""
    point = _Point(differentiable_of(f), args, argnum)
    return point.operator(point.push, point.pull, (point.height, point.width))


def hessian_at(f: Callable[..., Any], args: tuple[Any, ...], argnum: int | str) -> LinearOperator:
    """Products with the Hessian: with the Jacobian of the gradient."""
    made = differentiable_of(f)
    return jacobian_at(made._gradient(argnum), args, argnum)


def gauss_newton_at(
    f: Callable[..., Any], args: tuple[Any, ...], argnum: int | str
) -> LinearOperator:
    """Products with the Jacobian's transpose times the Jacobian."""
    point = _Point(differentiable_of(f), args, argnum)

    def product(v: np.ndarray) -> np.ndarray:
        return point.pull(point.push(v))

    return point.operator(product, product, (point.width, point.width))


class _Point:
    """A function linearized by one of its arguments."""

    def __init__(self, made: Differentiable, args: tuple[Any, ...], argnum: int | str) -> None:
        made, self.number = _by_one(made, argnum)
        args = tuple(as_float(v) if k == self.number else v for k, v in enumerate(args))
        arguments = made._canonical(args, {})
        self.value, self.linear = made.linearize(*args)
        self.count = len(args)
        parameters = made._chain.parameters[-1]
        given = parameters.value_at(arguments, parameters.locate(argnum, made._skip))
        self.shape, dtype = _of_reals(given, f"the argument that {made._name} is differentiated by")
        self.returned, of_value = _of_reals(self.value, f"what {made._name} returns")
        self.dtype = np.promote_types(dtype, of_value)

    @property
    def width(self) -> int:
        return int(np.prod(self.shape))

    @property
    def height(self) -> int:
        return int(np.prod(self.returned))

    def push(self, v: np.ndarray) -> np.ndarray:
        """The Jacobian times a vector."""
        tangents: list[Any] = [None] * max(self.count, self.number + 1)
        tangents[self.number] = np.reshape(v, self.shape)
        return np.ravel(self.linear(*tangents))

    def pull(self, v: np.ndarray) -> np.ndarray:
        """The Jacobian's transpose times a vector."""
        return np.ravel(self.linear.transpose(np.reshape(v, self.returned))[self.number])

    def operator(self, forward: Product, back: Product, shape: tuple[int, int]) -> LinearOperator:
        try:
            from scipy.sparse.linalg import LinearOperator
        except ImportError as error:
            raise ImportError(
                "linear operators need SciPy: pip install 'symdiff[scipy]'", name="scipy"
            ) from error
        made: Any = LinearOperator(shape, matvec=forward, rmatvec=back, dtype=self.dtype)
        made.value = self.value
        operator: LinearOperator = made
        return operator


def _by_one(made: Differentiable, argnum: int | str) -> tuple[Differentiable, int]:
    """The function with all other arguments held constant, and the number of the one."""
    if isinstance(argnum, bool) or not isinstance(argnum, int | str):
        raise SignatureError(
            f"an operator is by one argument, a position or a name, not by {argnum!r}",
            hint="put the arguments together in one array",
        )
    (chosen, *inside) = made._chain.parameters[-1].locate(argnum, made._skip)
    names = made._home.parameters.names[made._skip :]
    number = names.index(chosen) + (int(inside[0]) if inside else 0)
    others = [name for name in made._free_names if name != chosen]
    return made.freeze(*others) if others and not inside else made, number


def _of_reals(value: Any, what: str) -> tuple[tuple[int, ...], np.dtype]:
    """The shape and dtype of a real array or number.

    :raises GradientShapeError: where it is something else.
    """
    kind = value.dtype.kind if isinstance(value, np.ndarray | np.generic) else ""
    if not isinstance(value, float) and kind != "f":
        raise GradientShapeError(
            f"an operator is of one array of floats by another, but {what} is {_described(value)}",
            hint=_HINTS.get(kind, "put all into one array, or use symdiff.linearize"),
        )
    return np.shape(value), np.asarray(value).dtype


_HINTS = {
    **dict.fromkeys("biu", "make floats of it: x.astype(float), float(x)"),
    "c": "use symdiff.linearize, or pass and return real and imaginary parts in one array",
}


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray | np.generic):
        return f"of dtype {value.dtype}"
    return f"of type {type(value).__name__}"
