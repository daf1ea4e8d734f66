"""Elements, slices, masks and positions written into local arrays."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])
Z = np.array([0.3 + 1.0j, 0.7 - 0.2j, 1.1 + 0.5j])


def swapped_by_fancy_index(x):
    y = x.copy()
    y[[0, 1]] = y[[1, 0]]
    return (y * np.array([1.0, 2, 3, 4])).sum() + (y**2)[0]


def last_of_repeated_positions(x):
    y = np.zeros(4)
    y[[0, 0, 1]] = x[:3] ** 2
    return np.sum(y * x)


def augmented_at_repeated_positions(x):
    y = x.copy()
    y[[0, 0, 1]] += x[1:] ** 2
    return np.sum(y**2)


def masked_to_zero(x):
    y = x.copy()
    y[y > 0.5] = 0.0
    return np.sum(y**2 * x)


def masked_and_scaled(x):
    y = x * 1.0
    y[y > 0.5] *= 3.0
    return np.sum(y**2)


def mask_of_a_matrix(x):
    a = np.outer(x, x)
    m = a > 0.3
    a[m] = np.sqrt(a[m])
    a[~m] *= 2
    return np.sum(a**2)


def mask_that_grows(x):
    m = np.zeros(4, bool)
    y = x.copy()
    for i in range(4):
        m[i] = True
        y[m] *= 1.2
        m[0] = i > 2
    return np.sum(y**2)


def where_then_written(x):
    y = np.where(x > 0.5, x, 0.0)
    y[y == 0] = np.sum(x)
    return np.sum(y**2)


def written_backwards(x):
    y = np.empty_like(x)
    y[::-1] = x**2
    return np.sum(y * x)


def negative_indices(x):
    y = x.copy()
    y[-1] = y[-2] * y[0]
    y[-3:-1] *= y[-1]
    y[::-2] += 1.0
    return np.sum(y**2)


def element_written_three_times(x):
    y = np.zeros(4)
    y[0] = x[0]
    y[0] = x[1] ** 2
    y[0] *= y[0]
    return y[0] + y[1]


def overlapping_parts(x):
    y = x**2
    y[1:] = y[:-1]
    y[:-1] += y[1:] * y[:-1]
    return np.sum(y * np.arange(4.0))


def parts_of_a_matrix(x):
    a = np.outer(x, x)
    a[1:3, ::2] = a[::2, 1:3] * 2
    a[:, 1] -= a[0]
    a[-1] /= a[0, 0] + 1
    return np.sum(a**2)


def broadcast_into_columns(x):
    a = np.zeros((4, 3))
    a[:, :] = x[:, None] ** 2
    a[..., 0] = x
    a[None, 1] = x[2]
    return np.sum(a**2)


def ellipsis_lists_and_new_axes(x):
    a = np.zeros((2, 2, 4))
    a[..., 1, :] = x
    a[0, ..., None][0] = 3.0
    a[:, 0, ::2] = x[:2]
    a[1, 1, [0, 3]] *= x[1:3]
    a[[0, 1], :, 1] += x[2:]
    return np.sum(a**3)


def lists_and_tuples_written(x):
    a = np.zeros((2, 2))
    a[0] = [x[0] * x[1], x[2]]
    a[1] = (x[3], 1.0)
    return np.sum(a**3)


def rows_of_a_broadcast_sum(x):
    a = np.zeros((3, 4))
    b = a + x
    b[1] = x * x
    b[:, 2] *= b[:, 1]
    return np.sum(b**2)


def slices_and_index_arrays_by_name(x):
    y = x.copy()
    s = slice(1, 3)
    y[s] = y[s][::-1] ** 2
    idx = np.array([0, 3])
    y[idx] += y[idx[::-1]]
    return np.sum(y**3)


def open_mesh(x):
    a = np.outer(x, x)
    a[np.ix_([0, 2], [1, 3])] = 0.5 * a[np.ix_([1, 3], [0, 2])]
    return np.sum(a**2)


def nonzero_positions(x):
    y = x.copy()
    i = np.nonzero(y > 0.4)
    y[i] = y[i] ** 2
    j = np.where(y < 0.5)[0]
    y[j] += 1.0
    return np.sum(y**2)


def positions_by_value(x):
    y = x.copy()
    i = int(np.argmax(y))
    y[i] = y[i - 1]
    j = np.argsort(y)
    y[j[:2]] = x[j[2:]]
    y[j] += np.arange(4.0)
    return np.sum(y**2)


def extremes_replaced(x):
    y = x.copy()
    y[np.argmax(y)] = 0.0
    y[np.argmin(np.abs(y - 0.3))] += np.max(y)
    return np.sum(y**2)


def slices_of_growing_length(x):
    y = np.zeros(10)
    k = 0
    for i in range(4):
        y[k : k + i] = x[:i] ** 2
        k += i
    return np.sum(y**2 * np.arange(10.0))


def empty_slices_written(x):
    y = x.copy()
    y[4:] = 1.0
    y[2:2] += x[1:1]
    y[3:] = x[3:] * y[:1]
    return np.sum(y**2)


def reversed_strided_part(x):
    y = np.zeros((4, 3))
    y[:, 1] = x
    v = y[::-2, ::-1]
    v[:, 1] *= x[:2]
    v[0] += 1
    return np.sum(y**2)


def parts_augmented_by_parts(x):
    y = x.copy()
    y[1:] += y[:-1]
    y[:-1] *= y[1:]
    y[::2] -= y[1::2]
    y[::-1][:2] /= 1 + y[:2] ** 2
    return np.sum(y**2)


def every_augmented_operator(x):
    y = x.copy()
    y += x
    y -= 0.5 * x
    y *= x
    y /= 1.0 + x
    y **= 2
    return y.sum()


def powers_in_place(x):
    y = x.copy()
    y **= 3
    y[1:] **= 0.5
    y **= x
    return np.sum(y)


def remainders_in_place(x):
    y = x * 5
    y %= 2.0
    y //= 0.7
    return np.sum(y * x)


def matrix_product_in_place(x):
    a = np.outer(x, x)
    a @= a
    return np.sum(a)


def elements_swapped(x):
    y = x.copy()
    y[0], y[1] = y[1], y[0]
    y[2], y[0] = y[0] * y[1], y[3]
    return np.sum(y * np.arange(4.0) ** 2)


def matrix_rows_swapped(x):
    a = np.outer(x, x) + np.arange(16.0).reshape(4, 4)
    a[[0, 2]] = a[[2, 0]]
    t = a[1].copy()
    a[1] = a[3]
    a[3] = t
    return np.sum(a**2 * np.arange(16.0).reshape(4, 4))


def rows_swapped_through_a_view(x):
    a = np.outer(x, x)
    t = a[1]
    a[1] = a[3]
    a[3] = t
    return np.sum(a**2 * np.arange(16.0).reshape(4, 4))


def element_is_a_copy(x):
    y = x.copy()
    s = y[0]
    y[0] = 5.0
    return s * np.sum(y)


def zero_dimensional_accumulator(x):
    s = np.zeros(())
    s[...] = x[0]
    s += x[1] ** 2
    s *= 2.0
    return s * x[2]


def zero_dimensional_sum(x):
    s = np.array(0.0)
    for i in range(4):
        s += x[i] ** 2
    return float(s) * x[0]


def overwritten_by_a_constant(x):
    y = x**2
    y[1] = 5.0
    return np.sum(y * x)


def all_overwritten_twice(x):
    y = np.zeros(4)
    y[:] = 3.0
    y[1] = x[0]
    y[:] = x
    return np.sum(y**2)


def reals_into_complex(x):
    z = np.zeros(4, complex)
    z.real = x
    z[1] = x[0] + 1j * x[2]
    z.imag[2] = x[3]
    return np.sum(np.abs(z) ** 2 * x)


def complex_in_place(x):
    y = x.copy()
    y[0] = y[1] ** 2
    y.real[1] = np.abs(y[2])
    y.imag *= 2.0
    y *= 1j
    np.conj(y, out=y)
    return np.sum(np.abs(y) ** 2)


def complex_parts_written(x):
    z = np.zeros(3, complex)
    z[:] = x
    z[1] *= x[0]
    r = z.real
    r[0] = 2.0
    return np.sum((z * np.conj(z)).real)


def complex_into_real(x):
    r = np.zeros(3)
    r[:] = x.real
    r[1:] += x.imag[1:]
    r *= np.abs(x)
    return np.sum(r**2)


def parts_of_a_complex_array(x):
    z = x + 0j
    z.real[1] = 5 * x[0]
    z.imag += x
    r = z.real
    r *= 2
    z *= 1j
    return np.sum(np.abs(z) ** 2) + np.sum(r**3)


def chained_targets(x):
    a = b = np.zeros(4)
    c = a[1:] = x[1:] * 2
    b[0] = x[0] ** 2
    c[0] *= 3
    return np.sum(a**2) + np.sum(c)


def diagonal_and_triangle(x):
    a = np.outer(x, x)
    a[np.arange(4), np.arange(4)] = x**3
    a[np.diag_indices(4)] += 1.0
    a[np.triu_indices(4, 1)] *= 0.5
    return np.sum(a**2)


def reshaped_and_written(x):
    y = x.copy().reshape(2, 2)
    y[0, 1] = y[1, 0] ** 2
    z = y.reshape(4)
    z[3] = z[1]
    return np.sum(y**2)


def places_in_a_list_of_no_known_type(x, y):
    """A dict that is filled under keys of run time leaves the list of places without a known structure."""
    n, total = x.shape[0], 0.0
    for v in x:
        places = [-1, 0]
        y[places] = x[0] * v
        total = total + np.sum(np.sin(y[places]))
        y[places] *= v
        table = {}
        for i in range(n):
            if v < 0.35:
                continue
            table[i] = i
        table.update({7: v})
    return np.sum(y) * total


def met_keys_beside_writes(x, n):
    x[:] = x * 2.0
    table = {}
    for i in range(n):
        table[i % 2] = table.get(i % 2, 0.0) * 0.5 + x[i % x.size]
    table.update({7: x[0]})
    if 0 in table:
        del table[0]
    return sum(table.values()) * np.sum(x, axis=(0,))


SAMPLES = {
    "met_keys_beside_writes": [(np.array([0.5, -0.7, 1.2]), 5), (np.array([0.5, -0.7, 1.2]), 0)],
    "places_in_a_list_of_no_known_type": [
        (np.array([1.2]), np.array([0.7])),
        (np.array([1.2, 0.3]), np.array([0.7, 0.2])),
    ],
    "swapped_by_fancy_index": [(X,), (Y,)],
    "last_of_repeated_positions": [(X,), (Y,)],
    "augmented_at_repeated_positions": [(X,), (Y,)],
    "masked_to_zero": [(X,), (Y,)],
    "masked_and_scaled": [(X,), (Y,)],
    "mask_of_a_matrix": [(X,), (Y,)],
    "mask_that_grows": [(X,), (Y,)],
    "where_then_written": [(X,), (Y,)],
    "written_backwards": [(X,), (Y,)],
    "negative_indices": [(X,), (Y,)],
    "element_written_three_times": [(X,), (Y,)],
    "overlapping_parts": [(X,), (Y,)],
    "parts_of_a_matrix": [(X,), (Y,)],
    "broadcast_into_columns": [(X,), (Y,)],
    "ellipsis_lists_and_new_axes": [(X,), (Y,)],
    "lists_and_tuples_written": [(X,), (Y,)],
    "rows_of_a_broadcast_sum": [(X,), (Y,)],
    "slices_and_index_arrays_by_name": [(X,), (Y,)],
    "open_mesh": [(X,), (Y,)],
    "nonzero_positions": [(X,), (Y,)],
    "positions_by_value": [(X,), (Y,)],
    "extremes_replaced": [(X,), (Y,)],
    "slices_of_growing_length": [(X,), (Y,)],
    "empty_slices_written": [(X,), (Y,)],
    "reversed_strided_part": [(X,), (Y,)],
    "parts_augmented_by_parts": [(X,), (Y,)],
    "every_augmented_operator": [(X,), (Y,)],
    "powers_in_place": [(X,)],
    "remainders_in_place": [(X,), (Y,)],
    "matrix_product_in_place": [(X,), (Y,)],
    "elements_swapped": [(X,), (Y,)],
    "matrix_rows_swapped": [(X,), (Y,)],
    "rows_swapped_through_a_view": [(X,), (Y,)],
    "element_is_a_copy": [(X,), (Y,)],
    "zero_dimensional_accumulator": [(X,), (Y,)],
    "zero_dimensional_sum": [(X,), (Y,)],
    "overwritten_by_a_constant": [(X,), (Y,)],
    "all_overwritten_twice": [(X,), (Y,)],
    "reals_into_complex": [(X,), (Y,)],
    "complex_in_place": [(Z,)],
    "complex_parts_written": [(Z,)],
    "complex_into_real": [(Z,)],
    "parts_of_a_complex_array": [(X,), (Y,)],
    "chained_targets": [(X,), (Y,)],
    "diagonal_and_triangle": [(X,), (Y,)],
    "reshaped_and_written": [(X,), (Y,)],
}
