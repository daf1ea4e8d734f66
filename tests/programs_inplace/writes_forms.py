"""Every form of a write: indices of each kind, augmented assignment, NumPy's functions that write."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def element_write(x, y):
    x[1] = y * x[0]
    x[0] = x[1] ** 2
    return np.sum(x * x)


def element_overwritten_twice(x, y):
    x[0] = y * y
    x[0] = np.sin(y) * x[1]
    return x[0] * x[1]


def row_and_column_write(a, v):
    a[1] = v * 2.0
    a[:, 0] = v * a[0, 1]
    a[-1, :] += v
    return np.sum(a**2)


def broadcast_write(a, v, s):
    a[:] = v
    a[:, 1:] *= s
    a[0] = s
    a[1:, :1] = v[0] * s
    return np.sum(a * a)


def broadcast_with_leading_axis(a, v):
    a[0, 1:] = v[None, :]
    return np.sum(a**2)


def slice_with_step(x, y):
    x[::2] = y
    x[1::2] += y[:2] * x[:4:2]
    return x @ x


def negative_steps(x, y):
    x[::-1] = y
    x[3:0:-1] *= y[1:4]
    x[-1:-3:-1] = x[:2]
    return np.sum(x * np.arange(1.0, 6.0))


def overlapping_slices(x):
    x[1:] = x[:-1] * 2.0
    x[:-1] += x[1:]
    x[2:] = x[:-2]
    return np.sum(x**2)


def shift_in_place(x):
    """Source and target overlap: NumPy reads everything first."""
    x[1:] = x[:-1]
    x[0] = x[-1] * x[1]
    return np.sum(x * np.arange(1.0, 5.0))


def boolean_write(x, y):
    x[x > 0.5] = y
    x[x < 0.3] *= 2.0
    return np.sum(x**2)


def boolean_write_of_values(x, y):
    mask = np.array([True, False, True, False])
    x[mask] = y * x[~mask]
    x[~mask] += y
    return np.sum(x**3)


def boolean_rows(a, v):
    a[np.array([True, False, True])] = v
    a[:, np.array([False, True])] -= v[1]
    return np.sum(a * a)


def fancy_write(x, y):
    x[[0, 3]] = y
    x[[2, 1]] += x[[0, 0]] * y
    return np.sum(x**2)


def fancy_write_with_repeats(x, y):
    """The last of the values that go to one place stays."""
    x[[1, 1, 2, 1]] = y
    return np.sum(x * x)


def fancy_augmented_with_repeats(x, y):
    """x[i] += y reads once and writes once: repeats do not add up."""
    x[[0, 0, 1]] += y
    x[[2, 2]] *= y[:2]
    return np.sum(x**2)


def fancy_grid(a, v):
    a[np.ix_([0, 2], [1, 0])] = v
    a[[0, 1, 1], [0, 1, 1]] = v[0, 0] * np.array([1.0, 2.0, 3.0])
    return np.sum(a**2)


def fancy_and_slice(a, v):
    a[[0, 2], 1:] = v
    a[1:, [0, 0]] *= v[:, :1]
    return np.sum(a**2)


def negative_fancy(x, y):
    x[[-1, -2]] = y
    x[np.array([-1, 0])] += 1.0
    return x @ x


def newaxis_and_ellipsis(a, v):
    a[..., 0] = v
    a[None, 1] += v[:2]
    a[0, ...] *= v[0]
    a[..., None][2] = v[1]
    return np.sum(a**2)


def zero_dimensional_local(x):
    y = np.array(0.0)
    y[...] = np.sum(x)
    y += x[0]
    y[()] = y * x[1]
    y *= 2.0
    return y * y


def zero_dimensional_argument(s, x):
    t = s
    s += x
    s[...] = s * t
    return t * x


def index_arrays_at_run_time(x, order):
    for i in order:
        x[i] = x[i - 1] * x[i]
    x[order] = x[order[::-1]] + 1.0
    return np.sum(x**2)


def all_augmented(x, y):
    x += y
    x -= 0.5
    x *= y
    x /= y + 1.0
    x **= 2
    x %= 0.7
    return np.sum(x)


def augmented_power_and_matmul(a, b):
    a **= b
    a @= b
    return np.sum(a)


def augmented_elements(a, s):
    a[0, 0] += s
    a[0, 1] -= s * a[0, 0]
    a[1, 0] *= s
    a[1, 1] /= s
    a[0] **= 2
    return np.sum(a)


def augmented_by_itself(x):
    x += x
    x *= x
    x -= 0.3 * x[::-1]
    return np.sum(x)


def floor_divided(x, y):
    x //= 0.25
    return np.sum(x * y)


def swap_rows(a):
    a[[0, 1]] = a[[1, 0]]
    a[0] *= 2.0
    return np.sum(a * np.arange(6.0).reshape(2, 3))


def swap_elements(x):
    x[0], x[1] = x[1], x[0] * 2.0
    x[2], x[0] = x[0], x[2]
    return np.sum(x * np.array([1.0, 2.0, 3.0]))


def swap_slices_of_one_array(x):
    """A tuple of views does not save what is overwritten first."""
    x[:2], x[2:] = x[2:], x[:2]
    return np.sum(x * np.array([1.0, 2.0, 3.0, 4.0]))


def swap_names(a, b):
    a, b = b, a
    a *= 2.0
    b += a
    return np.sum(a * b)


def swap_with_copy(x):
    x[:2], x[2:] = x[2:].copy(), x[:2].copy()
    return np.sum(x * np.array([1.0, 2.0, 3.0, 4.0]))


def out_argument(x, y):
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.add(z, x, z)
    np.sin(z, out=z)
    return np.sum(z)


def out_onto_operand(x, y):
    np.exp(x, out=x)
    np.multiply(x, y, out=y)
    np.subtract(x, y, out=x)
    return np.sum(x * y)


def out_into_view(a, x):
    np.multiply(a[0], x, out=a[1])
    np.sqrt(a[1], out=a[0, ::-1])
    return np.sum(a * a)


def out_of_reductions(a):
    rows = np.empty(2)
    np.sum(a, axis=1, out=rows)
    total = np.zeros(3)
    np.cumsum(a[0], out=total)
    np.dot(a, total, out=rows)
    return np.sum(rows**2) + np.sum(total)


def out_of_products_repeated(x, y):
    """NumPy repeats what has fewer axes than `out`."""
    tables = np.zeros((3, 2, 3, 3))
    np.outer(x, y, out=tables[0])
    np.subtract.outer(x, y, out=tables[1])
    np.matmul(tables[0, 0], tables[1, 1], out=tables[2])
    np.matmul(tables[0, 1], x, out=tables[1, :, 0])
    return np.sum(tables**2 * np.linspace(0.5, 1.5, 54).reshape(3, 2, 3, 3))


def where_argument(x, y):
    z = np.ones_like(x)
    np.divide(x, y, out=z, where=y > 0.5)
    np.negative(z, out=z, where=np.array([True, False, True, False]))
    return np.sum(z**2)


def ufunc_at(x, y):
    np.add.at(x, [0, 0, 2], y)
    np.subtract.at(x, [1, 1], y[:2])
    np.multiply.at(x, [2, 2], y[:2])
    return np.sum(x**2)


def ufunc_at_scalar(x, s):
    np.add.at(x, np.array([0, 0, 1]), s)
    np.negative.at(x, [1])
    return np.sum(x * x)


def copyto(x, y):
    np.copyto(x, y * 2.0)
    np.copyto(x[1:], y[0])
    np.copyto(x, y, where=np.array([True, False, True]))
    return np.sum(x**2)


def put_and_place(x, y):
    np.put(x, [0, 2], y[:2])
    x.put([1], y[2])
    np.place(x, np.array([False, False, True, True]), y[:2] * 3.0)
    return np.sum(x**2)


def put_along_axis(a, v):
    np.put_along_axis(a, np.array([[1], [0]]), v[:, None], axis=1)
    np.put_along_axis(a, np.array([0, 3]), v * v, None)
    return np.sum(a * a)


def putmask(x, y):
    np.putmask(x, x > 0.5, y)
    return np.sum(x**2)


def fill_diagonal(a, s, v):
    np.fill_diagonal(a, s)
    b = a.copy()
    np.fill_diagonal(b, v)
    return np.sum(a @ b)


def fill_diagonal_by_a_vector(a, v):
    """What is stored is repeated, or cut, to the length of the diagonal."""
    np.fill_diagonal(a[:2], v**2)
    np.fill_diagonal(a, v[0], wrap=True)
    tall, cube = np.zeros((7, 3)), np.ones((2, 2, 2))
    np.fill_diagonal(tall, v[1:], wrap=True)
    np.fill_diagonal(cube, v * a[0])
    return np.sum(tall * np.arange(21.0).reshape(7, 3) ** 2) + np.sum(cube * cube) + np.sum(a * a * np.arange(3.0))


def fill(x, s):
    x[1:].fill(s)
    y = np.empty(3)
    y.fill(s * s)
    return np.sum(x * s) + np.sum(y)


def sort_in_place(x):
    x.sort()
    y = x[::-1]
    y[:2].sort()
    return np.sum(x * np.arange(1.0, 5.0))


def sort_rows_in_place(a):
    a.sort(axis=0)
    a[0].sort()
    return np.sum(a * np.arange(6.0).reshape(3, 2))


def partition_in_place(x):
    x.partition(1)
    return x[0] * x[1]


def flat_write(a, v):
    a.flat[1] = v[0]
    a.flat[[3, 4]] = v
    a.flat[::2] *= 2.0
    return np.sum(a**2)


def flat_by_name(a, s):
    q = a.flat
    a[0, 1] = s * a[1, 0]
    t = q[1] * s
    q[2:4] = t
    a.flat[[0, 0]] = q[1:3]
    a.T.flat[1] += t
    for i in range(a.size):
        a.flat[i] *= a.flat[i - 1]
    return np.sum(a**2) + t


def clip_in_place(x, low):
    np.clip(x, low, 0.8, out=x)
    x.clip(0.1, 0.7, out=x)
    return np.sum(x**2)


def double_into_single(x, y):
    x[:] = y * y
    x[0] = y[1] * 3.0
    x += y
    return float(np.sum(x))


def single_into_double(x, y):
    x[1:] = y
    x *= y[0]
    return np.sum(x**2)


def real_into_complex(z, x):
    z[:] = x
    z *= 1.0 + 2.0j
    z.real[0] = x[1]
    z.imag += x
    return np.sum(np.abs(z) ** 2)


def integers_that_stay(x):
    count = np.zeros(3, int)
    for i in range(len(x)):
        count[i % 3] += 1
        if x[i] > 0.5:
            count[0] = i
    return np.sum(x[:3] * count)


def write_of_constant(x):
    x[1] = 3.0
    x[2:] = 0
    x[x > 0.9] = 0.9
    return np.sum(x**2) + x[0]


def delete_by_zeroing(x, y):
    z = x * y
    z[0] = 0.0
    z[1:2] = 0.0
    return np.sum(z**2) + np.sum(x)


def write_of_list(x, s, t):
    x[1:3] = [s, s * t]
    x[:] = [t, *x[1:]]
    return np.sum(x * x)


def tuple_index_from_variable(a, s):
    where = (1, slice(None, None, 2))
    a[where] = s
    a[tuple([0, 1])] *= s
    return np.sum(a**2)


SAMPLES = {
    "element_write": [(_some(3), 0.7)],
    "element_overwritten_twice": [(_some(2), 0.7)],
    "row_and_column_write": [(_some(2, 2), _some(2, seed=1))],
    "broadcast_write": [(_some(3, 2), _some(2, seed=1), 0.6)],
    "broadcast_with_leading_axis": [(_some(2, 4), _some(3, seed=1))],
    "slice_with_step": [(_some(5), _some(3, seed=1))],
    "negative_steps": [(_some(5), _some(5, seed=1))],
    "overlapping_slices": [(_some(5),)],
    "shift_in_place": [(_some(4),)],
    "boolean_write": [(np.array([0.9, 0.2, 0.4, 0.7]), 0.6)],
    "boolean_write_of_values": [(_some(4), _some(2, seed=1))],
    "boolean_rows": [(_some(3, 2), _some(2, seed=1))],
    "fancy_write": [(_some(4), _some(2, seed=1))],
    "fancy_write_with_repeats": [(_some(4), _some(4, seed=1))],
    "fancy_augmented_with_repeats": [(_some(3), _some(3, seed=1))],
    "fancy_grid": [(_some(3, 3), _some(2, 2, seed=1))],
    "fancy_and_slice": [(_some(3, 3), _some(2, 2, seed=1))],
    "negative_fancy": [(_some(4), _some(2, seed=1))],
    "newaxis_and_ellipsis": [(_some(3, 2), _some(3, seed=1))],
    "zero_dimensional_local": [(_some(2),)],
    "zero_dimensional_argument": [(np.array(0.7), 0.4)],
    "index_arrays_at_run_time": [(_some(5), np.array([1, 3, 2]))],
    "all_augmented": [(_some(3), _some(3, seed=1))],
    "augmented_power_and_matmul": [(_some(2, 2), _some(2, 2, seed=1))],
    "augmented_elements": [(_some(2, 2), 0.7)],
    "augmented_by_itself": [(_some(3),)],
    "floor_divided": [(np.array([0.3, 0.6, 0.9]), _some(3))],
    "swap_rows": [(_some(2, 3),)],
    "swap_elements": [(_some(3),)],
    "swap_slices_of_one_array": [(_some(4),)],
    "swap_names": [(_some(3), _some(3, seed=1))],
    "swap_with_copy": [(_some(4),)],
    "out_argument": [(_some(3), _some(3, seed=1))],
    "out_onto_operand": [(_some(3), _some(3, seed=1))],
    "out_into_view": [(_some(2, 3), _some(3, seed=1))],
    "out_of_reductions": [(_some(2, 3),)],
    "out_of_products_repeated": [(_some(3), _some(3, seed=1))],
    "where_argument": [(_some(4), np.array([0.3, 0.8, 0.9, 0.2]))],
    "ufunc_at": [(_some(3), _some(3, seed=1))],
    "ufunc_at_scalar": [(_some(3), 0.7)],
    "copyto": [(_some(3), _some(3, seed=1))],
    "put_and_place": [(_some(4), _some(3, seed=1))],
    "put_along_axis": [(_some(2, 2), _some(2, seed=1))],
    "putmask": [(np.array([0.9, 0.2, 0.7]), _some(3))],
    "fill_diagonal": [(_some(3, 3), 0.4, _some(3, seed=1))],
    "fill_diagonal_by_a_vector": [(_some(4, 3), _some(3, seed=1))],
    "fill": [(_some(3), 0.7)],
    "sort_in_place": [(np.array([0.9, 0.2, 0.7, 0.4]),)],
    "sort_rows_in_place": [(_some(3, 2),)],
    "partition_in_place": [(np.array([0.9, 0.2, 0.7, 0.4]),)],
    "flat_write": [(_some(2, 3), _some(2, seed=1))],
    "flat_by_name": [(_some(2, 2), 0.7)],
    "clip_in_place": [(np.array([0.05, 0.3, 0.75, 0.9]), 0.2)],
    "double_into_single": [(np.ones(3, "f4"), _some(3))],
    "single_into_double": [(_some(3), np.array([0.5, 0.25], "f4"))],
    "real_into_complex": [(np.array([1j, 2.0]), _some(2))],
    "integers_that_stay": [(np.array([0.3, 0.8, 0.4, 0.9]),)],
    "write_of_constant": [(np.array([0.7, 0.2, 0.5, 0.3]),)],
    "delete_by_zeroing": [(_some(4), _some(4, seed=1))],
    "write_of_list": [(_some(3), 0.4, 0.8)],
    "tuple_index_from_variable": [(_some(2, 3), 0.7)],
}
