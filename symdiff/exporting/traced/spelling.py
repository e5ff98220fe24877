"""NumPy's spelling of an op as JAX's: ``np.sin(x)`` → ``jnp.sin(x)``, ``float(x)`` → an array's.

What has no such spelling is refused at the user's line.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from symdiff.errors import UnsupportedCallError
from symdiff.exporting.text import defined_in
from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import dotted, literal, require_array

# Functions that both libraries have, with one meaning.
SHARED = frozenset(
    {
        "abs", "absolute", "add", "all", "angle", "any", "arange", "arccos", "arccosh", "arcsin",
        "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "array",
        "atleast_1d", "bool", "bool_", "broadcast_to", "cbrt", "ceil", "clip", "complex128",
        "complex64", "concatenate", "conj", "conjugate", "convolve", "copysign", "cos", "cosh",
        "count_nonzero", "cross", "cumprod", "cumsum", "deg2rad", "diag", "diagonal", "digitize",
        "divide", "dot", "e", "einsum", "equal", "exp", "exp2", "expand_dims", "expm1", "eye",
        "fabs",
        "fft.fft", "fft.fft2", "fft.fftfreq", "fft.fftn", "fft.fftshift", "fft.ifft", "fft.ifft2",
        "fft.ifftn", "fft.ifftshift", "fft.irfft", "fft.irfft2", "fft.irfftn", "fft.rfft",
        "fft.rfft2", "fft.rfftfreq", "fft.rfftn",
        "flip", "float16", "float32", "float64", "float_power", "floor", "floor_divide", "fmax",
        "fmin", "fmod", "full", "full_like", "greater", "greater_equal", "heaviside", "hypot",
        "imag", "inf", "inner", "int16", "int32", "int64", "int8", "interp", "invert", "isclose",
        "isfinite", "isinf", "isnan", "kron", "left_shift", "less", "less_equal",
        "linalg.cholesky", "linalg.cond", "linalg.det", "linalg.eigh",
        "linalg.eigvals", "linalg.eigvalsh", "linalg.inv", "linalg.multi_dot", "linalg.norm",
        "linalg.pinv", "linalg.qr", "linalg.slogdet", "linalg.solve", "linalg.svd",
        "linspace", "log", "log10",
        "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or",
        "matvec", "vecdot", "vecmat",
        "logical_xor", "matmul", "max", "maximum", "mean", "median", "min", "minimum", "moveaxis",
        "multiply", "nan", "nanmax", "nanmean", "nanmin", "nanvar", "negative", "newaxis",
        "not_equal", "ones", "ones_like", "outer", "pad", "percentile", "pi", "positive", "power",
        "prod", "rad2deg", "real", "reciprocal", "remainder", "repeat", "reshape", "right_shift",
        "rint", "roll", "round", "searchsorted", "sign", "signbit", "sin", "sinc", "sinh", "sort",
        "sqrt", "square", "stack", "std", "subtract", "sum", "swapaxes", "take_along_axis", "tan",
        "tanh", "tensordot", "tile", "trace", "transpose", "tril", "tril_indices", "triu",
        "triu_indices", "trunc", "uint16", "uint32", "uint64", "uint8", "var", "vdot", "where",
        "zeros", "zeros_like",
    }
)  # fmt: skip
_HERE = {"linalg.eig": "_complex_eig"}  # by what ``traced_support`` has
INSTEAD = {"empty": "zeros", "empty_like": "zeros_like", "ascontiguousarray": "asarray"}
METHODS = frozenset(
    {"T", "astype", "conj", "conjugate", "copy", "imag", "real", "reshape", "shape", "size", "sum"}
)

_SAME = (
    "ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "hypot", "log", "log10", "log1p",
    "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "copysign", "cbrt", "isnan", "isinf",
    "isfinite",
)  # fmt: skip
_MATH = {name: f"jnp.{name}" for name in _SAME} | {
    "acos": "jnp.arccos", "acosh": "jnp.arccosh", "asin": "jnp.arcsin", "asinh": "jnp.arcsinh",
    "atan": "jnp.arctan", "atan2": "jnp.arctan2", "atanh": "jnp.arctanh", "degrees": "jnp.rad2deg",
    "erf": "jax.scipy.special.erf", "erfc": "jax.scipy.special.erfc", "fabs": "jnp.abs",
    "fmod": "jnp.fmod", "gamma": "jax.scipy.special.gamma",
    "lgamma": "jax.scipy.special.gammaln", "pow": "jnp.power", "radians": "jnp.deg2rad",
}  # fmt: skip
_SPECIAL = {
    name: f"jax.scipy.special.{name}"
    for name in (
        "beta", "betainc", "betaln", "entr", "erf", "erfc", "erfinv", "exp1", "expi", "expit",
        "expn", "gamma", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e", "kl_div",
        "log_ndtr", "logit", "ndtr", "ndtri", "rel_entr", "xlog1py", "xlogy", "zeta",
    )
} | {"psi": "jax.scipy.special.digamma"}  # fmt: skip
_BUILTINS = {"max": "jnp.maximum", "min": "jnp.minimum", "pow": "jnp.power", "abs": "jnp.abs"}
_KEPT = ("slice", *defined_in("traced_support"))  # they mean the same of what is traced
_DROPPED = {"argsort": ("kind",), "sort": ("kind",)}  # keywords: it sorts in a stable way anyway
_OF_A_TRIANGLE = ("linalg.cholesky", "linalg.eigh", "linalg.eigvalsh")  # in NumPy
_CASTS = ("float", "int", "bool", "complex")


def refused(node: Node, what: str, hint: str | None = None) -> UnsupportedCallError:
    """The error for what the library has no words for."""
    return UnsupportedCallError(
        f"jax.numpy has no words for this: {what}",
        node.span,
        hint or "export it for numpy, or write the function without it",
    )


def translated(tree: ast.expr, node: Node, known: bool, numbers: Collection[str] = ()) -> ast.expr:
    """The expression of a node in the library's names.

    ``known``: of numbers that are Python's while it is traced. ``numbers`` are names of such.
    """
    made: ast.expr = _Translator(node, known, numbers).visit(tree)
    return made


class _Translator(ast.NodeTransformer):
    def __init__(self, node: Node, known: bool, numbers: Collection[str]) -> None:
        self.node = node
        self.known = known
        self.numbers = numbers

    def visit_Call(self, tree: ast.Call) -> ast.expr:
        if isinstance(tree.func, ast.Name) and not self.known:
            return self._builtin(tree, tree.func.id)
        tree.args = [self.visit(argument) for argument in tree.args]
        if _path(tree.func).startswith("cmath."):
            tree.args = [_as_complex(argument) for argument in tree.args]
        called = _path(tree.func).removeprefix("np.")
        tree.keywords = [k for k in tree.keywords if k.arg not in _DROPPED.get(called, ())]
        if called in _OF_A_TRIANGLE:
            upper = [k for k in tree.keywords if k.arg == "UPLO"]
            tree.args[0] = ast.Call(ast.Name("_hermitian", ast.Load()), tree.args[:1], upper)
        for keyword in tree.keywords:
            keyword.value = self.visit(keyword.value)
        if isinstance(tree.func, ast.Name):
            return tree
        tree.func = self.visit(tree.func)
        return tree

    def _builtin(self, tree: ast.Call, name: str) -> ast.expr:
        arguments = [self.visit(argument) for argument in tree.args]
        if name in _CASTS:
            return self._cast(arguments)
        if name in _KEPT:
            return ast.Call(tree.func, arguments, tree.keywords)
        if name not in _BUILTINS or tree.keywords:
            raise refused(self.node, f"{name}(...)")
        return ast.Call(dotted(_BUILTINS[name]), arguments, [])

    def _cast(self, arguments: list[ast.expr]) -> ast.expr:
        type_ = self.node.result.type
        assert isinstance(type_, ArrayType)
        if type_.dtype.kind == "c" and len(arguments) == 2:
            if any(require_array(v.type, "complex").dtype.kind == "c" for v in self.node.operands):
                raise refused(self.node, "complex(...) of a complex number")
            arguments = [ast.Call(dotted("jnp.float64"), [part], []) for part in arguments]
            return ast.Call(dotted("lax.complex"), arguments, [])
        made = ast.Call(dotted("jnp.asarray"), [arguments[0]], [])
        if type_.dtype.kind == "i":
            made = ast.Call(dotted("jnp.trunc"), [made], [])
        dtype = self.visit(literal(type_.dtype))
        return ast.Call(ast.Attribute(made, "astype", ast.Load()), [dtype], [])

    def visit_Attribute(self, tree: ast.Attribute) -> ast.expr:
        text = _path(tree)
        first, _, rest = text.partition(".")
        if first == "np":
            return self._numpys(rest)
        if first == "scipy":
            return self._scipys(rest)
        if first in ("math", "cmath"):
            if rest not in _MATH:
                raise refused(self.node, f"{text}(...)")
            return dotted(_MATH[rest])
        if tree.attr not in METHODS:
            raise refused(self.node, f".{tree.attr}")
        return ast.Attribute(self.visit(tree.value), tree.attr, tree.ctx)

    def _numpys(self, name: str) -> ast.expr:
        known = INSTEAD.get(name, name)
        if name in _HERE:
            return dotted(_HERE[name])
        if known not in SHARED and known not in INSTEAD.values():
            raise refused(self.node, f"np.{name}")
        return dotted(f"jnp.{known}")

    def _scipys(self, name: str) -> ast.expr:
        module, _, function = name.rpartition(".")
        if module != "special" or function not in _SPECIAL:
            raise refused(self.node, f"scipy.{name}")
        return dotted(_SPECIAL[function])

    def visit_UnaryOp(self, tree: ast.UnaryOp) -> ast.expr:
        operand = self.visit(tree.operand)
        if isinstance(tree.op, ast.Not) and not self.known:
            return ast.Call(dotted("jnp.logical_not"), [operand], [])
        return ast.UnaryOp(tree.op, operand)

    def visit_BoolOp(self, tree: ast.BoolOp) -> ast.expr:
        if not self.known:
            raise refused(self.node, "and, or")
        return tree

    def visit_IfExp(self, tree: ast.IfExp) -> ast.expr:
        parts = [self.visit(part) for part in (tree.test, tree.body, tree.orelse)]
        if self.known or self._is_known(tree.test):
            return ast.IfExp(*parts)
        return ast.Call(dotted("jnp.where"), parts, [])

    def _is_known(self, tree: ast.AST) -> bool:
        """Return whether an expression reads nothing but shapes and known numbers."""
        if isinstance(tree, ast.Attribute) and tree.attr in ("shape", "ndim", "size"):
            return True
        if isinstance(tree, ast.Name):
            return tree.id in self.numbers
        return all(map(self._is_known, ast.iter_child_nodes(tree)))

    def visit_ListComp(self, tree: ast.ListComp) -> ast.expr:
        raise refused(self.node, "a list of unknown length")


def _path(tree: ast.expr) -> str:
    """``np.linalg.solve``, where an expression is nothing but names."""
    if isinstance(tree, ast.Name):
        return tree.id
    before = _path(tree.value) if isinstance(tree, ast.Attribute) else ""
    return f"{before}.{tree.attr}" if before and isinstance(tree, ast.Attribute) else ""


def _as_complex(tree: ast.expr) -> ast.expr:
    return ast.Call(dotted("jnp.asarray"), [tree, dotted("jnp.complex128")], [])
