"""The thresholds of Python's collector: raised while compiling, and given back."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import symdiff
from symdiff.runtime.collecting import ALLOCATIONS, loading, seldom_collecting


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


def test_thresholds_are_given_back_after_nested_and_failing_use(thresholds):
    with seldom_collecting():
        with pytest.raises(ZeroDivisionError), seldom_collecting():
            raise ZeroDivisionError
        assert gc.get_threshold()[0] == ALLOCATIONS
    assert gc.get_threshold() == thresholds


def test_what_others_set_stays():
    with seldom_collecting():
        gc.set_threshold(5000, 7, 7)
    assert gc.get_threshold() == (5000, 7, 7)


def test_a_collector_that_is_off_stays_off():
    gc.set_threshold(0, 5, 5)
    with seldom_collecting():
        assert gc.get_threshold() == (0, 5, 5)
    assert gc.get_threshold() == (0, 5, 5)


def test_threads_that_compile_side_by_side_give_back_what_was(thresholds):
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with seldom_collecting():
            inside.set()
            leave.wait(10.0)

    thread = threading.Thread(target=hold)
    with seldom_collecting():
        thread.start()
        inside.wait(10.0)
    assert gc.get_threshold()[0] == ALLOCATIONS
    leave.set()
    thread.join()
    assert gc.get_threshold() == thresholds


def test_a_compilation_gives_them_back(thresholds):
    assert symdiff.grad(lambda x: np.sum(x**2))(np.ones(2)).tolist() == [2.0, 2.0]
    assert gc.get_threshold() == thresholds
    with pytest.raises(symdiff.SymdiffError):
        symdiff.grad(lambda x: np.sum(np.fromstring(x)))(np.ones(2))
    assert gc.get_threshold() == thresholds


_FIRST_CALL = """
import gc
import numpy as np
import symdiff

young = []
gc.callbacks.append(lambda phase, _: young.append(gc.get_count()[0]) if phase == "start" else None)
symdiff.grad(lambda x: np.sum(x * x))(np.ones(3))
assert "symdiff.pipeline" in __import__("sys").modules
print(max(young, default=0))
"""


def test_a_first_call_does_not_go_over_what_it_loads(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(_FIRST_CALL)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 20_000  # the compiler is more than twice as many


@pytest.fixture
def unfrozen():
    """Nothing is frozen meanwhile, as the tests themselves are."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_what_is_loaded_is_old_and_is_collected_as_other_objects_are(unfrozen):
    class Cyclic:
        pass

    ends = []
    with loading():
        item = Cyclic()
        item.itself = item
        weakref.finalize(item, ends.append, 1)
        assert not any(found is item for found in gc.get_objects(2))
    assert any(found is item for found in gc.get_objects(2))
    del item
    gc.collect()
    assert ends == [1]


def test_what_a_program_has_frozen_stays_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    with loading():
        pass
    assert gc.get_freeze_count() >= frozen > 0
