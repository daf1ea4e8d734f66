"""Comprehensions and generator arguments."""

import math

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


@on([1, 2, 3, 4, 5])
def comprehensions(items):
    i = "kept"
    a = [i * 2 for i in items if i % 2 if i > 1]
    b = {i % 3 for i in items}
    c = {i: j for i, j in zip(items, a)}
    d = [(i, j) for i in items for j in range(i) if j != 1]
    e = [[j for j in range(i)] for i in items]
    f = [x + y for x, (y, *_) in [(1, (2, 3)), (4, (5,))]]
    return a, b, c, d, e, f, i


@on([3, 1, 2])
@on([])
def generator_arguments(items):
    total = sum(i * i for i in items), list(i for i in items), sorted(-i for i in items), tuple(i for i in items)
    total += (sum((i / 2 for i in items), 10), math.fsum(i for i in items))
    return total, max((i for i in items), default=0), "".join(str(i) for i in items), dict((i, i) for i in items)


@on([3, 1, 2])
@on([])
@on([0, 5])
def any_and_all(items):
    seen = []

    def test(v):
        seen.append(v)
        return v > 1

    return any(test(i) for i in items), all(test(i) for i in items if i), any(i > j for i in items for j in items), seen
