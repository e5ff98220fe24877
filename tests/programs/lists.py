"""Lists that grow, shrink and are turned into arrays, in static and in data-dependent loops."""

import numpy as np

from tests.programs.registry import program

X = np.array([0.6, 1.3, 0.2, 0.9])


@program(args=(X,))
def append_then_array(x):
    out = []
    for v in x:
        out.append(v * v)
    a = np.array(out)
    return np.sum(a * np.roll(a, 1)) + out[2] * out[-1]


@program(args=(0.3, 1.0), also=[(0.7, 1.0)], wrt=(0, 1))
def append_until_converged(r, x):
    path = [x]
    while path[-1] > 0.1:
        path.append(path[-1] * r)
    s = 0.0
    for i in range(len(path)):
        s += path[i] * (i + 1)
    return s + sum(path) * len(path)


@program(args=(X, 0.8), wrt=(0, 1))
def append_when_large(x, cut):
    kept = []
    dropped = [cut]
    for v in x:
        if v > cut:
            kept.append(v**2)
        else:
            dropped.append(v * cut)
    return np.sum(np.array(kept)) * np.prod(np.array(dropped))


@program(args=(X,))
def list_surgery(x):
    a = [x[0], x[1] * 2, x[2]]
    a.insert(1, x[3])
    a.insert(0, 0.5)
    a.extend([x[0] * x[1], 3.0])
    last = a.pop()
    first = a.pop(0)
    a[0] = a[0] * last
    a[-1] += first
    b = a + [x[2]] * 2
    b.reverse()
    a += [1.5]
    c = b.copy()
    c[0] = 100.0
    del b[1]
    total = 0.0
    for i, v in enumerate(b):
        total += v * (i + 1)
    return total + sum(a) * len(a) + a.index(1.5)


@program(args=(np.array([[0.1, 0.8], [0.5, 0.4], [0.9, 0.2]]),))
def stack_of_rows(m):
    rows = []
    state = np.array([1.0, 0.5])
    for row in m:
        state = np.tanh(state * row + 0.1)
        rows.append(state)
    hist = np.stack(rows)
    both = np.stack([hist, hist**2], axis=-1)
    return (
        np.sum(both[..., 0] @ both[..., 1].T) + np.vstack(rows)[1, 0] * np.concatenate(rows).max()
    )


@program(args=(0.2, 0.9), wrt=(0, 1))
def trajectory_of_pairs(x, v):
    traj = [(x, v)]
    for _ in range(5):
        x, v = traj[-1]
        traj.append((x + 0.1 * v, v - 0.1 * np.sin(x)))
    xs = np.array([p[0] for p in traj])
    vs = np.array([q for _, q in traj])
    return np.sum(xs**2) + vs @ vs + traj[2][0] * traj[3][1]


@program(args=(X,))
def stack_machine(x):
    stack = [1.0]
    for i, v in enumerate(x):
        stack.append(v)
        if i % 2:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + i)
    while len(stack) > 1:
        top = stack.pop()
        stack[-1] = stack[-1] + top**2
    return stack[0]


@program(args=(X,))
def list_of_lists(x):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            table[i][j] = x[i] * x[j + 1]
            if i > 0:
                table[i][j] += table[i - 1][j] ** 2
    table[0][0] = table[2][2]
    return sum(sum(row) for row in table) + np.array(table).max()


@program(args=(X,))
def aliased_lists(x):
    a = [x[0], x[1]]
    b = a
    b.append(x[2])
    b[0] = b[0] * a[1]
    c = list(a)
    c.append(5.0)
    nested = [a, a]
    nested[1][1] = x[3]
    return a[0] * a[1] * a[2] + len(b) + nested[0][1]


@program(args=(np.array([3.0, 1.0, 2.0]), 0.5), wrt=(0, 1))
def queue_simulation(service, gap):
    queue = []
    for s in service:
        queue.append(s)
    t = 0.0
    waits = []
    arrival = 0.0
    while queue:
        job = queue.pop(0)
        start = t if t > arrival else arrival
        waits.append(start - arrival)
        t = start + job
        arrival += gap
    return np.mean(np.array(waits)) + waits[-1] ** 2


@program(args=(1.7, 0.3), wrt=(0, 1))
def memo_of_series(x, a):
    terms = [1.0, x]
    for n in range(2, 7):
        terms.append(2 * x * a * terms[n - 1] - terms[n - 2])
    return terms[6] + terms[3] * terms[-2] + sum(terms[1:4]) + sum(terms[::2])


@program(args=(X,))
def list_arithmetic(x):
    a = [x[0], x[1]]
    a = a + [x[2]]
    a = a * 2
    head, *tail = a
    u, v, *_ = tail
    s = np.array(a) * 2
    t = np.array([a[:3], a[3:]])
    return head * u * v + s.sum() + np.sum(t[0] * t[1]) + (3 if len(tail) == 5 else 0)


@program(args=(X,))
def sliding_buffer(x):
    buf = [0.0, 0.0, 0.0]
    out = 0.0
    for v in x:
        buf.append(v)
        buf = buf[1:]
        out += buf[0] * buf[1] + buf[2] ** 2
    return out


@program(args=(X, 3), also=[(X, 5)])
def list_in_a_while(x, n):
    values = [x[0]]
    others = []
    i = 0
    while i < n:
        values.append(np.sin(values[i]) + x[i % 4])
        if i % 2 == 0:
            others.extend([values[i], values[i + 1] ** 2])
        i += 1
    return np.stack(values) @ np.arange(1.0, n + 2) + others[-1] * others[0]


@program(args=(X, 3), also=[(X, 2), (X, 0)])
def list_turned_round_in_place(x, n):
    values = [x[0]]
    for k in range(n):
        values.append(values[-1] * x[k] + 0.5)
        if x[k] > 0.0:
            values.reverse()
    values.reverse()
    return sum(k * v for k, v in enumerate(values)) + values[-1] ** 2


@program(args=(X,))
def arrays_in_a_list_mutated(x):
    bins = [np.zeros(2), np.zeros(2)]
    for i, v in enumerate(x):
        b = bins[i % 2]
        b[i // 2] = v**2
        b += v
    alias = bins[0]
    alias *= 2.0
    return bins[0] @ bins[1]


@program(args=(X, 0.7, 3), also=[(X, -0.7, 1)], wrt=(0, 1))
def items_unlike_those_of_a_loop(x, a, n):
    rows, total = [], a
    for v in x:
        rows.append(np.array([v, v * a]))
    more = rows + [np.where(total > 0, a, 1.5)]
    more.append((a, 2.0))
    total = total + np.sum(more[0] * more[-2]) * more[-1][0]
    for k in range(2):
        values = [x[k]]
        for _ in range(n):
            values.append(1.0)
        values[0] = np.where(a > 0, a, x[0])
        values.insert(1, [x[1]])
        total = total + values[0] * values[1][0] * values[2]
    plain = [v for v in x]
    both = plain + [(v, a) for v in x]
    plain.extend([np.where(a > 0, a, x[0]), "name"])
    return total * both[0] * both[-1][1] + plain[-2] * both[-1][0]
