"""Numbers that become arrays, by augmented assignment or by functions that give views of arrays, and are written."""

import numpy as np

_WEIGHTS = np.arange(1.0, 9.0)


def _weighted(a):
    return np.sum(a * a * _WEIGHTS[: a.size].reshape(a.shape))


def centred_in_place(x):
    s = x.mean()
    s -= x
    s *= s
    return np.sum(s)


def stable_softmax(x):
    s = x.max()
    s -= x
    np.exp(s, out=s)
    s /= s.sum()
    return _weighted(s)


def differences_of_items(x):
    total = 0.0
    for v in x:
        v -= x
        v *= v
        total += np.sum(v)
    a, b, c = x
    a *= x
    a[1] += b * c
    return total + _weighted(a)


def _scaled(a, k):
    a *= k
    return a


def by_helpers_and_items(x):
    held, rows = {"s": x[0]}, [x.sum(), 2.0]
    held["s"] += x
    held["s"][0] *= x[1]
    rows[0] *= x
    rows[0] -= rows[0][1]
    y = _scaled(x[2], x)
    y[0] = 2.0 * y[1]
    t = 1.0 / x.prod()
    t **= x
    t /= 1.0 + t
    return _weighted(held["s"]) + _weighted(rows[0]) + _weighted(y) + np.sum(t)


def python_number(s):
    t = s
    t += np.ones(2)
    t[0] *= s
    y = np.asarray(s)
    y *= 2.0
    y += s
    return np.sum(t * t) + float(y) ** 2


def views_of_numbers(x):
    a = np.expand_dims(x[0], 0)
    a *= 2.0
    b = np.atleast_1d(x[1])
    b += x[0]
    c = x[2][None]
    c *= x[1]
    d = x[0][...]
    d += b[0]
    e = np.atleast_2d(x.sum())
    e[0, 0] *= x[1]
    f = x[1][..., None]
    f[0] = x[2] * f[0]
    return _weighted(a) + _weighted(b) + _weighted(c) + float(d) ** 2 + _weighted(e) + _weighted(f)


def recurrence_in_one(s):
    y = np.atleast_1d(s)
    for k in range(3):
        y[0] = y[0] * s + k
    y *= s
    z = np.ascontiguousarray(s)
    z += y[0]
    return np.sum(y * y) + np.sum(z * s)


def literals_turned_arrays(x):
    a = np.expand_dims(2.0, 0)
    a *= x[0]
    b = np.atleast_2d(2.0)
    b[0:1] = x[2]
    c = np.asarray(0.5)
    c += x[1]
    d = np.atleast_2d(1.0)
    d *= x[0]
    e = d.T
    e += x[1]
    parts = np.array_split([1.0, 2.0, 3.0], 2)
    parts[0][:] *= x[1]
    parts[1][0] = x[2] * parts[1][0]
    f = np.squeeze(3.0)
    g = f
    f *= x[0]
    total = np.sum(a * a) + np.sum(b * b) * x[0] + c * c * x[2] + np.sum(d * e)
    return total + np.sum(parts[0] ** 2) + np.sum(parts[1] ** 2) + f * g


def numbers_in_results(x):
    """NumPy's numbers have methods that store, too."""
    o, p = np.zeros(()), np.zeros(1)
    x.sum().clip(0.0, 99.0, out=p)
    np.add(x[0], x[1], out=o)
    c = float(x[2]) * 2.0
    taken = np.sum(np.take(c, [0, 0])) * x[1] + np.take(c, 0) + np.sum(np.repeat(c, 2, axis=0))
    return o * x[1] + p[0] * x[2] + taken


def several_at_once(x):
    a, b = np.atleast_1d(x[0], x[1])
    a += b
    b *= a
    c, d = np.atleast_2d([x[0], x[2]], x)
    c *= 2.0
    d[0, 1] = x[0] * 3.0
    parts = np.array_split([x[0], x[1], x[2]], 2)
    parts[0][:] *= x[1]
    return _weighted(a) + _weighted(b) + _weighted(c) + _weighted(x) + _weighted(parts[0]) + np.sum(parts[1])


def accumulated_from_a_number(x, n):
    """The first iteration makes an array of a number, the others write into it."""
    total = 0.0
    for k in range(n):
        total += x * k
    total /= n
    return np.sum(total**2)


def accumulated_in_two_loops(m, v):
    total, factor = 0.0, 1
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] * v
        total *= 0.5
    for row in m:
        factor *= row
    factor -= factor.mean()
    return np.sum(total**2) * np.sum(factor * v)


def accumulated_and_kept(m, v):
    total = b = 0.0
    keep = []
    for i in range(len(v)):
        old = total
        total += m[i] * v[i]
        b += total * v[i]
        b -= old
        keep.append(total)
    total[0] = v[1]
    return np.sum(keep[0] * keep[-1]) + np.sum(total * b)


def _sum_of(parts, w):
    out = 0.0
    for p in parts:
        out += w * p
    return out


def accumulated_by_a_helper(m, v):
    waves = 0j
    for i in range(len(v)):
        waves += m[i] * np.exp(1j * v[i])
    return np.sum(_sum_of(m, 2.0) * _sum_of([v, v * v, v**3], v[0])) * np.sum(np.abs(waves) ** 2)


_X = np.array([1.1, 2.2, 0.3])
_M = np.array([[0.31, 0.83, 0.12], [0.2, 1.4, 0.9], [1.1, 0.5, 0.7]])

SAMPLES = {
    "centred_in_place": [(_X,), (_X.astype(np.float32),)],
    "stable_softmax": [(_X,)],
    "differences_of_items": [(_X,)],
    "by_helpers_and_items": [(_X,)],
    "python_number": [(1.5,), (np.float64(1.5),)],
    "views_of_numbers": [(_X,)],
    "recurrence_in_one": [(0.7,), (np.float64(0.7),)],
    "literals_turned_arrays": [(_X,)],
    "numbers_in_results": [(_X,)],
    "several_at_once": [(_X,)],
    "accumulated_from_a_number": [(_X, 3), (_X, 20)],
    "accumulated_in_two_loops": [(_M, _X)],
    "accumulated_and_kept": [(_M, _X)],
    "accumulated_by_a_helper": [(_M, _X)],
}
