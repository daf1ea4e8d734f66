"""Lists and tuples where NumPy makes arrays of them: arguments of functions, operands of operators."""

import numpy as np

WEIGHTS = [0.5, 2.0]
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])


def reductions_of_lists(x):
    return (
        np.max([x[0], x[1]]) + np.prod((x[0], x[1], 2.0)) + np.std([x, x * x]) + np.ptp([x[0], x[1]])
        + np.mean([[x[0], 1], [2, x[1]]], axis=0)[1] + np.linalg.norm([x[0], x[1], 3])
    )  # fmt: skip


def elementwise_of_lists(x):
    a = np.clip([x[0], x[1]], 0.1, [0.5, x[1] + 1.0]) + np.maximum([x[0], 0.5], x)
    return np.sum(a * np.power((x[0], x[1]), [2, 3.0]) - np.hypot([x[0], 1], (x[1], x[0])))


def products_of_lists(x):
    return (
        np.dot((x[0], 1.0), x) + np.inner([x[0], x[1]], [x[1], 1]) + np.vdot(x, [1, x[0]]) + np.outer([1, 2], x)[1, 0]
        + np.kron([x[0], x[1]], [1.0, x[0]])[3] + np.cross([x[0], x[1], 1.0], [1.0, x[0], 2.0])[2]
        + np.einsum("i,i", [1, 2], x) + np.convolve([x[0], x[1]], [1.0, x[0]])[1]
    )  # fmt: skip


def linear_algebra_of_lists(x):
    m = [[2.0, x[0]], [x[1], 3]]
    return np.linalg.solve(m, [x[0], 1]) * np.linalg.det(m) + np.matmul(m, [[x[1]], [1]])[:, 0] + np.trace(m)


def rearranged_lists(x):
    a = np.sort([x[1], x[0]]) + np.diff([x[0], x[1], 2]) + np.take([x[0], x[1]], [1, 0]) + np.roll((x[0], x[1]), 1)
    return a + np.transpose([x, x * x])[1] + np.reshape([[x[0]], [x[1]]], 2) + np.gradient([x[0], x[1]])


def tables_in_lists(x):
    xs, ys = [0, 1, 2.5], [x[0], x[1], x[0] * x[1]]
    return np.interp(x, xs, ys) + np.trapezoid(ys, xs) + np.polyval(ys, x) + np.average(ys, weights=[1, x[1], 2])


def chosen_from_lists(x):
    a = np.where([True, False], [x[1], x[0]], (x[0], 2)) + np.select([[True, False], x > 0], [[x[0], x[1]], x], [1, 2])
    return a + np.choose([1, 0], [[x[0], x[1]], [1.0, x[0]]]) + np.compress([False, True], [x[0], x[1]])


def operators_with_lists(x):
    a = (x + [x[1], x[0]]) * (x[0], 2) - [1, x[1]] / x
    b = [x[0], 2.0] + (a * a) ** [2, x[0]] + (x[0] + [x[1], 2])
    return b % [0.7, 0.9] + MATRIX @ [x[0], x[1]] + (x[1], x[0]) @ MATRIX


def methods_with_lists(x):
    return x.dot([x[1], 2]) * MATRIX.dot([x[0], x[1]]) + x.clip([0.4, 0.4], [x[1], 2.0])


def operands_in_place(x):
    y = x * 1.0
    y += [x[1], x[0]]
    y *= (2, x[0])
    y[1:] = [x[0] * y[0]]
    np.multiply([x[0], x[1]], y, out=y)
    return y


def list_becomes_array(x):
    items, pair = [x[0], 2.0], (x[1], 3.0)
    alias = items
    items += x
    pair *= x
    return items * pair + alias[0]


def grown_lists(x):
    numbers, rows, mixed = [], [], [0]
    for i in range(len(x)):
        numbers.append(x[i] * x[0])
        rows.append([x[i], 1.0])
        mixed.append(2 * x[i])
    return np.dot(numbers, x) + np.max(mixed) + np.sum(rows @ x[:2]) + np.linalg.norm([a * b for a, b in zip(x, x)])


def list_of_either_length(x):
    items = [x[0], x[1]] if x[0] > 0 else [x[1], x[0], 1.0]
    return np.dot(items, items) + np.cumsum(items)[-1]


def lists_of_modules(x):
    return np.dot(WEIGHTS, x) * x + np.sum(x * WEIGHTS) ** 2


def lists_by_name(x):
    a = np.tensordot(a=[x[0], x[1]], b=x * x, axes=1) + np.kron(a=x, b=[x[1], 1])[2] + np.stack(arrays=[x, x * x])[1, 0]
    return a + np.interp(x=0.3, xp=[0, 1], fp=[x[0], x[1]]) + np.clip([x[0], x[1]], a_min=0.1, a_max=[0.2, x[1] + 1])


def methods_of_ufuncs(x):
    a = np.logaddexp.reduce([x[0], x[1]]) + np.maximum.reduce((x, x * x)) + np.add.accumulate([x[0], 1, x[1]])[1:]
    return a + np.multiply.outer([x[0], 1], [x[1], 2])[0]


def complex_lists(z):
    a = np.dot([z[0], 1j * z[1]], [z[1], 2]) + np.vdot([z[0], 1.0], z) + np.sum(z * [1j, z[0]])
    return np.abs(a) + np.abs(np.fft.fft([z[0], z[1], 1.0])[1]) + np.real(np.prod([z[0], 2]))


def empty_lists(x):
    return np.sum(x[:0] + []) + np.sum([[], x[:0]]) + np.dot([], x[:0]) + np.sum(np.add([y for y in x if y > 9.0], 1.0)) + x


def lists_of_python(x, y):
    return sum([x, y]) * max([x, y]) + min((x, y)) + sorted([y, x])[0] * 3 + len([x] * 2) + np.max([x, y, 1])


_V = np.array([0.3, 0.7])

class Wrapped:
    """NumPy asks it for its array."""

    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a.copy() if copy else self.a


class Doubled(Wrapped):
    def __array__(self, dtype=None, copy=None):
        return np.stack([self.a, self.a * 2.0])


def objects_that_are_arrays(x):
    v, rows = Wrapped(x * x), Doubled(x)
    y = np.sum(v) + np.dot(x, v) + np.sum(x + v) + np.sum(np.stack([v, rows.a])) + np.max(rows)
    z = np.zeros((2, len(x)))
    z[:] = rows
    z[1] *= v
    shared = np.asarray(v)
    shared[0] = y
    copied = np.array(_a_of(v), dtype=float)
    copied[1] = 5.0
    return np.sum(z) + np.sum(v.a) + np.sum(copied * x) + np.asarray(rows)[1, 0]


def _a_of(v):
    return [v, v][1]


def lists_filled_and_stored(x):
    values, places = [], []
    for i in range(len(x)):
        values.append(x[i] * x[0])
        places.append((2 * i) % len(x))
    b = np.zeros(len(x))
    np.add.at(b, places, values)
    np.copyto(b, values, where=x > 0.0)
    np.put(b, [0], values[:1])
    rows = np.stack([values, x]) * np.arange(len(x))
    return np.sum(b * x) + np.sum(rows) + np.sum(np.column_stack((x, values)) ** 2)


def arrays_of_lists_written(x):
    values = []
    for v in x:
        values.append(v * v)
    a = np.asarray(values)
    a *= x
    b = np.ravel([x, a])
    b[1:] *= x[0]
    return np.sum(a) * np.sum(b)


def values_told_apart(x):
    same = np.unique([x[0], x[1], x[0]])
    places = np.unique((x[0], x[1], x[2]), return_inverse=True)[1]
    return np.sum(x * x) * len(same) + x[places[0]] * len(np.setdiff1d([x[0], x[1]], [5.0]))


class _Place:
    """NumPy asks `__index__` first for which item is meant, and `__array__` only where there is none."""

    def __init__(self, k):
        self.k = k

    def __index__(self):
        return self.k

    def __array__(self, dtype=None, copy=None):
        return np.array([0, 2])


class _Places:
    def __array__(self, dtype=None, copy=None):
        return np.array([0, 2])


def objects_that_are_positions(x):
    y = np.outer(x, x)
    y[_Place(1)] *= x[0]
    y[_Place(0), _Place(2)] = x[1] * 3.0
    y[_Place(1) :, ..., _Place(0)] += x[2]
    y[(_Place(2),)] *= x[1]
    y[_Place(0), _Places()] *= x[2]
    np.add.at(y, _Place(1), x[0] * x[2])
    np.multiply.at(y, (_Place(2), _Place(0)), x[0])
    return np.sum(y * y) + y[_Place(0), None][0, 1] + np.sum(y[_Places()])


SAMPLES = {
    "objects_that_are_positions": [(np.array([0.5, 1.2, -0.7]),)],
    "lists_filled_and_stored": [(_V,)],
    "arrays_of_lists_written": [(_V,)],
    "values_told_apart": [(np.array([0.3, 0.7, -0.2]),)],
    "reductions_of_lists": [(_V,)],
    "elementwise_of_lists": [(_V,)],
    "products_of_lists": [(_V,)],
    "linear_algebra_of_lists": [(_V,)],
    "rearranged_lists": [(_V,)],
    "tables_in_lists": [(_V,)],
    "chosen_from_lists": [(_V,)],
    "operators_with_lists": [(_V,)],
    "methods_with_lists": [(_V,)],
    "operands_in_place": [(_V,)],
    "list_becomes_array": [(_V,)],
    "grown_lists": [(_V,)],
    "list_of_either_length": [(_V,), (-_V,)],
    "lists_of_modules": [(_V,)],
    "lists_by_name": [(_V,)],
    "methods_of_ufuncs": [(_V,)],
    "complex_lists": [(np.array([0.3 + 0.4j, -0.7 + 1.1j]),)],
    "empty_lists": [(_V,)],
    "lists_of_python": [(0.4, -1.2)],
    "objects_that_are_arrays": [(np.array([0.5, 1.2, -0.7]),)],
}
