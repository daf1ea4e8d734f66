"""Functions that call themselves and write into arrays they are given."""

import numpy as np


def _accumulated(a, n):
    if n > 0:
        a[n] = a[n - 1] ** 2 + a[n]
        _accumulated(a, n - 1)


def recursion_writes(x):
    y = x * 1.0
    _accumulated(y, len(y) - 1)
    _accumulated(y, 1)
    return np.sum(y**2)


def recursion_writes_in_loop(x):
    y = x.copy()
    for i in range(3):
        _accumulated(y[i:], 1)
    return np.sum(y**2)


def _merged(a, room, low, high):
    if high - low < 2:
        return
    middle = (low + high) // 2
    _merged(a, room, low, middle)
    _merged(a, room, middle, high)
    i, j = low, middle
    for k in range(low, high):
        if j >= high or (i < middle and a[i] <= a[j]):
            room[k] = a[i]
            i += 1
        else:
            room[k] = a[j]
            j += 1
    a[low:high] = room[low:high]


def merge_sort(x):
    y = x * x
    _merged(y, np.empty_like(y), 0, len(y))
    return np.sum(y**2 * np.arange(1.0, len(y) + 1))


def _fourier(x, out, step):
    if len(out) == 1:
        out[0] = x[0]
        return
    half = len(out) // 2
    _fourier(x[::2], out[:half], step)
    _fourier(x[1::2], out[half:], step)
    for k in range(half):
        low, high = out[k], step ** (k + 1.0) * out[k + half]
        out[k], out[k + half] = low + high, low - high


def transform_into(x):
    out = np.zeros(4)
    _fourier(x, out, 0.8)
    return np.sum(out**3)


def _grown(a, n):
    if n == 0:
        return a
    a *= 1.0 + a[0]
    return _grown(a[1:], n - 1)


def recursion_returns_view(x):
    y = x + 0.0
    tail = _grown(y, 2)
    tail[0] += 1.0
    return np.sum(y**2) * tail[0]


def _tail(a, n):
    return a if n == 0 else _tail(a[1:], n - 1)


def view_found_by_recursion(x):
    y = x * 1.0
    tail = _tail(y, 1)
    tail *= 3.0
    return np.sum(y**2)


def _scaled(a, s, n):
    if n == 0:
        return a, s * 2
    b, t = _scaled(a, s * a[0], n - 1)
    b[n] = t * b[0]
    return b, t + b[1]


def recursion_returns_pair(x):
    y = x * 1.0
    b, t = _scaled(y, 0.5, 2)
    b *= t
    return np.sum(y**2)


def _perhaps(a, n):
    if n == 0:
        return a[1:]
    if n == 1:
        return _perhaps(a.copy(), 0)
    a[0] *= a[1]
    return _perhaps(a, n - 2)


def recursion_returns_view_or_copy(x):
    y = x.copy()
    p, q = _perhaps(y, 2), _perhaps(y, 3)
    p *= 2.0
    q[0] = p[0] * p[1]
    y[2] *= 3
    return np.sum(p**3) + np.sum(q**2) + np.sum(y**2)


def _exchanged(a, b, n):
    if n > 0:
        a[0] += b[1] * b[0]
        _exchanged(b, a, n - 1)


def recursion_on_overlapping(x):
    y = x * 1.0
    _exchanged(y, y[1:], 3)
    return np.sum(y**2)


def _filled(x, n):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[1:] = x[1:] ** 2
    return np.sum(y) if n == 0 else _filled(y, n - 1)


def recursion_with_work_array(x):
    return _filled(x, 2)


def _counted(x, k, seen):
    seen[k] += 1
    return x[k] if k == 0 else x[k] * _counted(x, k - 1, seen) + seen[0]


def recursion_writes_inert(x):
    seen = np.zeros(3, dtype=int)
    return _counted(x, 2, seen) * seen[1]


def _left(a, n):
    a[n] *= a[0]
    return a[n] if n == 1 else _right(a, n - 1) * a[n]


def _right(a, n):
    a[0] += a[n]
    return _left(a, n)


def mutual_recursion_writes(x):
    y = x * 1.0
    return _left(y, 2) + np.sum(y)


_X = np.array([0.9, 0.4, 1.3])
_Y = np.array([0.9, 0.4, 1.3, 0.7])
SAMPLES = {
    "recursion_writes": [(_X,)],
    "recursion_writes_in_loop": [(_Y,)],
    "merge_sort": [(_Y,)],
    "transform_into": [(_Y,)],
    "recursion_returns_view": [(_X,)],
    "view_found_by_recursion": [(_X,)],
    "recursion_returns_pair": [(_X,)],
    "recursion_returns_view_or_copy": [(_X,)],
    "recursion_on_overlapping": [(_X,)],
    "recursion_with_work_array": [(_X,)],
    "recursion_writes_inert": [(_X,)],
    "mutual_recursion_writes": [(_X,)],
}
