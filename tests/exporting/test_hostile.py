"""Text of the user's in every place of a module: nothing of it runs, and all of it is kept.

Each payload would announce itself by an audit event if anything of it were run.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import symdiff as sd

EVENT = "symdiff.test.hostile"
RUN = f"__import__('sys').audit('{EVENT}')"
PAYLOADS = {
    "newline": f"\n{RUN}\n",
    "indented": f"\n    {RUN}\n",
    "return": f"\r{RUN}\r",
    "both": f"\r\n{RUN}\r\n",
    "form feed": f"\x0c\n{RUN}",
    "next line": f"\x85{RUN}\x85",
    "line separator": f"\u2028{RUN}\u2029{RUN}",
    "single quote": f"'\n{RUN}\n'",
    "single quotes": f"' + {RUN} + '",
    "double quote": f'"\n{RUN}\n"',
    "double quotes": f'" + {RUN} + "',
    "triple double": f'"""\n{RUN}\n"""',
    "triple single": f"'''\n{RUN}\n'''",
    "ends with quote": 'a"',
    "ends with quotes": 'a""',
    "ends with backslash": "a\\",
    "ends with backslashes": "a\\\\",
    "backslash quote": f'\\"""\n{RUN}\n\\"""',
    "escapes": "\\n\\x41\\u0041\\N{DIGIT ONE}\\101",
    "braces": "{" + RUN + "}",
    "double braces": "{{" + RUN + "}}{0}{x!r:>{y}}",
    "percent": "%s%(x)s%n",
    "type comment": "# type: ignore[" + RUN,
    "coding": "# -*- coding: utf-7 -*-\n+ADw-",
    "comment": f"#\n{RUN}#",
    "parenthesis": f"):\n    pass\n{RUN}\ndef g(",
    "bracket": f"]\n{RUN}\n[",
    "bidi": f"\u202e{RUN}\u2066\u2069",
    "invisible": "a\u200b\u200d\ufeffb",
    "look-alike": "\u0430\u0440\u0440\u04cf\u0435 \uff52\uff55\uff4e \u037e",
    "surrogate": "\ud800\udfff",
    "null": f"\0{RUN}",
    "control": "".join(map(chr, range(1, 32))) + "\x7f",
    "long": "x" * 100_000,
    "astral": "\U0001f600\U000e0001\U0010ffff",
    "hash": '\n    "sha256": "' + "0" * 64 + '",\n',
    "dunder": '__import__("os").abort()',
    "empty": "",
}
_heard: list[Any] = []
sys.addaudithook(lambda event, args: _heard.append(event) if event == EVENT else None)


def loaded(path: Path) -> dict[str, Any]:
    """The module's names, after it was read, looked at, and checked by itself."""
    content = path.read_bytes()
    text = content.decode("utf-8")
    ast.parse(text)
    ast.parse(text, type_comments=True)
    assert all(c.isprintable() or c == "\n" for c in text)
    with redirect_stdout(io.StringIO()) as said:
        scope: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
        with pytest.raises(SystemExit) as left:
            exec(compile(content, str(path), "exec"), scope)
    assert left.value.code == 0, said.getvalue()
    assert _heard == []
    return scope


def renamed(name: str, attribute: str) -> Callable[[float], float]:
    """A function whose name, module or other text is a payload."""

    def f(x: float) -> float:
        return x * x

    setattr(f, attribute, name)
    return f


@pytest.fixture(params=PAYLOADS.values(), ids=PAYLOADS)
def payload(request: Any) -> str:
    _heard.clear()
    return str(request.param)


def test_payloads_do_announce_themselves() -> None:
    exec(PAYLOADS["newline"], {})
    assert _heard == [EVENT]
    _heard.clear()


@pytest.mark.parametrize("attribute", ["__name__", "__qualname__", "__module__", "__doc__"])
def test_texts_of_a_function(payload: str, attribute: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    sd.grad(renamed(payload, attribute)).export(path, 3.0, stub=True)
    module = loaded(path)
    (name,) = module["__all__"]
    assert name.isidentifier()
    assert module[name](3.0) == 6.0
    ast.parse(path.with_suffix(".pyi").read_text("utf-8"))


def test_strings_and_keys_that_are_arguments(payload: str, tmp_path: Path) -> None:
    def f(p: Any, kind: str) -> Any:
        return p[payload] ** 2 if kind == payload else p[payload]

    path = tmp_path / "module.py"
    sd.grad(f).export(path, {payload: 3.0}, payload)
    gradient = loaded(path)["f_grad"]
    assert gradient({payload: 3.0}, payload) == {payload: 6.0}
    with pytest.raises(TypeError, match="kind must be"):
        gradient({payload: 3.0}, payload + "x")


def test_strings_that_are_returned_and_printed(payload: str, tmp_path: Path) -> None:
    def f(x: float) -> Any:
        print(payload, f"{payload}{x}")
        return x * x, {payload: payload}

    path = tmp_path / "module.py"
    with redirect_stdout(io.StringIO()):
        sd.grad(f, has_aux=True).export(path, 3.0)
    printable = payload.encode("utf-8", "replace").decode() == payload
    if not printable:
        return  # what cannot be printed is no text for the console either
    module = loaded(path)
    with redirect_stdout(io.StringIO()) as said:
        assert module["f_grad"](3.0) == (6.0, {payload: payload})
    assert said.getvalue() == f"{payload} {payload}3.0\n"


def test_messages_of_errors(payload: str, tmp_path: Path) -> None:
    def f(x: float) -> float:
        if x < 0:
            raise ValueError(payload)
        return x * x

    path = tmp_path / "module.py"
    sd.grad(f).export(path, 3.0)
    with pytest.raises(ValueError) as caught:
        loaded(path)["f_grad"](-1.0)
    assert caught.value.args == (payload,)


def test_sources_with_comments_docstrings_and_file_names(payload: str, tmp_path: Path) -> None:
    shown = "".join(c for c in payload if c not in "\n\r\0\x0c" and not "\ud800" <= c <= "\udfff")
    name = "".join(c for c in shown if c != "/")[:40] or "plain"
    source = tmp_path / f"{name}.py"
    source.write_text(
        f"def f(x):\n    {payload!r}\n    y = x * x  # {shown}\n    return y * len({shown!r})\n",
        encoding="utf-8",
        newline="\n",
    )
    spec = importlib.util.spec_from_file_location("hostile", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = tmp_path / "exported_module.py"
    sd.grad(module.f).export(path, 3.0)
    exported = loaded(path)
    assert exported["f_grad"](3.0) == 6.0 * len(shown)
    assert exported["__symdiff__"]["functions"]["f_grad"]["file"] == source.name


def test_names_of_files(payload: str, tmp_path: Path) -> None:
    name = "".join(c for c in payload if c not in "/\0" and not "\ud800" <= c <= "\udfff")[:40]
    path = tmp_path / f"{name}a.py"
    large = np.linspace(0.0, 1.0, 100)
    sd.grad(lambda x: np.sum(large * x)).export(path, large, constants="file", stub=True)
    np.testing.assert_array_equal(loaded(path)["function_grad"](np.ones(100)), large)
    ast.parse(path.with_suffix(".pyi").read_text("utf-8"))


def test_names_that_are_asked_for(payload: str, tmp_path: Path) -> None:
    if payload.isidentifier():
        payload += "-"
    with pytest.raises(sd.SymdiffError, match="is no name") as caught:
        sd.export(tmp_path / "module.py", {payload: sd.grad(lambda x: x * x)}, 2.0)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []
    assert _heard == []


def test_names_of_classes(payload: str, tmp_path: Path) -> None:
    kind: Any = make_dataclass("Pair", ["a"])
    text = payload.replace("\0", "").encode("utf-8", "ignore").decode()  # as Python demands
    kind.__name__ = kind.__qualname__ = text
    path = tmp_path / "module.py"
    made = sd.grad(lambda p: p.a**2)
    if not text.isidentifier():
        with pytest.raises(sd.SymdiffError, match="cannot be defined under its own name"):
            made.export(path, kind(3.0))
        assert list(tmp_path.iterdir()) == []
        return
    made.export(path, kind(3.0))
    module = loaded(path)
    assert module["function_grad"](kind(3.0)).a == 6.0


def test_names_of_keyword_arguments(payload: str, tmp_path: Path) -> None:
    def f(x: float, **more: float) -> float:
        return x * more[payload]

    path = tmp_path / "module.py"
    sd.grad(f).export(path, 2.0, **{payload: 3.0})
    assert loaded(path)["f_grad"](2.0, **{payload: 3.0}) == 3.0


REFUSED_NAMES = ("np", "_array", "_number", "float", "f_grad")


class Wide(NamedTuple):
    """Letters of another alphabet, which Python reads as they are."""

    а: float
    a: float


def test_names_that_look_alike_stay_apart(tmp_path: Path) -> None:
    def f(а: float, a: float, w: Wide) -> float:
        return а * 2 + a * 3 + w.а * 5 + w.a * 7

    path = tmp_path / "module.py"
    sd.grad(f, (0, 1, 2)).export(path, 1.0, 1.0, Wide(1.0, 1.0))
    assert loaded(path)["f_grad"](1.0, 1.0, Wide(1.0, 1.0)) == (2.0, 3.0, (5.0, 7.0))


@pytest.mark.parametrize(
    "name", ["np", "_array", "_number", "sizes", "given", "math", "float", "print", "f_grad", "Any"]
)
def test_parameters_with_names_of_the_module(name: str, tmp_path: Path) -> None:
    scope: dict[str, Any] = {}
    source = tmp_path / "source.py"
    source.write_text(f"def f({name}, y):\n    return {name} * {name} * y[0]\n")
    exec(compile(source.read_text(), str(source), "exec"), scope)
    path = tmp_path / "module.py"
    made = sd.grad(scope["f"])
    if name in REFUSED_NAMES:
        with pytest.raises(sd.SymdiffError, match="a name that the module needs itself") as caught:
            made.export(path, 3.0, np.ones(2))
        assert "rename the parameter" in str(caught.value.hint)
        return
    made.export(path, 3.0, np.ones(2))
    assert loaded(path)["f_grad"](3.0, np.ones(2)) == 6.0
    assert loaded(path)["f_grad"](**{name: 3.0, "y": np.ones(2)}) == 6.0


VALUES: list[Any] = [
    10**5000, -(10**5000), 5e-324, -0.0, float("inf"), float("-inf"), float("nan"), 0.1 + 0.2,
    1e308, complex(0.0, -0.0), complex(float("nan"), float("inf")), True, np.float32(0.1),
    np.float64(-0.0), np.longdouble("0.1"), np.int8(-128), np.complex64(1 - 2j),
    np.array(2.5), np.zeros((0, 3)), np.zeros((2, 0), np.float32), np.ones((2, 3), order="F"),
    np.array([np.nan, -np.inf, -0.0]), np.array([1, 2], ">i4"), np.array([0.1], np.longdouble),
    (), [], {}, ((),), range(3), slice(1, None), b"\x00'\"\\", ..., None, np.dtype(">f4"),
    {"a": [1, (2.0,)], 3: {}}, np.sin, len, "\ud800", np.float32,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=map(str, range(len(VALUES))))
def test_values_are_written_exactly(value: Any) -> None:
    from symdiff.exporting.spelling import spelled_value

    again = eval(spelled_value(value), {"np": np})
    assert_same(again, value)


def assert_same(again: Any, value: Any) -> None:
    assert type(again) is type(value)
    if isinstance(value, np.ndarray | np.generic):
        assert (again.dtype, again.shape) == (value.dtype, value.shape)
        wide = value.dtype.kind in "fc" and value.dtype.itemsize in (16, 32)  # padded bytes
        assert again.tobytes() == value.tobytes() or (wide and np.array_equal(again, value))
        assert not isinstance(value, np.ndarray) or again.flags.fnc == value.flags.fnc
    elif isinstance(value, tuple | list):
        for one, other in zip(again, value, strict=True):
            assert_same(one, other)
    elif isinstance(value, dict):
        assert list(again) == list(value)
        assert_same(list(again.values()), list(value.values()))
    elif isinstance(value, float | complex):
        assert np.array(again).tobytes() == np.array(value).tobytes()
    else:
        assert again == value


class Loud(str):
    """A text that would like to be asked for its spelling."""

    def __repr__(self) -> str:
        return RUN


class Number(int):
    """A number that would, too."""

    __repr__ = Loud.__repr__


@pytest.mark.parametrize("value", [Loud("a"), Number(3), [Loud("a")], {Loud("a"): 1}, object()])
def test_values_of_other_classes_are_refused(value: Any) -> None:
    from symdiff.exporting.spelling import spelled_value

    with pytest.raises(sd.SymdiffError, match="cannot be written into a module"):
        spelled_value(value)


def test_deep_containers_are_refused() -> None:
    from symdiff.exporting.spelling import spelled_value

    deep: Any = 1.0
    for _ in range(1000):
        deep = (deep,)
    with pytest.raises(sd.SymdiffError, match="deep"):
        spelled_value(deep)
