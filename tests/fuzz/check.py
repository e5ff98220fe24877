"""What symdiff makes of one program: right, refused, crashed or wrong.

The text of a module (as ``generate`` writes it) enters, an ``Outcome`` leaves. Every program is
checked in its value and in what it leaves of its arguments (to the bit, with the emitted primal
verified at each call), in reverse and forward mode, and in second order, at all of its cases. Each
derivative is computed twice: it has the same bits again, leaves its arguments as they were, and its
arrays are fresh.
"""

from __future__ import annotations

import _weakrefset
import copy
import functools
import gc
import importlib.util
import re
import signal
import sys
import tempfile
import traceback
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests import reference
from tests.fuzz.analytic import Reference

ORDER_ONE = 1e-8
ORDER_TWO = 1e-5
SINGLE = 1e-3  # where an argument is of single precision
TIME_LIMIT = 60.0
KINDS = ("right", "refused", "crashed", "wrong", "warned", "unsure")


@dataclass(frozen=True)
class Outcome:
    """What happened, at which stage, and the message; equal ``cause`` means probably one bug."""

    kind: str
    stage: str = ""
    message: str = ""
    details: str = ""

    @property
    def cause(self) -> str:
        """The message without what differs from program to program."""
        text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", self.message)
        text = re.sub(r"(structure|value) of [\w.\[\]]+", r"\1 of …", text)
        text = re.sub(r"(differs|emitted) for \w+", r"\1 for …", text)
        text = re.sub(r"%\w+|\b[a-z]{1,5}\d+\b|0x[0-9a-f]+", "%", text)
        return f"{self.kind}, {self.stage}: {re.sub(r'[0-9]+', '#', text)[:160]}"


class Timeout(BaseException):
    """The time for one program is over; no handler of ``Exception`` catches it."""


def _swallows(code: types.CodeType) -> bool:
    """Return whether Python swallows what a code raises, of a weak reference or ``__del__``."""
    return code.co_name == "__del__" or code.co_filename in (_weakrefset.__file__, weakref.__file__)


@contextmanager
def time_limit(seconds: float, *, busy: bool = False) -> Iterator[None]:
    """Raise ``Timeout`` in the main thread when the time is over.

    :param busy: whether only the time counts that this process computes, however busy the machine.
    """

    def over(_: int, frame: types.FrameType | None) -> None:
        while frame is not None:
            if _swallows(frame.f_code) or frame.f_code in collecting:
                signal.setitimer(clock, 0.01)
                return
            frame = frame.f_back
        raise Timeout

    number = signal.SIGPROF if busy else signal.SIGALRM
    clock = signal.ITIMER_PROF if busy else signal.ITIMER_REAL
    # Python swallows what these raise, too.
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    before = signal.signal(number, over)
    signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        signal.setitimer(clock, 0.0)
        signal.signal(number, before)


class _FoundError(Exception):
    """An outcome that ends the check."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.kind)
        self.outcome = outcome


def load(text: str, path: Path) -> types.ModuleType:
    """Write the text to a file and import it, so that its source can be found."""
    path.write_text(text, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


_counter = iter(range(10**9))


def check(
    text: str, *, folder: Path | None = None, limit: float = TIME_LIMIT, second: bool = True
) -> Outcome:
    """The outcome for a module's text.

    :param folder: where the module is written; a temporary folder by default.
    :param limit: seconds after which the program counts as crashed.
    :param second: whether second order, which takes most of the time, is checked too.
    """
    with tempfile.TemporaryDirectory() as made:
        path = (folder or Path(made)) / f"program_{next(_counter)}.py"
        try:
            with time_limit(limit, busy=True):
                return _check(load(text, path), text, second)
        except Timeout:
            return Outcome("crashed", "any", f"still running after {limit} s")
        finally:
            path.unlink(missing_ok=True)
            sys.modules.pop(path.stem, None)


def _check(module: types.ModuleType, text: str, second: bool) -> Outcome:
    try:
        notes = [_check_case(module, text, case, second) for case in module.CASES]
    except _FoundError as found:
        return found.outcome
    return max(notes, key=lambda note: (note.kind != "right", note.stage == "differences"))


def _check_case(module: types.ModuleType, text: str, case: Sequence[Any], second: bool) -> Outcome:
    function, wrt = module.program, module.WRT
    value = function(*copied(case))
    scalar = not isinstance(value, tuple) and np.size(value) == 1
    weights = None if scalar else _weights(value)
    known = Reference(text, function, case, wrt, weights)
    run = _Run(function, case, wrt, weights, value, known)
    stages = [run.primal, run.state, run.reverse, run.forward]
    for stage in [*stages, run.second] if second else stages:
        with _reported(stage.__name__):
            stage()
    return run.warned or Outcome("right", known.method)


def _weights(value: Any) -> Any:
    return reference.direction(value, seed=99)


class _Run:
    """The checks of one program at one set of arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        case: Sequence[Any],
        wrt: Sequence[int],
        weights: Any,
        value: Any,
        known: Reference,
    ) -> None:
        import symdiff

        self.sd = symdiff
        self.function, self.case, self.wrt = function, case, tuple(wrt)
        self.weights, self.value, self.known = weights, value, known
        try:
            self.expected = known.gradient()
        except Exception:  # a little further the program goes another way, and fails
            raise _FoundError(Outcome("unsure", "any", "no derivative near")) from None
        self.scale = max(1.0, abs(known.value), float(np.max(np.abs(self.expected), initial=0.0)))
        self.warned: Outcome | None = None

    def call(self, stage: str, function: Callable[..., Any], *args: Any) -> Any:
        """A call, made twice, with copies of the arguments, which must stay as they were."""
        given = copied(args)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*given)
            kept, again = copy.deepcopy(result), function(*given)
        if not same(given, list(args)):
            raise _FoundError(Outcome("wrong", stage, "an argument of the caller was changed"))
        if not same(again, kept) or not same(result, kept):
            details = f"{result!r}, then {again!r}"
            raise _FoundError(Outcome("wrong", stage, "another result the second time", details))
        for warning in caught:
            if self.warned is None:
                self.warned = Outcome("warned", stage, str(warning.message))
        return result

    def derivative(self, stage: str, function: Callable[..., Any], *args: Any) -> Any:
        """A call whose results are arrays of their own, in C order, that may be written."""
        held: list[Any] = []

        def holding(*given: Any) -> Any:
            result = function(*given)
            held.extend((given, result))
            return result

        result = self.call(stage, holding, *args)
        given, first, _, second = map(arrays, held)
        if not all(a.flags.c_contiguous and a.flags.writeable for a in first):
            raise _FoundError(Outcome("wrong", stage, "a derivative that is not a plain array"))
        others = [*given, *second]
        for k, one in enumerate(first):
            if any(np.shares_memory(one, other) for other in (*others, *first[:k])):
                raise _FoundError(Outcome("wrong", stage, "a derivative that is not fresh"))
        return result

    def directions(self, seed: int) -> list[Any]:
        """A random direction for each argument that is differentiated."""
        return [
            reference.direction(arg, seed + k) if k in self.wrt else None
            for k, arg in enumerate(self.case)
        ]

    def primal(self) -> None:
        """The value has the same bits and type."""
        value = self.call(
            "primal", lambda *a: self.sd.differentiable(self.function).forward(*a)[0], *self.case
        )
        if not same(value, self.value):
            raise _FoundError(
                Outcome("wrong", "primal", "another value", f"{value!r} is not {self.value!r}")
            )

    def state(self) -> None:
        """What the function leaves of its arguments has the same bits."""
        functional = self.sd.functional(self.function)
        value, written = self.call("state", functional, *self.case)
        given = copied(self.case)
        self.function(*given)
        names = self.function.__code__.co_varnames
        for name, before, after in zip(names, self.case, given, strict=False):
            if not same(written.get(name, before), after):
                details = f"{name}: {written.get(name, before)!r} is not {after!r}"
                raise _FoundError(Outcome("wrong", "state", "another final argument", details))
        if not same(value, self.value):
            raise _FoundError(Outcome("wrong", "state", "another value", f"{value!r}"))

    def reverse(self) -> None:
        """The gradient by all arguments, with their shapes and dtypes."""
        if self.weights is None:
            gradient = self.sd.grad(self.function, argnums=self.wrt)
            found = self.derivative("reverse", gradient, *self.case)
        else:
            found = self.derivative("reverse", self._pulled_back, *self.case)
        for position, derivative in zip(self.wrt, found, strict=True):
            argument = np.asarray(self.case[position])
            if (
                np.shape(derivative) != argument.shape
                or np.asarray(derivative).dtype != argument.dtype
            ):
                message = "a derivative of another shape or dtype"
                details = (
                    f"{np.shape(derivative)} {np.asarray(derivative).dtype}, not {argument.shape}"
                )
                raise _FoundError(Outcome("wrong", "reverse", message, details))
        self.compare("reverse", flat(found), self.expected)

    def _pulled_back(self, *args: Any) -> Any:
        _, pullback = self.sd.vjp(self.function, *args)
        gradients, again = pullback(self.weights), pullback(self.weights)
        if not same(gradients, again):
            raise _FoundError(Outcome("wrong", "reverse", "another result of a pullback's 2nd run"))
        return tuple(gradients[k] for k in self.wrt)

    def forward(self) -> None:
        """The directional derivative along a random direction."""
        tangents = self.directions(1)
        _, tangent = self.call(
            "forward", lambda *a: self.sd.jvp(self.function, tuple(a), tuple(tangents)), *self.case
        )
        along = flat([tangents[k] for k in self.wrt])
        actual = np.sum(tangent) if self.weights is None else reference.weigh(tangent, self.weights)
        self.compare("forward", np.array([actual], float), np.array([along @ self.expected]))

    def second(self) -> None:
        """The derivative of the gradient, by the tangent and by the pullback of the gradient."""
        if self.weights is not None:
            return
        _, v = self._along
        gradient = self.sd.grad(self.function, argnums=self.wrt)
        along = tuple(v[k] for k in self.wrt)

        def forward(*args: Any) -> Any:
            return self.sd.jvp(gradient, args, tuple(v))[1]

        def reverse(*args: Any) -> Any:
            pulled = self.sd.vjp(gradient, *args)[1](along)
            return [pulled[k] for k in self.wrt]

        for stage, product in (("second", forward), ("second, reverse", reverse)):
            self._compare_second(stage, self.derivative(stage, product, *self.case))

    @functools.cached_property
    def _along(self) -> tuple[list[Any], list[Any]]:
        return self.directions(2), self.directions(3)

    @functools.cached_property
    def _expected_second(self) -> list[float]:
        """Estimates of the mixed derivative, with which products in both modes are compared."""
        return self.known.second(*self._along)

    def _compare_second(self, stage: str, product: Any) -> None:
        u, _ = self._along
        actual = float(flat([u[k] for k in self.wrt]) @ flat(product))
        try:
            estimates = self._expected_second
        except Exception:  # a little further the program goes another way, and fails
            raise _FoundError(Outcome("unsure", stage, "no second derivative near")) from None
        scale = max(self.scale, min(map(abs, estimates)))
        bound = SINGLE if self.known.single else ORDER_TWO
        if not min(abs(actual - e) for e in estimates) <= bound * scale:
            if max(estimates) - min(estimates) > 0.1 * scale or not self.is_settled():
                raise _FoundError(Outcome("unsure", stage, "no second derivative to compare with"))
            details = f"{actual!r}, expected {estimates} ({self.known.method})"
            raise _FoundError(Outcome("wrong", stage, "another second derivative", details))

    def is_settled(self) -> bool:
        """Whether the arguments' last digits leave the value and the reference's gradient alone.

        Where they do not, ``np.sin(1e28 * x)``, its own rounding decides on what a reference says.
        """
        moved = copied(self.case)
        for k in self.wrt:
            moved[k] = moved[k] * (1.0 + 4.0 * np.finfo(float).eps)
        again = self.known.at(moved)
        before = self.known.value
        if not abs(again.value - before) <= 1e-10 * max(1.0, abs(before)):
            return False
        change = np.max(np.abs(again.gradient() - self.expected), initial=0.0)
        return bool(change <= 0.1 * ORDER_ONE * self.scale)

    def compare(self, stage: str, actual: Any, expected: Any) -> None:
        """All elements within the tolerance."""
        bound = ORDER_ONE if self.known.method == "complex step" else ORDER_TWO
        bound = SINGLE if self.known.single else bound
        difference = float(np.max(np.abs(actual - expected), initial=0.0))
        if not difference <= bound * self.scale:
            if not self.is_settled():
                raise _FoundError(Outcome("unsure", stage, "the value hangs on the last digits"))
            if not self.known.is_steady(bound * self.scale):
                raise _FoundError(Outcome("unsure", stage, "differences of two steps disagree"))
            details = f"{actual.tolist()}\nexpected {expected.tolist()} ({self.known.method})"
            raise _FoundError(Outcome("wrong", stage, "another derivative", details))


def copied(args: Sequence[Any]) -> list[Any]:
    """Copies of arguments, arrays in the same layout."""
    return [_copied_array(a) if isinstance(a, np.ndarray) else copy.deepcopy(a) for a in args]


def _copied_array(array: Any) -> Any:
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    buffer = whole.copy(order="K").ravel(order="K")
    offset = array.ctypes.data - whole.ctypes.data
    return np.ndarray(array.shape, array.dtype, buffer, offset, array.strides)


def arrays(tree: Any) -> list[Any]:
    """All arrays in tuples and lists."""
    if isinstance(tree, (list, tuple)):
        return [array for part in tree for array in arrays(part)]
    return [tree] if isinstance(tree, np.ndarray) else []


def flat(trees: Any) -> Any:
    """All numbers of some derivatives as one vector."""
    return np.concatenate([np.ravel(np.asarray(tree, float)) for tree in trees])


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal in type, dtype, shape and every bit."""
    if type(left) is not type(right):
        return False
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (float, np.ndarray, np.generic)):
        a, b = np.asarray(left), np.asarray(right)
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(left == right)


@contextmanager
def _reported(stage: str) -> Iterator[None]:
    """Whatever is raised becomes the outcome."""
    found: list[Outcome] = []
    with reported(stage, found):
        yield
    if found:
        raise _FoundError(found[0])


@contextmanager
def reported(stage: str, found: list[Outcome]) -> Iterator[None]:
    """Whatever is raised is added to ``found`` as an outcome."""
    import symdiff

    try:
        yield
    except _FoundError as error:
        found.append(error.outcome)
    except symdiff.InternalError as error:
        found.append(_crash(stage, error))
    except symdiff.SymdiffError as error:
        found.append(_refusal(stage, error))
    except Exception as error:
        found.append(_crash(stage, error))


def _refusal(stage: str, error: Any) -> Outcome:
    """A refusal without a place counts as a crash."""
    message = f"{type(error).__name__}: {error.message}"
    if error.span is not None:
        return Outcome("refused", stage, message, str(error))
    return Outcome("crashed", stage, f"no span: {message}", f"{error}\n{_where(error)}")


def _crash(stage: str, error: Exception) -> Outcome:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "/symdiff/" in f.filename]
    last = inside[-1] if inside else frames[-1]
    first_line = (str(error) or "").splitlines()[:1]
    place = f"{Path(last.filename).name}:{last.name}"
    message = f"{type(error).__name__} in {place}: {' '.join(first_line)}"
    return Outcome("crashed", stage, message, "".join(traceback.format_exception(error))[-6000:])


def _where(error: Exception) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-3:])
