"""Functions that are given arrays and lists, called often: by calls that differ in who holds them.

Each program is a function of two floats; what its callees do to the arrays that they are given, and
to those that they give, is seen in what it returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

OUTSIDE = np.array([0.5, 1.5])


def total(*arrays: Any) -> float:
    """A number that tells where each element stands."""
    found = 0.0
    for k, array in enumerate(arrays):
        flat = np.ravel(array)
        found = found + np.sum(flat * np.arange(1.0, len(flat) + 1.0)) * (k + 1.3)
    return float(np.sin(found * 0.01) + found * 0.005)


def scale(v: Any, c: float) -> None:
    v *= c
    v[0] += 1.0


def writes(x: float, y: float) -> float:
    """Arrays that are written, by themselves and through views, and between calls."""
    a, b = np.array([x, y, 1.0]), np.array([y, 2.0, x])
    scale(a, x)
    scale(b, y)
    b[1] = x * y
    scale(b, x)
    view = a[::-1]
    scale(view, y)
    scale(a[1:], 0.5)
    scale(b[1:], x)
    scale(b[:2], x)
    scale(np.array([x, y, y]), x)
    return total(a, b, view)


def mix(a: Any, b: Any) -> Any:
    a[0] = a[0] * b[1]
    b[1] = b[1] + a[0]
    return a * b


def one_array_twice(x: float, y: float) -> float:
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    first = mix(a, b), mix(b, c), mix(c, a)
    twice = mix(a, a), mix(b, b), mix(c, c)
    base = np.array([x, y, 1.0])
    other = np.array([y, x, 2.0])
    shifted = mix(base[:2], base[1:]), mix(other[:2], other[1:]), mix(other[1:], other[:2])
    apart = mix(base[:2], other[1:]), mix(other[:2], base[1:])
    return total(a, b, c, base, other, *first, *twice, *shifted, *apart)


def itself(v: Any) -> Any:
    return v


def reversed_view(v: Any) -> Any:
    return v[::-1]


def inner_view(v: Any) -> Any:
    made = v * 2.0
    return made[1:], made, made[:-1]


def gives_what_it_is_given(x: float, y: float) -> float:
    arrays = [np.array([x, y, 1.0]), np.array([y, x, 2.0]), np.array([x * y, 1.0, y])]
    for k, array in enumerate(arrays):
        same = itself(array)
        same[k] *= x
        back = reversed_view(array)
        back[0] += y
        twice = reversed_view(itself(back))
        twice[1] *= y + k
        parts, whole, front = inner_view(array)
        parts[0] = parts[0] * front[1]
        whole[2] += x
        array[2] += whole[1] * parts[1] * front[0]
    return total(*arrays)


def either(v: Any, c: float) -> Any:
    return v if c > 0.65 else v * 3.0


def either_of(a: Any, b: Any, c: float) -> Any:
    w = a if c > 0.65 else b
    return w


def on_some_paths(x: float, y: float) -> float:
    """What may be what was given is read, and written where that is told apart."""
    a, b, c = np.array([x, y]), np.array([y, x]), np.array([1.0, x * y])
    first, second, third = either(a, x), either(b, y), either(c, x)
    some = either_of(a, b, x), either_of(b, c, y), either_of(c, a, x)
    return total(first, second, third, a, b, c, *some)


def written_on_some_paths(x: float, y: float) -> float:
    a, b, c = np.array([x, y]), np.array([y, x]), np.array([1.0, x * y])
    first, second, third = either(a, x), either(b, y), either(c, x)
    a[0] *= 2.0
    b[1] *= 3.0
    c[1] *= 5.0
    third[0] += y
    return total(first, second, third, a, b, c)


class Holder:
    def __init__(self, held: Any) -> None:
        self.held = held
        self.last = held * 2.0

    def keep(self, v: Any, c: float) -> Any:
        self.last = self.held
        self.held = v
        return Holder(v * c)


def on_objects(x: float, y: float) -> float:
    """Arrays that functions keep on objects, and objects that they make."""
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    first, second = Holder(a), Holder(b)
    made = [first.keep(b, x), second.keep(c, y), first.keep(c, x), second.keep(a, y)]
    made += [made[0].keep(made[1].held, x), made[1].keep(made[2].held, y)]
    b[0] *= 3.0
    c[1] += a[0]
    made[1].held[0] *= x
    first.held[1] += y
    first.last[0] *= 1.5
    made[2].extra = x
    arrays = [part for one in made for part in (one.held, one.last)]
    return total(a, b, c, first.held, first.last, second.held, second.last, *arrays)


def rows(v: Any, c: float) -> list[Any]:
    made = v * c
    return [made, v, made, [made[0], c, made[1:]], {"v": v, 1: made}]


def lists(x: float, y: float) -> float:
    """Lists and dicts, of arrays that are one."""
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    one, two, three = rows(a, x), rows(b, y), rows(c, x * y)
    two[0][1] *= x
    two[1][0] += y
    two.append(three[0])
    two[5][0] *= 3.0
    three[4]["v"][1] *= 2.0
    three[4][1] = a
    three[3][0] = x * 7.0
    three[3][2][0] += 1.0
    three[4][1][0] *= 5.0
    found = [one[0], one[2], two[0], two[2], two[4][1], two[3][2], three[0], three[3][2]]
    return float(total(a, b, c, *found, three[4][1]) + three[3][0] + two[3][0] * len(two))


def append(kept: list[Any], v: Any) -> None:
    kept.append(v)
    kept[0] = v * 2.0


def kept_in_lists(x: float, y: float) -> float:
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    one, two, three = [a], [b], [c]
    append(one, b)
    append(two, c)
    append(three, a)
    a[0] *= 2.0
    b[1] *= x
    three[1][1] += y
    two[0][0] += y
    return total(a, b, c, *one, *two, *three)


def collected(v: Any, n: int) -> list[Any]:
    found = []
    for _ in range(n):
        found.append(v * 1.0)
        v = v * v[1]
    return found


def staged_lists(x: float, y: float) -> float:
    n = 3 + int(x)
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    one, two, three = collected(a, n), collected(b, n), collected(c, n)
    two.append(one[0])
    three[1] = b
    return float(total(one[-1], two[-1], three[1], three[2], two[1]) * len(two))


def rebinds(v: Any, c: float) -> float:
    for _ in range(3):
        v[0] = v[0] * c + 1.0
        v = v * 2.0
    return float(v[0] + v[1])


def turns(x: float, y: float) -> float:
    """Loops that write to what is given in the first turn only; nobody else has it, or others."""
    found = rebinds(np.array([x, 1.0]), y) + rebinds(np.array([y, x]), x)
    found += rebinds(np.array([y, x * y]), x)
    a = np.array([x, y * 0.5])
    found += rebinds(a, y) + rebinds(a, y) * rebinds(a, x)
    return total(a) + found * 0.01


def flat_written(v: Any, c: float) -> Any:
    flat = v.reshape(-1)
    flat[1] *= c
    return flat


def layouts(x: float, y: float) -> float:
    """Whether it is a view depends on how the array lies in memory."""
    one, two = np.array([[x, y], [1.0, x * y]]), np.array([[y, y], [x, 2.0]])
    three = np.array([[y, x], [x, x * x]])
    flat = flat_written(one, x), flat_written(two, y), flat_written(three, x)
    turned = flat_written(one.T, y), flat_written(two.T, x), flat_written(three.T, y)
    return total(one, two, three, *flat, *turned)


def norm(v: Any) -> Any:
    return np.sqrt(np.sum(v * v) + 1.0) * np.mean(v, axis=0)


def shapes(x: float, y: float) -> float:
    """Shapes and dtypes that differ from call to call: 0-d, empty, one row, single precision."""
    given = [np.array([x, y]), np.array([y, x]), np.array([x, y, 1.0]), np.array([[x, y]])]
    given += [np.array([[y], [x]]), np.array([[x], [y]]), np.array([x]), np.array([y])]
    found = 0.0
    for v in given:
        found = found + np.sum(norm(v)) * (1.0 + x)
        found = found + np.sum(norm(v + x)) * y
    zero, other = np.asarray(x), np.asarray(y)
    found = found + doubled(zero) * doubled(other) + np.sum(doubled(np.zeros(0) * x))
    return float(found + doubled(zero * other)[()] + np.sum(doubled(np.zeros(0) * y)))


def doubled(v: Any) -> Any:
    return v * 2.0


def added(v: Any) -> Any:
    v = v + OUTSIDE
    OUTSIDE[0] += 1.0
    return v


def outside(x: float, y: float) -> float:
    """An array outside is read and written."""
    OUTSIDE[0] = 0.5
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    return total(added(a), added(b), added(c), added(b))


def into(a: Any, b: Any, out: Any) -> Any:
    np.multiply(a, b, out=out)
    np.add(out, a, out=out)
    return out


def outputs(x: float, y: float) -> float:
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    found = into(a, b, c), into(b, c, a), into(c, a, b)
    into(a, b, a)
    into(b, c, b)
    into(c, a * 0.1, c)
    found[0][0] += 1.0
    return total(a, b, c, *found)


def local(x: float, y: float) -> float:
    """Arrays around local functions, bound anew and written."""
    state, count = np.array([x, y]), np.zeros(2)

    def step(v: Any) -> Any:
        nonlocal state
        count[0] += v[0]
        old = state
        state = state * v * 0.3 + count * 0.1
        return old

    def both(v: Any) -> Any:
        if v[0] > 0.7:
            return step(v) + step(v * 0.5)
        return step(v) * step(v + y)

    a, b = both(state), both(np.array([y, x]))
    old = step(a)
    old[0] *= 2.0
    state[1] += y
    c = both(b) * both(a)
    return total(a, b, c, state, count)


def in_turns(x: float, y: float) -> float:
    """Calls in loops, whose numbers of turns are known at run time only."""
    a, b = np.array([x, y]), np.array([y, x])
    k = 0
    while k < 3 * x:
        a, b = mix(a, b), mix(b, a) * 0.5
        scale(a, y * 0.3)
        scale(b, x * 0.3)
        k += 1
    for i in range(2):
        a = either(a * 1.0, x * (i + 1))
        b = either(b * 1.0, y * (i + 1))
    return total(a, b)


def chosen(v: Any, c: float) -> Any:
    if c > 0.65:
        found = v[:2]
    else:
        found = v[1:]
    return found


def views_on_paths(x: float, y: float) -> float:
    a, b, c = np.array([x, y, 1.0]), np.array([y, x, 2.0]), np.array([1.0, x * y, y])
    found = chosen(a, x), chosen(b, y), chosen(c, x), chosen(c, y)
    return total(*found, a, b, c)


def normal(v: Any) -> Any:
    return v / np.sqrt(np.sum(v**2))


def sizes_of_their_own(x: float, y: float) -> float:
    """Sizes that are known at run time only."""
    a = np.array([x, y, x * y, -x, 1.0])
    b = np.array([y, x, x - y, 2.0, 1.0])
    one, two, three = a[a > 0.5], b[b > 0.5], a[a < 1.1]
    return total(normal(one), normal(two), normal(three), normal(one * 2.0), normal(one * y))


def ints(v: Any, k: Any) -> Any:
    return v[k] * len(v) + k[0]


def of_integers(x: float, y: float) -> float:
    k, m = np.array([1, 0]), np.array([0, 0])
    a, b, c = np.array([x, y]), np.array([y, 1.0]), np.array([x * y, 2.0])
    return total(ints(a, k), ints(b, k), ints(c, k), ints(a, m), ints(b, m), ints(c, m))


def turned(v: Any, c: Any) -> Any:
    v *= c
    return v[::-1] * c, np.abs(v), c * c


def of_complex_numbers(x: float, y: float) -> float:
    a, b, c = np.array([x, y * 1j]), np.array([y, 1j]), np.array([x * y + 1j, 2.0])
    one, two, three = turned(a, x + 0.3j), turned(b, y - 1j), turned(c, y * 1j + x)
    four = turned(one[0], two[2])
    found = [one[1], two[1], three[1], four[1], four[0].real, three[0].imag, a.imag, c.real]
    return float(total(*found, b.real) + abs(one[2] * four[2]))


def risky(v: Any, c: float) -> Any:
    v[0] = v[0] * c
    if v[0] > 0.75:
        raise ValueError
    v[1] += 1.0
    return v * c


def keeps_and_raises(kept: list[Any], v: Any, c: float) -> float:
    kept[0] = v * c
    v = v + kept[0]
    kept[1] = v
    if c > 1.1:
        raise ValueError
    v[0] *= 2.0
    return float(np.sum(v))


def inside_try(x: float, y: float) -> float:
    """Arrays that are written, and kept, before something is raised."""
    a, b, c = np.array([x, y]), np.array([y, x]), np.array([x * y, 1.0])
    found, kept = 0.0, [a, b]
    for v, w in ((a, x), (b, y), (c, x), (a, 1.0), (b, 0.5)):
        try:
            found = found + np.sum(risky(v, w) * w)
        except ValueError:
            found = found - v[0] * w
    for v, w in ((b, x), (c, y), (a, y), (c, 0.3)):
        try:
            found = found + keeps_and_raises(kept, v, w)
        except ValueError:
            found = found * w
        kept[1][1] += w
        v[0] += kept[0][1]
    return float(total(a, b, c, *kept) + found * 0.01)


def summed(v: Any) -> float:
    if v[0] > 30.0:
        raise ValueError
    return float(np.sum(v * v))


def read_inside_try(x: float, y: float) -> float:
    found = 0.0
    for v in (np.array([x, y]), np.array([y * 40.0, x]), np.array([x * y, 1.0])):
        try:
            found = found + summed(v) * summed(v * x)
        except ValueError:
            found = found - v[1]
    return found


PROGRAMS = [
    writes,
    one_array_twice,
    gives_what_it_is_given,
    on_some_paths,
    written_on_some_paths,
    on_objects,
    lists,
    kept_in_lists,
    staged_lists,
    turns,
    layouts,
    shapes,
    outside,
    outputs,
    local,
    in_turns,
    views_on_paths,
    sizes_of_their_own,
    of_integers,
    of_complex_numbers,
    inside_try,
    read_inside_try,
]
