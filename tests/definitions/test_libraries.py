"""Modules that know the functions of one library are loaded once a program has imported it."""

import importlib.util
import subprocess
import sys
import threading

import numpy as np
import pytest

from symdiff.definitions import DEFINITIONS, libraries
from symdiff.definitions.declare import INSTANCES
from symdiff.ops.declare import FUNCTIONS, WRITES
from symdiff.parse.calls import BUILTINS
from tests.test_layers import ROOT, module_edges, reached

_PLAIN = """
import sys
import numpy as np

before = set(sys.modules)
import symdiff


def loss(w, x):
    s = 0.0
    for k in range(3):
        s = s + np.sum(np.tanh(x @ w) ** 2) / (k + 1)
    return s


w, x = np.array([0.5, -0.3]), np.arange(8.0).reshape(4, 2)
assert symdiff.grad(loss)(w, x).shape == (2,)
loaded = set(sys.modules) - before
from symdiff.definitions.libraries import load_all
late = set(load_all())
assert "symdiff.ops.fourier" in late and "symdiff.parse.draws" in late
unwanted = {"numpy.random", "numpy.fft", "logging", "fractions", "pathlib", "scipy", "sympy"}
print(sorted(loaded & (late | unwanted)))
"""

_LATER = """
import numpy as np
import symdiff

assert symdiff.grad(lambda x: np.sin(x))(0.3) == np.cos(0.3)


def drawn(x):
    return x * np.random.default_rng(0).normal()


def turned(x):
    return np.sum(np.fft.irfft(np.fft.rfft(x)) * x)


def special(x):
    from scipy import special

    return special.gammaln(x)


draw = np.random.default_rng(0).normal()
assert symdiff.grad(drawn)(0.3) == draw
assert np.allclose(symdiff.grad(turned)(np.arange(4.0)), 2.0 * np.arange(4.0))
found = symdiff.grad(special)(0.3)
from scipy.special import psi
assert np.isclose(found, psi(0.3))
"""


def run(program: str) -> str:
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_a_plain_function_loads_none_of_them(tmp_path):
    program = tmp_path / "plain.py"
    program.write_text(_PLAIN)
    assert run(f"import runpy; runpy.run_path({str(program)!r})") == "[]\n"


def test_a_library_imported_after_a_compilation_or_by_the_function_is_known(tmp_path):
    program = tmp_path / "later.py"
    program.write_text(_LATER)
    run(f"import runpy; runpy.run_path({str(program)!r})")


def whereabouts(function: object) -> set[str]:
    """The modules from which a program can have a function or a class, and their packages."""
    names = {getattr(function, "__module__", None), getattr(type(function), "__module__", None)}
    for owner in (getattr(function, "__self__", None), getattr(function, "__objclass__", None)):
        names |= {getattr(owner, "__module__", None), getattr(type(owner), "__module__", None)}
    if isinstance(function, np.ufunc):
        names |= {"numpy" if getattr(np, function.__name__, 0) is function else "scipy.special"}
    full = {name for name in names if isinstance(name, str)}
    return {".".join(name.split(".")[:k]) for name in full for k in range(1, 4)}


def loaders_of(late: set[str]) -> dict[str, set[str]]:
    """The libraries that load a late module, itself or by another one that imports it."""
    edges, found = module_edges(ROOT), {module: set() for module in late}
    for library, modules in libraries._LOADED_WITH.items():
        for module in modules:
            for loaded in {module, *reached(module, edges, eager=True)} & late:
                found[loaded].add(library)
    return found


def test_what_a_late_module_knows_is_in_the_libraries_that_load_it():
    """Else a program could meet a function whose module is not loaded."""
    libraries.import_all()
    loaders, checked = loaders_of(set(libraries.load_all())), set()
    for table in (FUNCTIONS, WRITES, DEFINITIONS, BUILTINS):
        for function, meaning in table.items():
            module = meaning.__module__
            is_own = str(getattr(function, "__module__", None)).startswith("symdiff.")
            if module in loaders and not is_own:
                assert whereabouts(function) & loaders[module], (function, module)
                checked.add(module)
    for kind, (standing, _) in INSTANCES.items():
        module = standing.__module__
        if module in loaders:
            assert whereabouts(kind) & loaders[module], (kind, module)
            checked.add(module)
    # ``special`` registers the ops of two; the others know what definitions are made of.
    silent = {"symdiff.ops.orthogonal", "symdiff.ops.precise", "symdiff.ops.sparse"}
    # These tell of what libraries call inside, and of methods and classes.
    inside = ("peaks", "periodograms", "permuted", "rotations", "semidefinite", "stacks")
    inside += ("trajectories",)
    silent |= {f"symdiff.definitions.{name}" for name in inside}
    if importlib.util.find_spec("astropy") is None:
        silent |= {"symdiff.definitions.columns", "symdiff.definitions.quantities"}
    assert set(loaders) - checked <= silent | {"symdiff.differentiate.solving"}


def test_threads_that_meet_a_library_at_once_register_it_once(monkeypatch):
    monkeypatch.setattr(libraries, "_WAITING", {})
    found, inside, leave = [], threading.Event(), threading.Event()

    @libraries.when_imported("math")
    def register(module):
        inside.set()
        leave.wait(10.0)
        found.append(module.__name__)

    threads = [threading.Thread(target=libraries.meet) for _ in range(4)]
    for thread in threads:
        thread.start()
    inside.wait(10.0)
    leave.set()
    for thread in threads:
        thread.join()
    assert found == ["math"]


def test_what_failed_is_done_the_next_time(monkeypatch):
    monkeypatch.setattr(libraries, "_WAITING", {})
    found: list[str] = []

    @libraries.when_imported("math")
    def register(module):
        found.append(module.__name__)
        if len(found) == 1:
            raise ImportError("not yet")

    @libraries.when_imported("no_module_of_this_name")
    def never(module):
        found.append("never")

    with pytest.raises(ImportError):
        libraries.meet()
    libraries.meet()
    libraries.meet()
    assert found == ["math", "math"]
