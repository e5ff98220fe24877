"""A random NumPy program from a seed, as the text of a module.

The module defines ``program``, the functions and arrays that it uses, ``CASES`` (lists of
arguments; every case has the same types, sizes may differ) and ``WRT`` (the positions of what is
differentiated). Equal seeds give equal text. By default programs are of many kinds; asked for by
name (``KINDS``) are programs that leave blocks early, that hold data in objects and dicts, those
whose arguments have other dtypes, layouts and sizes, and those whose vectors vary in length.

>>> generate(0) == generate(0)
True
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.expressions import Expressions, is_float
from tests.fuzz.inputs import TEMPLATES, drawn
from tests.fuzz.leaving import KINDS as LEAVING
from tests.fuzz.leaving import PARTS, Leaving
from tests.fuzz.ragged import CUTTERS, Ragged
from tests.fuzz.sketch import RejectedError, Sketch
from tests.fuzz.statements import Statements
from tests.fuzz.structures import CLASSES, HELPERS, Structures, is_object, is_table
from tests.fuzz.surface import WIDE

IMPORTS = "import math\n\nimport numpy as np\n"
LEAST_SLOPE = 1e-3
MOST_SLOPE = 1e3
_SHAPES = (
    (),
    (),
    "strong",
    ("n",),
    ("n",),
    ("n",),
    ("n", "m"),
    ("n", "m"),
    ("m",),
    (1,),
    (1, "m"),
    ("n", 1),
    ("n", "n"),
)
_PROFILES = (
    "straight",
    "straight",
    "branches",
    "loops",
    "loops",
    "indexing",
    "aliasing",
    "aliasing",
    "stencils",
    "lists",
    "functions",
    "mixed",
    "mixed",
    "mixed",
)
CHANGERS = (
    """
def change(a, b):
    a[0] = a[0] * 0.5 + 0.1
    a += b
""",
    """
def change(a, b):
    a *= 0.7
    a[-1] = np.sum(b) * 0.3
    return a
""",
    """
def change(a, b):
    a[1:] -= 0.5 * a[:-1]
    a = a * 2.0
    a[0] = 0.0
    return np.sum(a * b)
""",
    """
def change(a, b):
    for i in range(len(a)):
        a[i] = a[i] * 0.5 + i * 0.1
    b = b + a
""",
    """
def change(a, b):
    if np.sum(a) > 0.5:
        a[0] = 0.3
        return 0.5
    a += 0.2 * b
    return 1.5
""",
)


KINDS = ("any", "control", "objects", "inputs", "ragged", *LEAVING)
_PRODUCTIONS = {
    "control": Structures,
    "objects": Structures,
    "ragged": Ragged,
    **dict.fromkeys(LEAVING, Leaving),
}


def generate(seed: int, kind: str = "any") -> str:
    """The module for a seed, of one of the ``KINDS``."""
    random = Random(seed if kind == "any" else f"{kind} {seed}")
    while True:
        try:
            return _attempt(random, seed, kind)
        except RejectedError:
            continue


def _attempt(random: Random, seed: int, kind: str) -> str:
    profile = kind if kind in _PRODUCTIONS else random.choice(_PROFILES)
    shapes = _parameter_shapes(random, profile)
    sizes = {"n": random.choice((2, 3, 3, 4, 5)), "m": random.choice((1, 2, 3, 3))}
    ways = {name: _way(random, shape) for name, shape in shapes.items()} if kind == "inputs" else {}
    arguments, texts = _spelled(random, shapes, sizes, ways)
    wide = {WIDE: True} if kind == "any" else {}
    header = _header(random, profile, sizes, wide)
    namespace: dict[str, Any] = dict(wide)
    exec(header, namespace)
    sketch = Sketch("program", arguments, namespace, ragged=profile == "ragged")
    statements = _PRODUCTIONS.get(profile, Statements)(random, sketch, profile)
    _local_copies(random, sketch, profile)
    statements.fill(random.randrange(3, 9 if profile != "straight" else 12))
    result = sketch.returns(_result(random, sketch))
    if not is_float(result) and not isinstance(result, tuple):
        raise RejectedError("not a float")
    _require_smooth(sketch, result)
    cases = [texts, *_more_cases(random, sketch, shapes, sizes, ways, result)]
    wrt = tuple(k for k, value in enumerate(arguments.values()) if is_float(value))
    return _module(header, sketch.source(), cases, wrt, f"seed {seed}, {profile}")


def _way(random: Random, shape: Any) -> str:
    """How an argument is made, in all cases."""
    return "" if shape in ("int", "strong") else random.choice(TEMPLATES[len(shape)])


def _spelled(
    random: Random,
    shapes: dict[str, Any],
    sizes: dict[str, int],
    ways: dict[str, str],
    least: int = 2,
) -> tuple[dict[str, Any], list[str]]:
    """Arguments and their texts."""
    arguments = _draw(random, shapes, sizes, least)
    texts = {name: _spell(value) for name, value in arguments.items()}
    for name, way in ways.items():
        if way:
            concrete = tuple(sizes.get(size, size) for size in shapes[name])
            made = drawn(random, concrete, lambda: _number(random), way)
            arguments[name], texts[name] = made.value, made.text
    return arguments, list(texts.values())


def _parameter_shapes(random: Random, profile: str) -> dict[str, tuple[Any, ...] | str]:
    shapes: dict[str, tuple[Any, ...] | str] = {}
    if profile == "ragged":
        return {"x": ("n",), "y": random.choice((("n",), ("m",), (1,))), "steps": "int"}
    for name in "xyz"[: random.randrange(1, 4)]:
        shapes[name] = random.choice(_SHAPES)
    arrays = [shape for shape in shapes.values() if isinstance(shape, tuple) and shape]
    if profile in ("aliasing", "indexing", "stencils", *LEAVING) and not arrays:
        shapes["x"] = random.choice((("n",), ("n", "m")))
    if profile in ("loops", "lists", "mixed", "stencils") and random.random() < 0.3:
        shapes["steps"] = "int"
    return shapes


def _draw(
    random: Random, shapes: dict[str, Any], sizes: dict[str, int], least: int = 2
) -> dict[str, Any]:
    """Arguments; integers are ``least`` or more."""
    arguments: dict[str, Any] = {}
    for name, shape in shapes.items():
        if shape == "int":
            arguments[name] = random.randrange(least, 5)
        elif shape == "strong":
            arguments[name] = np.float64(_number(random))
        elif shape == ():
            arguments[name] = _number(random)
        else:
            concrete = tuple(sizes.get(size, size) for size in shape)
            values = [_number(random) for _ in range(int(np.prod(concrete)))]
            arguments[name] = np.array(values).reshape(concrete)
    return arguments


def _number(random: Random) -> float:
    """A number that is none of the thresholds, which have two digits."""
    return round(round(random.uniform(-1.2, 1.5), 3) + 0.0003, 4)


def _header(random: Random, profile: str, sizes: dict[str, int], wide: dict[str, Any]) -> str:
    """Constants and functions above the program."""
    parts = [IMPORTS]
    if wide and random.random() < 0.2 and find_spec("scipy"):
        parts = [IMPORTS + "from scipy import special, stats\n"]
    if random.random() < 0.4:
        values = [round(random.uniform(-1.0, 1.0), 2) for _ in range(sizes["n"])]
        parts.append(f"WEIGHTS = np.array({values})\n")
    if random.random() < 0.25:
        parts.append(f"SCALE = {round(random.uniform(0.2, 1.5), 2)}\n")
    if profile in ("indexing", "mixed", "aliasing") or random.random() < 0.2:
        size = min(sizes["n"], 3)
        places = [random.randrange(size) for _ in range(random.randrange(2, 4))]
        parts.append(f"PLACES = np.array({places})\n")
    if profile in ("functions", "aliasing", "mixed", "control"):
        parts.append(random.choice(CHANGERS))
    if profile == "ragged":
        parts += random.sample(CUTTERS, 2)
    if profile in LEAVING:
        parts += [CLASSES, PARTS]
    if profile == "objects":
        parts += [CLASSES, random.choice(HELPERS)]
    if profile in ("functions", "mixed") or random.random() < 0.2:
        parts.append(_helper(random, "helper", sizes, "".join(parts), wide))
    return "\n".join(parts)


def _helper(
    random: Random, name: str, sizes: dict[str, int], above: str, wide: dict[str, Any]
) -> str:
    namespace: dict[str, Any] = dict(wide)
    exec(above, namespace)
    shapes = {p: random.choice(((), ("n",), ("n", "m"))) for p in "ab"[: random.randrange(1, 3)]}
    sketch = Sketch(name, _draw(random, shapes, sizes), namespace)
    profile = random.choice(("straight", "arms", "loops"))
    Statements(random, sketch, profile).fill(random.randrange(1, 4))
    make = Expressions(random, sketch.scope, sketch.namespace)
    text = make.any(2)
    if random.random() < 0.3:
        sketch.attempt(f"if {make.scalar(1)} > 0.3:", f"    return 0.5 * ({text})")
    sketch.returns(text)
    return sketch.source()


def _local_copies(random: Random, sketch: Sketch, profile: str) -> None:
    """Programs that write mostly work on copies of their arguments, and at times on them."""
    if profile in ("straight", "functions", "lists", "ragged"):
        return
    arrays = [name for name, value in sketch.arguments.items() if np.ndim(value) > 0]
    for name in arrays:
        kind = random.random()
        if kind < 0.5:
            target = name if kind < 0.15 else sketch.fresh("u")
            text = random.choice(
                (f"{name}.copy()", f"{name} * 1.0", f"np.array({name})", f"{name} + 0.5")
            )
            sketch.attempt(f"{target} = {text}")
        if kind < 0.85:
            sketch.protected.add(name)


def _result(random: Random, sketch: Sketch) -> str:
    make = Expressions(random, sketch.scope, sketch.namespace)
    names = make.names(is_float)
    lists = make.names(lambda value: isinstance(value, list) and bool(value))
    chosen = list(dict.fromkeys([*names[-2:], *random.sample(names, min(3, len(names)))]))
    terms = [_term(random, name, make) for name in chosen]
    terms += [_sum_of(name, sketch) for name in lists if random.random() < 0.7]
    terms += [f"np.sum({name}.a) * {name}.calls + {name}.size" for name in make.names(is_object)]
    tables = [name for name in make.names(is_table) if name.startswith("table")]
    terms += [f"sum(np.sum(t) for t in {name}.values())" for name in tables]
    early = any("return" in line for line in sketch.lines)
    if random.random() < 0.12 and not early:
        return f"({make.any(1)}, np.sum({' + '.join(terms) or make.scalar(1)}))"
    if random.random() < 0.08 and not early:
        return make.any(2)
    return f"np.sum({' + '.join(terms) or make.scalar(2)})"


def _sum_of(name: str, sketch: Sketch) -> str:
    """The sum of a list's elements, which may be arrays of several lengths."""
    text = "sum(np.sum(s) for s in {})" if sketch.ragged else "np.sum(np.array({}))"
    return text.format(name)


def _term(random: Random, name: str, make: Expressions) -> str:
    if np.ndim(make.scope[name]) == 0:
        return random.choice((name, f"{name} ** 2", f"np.sin({name})", f"0.5 * {name} * {name}"))
    return random.choice(
        (
            f"np.sum({name})",
            f"({name} ** 2).sum()",
            f"np.sum(np.sin({name}))",
            f"np.mean({name}) ** 2",
            f"np.sum({name} * {name})",
        )
    )


def _require_smooth(sketch: Sketch, result: Any) -> None:
    """The result changes with the arguments, and not by too much."""
    step = 1e-5
    moved = {n: v + step if is_float(v) else v for n, v in sketch.arguments.items()}
    other = Sketch(sketch.name, moved, sketch.namespace).call(sketch.lines, {})
    before, after = _flat(result), _flat(other)
    if before.shape != after.shape:
        raise RejectedError("the shape of the result jumps")
    slope = np.max(np.abs(after - before), initial=0.0) / step
    if not LEAST_SLOPE < slope < MOST_SLOPE:
        raise RejectedError("the slope is not moderate")


def _flat(result: Any) -> Any:
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part) for part in parts])


def _more_cases(
    random: Random,
    sketch: Sketch,
    shapes: dict[str, Any],
    sizes: dict[str, int],
    ways: dict[str, str],
    result: Any,
) -> list[list[str]]:
    """Further draws, the first with larger dimensions if the program runs with them."""
    larger = {"n": sizes["n"] + 1, "m": sizes["m"] + (sizes["m"] > 1)}
    least = [{"n": 0, "m": 1}, {"n": 1, "m": 0}, {"n": 1, "m": 1}] if ways else []
    most = 3 if sketch.ragged else 1
    cases: list[list[str]] = []
    for changed in (*random.sample(least, len(least)), larger, sizes, sizes, larger, sizes):
        arguments, texts = _spelled(random, shapes, changed, ways, 0 if sketch.ragged else 2)
        other = Sketch(sketch.name, arguments, sketch.namespace)
        try:
            value = other.call(sketch.lines, {})
        except RejectedError:
            continue
        if type(value) is type(result) or (is_float(value) and is_float(result)):
            cases.append(texts)
        if len(cases) == most:
            break
    return cases


def _module(
    header: str, source: str, cases: list[list[str]], wrt: tuple[int, ...], title: str
) -> str:
    program = ast.unparse(ast.parse(source))
    spelled = ",\n".join(f"    [{', '.join(case)}]" for case in cases)
    return f'"""{title}."""\n\n{header}\n\n{program}\n\n\nCASES = [\n{spelled},\n]\nWRT = {wrt}\n'


def _spell(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    return f"np.float64({float(value)!r})" if isinstance(value, np.float64) else repr(value)
