"""``with lock:`` of a lock of outside: an effect in its place, left whatever is raised inside."""

import threading

import numpy as np
import pytest

import symdiff as sd

LOCK, AGAIN, SLOTS = threading.Lock(), threading.RLock(), threading.BoundedSemaphore(1)


class Memory:
    """What counts its calls, and keeps the last result, while it holds a lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls, self.last = 0, None

    def root(self, v):
        with self.lock:
            self.calls = self.calls + 1
            self.last = np.sqrt(v)
            return self.last * v


def held(x):
    y = 1.0
    for k in range(3):
        with LOCK as taken, AGAIN:
            y = y * x[k] * taken
            if y > 10.0:
                break
        with SLOTS, AGAIN:
            y = y + x[0]
    return y


def reference(x):
    y = 1.0
    for k in range(3):
        y = y * x[k]
        if y > 10.0:
            break
        y = y + x[0]
    return y


@pytest.mark.parametrize("x", [np.array([0.5, 1.5, 2.0]), np.array([3.0, 4.0, 2.0])])
def test_locks_change_no_value_and_are_left(x, monkeypatch):
    monkeypatch.setenv("SYMDIFF_VERIFY", "1")
    value, slope = sd.value_and_grad(held)(x)
    assert value == reference(x)
    step = 1e-30j
    for k in range(3):
        moved = x.astype(complex)
        moved[k] += step
        y = 1.0 + 0.0j
        for j in range(3):
            y = y * moved[j]
            if y.real > 10.0:
                break
            y = y + moved[0]
        assert slope[k] == pytest.approx(y.imag / 1e-30, rel=1e-13)
    assert not LOCK.locked()


def test_what_is_written_inside_is_written_while_the_lock_is_held():
    memory = Memory()
    assert sd.grad(lambda x: memory.root(x))(4.0) == pytest.approx(3.0)
    assert (memory.calls, memory.last) == (1, 2.0)
    source = sd.grad(lambda x: memory.root(x)).source(4.0)
    inside = source[source.index("with ") :].split("#")[0]
    assert "memory.last = " in inside
    assert all(line.startswith(" " * 8) for line in inside.splitlines()[1:] if "memory" in line)
    assert not memory.lock.locked()


def test_a_lock_is_left_where_something_is_raised():
    def divides(x):
        with LOCK:
            return 1.0 / x

    def raises(x):
        with LOCK:
            if x > 1.0:
                raise ValueError("too large")
            return x * x

    with pytest.raises(ZeroDivisionError):
        sd.grad(divides)(0.0)
    assert not LOCK.locked()
    with pytest.raises(ValueError, match="too large"):
        sd.grad(raises)(2.0)
    assert not LOCK.locked()
    assert sd.grad(raises)(0.5) == 1.0
    assert sd.jvp(divides, (2.0,), (1.0,))[1] == -0.25
    assert sd.derivative(divides, order=2)(2.0) == 0.25


def test_a_lock_that_others_hold_is_waited_for():
    def f(x):
        with LOCK:
            return x * x

    gradient, found = sd.grad(f), []
    assert gradient(1.0) == 2.0
    with LOCK:
        thread = threading.Thread(target=lambda: found.append(gradient(3.0)))
        thread.start()
        thread.join(0.05)
        assert found == []
    thread.join()
    assert found == [6.0]


def test_locks_that_are_made_inside_are_nobody_elses():
    def f(x):
        lock, again, y = threading.Lock(), threading.RLock(), x
        with lock, again, again:
            y = y * x
        if lock.acquire(False) and not lock.acquire(False):
            y = y * x
            lock.release()
        try:
            lock.release()
        except RuntimeError:
            y = y * x
        return y * (2.0 if lock.locked() else 1.0)

    assert sd.value_and_grad(f)(2.0) == (16.0, 32.0)


def test_a_module_cannot_stand_alone_with_a_lock(tmp_path):
    def f(x):
        with LOCK:
            return x * x

    with pytest.raises(sd.UnsupportedCallError, match="a module cannot stand alone"):
        sd.grad(f).export(tmp_path / "made.py", 2.0)
