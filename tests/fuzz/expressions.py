"""Random expressions over the values that are in scope.

Each is evaluated as it is made, so its shape and size are known and what fails is never used.
Values are floats, arrays of floats, integers, and lists; the text uses ``np`` and ``math``.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import surface
from tests.fuzz.sketch import RejectedError, is_moderate, strictly

Shape = tuple[int, ...]

UNARY = (
    "np.sin({})",
    "np.cos({})",
    "np.tanh({})",
    "np.exp(-({}) ** 2)",
    "np.exp(0.3 * {})",
    "np.log(1.5 + ({}) ** 2)",
    "np.sqrt(0.5 + ({}) ** 2)",
    "({}) ** 2",
    "-({})",
    "np.square({})",
    "1.0 / (1.0 + ({}) ** 2)",
    "np.abs({})",
    "abs({})",
    "np.arctan({})",
    "np.log1p(({}) ** 2)",
    "np.maximum({}, 0.1)",
    "np.minimum(0.6, {})",
    "np.clip({}, -0.5, 0.9)",
    "({}) ** 3",
    "np.expm1(0.2 * {})",
    "np.sinh(0.5 * {})",
    "(0.6 + ({}) ** 2) ** 0.7",
    "2.0 ** (0.3 * {})",
    "np.power({}, 2)",
    "np.negative({})",
    "np.reciprocal(1.2 + ({}) ** 2)",
    "0.7 * {}",
    "{} + 0.3",
    "1 - {}",
    "{} / 2",
    "np.cosh(0.4 * {})",
    "np.log10(2.0 + np.cos({}))",
    "+({})",
)
SCALAR_UNARY = (
    "math.sin({})",
    "math.exp(-abs({}))",
    "math.sqrt(0.3 + ({}) ** 2)",
    "math.tanh({})",
    "math.log(1.2 + ({}) ** 2)",
    "float({})",
    "math.cos({}) ** 2",
    "math.atan({})",
    "math.pow(1.3, {})",
    "max({}, 0.25)",
    "min({}, 0.75)",
    "pow({}, 2)",
    "np.float64({})",
)
BINARY = (
    "({}) + ({})",
    "({}) - ({})",
    "({}) * ({})",
    "({}) * ({})",
    "({}) / (1.2 + ({}) ** 2)",
    "np.maximum({}, {})",
    "np.minimum({}, {})",
    "np.add({}, {})",
    "np.multiply({}, {})",
    "np.where(({}) > 0.4, {}, 0.5)",
    "np.where(({}) > ({}), 0.2, 1.5)",
    "np.subtract({}, {})",
    "np.divide({}, 1.1 + abs({}))",
    "np.where(({}) < ({}), np.sin(0.5), -0.4)",
    "(0.8 + ({}) ** 2) ** (0.3 * ({}))",
)
REDUCTIONS = (
    "np.sum({})",
    "({}).sum()",
    "np.mean({})",
    "({}).mean()",
    "np.max({})",
    "({}).min()",
    "({}).max()",
    "np.prod(0.9 + 0.2 * ({}))",
    "np.linalg.norm(0.3 + {})",
    "np.var({})",
    "np.std({} + np.arange(3.0)[:, None])",
    "np.amax({})",
    "np.sqrt(np.sum(({}) ** 2) + 0.1)",
)
AXIS_REDUCTIONS = (
    "np.sum({}, axis={})",
    "({}).sum(axis={})",
    "np.mean({}, axis={})",
    "({}).max(axis={})",
    "np.sum({}, axis={}, keepdims=True)",
    "np.min({}, axis={})",
    "({}).mean(axis={}, keepdims=True)",
    "np.max({}, axis={}, keepdims=True)",
    "np.prod(1.0 + 0.2 * {}, axis={})",
    "np.var({}, axis={})",
    "np.cumsum({}, axis={})",
    "np.sort({}, axis={})",
    "np.flip({}, axis={})",
    "np.linalg.norm({}, axis={})",
    "np.roll({}, 1, axis={})",
    "np.diff({}, axis={})",
    "np.expand_dims({}, {})",
    "np.concatenate([{0}, 0.5 * ({0})], axis={1})",
    "np.stack([{0}, np.sin({0})], axis={1})",
    "np.repeat({}, 2, axis={})",
    "np.take({}, [0, 1], axis={})",
)
VECTOR_FUNCTIONS = (
    "({})[::-1]",
    "np.cumsum({})",
    "np.sort({})",
    "({})[:, None]",
    "({})[None, :]",
    "np.diff({})",
    "np.roll({}, 1)",
    "np.flip({})",
    "np.outer({0}, np.cos({0}))",
    "({}).reshape(-1, 1)",
    "np.append({}, 0.3)",
    "({})[np.newaxis]",
    "np.concatenate([{0}, ({0})[:1]])",
    "({}).cumsum()",
    "np.pad({}, 1)",
    "np.tile({}, 2)",
    "np.diag({})",
    "np.concatenate((({0})[1:], ({0})[:1]))",
    "np.array([({0})[0], ({0})[-1] ** 2])",
    "np.hstack([{0}, {0}])",
    "np.atleast_2d({})",
    "({}) @ np.arange(1.0, 1.0 + len({}))",
    "np.stack([{0}, ({0})[::-1]])",
    "np.full_like({0}, ({0})[0])",
    "np.linspace(0.0, 1.0, len({})) * ({})",
    "np.broadcast_to({}, (2, len({})))",
)
MATRIX_FUNCTIONS = (
    "({}).T",
    "np.transpose({})",
    "({}).reshape(-1)",
    "({}).ravel()",
    "({})[0]",
    "({})[:, -1]",
    "({})[1:]",
    "({})[:, ::-1]",
    "({}).reshape(({}).shape[1], -1)",
    "({0}) @ ({0}).T",
    "np.squeeze({})",
    "({0}).T @ ({0})",
    "np.trace(({0}) @ ({0}).T)",
    "np.einsum('ij->j', {})",
    "np.einsum('ij,ij->i', {0}, {0})",
    "np.einsum('ij,kj->ik', {0}, {0})",
    "({})[..., 0]",
    "np.swapaxes({}, 0, 1)",
    "({})[:, [0, -1]]",
    "({})[::-1, 0]",
    "np.diag(({0}) @ ({0}).T)",
    "np.tril({})",
    "np.triu({})",
    "np.concatenate([{0}, {0}])",
    "np.vstack([{0}, ({0})[:1]])",
    "np.moveaxis({}, 0, 1)",
    "({}).flatten()",
    "np.sum({}, axis=(0, 1))",
    "np.ravel({})",
    "({0}).dot(({0})[0])",
)
LINALG = (
    "np.linalg.solve({0} @ ({0}).T + 2.0 * np.eye(len({0})), ({0})[:, 0])",
    "np.linalg.inv({0} @ ({0}).T + np.eye(({0}).shape[0]))",
    "np.linalg.det(0.3 * ({0}) @ ({0}).T + np.eye(len({0})))",
    "np.linalg.slogdet({0} @ ({0}).T + np.eye(len({0})))[1]",
    "np.linalg.cholesky({0} @ ({0}).T + np.eye(len({0})))",
    "np.linalg.solve({0} @ ({0}).T + 2.0 * np.eye(len({0})), {0})",
)
ATOMS = (ast.Name, ast.Call, ast.Subscript, ast.Attribute)


class Expressions:
    """Makes texts and knows their values."""

    def __init__(self, random: Random, scope: Mapping[str, Any], namespace: Mapping[str, Any]):
        self.random = random
        self.scope = scope
        self.namespace = dict(namespace)

    # --- values

    def value(self, text: str) -> Any:
        """What a text evaluates to; rejected where it fails or is not of moderate size."""
        try:
            with strictly(), warnings.catch_warnings():
                warnings.simplefilter("error")
                value = eval(text, {**self.namespace, **self.scope})
        except Exception as error:
            raise RejectedError(str(error)) from None
        if not is_moderate(value):
            raise RejectedError("too large")
        return value

    def names(self, test: Callable[[Any], bool]) -> list[str]:
        """The names in scope whose values pass a test, oldest first."""
        return [name for name, value in self.scope.items() if test(value)]

    def constant(self) -> str:
        """A number as it stands in a program."""
        choices = (
            0.5,
            2.0,
            1.5,
            -0.3,
            0.25,
            1,
            2,
            0.1,
            3.0,
            -1.0,
            round(self.random.uniform(-2, 2), 2),
        )
        return repr(self.random.choice(choices))

    def any(self, depth: int) -> str:
        """An expression with a float or an array of floats as its value."""
        for _ in range(6):
            text = self._proposal(depth)
            if text is not None and self._does(text, is_float):
                return text
        return self.leaf()

    def scalar(self, depth: int = 1) -> str:
        """An expression with one float as its value."""
        for _ in range(6):
            text = self.any(depth)
            value = self.value(text)
            if np.shape(value) != ():
                text = self.random.choice(REDUCTIONS).format(text)
            if self._does(text, is_number):
                return text
        return self.constant()

    def fitting(self, shape: Shape, depth: int) -> str:
        """An expression that broadcasts to a shape."""
        for _ in range(5):
            text = self.any(depth)
            if _broadcasts(np.shape(self.value(text)), shape):
                return text
        return self.scalar(depth)

    def condition(self, depth: int = 2) -> str:
        """A truth value that depends on data in most cases, and not on the last bits."""
        for _ in range(8):
            text = self._condition(depth)
            if self._does(text, lambda value: isinstance(value, (bool, np.bool_))):
                return text
        return "True"

    def leaf(self) -> str:
        """A name, an element or a constant."""
        names = self.names(is_float)
        if not names or self.random.random() < 0.12:
            return self.constant()
        recent = names[-4:] if self.random.random() < 0.6 else names
        return self.random.choice(recent)

    # --- proposals

    def _does(self, text: str, test: Callable[[Any], bool]) -> bool:
        try:
            return test(self.value(text))
        except RejectedError:
            return False

    def _proposal(self, depth: int) -> str | None:
        if depth <= 0:
            return self.leaf()
        makers: Sequence[tuple[Callable[[int], str | None], int]] = (
            (self._unary, 6),
            (self._binary, 10),
            (self._read, 5),
            (self._shaped, 5),
            (self._reduced, 4),
            (self._product, 2),
            (self._called, 3),
            (self._linalg, 1),
            (self._of_list, 2),
            (self._ternary, 1),
            (self._comprehension, 1),
            (self._scalar_function, 2),
            (self._masked, 1),
            (self._builtin, 1),
            (self._integer, 1),
            (self._library, 4 if surface.WIDE in self.namespace else 0),
        )
        (make,) = self.random.choices([m for m, _ in makers], [w for _, w in makers])
        return make(depth)

    def _unary(self, depth: int) -> str:
        return self._filled(self.random.choice(UNARY), self.any(depth - 1))

    def _scalar_function(self, depth: int) -> str:
        return self._filled(self.random.choice(SCALAR_UNARY), self.scalar(depth - 1))

    def _binary(self, depth: int) -> str:
        return self._filled(self.random.choice(BINARY), self.any(depth - 1), self.any(depth - 1))

    def _filled(self, template: str, *texts: str) -> str:
        filled = (
            template.format(*texts, *texts) if "{0}" not in template else template.format(*texts)
        )
        return filled

    def _reduced(self, depth: int) -> str:
        inner = self.any(depth - 1)
        rank = np.ndim(self.value(inner))
        if rank == 0:
            return inner
        if rank == 1 and self.random.random() < 0.6:
            return self.random.choice(REDUCTIONS).format(inner)
        axis = self.random.randrange(-rank, rank)
        return self.random.choice(AXIS_REDUCTIONS).format(inner, axis)

    def _shaped(self, depth: int) -> str | None:
        inner = self.any(depth - 1)
        rank = np.ndim(self.value(inner))
        if rank == 1:
            return self._filled(self.random.choice(VECTOR_FUNCTIONS), inner)
        if rank == 2:
            return self._filled(self.random.choice(MATRIX_FUNCTIONS), inner)
        return None

    def _library(self, depth: int) -> str:
        """A call from the whole of the libraries' surface."""
        inner = self.any(depth - 1)
        rank = np.ndim(self.value(inner))
        pool: tuple[str, ...] = surface.NUMBERS
        if "special" in self.namespace and self.random.random() < 0.3:
            pool = surface.NUMBERS_OF_SCIPY
        elif rank in (1, 2) and self.random.random() < 0.75:
            pool = surface.VECTORS if rank == 1 else surface.MATRICES
        return self._filled(self.random.choice(pool), inner)

    def _linalg(self, depth: int) -> str | None:
        names = self.names(lambda value: is_float(value) and np.ndim(value) == 2)
        if not names:
            return None
        return self.random.choice(LINALG).format(self.random.choice(names))

    def _product(self, depth: int) -> str:
        template = self.random.choice(
            (
                "({}) @ ({})",
                "np.dot({}, {})",
                "np.outer({}, {})",
                "({}).dot({})",
                "np.matmul({}, {})",
            )
        )
        names = self.names(lambda value: is_float(value) and np.ndim(value) > 0)
        choices = [self.random.choice(names) if names else self.any(depth - 1) for _ in range(2)]
        return template.format(*choices)

    def _called(self, depth: int) -> str | None:
        functions = [n for n, v in {**self.namespace, **self.scope}.items() if is_helper(n, v)]
        if not functions:
            return None
        name = self.random.choice(functions)
        value = {**self.namespace, **self.scope}[name]
        count = value.__code__.co_argcount
        return f"{name}({', '.join(self.any(depth - 1) for _ in range(count))})"

    def _of_list(self, depth: int) -> str | None:
        names = self.names(lambda value: isinstance(value, list) and bool(value))
        if not names:
            return None
        template = self.random.choice(
            (
                "np.array({})",
                "{}[-1]",
                "{}[0]",
                "sum({})",
                "np.stack({})",
                "np.sum({})",
                "np.concatenate({})",
                "len({})",
                "{}[len({}) // 2]",
                "np.asarray({}).sum(axis=0)",
                "sum([t * t for t in {}])",
                "max({})",
            )
        )
        name = self.random.choice(names)
        return template.format(name, name)

    def _ternary(self, depth: int) -> str:
        value = self.any(depth - 1)
        shape = np.shape(self.value(value))
        other = self.as_type_of(value, self.fitting(shape, depth - 1))
        return f"(({value}) if {self.condition(1)} else ({other}))"

    def as_type_of(self, value: str, text: str) -> str:
        """The text, or another one, whose value has exactly the type and shape of ``value``."""
        wanted, found = self.value(value), self.value(text)
        if type(wanted) is type(found) and np.shape(wanted) == np.shape(found):
            return text
        if np.shape(wanted) == np.shape(found) == () and not isinstance(wanted, np.ndarray):
            return f"np.sum({text})" if isinstance(wanted, np.float64) else f"float({text})"
        return self.random.choice(("({}) * 0.5", "({}) ** 2", "-({})", "0.2 + ({})")).format(value)

    def _comprehension(self, depth: int) -> str | None:
        vectors = self.names(lambda value: is_float(value) and np.ndim(value) >= 1)
        if not vectors:
            return None
        name = self.random.choice(vectors)
        c = self.constant()
        template = self.random.choice(
            (
                "np.array([t * {c} for t in {x}])",
                "sum(np.sin(t) * {c} for t in {x})",
                "np.array([np.sum({x}[k] * k) for k in range(len({x}))])",
                "sum([{x}[k] * {x}[k - 1] for k in range(len({x}))])",
                "sum(s * t for s, t in zip({x}, {x}[::-1]))",
                "np.array([t ** 2 + k * {c} for k, t in enumerate({x})])",
            )
        )
        return template.format(x=name, c=c)

    def _masked(self, depth: int) -> str:
        inner = self.leaf()
        return self.random.choice(
            (
                "({0}) * (({0}) > 0.3)",
                "np.where(({0}) > 0.2, ({0}) ** 2, -({0}))",
                "np.sum(({0})[({0}) > 0.3])",
                "np.where(np.abs({0}) < 0.7, {0}, 0.0)",
            )
        ).format(inner)

    def _builtin(self, depth: int) -> str:
        a, b = self.scalar(depth - 1), self.scalar(depth - 1)
        return self.random.choice(
            ("max({}, {})", "min({}, {}, 0.9)", "abs({} - {})", "sum([{}, {}])")
        ).format(a, b)

    def _integer(self, depth: int) -> str | None:
        names = self.names(lambda value: type(value) is int)
        if not names:
            return None
        name = self.random.choice(names)
        other = self.any(depth - 1)
        template = self.random.choice(
            ("({}) * ({})", "({}) / ({} + 3)", "({1}) ** 2 + 0.1 * ({0})")
        )
        return (
            template.format(other, name) if "{1}" not in template else template.format(name, other)
        )

    def _read(self, depth: int) -> str | None:
        names = self.names(lambda value: is_float(value) and np.ndim(value) > 0)
        if not names:
            return None
        name = self.random.choice(names[-5:])
        return f"{name}[{self.index(name)}]"

    # --- indices

    def index(self, name: str) -> str:
        """What may stand in the brackets behind the name of an array, for reading or writing."""
        shape = np.shape(self.scope[name])
        kind = self.random.random()
        if kind < 0.12:
            return f"{name} > {round(self.random.uniform(-0.5, 1.0), 2)}"
        if kind < 0.2:
            return "..." if self.random.random() < 0.5 or len(shape) < 2 else "..., 0"
        if len(shape) == 1 or kind < 0.5:
            return self._entry(shape[0])
        return ", ".join(self._entry(size) for size in shape)

    def _entry(self, size: int) -> str:
        integers = self.names(lambda value: type(value) is int and -size <= value < size)
        makers = [self._element, self._slice, self._slice, self._gather]
        if integers and self.random.random() < 0.5:
            name = self.random.choice(integers)
            return self.random.choice(
                (name, name, f"{name} - 1", f"-{name}", f"{name}:", f":{name} + 1")
            )
        return self.random.choice(makers)(size)

    def _element(self, size: int) -> str:
        return str(self.random.randrange(-size, size)) if size else "0"

    def _slice(self, size: int) -> str:
        return self.random.choice(
            (
                ":",
                "1:",
                ":-1",
                "::2",
                "::-1",
                "1:-1",
                ":2",
                "-2:",
                "1::2",
                "-1:0:-1",
                "::-2",
                "0:1",
                ":3",
            )
        )

    def _gather(self, size: int) -> str:
        integers = [n for n, v in {**self.namespace, **self.scope}.items() if _is_index_array(v)]
        if integers and self.random.random() < 0.5:
            return self.random.choice(integers)
        count = self.random.randrange(1, 4)
        return str([self.random.randrange(-size, size) if size else 0 for _ in range(count)])

    # --- conditions

    def _condition(self, depth: int) -> str:
        kind = self.random.random()
        if depth > 1 and kind < 0.15:
            joint = self.random.choice(("({}) and ({})", "({}) or ({})"))
            return joint.format(self._condition(depth - 1), self._condition(depth - 1))
        if depth > 1 and kind < 0.2:
            return f"not ({self._condition(depth - 1)})"
        if kind < 0.3:
            return self._static_condition()
        if kind < 0.4:
            arrays = self.names(lambda value: is_float(value) and np.ndim(value) > 0)
            if arrays:
                word = self.random.choice(("np.any({} > {})", "np.all({} < {})", "({} > {}).any()"))
                return word.format(self.random.choice(arrays), self._threshold(0.5))
        return self._comparison()

    def _comparison(self) -> str:
        text = self.scalar(1)
        value = float(self.value(text))
        bound = self._threshold(value)
        word = self.random.choice(
            ("({t}) > {b}", "({t}) < {b}", "{b} <= ({t})", "-5.0 < ({t}) < {b}")
        )
        return word.format(t=text, b=bound)

    def _threshold(self, value: float) -> float:
        offset = self.random.choice((-1, 1)) * self.random.uniform(0.05, 0.6)
        return round(value + offset, 2)

    def _static_condition(self) -> str:
        arrays = self.names(lambda value: is_float(value) and np.ndim(value) > 0)
        integers = self.names(lambda value: type(value) is int)
        choices = ["1 > 2"]
        if arrays:
            name = self.random.choice(arrays)
            choices += [
                f"{name}.ndim == 1",
                f"len({name}) > 2",
                f"{name}.shape[0] == 3",
                f"{name}.size > 4",
            ]
        if integers:
            name = self.random.choice(integers)
            choices += [f"{name} % 2 == 0", f"{name} > 1", f"{name} == 0", f"{name} != 2"] * 2
        return self.random.choice(choices)


def is_float(value: Any) -> bool:
    """Whether a value is a float or an array of floats."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and value.size > 0
    return isinstance(value, (float, np.floating))


def is_number(value: Any) -> bool:
    """Whether a value is one float."""
    return is_float(value) and np.shape(value) == ()


def is_helper(name: str, value: Any) -> bool:
    """Whether a name means a function of the program that may stand in an expression."""
    return name.startswith(("helper", "local")) and callable(value)


def _is_index_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "i" and value.ndim == 1


def _broadcasts(shape: Shape, target: Shape) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False
