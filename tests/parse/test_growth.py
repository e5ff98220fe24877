"""Compiling what stands side by side, or calls one another, takes a time linear in it; what is
nested in blocks, a time linear in its text, which is indented.

What is counted are the calls of Python functions from the source to the first gradient.
"""

import importlib.util
import sys

import numpy as np
import pytest

import symdiff as sd
from symdiff.parse import carrying, templates

HEAD = """
import contextlib
import functools

import numpy as np


@contextlib.contextmanager
def giving(value):
    yield value


class Giving:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


def scaled(k):
    return lambda x: np.sin(x) * k

"""


def indented(depth, line):
    return "    " * depth + line + "\n"


def in_turn(n, lines, last="return s"):
    """A function whose body has lines for each number up to n."""
    body = "".join(indented(1, line.format(k=k)) for k in range(n) for line in lines)
    return "def f(x):\n    s = x\n" + body + indented(1, last)


def calls(n):
    inner = "".join(f"def f{k + 1}(x):\n    return f{k}(x) * 0.9 + 0.1 * x\n" for k in range(n))
    return f"def f0(x):\n    return np.sin(x)\n{inner}def f(x):\n    return f{n}(x)\n"


def calls_that_try(n):
    inner = "".join(
        f"def f{k + 1}(x):\n    try:\n        return f{k}(x) * 0.9\n"
        f"    except ValueError:\n        return x * {k}.0\n"
        for k in range(n)
    )
    first = "def f0(x):\n    if x > 5.0:\n        raise ValueError\n    return np.sin(x)\n"
    return f"{first}{inner}def f(x):\n    return f{n}(x)\n"


def loops(n):
    return in_turn(n, ["for i in range(3):", "    s = s * 0.5 + i * x"])


def whiles(n):
    return in_turn(n, ["while s > {k}.5:", "    s = s * 0.5"])


def histories(n):
    """A loop that moves each number on by one name."""
    names = [f"s{k}" for k in range(n)]
    return in_turn(0, (), "return " + " + ".join(names)).replace(
        "s = x",
        f"{' = '.join(names)} = 0.0\n    for i in range(int(x) + 60):\n"
        f"        {', '.join(names)} = s0 * 0.5 + x + {names[-1]}, {', '.join(names[:-1])}",
    )


def nested_loops(n):
    text = "def f(x):\n    s = 0.0\n"
    for k in range(n // 3):
        text += indented(k + 1, f"for i{k} in range(int(x) + 1):")
    return text + indented(n // 3 + 1, "s = s + x") + indented(1, "return s")


def branches(n):
    return in_turn(n, ["if s > {k}.0:", "    s = s * 0.9", "else:", "    s = s + 1.0"])


def nested_branches(n):
    text = "def f(x):\n    s = x\n"
    for k in range(n):
        text += indented(k + 1, f"if s > -{k}.0:") + indented(k + 2, "s = s * 1.1")
    return text + indented(1, "return s")


def cases(n):
    text = "def f(x):\n    match int(x):\n"
    text += "".join(f"        case {k}:\n            s = x * {k}.5\n" for k in range(n))
    return text + "        case _:\n            s = x\n    return s\n"


def unions(n):
    lines = ["if x > {k}.0:", "    a = None if a is not None else x * {k}.0"]
    lines += ["if a is not None:", "    s = s + a"]
    return in_turn(n, lines).replace("s = x\n", "s = x\n    a = None\n", 1)


def many_unions(n):
    made = "".join(
        f"    if x > {k}.0:\n        a{k} = None\n    else:\n        a{k} = x * {k}.5\n"
        for k in range(n)
    )
    used = "".join(f"    if a{k} is not None:\n        s = s + a{k}\n" for k in range(n))
    return f"def f(x):\n    s = x\n{made}{used}    return s\n"


def functions(n):
    text = f"def f(x):\n    for g in [scaled(0.01 * k + 0.5) for k in range({n})]:\n"
    return text + "        x = g(x)\n    return x\n"


def functions_outside(n):
    text = f"held = [scaled(0.01 * k + 0.5) for k in range({n})]\ndef f(x):\n    for g in held:\n"
    return text + "        x = g(x)\n    return x\n"


def lambdas(n):
    text = "def f(x):\n    g0 = lambda y: np.sin(y)\n"
    for k in range(n):
        text += f"    g{k + 1} = lambda y, g=g{k}: g(y) * 0.9\n"
    return text + f"    return g{n}(x)\n"


def tries(n):
    body = ["try:", "    if s > {k}.0:", "        raise ValueError", "    s = s * 1.5"]
    return in_turn(n, [*body, "except ValueError:", "    s = s * 0.5"])


def nested_tries(n):
    text = "def f(x):\n"
    depths = range(n // 3)
    for k in depths:
        text += indented(k + 1, "try:") + indented(k + 2, f"if x > {100 - k}.0:")
        text += indented(k + 3, "raise ValueError")
    text += indented(n // 3 + 1, "s = x * 2.0")
    for k in reversed(depths):
        text += indented(k + 1, "except ValueError:") + indented(k + 2, f"s = x * {k}.0")
    return text + indented(1, "return s")


def withs(n):
    return in_turn(n, ["with giving(x) as v:", "    s = s * 0.9 + v"])


def nested_withs(n):
    text = "def f(x):\n    s = x\n"
    for k in range(n // 3):
        text += indented(k + 1, f"with Giving(x) as v{k}:") + indented(k + 2, f"if s > {k + 9}.0:")
        text += indented(k + 3, "raise ValueError") + indented(k + 2, f"s = s * 0.9 + v{k}")
    return text + indented(1, "return s")


def comprehensions(n):
    lines = ["a = [v * 0.9 for v in a]"]
    made = in_turn(n, lines, "return a[0]")
    return made.replace("s = x\n", "a = [x, x]\n", 1)


def expressions(n):
    return f"def f(x):\n    return {'np.sin(' * n}x{') * 0.9' * n}\n"


def choices(n):
    made = "x"
    for k in range(n):
        made = f"(x * {k}.5 if x < {k}.0 else {made})"
    return f"def f(x):\n    return {made}\n"


def breaks(n):
    items = [float(k) for k in range(n)]
    text = f"def f(x):\n    s = 0.0\n    for c in {items}:\n        if c * x > 50.0:\n"
    return text + "            break\n        s = s + c * x\n    return s\n"


def generators(n):
    text = "def g0(x):\n    yield x\n    yield x * 0.5\n"
    for k in range(n):
        text += f"def g{k + 1}(x):\n    for v in g{k}(x):\n        yield v * 0.9\n"
    return f"{text}def f(x):\n    s = 0.0\n    for v in g{n}(x):\n        s = s + v\n    return s\n"


def generators_from(n):
    text = "def g0(x):\n    yield x\n"
    for k in range(n):
        text += f"def g{k + 1}(x):\n    yield x * {k}.0\n    yield from g{k}(x)\n"
    return f"{text}def f(x):\n    s = 0.0\n    for v in g{n}(x):\n        s = s + v\n    return s\n"


def generator_expressions(n):
    made = in_turn(n, ["g = (v * 0.9 for v in g)"], "return sum(g)")
    return made.replace("s = x\n", "g = (v for v in [x, x * 0.5])\n", 1)


def nexts(n):
    text = "def count(x):\n    while True:\n        yield x\n        x = x * 0.9\n"
    return text + in_turn(n, ["s = s + next(g)"]).replace("s = x\n", "s = 0.0\n    g = count(x)\n")


def nested_functions(n):
    text = "def f(x):\n"
    depths = range(n // 3)
    for k in depths:
        text += indented(k + 1, f"def f{k}(x):")
    text += indented(n // 3 + 1, "return np.sin(x)")
    for k in reversed(depths):
        text += indented(k + 1, f"return f{k}(x * 0.9) + x")
    return text


def calls_in_branches(n):
    text = "def f0(x):\n    return np.sin(x)\n"
    for k in range(n):
        text += (
            f"def f{k + 1}(x):\n    if x > 0.2:\n        y = f{k}(x)\n    else:\n        y = x\n"
        )
        text += "    return y\n"
    return f"{text}def f(x):\n    return f{n}(x)\n"


def objects(n):
    return in_turn(n, ["o = Giving(s)", "o.value = o.value * 0.9", "s = o.value + x"])


def objects_of_objects(n):
    made = in_turn(n, ["o = Giving(o)"], "return s * 2.0")
    return made.replace("s = x\n", "s = x\n    o = Giving(x)\n", 1)


def partials(n):
    made = in_turn(n, ["g = functools.partial(lambda g, y: g(y) * 0.9, g)"], "return g(x)")
    return made.replace("s = x\n", "g = np.sin\n", 1)


def tries_in_loops(n):
    body = ["    try:", "        s = s + 1.0 / (i + s)", "    except ZeroDivisionError:"]
    return in_turn(n, ["for i in range(3):", *body, "        s = x"])


def raises(n):
    return in_turn(n, ["if s > {k}.5:", "    raise ValueError", "s = s * 0.9"])


def returns(n):
    return in_turn(n, ["if s > {k}.5:", "    return s * {k}.0", "s = s * 0.9"])


def continues(n):
    text = "def f(x):\n    s = x\n    for i in range(3):\n"
    for k in range(n):
        text += indented(2, f"if s > {k}.5:") + indented(3, "continue") + indented(2, "s = s * 0.9")
    return text + "    return s\n"


def nested_whiles(n):
    text = "def f(x):\n    s = x\n"
    for k in range(n // 3):
        text += indented(k + 1, f"while s < {k + 1}.0:")
    return text + indented(n // 3 + 1, "s = s * 1.5") + indented(1, "return s")


def nested_known_loops(n):
    """Each loop is over numbers that are known; all turns together are too many to write down."""
    text = "def f(x):\n    s = x\n"
    for k in range(n // 12 or 1):
        text += indented(k + 1, f"for w{k} in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):")
        text += indented(k + 2, f"s = s * w{k} + x")
    return text + indented(1, "return s")


def nested_known_loops_that_return(n):
    text = "def f(x):\n    s = x\n"
    for k in range(n // 6 or 1):
        text += indented(k + 1, f"for w{k} in (0.25, 0.5):") + indented(k + 2, f"s = s * w{k} + x")
        text += indented(k + 2, f"if s > {k}.9:") + indented(k + 3, "return s * x")
    return text + indented(1, "return s")


def nested_cases(n):
    text = "def f(x):\n    k = int(x)\n    s = x\n"
    for k in range(n // 6):
        text += indented(2 * k + 1, "match k:") + indented(2 * k + 2, f"case {k + 5}:")
        text += indented(2 * k + 3, "s = s * 2.0") + indented(2 * k + 2, "case _:")
    return text + indented(2 * (n // 6) + 1, "s = s * 3.0") + indented(1, "return s")


def divisions_inside_try(n):
    body = "".join(f"    y = y + x / (y + {k}.5)\n" for k in range(n // 2))
    tried = (
        "    try:\n        return g(x, x + 1.0)\n    except ZeroDivisionError:\n        return x\n"
    )
    return f"def g(x, y):\n{body}    return y\ndef f(x):\n{tried}"


def divisions_that_are_followed(n):
    """What the exception says is asked, so that each division is told to raise on its own."""
    text = divisions_inside_try(n).replace("ZeroDivisionError:", "ZeroDivisionError as e:")
    return text.replace("return x\n", "return x if e.args else -x\n")


def chains_inside_try(n):
    inner = "".join(
        f"def f{k + 1}(x):\n    return math.sqrt(f{k}(x)) * 0.9 + 0.1 * x\n" for k in range(n)
    )
    tried = f"    try:\n        return f{n}(x) + f{n}(x * x)\n"
    first = "import math\ndef f0(x):\n    return math.sqrt(x)\n"
    return f"{first}{inner}def f(x):\n{tried}    except ValueError:\n        return x\n"


def calls_inside_tries(n):
    inner = "    if x > 3.0:\n        raise ValueError\n    return math.sqrt(x) / y\n"
    lines = [
        "try:",
        "    s = s + g(s, x) + g(x, s + {k}.5)",
        "except ValueError:",
        "    s = s * 0.5",
    ]
    return f"import math\ndef g(x, y):\n{inner}" + in_turn(n, lines)


def sorted_objects(n):
    items = ", ".join(f"Giving(x * {k % 7}.5 + {k}.0)" for k in range(n))
    text = f"def f(x):\n    s = 0.0\n    held = [{items}]\n"
    text += "    for k, o in enumerate(sorted(held, key=lambda o: o.value * o.value)):\n"
    return text + "        s = s + o.value * k\n    return s\n"


def arrays_made_alike(n):
    made = in_turn(n, ["v = np.zeros_like(v) + {k} % 3"], "return x * np.sum(v)")
    return made.replace("s = x\n", "v = [1, 2]\n    if x > 0.5:\n        v = [x, x]\n", 1)


def arrays_made_of_two(n):
    made = in_turn(n, ["v = np.where(x > {k}.0, np.full_like(v, {k}), v) + 1"], "return x * v[0]")
    return made.replace("s = x\n", "v = [1, 2]\n    if x > 0.5:\n        v = [x, x]\n", 1)


def texts(n):
    """The text keeps its length on both sides of where the slope is taken."""
    lines = ["t = t[1:] + f'{{x * {k}:.3f}}'[:3]", "if t[0] == '{k}':", "    s = s + len(t) * x"]
    return in_turn(n, ["t = f'{{x:.3f}}'" + "[:4] * 2", *lines])


def names_in_callees(n):
    """Each function has a name of its own that is a number on some paths, and None on others."""
    inner = "".join(
        f"def f{k + 1}(x):\n    low{k} = None\n    for i in range(int(x) + 2):\n"
        f"        if x > {k}.2 + i:\n            low{k} = x * 0.25\n    s = f{k}(x * 0.99)\n"
        f"    if low{k} is None:\n        return s\n    return s + low{k}\n"
        for k in range(n)
    )
    return f"def f0(x):\n    return np.sin(x)\n{inner}def f(x):\n    return f{n}(x)\n"


def items_in_callees(n):
    """Each function selects an item of its own at run time."""
    inner = "".join(
        f"def g{k}(x):\n    items = [x, x * x, 3.0, [x, 2.0]]\n"
        f"    return items[int(x * 4) % 3] * 0.9 + {k}e-3\n"
        for k in range(n)
    )
    return inner + in_turn(n, ["s = g{k}(s)"])


def calls_in_both_arms(n):
    """Each function calls the next one in two places."""
    inner = "".join(
        f"def f{k + 1}(x):\n    if x > 0.1:\n        return f{k}(x * 0.9)\n"
        f"    return f{k}(x + 0.3) * 0.9\n"
        for k in range(n)
    )
    return f"def f0(x):\n    return np.sin(x)\n{inner}def f(x):\n    return f{n}(x)\n"


def entries_set_in_loops(n, test="if x > 0.{k}5:"):
    """A dict whose entries are there on some paths only, all of a loop together."""
    lines = ["for k in ('a', 'b', 'c{k}'):", "    " + test, "        d[k] = d.get(k, x) * 0.9"]
    last = "for v in d.values():\n        s = s * 0.9 + v\n    return s"
    return in_turn(n, lines, last).replace("s = x\n", "s, d = x, {}\n")


def entries_set_in_some_order(n):
    """The order of its entries is known at run time only, too."""
    return entries_set_in_loops(n, "if k != 'a' or x < 0.{k}5:")


def texts_made_by_branches(n):
    """Of each branch one part of a text is told at run time only."""
    lines = ["if x > 0.{k}5:", "    m = m + 'ab'", "else:", "    m += 'c'"]
    last = "if 'abc' in m:\n        s = s * s\n    return s * x * len(m)"
    return in_turn(n, lines, last).replace("s = x\n", "s, m = x, ''\n")


def texts_told_apart(n, text="'a{k}'"):
    """Each branch may choose another text, and each one is asked for."""
    chosen = "".join(f"    if x > {k}.0:\n        m = {text.format(k=k)}\n" for k in range(n))
    asked = f"if m == {text}:".replace("{k}", "{{k}}").format()
    made = in_turn(n, [asked, "    s = s * {k}.5 + x"])
    return made.replace("s = x\n", f"s, m = x, {text.format(k=0)}\n{chosen}")


def tuples_told_apart(n):
    return texts_told_apart(n, "('a{k}', {k})")


def in_both_arms(indent, name, one, other, arguments="v"):
    """A function that calls another one in both arms of a branch."""
    head = indented(indent, f"def {name}({arguments}):") + indented(indent + 1, "if v > 0.1:")
    return head + indented(indent + 2, f"return {one}") + indented(indent + 1, f"return {other}")


BOTH_ARMS = ["if v > 0.1:", "    return f{k}(v * 0.9)", "return f{k}(v + 0.3)"]


def chained(n, first, lines=BOTH_ARMS, last=("return f{n}(x)",)):
    """Functions of ``v`` of which each calls the one before it, ``f{k}`` in their lines."""
    text = "import math\ndef f0(v):\n" + "".join(indented(1, line) for line in first)
    for k in range(n):
        text += f"def f{k + 1}(v):\n" + "".join(indented(1, line.format(k=k)) for line in lines)
    return text + "def f(x):\n" + "".join(indented(1, line.format(n=n)) for line in last)


def local_functions_in_both_arms(n):
    """They see a number of the function around, and count their calls there."""
    text = "def f(x):\n    a, count = x * 0.01, 0\n    def f0(v):\n        nonlocal count\n"
    text += "        count += 1\n        return np.sin(v) * a\n"
    for k in range(n):
        text += in_both_arms(1, f"f{k + 1}", f"f{k}(v * 0.9 + a)", f"f{k}(v + 0.3) * 0.9")
    return text + f"    return f{n}(x) * count\n"


def lambdas_in_both_arms(n):
    step = "lambda v, g=fs[-1]: g(v * 0.9) if v > 0.1 else g(v + 0.3) * 0.9"
    text = f"def f(x):\n    fs = [np.sin]\n    for k in range({n}):\n        fs.append({step})\n"
    return text + "    return fs[-1](x)\n"


def methods_in_both_arms(n):
    text = "def f(x):\n    class A:\n        def __init__(self, w):\n            self.w = w\n"
    text += (
        "        def m0(self, v):\n            self.w = self.w * 0.9\n            return v * x\n"
    )
    for k in range(n):
        calls_ = f"self.m{k}(v * 0.9 + self.w)", f"self.m{k}(v + 0.3) * 0.9"
        text += in_both_arms(2, f"m{k + 1}", *calls_, arguments="self, v")
    return text + f"    a = A(x * 0.01)\n    return a.m{n}(x) * a.w\n"


def objects_in_both_arms(n):
    """Objects that hold one another."""
    calls_ = "self.g.m(v * 0.9)", "self.g.m(v + 0.3) * 0.9"
    text = "class A:\n    def __init__(self, g):\n        self.g = g\n"
    text += in_both_arms(1, "m", *calls_, arguments="self, v")
    text += "class B:\n    def m(self, v):\n        return np.sin(v)\n"
    text += f"def f(x):\n    a = B()\n    for k in range({n}):\n        a = A(a)\n"
    return text + "    return a.m(x)\n"


def partials_in_both_arms(n):
    text = in_both_arms(0, "step", "g(v * 0.9)", "g(v + 0.3) * 0.9", "g, v")
    text += f"def f(x):\n    g = np.sin\n    for k in range({n}):\n"
    return text + "        g = functools.partial(step, g)\n    return g(x)\n"


def decorators_in_both_arms(n):
    text = "def decorated(g):\n" + in_both_arms(1, "inner", "g(v * 0.9)", "g(v + 0.3) * 0.9")
    text += "    return inner\ndef f(x):\n" + "    @decorated\n" * n
    return text + "    def g(v):\n        return np.sin(v)\n    return g(x)\n"


def comprehensions_in_both_arms(n):
    lines = ["if v > 0.1:", "    return sum([f{k}(v * w) for w in (0.9,)])"]
    lines += ["return max([f{k}(v + w) for w in (0.3,)]) * 0.9"]
    return chained(n, ["return np.sin(v)"], lines)


def in_body_and_handler(indent, name, one, other, tried="v = math.sqrt(v - 0.1)"):
    """A function that calls another one in the body of a ``try`` and in its handler."""
    text = indented(indent, f"def {name}(v):") + indented(indent + 1, "try:")
    text += indented(indent + 2, tried) + indented(indent + 2, f"return {one}")
    text += indented(indent + 1, "except ValueError:")
    return text + indented(indent + 2, f"return {other}")


def calls_in_body_and_handler(n):
    text = "import math\ndef f0(v):\n    return math.sin(v)\n"
    for k in range(n):
        text += in_body_and_handler(0, f"f{k + 1}", f"f{k}(v + 0.3)", f"f{k}(v + 0.3) * 0.9")
    return text + f"def f(x):\n    return f{n}(x)\n"


def local_functions_in_body_and_handler(n):
    text = "import math\ndef f(x):\n    def f0(v):\n        return math.sin(v) * x\n"
    for k in range(n):
        text += in_body_and_handler(1, f"f{k + 1}", f"f{k}(v + 0.3)", f"f{k}(v + 0.3) * x")
    return text + f"    return f{n}(x)\n"


def calls_behind_tries(n):
    """Each function calls the next one where nothing was raised, and where something was."""
    lines = ["try:", "    y = math.log(v - 0.1)", "except ValueError:"]
    lines += ["    return f{k}(v + 0.3) * 0.9", "return f{k}(v * 0.8 + y * 0.01)"]
    return chained(n, ["return math.sin(v)"], lines)


def calls_that_ask_in_both_arms(n):
    """What library functions give of numbers is noted in each of them."""
    lines = ["if v > 0.1:", "    return f{k}(math.cos(v))", "return f{k}(v + 0.3) * 0.9"]
    return chained(n, ["return math.sin(v)"], lines)


def both_arms_of_arrays(n, first, one, other, behind):
    """Each function of an array does something with what the next one gives, in both arms."""
    text = f"def f0(v):\n{indented(1, first)}"
    for k in range(n):
        text += f"def f{k + 1}(v):\n{indented(1, 'if v[0] > 0.1:')}"
        text += "".join(indented(2, line.format(k=k)) for line in one)
        text += "".join(indented(1, line.format(k=k)) for line in other)
    text += "def f(x):\n    v = np.array([x, 0.5, x * x])\n"
    return text + "".join(indented(1, line.format(n=n)) for line in behind)


def arrays_in_both_arms(n):
    one, other = ["return f{k}(v * 0.9)"], ["return f{k}(v + 0.3) * 0.9"]
    return both_arms_of_arrays(n, "return np.sin(v)", one, other, ["return np.sum(f{n}(v))"])


def arrays_written_in_both_arms(n):
    one = ["f{k}(v)", "v[1] += v[0] * 0.1", "return"]
    other = ["v[0] = v[0] + 0.05", "f{k}(v)"]
    behind = ["f{n}(v)", "return np.sum(v)"]
    return both_arms_of_arrays(n, "v *= 0.9", one, other, behind)


def views_in_both_arms(n):
    one, other = ["return f{k}(v * 0.9)[::-1]"], ["return f{k}(v + 0.3)[:, None][:, 0] * 0.9"]
    return both_arms_of_arrays(n, "return v[::-1]", one, other, ["return np.sum(f{n}(v) * v)"])


def views_of_views_in_both_arms(n):
    one, other = ["f{k}(v[::-1])"], ["f{k}(v[:])"]
    behind = ["f{n}(v)", "return np.sum(v * v[0])"]
    return both_arms_of_arrays(n, "v *= 0.9", one, other, behind)


def lists_in_both_arms(n):
    one = ["a, b = f{k}(v * 0.9)", "return [a, b * 0.9]"]
    other = ["a, b = f{k}(v + 0.3)", "return [b * 0.9, a]"]
    behind = ["a, b = f{n}(v)", "return np.sum(a * b)"]
    return both_arms_of_arrays(n, "return [v, v * 0.5]", one, other, behind)


def records_in_both_arms(n):
    one = ["d = f{k}(v * 0.9)", "return {{'a': d['b'], 'o': d['o'], 'b': d['a']}}"]
    other = ["d = f{k}(v + 0.3)", "d['o'].value = d['o'].value * 0.9", "return d"]
    behind = ["d = f{n}(v)", "return np.sum(d['a'] * d['b']) * d['o'].value"]
    first = "return {'a': v, 'o': Giving(v[0]), 'b': v * 0.5}"
    return both_arms_of_arrays(n, first, one, other, behind)


def arrays_in_body_and_handler(n):
    """Each function may raise, and gives an array."""
    lines = ["if v[1] > 9.0:", "    raise ValueError", "try:", "    w = math.sqrt(v[0] - 0.1)"]
    lines += ["    return f{k}(v * w)", "except ValueError:", "    return f{k}(v + 0.3)"]
    last = ["return np.sum(f{n}(np.array([x, 0.5, x * x])))"]
    return chained(n, ["return np.sin(v)"], lines, last)


def numbers_or_none_in_both_arms(n):
    """A function without a final ``else`` gives None there."""
    lines = [
        "if v > 0.1:",
        "    return f{k}(v * 0.9)",
        "elif v > -5.0:",
        "    return f{k}(v + 0.3)",
    ]
    last = ["y = f{n}(x)", "return x if y is None else y"]
    return chained(n, ["if v > 0.2:", "    return np.sin(v)"], lines, last)


def pairs_or_none_in_both_arms(n):
    last = ["y = f{n}(x)", "return x if y is None else y[0] * y[1]"]
    return chained(n, ["return (v, v * v) if v > 0.2 else None"], last=last)


def numbers_or_texts_in_both_arms(n):
    last = ["y = f{n}(x)", "return x if y == 'low' else y * x"]
    return chained(n, ["return v if v > 0.2 else 'low'"], last=last)


def globals_written_in_both_arms(n):
    """Each function counts its calls, and adds up what it is given, in variables of the module."""
    first = ["global N, T", "N += 1", "T = T * 0.9 + v", "return np.sin(v)"]
    lines = ["global N, T", "N += 1", "if v > 0.1:", "    return f{k}(v * 0.9)"]
    lines += ["T = T + v * v", "return f{k}(v + 0.3)"]
    last = ["global N, T", "N, T = 0, 1.0", "return f{n}(x) * N * T"]
    return "N, T = 0, 0.0\n" + chained(n, first, lines, last)


def lists_and_dicts_written_in_both_arms(n):
    first = ["table['calls'] += 1", "return np.sin(v) * held[1]"]
    lines = ["if v > 0.1:", "    held[1] = held[1] * 0.9 + v", "    return f{k}(v * 0.9)"]
    lines += ["table['sum'] += v", "return f{k}(v + 0.3)"]
    last = ["held[1] = 1.0", "table['sum'], table['calls'] = x, 0"]
    last += ["return f{n}(x) * table['calls'] * table['sum']"]
    held = "held, table = [0.0, 0.0], {'sum': 0.0, 'calls': 0}\n"
    return held + chained(n, first, lines, last)


def arrays_outside_written_in_both_arms(n):
    """Each write may raise: what was written before is seen then."""
    first = ["held[1] = held[1] * 0.9 + v", "return np.sin(v)"]
    lines = ["if v > 0.1:", "    held[0] = held[0] * 0.9 + v", "    return f{k}(v * 0.9)"]
    lines += ["held[1] += v", "return f{k}(v + 0.3)"]
    last = ["held[:] = 1.0", "return f{n}(x) * held[0] * held[1]"]
    return "held = np.zeros(2)\n" + chained(n, first, lines, last)


def numbers_of_either_kind(n):
    """What each function gives is Python's on some paths, NumPy's on others."""
    lines = ["if v > 2.0:", "    return v", "if v > 1.0:", "    return f{k}(v * 0.9)"]
    return chained(n, ["return np.sin(v)"], [*lines, "return f{k}(v + 0.3)"])


def prints_in_both_arms(n):
    lines = ["print(v)", "if v > 0.1:", "    print('high')", *BOTH_ARMS[1:]]
    return chained(n, ["print('last', v)", "return np.sin(v)"], lines)


def draws_in_both_arms(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9 + rng.uniform() * 0.01, rng)"]
    lines += ["return f{k}(v + 0.3, rng) * rng.normal(v)"]
    last = ["return f{n}(x, np.random.default_rng(1))"]
    text = chained(n, ["return np.sin(v) * rng.normal()"], lines, last)
    return text.replace("(v):", "(v, rng):")


def attributes_written_in_both_arms(n):
    first = ["held.value = held.value * 0.9 + v", "return np.sin(v)"]
    lines = [*BOTH_ARMS[:2], "held.value += v", BOTH_ARMS[2]]
    last = ["held.value = 1.0", "return f{n}(x) * held.value"]
    return "held = Giving(0.0)\n" + chained(n, first, lines, last)


def methods_given_in_both_arms(n):
    made = "class A:\n    def __init__(self, w):\n        self.w = w\n"
    made += "    def m(self, y):\n        return y * self.w\n"
    first = ["return A(v).m, functools.partial(np.multiply, v)"]
    return made + chained(n, first, last=["g, h = f{n}(x)", "return g(x) * h(x)"])


def functions_given_in_both_arms(n):
    return chained(n, ["return lambda y: y * np.sin(v)"], last=["return f{n}(x)(x)"])


def masks_in_both_arms(n):
    """Each function is given an array of a size of its own, and gives one."""
    one, other = ["return f{k}(v[v > -1.0] * 0.9)"], ["return f{k}(v + 0.3)"]
    return both_arms_of_arrays(n, "return v[v > 0]", one, other, ["return np.sum(f{n}(v))"])


KINDS = [
    histories,
    calls, calls_that_try, loops, whiles, branches, cases, unions, many_unions, functions,
    functions_outside, lambdas, tries, withs, comprehensions, expressions, choices, breaks,
    generators, generators_from, generator_expressions, nexts, nested_functions, objects,
    objects_of_objects, partials, tries_in_loops, raises, chains_inside_try, calls_inside_tries,
    sorted_objects, arrays_made_alike, arrays_made_of_two, texts, names_in_callees,
    items_in_callees, calls_in_both_arms, local_functions_in_both_arms, lambdas_in_both_arms,
    methods_in_both_arms, objects_in_both_arms, partials_in_both_arms, decorators_in_both_arms,
    comprehensions_in_both_arms, arrays_in_both_arms, arrays_written_in_both_arms,
    views_in_both_arms, lists_in_both_arms,
    records_in_both_arms,
]  # fmt: skip
NESTED = [
    nested_loops, nested_known_loops, nested_known_loops_that_return, nested_branches,
    nested_tries, nested_withs, nested_whiles, nested_cases,
    calls_in_branches, returns, continues, divisions_inside_try,
    divisions_that_are_followed,
]  # fmt: skip


def calls_in_loops_and_behind(n):
    """Each function calls the next one in a loop that it may leave, and behind it."""
    lines = ["for i in range(3):", "    if v > 0.3 * i + 0.1:", "        return f{k}(v * 0.9)"]
    return chained(n, ["return np.sin(v)"], [*lines, "return f{k}(v + 0.2)"])


def calls_in_whiles_and_behind(n):
    lines = ["while v > 0.713:", "    v = f{k}(v) * 0.3", "return f{k}(v + 0.2)"]
    return chained(n, ["return np.sin(v)"], lines)


def writes_in_body_and_handler(n):
    lines = ["try:", "    v[0] = math.sqrt(v[0] - 0.1)", "    f{k}(v)"]
    lines += ["except ValueError:", "    v[0] = v[0] + 0.3", "    f{k}(v)"]
    return chained(n, ["v[0] = math.sin(v[0])"], lines, ["v = [x]", "f{n}(v)", "return v[0]"])


def named_handlers(n):
    """What is raised in a function is looked at, and says numbers."""
    first = ["if v > 0.8:", "    raise ValueError(v)", "return v * v * 0.6"]
    lines = ["try:", "    return f{k}(v + 0.3)", "except ValueError as e:"]
    return chained(n, first, [*lines, "    return f{k}(v * 0.5) * 0.9 + e.args[0]"])


def raising_again(n):
    lines = ["try:", "    return f{k}(math.sqrt(v - 0.1) * 0.7)", "except ValueError as e:"]
    lines += ["    if v > 7.0:", "        raise", "    if v < -7.0:"]
    lines += ["        raise RuntimeError(v) from e", "    return f{k}(v + 0.3) * 0.9"]
    return chained(n, ["return math.sin(v)"], lines)


def suppressing(n):
    lines = ["with contextlib.suppress(ValueError):", "    y = math.sqrt(v - 0.1)"]
    lines += ["    return f{k}(y + 0.3)", "return f{k}(v + 0.3) * 0.9"]
    return chained(n, ["return math.sin(v)"], lines)


def yields_from_both_arms(n):
    lines = ["if v > 0.1:", "    yield from f{k}(v * 0.9)", "else:", "    yield from f{k}(v + 0.3)"]
    return chained(n, ["yield v", "yield v * v"], lines, ["return sum(f{n}(x))"])


def loops_over_generators_in_both_arms(n):
    lines = ["if v > 0.1:", "    for w in f{k}(v * 0.9):", "        yield w * 0.9"]
    lines += ["else:", "    for w in f{k}(v + 0.3):", "        yield w"]
    return chained(n, ["yield v", "yield v * v"], lines, ["return sum(f{n}(x))"])


def generators_of_arrays(n):
    lines = ["if v[0] > 0.1:", "    for w in f{k}(v * 0.9):", "        yield w * 0.9"]
    lines += ["else:", "    yield from f{k}(v + 0.3)"]
    last = ["s = 0.0", "for w in f{n}(np.array([x, 0.5])):", "    s = s + np.sum(w)", "return s"]
    return chained(n, ["yield v", "yield v * v"], lines, last)


def truths_or_numbers(n):
    return chained(
        n, ["return math.sin(v)"], ["return (v > 0.1 and f{k}(v * 0.9)) or f{k}(v + 0.3)"]
    )


def truths_or_numpys(n):
    """What each function gives is one of NumPy's truths on some paths, and given to the next."""
    lines = ["w = v > 0.1 and np.sin(v)", "return (w and f{k}(w * 0.9)) or f{k}(v + 0.3 * w)"]
    return chained(n, ["return v > 0.2 and np.sin(v)"], lines, ["return f{n}(np.sin(x))"])


def counts_in_both_arms(n):
    """Each function begins to count at an integer, and may have no turn."""
    lines = ["s = 0", "for i in range(int(v * 3)):", "    s += v * 0.1", *BOTH_ARMS[:1]]
    lines += ["    return f{k}(v * 0.9) + s", "return f{k}(v + 0.3) * 0.9 - s"]
    return chained(n, ["return np.sin(v)"], lines)


def generators_of_lists(n):
    lines = ["if v > 0.1:", "    for a in f{k}(v * 0.9):", "        yield [a[0] * 0.9, a[1] + v]"]
    lines += ["else:", "    yield from f{k}(v + 0.3)"]
    last = ["return sum(a * b for a, b in f{n}(x))"]
    return chained(n, ["yield [v, v * 0.5]", "yield [v * v, v]"], lines, last)


def first_elements_in_both_arms(n):
    lines = ["if v > 0.1:", "    yield next(f{k}(v * 0.9)) + v", "else:"]
    lines += ["    yield next(f{k}(v + 0.3))"]
    return chained(n, ["yield v"], lines, ["return next(f{n}(x))"])


def handed_on(n, made, read):
    """An iterator is handed through functions, of which the first one reads some of it."""
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, g)", "return f{k}(v + 0.3, g)"]
    last = ["g = " + made, "return f{n}(x, g) * next(g)"]
    text = chained(n, read, lines, last).replace("(v):", "(v, g):")
    return "def halves(y):\n    while True:\n        yield y\n        y = y * 0.5\n" + text


def generators_handed_on(n):
    return handed_on(n, "halves(x)", ["return v * next(g) + next(g)"])


def iterators_handed_on(n):
    return handed_on(n, "iter([x, x * x, 2.0 * x])", ["return v * next(g) + next(g)"])


def maps_handed_on(n):
    made = "map(np.sin, [x, x * x, 2.0 * x])"
    return handed_on(n, made, ["return v * next(g) + next(g)"])


def generators_gone_over_by_others(n):
    read = ["for w in g:", "    if w < v * 0.1:", "        return v * w", "return v"]
    text = handed_on(n, "halves(x)", read)
    return text.replace(" * next(g)\n", "\n").replace("while True:", "for k in range(4):")


def lists_grown_in_body_and_handler(n):
    lines = ["try:", "    y = f{k}(math.sqrt(v) * 0.97)", "    held.append(y)"]
    lines += [
        "except ValueError:",
        "    y = f{k}(-v * 0.97)",
        "    held.append(y)",
        "return y * 0.9",
    ]
    last = ["held[:] = [x]", "return f{n}(x) * sum(held)"]
    return "held = [0.5]\n" + chained(n, ["return math.sin(v) * 0.9"], lines, last)


def numbers_or_none_in_body_and_handler(n):
    """What is None on some paths is told by what the next function gives."""
    told = ["u = None", "if y > 0.1{k}:", "    u = y * 0.5"]
    told += ["if u is not None:", "    y = y + u * 0.1"]
    lines = ["try:", "    y = f{k}(math.sqrt(v) * 0.97)", *("    " + line for line in told)]
    lines += ["except ValueError:", "    y = f{k}(-v * 0.97)", *("    " + line for line in told)]
    return chained(n, ["return math.sin(v) * 0.9"], [*lines, "return y"])


def generators_of_two_yields(n):
    """What is done for an element stands behind each ``yield``."""
    lines = ["for w in f{k}(v * 0.97):", "    if w > 0.3:", "        yield w * 0.9"]
    lines += ["    else:", "        yield w + v * 0.01"]
    return chained(n, ["yield math.sin(v)", "yield v"], lines, ["return sum(f{n}(x))"])


def generators_that_try(n):
    lines = ["for w in f{k}(v * 0.97):", "    try:", "        yield math.sqrt(w) * 0.9"]
    lines += ["    except ValueError:", "        yield v"]
    return chained(n, ["yield math.sin(v)", "yield v"], lines, ["return sum(f{n}(x))"])


def generators_that_raise_in_both_arms(n):
    lines = ["if v > 0.1:", "    for w in f{k}(v * 0.97):", "        yield math.sqrt(w) * 0.9"]
    lines += ["else:", "    for w in f{k}(v + 0.3):", "        yield w"]
    last = ["try:", "    return sum(f{n}(x))", "except ValueError:", "    return x"]
    return chained(n, ["yield math.sqrt(v)", "yield v"], lines, last)


TEXT_IS_ASKED = ["return x * x * (len(m) + 3 * m.count('ab') + 5 * m.find('bb'))"]


def texts_in_both_arms(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9) + 'a'", "return f'{{f{k}(v + 0.3)}}b'"]
    return chained(n, ["return f'{v:.2f}'"], lines, ["m = f{n}(x)", *TEXT_IS_ASKED])


def texts_handed_on(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, m + f'{{v:.1f}}')"]
    lines += ["return f{k}(v + 0.3, m + 'b')"]
    last = ["y = f{n}(x, f'{{x}}'[:2])", "return y * x"]
    return chained(n, ["return v * (len(m) + m.count('b1'))"], lines, last).replace("(v)", "(v, m)")


def known_texts_handed_on(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, m + 'a')", "return f{k}(v + 0.3, 'b' + m)"]
    first = ["return v * (len(m) + m.count('ab'))"]
    return chained(n, first, lines, ["return f{n}(x, 'c') * x"]).replace("(v):", "(v, m):")


def known_numbers_handed_on(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, (m[1], m[0] + 0.5), j + 1)"]
    lines += ["return f{k}(v + 0.3, (m[1], m[0]), 2 * j)"]
    first = ["return v * (m[0] + 2.0 * m[1] + 1.0 / j)"]
    text = chained(n, first, lines, ["return f{n}(x, (0.0, 1.0), 1) * x"])
    return text.replace("(v):", "(v, m, j):")


def lists_handed_on(n):
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, a + [v])", "return f{k}(v + 0.3, a)"]
    last = ["return f{n}(x, [x]) * x"]
    return chained(n, ["return v * sum(a) * a[-1]"], lines, last).replace("(v):", "(v, a):")


def members_handed_on(n):
    """Each function gives a member of an enumeration, too, that depends on the one it is given."""
    lines = ["if v > 0.1:", "    return f{k}(v * 0.9, E.A if e is E.B else E.B)"]
    lines += ["e, y = f{k}(v + 0.3, E.C if e is E.A else E.A)", "return e, y * 0.9"]
    first = ["return (E.B if e is E.A else e), v * e.value"]
    last = ["e, y = f{n}(x, E.A)", "return y * e.value"]
    made = "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 2\n    C = 3\n"
    return made + chained(n, first, lines, last).replace("(v):", "(v, e):")


def texts_in_body_and_handler(n):
    lines = ["try:", "    y = math.sqrt(v - 0.1)", "    return f{k}(y * 0.9) + 'a'"]
    lines += ["except ValueError:", "    return f{k}(v + 0.3) + 'b'"]
    return chained(n, ["return f'{v:.2f}'"], lines, ["m = f{n}(x)", *TEXT_IS_ASKED])


FEW = [
    known_texts_handed_on,
    known_numbers_handed_on,
    lists_handed_on,
    members_handed_on,
    texts_in_body_and_handler,
    numbers_or_none_in_body_and_handler,
    views_of_views_in_both_arms,
    generators_that_raise_in_both_arms,
]  # each of which is large
BRANCHING = [
    *FEW,
    texts_in_both_arms, texts_handed_on,
    generators_of_two_yields, generators_that_try,
    lists_grown_in_body_and_handler, generators_handed_on, iterators_handed_on, maps_handed_on,
    generators_gone_over_by_others,
    first_elements_in_both_arms,
    generators_of_lists,
    truths_or_numbers, truths_or_numpys, counts_in_both_arms,
    yields_from_both_arms, loops_over_generators_in_both_arms, generators_of_arrays,
    named_handlers, raising_again, suppressing, arrays_in_body_and_handler,
    calls_in_loops_and_behind, calls_in_whiles_and_behind, writes_in_body_and_handler,
    calls_in_body_and_handler, local_functions_in_body_and_handler, calls_behind_tries,
    calls_that_ask_in_both_arms, numbers_or_none_in_both_arms, pairs_or_none_in_both_arms,
    numbers_or_texts_in_both_arms, masks_in_both_arms, globals_written_in_both_arms,
    lists_and_dicts_written_in_both_arms, arrays_outside_written_in_both_arms,
    prints_in_both_arms, draws_in_both_arms, numbers_of_either_kind,
    attributes_written_in_both_arms, methods_given_in_both_arms, functions_given_in_both_arms,
]  # fmt: skip


REFUSED = """
def refused(x):
    async def later():
        pass

    return x

"""


def arms_that_are_refused(n):
    """What is refused is refused in each arm, and the numbers take none."""
    return REFUSED + in_turn(n, ["if x > {k} + 1.0:", "    s = refused(s)", "s = s * x + {k}.0"])


def arms_in_arms_of_which_the_last_is_refused(n):
    body = "".join(
        indented(k + 1, f"if x > {k + 1}.0:") + indented(k + 2, "s = s + 1.0") for k in range(n)
    )
    last = indented(n + 1, "s = refused(s)") + indented(1, "return s * x")
    return REFUSED + "def f(x):\n    s = x\n" + body + last


KINDS += [
    arms_that_are_refused, entries_set_in_loops, entries_set_in_some_order,
    texts_made_by_branches, texts_told_apart, tuples_told_apart,
]  # fmt: skip
NESTED += [arms_in_arms_of_which_the_last_is_refused]


def compiled_calls(tmp_path, kind, n):
    """How many functions are called until the gradient is there; it is compared, too."""
    path = tmp_path / f"{kind.__name__}_{n}.py"
    path.write_text(HEAD + kind(n))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        slope = sd.grad(module.f)(0.3)
    finally:
        sys.setprofile(before)
    estimate = (module.f(0.3 + 1e-6) - module.f(0.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, estimate, rtol=1e-6, atol=1e-8)
    return count


def growth(tmp_path, kind, least=12):
    """By how much more the second doubling adds than the first."""
    compiled_calls(tmp_path, kind, 3)  # what is done once in a process
    few, some, many = (compiled_calls(tmp_path, kind, n) for n in (least, 2 * least, 4 * least))
    return (many - some) / max(some - few, 2000)


LARGE_AT_ONCE = (lambdas_in_both_arms, objects_in_both_arms, partials_in_both_arms)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.one_in(6)
def test_compiling_what_stands_side_by_side_takes_a_time_linear_in_it(tmp_path, kind):
    # Where functions are large enough to be graphs of their own, the program is staged once more:
    # that has to be so of the second size, too.
    assert growth(tmp_path, kind, least=24 if kind in LARGE_AT_ONCE else 12) < 3.0


@pytest.mark.parametrize("kind", BRANCHING, ids=lambda kind: kind.__name__)
@pytest.mark.one_in(8)
def test_compiling_functions_that_call_one_another_twice_takes_a_time_linear_in_them(
    tmp_path, kind, monkeypatch
):
    monkeypatch.setattr(templates, "LARGE", 100)  # the same at less cost
    for bound in ("ENOUGH", "MANY", "FEW"):
        monkeypatch.setattr(carrying, bound, 1)
    least = 4 if kind in FEW else 8
    assert growth(tmp_path, kind, least) < 4.5  # the calls that are followed first are nested


@pytest.mark.parametrize("kind", NESTED, ids=lambda kind: kind.__name__)
def test_compiling_what_is_nested_takes_a_time_linear_in_its_text(tmp_path, kind):
    # Functions that are large enough are attempted as wholes, which costs less than to follow
    # them: the first size has to be so large, too.
    assert growth(tmp_path, kind, least=24 if kind is divisions_inside_try else 12) < 4.5
