"""Points in space and other arrays of two, three or four long rows: what kernels write out."""

import numpy as np

_RNG = np.random.default_rng(41)
_A, _X = 0.5 + _RNG.random((3, 7)), 0.5 + _RNG.random((3, 7))


def rotated_points(a, x):
    angle = np.sqrt(np.sum(a * a, axis=0))
    w = a / angle
    across = np.stack((w[1] * x[2] - w[2] * x[1], w[2] * x[0] - w[0] * x[2], w[0] * x[1] - w[1] * x[0]))
    along = np.sum(w * x, axis=0) * (1.0 - np.cos(angle))
    return np.sum((x * np.cos(angle) + across * np.sin(angle) + w * along) * x[1])


def rows_by_name(a, x):
    p, q, r = a
    u, v, w = x
    size = np.sqrt(p * p + q * q + r * r)
    return np.sum(a / size * x) + np.sum(u * v * w * size)


def rows_moved_down(a, x):
    table = np.stack((a[0], x[1], a[2]))
    table[1:] = table[:-1] * x[1:]
    table[:-1] = table[1:] * table[:-1] + x[0]
    table[:] = table[::-1] * np.sum(table, axis=0)
    return np.sum(table * a)


def orbits(a, x):
    places, speeds, h = np.stack((a[0], a[1])), np.stack((x[0], x[1])), 0.1 * x[2]
    for k in range(4):
        squares = np.sum(places * places, axis=0)
        speeds = speeds - h * places * np.exp(-squares) * a[k % 3]
        places[0] += h * speeds[1]
        places += h * speeds
    return np.sum(places * speeds)


def largest_of_few(a, x):
    table = np.zeros((4, a.shape[1]))
    table[0] = a[0] * x[0]
    table[1:] = a + x
    if x[0, 0] > 0.0:
        u, v, w = x
        table[1:] *= u + v * w
    return np.max(table) + np.sum(table * np.max(table, axis=0))


def rows_named_and_written(x, y):
    table = np.stack((x[0] * y[1], x[1], y[2]))
    p, q, r = table
    table[0] = p * q + x[2]
    table[1] = p * r
    q += p
    table[2] = table[1] * table[0] + r
    return np.sum(table * x) + np.sum(p * q * r)


def rows_shifted_under_two_names(x, y):
    table = np.stack((x[0] * y[1], x[1], y[2]))
    ends = table[:, 1:]
    p, *rest = ends
    table[0] *= table[1]
    table[1, 1:] += p
    rest[0][1:] -= rest[1][:-1] * table[0, :-2]
    ends *= p
    return np.sum(table * x) + np.sum(ends * ends)


def rows_listed(x, y):
    table = np.stack((x[0], x[1], y[0]))
    rows = list(table)
    for k, row in enumerate(table):
        last = row
        table[k] = rows[0] * row
    table[0] = last * rows[1]
    return np.sum(table * x)


def rows_by_ways(x, y):
    table = np.stack((x[0], x[1]))
    other = table if y[0, 0] > 0.0 else y[:2]
    turned = other
    k = 0
    while k < 1:
        turned = turned[::-1]
        k += 1
    table[0] = other[0] * turned[0]
    table[k] = other[0] * turned[k:][0]
    return np.sum(table * x[:2])


def rows_of_an_argument_written(x, y):
    x = x * 1.0
    p, q, r = x
    x[0, 1:] += p[:-1]
    x[1] = p[::-1] * q
    r[1:] += x[2, :-1] * x[1, 1:]
    return np.sum(x * y) + np.sum(p * q * r)


SAMPLES = {
    "rotated_points": [(_A, _X), (_A[:, ::2], _X[:, ::2])],
    "rows_by_name": [(_A, _X), (_A[:, :1], _X[:, :1])],
    "rows_moved_down": [(_A, _X)],
    "orbits": [(_A, _X)],
    "rows_named_and_written": [(_A, _X)],
    "rows_shifted_under_two_names": [(_A, _X)],
    "rows_listed": [(_A, _X)],
    "rows_by_ways": [(_A, _X), (-_A, -_X)],
    "rows_of_an_argument_written": [(_A, _X)],
    "largest_of_few": [(_A, _X), (_A[::-1], _X)],
}
