"""Classes and functions of the standard library that Python has in C: queues, heaps, counts."""

import bisect
import calendar
import cmath
import datetime
import functools
import heapq
import io
import itertools
import math
import operator
import re
import shlex
import statistics
import string
import sys
import types
from collections import Counter, OrderedDict, deque

import numpy as np

from tests.constructs.settings import construct


@construct()
def what_python_says_of_itself(x, c):
    rate = 2.0 if (3, 8) <= sys.version_info < (4, 0) and sys.version_info.major == 3 else 3.0
    major, *_ = sys.version_info
    return rate * x[0] * c + major * x[1] * sys.float_info.epsilon * 2.0**50 + sys.hash_info.width


@construct()
def a_window_over_values(x, c):
    window, total = deque(maxlen=3), 0.0
    for k in range(8):
        window.append(np.sin(k * x[0]) * x[k % 4])
        if len(window) == window.maxlen:
            total = total + (sum(window) / len(window)) ** 2
    return total * c


@construct()
def a_window_in_a_loop_over_an_array(x, c):
    last, energy = deque([0.0, 0.0], maxlen=2), 0.0
    for value in x:
        last.append(value * last[-1] + c)
        energy = energy + last[0] * value
    return energy


@construct()
def a_delay_line(x, c):
    past = deque([0.0] * 4, maxlen=4)
    for k in range(12):
        past.appendleft(0.5 * past[0] - 0.2 * past[-1] + x[k % 3] * np.cos(past[1] * c))
    return sum(past)


@construct()
def a_queue_of_work(x, c):
    queue, total = deque([(x[0], 1)]), 0.0
    while queue:
        value, depth = queue.popleft()
        total = total + value * depth
        if depth < 4:
            queue.append((value * x[1], depth + 1))
            queue.append((value * c, depth + 1))
    return total


@construct()
def methods_of_a_deque(x, c):
    d = deque([x[0], x[1], x[2]], maxlen=4)
    d.extendleft([c, x[3]])
    d.rotate(-1)
    e = d.copy()
    e[0], taken = x[1] * c, e.pop()
    e += [2.0]
    joined = deque(d) + deque(e)
    del joined[1]
    joined.reverse()
    joined.insert(1, x[4])
    joined.remove(2.0)
    ends = joined[0] * joined[-1] + taken**2 + list(reversed(e))[0] * e.index(2.0)
    known = isinstance(d, deque) and type(d) is deque and not isinstance(d, list)
    return ends + sum(v * (k + 1) for k, v in enumerate(joined)) * len(d) + known * d[1] ** 2


@construct()
def numpy_takes_a_deque_as_a_sequence(x, c):
    d = deque(x[:4])
    return np.sum(np.array(d) ** 2) * c + np.mean(d) + max(d) * min(d) + sorted(d)[1] ** 2


class Squares:
    """A sequence by its length and its items."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return 3

    def __getitem__(self, k):
        if k > 2:
            raise IndexError(k)
        return self.values[k] ** 2


@construct()
def numpy_takes_an_object_with_items_as_a_sequence(x, c):
    return np.sum(Squares(x)) * c + np.dot(Squares(x), x[:3])


@construct()
def heaps(x, c):
    heap = [(3, x[0]), (1, x[1] * c)]
    heapq.heapify(heap)
    heapq.heappush(heap, (2, x[2]))
    mixed = 0.0
    while heap:
        rank, value = heapq.heappop(heap)
        mixed = mixed * 0.5 + rank * value**2
    return mixed + sum(heapq.nlargest(2, x)) * heapq.nsmallest(1, x)[0]


@construct()
def a_function_for_each_class_is_made_inside(x, c):
    @functools.singledispatch
    def weighted(value, weight=1.0):
        return weight

    @weighted.register(int)
    def of_integer(value, weight=1.0):
        return 2.0 * weight

    @weighted.register(float)
    def of_float(value, weight=1.0):
        return value**2 * weight

    weighted.register(str, lambda value, weight=1.0: len(value) * weight)
    total = weighted(1) * x[0] + weighted(True, x[1]) ** 2 + weighted(None) * weighted("ab")
    return total + weighted(x[2], weight=c) * weighted.dispatch(int)(0, x[3])


@construct()
def sorted_sequences_are_merged(x, c):
    mixed = 0.0
    for rank, value in heapq.merge([(1, x[0]), (4, x[1])], [(2, x[2]), (3, x[3])]):
        mixed = mixed * 0.5 + rank * value**2
    for word in heapq.merge(["a", "ccc"], ["bb", "aa"], key=len):
        mixed = mixed * c + x[len(word)] * (word > "aa")
    return mixed


@construct()
def keys_are_compared_by_a_function(x, c):
    falling = functools.cmp_to_key(lambda a, b: b - a)
    items = sorted([3, 1, 2], key=falling)
    mixed = x[0]
    for k in items:
        mixed = np.sin(mixed) * k + x[k] * c
    return mixed if falling(1) > falling(2) else 0.0


@construct()
def queues_are_compared_item_by_item(x, c):
    first, second = deque([1, x[0]]), deque([1, x[1]])
    total = x[2] ** 2 if first < second else x[2] ** 3
    total = total + (x[3] * c if deque([1, 2]) >= deque([1, 2, 3]) else x[4] ** 2)
    return total * (2.0 if first <= second and not second > deque([2]) else 3.0)


@construct()
def a_heap_of_numbers_known_at_run_time(x, c):
    heap = []
    for value in x[:4]:
        heapq.heappush(heap, value * c)
    return heapq.heappop(heap) ** 2 + heapq.heappushpop(heap, x[4]) * heap[0]


@construct()
def an_interval_found_by_bisection(x, c):
    knots, heights = [-9.0, -1.0, 0.25, 1.0, 9.0], [1.0, 2.0, 5.0, 3.0, 4.0]
    k = bisect.bisect_right(knots, x[0]) - 1
    t = (x[0] - knots[k]) / (knots[k + 1] - knots[k])
    ordered = [-8.0, 8.0]
    bisect.insort(ordered, x[2])
    return (heights[k] * (1 - t) + heights[k + 1] * t) * c + ordered[1] ** 2


@construct()
def counts(x, c):
    letters, weights = Counter("abca"), Counter({"a": x[0]})
    weights.update({"a": x[1], "b": c})
    weights["z"] += 2
    both = weights + Counter(b=1.5)
    named = sum(n * x[k] for k, (_, n) in enumerate(sorted(letters.items())))
    first = letters.most_common(1)[0][1]
    return named + first * weights["a"] ** 2 + weights["none"] + weights.total() * both["b"]


@construct()
def the_order_of_a_dict(x, c):
    d = OrderedDict(a=x[0], b=x[1], c=x[2])
    d.move_to_end("a")
    last, first = d.popitem(), d.popitem(last=False)
    d["z"] = c
    d.move_to_end("z", last=False)
    plain = {"p": x[3], "q": x[4]}
    return 3 * last[1] + first[1] ** 2 + list(d.values())[1] * c + plain.popitem()[1] * len(plain)


@construct()
def items_chosen_by_conditions(x, c):
    kept = itertools.compress(x, [1, 0, 1])
    small = itertools.filterfalse(lambda v: v > 0.5, x)
    begun = itertools.takewhile(lambda k: k < 3, itertools.count())
    rest = itertools.dropwhile(lambda v: v > 0.2, x)
    return sum(kept) * c + sum(v**2 for v in small) + sum(begun) * x[1] + sum(rest) ** 2


@functools.singledispatch
def area(shape, scale=1.0):
    raise TypeError(shape)


@area.register
def _(shape: float, scale=1.0):
    return shape**2 * scale


@area.register(np.ndarray)
def _(shape, scale=1.0):
    return np.sum(shape**3) * scale


@area.register(list)
def _(shape, scale=1.0):
    return shape[0] * shape[1] * scale


@construct()
def functions_for_the_class_of_an_argument(x, c):
    return area(x, scale=c) + area([x[0], c]) + area(x[1] * c) + area(c, 2.0)


@construct()
def getters_of_items_attributes_and_methods(x, c):
    ends, total = operator.itemgetter(0, -1), operator.methodcaller("sum")
    inner = types.SimpleNamespace(gain=types.SimpleNamespace(value=x[1] * c))
    rows = [{"w": x[0], "n": 2}, {"w": x[2], "n": 1}]
    rows.sort(key=operator.itemgetter("n"))
    first = operator.attrgetter("gain.value")(inner) * rows[0]["w"]
    return first + ends(x)[0] * ends(x)[1] + total(x * c) ** 2


class Filled:
    """An object whose attributes come as items of its ``__dict__``."""

    step = 5.0

    def __init__(self, **given):
        self.__dict__.update(given)

    @property
    def energy(self):
        if "energy" not in self.__dict__:
            self.__dict__["energy"] = self.u**2
        return self.__dict__["energy"]


@construct()
def attributes_as_items(x, c):
    o = Filled(u=x[0], v=x[1])
    o.__dict__["w"] = x[2] * c
    vars(o)["z"] = 2.0
    vars(o).setdefault("z", x[3])
    known = ("u" in vars(o)) + 10 * ("step" in vars(o))
    return o.u * o.v + o.w**2 + o.energy**2 + o.__dict__.get("step", 3.0) * o.z * known * x[1]


@construct()
def text_with_patterns_and_functions(x, c):
    digits = re.compile(r"\d")
    doubled = digits.sub(lambda found: found.group() * 2, "a1b22", count=2)
    shifted, count = digits.subn(lambda found: str((int(found[0]) + 1) % 10), doubled)
    y = sum(x[k] * int(found.group()) for k, found in enumerate(digits.finditer(shifted)))
    named = string.Template("$a-${b}-$$").substitute(a=4, b=shifted)
    parts = shlex.split("-x 'a b' --scale=2.5")
    y = y * float(parts[-1].partition("=")[2]) + len(parts) * c
    return y * count + len(named) * c + len(re.sub("", lambda _: "-", "ab")) * x[5]


@construct()
def text_read_in_lines(x, c):
    y = 0.0
    with io.StringIO("1.5\n2.5\n\n3") as file:
        for k, line in enumerate(file):
            if line.strip():
                y = y + x[k] * float(line)
        y = y + len(file.read()) + file.seek(4) * c
        y = y + float(file.read(3)) * x[1] + file.tell() + len(file.readlines())
        file.seek(2)
        file.write("7")
        file.seek(0)
        y = y * float(file.readline()) + len(file.readline()) + len(file.readline(0))
    written = io.StringIO()
    written.write("ab")
    written.seek(0)
    written.write("c")
    return y + len(written.getvalue()) * c + written.tell() * x[2]


@construct()
def dates_made_in_a_loop(x, c):
    days = 366 if calendar.isleap(2024) else 365
    interest, start = 0.0, datetime.date(2024, 1, 15)
    for month in range(1, 13):
        interest += x[0] * c * calendar.monthrange(2024, month)[1] / days
        interest -= x[1] * (datetime.date(2024, month, 20) - start).days / days
    return interest


@construct()
def most_common_ones(x, c):
    names = ["low", "high", "low", "mid"]
    weights = {"low": c, "high": x[0]}
    seen = Counter(iter(names))
    total = weights[statistics.mode(names)] * x[1] + seen["low"] * x[2]
    steps = iter([x[0], x[1]])
    return total + next(steps) * (1.0 if isinstance(steps, (list, dict, int)) else c)


@construct()
def parts_of_numbers(x, c):
    mantissa, exponent = math.frexp(c * 5.0)
    part, whole = math.modf(c * 7.3)
    z, w = complex(c, 0.25), complex(c, 0.25 + 1e-12)
    near = cmath.isclose(z, w) + 2 * cmath.isclose(z, z + 1.0, rel_tol=1e-3)
    return x[0] * mantissa * exponent + part * whole * x[1] + near * c**2
