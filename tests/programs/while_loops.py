"""``while`` loops: data-dependent iteration, breaks, else, solvers that converge."""

import math

import numpy as np

from tests.programs.registry import program


@program(args=(2.0,), also=[(50.0,)])
def newton_sqrt(a):
    x = a
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


@program(args=(1.3, 0.4), wrt=(0, 1))
def kepler_equation(mean_anomaly, e):
    E = mean_anomaly
    n = 0
    while n < 12:
        dE = (E - e * np.sin(E) - mean_anomaly) / (1 - e * np.cos(E))
        E -= dE
        n += 1
    return np.cos(E) - e


@program(args=(10.0, 0.3), also=[(0.1, 0.3)], wrt=(0, 1))
def halve_until_small(x, r):
    steps = 0
    while x > 0.5:
        x = x * (1 - r) + 0.01
        steps += 1
    return x * (steps + r)


@program(args=(0.4, 1.2), wrt=(0, 1))
def while_else(x, y):
    i = 0
    while i < 5:
        x = x + 0.1 * np.sin(y * i)
        if x > 5:
            break
        i += 1
    else:
        x *= y
    return x * y


@program(args=(0.9,), also=[(2.4,)])
def while_true_with_break(x):
    total, term, k = 1.0, 1.0, 0
    while True:
        k += 1
        term = term * x / k
        total += term
        if abs(term) < 1e-17:
            break
    return total


@program(args=(np.array([1.0, 3.0, 0.5, 2.5, 0.2]), 4.0), wrt=(0, 1))
def fill_until_full(weights, capacity):
    i = 0
    load = 0.0
    while i < len(weights) and load + weights[i] < capacity + 0.3:
        load += weights[i]
        i += 1
    return load**2 / capacity


@program(args=(3.7, 0.4), wrt=(0, 1))
def continue_in_while(x, a):
    k = 0
    s = a
    while k < 8:
        k += 1
        if k % 3 == 0:
            continue
        s = s + math.sin(x * k) * s / k
    return s


@program(args=(np.array([0.0, 1.0]), 0.8), wrt=(0, 1), step=0.004)
def bounce_until_slow(state, restitution):
    y, v = state
    t = 0.0
    dt = 0.05
    bounces = 0
    while bounces < 3:
        v = v - 9.81 * dt
        y = y + v * dt
        t += dt
        if y < 0:
            y = -y * restitution
            v = -v * restitution
            bounces += 1
    return y + 0.1 * v * t


@program(args=(np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])), wrt=(0, 1))
def conjugate_gradients(A, b):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    k = 0
    while k < 2:
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        k += 1
    return x @ x


@program(args=(0.3, 2.0, 1.5), wrt=(0, 1, 2))
def bisection_then_polish(lo, hi, c):
    f = lambda x: x**3 - c
    a, b = 0.5, 2.0
    while b - a > 0.1:
        mid = 0.5 * (a + b)
        if f(mid) > 0:
            b = mid
        else:
            a = mid
    x = a + 0.0 * c
    n = 0
    while n < 6:
        x = x - f(x) / (3 * x**2)
        n += 1
    return x * lo + hi**2


@program(args=(27, 0.9), wrt=(1,))
def collatz_driven(n, x):
    s = 0.0
    count = 0
    while n != 1 and count < 30:
        if n % 2 == 0:
            n //= 2
            s = s * x + 0.1
        else:
            n = 3 * n + 1
            s = s - x * x
        count += 1
    return s


@program(args=(0.27, 3.0), wrt=(0, 1))
def nested_whiles(a, b):
    total = 0.0
    i = 0
    while i < 3:
        x = a + i
        j = 0
        while x < b:
            x = x * 1.3 + 0.1
            j += 1
        total += x * (j + 1)
        i += 1
    return total * a


@program(args=(np.array([3.0, 1.0, 2.0, 0.5]),))
def bubble_sort_then_weigh(x):
    a = x.copy()
    n = len(a)
    swapped = True
    while swapped:
        swapped = False
        for i in range(n - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swapped = True
        n -= 1
    return a @ np.arange(1.0, 5.0) * a[0]


@program(args=(1.8, 0.7), wrt=(0, 1))
def adaptive_step_integrator(rate, y0):
    t, y, h = 0.0, y0, 0.3
    evaluations = 0
    while t < 1.0:
        full = y - h * rate * y
        half = y - 0.5 * h * rate * y
        two = half - 0.5 * h * rate * half
        evaluations += 3
        if abs(two - full) > 0.02:
            h *= 0.5
            continue
        t += h
        y = 2 * two - full
    return y * t


@program(args=(0.6, 0.8), also=[(1.4, 0.8)], wrt=(0, 1))
def return_inside_while(x, y):
    n = 0
    while n < 20:
        x = x * y + 0.3
        if x < 1.0:
            return x**2 * y
        n += 1
    return x


@program(args=(1.0, 2.5), wrt=(0, 1))
def arithmetic_geometric_mean(a, b):
    while True:
        a, b = (a + b) / 2, math.sqrt(a * b)
        if math.fabs(a - b) < 1e-15 * a:
            return a


@program(args=(0.5,), also=[(7.3,)])
def angle_wrapped(theta):
    while theta > math.pi:
        theta -= 2 * math.pi
    while theta < -math.pi:
        theta += 2 * math.pi
    return theta**2 + math.cos(theta)


@program(args=(np.array([0.2, 0.4, 0.6]), 1.3), wrt=(0, 1))
def power_iteration(v, c):
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.5]])
    A[0, 0] = 2.0 * c
    A[2, 2] += c
    previous = 0.0
    eig = 1.0
    turns = 0
    while abs(eig - previous) > 1e-3 and turns < 100:
        w = A @ v
        previous = eig
        eig = np.sqrt(w @ w)
        v = w / eig
        turns += 1
    return eig + v[0]


@program(args=(np.array([0.3, 0.8, -0.4]),), also=[(np.array([1.1, 0.95, 0.2]),)])
def read_only_where_it_was_bound(x):
    turns = 0
    while turns < 3 and x[turns] > 0.9:
        v = x * x[turns]
        turns += 1
    total = x[0] ** 2
    for _ in range(turns):
        total = total + np.sum(np.exp(0.3 * v))
    return total


@program(args=(np.array([-0.1, 0.4, 1.1, 0.7]),))
def bound_in_an_inner_loop(x):
    y = x[1:].copy()
    for _ in range(1, 2):
        y[0] = y[-1]
        e = 1.0 + np.sum(y**2)
        while e > 0.3:
            e = e * 0.6
            v = np.minimum(y / (1.2 + e**2), y[np.newaxis])
    return np.sum(v**2)


@program(args=(np.array([0.9, 0.4, 1.6]),), also=[(np.array([0.4, 2.0, -1.0]),)])
def two_names_from_the_first_turn_on(x):
    y, e = x * 2.0, x[0]
    while e > 0.3:
        e = e * 0.6
        y = y * 0.5 + x
        last = y
    y[0] = x[1] * 3.0
    return np.sum(last**2) + np.sum(y)


@program(args=(np.array([0.9, -0.4, 1.6, -1.2]),), also=[(np.array([-0.9, -0.4, 1.6, 1.2]),)])
def one_of_the_turns_of_a_while_is_kept(x):
    kept, k = x * 1.0, 0
    while k < 3:
        k += 1
        v = x * k
        if x[k] > 0.0:
            kept = v
    v += kept[0]
    return np.sum(kept**2) + np.sum(v) * x[0]


@program(args=(np.array([1.0, 2.0]), 5.0, -1.0), also=[
    (np.array([1.0, 2.0]), 5.0, 1.0),
    (np.array([1.0, 2.0]), 0.5, 1.0),
    (np.array([1.0, 2.0]), 0.5, -1.0),
], wrt=(0, 1))  # fmt: skip
def number_or_array_by_a_branch_and_a_loop_in_it(x, y, way):
    if way > 0:
        z = y
    else:
        z, turns = y, 0
        while turns < 3 and np.sum(z) < 1:
            z = x**2 if turns else np.stack([x, x]) * y
            turns += 1
    return np.sum(z**2) + 0.5 * y**2


@program(args=(np.array([[-0.3], [-0.9], [0.4]]),))
def swapped_by_a_count_of_the_loops_own(x):
    u = np.array(x)
    w = np.zeros((3, 1))
    for _ in range(1, 3):
        w[0:1] = u[::-2][:1]
        v = np.ones((3, 1))
    k = 0
    while k < 3:
        k += 1
        u, v = v, u
    return np.mean(w) ** 2 + np.mean(v) ** 2 + np.sum(np.sin(u))
