"""Assignment and deletion."""
# ruff: noqa: F821, F842

import numpy as np

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


@on(1, 2)
def swaps(a, b):
    a, b = b, a
    c, (d, e) = a, (b, a + b)
    (f, g), h = (a, c), b
    [p, q] = [h, g]
    return a, b, c, d, e, f, g, h, p, q


@on((1, 2, 3, 4))
@on("abc")
@on((1,))
def stars(items):
    first, *middle, last = items
    head, *tail = items
    *start, end = items
    return first, middle, last, head, tail, start, end


@on((1, 2, 3))
@on((1,))
@on(5)
def unpacking_errors(items):
    a, b = items
    return a, b


@on(2)
def chained_and_annotated(n):
    a = b = [n]
    a.append(1)
    c: int = n * 2
    d: int
    x, y = z = (n, n)
    return a, b, a is b, c, x, y, z


@on(4.0)
def augmented(x):
    x += 1
    x -= 2
    x *= 3
    x /= 2
    x **= 2
    x //= 3
    x %= 5
    n = 5
    n <<= 2
    n >>= 1
    n |= 1
    n &= 7
    n ^= 2
    m = np.eye(2)
    m @= m
    return x, n, m


@on()
def augmented_places():
    a = [1, 2, 3]
    alias = a
    a += [4]
    d = {"k": [1]}
    d["k"] += [2]
    d["k"][0] *= 5
    v = np.arange(3.0)
    v[1] += 10
    v[1:] *= 2
    return a, alias, a is alias, d, v


@on()
def deletes():
    a = [1, 2, 3, 4]
    b = a
    del a[0], a[1:]
    d = {"x": 1, "y": 2}
    e = d
    del d["x"]
    t = 5
    del t
    t = 6
    return a, b, d, e, t


@on()
def deleted_name():
    t = 1
    del t
    return t
