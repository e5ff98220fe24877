"""The right text for every function that has one, and a refusal for every other."""

from __future__ import annotations
import __future__

import ast
import doctest
import functools
import importlib.util
import linecache
import pickle
import sys
import textwrap
import threading
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdiff.errors import SourceUnavailableError
from symdiff.source import FunctionSource, find_source, span_of

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Write a text to a file and run it as a module that pytest does not rewrite."""
    path = tmp_path / "model.py"

    def write_and_run(text: str, *, write: bool = True) -> dict[str, Any]:
        text = textwrap.dedent(text)
        if write:
            path.write_text(text, encoding="utf-8")
        namespace: dict[str, Any] = {"__name__": "model"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, str(path), "exec", dont_inherit=True), namespace)
        return namespace

    return write_and_run


def unparsed(function: types.FunctionType) -> str:
    return ast.unparse(find_source(function).tree)


def first(tree: ast.AST, kind: type[ast.AST]) -> ast.AST:
    return next(node for node in ast.walk(tree) if isinstance(node, kind))


# Which function


def test_a_plain_function(run: Run) -> None:
    source = find_source(run("x = 1\n\ndef f(a):\n    return a + x\n")["f"])
    assert isinstance(source.tree, ast.FunctionDef)
    assert (source.tree.name, source.tree.lineno, source.qualname) == ("f", 3, "f")
    assert source.line(4) == "    return a + x"
    assert source.line(0) == source.line(99) == ""
    assert Path(source.file).name == "model.py"


def test_two_lambdas_on_one_line(run: Run) -> None:
    one, two = run("pair = (lambda x: x + 1), (lambda x: x - 1)")["pair"]
    assert unparsed(one) == "lambda x: x + 1"
    assert unparsed(two) == "lambda x: x - 1"


def test_equal_lambdas_on_one_line_keep_their_columns(run: Run) -> None:
    one, two = run("pair = (lambda x: x + 1), (lambda x: x + 1)")["pair"]
    assert find_source(one).tree.col_offset == 8
    assert find_source(two).tree.col_offset == 27


def test_lambdas_that_return_constants_on_one_line(run: Run) -> None:
    functions = run("three = (lambda: 3), (lambda y=(lambda: 4): (1, 2)), (lambda a: 3)")["three"]
    expected = ["lambda: 3", "lambda y=lambda: 4: (1, 2)", "lambda a: 3"]
    assert [unparsed(function) for function in functions] == expected
    assert unparsed(functions[1].__defaults__[0]) == "lambda: 4"


def test_nested_lambdas_on_one_line(run: Run) -> None:
    outer = run("f = lambda x: lambda y: lambda z: x * y + z")["f"]
    assert unparsed(outer) == "lambda x: lambda y: lambda z: x * y + z"
    assert unparsed(outer(1)) == "lambda y: lambda z: x * y + z"
    assert unparsed(outer(1)(2)) == "lambda z: x * y + z"


def test_lambda_over_several_lines(run: Run) -> None:
    functions = run("fs = [lambda x:\n  x +\n1, lambda x: (\nx -\n 2)]")["fs"]
    assert [unparsed(function) for function in functions] == ["lambda x: x + 1", "lambda x: x - 2"]


def test_lambdas_in_comprehensions_and_defaults(run: Run) -> None:
    names = run(
        """
        fs = [lambda x, i=i: x * i for i in range(2)]
        def g(h=lambda t: t / 2): return (lambda t: t / 3), h
        """
    )
    assert unparsed(names["fs"][1]) == "lambda x, i=i: x * i"
    assert [unparsed(each) for each in names["g"]()] == ["lambda t: t / 3", "lambda t: t / 2"]


def test_method_with_an_unindented_string(run: Run) -> None:
    text = 'class A:\n    def f(self):\n        s = """\nunindented\n"""\n        return s\n'
    source = find_source(run(text)["A"].f)
    assert source.qualname == "A.f"
    assert source.tree.lineno == 2


def test_methods_of_one_name_in_two_classes(run: Run) -> None:
    names = run(
        """
        class A:
            def f(self, x): return self.__k * x
        class B:
            def f(self, x): return self.__k * x
        """
    )
    assert find_source(names["A"].f).tree.lineno == 3
    assert find_source(names["B"].f).tree.lineno == 5


def test_of_two_definitions_the_one_that_runs(run: Run) -> None:
    names = run("flag = False\nif flag:\n  def f(x): return 1.0\nelse:\n  def f(x): return 1\n")
    assert find_source(names["f"]).tree.lineno == 5


@pytest.mark.parametrize("change", [("0.0", "-0.0"), ("1", "True"), ("{1, 2}", "{1.0, 2}")])
def test_constants_are_told_apart_by_type_and_sign(run: Run, change: tuple[str, str]) -> None:
    old, new = change
    run(f"def f(x): return x in [0] or {new}\ndef g(x): return x in {new}" + "\n")
    names = run(f"def f(x): return x in [0] or {old}\n", write=False)
    with pytest.raises(SourceUnavailableError):
        find_source(names["f"])


def test_closures_share_their_source(run: Run) -> None:
    make = run("def make(k):\n    def inner(x):\n        return k * x\n    return inner\n")["make"]
    source = find_source(make(3))
    assert source.qualname == "make.<locals>.inner"
    assert source.tree.lineno == 2


def test_a_decorated_function_is_its_wrapper(run: Run) -> None:
    names = run(
        """
        import functools
        def twice(f):
            @functools.wraps(f)
            def wrapper(*args): return 2 * f(*args)
            return wrapper
        @twice
        @twice
        def f(x): return x
        """
    )
    wrapper = find_source(names["f"])
    assert wrapper.qualname == "twice.<locals>.wrapper"
    assert wrapper.tree.lineno == 5
    inner = names["f"].__wrapped__.__wrapped__
    assert find_source(inner).tree.lineno == 9


def test_decorator_that_is_a_lambda_on_the_line_above(run: Run) -> None:
    names = run("@(lambda f: (f, lambda x: f(x)))\ndef f(x): return x\n")
    assert unparsed(names["f"][0]).endswith("return x")
    assert unparsed(names["f"][1]) == "lambda x: f(x)"


def test_generators_and_coroutines_have_source_too(run: Run) -> None:
    names = run("def g(x): yield x\nasync def h(x): return x\nl = lambda: (yield)\n")
    assert isinstance(find_source(names["g"]).tree, ast.FunctionDef)
    assert isinstance(find_source(names["h"]).tree, ast.AsyncFunctionDef)
    assert isinstance(find_source(names["l"]).tree, ast.Lambda)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_functions_with_type_parameters(run: Run) -> None:
    names = run(
        """
        def f[T](x: T) -> T: return x
        class A[T]:
            @staticmethod
            def g[S: int](x: T, y: S) -> S: return y
        type Pair[T] = tuple[T, T]
        """
    )
    assert find_source(names["f"]).tree.lineno == 2
    assert find_source(names["A"].g).tree.lineno == 5


def test_form_feed_crlf_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "old.py"
    path.write_bytes(
        b"\xef\xbb\xbf# one\r\n\x0c\r\ndef f(x):\r\n    s = 'a\x0cb'\r\n    return x\r\n"
    )
    source = find_source(_load(path).f)
    assert source.line(source.tree.lineno) == "def f(x):"
    assert source.line(5) == "    return x"


def test_declared_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# coding: latin-1\ndef f(x):\n    é = x\n    return é\n".encode("latin-1"))
    assert find_source(_load(path).f).line(3) == "    é = x"


def test_flags_of_the_running_code_are_used(tmp_path: Path) -> None:
    text = "def f(x: Unknown): return lambda y: x\n"
    path = tmp_path / "annotated.py"
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec", __future__.annotations.compiler_flag), names)
    assert find_source(names["f"]).qualname == "f"


def test_a_file_that_imports_annotations_from_the_future(run: Run) -> None:
    names = run("from __future__ import annotations\ndef f(x: Unknown): return x\n")
    assert find_source(names["f"]).tree.lineno == 2


# Where the text is


def register(name: str, text: str) -> dict[str, Any]:
    """Run a text as notebooks do: it is in linecache and nowhere else."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names


def test_code_that_exec_ran_and_linecache_knows() -> None:
    assert unparsed(register("<generated 1>", "f = lambda x: x + 1\n")["f"]) == "lambda x: x + 1"


def test_notebook_cells_are_found_after_redefinition() -> None:
    old = register("<ipython-input-1-abc>", "def f(x):\n    return x\n")["f"]
    new = register("<ipython-input-2-abc>", "def f(x):\n    return -x\n")["f"]
    assert unparsed(old).endswith("return x")
    assert unparsed(new).endswith("return -x")


def test_functions_beside_imports_in_one_notebook_cell() -> None:
    """Kernels compile a cell statement by statement, which makes other instructions of ``np.sum``
    than one compilation of the whole, where the import is seen."""
    text = "import numpy as np\ndef f(x):\n    return np.sum(x * x)\ng = lambda x: np.sum(x)\n"
    file = "/tmp/ipykernel_1/2687789215.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), file, "exec"), names)
    assert find_source(names["f"]).tree.lineno == 2
    assert ast.unparse(find_source(names["g"]).tree) == "lambda x: np.sum(x)"


def test_notebook_cell_that_awaits_at_top_level() -> None:
    text = "def f(x):\n    return x\nawait g()\n"
    names: dict[str, Any] = {}
    tree = ast.parse(text.replace("await g()\n", ""))
    exec(compile(tree, "/tmp/ipykernel_1/cell.py", "exec"), names)
    linecache.cache["/tmp/ipykernel_1/cell.py"] = (len(text), None, text.splitlines(True), "")
    assert find_source(names["f"]).qualname == "f"


def test_functions_defined_in_doctests() -> None:
    found: list[str] = []
    example = ">>> def f(x):\n...     return x * 3\n>>> note(f)\n>>> note(lambda x: x / 2)\n"
    test = doctest.DocTestParser().get_doctest(
        example, {"note": lambda f: found.append(unparsed(f))}, "name", None, None
    )
    assert doctest.DocTestRunner().run(test).failed == 0
    assert found == ["def f(x):\n    return x * 3", "lambda x: x / 2"]


def test_text_that_only_the_loader_has() -> None:
    text = "def f(x):\n    return x + 40\n"

    class Loader:
        def get_source(self, name: str) -> str:
            return text

    names: dict[str, Any] = {"__name__": "zipped", "__loader__": Loader()}
    exec(compile(text, "/nowhere/archive.zip/zipped.py", "exec"), names)
    assert find_source(names["f"]).line(2) == "    return x + 40"


def test_text_kept_by_code_object(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    return x + 41\n"
    names: dict[str, Any] = {}
    exec(compile(text, "<stdin>", "exec"), names)
    kept = {names["f"].__code__: text.splitlines(True)}
    monkeypatch.setattr(linecache, "_getlines_from_code", kept.get, raising=False)
    assert find_source(names["f"]).line(2) == "    return x + 41"


# In which part of the file


@pytest.mark.parametrize("text", [
    "try:\n    import absent_module\nexcept ImportError:\n    def f(x):\n        return x\n",
    "if False:\n    y = 1\nelse:\n    f = lambda x: (\nx\n)\n",
    "def by(f):\n    return f\n@by\n\n# so\n@by\ndef f(x):\n    return x\n",
    "def by(*_):\n    return lambda f: f\n@by(\n    1,\nby, 2)\ndef f(x):\n    return x\n",
    'TEXT = """\ndef f(x):\n    return -x\n"""\ndef f(x):\n    return x\n',
    'TEXT = """\ndef f(x): ""\n"""; f = lambda x: x\n',
    'def f(x):\n    """Text\nat the margin\n"""\n    return x\n',
    "if True:\n    from math import (\nsin\n)\ndef f(x):\n    return x if x else sin(x)\n",
    "from math import (\n    sin,\ncos\n)\ndef f(x):\n    return x if x else cos(x)\n",
    "x = 1; f = lambda x: x\n",
])  # fmt: skip
def test_functions_are_found_wherever_they_stand(text: str, run: Run) -> None:
    function = run(text)["f"]
    code, source = function.__code__, find_source(function)
    decorators = getattr(source.tree, "decorator_list", [])
    assert code.co_firstlineno == min(n.lineno for n in (source.tree, *decorators))
    assert [source.line(k + 1) for k in range(text.count("\n"))] == text.splitlines()
    alone = compile(ast.unparse(source.tree), "alone", "exec", dont_inherit=True)
    assert any(isinstance(c, types.CodeType) and c.co_names == code.co_names and c.co_varnames ==
               code.co_varnames for c in alone.co_consts)  # fmt: skip


def test_functions_of_one_statement_share_its_tree(run: Run) -> None:
    names = run("y = 1\n\nclass C:\n    def f(self): pass\n\n    def g(self): pass\n")
    f, g = (find_source(vars(names["C"])[name]).tree for name in "fg")
    assert (f.lineno, g.lineno) == (4, 6)
    inner = run("x = 1\ndef f(x):\n    return lambda y: y\n")["f"]
    outer = find_source(inner).tree
    assert find_source(inner(1)).tree in list(ast.walk(outer))


def test_of_a_long_file_only_a_part_is_compiled(run: Run) -> None:
    names = run("".join(f"def f{i}(x):\n    return x + {i}.25\n\n" for i in range(30_000)))
    start = time.process_time()
    assert find_source(names["f20000"]).tree.lineno == 60_001
    assert time.process_time() - start < 0.5


def test_an_edit_elsewhere_that_is_not_python_leaves_a_function_found(
    run: Run, tmp_path: Path
) -> None:
    old = run("def f(x):\n    return x + 1\n\ndef g(x):\n    return x\n")["f"]
    (tmp_path / "model.py").write_text("def f(x):\n    return x + 1\n\ndef g(x:\n    return x\n")
    assert find_source(old).tree.lineno == 1


# When the text is not what runs


def test_an_edited_function_is_refused_with_a_way_out(run: Run) -> None:
    old = run("def f(x):\n    return x + 1\n")["f"]
    assert find_source(old).tree.lineno == 1
    new = run("def f(x):\n    return x + 22\n")["f"]
    with pytest.raises(SourceUnavailableError, match=r"model\.py was changed since") as caught:
        find_source(old)
    assert "'f'" in caught.value.message
    assert "reload" in str(caught.value.hint)
    assert find_source(new).tree.lineno == 1


def test_code_of_exec_under_the_name_of_a_file_is_not_said_to_be_an_edit(run: Run) -> None:
    run("x = 1\n")
    other = run("def f(x):\n    return x + 1\n")["f"]
    names: dict[str, Any] = {}
    text = "def f(x):\n    return x + 2\n"
    exec(compile(text, other.__code__.co_filename, "exec"), names)
    with pytest.raises(SourceUnavailableError, match=r"or exec\(\) made the function"):
        find_source(names["f"])


def test_code_of_exec_beside_a_command_line_has_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {}
    exec(compile("def f(x):\n    return x + 2\n", "<string>", "exec"), names)
    command = "exec(compile(...))\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(command), None, [command], "<string>"))
    with pytest.raises(SourceUnavailableError, match=r"made by exec\(\)") as caught:
        find_source(names["f"])
    assert "changed" not in str(caught.value)


@pytest.mark.parametrize("after", ["def f(x:\n", "x = '\\0'\n", "\0", "y = 1\n"])
def test_an_edit_that_leaves_no_such_function(run: Run, tmp_path: Path, after: str) -> None:
    old = run("def f(x):\n    return x + 1\n")["f"]
    (tmp_path / "model.py").write_text(after)
    with pytest.raises(SourceUnavailableError, match="changed"):
        find_source(old)


def test_an_unchanged_function_in_an_edited_file_is_found_where_it_is_now(
    run: Run, tmp_path: Path
) -> None:
    text = "def f(x):\n    return x + 1\n"
    old = run(text)["f"]
    (tmp_path / "model.py").write_text("# new line\n\n" + text)
    assert find_source(old).tree.lineno == 3


def test_code_swapped_in_place_is_followed(run: Run) -> None:
    names = run("def f(x): return x\ndef g(x): return -x\n")
    names["f"].__code__ = names["g"].__code__
    assert find_source(names["f"]).qualname == "g"


# When there is no text


@pytest.mark.parametrize("name", ["<string>", "<stdin>"])
def test_code_from_exec_or_a_prompt_is_refused_with_a_way_out(name: str) -> None:
    names: dict[str, Any] = {}
    exec(compile("def f(x): return x", name, "exec"), names)
    with pytest.raises(SourceUnavailableError, match="exec") as caught:
        find_source(names["f"])
    assert "in a file, in a notebook cell, or use IPython" in str(caught.value.hint)


def test_a_file_that_is_gone(run: Run, tmp_path: Path) -> None:
    function = run("def f(x): return x\n")["f"]
    (tmp_path / "model.py").unlink()
    with pytest.raises(SourceUnavailableError, match="cannot be read"):
        find_source(function)


@pytest.mark.parametrize("value", [len, "text".upper, functools.partial(len), int, 3])
def test_what_is_not_a_python_function(value: Any) -> None:
    with pytest.raises(SourceUnavailableError, match="not a function written in Python") as caught:
        find_source(value)
    assert "def or lambda" in str(caught.value.hint)


# Rewritten by pytest: this file is


def checked(x: float, *, y: float = -1.5) -> float:
    """Has an assert with a message, a comparison chain, a call and a walrus."""
    assert x == x, f"{x} is not a number"
    z = sum([x * i for i in range(3)]) + y
    assert -1 < z <= abs(z) + 2**10 and isinstance(z, float)
    assert (w := z + 1) > z
    return (lambda t: t + w)(x)


def outer_checked(k: float) -> types.FunctionType:
    assert k

    def inner(x: float) -> float:
        assert x != k
        return k * x

    assert inner
    return inner  # type: ignore[return-value]


def test_functions_with_asserts_that_pytest_rewrote() -> None:
    assert any(name.startswith("@py_assert") for name in checked.__code__.co_varnames)
    assert find_source(checked).qualname == "checked"
    assert find_source(outer_checked).qualname == "outer_checked"
    inner = find_source(outer_checked(2.0))
    assert inner.qualname == "outer_checked.<locals>.inner"
    assert inner.tree.name == "inner"  # type: ignore[union-attr]


def test_functions_without_asserts_in_a_rewritten_module() -> None:
    assert find_source(unparsed).qualname == "unparsed"
    assert unparsed(lambda x: x + 1) == "lambda x: x + 1"  # type: ignore[arg-type]


def handled(x: int) -> int:
    total = 0
    try:
        total = x + total
    except ValueError as e:
        assert e  # noqa: PT017
    one, two, three = x, total, x
    assert one
    return one * two + three


def test_handlers_and_many_locals_in_rewritten_functions() -> None:
    assert find_source(handled).qualname == "handled"


REWRITTEN_EDITS = ["x - k + ~k", "k * x + ~k", "x * k + -k", "x * 2 + ~k", "x * x + ~k", "x*k + ~k"]


@pytest.mark.parametrize("edit", REWRITTEN_EDITS)
def test_an_edited_function_with_asserts_is_refused(edit: str, tmp_path: Path) -> None:
    rewrite = pytest.importorskip("_pytest.assertion.rewrite")
    text = "def f(x, k):\n    assert x == 1, k\n    return x * k + ~k\n"
    path = tmp_path / "rewritten.py"
    path.write_text(text)
    tree = ast.parse(text)
    rewrite.rewrite_asserts(tree, text.encode())
    names: dict[str, Any] = {}
    exec(compile(tree, str(path), "exec"), names)
    assert find_source(names["f"]).qualname == "f"
    path.write_text(text.replace("x * k + ~k", edit))
    with pytest.raises(SourceUnavailableError, match="changed"):
        find_source(names["f"])


# Spans


def span_text(source: FunctionSource, kind: type[ast.AST]) -> str:
    span = span_of(first(source.tree, kind), source)
    return f"{span.location.rpartition('model.py')[2]}\n{span.excerpt}"


def test_carets_stand_under_the_expression(run: Run) -> None:
    source = find_source(run("def f(x, t):\n    k = x.searchsorted(t)\n    return k\n")["f"])
    assert span_text(source, ast.Call) == (
        ":2:9\n    k = x.searchsorted(t)\n        ^^^^^^^^^^^^^^^^^"
    )


def test_columns_count_characters_and_carets_count_cells(run: Run) -> None:
    source = find_source(run('def f(é):\n    return "漢字é", é.sum(1)\n')["f"])
    span = span_of(first(source.tree, ast.Call), source)
    assert (span.column, span.end_column) == (19, 27)
    code, carets = span.excerpt.splitlines()
    assert code == '    return "漢字é", é.sum(1)'
    assert carets == " " * (4 + 14 + 2) + "^" * 8


def test_tabs_inside_a_line_are_kept_under_it(run: Run) -> None:
    source = find_source(run("def f(x):\n\tk =\tx.sum()\n\treturn k\n")["f"])
    assert span_text(source, ast.Call) == ":2:6\n    k =\tx.sum()\n       \t^^^^^^^"


def test_several_lines_are_underlined_to_the_end_of_the_first(run: Run) -> None:
    source = find_source(run("def f(x):\n    return x.sum(  \n        1,\n    )\n")["f"])
    span = span_of(first(source.tree, ast.Call), source)
    assert (span.line, span.end_line, span.end_column) == (2, 4, 6)
    assert span.excerpt == "    return x.sum(\n           ^^^^^^"


def test_a_chain_over_several_lines_is_underlined_at_its_last_attribute(run: Run) -> None:
    chain = "(x\n            .ravel()\n            .sum(1))"
    text = f"def f(x, np):\n    return {chain} + np.\\\n    max(x)\n"
    source = find_source(run(text)["f"])
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    shown = sorted(span_of(node, source).excerpt for node in calls)
    assert shown == [
        "    .ravel()\n    ^^^^^^^^",
        "    .sum(1)) + np.\\\n    ^^^^^^^",
        "    max(x)\n    ^^^^^^",
    ]


def test_a_function_is_underlined_at_its_def_line(run: Run) -> None:
    source = find_source(run("@staticmethod\ndef f(x):\n    return x\n")["f"].__func__)
    assert span_of(source.tree, source).excerpt == "    def f(x):\n    ^^^^^^^^^"


def test_nodes_without_a_position_get_the_function(run: Run) -> None:
    source = find_source(run("def f(x):\n    return x + 1\n")["f"])
    assert span_of(first(source.tree, ast.Add), source) == span_of(source.tree, source)
    assert span_of(first(source.tree, ast.arg), source).column == 7


def test_spans_compare_hash_and_pickle(run: Run) -> None:
    source = find_source(run("def f(x): return x\n")["f"])
    span = span_of(source.tree, source)
    assert pickle.loads(pickle.dumps(span)) == span
    assert len({span, span_of(source.tree, source)}) == 1


# Effects and cost


def test_nothing_runs_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    text = "import os\nmarks.append(1)\ndef f(x):\n    return x\n"
    path = tmp_path / "model.py"
    path.write_text(text)
    names: dict[str, Any] = {"marks": []}
    exec(compile(text, str(path), "exec"), names)
    before = sorted(tmp_path.iterdir())
    with Audited({"exec", "import", "os.remove", "os.rename", "subprocess.Popen"}) as events:
        find_source(names["f"])
    assert events == []
    assert names["marks"] == [1]
    assert sorted(tmp_path.iterdir()) == before


_watched: set[str] = set()
_seen: list[str] = []
_watching_thread = 0


class Audited:
    """Events of the audit hook, of this thread, inside a with statement."""

    def __init__(self, events: set[str]) -> None:
        self._events = events

    def __enter__(self) -> list[str]:
        global _watching_thread
        _install_hook()
        _seen.clear()
        _watched.update(self._events)
        _watching_thread = threading.get_ident()
        return _seen

    def __exit__(self, *exception: object) -> None:
        _watched.clear()


@functools.cache
def _install_hook() -> None:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _watched and threading.get_ident() == _watching_thread:
            _seen.append(event)

    sys.addaudithook(hook)


def test_warnings_of_the_users_syntax_are_not_repeated(run: Run) -> None:
    function = run("def f(x):\n    return '\\d' if x is 1 else x\n")["f"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_source(function).qualname == "f"


def test_a_text_is_compiled_once_by_many_threads(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    function = run("def f(x):\n    return x + 123456789\n")["f"]
    trees: list[ast.AST] = []
    threads = [
        threading.Thread(target=lambda: trees.append(find_source(function).tree)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(trees) == 8
    assert len(set(map(id, trees))) == 1


def test_finding_again_costs_no_compilation(run: Run) -> None:
    body = "def f{0}(x):\n    y = x * {0} + 1\n    return y if y > 0 else -y\n\n"
    names = run("".join(body.format(i) for i in range(1000)))
    find_source(names["f0"])
    start = time.perf_counter()
    for i in range(20):
        find_source(names[f"f{i}"])
    assert time.perf_counter() - start < 1.0


def test_deeply_nested_code_is_searched_without_recursion() -> None:
    depth = 15
    lines = [" " * i + f"def f{i}(x{i}):" for i in range(depth)]
    lines += [" " * depth + "return 7"]
    lines += [" " * (depth - 1 - i) + f"return f{depth - 1 - i}" for i in range(depth - 1)]
    function = register("<deep>", "\n".join(line for line in lines) + "\n")["f0"]
    for _ in range(depth - 1):
        function = function(1)
    assert find_source(function).tree.lineno == depth


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
