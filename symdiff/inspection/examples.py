"""An example call for each op whose rules are not partial derivatives: what the table shows.

The parameters' names tell their types. A call is built by the lowering of a library's function, as
in a user's program, or by the op itself where it has no function of its own.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symdiff.ir.types import ListType, Type
from symdiff.ops.declare import FUNCTIONS, REGISTRY
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.shape import transpose
from symdiff.runtime.signature import read_type

_TYPES = {
    "x": "float64[n]",
    "w": "float64[n]",
    "t": "float64[k]",
    "X": "float64[n,m]",
    "Y": "float64[m,k]",
    "A": "float64[n,n]",
    "M": "float64[m,m]",
    "B": "float64[n,k]",
    "z": "complex128[n]",
    "a": "float",
    "b": "float",
    "c": "bool[n]",
    "i": "int64[k]",
    "I": "int64[n,k]",
    "j": "int",
    "s": "float64",
    "x3": "float64[n,3]",
    "w3": "float64[n,3]",
    "part": "float64[n-2]",
}


def type_of(name: str) -> Type:
    """The type of an example's parameter."""
    if name in ("items", "more"):
        return ListType(type_of("x"))
    type_ = read_type(_TYPES[name])
    assert type_ is not None
    return type_


def _np(name: str) -> Callable[..., Any]:
    """The lowering of ``np.<name>``."""
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part)
    return FUNCTIONS[function]


def _op(name: str) -> Callable[..., Any]:
    return REGISTRY[name]


def _special(name: str) -> Callable[..., Any]:
    return _op(f"special_{name}")


_INNER = (slice(1, -1),)

EXAMPLES: Mapping[str, Callable[..., Any]] = {
    "where": lambda c, x, w: _np("where")(c, x, w),
    "sinc": lambda x: _np("sinc")(x),
    "i0": lambda x: _np("i0")(x),
    "modf": lambda x: _np("modf")(x)[0],
    "frexp": lambda x: _np("frexp")(x)[0],
    "ldexp": lambda x, j: _np("ldexp")(x, j),
    "unwrap": lambda x: _np("unwrap")(x),
    "complex_sign": lambda z: _np("sign")(z),
    "real": lambda z: _np("real")(z),
    "imag": lambda z: _np("imag")(z),
    "conjugate": lambda z: _np("conjugate")(z),
    "astype": lambda x: _op("astype")(x, dtype=np.dtype("float32")),
    "python_float": lambda s: FUNCTIONS[builtins.float](s),
    "math_hypot": lambda a, b: FUNCTIONS[math.hypot](a, b),
    "full": lambda a: _np("full")(5, a),
    "arange": lambda a: _np("arange")(a, 5.0),
    "linspace": lambda a, b: _np("linspace")(a, b, 5),
    "array": lambda a, b: _np("array")([a, b]),
    "reshape": lambda X: _np("reshape")(X, -1),
    "transpose": lambda X: _np("transpose")(X),
    "broadcast_to": lambda x: _np("broadcast_to")(x, (3, _op("size")(x, axis=0))),
    "copy": lambda x: _np("copy")(x),
    "concatenate": lambda x, t: _np("concatenate")([x, t]),
    "stack": lambda x, w: _np("stack")([x, w]),
    "roll": lambda x: _np("roll")(x, 1),
    "repeat": lambda x: _np("repeat")(x, 2, axis=0),
    "tile": lambda x: _np("tile")(x, 2),
    "pad": lambda x: _np("pad")(x, 1),
    "diagonal": lambda A: _np("diagonal")(A),
    "diag": lambda x: _np("diag")(x),
    "tril": lambda A: _np("tril")(A),
    "triu": lambda A: _np("triu")(A),
    "index": lambda x: index_of(x, _INNER),
    "index_set": lambda x, part: index_set_of(x, part, _INNER),
    "index_add": lambda x, part: index_add_of(x, part, _INNER),
    "list_get": lambda items, j: _op("list_get")(items, j),
    "list_push": lambda items, x: _op("list_push")(items, x),
    "list_concatenate": lambda items, more: _op("list_concatenate")(items, more),
    "sum": lambda X: _np("sum")(X, axis=1),
    "mean": lambda X: _np("mean")(X, axis=1),
    "var": lambda x: _np("var")(x),
    "std": lambda x: _np("std")(x),
    "prod": lambda x: _np("prod")(x),
    "max": lambda x: _np("max")(x),
    "min": lambda x: _np("min")(x),
    "selected_sum": lambda x, a: _np("sum")(x, initial=a),
    "selected_prod": lambda x, a: _np("prod")(x, initial=a),
    "selected_max": lambda x, a: _np("max")(x, initial=a),
    "selected_min": lambda x, a: _np("min")(x, initial=a),
    "logaddexp_reduce": lambda x: FUNCTIONS[np.logaddexp.reduce](x),
    "special_logsumexp": lambda X: _special("logsumexp")(
        X, axis=(1,), keepdims=False, signed=False
    ),
    "special_softmax": lambda X: _special("softmax")(X, axis=(1,)),
    "special_log_softmax": lambda X: _special("log_softmax")(X, axis=(1,)),
    "nanmean": lambda x: _np("nanmean")(x),
    "nanvar": lambda x: _np("nanvar")(x),
    "nanstd": lambda x: _np("nanstd")(x),
    "nanmax": lambda x: _np("nanmax")(x),
    "nanmin": lambda x: _np("nanmin")(x),
    "cumsum": lambda x: _np("cumsum")(x, axis=0),
    "cumprod": lambda x: _np("cumprod")(x, axis=0),
    "running_maximum": lambda x: FUNCTIONS[np.maximum.accumulate](x),
    "running_minimum": lambda x: FUNCTIONS[np.minimum.accumulate](x),
    "reduceat": lambda x, i: FUNCTIONS[np.add.reduceat](x, i),
    "sort": lambda x: _np("sort")(x),
    "partition": lambda x: _np("partition")(x, 2),
    "take_along_axis": lambda X, I: _np("take_along_axis")(X, I, 1),  # noqa: E741
    "weighted_bincount": lambda i, t: _np("bincount")(i, t),
    "interp": lambda t, x, w: _np("interp")(t, x, w),
    "convolve": lambda x, t: _np("convolve")(x, t),
    "median": lambda x: _np("median")(x, axis=0),
    "quantile": lambda x, a: _np("quantile")(x, a, axis=0),
    "einsum": lambda X, Y: _np("einsum")("ij,jk->k", X, Y),
    "matmul": lambda X, Y: _np("matmul")(X, Y),
    "outer": lambda x, t: _np("outer")(x, t),
    "dot": lambda X, Y: _np("dot")(X, Y),
    "vdot": lambda x, w: _np("vdot")(x, w),
    "tensordot": lambda X, Y: _np("tensordot")(X, Y, 1),
    "trace": lambda A: _np("trace")(A),
    "cross": lambda x3, w3: _np("cross")(x3, w3),
    "inv": lambda A: _np("linalg.inv")(A),
    "solve": lambda A, B: _np("linalg.solve")(A, B),
    "det": lambda A: _np("linalg.det")(A),
    "slogdet": lambda A: _np("linalg.slogdet")(A),
    "cholesky": lambda A: _np("linalg.cholesky")(A),
    "eigh": lambda A: _np("linalg.eigh")(A),
    "eigvalsh": lambda A: _np("linalg.eigvalsh")(A),
    "svd": lambda X: _np("linalg.svd")(X, False),
    "svdvals": lambda X: _np("linalg.svdvals")(X),
    "singular_part": lambda X: _op("singular_part")(X, part="all"),
    "qr": lambda A: _np("linalg.qr")(A),
    "triangular_factor": lambda A: _np("linalg.qr")(A, "r"),
    "eig": lambda A: _np("linalg.eig")(A),
    "eigvals": lambda A: _np("linalg.eigvals")(A),
    "pinv": lambda X: _np("linalg.pinv")(X),
    "lstsq": lambda X, x: _np("linalg.lstsq")(X, x),
    "condition_number": lambda A: _np("linalg.cond")(A),
    "multi_dot": lambda X, Y, t: _np("linalg.multi_dot")([X, Y, t]),
    "vecdot": lambda x, w: _np("vecdot")(x, w),
    "matvec": lambda Y, t: _np("matvec")(Y, t),
    "vecmat": lambda x, X: _np("vecmat")(x, X),
    "norm": lambda x: _np("linalg.norm")(x),
    "linalg_expm": lambda A: _op("linalg_expm")(A),
    "linalg_logm": lambda A: _op("linalg_logm")(A),
    "linalg_sqrtm": lambda A: _op("linalg_sqrtm")(A),
    "linalg_solve_sylvester": lambda A, M, X: _op("linalg_solve_sylvester")(A, M, X),
    "linalg_lu_factor": lambda A: _op("linalg_lu_factor")(A),
    "linalg_solve_banded": lambda x3, x: _op("linalg_solve_banded")(
        transpose(x3, axes=(1, 0)), x, below=1, above=1
    ),
    "signal_lfilter": lambda t, w, x: _op("signal_lfilter")(t, w, x),
    "linalg_eigh": lambda A: _op("linalg_eigh")(A),
    "linalg_eigvalsh": lambda A: _op("linalg_eigvalsh")(A),
    "linalg_eig": lambda A: _op("linalg_eig")(A),
    "linalg_svd": lambda X: _op("linalg_svd")(X, full_matrices=False),
    "linalg_svdvals": lambda X: _op("linalg_svdvals")(X),
    "linalg_qr": lambda A: _op("linalg_qr")(A),
    "fft": lambda z: _np("fft.fft")(z),
    "ifft": lambda z: _np("fft.ifft")(z),
    "rfft": lambda x: _np("fft.rfft")(x),
    "irfft": lambda z: _np("fft.irfft")(z),
    "fftshift": lambda x: _np("fft.fftshift")(x),
    "ifftshift": lambda x: _np("fft.ifftshift")(x),
    "fftfreq": lambda a: _np("fft.fftfreq")(5, a),
    "rfftfreq": lambda a: _np("fft.rfftfreq")(5, a),
}
