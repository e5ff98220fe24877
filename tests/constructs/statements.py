"""Every kind of statement: assignments, branches, loops, exits, closures, contexts, imports."""

import math
from dataclasses import dataclass

import numpy as np

from tests.constructs.settings import construct

COUNT = 0
SCALE = 1.5
TABLE = np.array([0.5, 1.5, 2.5])


def _reset():
    global COUNT, SCALE
    COUNT, SCALE = 0, 1.5
    TABLE[:] = [0.5, 1.5, 2.5]


# Assignment


@construct()
def assigned(x, c):
    y = x * c
    z = y
    z = z[0] * np.sin(z[1])
    return z + y[2]


@construct()
def chained(x, c):
    a = b = x[0] * c
    p = q = x.copy()
    p[1] = a * q[2]
    b = b + q[1]
    return a * b * p[1]


@construct()
def annotated(x, c):
    a: float = x[0] * c
    b: float
    b = a * x[1]
    total: "float" = a + b * b
    return total


@construct()
def annotated_element(x, c):
    y = x.copy()
    y[0]: float = c * y[1]
    return y[0] * y[2]


@construct()
def unpacked(x, c):
    a, (b, d), [e, f, g] = x[0], (x[1], c), x[3:]
    a, b = b * d, a
    return a * b + e * f - g * d


@construct()
def unpacked_array(x, c):
    (p, q), (r, s), (t, u) = x.reshape(3, 2)
    return p * q * c + r * s - t * u


@construct()
def starred(x, c):
    first, *middle, last = x
    *most, end = (c, *middle, first)
    head, *none = [last]
    return first * last + most[0] * most[1] + end * middle[-1] + head * len(none)


@construct()
def unpacked_into_elements(x, c):
    y = x.copy()
    d = {}
    y[0], d["k"], (y[1], *rest) = y[1] * c, y[2], (y[0], c, y[3])
    return y[0] * y[1] * d["k"] + rest[0] * rest[1]


@construct()
def swapped_names(x, c):
    a, b = x[0], x[1] * c
    a, b = b, a
    a, b = a * b, a / b
    return a - b


@construct()
def augmented_names(x, c):
    s = x[0]
    s += c
    s -= x[1] * 0.5
    s *= x[2]
    s /= 1.0 + x[3]
    s **= 2
    n = 7
    n //= 2
    n %= 2
    n <<= 2
    n |= 1
    n &= 5
    n ^= 2
    n >>= 1
    return s * n


@construct()
def augmented_name_is_the_array(x, c):
    y = x.copy()
    z = y
    z += c
    z *= x
    z -= 0.1
    z /= 1.0 + c
    z **= 2
    return y[0] * y[1] + z[2]


@construct()
def augmented_matmul(x, c):
    m = x[:4].reshape(2, 2) * c
    m @= m
    v = x[:2]
    v = v @ m
    v @= m
    return v[0] * v[1]


@construct()
def augmented_elements(x, c):
    y = x.copy()
    y[0] += c * y[1]
    y[-1] *= y[0]
    y[2] -= y[3]
    y[3] /= c + y[1]
    y[4] **= 2
    return y @ x


@construct()
def augmented_slices(x, c):
    y = x.copy()
    y[1:] += y[:-1] * c
    y[::2] *= y[1::2]
    y[::-1] -= x * 0.1
    y[2:4] /= x[2:4]
    y[:2] **= 2
    return y @ x


@construct()
def augmented_list_and_dict(x, c):
    items, named = [x[0], x[1]], {"a": x[2]}
    items[0] *= c
    items += [items[0] * x[3]]
    items *= 2
    named["a"] += items[1]
    named |= {"b": c * x[4]}
    return items[0] * items[2] + named["a"] * named["b"] + len(items)


@dataclass
class Box:
    value: object
    count: int = 0


@construct()
def attributes_of_a_local_object(x, c):
    box = Box(x[0])
    box.value = box.value * c
    box.value += x[1]
    box.value **= 2
    box.array = x * 1.0
    box.array += c
    box.array[0] *= box.value
    box.count += 1
    return box.value + box.array[0] * box.array[1] * box.count


@construct()
def deleted(x, c):
    a = x[0] * c
    b, d = a * a, {"k": a, "l": c}
    e = [a, b, c]
    del a
    a = b * x[1]
    del b, d["k"], e[0]
    return a * d["l"] + e[0] * len(e)


# Branches


@construct()
def branch_on_data(x, c):
    if x[0] < x[1]:
        y = x[0] * c
    else:
        y = x[1] - c
    return y * y


@construct()
def branch_chain(x, c):
    if c > 1.0:
        y = x[0]
    elif x[2] > 2.0:
        y, z = x[1], 3.0
    elif x[3] > 0.2:
        y = x[2] * c
        y *= x[1]
    else:
        y = c
    return y * x[0]


@construct()
def branch_without_else(x, c):
    y = x[0] * c
    if y < 5.0:
        y = y * y
    if y > 50.0:
        y = 0.0
    return y + x[1]


@construct()
def branches_nested(x, c):
    y = x.copy()
    if x[0] < 5.0:
        if c > 5.0:
            y[0] = 1.0
        else:
            y[0] *= c
            if y[1] > 0.0:
                y[1] += y[0]
    return y[0] * y[1]


@construct(True, 3)
def branch_on_arguments(x, c, flag, n):
    y = x[0]
    if flag:
        y = y * c
    if n == 3 and not n > 4:
        y += x[1] ** n
    return y


@construct()
def conditional_expression(x, c):
    y = x[0] * c if x[1] > 0.3 else x[1]
    z = 1.0 if c > 2.0 else (y if x[2] > 3.0 else y * y)
    return y * z


@construct()
def boolean_operators(x, c):
    a = x[0] > 0.1 and x[1] > 0.1 or c > 3.0
    b = 0.0 < c < x[1] < 9.0
    y = x[2] if a and not (b and x[0] > 4.0) else x[3]
    z = (c > 4.0 and x[0]) or x[1] * c
    return y * z + (x[4] > 0.0 or c) * c


@construct()
def membership_and_identity(x, c):
    name, nothing = "left", None
    y = x[0] * c if name in ("left", "right") else x[1]
    z = x[2] if nothing is None and y is not nothing else c
    w = c if 2 not in [1, 3] else 1.0
    return y * z * w


# Loops


@construct()
def for_range(x, c):
    s = c
    for i in range(4):
        s += x[i] * s
    return s * i


@construct()
def for_range_with_step(x, c):
    s = c
    for i in range(1, 6, 2):
        s = s * x[i] + i
    for i in range(5, 0, -2):
        s = s + x[i] * x[i - 1]
    for i in range(-1, -4, -1):
        s += x[i] ** 2
    for i in range(3, 3):
        s = 100.0
    return s


@construct(3, -2)
def for_range_with_bounds_from_arguments(x, c, n, step):
    s = c
    for i in range(n):
        s = s + x[i] * s
    for i in range(n + 1, 0, step):
        s = s + x[i] ** i
    for i in range(n, len(x)):
        s *= x[i]
    return s


@construct()
def for_range_with_bounds_from_data(x, c):
    n = int(x[0] + 3.0)
    s = c
    for i in range(n):
        s += x[i] * s
    for i in range(n, int(c), -1):
        s = s + x[i] * i
    for i in range(0, len(x), n - 1):
        s *= x[i]
    return s


@construct()
def for_over_an_array(x, c):
    s = 0.0
    for v in x:
        s = s * c + v * v
    for row in x.reshape(3, 2):
        s += row[0] * row[1] * s
    for (p, q), r in zip(x.reshape(3, 2), x):
        s += p * q * r
    return s


@construct()
def for_over_a_list_and_a_tuple(x, c):
    s = c
    for v in [x[0], x[1], c]:
        s += v * s
    for k, v in ((2, x[2]), (3, x[3])):
        s += v**k
    for v in (x[4], 2, x[:2]):
        s = s + np.sum(v * c)
    return s


@construct()
def for_zip_and_enumerate(x, c):
    s = 0.0
    for a, b in zip(x, x[1:]):
        s += a * b * c
    for i, v in enumerate(x):
        s += v**2 / (i + 1)
    for i, (a, b) in enumerate(zip(x[::2], [c, 2.0]), start=1):
        s += a * b * i
    for a, b, d in zip(x, range(3), (c, c * c, 1.0)):
        s *= 1 + a * b * d * 0.1
    return s


@construct()
def for_reversed(x, c):
    s = c
    for v in reversed(x):
        s = s * v + 1
    for i in reversed(range(3)):
        s += x[i] * s * 0.1
    for v in reversed([x[0], c]):
        s = s * v + v
    for i, v in reversed(list(enumerate(x[:3]))):
        s += v * i
    return s


@construct()
def for_over_dict_views(x, c):
    named = {"a": x[0], "b": c * x[1], "d": x[2]}
    s = 0.0
    for key in named:
        s = s * c + named[key]
    for value in named.values():
        s += value**2
    for key, value in named.items():
        s += value * (2 if key == "b" else s)
    for key in named.keys():
        named[key] = named[key] * s
    return named["a"] + named["d"]


@construct()
def for_nested(x, c):
    m = np.zeros((3, 2))
    for i in range(3):
        for j in range(2):
            m[i, j] = x[i] * x[3 + j] * c
            for k in range(i):
                m[i, j] += m[k, j] * x[k]
    return np.sum(m * m)


@construct()
def while_on_data(x, c):
    s, n = x[0], 0
    while s < 4.0:
        s = s * 1.5 + c * 0.3
        n += 1
    return s * n


@construct()
def while_on_a_count(x, c):
    k, s = 0, c
    while k < len(x):
        s = s + x[k] * s
        k += 2
    return s * k


@construct()
def while_true(x, c):
    s = c
    while True:
        s = s + x[1] * s
        if s > 6.0:
            break
    return s * s


@construct()
def breaks(x, c):
    s = c
    for v in x:
        if s > 3.0:
            break
        s += v
    while s > 0.4:
        s *= 0.5
        if s < 0.9:
            break
        s -= 0.01 * c
    return s * s


@construct()
def continues(x, c):
    s = c
    for i, v in enumerate(x):
        if v > 1.2:
            continue
        s += v * i
        if i == 2:
            continue
        s *= v
    k = 0
    while k < 5:
        k += 1
        if k % 2:
            continue
        s = s * 0.5 + x[k]
    return s


@construct()
def else_of_loops(x, c):
    s = c
    for v in x:
        s += v * v
        if s > 100.0:
            break
    else:
        s *= x[0]
    while s > 0.8:
        s *= 0.7
    else:
        s += c
    for v in x:
        if v > 0.1:
            break
    else:
        s = 100.0
    return s


@construct()
def breaks_out_of_the_inner_loop(x, c):
    s = c
    for i in range(3):
        for j in range(6):
            if x[j] * (i + 1) > 1.9:
                s += x[j]
                break
            s *= x[j]
        else:
            s = s + 1.0
            continue
        s = s * 0.5
    return s


@construct()
def returns_anywhere(x, c):
    def first_large(v, level):
        if level < 0.0:
            return level
        for i in range(len(v)):
            for j in range(2):
                if v[i] * (j + 1) > level:
                    return v[i] * level
            if v[i] > 100.0:
                return 0.0
        while level > 0.1:
            level *= 0.5
            if level < v[0] * 0.2:
                return level
        return c

    return first_large(x, c * 2.3) + first_large(x, c) * first_large(x, 9.0)


@construct()
def returns_nothing(x, c):
    def fill(v, level):
        for i in range(len(v)):
            if v[i] > level:
                v[i] *= c
                return
            v[i] += level

    y = x.copy()
    fill(y, 1.0)
    fill(y, 20.0)
    return y @ x


# Functions and scopes


@construct()
def nested_functions(x, c):
    def outer(v):
        def inner(w):
            return w * v + c

        return inner(v) * inner(x[1])

    return outer(x[0]) + outer(c)


@construct()
def lambdas(x, c):
    square = lambda v: v * v * c  # noqa: E731
    power = lambda v, *, k=3: v**k  # noqa: E731
    return square(x[0]) + power(x[1]) * (lambda: x[2])() + power(c, k=2)


@construct()
def closure_reads_late(x, c):
    scale = c

    def scaled(v):
        return v * scale

    a = scaled(x[0])
    scale = x[1]
    return a * scaled(x[0])


@construct()
def nonlocal_written(x, c):
    total, turns = c, 0

    def add(v):
        nonlocal total, turns
        total = total * 0.9 + v
        turns += 1
        return total

    for v in x:
        add(v)
    return add(c) * total * turns


@construct()
def global_read(x, c):
    def scaled(v):
        return v * SCALE + TABLE[1]

    return scaled(x[0]) * c + SCALE * TABLE[0] * x[1]


@construct(reset=_reset, observe=lambda: (COUNT, SCALE))
def global_written(x, c):
    global COUNT, SCALE
    COUNT += 1
    SCALE = SCALE * 0.5 + 1.0
    y = x[0] * SCALE * c
    COUNT = COUNT + 2
    return y * COUNT


@construct(reset=_reset, observe=lambda: TABLE.copy())
def global_array_changed(x, c):
    TABLE[0] += 0.5
    TABLE[1:] *= 0.9
    return TABLE @ x[:3] * c * c


@construct()
def list_comprehension(x, c):
    squares = [v * v * c for v in x]
    some = [v * i for i, v in enumerate(squares) if v > 0.1]
    pairs = [a * b for a in x[:2] for b in squares[:2]]
    return sum(some) + squares[0] * pairs[3]


@construct()
def dict_comprehension(x, c):
    named = {k: x[k] * c for k in range(3)}
    swapped = {name: v for name, v in zip("abc", named.values())}
    return named[0] * named[2] + swapped["b"] ** 2


@construct()
def nested_comprehension(x, c):
    table = [[x[i] * x[j] + c for j in range(2)] for i in range(3)]
    return np.sum(np.array(table)[1:] ** 2) + sum(sum(row) for row in table)


@construct()
def generator_expression(x, c):
    total = sum(v * v * c for v in x)
    top = max(v * c for v in x)
    values = list(v + c for v in x if v > 0.2)
    listed = np.array(tuple(v * k for k, v in enumerate(values)))
    return total * top + listed @ listed


@construct()
def any_and_all_of_generators(x, c):
    y = x[0] if any(v > 1.2 for v in x) else c
    z = x[1] * c if all(v > 0.01 for v in x) else c
    return y * z


# Exits and effects


@construct()
def asserts(x, c):
    assert x[0] > -1.0
    assert c > -1.0, f"negative: {c}"
    y = x[0] * c
    assert np.isfinite(y), "not finite"
    return y * y


@construct()
def raises(x, c):
    if c < -1.0:
        raise ValueError(f"negative: {c}")
    if x[0] < -1.0:
        raise ArithmeticError
    for v in x:
        if v > 100.0:
            raise OverflowError("too large")
    return x[0] * c**2


@construct(observe=lambda: None)
def prints(x, c):
    y = x[0] * c
    print("y is", y, f"{c:.3f}", sep=", ")
    if y > 0.0:
        print("positive", end=".\n")
    return y * y


@construct()
def passes(x, c):
    if x[0] > 0.0:
        pass
    else:
        ...
    for _ in range(2):
        pass
    return x[0] * c * x[0]


@construct()
def errstate(x, c):
    y = x.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        y[0] = 0.0
        r = np.where(y > 0.0, c / y, 0.0)
    with np.errstate(all="ignore"):
        r = r * r
    return r @ x


@construct()
def docstrings(x, c):
    """Of the function; the settings keep it as a statement."""

    def half(v):
        """Of a function inside."""
        return v / 2

    "between statements"
    return half(x[0]) ** 2 * c


@construct()
def imports_inside(x, c):
    import math as mathematics
    from math import hypot, pi

    import numpy.linalg as la

    return mathematics.exp(-c) * hypot(x[0], c) + la.norm(x) * pi


@construct()
def walrus(x, c):
    if (y := x[0] * c) > -1.0:
        z = y * y
    values = [w for v in x if (w := v * c) > 0.01]
    while (y := y * 0.5) > 0.1:
        z += y
    return z * y + (u := x[1] * c) * u + w * values[0]


@construct()
def several_on_a_line(x, c):
    a = x[0] * c; b = a * a  # fmt: skip  # noqa: E702
    if a > -1: b = b * a  # fmt: skip  # noqa: E701
    return a * b + math.sin(b)
