"""What holds for every test: where it may not look, and that emitted primals are verified; what
they and the processes that they start share: a processor each, and compiled modules.
"""

import atexit
import gc
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from tests import shares

# Every program that a test differentiates runs beside the user's own function, bits compared.
os.environ.setdefault("SYMDIFF_VERIFY", "1")

# Tests run side by side: threads of one's linear algebra would wait for those of the others.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# Where no bytecode is to stand beside the source, every process that a test starts would compile
# symdiff anew: they keep it elsewhere together.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    _compiled = tempfile.TemporaryDirectory(prefix="symdiff-tests-")
    os.environ["PYTHONPYCACHEPREFIX"] = _compiled.name
    atexit.register(_compiled.cleanup)

# Emitted source kept for comparison, and programs that measure time, are not modules of tests.
collect_ignore = ["golden", "benchmarks"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many cells of the registry were walked, and held."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, ())]
    pairs = [pair for report in reports for pair in report.user_properties]
    cells, values = (sum(n for key, n in pairs if key == kind) for kind in ("cells", "values"))
    if cells:
        terminalreporter.write_line(f"cells of the registry: {cells}, and {values} values")


def _is_whole_suite(config: pytest.Config) -> bool:
    """Whether no tests were named; a process that runs tests for another is told so."""
    given: dict[str, Any] | None = getattr(config, "workerinput", None)
    if given is not None:
        return bool(given["whole_suite"])
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """What starts processes for the tests tells them whether they are of the whole suite."""
    node.workerinput["whole_suite"] = _is_whole_suite(node.config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where the whole suite is run, of tests of many cases a part is; of what is named, all."""
    if _is_whole_suite(config):
        items[:], left = shares.divided(items)
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Garbage is not looked for while tests are collected, nor among them afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module")
def settled() -> Iterator[None]:
    """Fails where optimisation ends at its bound of rounds instead of a fixpoint."""
    from symdiff import optimise

    unsettled: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimise, "note", lambda kind, **data: unsettled.append((kind, data)))
        yield
    assert unsettled == []
