"""Assignments of every form, conditionals, assert, raise, del, walrus, imports, errstate."""

from __future__ import annotations

import numpy as np

from tests.programs.registry import program

RNG = np.random.default_rng(101)
SERIES = RNG.uniform(0.5, 1.5, 6)


@program(args=(0.7, 1.3), wrt=(0, 1))
def chained_assignment(a, b):
    x = y = a * b
    y = y + np.sin(x)
    x = z = x - y
    z = z * a
    return x * y + z


@program(args=(SERIES,))
def chained_assignment_to_one_array(x):
    total = copy = x.copy()
    copy[0] = x[1] * x[2]
    total[1] += 2.0 * x[0]
    return np.sum(total * total)


@program(args=(0.4, 1.1, 2.0), wrt=(0, 1, 2))
def annotated_assignment(mass: float, speed: float, height: float) -> float:
    g: float = 9.81
    kinetic: float = 0.5 * mass * speed**2
    potential: float
    potential = mass * g * height
    energy: "float" = kinetic + potential
    return np.log(energy)


@program(args=(np.array([0.3, 0.8, 1.4]),))
def unpack_point(p):
    x, y, z = p
    x, y = y, x * z
    (r, theta), phi = (np.sqrt(x * x + y * y), np.arctan2(y, x)), z
    [u, v] = [r * np.cos(theta + phi), r * np.sin(theta - phi)]
    return u * v + z


@program(args=(SERIES,))
def starred_unpacking(x):
    first, *middle, last = x
    head, second, *rest = middle
    s = first * last
    for m in middle:
        s = s + m * m * first
    return s - head * second + len(rest)


@program(args=(0.5, 1.5), wrt=(0, 1))
def swap_in_a_loop(a, b):
    for _ in range(4):
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return a + 0.1 * b * a


@program(args=(SERIES, 0.3), wrt=(0, 1))
def augmented_everything(x, c):
    s = c
    s += x[0]
    s *= x[1]
    s -= c * x[2]
    s /= x[3]
    s **= 2
    buf = x * 1.0
    buf[2] *= s
    buf[1:4] -= c
    buf[::2] /= 1.0 + x[::2]
    buf **= 2
    return buf.sum() + s


@program(args=(np.array([[1.1, 0.2], [0.3, 0.9]]), np.array([0.5, -0.7])), wrt=(0, 1))
def matmul_augmented(a, v):
    m = a.copy()
    m @= a
    w = m @ v
    w @= a
    return w @ v


@program(args=(0.3,), also=[(1.7,), (3.1,)])
def grade(x):
    """Three-piece growth curve: slow, linear, saturating."""
    if x < 1.0:
        y = x**2
    elif x < 2.5:
        y = 2 * x - 1
    else:
        y = 4 + np.tanh(x - 2.5)
    if y > 3:
        y -= 0.1 * x * y
    return y * x


@program(args=(SERIES, 0.9), also=[(SERIES, 1.9)], wrt=(0, 1))
def nested_ifs(x, t):
    out = 0.0
    for i in range(len(x)):
        if x[i] > t:
            if i % 2 == 0:
                out += x[i] ** 2
            else:
                out -= t * x[i]
        else:
            if i < 3:
                pass
            else:
                out = out * 0.5 + np.exp(-x[i])
    return out + t * t * x[0]


@program(args=(2.0, 3.0), wrt=(0, 1))
def asserts_and_docstring(width, length):
    """Area of a plate minus a hole.

    The docstring spans lines.
    """
    assert width > 0
    assert length > 0, f"length must be positive, not {length}"
    hole = np.pi * (0.1 * width) ** 2
    assert hole < width * length, "the hole is larger than the plate"
    return width * length - hole


@program(args=(1.2, 0.4), wrt=(0, 1))
def raises_when_unphysical(rho, p):
    if rho <= 0:
        raise ValueError("negative density: %g" % rho)
    if p < 0:
        raise ValueError
    gamma = 1.4
    c = np.sqrt(gamma * p / rho)
    if not np.isfinite(c):
        raise FloatingPointError("speed of sound")
    return c * rho


@program(args=(SERIES,))
def raises_in_a_loop_sometimes(x):
    acc = 1.0
    for k, v in enumerate(x):
        if v == 0:
            raise ZeroDivisionError(k)
        acc = acc / v + v
    return acc


@program(args=(0.8, 1.4), wrt=(0, 1))
def deletes_names(a, b):
    temp = a * b
    c = temp + a
    del temp
    temp = np.cos(c)
    d = temp * b
    del c, temp
    c = d * d
    return c + a


@program(args=(SERIES,))
def errstate_ignored(x):
    y = x.copy()
    y[2] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        r = 1.0 / y
        r = np.where(y > 0, r, 0.0)
    with np.errstate(all="ignore"):
        for i in range(3):
            r = r * x + i
    return np.sum(r * x)


@program(args=(1.9,), also=[(0.6,)])
def walrus_in_condition(x):
    if (y := x * x) > 1.0:
        z = np.log(y)
    else:
        z = y - 1.0
    return z + (w := np.sin(y)) * w


@program(args=(10.0,))
def walrus_in_while(x):
    count = 0
    while (x := x / 2 + 0.1) > 1.0:
        count += 1
    return x * x * count


@program(args=(SERIES,))
def walrus_in_comprehension(xs):
    big = [sq for x in xs if (sq := x * x) > 1.0]
    return sum(big) + sq


@program(args=(0.9, 0.2), wrt=(0, 1))
def imports_inside(x, y):
    import math
    from math import hypot as length

    import numpy.linalg as la

    v = np.array([x, y, 1.0])
    return la.norm(v) * math.exp(-x) + length(x, y)


@program(args=(0.5,))
def pass_and_ellipsis(x):
    if x > 10:
        pass
    for _ in range(2):
        ...
    y = x
    for _ in range(3):
        y = y + np.sin(y)
        pass
    return y


@program(args=(0.7,), also=[(-0.4,)])
def conditional_expressions(x):
    y = x**2 if x > 0 else -(x**3)
    z = (1.0 if x > 0.5 else 2.0) * y
    total = 0.0
    for i in range(3):
        total += y * i if i % 2 else z
    return total + x


@program(args=(0.5, 2.2), also=[(1.5, 2.2), (2.5, 2.2)], wrt=(0, 1))
def boolean_operators(x, y):
    if x > 0 and y > 1 and not x > 1:
        r = x * y
    elif x > 2 or (y < 1 and x < 0):
        r = x / y
    else:
        r = x - y
    if 0 < x < 2 <= y:
        r *= x
    scale = x > 2.2 and y or 3.0
    return r * scale + x * y


# fmt: off
@program(args=(0.6, 1.2), wrt=(0, 1))
def several_statements_one_line(a, b):
    c = a + b; d = a - b; e = c * d
    if e < 0: e = -e
    for i in range(2): c += e * i
    return c * e


@program(args=(0.3,))
def long_expression_over_lines(x):
    y = (
        np.exp(-x)
        + 3 * x**4
        - (
            2.0
            / (1 + x**2)
        ) * np.sin(
            x
        )
    )
    z = y \
        * y
    return z
# fmt: on


@program(args=(0.3, 0.4), wrt=(0, 1))
def awkward_names(lambda_, x_bar):
    np_ = lambda_ * x_bar
    g = np_ + 1
    t0 = g * lambda_
    _ = t0
    __x = _ * x_bar
    λ = __x + t0
    x_bar_bar = λ * λ
    return x_bar_bar


@program(args=(0.3,))
def generated_looking_names(x):
    x_bar = x * x
    x_dot = np.sin(x_bar)
    saved = x_dot * x_bar
    tape = [saved, x_dot]
    for x_bar_2 in range(2):
        tape.append(tape[-1] * x + x_bar_2)
    return tape[-1] + tape[0] * x_bar
