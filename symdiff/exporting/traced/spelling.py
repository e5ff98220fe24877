"""NumPy's spelling of an op as JAX's: ``np.sin(x)`` → ``jnp.sin(x)``, ``float(x)`` → an array's.

What JAX has by another name, or not at all, says so where it is declared (``jax`` of an op); what
has no such spelling is refused at the user's line.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from symdiff.errors import UnsupportedCallError
from symdiff.exporting.text import defined_in
from symdiff.ir.graph import Node
from symdiff.ir.types import ArrayType
from symdiff.ops.declare import dotted, literal, require_array

METHODS = frozenset(
    {"T", "astype", "conj", "conjugate", "copy", "imag", "real", "reshape", "shape", "size", "sum"}
)

_BUILTINS = {"max": "jnp.maximum", "min": "jnp.minimum", "pow": "jnp.power", "abs": "jnp.abs"}
_KEPT = ("slice", "sum", *defined_in("traced_support"))  # they mean the same of what is traced
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
        if first in ("np", "math", "cmath"):
            return dotted(f"jnp.{rest}")
        if first == "scipy":
            if not rest.startswith("special."):
                raise refused(self.node, text)
            return dotted(f"jax.{text}")
        if tree.attr not in METHODS:
            raise refused(self.node, f".{tree.attr}")
        return ast.Attribute(self.visit(tree.value), tree.attr, tree.ctx)

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
