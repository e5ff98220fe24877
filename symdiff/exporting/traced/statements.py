"""A graph as functions of JAX: one statement a node, loops and branches with functions inside.

def body(k, f, x_bar):
    x_bar = x_bar.at[k].add(2.0 * x[k])
    return (f, x_bar), ()
f, x_bar, turns = _for(body, (f, x_bar), (), (...), n)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from symdiff.emit import Emitted, Parameter
from symdiff.emit.comments import comment, origin
from symdiff.emit.expressions import Expressions, is_number
from symdiff.emit.namespace import Namespace
from symdiff.emit.signature import name_parameters, output
from symdiff.errors import UnsupportedCallError
from symdiff.exporting.arguments import place
from symdiff.exporting.text import defined_in, docstring, one_line
from symdiff.exporting.traced.known import Known, turns_are_known
from symdiff.exporting.traced.spelling import refused, translated
from symdiff.ir.build import constant
from symdiff.ir.control import CALLS, LoopView, cond, loop, undefined
from symdiff.ir.graph import Block, Graph, Node, Value
from symdiff.ir.signature import Signature
from symdiff.ir.structure import leaf_numbers
from symdiff.ir.types import ArrayType, Dim, Size, TapeType, Type, may_be_one, varying
from symdiff.ops import support
from symdiff.ops.arithmetic import add, divide, multiply, negative, sign, subtract
from symdiff.ops.casts import as_scalar, astype
from symdiff.ops.creation import arange, range_length
from symdiff.ops.declare import Absent, DeclaredOp, dotted, literal
from symdiff.ops.effects import enter_context, leave_context, stop_gradient
from symdiff.ops.elementary import power
from symdiff.ops.index import index, index_add, index_set, key_of
from symdiff.ops.joining import repeat
from symdiff.ops.keys import Slice, Slot, spell_key
from symdiff.ops.retype import retype
from symdiff.ops.shape import contiguous, copy
from symdiff.ops.sizes import constant_integer
from symdiff.source import SourceSpan
from symdiff.source.trees import expression_of

_DROPPED = frozenset({enter_context, leave_context})  # they say what NumPy warns of
_TRANSPARENT = frozenset({copy, contiguous, as_scalar, retype})
_ARITHMETIC = frozenset({add, subtract, multiply, divide, negative, power, sign})
_MOST_TURNS = 2**31  # more are the bound of a loop that has none
_DEEPEST = 6  # operations in one expression
INDENT = "    "


def emit_traced(
    graph: Graph, name: str, signature: Signature, names: Namespace
) -> tuple[Emitted, frozenset[str]]:
    """The text of a function, and the arguments that have to be known while it is traced.

    :raises UnsupportedCallError: at the user's line, for what JAX has no words for.
    """
    made = _Function(graph, signature, names)
    try:
        text = made.text(name)
    except UnsupportedCallError as error:
        raise (error.with_span(graph.span) if graph.span else error) from None
    return made.emitted(name, text), frozenset(made.known.demanded)


@dataclass(slots=True)
class _Lines:
    """Lines of text with the user's lines that they come from."""

    text: list[str] = field(default_factory=list)
    spans: dict[int, SourceSpan] = field(default_factory=dict)
    said: tuple[str, int] | None = None

    def add(self, depth: int, text: str, node: Node | None = None) -> None:
        if node is not None and node.span is not None and self._is_adjoint(node):
            place = node.span.file, node.span.line
            if place != self.said:
                said = one_line(comment(node.span, node.span.file)).rstrip()
                self.text.append(f"{INDENT * depth}# {said}")
                self.said = place
        self.text.append(INDENT * depth + text)
        if node is not None and node.span is not None:
            self.spans[len(self.text)] = node.span

    @staticmethod
    def _is_adjoint(node: Node) -> bool:
        return any(value.role == "cotangent" for value in node.results)


class _Function:
    """Writes one graph."""

    def __init__(self, graph: Graph, signature: Signature, names: Namespace) -> None:
        self.graph = graph
        self.signature = signature
        self.module = names
        self.names = names.nested()
        self.known = Known(graph)
        self.lines = _Lines()
        self.uses = _uses(graph)
        self.named: dict[Value, str] = {}
        self.folded: dict[Value, int] = {}
        self.expressions = Expressions(self.named, self.folded, self.names)
        self.parameters: tuple[Parameter, ...] = ()
        self.sizes: dict[str, str] = {}

    def emitted(self, name: str, text: str) -> Emitted:
        self.module.taken.update(self.names.objects)
        return Emitted(name, text, tuple(self.parameters), {}, self.names.objects, self.lines.spans)

    def text(self, name: str) -> str:
        self._refuse_outright()
        fixed, parameters = name_parameters(self.graph, self.names)
        self.parameters = tuple(parameters)
        self._demand(self.graph.block)
        self.lines.add(0, f"def {name}({', '.join(p.name for p in parameters)}):")
        if self.graph.span is not None:
            self.lines.add(1, docstring(one_line(origin(self.graph.span))))
        self._unpack(fixed)
        self._block(self.graph.block, 1)
        result = _text(output(self.graph, _Output(self)))
        self.lines.add(1, f"return {result}")
        return "\n".join(self.lines.text) + "\n"

    # Parameters

    def _unpack(self, fixed: dict[int, str]) -> None:
        names = {p.path[0]: p.name for p in self.parameters if p.origin == "argument"}
        pairs = zip(self.graph.inputs, self.graph.block.parameters, strict=True)
        for number, (source, value) in enumerate(pairs):
            self._refuse_type(value, None)
            if not self.uses.get(value):
                self.named[value] = "_"
                continue
            if number in fixed:
                chosen, text = fixed[number], fixed[number]
            else:
                chosen = self.names.fresh(value.name or source.name)
                whole = place(source.path, self.signature)
                text = names[source.path[0]] + whole.removeprefix(str(source.path[0]))
            self.named[value] = chosen
            if isinstance(value.type, ArrayType) and value.type.kind == "array":
                text = f"jnp.asarray({text})"
            if text != chosen:
                self.lines.add(1, f"{chosen} = {text}")
            self._measure(value, chosen)

    def _measure(self, value: Value, name: str) -> None:
        """Remember how the sizes in the type of an argument are spelled."""
        if isinstance(value.type, ArrayType):
            for axis, dim in enumerate(value.type.shape):
                if not isinstance(dim, int) and dim.offset == 0:
                    self.sizes.setdefault(dim.symbol, f"{name}.shape[{axis}]")

    def _refuse_type(self, value: Value, node: Node | None) -> None:
        if not _is_sayable(value.type):
            at = node or Node(constant, (), span=self.graph.span)
            is_list = "list" in str(value.type)
            raise refused(at, "a list of unknown length" if is_list else f"an {value.type}")

    def _refuse_outright(self) -> None:
        """Refuse effects, wherever they stand, and recursion."""
        for block in _blocks(self.graph.block):
            for node in block.nodes:
                if node.op in CALLS:
                    raise refused(node, "a function that calls itself")
                if node.op.effect and node.op not in _DROPPED:
                    words = node.op.name.strip("_").replace("_", " ")
                    raise refused(node, f"an effect ({words})")

    # What has to be known

    def _demand(self, block: Block) -> None:
        """Ask for the arguments that shapes and numbers of turns depend on."""
        for node in _live(block, self.uses):
            if node.op in (index, index_set, index_add):
                self._key(node)
            elif "shape" in node.attributes:
                self._shape(node)
            if node.op is loop:
                self._turns(LoopView(node))
            if node.op is cond:
                self._arms(node)
            for inner in node.blocks:
                self._demand(inner)

    def _shape(self, node: Node) -> None:
        every = node.op is arange
        lengths = [v for k, v in enumerate(node.operands) if every or not node.op.computes_with(k)]
        unknown = self.known.demand(filter(_is_integer, lengths))
        if unknown is not None and every:
            raise refused(node, "a range whose length depends on values")
        if unknown is not None or (node.op is repeat and _rank(node.operands[1])):
            raise refused(node, "a shape that depends on values")

    def _key(self, node: Node) -> None:
        key, dynamic = key_of(node)
        for entry in key:
            for bound in (entry.start, entry.stop, entry.step) if isinstance(entry, Slice) else ():
                if isinstance(bound, Slot) and self.known.demand([dynamic[bound.number]]):
                    raise refused(node, "a slice whose length depends on values")
        masks = [v for v in dynamic if isinstance(v.type, ArrayType) and v.type.dtype.kind == "b"]
        if masks and (node.op is index or _rank(node.operands[1])):
            raise refused(node, "a selection whose length depends on values", _WHERE)

    def _arms(self, node: Node) -> None:
        """Refuse arms that give arrays of different lengths, or of such that may be different."""
        pairs = zip(node.blocks[0].results, node.blocks[1].results, node.results, strict=True)
        used = [(one, other) for one, other, value in pairs if self.uses.get(value)]
        differing = [(a.type, b.type) for a, b in used if not _surely_fit(a, b)]
        if not differing or not self.known.demand([node.operands[0]]):
            return
        if any(_never_fit(*pair) for pair in differing):
            raise refused(node, "an array whose shape depends on the branch that is taken", _WHERE)
        raise refused(node, "an array whose shape may depend on the branch that is taken", _SIZES)

    def _turns(self, view: LoopView) -> None:
        node = view.node
        for head, end in zip(view.carries, view.next_carries, strict=True):
            if any(True for _ in varying(head.type, end.type)):
                raise refused(node, "an array whose shape changes from turn to turn")
        if not view.ys and not view.xs:
            return
        if view.count is None:
            raise refused(node, "a loop of unknown length whose turns are kept", _COUNTED)
        endless = constant_integer(view.count) or 0
        if not view.xs and (endless > _MOST_TURNS or self.known.demand([view.count])):
            raise refused(node, "a loop of unknown length whose turns are kept", _COUNTED)

    # Blocks

    def _block(self, block: Block, depth: int) -> None:
        for node in _live(block, self.uses):
            if node.op in (constant, undefined) or node.op in _DROPPED:
                continue
            for value in node.results:
                self._refuse_type(value, node)
            if node.op is loop:
                self._loop(LoopView(node), depth)
            elif node.op is cond:
                self._cond(node, depth)
            else:
                self._plain(node, depth)

    def _plain(self, node: Node, depth: int) -> None:
        if len(node.results) == 1 and self._can_fold(node):
            self.folded[node.result] = 1 + max(
                (self.folded.get(v, 0) for v in node.operands), default=0
            )
            return
        expression = self._node(node)
        targets = [self._name(value) for value in node.results]
        self.lines.add(depth, f"{', '.join(targets)} = {_text(expression)}", node)

    def _can_fold(self, node: Node) -> bool:
        """Return whether the result is read once, in the same block, in an expression that stays
        short.
        """
        readers = self.uses.get(node.result, [])
        if len(readers) != 1 or node.op in (index_set, index_add):
            return False
        (reader,) = readers
        if reader is None or reader not in self._siblings(node) or _repeats(reader, node.result):
            return False
        return sum(self.folded.get(v, 0) for v in node.operands) < _DEEPEST

    def _siblings(self, node: Node) -> set[Node]:
        return self._beside.get(node, set())

    @property
    def _beside(self) -> dict[Node, set[Node]]:
        if not hasattr(self, "_all"):
            self._all: dict[Node, set[Node]] = {}
            for block in _blocks(self.graph.block):
                plain = {n for n in block.nodes if not n.blocks and n.op not in CALLS}
                self._all.update(dict.fromkeys(block.nodes, plain))
        return self._all

    # Expressions

    def of(self, value: Value) -> ast.expr:
        """The expression of a value."""
        node = value.node
        if node is not None and node.op is undefined:
            return self._zeros(value)
        if node is not None and node.op is constant:
            return self._constant(node)
        if node is not None and value in self.folded:
            return self._node(node)
        return ast.Name(self.named[value], ast.Load())

    def _constant(self, node: Node) -> ast.expr:
        made = translated(self.expressions.of(node.result), node, True)
        is_array = isinstance(made, ast.Name)
        return ast.Call(dotted("jnp.asarray"), [made], []) if is_array else made

    def _zeros(self, value: Value) -> ast.expr:
        """Something of the type of what nobody reads."""
        node, type_ = value.node, value.type
        assert node is not None
        if not isinstance(type_, ArrayType):
            raise refused(node, "a loop that begins without a value")
        sizes = [self._length(dim, node) for dim in type_.shape]
        dtype = translated(literal(type_.dtype), node, True)
        return ast.Call(dotted("jnp.zeros"), [ast.Tuple(sizes, ast.Load()), dtype], [])

    def _length(self, dim: Dim, node: Node) -> ast.expr:
        if isinstance(dim, int):
            return ast.Constant(dim)
        text = self.sizes.get(dim.symbol)
        if text is None:
            raise refused(node, "a value whose shape is not known where it is not set")
        return expression_of(f"{text} + {dim.offset}" if dim.offset else text)

    def _node(self, node: Node) -> ast.expr:
        operands = [self._operand(node, value) for value in node.operands]
        if node.op in _TRANSPARENT:
            return operands[0]
        if node.op is index_set or node.op is index_add:
            return self._store(node, operands)
        if node.op is stop_gradient:
            return ast.Call(dotted("lax.stop_gradient"), operands, [])
        if node.op is range_length:
            return _length(operands, self.known.is_known(node.result))
        calls_back = "callee" in node.attributes
        if not isinstance(node.op, DeclaredOp) or node.op.spelling is None or calls_back:
            raise refused(node, node.op.name.replace("_", " "))
        before = len(self.names.objects)
        holes = _placeholders(operands)
        text = _Supported().visit(node.op.spelling(self.expressions.spoken(node), holes))
        spelled = self.expressions.bound(text)
        if len(self.names.objects) != before:
            raise refused(node, node.op.name.replace("_", " "))
        if isinstance(node.op.jax, Absent):
            raise refused(node, f"{_called(spelled)} ({node.op.jax.why})")
        known = len(node.results) == 1 and self.known.is_known(node.result)
        pairs = zip(holes, node.operands, strict=True)
        numbers = [hole.id for hole, value in pairs if self.known.is_known(value)]
        made = translated(spelled, node, known, numbers)
        if node.op.jax is not None:
            assert isinstance(made, ast.Call)
            made.func = dotted(node.op.jax)
        return self._typed(node, _restored(made, operands))

    def _operand(self, node: Node, value: Value) -> ast.expr:
        """An operand; truths that are computed with as the numbers 0 and 1, as everywhere else."""
        made, type_, result = self.of(value), value.type, node.results[0].type
        if node.op not in _ARITHMETIC or not isinstance(result, ArrayType):
            return made
        if not isinstance(type_, ArrayType) or type_.dtype.kind != "b" or result.dtype.kind == "b":
            return made
        dtype = translated(literal(result.dtype), node, True)
        return ast.Call(dotted("jnp.asarray"), [made, dtype], [])

    def _typed(self, node: Node, made: ast.expr) -> ast.expr:
        """A result in single precision that JAX may have widened, or in double that it narrows."""
        types = [v.type for v in (*node.results, *node.operands) if isinstance(v.type, ArrayType)]
        floats = {t.dtype for t in types if t.dtype.kind in "fc"}
        mixed = len(floats) > 1 or _mixes_integers(node)
        if not mixed or len(node.results) != 1 or node.op is astype:
            return made
        result = node.result.type
        if not isinstance(result, ArrayType) or result.dtype.kind not in "fc":
            return made
        dtype = translated(literal(result.dtype), node, True)
        return ast.Call(dotted("jnp.asarray"), [made, dtype], [])

    def _store(self, node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        key, dynamic = key_of(node)
        base, value = operands[:2]
        spelled = translated(spell_key(key, _placeholders(dynamic)), node, True)
        keys = _restored(spelled, [self.of(v) for v in dynamic])
        at = ast.Subscript(ast.Attribute(base, "at", ast.Load()), keys, ast.Load())
        verb = "set" if node.op is index_set else "add"
        return ast.Call(ast.Attribute(at, verb, ast.Load()), [value], [])

    def _name(self, value: Value) -> str:
        if value not in self.named:
            if not self.uses.get(value):
                return "_"
            suffix = {"cotangent": "_bar", "tangent": "_dot"}.get(value.role, "")
            base = f"{value.name}{suffix}" if value.name else "t"
            self.named[value] = self.names.fresh(base)
        return self.named[value]

    # Branches, loops, calls

    def _arm(self, name: str, block: Block, depth: int) -> None:
        self.lines.add(depth, f"def {name}():")
        self._block(block, depth + 1)
        results = [
            "None" if v.node is not None and v.node.op is undefined else _text(self.of(v))
            for v in block.results
        ]
        self.lines.add(depth + 1, f"return {_tuple_text(results)}")

    def _tuple(self, values: Iterable[Value]) -> str:
        return _tuple_text([_text(self.of(value)) for value in values])

    def _cond(self, node: Node, depth: int) -> None:
        used = [k for k, value in enumerate(node.results) if self.uses.get(value)]
        then, orelse = self.names.fresh("then"), self.names.fresh("orelse")
        for name, block in zip((then, orelse), node.blocks, strict=True):
            kept = Block((), block.nodes, tuple(block.results[k] for k in used))
            self._arm(name, kept, depth)
        targets = [self._name(node.results[k]) for k in used]
        test = _text(self.of(node.operands[0]))
        dtypes = _dtypes([node.results[k].type for k in used])
        to = f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = " if targets else ""
        self.lines.add(depth, f"{to}_branch({test}, {then}, {orelse}, {dtypes})", node)

    def _loop(self, view: LoopView, depth: int) -> None:
        node = view.node
        body = self.names.fresh("body")
        parameters = (view.index, *view.carries, *view.elements)
        self.lines.add(depth, f"def {body}({self._parameters(parameters)}):")
        self._block(view.body, depth + 1)
        after, written = self._tuple(view.next_carries), self._tuple(view.pushed)
        self.lines.add(depth + 1, f"return {after}, {written}")
        condition = self._condition(view, depth) if view.condition is not None else "None"
        start, rows = self._tuple(view.initial), self._tuple(view.xs)
        dtypes = _dtypes([value.type for value in view.carries])
        targets = ", ".join(map(self._name, node.results))
        count = "None" if view.count is None else _text(self.of(view.count))
        if view.xs or view.ys or (view.condition is None and turns_are_known(view, self.known)):
            options = ", reverse=True" if view.reverse else ""
            options += f", condition={condition}" if condition != "None" else ""
            options += f", writes={len(view.ys)}" if view.ys else ""
            made = f"_for({body}, {start}, {rows}, {dtypes}, {count}{options})"
        else:
            options = ", reverse=True" if view.reverse else ""
            made = f"_while({body}, {condition}, {start}, {dtypes}, {count}{options})"
        if len(node.results) == 1:
            targets += ","
        self.lines.add(depth, f"{targets} = {made}", node)

    def _parameters(self, values: Iterable[Value]) -> str:
        names = []
        for value in values:
            self._refuse_type(value, None)
            hint = {"cotangent": "_bar", "tangent": "_dot"}.get(value.role, "")
            if value not in self.named:
                self.named[value] = self.names.fresh(f"{value.name}{hint}" if value.name else "k")
            names.append(self.named[value])
        return ", ".join(names)

    def _condition(self, view: LoopView, depth: int) -> str:
        assert view.condition is not None
        name = self.names.fresh("goes_on")
        self.lines.add(depth, f"def {name}({self._parameters(view.condition.parameters)}):")
        self._block(view.condition, depth + 1)
        self.lines.add(depth + 1, f"return {_text(self.of(view.condition.results[0]))}")
        return name


class _Output(Expressions):
    """Expressions of what is returned."""

    def __init__(self, function: _Function) -> None:
        super().__init__(function.named, function.folded, function.names)
        self.function = function

    def of(self, value: Value) -> ast.expr:
        return self.function.of(value)


def _called(spelled: ast.expr) -> str:
    """The function that a spelling calls."""
    call = next(tree for tree in ast.walk(spelled) if isinstance(tree, ast.Call))
    return _text(call.func)


class _Supported(ast.NodeTransformer):
    """Names the functions of ``ops.support`` which modules for JAX have in words of their own."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        function = getattr(node.value, "__name__", None)
        if getattr(node.value, "__module__", None) != support.__name__:
            return node
        known = f"_{function}" in defined_in("traced_support")
        return ast.Name(f"_{function}", ast.Load()) if known else node


def _placeholders(operands: Sequence[object]) -> list[ast.Name]:
    """Names that stand for operands while the spelling around them is translated."""
    return [ast.Name(f"_operand_{k}_", ast.Load()) for k in range(len(operands))]


class _Restored(ast.NodeTransformer):
    """Puts operands in the place of their names."""

    def __init__(self, operands: Sequence[ast.expr]) -> None:
        self.operands = {f"_operand_{k}_": operand for k, operand in enumerate(operands)}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.operands.get(node.id, node)


def _restored(tree: ast.expr, operands: Sequence[ast.expr]) -> ast.expr:
    made: ast.expr = _Restored(operands).visit(tree)
    return made


_WHERE = "write np.where(mask, value, other), or export it for numpy"
_SIZES = 'say in the types that lengths are equal ("float64[n]", "float64[n]"), or write np.where'
_COUNTED = "let the loop run over a range of known length and keep values with np.where"


def _repeats(reader: Node, value: Value) -> bool:
    """Return whether the spelling of a reader writes a value more than once."""
    if not isinstance(reader.op, DeclaredOp) or reader.operands.count(value) > 1:
        return True
    return any(reader.operands[k] is value for k in reader.op.repeated if k < len(reader.operands))


def _length(operands: Sequence[ast.expr], known: bool) -> ast.expr:
    """How many numbers a range has."""
    start, stop, step = operands
    maximum = ast.Name("max", ast.Load()) if known else dotted("jnp.maximum")
    distance: ast.expr = stop
    if not is_number(start, 0):
        distance = ast.BinOp(stop, ast.Sub(), start)
    if not is_number(step, 1):
        down = ast.BinOp(ast.UnaryOp(ast.USub(), distance), ast.FloorDiv(), step)
        distance = ast.UnaryOp(ast.USub(), down)
    return ast.Call(maximum, [distance, ast.Constant(0)], [])


def _text(tree: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _tuple_text(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _dtypes(types: Sequence[Type]) -> str:
    names = [repr(t.dtype.name) if isinstance(t, ArrayType) else "None" for t in types]
    return _tuple_text(names)


def _is_sayable(type_: Type) -> bool:
    if isinstance(type_, TapeType):
        return _is_sayable(type_.element)
    return isinstance(type_, ArrayType) and type_.dtype.isnative and type_.dtype.char not in "gG"


def _surely_fit(one: Value, other: Value) -> bool:
    """Return whether two values have one shape, whatever the arguments; or one of them has none."""
    if any(value.node is not None and value.node.op is undefined for value in (one, other)):
        return True
    first, second = one.type, other.type
    if not isinstance(first, ArrayType) or not isinstance(second, ArrayType):
        return True
    return all(map(_are_one, first.shape, second.shape))


def _are_one(one: Dim, other: Dim) -> bool:
    if isinstance(one, Size) and isinstance(other, Size):
        return one.symbol == other.symbol and one.offset == other.offset
    return one == other


def _never_fit(one: Type, other: Type) -> bool:
    """Return whether two arrays have different lengths, whatever the arguments."""
    if not isinstance(one, ArrayType) or not isinstance(other, ArrayType):
        return False
    return any(map(_differ, one.shape, other.shape))


def _differ(one: Dim, other: Dim) -> bool:
    if isinstance(one, Size) and isinstance(other, Size):
        return one.symbol == other.symbol and one.offset != other.offset
    if isinstance(one, Size) or isinstance(other, Size):
        return 1 in (one, other) and not (may_be_one(one) and may_be_one(other))
    return one != other


def _is_integer(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, ArrayType) and type_.kind == "python" and type_.dtype.kind == "i"


def _rank(value: Value) -> int:
    return value.type.rank if isinstance(value.type, ArrayType) else 0


def _mixes_integers(node: Node) -> bool:
    """Return whether arrays of integers meet arrays of single precision."""
    kinds = {v.type.dtype.name for v in node.operands if isinstance(v.type, ArrayType)}
    return bool(kinds & {"float32", "complex64"}) and bool(kinds & {"int64", "int32", "bool"})


def _blocks(block: Block) -> Iterator[Block]:
    pending = [block]
    while pending:
        current = pending.pop()
        yield current
        for node in current.nodes:
            pending.extend(node.blocks)


def _uses(graph: Graph) -> dict[Value, list[Node | None]]:
    """The nodes that read each value and are not dead themselves; None stands for results."""
    reads: dict[Value, list[Node | None]] = {}
    kept: set[Node] = set()
    returned = {graph.block.results[k] for k in leaf_numbers(graph.output)}
    pending: list[tuple[Value, Node | None]] = [(value, None) for value in returned]
    parameters = {
        p: node
        for b in _blocks(graph.block)
        for node in b.nodes
        for block in node.blocks
        for p in block.parameters
    }
    while pending:
        value, reader = pending.pop()
        reads.setdefault(value, []).append(reader)
        source = value.node or parameters.get(value)
        if source is None or source in kept:
            continue
        kept.add(source)
        pending += [(v, source) for v in source.operands]
        for block in source.blocks:
            pending += [(v, None) for v in block.results]
    return reads


def _live(block: Block, uses: dict[Value, list[Node | None]]) -> Iterator[Node]:
    """The nodes of a block that something reads."""
    return (node for node in block.nodes if any(uses.get(value) for value in node.results))
