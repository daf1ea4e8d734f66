"""Expressions of every kind."""

import numpy as np

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


@on(0)
@on(1)
@on(7)
def short_circuits(n):
    return (n and "yes"), (n or "no"), (n and n - 1 and "both"), not n, (n or n or 5)


@on(2)
@on(9)
@on(-1)
def chained_comparison(n):
    return 0 < n < 5, 0 < n < n + 1 < 8, 1 <= n != 9, n in (1, 2) in [True]


@on(1)
@on(0)
def effects_in_order(n):
    seen = []

    def note(v):
        seen.append(v)
        return v

    r = note(1) + note(2) * note(3), note(n) and note(4), note(5) < note(0) < note(6)
    note(7) if n else note(8)
    return r, seen


@on(3.0, 2)
def operators(x, n):
    return x + n, x - n, x * n, x / n, x // n, x % n, x**n, -x, +x, n << 2, n >> 1, n & 3, n | 4, n ^ 1, ~n, abs(x)


@on(np.arange(6.0).reshape(2, 3))
def indexing(a):
    return a[0], a[:, 1], a[..., None], a[1, 2], a[::-1, :2], a[a > 2], a[[0, 1], [1, 2]], a[-1, -1]


@on(5)
def conditional_expressions(n):
    return 1 if n > 3 else 2 if n > 1 else 3


@on("né", 3.14159)
def strings(name, x):
    width = 10
    return f"{name!r:>{width}}|{x:.2f}|{x!s}|{{}}|{name}", f"plain", "ab", f"{x=}"  # noqa: F541


@on(3)
@on(-3)
def walrus(n):
    if (m := n * 2) > 0 and (k := m + 1):
        return m, k
    return m


@on([1, 2, 3, 4])
def walrus_in_comprehension(items):
    squares = [last := i * i for i in items if (half := i / 2) > 0.5]
    return squares, last, half


@on([1, 2, 3])
@on([])
def walrus_in_while(items):
    items = list(items)
    total = 0
    while (n := len(items)) > 0:
        total += n * items.pop()
    return total, n


@on({"a": 1}, 2)
def displays(d, n):
    return (n, n + 1), [n, [n]], {n, n}, {"k": n, **d, "a": 3}, (*[1, 2], n, *(3,)), [*range(n), n], {*"ab"}, (), []


@on(1j, None, ...)
def constants(z, none, dots):
    return -1, +2.0, -0.0, 1j, -1j, b"x", None, True, ..., z, none, dots
