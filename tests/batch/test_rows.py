"""Jacobians and Hessians as sweeps of several rows at once, against closed forms and complex steps.

Sizes are chosen so that one turn has all rows, several, or a last one of its own.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

import symdiff as sd

MODES = ("forward", "reverse")


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hessian_of_rosenbrock(x):
    matrix = np.zeros((x.size, x.size))
    places = np.arange(x.size)
    matrix[places[:-1], places[:-1]] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    matrix[places[1:], places[1:]] += 200
    matrix[places[:-1], places[1:]] = matrix[places[1:], places[:-1]] = -400 * x[:-1]
    return matrix


def complex_jacobian(f, x):
    units = np.eye(x.size).reshape(x.size, *x.shape)
    step = 1e-30
    columns = [np.asarray(f(x + 1j * step * unit)).imag / step for unit in units]
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


@pytest.mark.parametrize("n", [2, 3, 5, 64, 181, 182, 400])
def test_hessians_of_any_size(n: int):
    x = np.linspace(-1.2, 1.0, n)
    found = sd.hessian(rosenbrock)(x)
    np.testing.assert_allclose(found, hessian_of_rosenbrock(x), rtol=1e-12, atol=1e-10)


def collocated(z, count):
    """Trapezoidal defects of a pendulum, element by element."""
    states, controls = z[: 2 * (count + 1)].reshape(count + 1, 2), z[2 * (count + 1) :]
    defects = np.zeros((count, 2), dtype=z.dtype)
    for k in range(count):
        a, b = states[k], states[k + 1]
        defects[k, 0] = b[0] - a[0] - 0.05 * (a[1] + b[1])
        defects[k, 1] = b[1] - a[1] + 0.05 * (np.sin(a[0]) + np.sin(b[0])) - controls[k]
    return defects.reshape(-1)


def mapped(x):
    return np.cumsum(x * x) * np.sin(x)


def matrices(x):
    return x @ x.T


def branched(x):
    return np.where(x > 0, np.exp(x), x) if x[0] < 0 else x * x


def stepped(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def listed(x):
    out = []
    for element in x:
        out.append(element * element * x[0])
    return np.array(out)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (mapped, np.linspace(-1, 1, 200)),
        (mapped, np.array([0.5])),
        (matrices, np.arange(6.0).reshape(2, 3) / 3),
        (matrices, np.linspace(0, 1, 120).reshape(12, 10)),
        (branched, np.linspace(-1, 1, 7)),
        (stepped, np.linspace(-1, 1, 9) ** 2),
        (listed, np.linspace(-1, 1, 200)),
        (lambda x: np.linalg.inv(x + 3 * np.eye(3)), np.arange(9.0).reshape(3, 3) / 9),
        (lambda x: (x[::2] * 2.0).sum(), np.linspace(0, 1, 5)),
        (lambda x: np.stack([x, x * x]).reshape(-1), np.linspace(0, 1, 150)),
    ],
)
def test_jacobians_in_both_modes(f, x, mode: str):
    found = sd.jacobian(f, mode=mode)(x)
    wanted = complex_jacobian(f, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13, strict=True)
    assert found.flags.c_contiguous
    assert found.flags.writeable


@pytest.mark.parametrize("mode", MODES)
def test_jacobians_of_loops_take_few_turns(mode: str):
    z = np.linspace(-1, 1, 2 * 41 + 40)
    made = sd.jacobian(collocated, mode=mode)
    found = made(z, 40)
    wanted = complex_jacobian(lambda z: collocated(z, 40), z)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-15)
    assert "start" in made.source(z, 40)


def paired(z, count, m):
    pairs = z.reshape(count, m, 2)
    products = np.zeros((count, m), dtype=z.dtype)
    for k in range(count):
        products[k] = pairs[k, :, 0] * pairs[k, :, 1]
    return products


def paired_as_found(z, count, m):
    pairs = z.reshape(count, m, 2)
    products = np.zeros(pairs.shape[:2], dtype=z.dtype)
    for k in range(pairs.shape[0]):
        products[k] = pairs[k, :, 0] * pairs[k, :, 1]
    return products


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("f", "sizes"),
    [(paired, (20, 5)), *((paired_as_found, sizes) for sizes in [(20, 5), (-1, 5), (20, -3)])],
)
def test_sizes_that_may_be_negative_take_several_rows_at_once(f, sizes, mode: str):
    z = np.linspace(1, 2, 200)
    made = sd.jacobian(f, mode=mode)
    wanted = complex_jacobian(lambda z: f(z, *sizes), z)
    np.testing.assert_allclose(made(z, *sizes), wanted, rtol=1e-13)
    assert "start" in made.source(z, *sizes)


def driven(s, u):
    y, v, angle = s[:, 1], s[:, 2], s[:, 3]
    turned = v * np.tan(0.1 * u) + 0.1 * np.sin(y)
    return np.stack([v * np.cos(angle), v * np.sin(angle), u - 0.1 * v * v, turned], axis=1)


def transcribed(z):
    """Defects of a car's states by Runge and Kutta's method, of known sizes."""
    s, u = np.reshape(z[:404], (101, 4)), z[404:]
    a = s[:-1]
    k1 = driven(a, u)
    k2 = driven(a + 0.05 * k1, u)
    k3 = driven(a + 0.05 * k2, u)
    k4 = driven(a + 0.1 * k3, u)
    return np.ravel(s[1:] - a - 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


@pytest.mark.parametrize("mode", [*MODES, "auto"])
def test_functions_that_are_called_take_several_rows_at_once(mode: str):
    z = np.linspace(-1, 1, 504)
    made = sd.jacobian(transcribed, mode=mode)
    np.testing.assert_allclose(made(z), complex_jacobian(transcribed, z), rtol=1e-12, atol=1e-14)
    assert "start" in made.source(z)
    if mode == "auto":  # and its derivatives
        row = np.linspace(0, 1, 400)
        bent = sd.grad(lambda z: np.sum(row @ made(z)))(z)
        along = np.cos(np.arange(504.0))
        near = [row @ complex_jacobian(transcribed, z + h * along) for h in (1e-5, -1e-5)]
        wanted = (np.sum(near[0]) - np.sum(near[1])) / 2e-5
        assert bent @ along == pytest.approx(wanted, rel=1e-7)


def test_functions_that_call_themselves_do_not():
    def power(x, n):
        return x if n <= 0 else x * power(np.sin(x), n - 1)

    x = np.linspace(0.1, 1, 5)
    for mode in MODES:
        found = sd.jacobian(power, mode=mode)(x, 3)
        np.testing.assert_allclose(
            found, complex_jacobian(lambda x: power(x, 3), x), rtol=1e-12, atol=1e-15
        )


def test_empty_and_float32():
    assert sd.jacobian(mapped)(np.zeros(0)).shape == (0, 0)
    single = np.linspace(-1, 1, 5, dtype="float32")
    found = sd.jacobian(mapped)(single)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, complex_jacobian(mapped, single.astype(float)), rtol=2e-5)


def test_derivatives_of_hessians():
    x, u = np.linspace(-1.2, 1.0, 6), np.linspace(0, 1, 6)
    pushed = sd.jvp(sd.hessian(rosenbrock), (x,), (u,))[1]
    wanted = np.zeros((6, 6))
    places = np.arange(6)
    wanted[places[:-1], places[:-1]] = 2400 * x[:-1] * u[:-1] - 400 * u[1:]
    wanted[places[:-1], places[1:]] = wanted[places[1:], places[:-1]] = -400 * u[:-1]
    np.testing.assert_allclose(pushed, wanted, rtol=1e-12, atol=1e-11)
    weights = np.arange(36.0).reshape(6, 6)
    slope = sd.grad(lambda x: np.sum(sd.hessian(rosenbrock)(x) * weights))(x)
    for k, unit in enumerate(np.eye(6)):
        tangent = sd.jvp(sd.hessian(rosenbrock), (x,), (unit,))[1]
        assert slope[k] == pytest.approx(np.sum(tangent * weights), rel=1e-12)
    third = sd.jacobian(sd.hessian(rosenbrock))(x)
    np.testing.assert_allclose(third @ u, wanted, rtol=1e-12, atol=1e-11)


def test_what_is_larger_than_rows_is_done_row_by_row():
    data = np.linspace(-1, 1, 300_000).reshape(100_000, 3)

    def loss(w):
        return np.sum(np.tanh(data @ w) ** 2)

    w = np.array([0.3, -0.2, 0.5])
    made = sd.hessian(loss)
    tracemalloc.start()
    found = made(w)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    h = np.tanh(data @ w)
    bend = 2 * (1 - h * h) ** 2 - 4 * h * h * (1 - h * h)
    np.testing.assert_allclose(found, (data.T * bend) @ data, rtol=1e-9)
    assert peak < 20 * 100_000 * 8


@pytest.mark.parametrize("mode", MODES)
def test_effects_happen_once(mode: str, capsys):
    def told(x):
        print("told")
        return x * x

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(sd.jacobian(told, mode=mode)(x), np.diag(2 * x))
    assert capsys.readouterr().out == "told\n"


def test_modes_are_words():
    assert sd.jacobian(mapped, mode="forward").source("float64[n]") == sd.jacobian(
        mapped, mode="fwd"
    ).source("float64[n]")
    with pytest.raises(ValueError, match="mode is 'auto', 'forward' or 'reverse', not 'up'"):
        sd.jacobian(mapped, mode="up")

    def inside(x):
        return np.sum(sd.jacobian(mapped, mode="reverse")(x))

    x = np.array([0.5, 1.0])
    assert inside(x) == pytest.approx(np.sum(complex_jacobian(mapped, x)))
    assert sd.grad(inside)(x).shape == (2,)


def test_a_sweep_of_a_loop_takes_the_time_of_few():
    def best(f, *args):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            f(*args)
            times.append(time.perf_counter() - start)
        return min(times)

    z = np.linspace(-1, 1, 2 * 101 + 100)
    made = sd.jacobian(collocated, mode="reverse")
    made(z, 100)
    assert best(made, z, 100) < 100 * best(collocated, z, 100)  # 200 rows, one by one


def test_jax_gets_a_loop_over_rows(tmp_path):
    path = tmp_path / "made.py"
    sd.hessian(rosenbrock).export(path, "float64[n]", namespace="jax.numpy")
    assert "width" not in path.read_text(encoding="utf-8")
