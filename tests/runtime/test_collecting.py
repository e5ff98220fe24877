"""The thresholds of Python's collector: raised while compiling, and given back."""

import gc
import threading

import numpy as np
import pytest

import symdiff
from symdiff.runtime.collecting import ALLOCATIONS, seldom_collecting


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
        symdiff.grad(lambda x: np.sum(np.roots(x)))(np.ones(2))
    assert gc.get_threshold() == thresholds
