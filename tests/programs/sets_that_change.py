"""Sets that the program changes: queues, what was seen, groups, operators in place."""

from collections import defaultdict

from tests.programs.registry import program


@program(args=(1.3,))
def joined_in_place(x):
    s = {1}
    t = s
    s |= {2}
    return x * len(t)


@program(args=(1.3,))
def taken_in_place(x):
    s = {1}
    t = s
    s -= {1}
    y = x
    for _ in t:
        y = y * 2.0
    return y


@program(args=(1.3,))
def added_once(x):
    seen = set()
    y = 0.0
    for k in [1, 2, 1, 3, 2]:
        if k in seen:
            continue
        seen.add(k)
        y += x**k
    return y + len(seen) * x


@program(args=(1.3,))
def of_texts(x):
    s = set()
    s.add("a")
    s.add("b")
    s.discard("z")
    s.remove("a")
    return x * len(s) + (x if "b" in s else 0.0)


@program(args=(1.3,))
def gone_over_in_order(x):
    s = {8, 0}
    s.add(16)
    s.add(3)
    y = x
    for i in s:
        y = y * 1.5 + i * x
    return y


@program(args=(1.3,))
def sorted_after_changes(x):
    s = set(range(20))
    s -= {3, 4}
    s ^= {100, 1}
    s |= {200}
    y = x
    for i in sorted(s):
        y = y * 0.5 + i * x
    return y


@program(args=(1.3,))
def operators_of_sets(x):
    a = {1, 2, 3}
    b = a
    c = a | {4}
    b.add(7)
    assert (
        a is b
        and c == {1, 2, 3, 4}
        and a == {1, 2, 3, 7}
        and a != c
        and not a <= c
        and (a & c) == {1, 2, 3}
        and a - c == {7}
        and a ^ c == {4, 7}
    )
    assert {1, 2} < a and a >= {7} and a.isdisjoint({9}) and isinstance(a, set) and type(a) is set
    assert (
        frozenset([1]) | a == a
        and type(frozenset([1]) | a) is frozenset
        and {1: 2}.keys() & a == {1}
        and a - {1: 2}.keys() == {2, 3, 7}
    )
    return x * sum(a) * sum(c)


@program(args=(1.3,))
def popped(x):
    s = {1, 2, 3}
    y = 0.0
    while s:
        y += x ** s.pop()
    return y


@program(args=(1.3,))
def removed_in_vain(x):
    s = {1}
    try:
        s.remove(5)
    except KeyError as e:
        return x * e.args[0]
    return x


@program(args=(1.3,))
def popped_in_vain(x):
    s = set()
    try:
        s.pop()
    except KeyError as e:
        return x * len(str(e))


@program(args=(1.3,))
def added_on_a_path(x):
    s = set()
    if x > 1:
        s.add("a")
    return x * len(s)


@program(args=(1.3,))
def joined_with_a_list(x):
    s = {1}
    try:
        s |= [2]
    except TypeError:
        return x * 2
    return x


@program(args=(1.3,))
def updated_comprehension(x):
    s = {k % 3 for k in range(7)}
    s.update([5], (6,))
    s.intersection_update({0, 1, 5})
    return x * sum(s) + max(s) * x + min(s)


@program(args=(1.3,))
def kept_on_an_object(x):
    class A:
        def __init__(self):
            self.seen = set()

        def visit(self, k):
            if k in self.seen:
                return 0.0
            self.seen |= {k}
            return x * k

    a = A()
    return sum(a.visit(k) for k in (1, 2, 2, 5, 1))


@program(args=(1.3,))
def worklist(x):
    todo = {0}
    done = set()
    y = 0.0
    g = {0: [1, 2], 1: [3], 2: [3], 3: []}
    while todo:
        n = min(todo)
        todo.discard(n)
        done.add(n)
        y = y * x + n
        todo |= set(g[n]) - done
    return y


@program(args=(1.3,))
def copied_sets(x):
    s = {1, 2}
    t = s.copy()
    t.add(3)
    u = set(s)
    u.clear()
    return x * (len(s) * 100 + len(t) * 10 + len(u))


@program(args=(1.3,))
def default_that_changes(x):
    def add(k, s={0}):
        s.add(k)
        return len(s)

    return x * (add(1) + 10 * add(2))


@program(args=(1.3,))
def with_views_of_dicts(x):
    d = {"a": x, "b": 2 * x}
    s = {"a"}
    s.add("c")
    left = d.keys() - s
    return sum(d[k] for k in left) + x * len(s - d.keys()) + (x if s & d.keys() == {"a"} else 0.0)


@program(args=(1.3,))
def neighbours(x):
    edges = [(0, 1), (1, 2), (0, 2), (2, 3)]
    nb = {}
    for a, b in edges:
        nb.setdefault(a, set()).add(b)
        nb.setdefault(b, set()).add(a)
    seen = set()
    order = []

    def visit(n):
        seen.add(n)
        order.append(n)
        for m in sorted(nb[n] - seen):
            if m not in seen:
                visit(m)

    visit(0)
    y = x
    for n in order:
        y = y * 1.5 + n * x
    return y


@program(args=(1.3,))
def in_a_defaultdict(x):
    d = defaultdict(set)
    for k in range(5):
        d[k % 2].add(k)
    return x * sum(d[0]) + sum(len(v) for v in d.values()) * x * x


@program(args=(1.3,))
def made_in_each_turn(x):
    t = 0.0
    for i in range(3):
        s = set()
        for j in range(i + 2):
            s.add(j % 2)
        t += x ** len(s)
    return t


@program(args=(1.3,))
def grown_on_a_path(x):
    s = {"a"}
    if x > 1:
        s.add("b")
        y = x * len(s)
    else:
        y = x
    return y
