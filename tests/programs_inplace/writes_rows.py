"""Rows of an array held by lists, tuples and dicts, and written through them."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def _rows(x):
    return [x[i] for i in range(len(x))]


def rows_popped(x, s):
    r = _rows(x)
    a = r.pop()
    a *= s
    r[0][:] = a
    return np.sum(x**2)


def rows_inserted(x, s):
    r = _rows(x)
    r.insert(0, r[1])
    r[0] *= s
    r[2][0] = s
    return np.sum(x**2)


def rows_reversed(x, s):
    r = _rows(x)
    r.reverse()
    r[0] *= s
    r[1][:] = r[0]
    return np.sum(x**2)


def rows_reversed_copy(x, s):
    r = list(reversed(_rows(x)))
    r[0] *= s
    return np.sum(x**2)


def rows_sliced(x, s):
    r = _rows(x)[1:]
    r[0] *= s
    return np.sum(x**2)


def rows_repeated(x, s):
    r = [x[0]] * 2
    r[0] *= s
    r[1] *= s
    return np.sum(x**2)


def rows_repeated_unknown(x, s, n):
    r = [x[0]] * n
    r[0] *= s
    r[n - 1] += s
    return np.sum(x**2)


def rows_extended(x, s):
    r = []
    r.extend(_rows(x))
    r += [x[0]]
    r[2] *= s
    r[1] *= r[0]
    return np.sum(x**2)


def rows_deleted(x, s):
    r = _rows(x)
    del r[0]
    r[0] *= s
    return np.sum(x**2)


def rows_sorted(x, s):
    r = sorted(_rows(x), key=lambda v: -v[0])
    r[0] *= s
    return np.sum(x**2)


def rows_in_slices(x, s):
    r = _rows(x)
    r[0:1] = [x[1], x[0]]
    r[0] *= s
    r[1] += 1
    return np.sum(x**2)


def rows_in_tuple(x, s):
    r = tuple(_rows(x))
    r[0][:] = s * r[1]
    return np.sum(x**2)


def rows_paired(x, s):
    for a, b in zip(_rows(x), _rows(x)[::-1]):
        a += s * b
    return np.sum(x**2)


def rows_numbered(x, s):
    for i, a in enumerate(_rows(x)):
        a *= s + i
    return np.sum(x**2)


def rows_nested(x, s):
    r = [_rows(x), _rows(x)]
    r[0][1] *= s
    r[1][0][:] = r[0][1]
    return np.sum(x**2)


def rows_swapped_in_list(x, s):
    r = _rows(x)
    r[0], r[1] = r[1], r[0]
    r[0] *= s
    r[1][0] = s
    return np.sum(x**2)


def rows_on_one_path(x, s):
    r = _rows(x)
    if s > 0.5:
        r[0] = r[1]
    r[0] *= s
    return np.sum(x**2)


def row_replaced(x, s):
    r = _rows(x)
    r[0] = x[0] * 2
    r[0] *= s
    r[1][:] = r[0]
    return np.sum(x**2) + np.sum(r[0])


def rows_stacked(x, s):
    r = _rows(x)
    y = np.array(r)
    r[0] *= s
    y *= s
    z = np.stack(r)
    return np.sum(y * z)


def rows_mapped(x, s):
    r = list(map(lambda v: v[::-1], x))
    r[0] *= s
    return np.sum(x**2 * np.arange(4.0).reshape(2, 2))


def rows_in_dict(x, s):
    d = dict(enumerate(_rows(x)))
    d[0] *= s
    d.get(1)[0] = s
    d["k"] = d.pop(0)
    d["k"] += 1
    return np.sum(x**2)


def row_chosen(x, s):
    r = max(_rows(x), key=lambda v: v[0])
    r *= s
    return np.sum(x**2)


def rows_by_next(x, s):
    it = iter(_rows(x))
    a = next(it)
    a *= s
    b = next(it)
    b += a
    return np.sum(x**2)


def rows_filtered(x, s):
    r = [v for v in _rows(x) if v[0] > 0.6]
    r[0] *= s
    return np.sum(x**2)


def rows_appended_while(x, s):
    r = [x[0]]
    while len(r) < 3:
        r.append(r[-1] * s)
        r[-1][0] = s
        r[0] += 1
    return sum(np.sum(v**2) for v in r)


_X = np.array([[0.5, 0.7], [0.9, 0.3]])
SAMPLES = {
    "rows_popped": [(_X, 0.7)],
    "rows_inserted": [(_X, 0.7)],
    "rows_reversed": [(_X, 0.7)],
    "rows_reversed_copy": [(_X, 0.7)],
    "rows_sliced": [(_X, 0.7)],
    "rows_repeated": [(_X, 0.7)],
    "rows_repeated_unknown": [(_some(2, 2), 0.7, 3)],
    "rows_extended": [(_X, 0.7)],
    "rows_deleted": [(_X, 0.7)],
    "rows_sorted": [(_X, 0.7)],
    "rows_in_slices": [(_X, 0.7)],
    "rows_in_tuple": [(_X, 0.7)],
    "rows_paired": [(_X, 0.7)],
    "rows_numbered": [(_X, 0.7)],
    "rows_nested": [(_X, 0.7)],
    "rows_swapped_in_list": [(_X, 0.7)],
    "rows_on_one_path": [(_X, 0.7)],
    "row_replaced": [(_X, 0.7)],
    "rows_stacked": [(_X, 0.7)],
    "rows_mapped": [(_X, 0.7)],
    "rows_in_dict": [(_X, 0.7)],
    "row_chosen": [(_X, 0.7)],
    "rows_by_next": [(_X, 0.7)],
    "rows_filtered": [(_X, 0.7)],
    "rows_appended_while": [(_X, 0.7)],
}
