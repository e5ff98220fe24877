"""The derivatives at kinks and edges, beside those of JAX, PyTorch and autograd.

``CONVENTIONS`` says what symdiff gives where no derivative exists, or where a formula breaks down
(0 * inf, inf - inf), and why. ``python -m tests.conventions README.md`` writes the table between
its marks: the columns of the libraries that are installed are computed, and those of others kept
as they are, so it is run once in an environment with each. Nothing here imports symdiff.
"""

from __future__ import annotations

import cmath
import importlib
import importlib.metadata
import linecache
import math
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

START, END = "<!-- conventions -->", "<!-- end of conventions -->"
PEERS = {"JAX": "jax", "PyTorch": "torch", "autograd": "autograd"}
MISSING, RAISES, UNKNOWN = "–", "raises", "?"


@dataclass(frozen=True)
class Convention:
    """The derivative of a function of ``x``, an expression of NumPy's names, at a point.

    ``derivative`` is an expression too, or ``"raises"``: NumPy's ``LinAlgError``. ``torch`` is the
    function in PyTorch's names, where it has it.
    """

    call: str
    at: str
    derivative: str
    because: str
    torch: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What the first cells of the row say."""
        return f"`{self.call}`", f"`{self.at}`"

    @property
    def expected(self) -> str:
        """The derivative as it is printed."""
        if self.derivative == RAISES:
            return RAISES
        return spelled(eval(self.derivative, {"np": np}))

    def point(self) -> Any:
        """The point, made anew."""
        return eval(self.at, {"np": np})


_SIZE = "no slope: the mean of both sides"
_FLAT = "constant on both sides"
_JUMP = "the slope beside the jump"
_TIE = "ties share evenly"
_FIRST = "the first of those that tie"
_LIMIT = "the limit"
_SIDE = "the limit from inside the domain"
_INSIDE = "the edge counts as inside"
_BRANCH = "that of the branch taken"
_UNSELECTED = "what is not selected has none"
_LEAST = "the smallest subgradient"
_ABSENT = "NaN is not there"
_CHOICE = "one choice of the vectors"
_NONE = "there is none"
_UNDETERMINED = "another in each direction: none of them"
_ISOLATED = "the value is NaN"

CONVENTIONS = (
    # Sizes, signs, jumps
    Convention("np.abs(x)", "0.0", "0.0", _SIZE, "torch.abs(x)"),
    Convention("abs(x)", "0.0", "0.0", _SIZE, "abs(x)"),
    Convention("np.fabs(x)", "0.0", "0.0", _SIZE),
    Convention("np.copysign(x, 1.0)", "0.0", "0.0", _SIZE, "torch.copysign(x, real(1.0))"),
    Convention("np.sign(x)", "0.0", "0.0", _FLAT, "torch.sign(x)"),
    Convention("np.heaviside(x, 0.5)", "0.0", "0.0", _FLAT, "torch.heaviside(x, real(0.5))"),
    Convention("np.floor(x)", "0.0", "0.0", _FLAT, "torch.floor(x)"),
    Convention("np.round(x)", "0.5", "0.0", _FLAT, "torch.round(x)"),
    Convention("np.trunc(x)", "1.0", "0.0", _FLAT, "torch.trunc(x)"),
    Convention("x // 1.0", "1.0", "0.0", _FLAT, "x // 1.0"),
    Convention("x % 1.0", "1.0", "1.0", _JUMP, "x % 1.0"),
    Convention("1.0 % x", "0.5", "-2.0", _JUMP, "1.0 % x"),
    Convention("np.fmod(x, 1.0)", "1.0", "1.0", _JUMP, "torch.fmod(x, 1.0)"),
    Convention("np.modf(x)[0]", "1.0", "1.0", _JUMP, "torch.frac(x)"),
    Convention("np.frexp(x)[0]", "1.0", "0.5", _JUMP, "torch.frexp(x)[0]"),
    Convention("np.unwrap(x)[1]", "np.array([0.0, np.pi])", "np.array([0.0, 1.0])", _JUMP),
    # Maxima, ties, order
    Convention("np.maximum(x, 1.0)", "1.0", "0.5", _TIE, "torch.maximum(x, real(1.0))"),
    Convention("np.minimum(x, 1.0)", "1.0", "0.5", _TIE, "torch.minimum(x, real(1.0))"),
    Convention("np.maximum(x, 0.0)", "0.0", "0.5", _TIE, "torch.relu(x)"),
    Convention("np.fmax(x, 1.0)", "1.0", "0.5", _TIE, "torch.fmax(x, real(1.0))"),
    Convention("np.fmax(x, np.nan)", "1.0", "1.0", _ABSENT, "torch.fmax(x, real(math.nan))"),
    Convention("max(x, 1.0)", "1.0", "1.0", _BRANCH, "max(x, 1.0)"),
    Convention("np.where(x > 0.0, x, 0.0)", "0.0", "0.0", _BRANCH, "torch.where(x > 0.0, x, 0.0)"),
    Convention("-x if x < 0.0 else x", "0.0", "1.0", _BRANCH, "-x if x < 0.0 else x"),
    Convention("np.clip(x, 0.0, 1.0)", "0.0", "1.0", _INSIDE, "torch.clamp(x, 0.0, 1.0)"),
    Convention("np.clip(x, 0.0, 1.0)", "1.0", "1.0", _INSIDE, "torch.clamp(x, 0.0, 1.0)"),
    Convention(
        "np.clip(0.5, x, 1.0)", "0.5", "0.0", _INSIDE, "torch.clamp(real(0.5), x, real(1.0))"
    ),
    Convention("np.max(x)", "np.array([2.0, 2.0])", "np.array([0.5, 0.5])", _TIE, "torch.amax(x)"),
    Convention("np.min(x)", "np.array([2.0, 2.0])", "np.array([0.5, 0.5])", _TIE, "torch.amin(x)"),
    Convention(
        "np.ptp(x)", "np.array([2.0, 2.0])", "np.zeros(2)", _TIE, "torch.amax(x) - torch.amin(x)"
    ),
    Convention("max(x)", "np.array([2.0, 2.0])", "np.array([1.0, 0.0])", _FIRST, "max(x)"),
    Convention(
        "x[np.argmax(x)]",
        "np.array([2.0, 2.0])",
        "np.array([1.0, 0.0])",
        _FIRST,
        "x[torch.argmax(x)]",
    ),
    Convention(
        "np.sort(x)[0]",
        "np.array([2.0, 2.0])",
        "np.array([1.0, 0.0])",
        _FIRST,
        "torch.sort(x)[0][0]",
    ),
    Convention(
        "np.maximum.accumulate(x)[1]",
        "np.array([2.0, 2.0])",
        "np.array([1.0, 0.0])",
        _FIRST,
        "torch.cummax(x, 0)[0][1]",
    ),
    Convention(
        "np.median(x)",
        "np.array([1.0, 2.0])",
        "np.array([0.5, 0.5])",
        "the mean of two",
        "torch.quantile(x, 0.5)",
    ),
    Convention(
        "np.median(x)",
        "np.array([1.0, 1.0, 2.0])",
        "np.array([0.0, 1.0, 0.0])",
        "the one in the middle, sorted",
        "torch.quantile(x, 0.5)",
    ),
    Convention(
        "np.quantile(np.array([1.0, 2.0, 4.0]), x)",
        "0.5",
        "4.0",
        "the slope on the right",
        "torch.quantile(real([1.0, 2.0, 4.0]), x)",
    ),
    Convention(
        "np.interp(x, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0]))",
        "1.0",
        "2.0",
        "the slope on the right",
    ),
    Convention(
        "np.interp(x, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0]))", "2.0", "2.0", _INSIDE
    ),
    # Roots, powers, logarithms, inverse functions
    Convention("np.sqrt(x)", "0.0", "np.inf", _SIDE, "torch.sqrt(x)"),
    Convention("math.sqrt(x)", "0.0", "np.inf", _SIDE),
    Convention("np.cbrt(x)", "0.0", "np.inf", _LIMIT),
    Convention("x**0.5", "0.0", "np.inf", _SIDE, "x**0.5"),
    Convention("x**1.5", "0.0", "0.0", _SIDE, "x**1.5"),
    Convention("x**0", "0.0", "0.0", _FLAT, "x**0"),
    Convention("np.power(x, 0.0)", "0.0", "0.0", _FLAT, "torch.pow(x, 0.0)"),
    Convention("0.0**x", "2.0", "0.0", _FLAT, "0.0**x"),
    Convention("0.0**x", "0.0", "0.0", "0 beside the jump, on the right", "0.0**x"),
    Convention("(-1.0) ** x", "2.0", "np.nan", _NONE, "(-1.0) ** x"),
    Convention("np.sqrt(x)**2", "0.0", "1.0", _SIDE, "torch.sqrt(x)**2"),
    Convention("0.0 * np.sqrt(x)", "0.0", "0.0", "0 times a finite value", "0.0 * torch.sqrt(x)"),
    Convention("np.reciprocal(x)", "0.0", "-np.inf", _LIMIT, "torch.reciprocal(x)"),
    Convention("np.divide(x, x)", "0.0", "np.nan", _ISOLATED, "x / x"),
    Convention("np.log(x)", "0.0", "np.inf", _SIDE, "torch.log(x)"),
    Convention("np.log1p(x)", "-1.0", "np.inf", _SIDE, "torch.log1p(x)"),
    Convention("np.log(x)", "-1.0", "-1.0", "1 / x, though the value is NaN", "torch.log(x)"),
    Convention("x * np.log(x)", "0.0", "-np.inf", _SIDE, "x * torch.log(x)"),
    Convention("special.xlogy(x, x)", "0.0", "-np.inf", _SIDE, "torch.special.xlogy(x, x)"),
    Convention("special.xlogy(0.0, x)", "0.0", "0.0", _FLAT, "torch.special.xlogy(0.0, x)"),
    Convention("special.entr(x)", "0.0", "np.inf", _SIDE, "torch.special.entr(x)"),
    Convention("special.logit(x)", "0.0", "np.inf", _SIDE, "torch.logit(x)"),
    Convention("special.erfinv(x)", "1.0", "np.inf", _SIDE, "torch.erfinv(x)"),
    Convention("np.arcsin(x)", "1.0", "np.inf", _SIDE, "torch.arcsin(x)"),
    Convention("np.arccosh(x)", "1.0", "np.inf", _SIDE, "torch.arccosh(x)"),
    Convention("np.arctanh(x)", "1.0", "np.inf", _SIDE, "torch.arctanh(x)"),
    Convention("np.sinc(x)", "0.0", "0.0", _LIMIT, "torch.sinc(x)"),
    Convention("np.hypot(x, 0.0)", "0.0", "0.0", _LEAST, "torch.hypot(x, real(0.0))"),
    Convention("np.arctan2(x, 0.0)", "0.0", "0.0", _FLAT, "torch.atan2(x, real(0.0))"),
    # Infinite and overflowing
    Convention("np.logaddexp(x, 0.0)", "800.0", "1.0", _LIMIT, "torch.nn.functional.softplus(x)"),
    Convention(
        "np.logaddexp(x, -np.inf)",
        "-np.inf",
        "0.0",
        "nothing has weight",
        "torch.logaddexp(x, real(-math.inf))",
    ),
    Convention(
        "special.logsumexp(x)",
        "np.array([-np.inf, -np.inf])",
        "np.zeros(2)",
        "nothing has weight",
        "torch.logsumexp(x, 0)",
    ),
    Convention(
        "special.logsumexp(x)",
        "np.array([-np.inf, 0.0])",
        "np.array([0.0, 1.0])",
        _LIMIT,
        "torch.logsumexp(x, 0)",
    ),
    Convention("special.expit(x)", "-800.0", "0.0", _LIMIT, "torch.sigmoid(x)"),
    Convention("np.nan_to_num(x)", "np.nan", "0.0", "a number put there", "torch.nan_to_num(x)"),
    # Products, moments, what is empty or NaN
    Convention(
        "np.prod(x)", "np.array([0.0, 3.0])", "np.array([3.0, 0.0])", _LIMIT, "torch.prod(x)"
    ),
    Convention("np.prod(x)", "np.zeros(2)", "np.zeros(2)", _LIMIT, "torch.prod(x)"),
    Convention(
        "np.cumprod(x)[1]",
        "np.array([0.0, 3.0])",
        "np.array([3.0, 0.0])",
        _LIMIT,
        "torch.cumprod(x, 0)[1]",
    ),
    Convention(
        "np.std(x)", "np.array([1.0, 1.0])", "np.zeros(2)", _LEAST, "torch.std(x, correction=0)"
    ),
    Convention(
        "np.var(x)", "np.array([1.0, 1.0])", "np.zeros(2)", _LIMIT, "torch.var(x, correction=0)"
    ),
    Convention(
        "np.mean(x)", "np.zeros(0)", "np.zeros(0)", "as empty as the argument", "torch.mean(x)"
    ),
    Convention(
        "np.nansum(x)",
        "np.array([np.nan, 1.0])",
        "np.array([0.0, 1.0])",
        _ABSENT,
        "torch.nansum(x)",
    ),
    Convention("np.nanmax(x)", "np.array([np.nan, 2.0])", "np.array([0.0, 1.0])", _ABSENT),
    Convention(
        "np.nanmean(x)", "np.full(2, np.nan)", "np.full(2, np.nan)", _ISOLATED, "torch.nanmean(x)"
    ),
    Convention("np.nanstd(x)", "np.array([np.nan, 2.0])", "np.zeros(2)", _LEAST),
    Convention(
        "np.max(x)", "np.array([np.nan, 1.0])", "np.full(2, np.nan)", _ISOLATED, "torch.amax(x)"
    ),
    # Norms
    Convention("np.linalg.norm(x)", "np.zeros(2)", "np.zeros(2)", _LEAST, "torch.linalg.norm(x)"),
    Convention(
        "np.linalg.norm(x, 'fro')",
        "np.zeros((2, 2))",
        "np.zeros((2, 2))",
        _LEAST,
        "torch.linalg.norm(x, 'fro')",
    ),
    Convention(
        "np.linalg.norm(x, 1)",
        "np.array([0.0, 2.0])",
        "np.array([0.0, 1.0])",
        _LEAST,
        "torch.linalg.norm(x, 1)",
    ),
    Convention(
        "np.linalg.norm(x, 3)", "np.zeros(2)", "np.zeros(2)", _LEAST, "torch.linalg.norm(x, 3)"
    ),
    Convention(
        "np.linalg.norm(x, np.inf)",
        "np.array([2.0, -2.0])",
        "np.array([0.5, -0.5])",
        _TIE,
        "torch.linalg.norm(x, math.inf)",
    ),
    Convention(
        "np.linalg.norm(x, np.inf)",
        "np.zeros(2)",
        "np.zeros(2)",
        _LEAST,
        "torch.linalg.norm(x, math.inf)",
    ),
    Convention(
        "np.linalg.norm(x, 1)", "np.eye(2)", "np.eye(2) / 2", _LEAST, "torch.linalg.norm(x, 1)"
    ),
    Convention(
        "np.linalg.norm(x, 2)", "np.eye(2)", "np.eye(2) / 2", _LEAST, "torch.linalg.norm(x, 2)"
    ),
    Convention(
        "np.linalg.norm(x, 2)",
        "np.zeros((2, 2))",
        "np.zeros((2, 2))",
        _LEAST,
        "torch.linalg.norm(x, 2)",
    ),
    Convention(
        "np.linalg.norm(x, 'nuc')",
        "np.diag([2.0, 0.0])",
        "np.diag([1.0, 0.0])",
        _LEAST,
        "torch.linalg.norm(x, 'nuc')",
    ),
    Convention(
        "np.linalg.norm(x)**2", "np.zeros(2)", "np.zeros(2)", _LIMIT, "torch.linalg.norm(x)**2"
    ),
    # Matrices
    Convention(
        "np.linalg.cond(x)", "np.eye(2)", "np.zeros((2, 2))", _LEAST, "torch.linalg.cond(x)"
    ),
    Convention(
        "np.linalg.eigvalsh(x)[0]",
        "np.eye(2)",
        "np.diag([1.0, 0.0])",
        _CHOICE,
        "torch.linalg.eigvalsh(x)[0]",
    ),
    Convention(
        "np.linalg.eigh(np.array([[1.0, x], [x, 1.0]]))[1][0, 0]",
        "0.0",
        "np.nan",
        _NONE,
        "torch.linalg.eigh(real([[1.0, 0.0], [0.0, 1.0]])"
        " + x * real([[0.0, 1.0], [1.0, 0.0]]))[1][0, 0]",
    ),
    Convention(
        "np.linalg.svd(x, compute_uv=False)[0]",
        "np.eye(2)",
        "np.diag([1.0, 0.0])",
        _CHOICE,
        "torch.linalg.svdvals(x)[0]",
    ),
    Convention(
        "np.linalg.svd(x)[0][0, 0]",
        "np.eye(2)",
        "np.full((2, 2), np.nan)",
        _NONE,
        "torch.linalg.svd(x)[0][0, 0]",
    ),
    Convention(
        "np.sum(np.linalg.pinv(x))",
        "np.diag([2.0, 0.0])",
        "np.array([[-0.25, 0.25], [0.25, 0.0]])",
        "along changes that keep the rank",
        "torch.sum(torch.linalg.pinv(x))",
    ),
    Convention(
        "np.linalg.det(x)",
        "np.diag([2.0, 0.0])",
        "np.diag([0.0, 2.0])",
        _LIMIT,
        "torch.linalg.det(x)",
    ),
    Convention(
        "np.linalg.det(x)", "np.zeros((2, 2))", "np.zeros((2, 2))", _LIMIT, "torch.linalg.det(x)"
    ),
    Convention(
        "np.linalg.slogdet(x)[1]",
        "np.diag([2.0, 0.0])",
        "raises",
        "infinite: `LinAlgError`",
        "torch.linalg.slogdet(x)[1]",
    ),
    # Complex numbers
    Convention("np.abs(x)", "0j", "0j", _LEAST, "torch.abs(x)"),
    Convention("np.abs(x) ** 2", "0j", "0j", _LIMIT, "torch.abs(x) ** 2"),
    Convention("np.angle(x)", "0j", "0j", _UNDETERMINED, "torch.angle(x)"),
    Convention("np.angle(x)", "-1 + 0j", "-1j", _JUMP, "torch.angle(x)"),
    Convention("np.real(np.sign(x))", "0j", "0j", _UNDETERMINED, "torch.real(torch.sgn(x))"),
    # What is not selected
    Convention(
        "np.where(x == 0.0, 1.0, np.sin(x) / x)",
        "np.float64(0.0)",
        "0.0",
        _UNSELECTED,
        "torch.where(x == 0.0, 1.0, torch.sin(x) / x)",
    ),
    Convention(
        "np.where(x > 0.0, np.log(x), 0.0)",
        "0.0",
        "0.0",
        _UNSELECTED,
        "torch.where(x > 0.0, torch.log(x), 0.0)",
    ),
    Convention(
        "np.where(x > 0.0, np.sqrt(x), 0.0)",
        "0.0",
        "0.0",
        _UNSELECTED,
        "torch.where(x > 0.0, torch.sqrt(x), 0.0)",
    ),
    Convention(
        "np.where(x > 0.0, np.log(x), 0.0)",
        "-1.0",
        "0.0",
        _UNSELECTED,
        "torch.where(x > 0.0, torch.log(x), 0.0)",
    ),
)


# Computing ----------------------------------------------------------------------------------------


def function_of(call: str, names: dict[str, Any]) -> Callable[[Any], Any]:
    """The function of ``x``, with a source to be read."""
    text, name = f"def f(x):\n    return {call}\n", f"<convention {call}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names)
    function: Callable[[Any], Any] = names["f"]
    return function


def of_jax(row: Convention) -> Any:
    """JAX's gradient, of complex arguments the conjugate: that is the convention here."""
    import jax
    import jax.scipy.special

    jax.config.update("jax_enable_x64", True)
    names = {"np": jax.numpy, "math": math, "special": jax.scipy.special}
    return np.conj(jax.grad(function_of(row.call, names))(row.point()))


def of_autograd(row: Convention) -> Any:
    """autograd's gradient, conjugated likewise."""
    import autograd
    import autograd.scipy.special

    names = {"np": autograd.numpy, "math": math, "special": autograd.scipy.special}
    point = row.point()
    given = np.float64(point) if isinstance(point, float) else point
    return np.conj(autograd.grad(function_of(row.call, names))(given))


def of_torch(row: Convention) -> Any:
    """PyTorch's gradient."""
    import torch

    if row.torch is None:
        raise NotImplementedError
    point = torch.tensor(row.point(), dtype=_dtype(row, torch), requires_grad=True)
    names = {"torch": torch, "math": math, "real": lambda v: torch.tensor(v, dtype=torch.float64)}
    function_of(row.torch, names)(point).backward()
    if point.grad is None:
        raise NotImplementedError
    return point.grad.numpy()


def _dtype(row: Convention, torch: Any) -> Any:
    return torch.complex128 if isinstance(row.point(), complex) else torch.float64


_GRADIENTS = {"JAX": of_jax, "PyTorch": of_torch, "autograd": of_autograd}
_RAISED = ("LinAlgError", "_LinAlgError", "ZeroDivisionError")


def version(peer: str) -> str | None:
    """The version of a library that is installed."""
    try:
        importlib.import_module(PEERS[peer])
        return importlib.metadata.version(PEERS[peer]).partition("+")[0]
    except ImportError:
        return None


def answer(peer: str, row: Convention) -> str:
    """What an installed library says, as it is printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return spelled(_GRADIENTS[peer](row))
        except Exception as error:
            return RAISES if type(error).__name__ in _RAISED else MISSING


# Printing -----------------------------------------------------------------------------------------


def spelled(value: Any) -> str:
    """``0.5``, ``[0.5, 0]``: four digits, zeros without a sign."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"[{', '.join(map(spelled, value))}]"
    number = complex(value)
    if cmath.isnan(number):
        return "nan"
    real, imag = number.real + 0.0, number.imag + 0.0
    if imag == 0:
        return f"{real:.4g}"
    return f"{imag:.4g}j" if real == 0 else f"{real:.4g}{imag:+.4g}j"


HEAD = "| function | at | symdiff | JAX | PyTorch | autograd | because |"
STATED = re.compile(r"JAX (\S+), PyTorch (\S+), autograd (\S+):")


def between(text: str) -> tuple[str, str, str]:
    """A text before the table's marks, between and behind them."""
    before, start, rest = text.partition(START)
    within, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"the text has no lines {START} and {END}")
    return before, within, after


def stated_versions(text: str) -> dict[str, str]:
    """The versions of the libraries that the table tells of."""
    found = STATED.search(between(text)[1])
    return dict(zip(PEERS, found.groups() if found else [UNKNOWN] * 3, strict=True))


def stated_answers(text: str) -> dict[tuple[str, str], dict[str, str]]:
    """What the table says of the libraries, by the first two cells of the rows."""
    rows = {}
    for line in between(text)[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 7:
            rows[cells[0], cells[1]] = dict(zip(PEERS, cells[3:6], strict=True))
    return rows


def with_table(text: str, peers: Sequence[str] = ()) -> str:
    """A text with the table between its marks, the columns of ``peers`` computed anew."""
    before, _, after = between(text)
    versions, known = stated_versions(text), stated_answers(text)
    versions |= {peer: version(peer) or UNKNOWN for peer in peers}
    told = ", ".join(f"{peer} {versions[peer]}" for peer in PEERS)
    lines = [f"{told}:", "", HEAD, "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in CONVENTIONS:
        cells = known.get(row.key, dict.fromkeys(PEERS, UNKNOWN))
        cells |= {peer: answer(peer, row) for peer in peers}
        lines.append(_line([*row.key, row.expected, *(cells[peer] for peer in PEERS), row.because]))
    return before + START + "\n\n" + "\n".join(lines) + "\n\n" + END + after


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(paths: Sequence[str]) -> None:
    """Write the table into the files."""
    installed = [peer for peer in PEERS if version(peer) is not None]
    for path in map(Path, paths):
        text = path.read_text(encoding="utf-8")
        path.write_text(with_table(text, installed), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
