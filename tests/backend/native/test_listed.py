"""Lists that functions make, in kernels."""

import numpy as np
import pytest

from tests.kernels import agree, kernels_of, outcome, parts_of, stays, wholly

A = np.array([0.5, 1.5, -0.7, 2.0])


def squares(a):
    items = [v * v for v in a]
    return sum(items) + items[0] * items[-1] * len(items)


def begun(a, x):
    ys = [x, 1.0]
    for v in a:
        ys.append(ys[-1] * v + ys[-2])
    return ys[-1] + sum(y * y for y in ys)


def as_an_array(a, x):
    parts = []
    for k in range(len(a)):
        if a[k] > 0:
            parts.append(a[k] * x)
    return np.sum(np.array(parts) ** 2)


def a_stack(a):
    stack = [a[0]]
    for v in a[1:]:
        stack.append(v * v)
    s = 0.0
    while stack:
        s = s * 0.5 + stack.pop()
    return s


def buffers(x):
    bufs = [x.copy(), np.zeros(len(x))]
    for t in range(5):
        src, dst = bufs[t % 2], bufs[(t + 1) % 2]
        dst[1:-1] = src[:-2] * src[2:]
        dst[0] = src[0]
        dst[-1] = src[-1] + dst[0]
    return np.sum(bufs[1] ** 2) + np.sum(bufs[0])


def written_once(x):
    t = x * 2.0
    held = [t, x]
    for k in range(2):
        held[k][1] = 5.0 * x[0]
    return np.sum(t * t)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (squares, (A,)),
        (begun, (A, 0.5)),
        (as_an_array, (A, 0.5)),
        (as_an_array, (-np.abs(A), 0.5)),
        (a_stack, (np.abs(A),)),
        (buffers, (A,)),
        (written_once, (A,)),
    ],
)
def test_both_backends_agree(function, args):
    agree(function, *args)
    assert kernels_of(function, *args) == (1, ())


def test_what_raises_raises():
    agree(squares, A[:0])
    assert outcome(squares, (A[:0],), True, "numba")[0] is IndexError


def of_kinds(a, x):
    kinds = [1, x, a[0]]
    s = 0.0
    for k in range(3):
        s += kinds[k] * x
    return s


def test_kinds_of_numbers():
    agree(of_kinds, A, 0.5)
    agree(of_kinds, A, 2.5)


def pairs(a, m):
    """Cotangents of tuples in a list, some of whose items have none."""
    items = [(k, v * v, v) for k, v in enumerate(a)]
    s = 0.0
    for k, v, w in items:
        s += v * k + w
    return s * items[1][1] * np.sum(m @ a)


def cells(a):
    """Tuples as indices."""
    places = [(i, j) for i in range(len(a)) for j in range(i)]
    s = np.sum(np.sort(a[0]))
    for p in places:
        s += a[p] * a[p[1], p[0]]
    return s


def cells_that_are_not_there(a):
    places = [(i, j + 2) for i in range(len(a)) for j in range(3)]
    s = 0.0
    for p in places:
        s += a[p] * 2.0
    return s


def test_tuples():
    m = np.arange(16.0).reshape(4, 4) / 9
    agree(pairs, A, m)
    agree(cells, m)
    agree(cells_that_are_not_there, m)
    for f, args in ((pairs, (A, m)), (cells, (m,))):
        parts = parts_of(f, *args)
        assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def tree(spot, up, steps):
    down = 1.0 / up
    p = (1.001 - down) / (up - down)
    values = [max(spot * up**j * down ** (steps - j) - 1.0, 0.0) for j in range(steps + 1)]
    for _ in range(steps):
        values = [(p * b + (1.0 - p) * a) / 1.001 for a, b in zip(values, values[1:])]  # noqa: RUF007
    return values[0]


def differences(x):
    v = [x[i] * 1.0 for i in range(len(x))]
    out = 0.0
    while len(v) > 1:
        v = [b - a * b for a, b in zip(v[:-1], v[1:])]  # noqa: RUF007
        out += v[0] * v[-1] + sum(v[::2])
    return out


def test_parts_of_lists():
    wholly(tree, 1.1, 1.07, 5)
    stays(tree, 1.1, 1.07, 0)
    wholly(differences, np.linspace(0.3, 1.2, 7))
