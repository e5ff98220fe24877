"""Programs with ``assert``: pytest rewrites those in test modules."""


def asserts(x, k):
    assert x[0] < k, f"{x[0]} is not below {k!r}"
    return x * 2


def asserts_plainly(x, k):
    assert x[0] > k
    assert x.shape[0] == 4, "four"
    assert k > -1, ("too small", k)
    return x * 2


def asserts_between_writes(x, a, xs, d, thing):
    xs.append(x)
    assert x < 1.0, "not below 1"
    xs.append(2.0)
    return x
