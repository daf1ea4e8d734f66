"""Reading by integers, slices, masks, lists, arrays, None and Ellipsis."""

import numpy as np

_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])
_V = np.array([0.5, -0.7, 1.2, 0.1, 0.8])


def integers(x):
    return x[0] * x[-1] + x[2] ** 2


def integers_matrix(a):
    return a[0, 1] * a[1, -1] + a[1][2] ** 2 + a[0][0]


def slices(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[::2] ** 2) + np.sum(x[::-1] * x) + np.sum(x[-2:])


def slices_matrix(a):
    return np.sum(a[:, 1:] * a[:, :2]) + np.sum(a[1] * a[0]) + np.sum(a[:, 0] ** 2) + np.sum(a[::-1, ::2])


def empty_slice(x):
    return np.sum(x[5:] ** 2) + np.sum(x[2:2]) + x[0]


def ellipsis_and_none(a):
    return np.sum(a[..., 0] * a[..., -1]) + np.sum(a[None, :, 1] ** 2) + np.sum(a[:, None] * a[..., None, :])


def boolean_mask(x):
    return np.sum(x[x > 0] ** 2) + np.sum(x[np.array([True, False, True, False, True])])


def boolean_mask_matrix(a):
    return np.sum(a[a > 0] ** 2) + np.sum(a[np.array([False, True])] ** 3)


def list_index(x):
    return np.sum(x[[0, 2, 2]] * np.array([1.0, 2.0, 3.0])) + x[[1]][0]


def repeated_fancy_index(x, i):
    return np.sum(x[i] ** 2 * np.arange(1.0, len(i) + 1))


def fancy_pairs(a):
    rows, columns = np.array([0, 1, 1, 0]), np.array([2, 0, 0, 1])
    return np.sum(a[rows, columns] ** 2 * np.arange(4.0)) + np.sum(a[np.array([1, 0, 1])] * a[0])


def mixed_slice_and_fancy(a):
    return np.sum(a[:, [0, 0, 2]] ** 2) + np.sum(a[1, [1, 2]]) + np.sum(a[[1, 0], 1:] * a[:, :2])


def take_and_along_axis(a):
    order = np.argsort(a, axis=1)
    return np.sum(np.take_along_axis(a, order, axis=1) * np.arange(3.0)) + np.sum(np.take(a, [1, 1, 4]) ** 2)


def take_on_an_axis(a):
    return np.sum(np.take(a, [2, 0, 0], axis=1) ** 2) + np.sum(a.take([1], axis=0))


def index_from_argument(x, i):
    return x[i] * x[i - 1] + x[(i + 2) % len(x)]


def index_from_computed_float(x):
    i = int(np.floor(x[0] * 3.0))
    return x[i] ** 2 + x[-i - 1]


def sort_values(x):
    return np.sum(np.sort(x) * np.arange(1.0, len(x) + 1)) + np.sort(x)[0] ** 2


def choose_by_searchsorted(x, t):
    i = np.searchsorted(np.array([0.0, 1.0, 2.0, 3.0]), t)
    return x[i] * (1.0 - t) + x[i - 1] * t


def interpolation(x, xp, fp):
    return np.sum(np.interp(x, xp, fp) ** 2)


def item_method(a):
    return a[0, 1].item() * 2.0 + a.item(1, 2) ** 2


def nonzero_and_where_indices(x):
    (i,) = np.nonzero(x > 0.3)
    j = np.where(x < 0.3)[0]
    return np.sum(x[i]) * np.sum(x[j] ** 2)


def compress_and_extract(x):
    keep = np.array([True, False, True, True, False])
    return np.sum(np.compress(keep, x) ** 2) + np.sum(np.extract(keep, x) ** 3)


def slices_in_a_tuple_of_one(x):
    rest = tuple([slice(1, None)] * x.ndim)
    index = [slice(None)] * x.ndim
    index[-1] = slice(None, len(x) - 1)
    return np.sum(x[rest] * x[tuple(index)])


def element_beside_sums_of_rows(a):
    t = a[0, 1] * 2.0
    u = np.sum(a, axis=1)
    return np.sum(a) + np.sum(u**3) + t * t + np.sum(a[a < 0.4]) * u[1]


SAMPLES = {
    "element_beside_sums_of_rows": [(np.array([[0.1, 0.7, 0.3], [0.9, 0.2, 0.8]]),)],
    "slices_in_a_tuple_of_one": [(np.array([0.5, -1.0, 1.4]),)],
    "integers": [(_V,)],
    "integers_matrix": [(_A,)],
    "slices": [(_V,), (_V[:1],)],
    "slices_matrix": [(_A,)],
    "empty_slice": [(_V,)],
    "ellipsis_and_none": [(_A,)],
    "boolean_mask": [(_V,)],
    "boolean_mask_matrix": [(_A,), (-np.abs(_A),)],
    "list_index": [(_V,)],
    "repeated_fancy_index": [(_V, np.array([0, 1, 1, 4])), (_V, np.array([], dtype=int))],
    "fancy_pairs": [(_A,)],
    "mixed_slice_and_fancy": [(_A,)],
    "take_and_along_axis": [(_A,)],
    "take_on_an_axis": [(_A,)],
    "index_from_argument": [(_V, 1), (_V, -1)],
    "index_from_computed_float": [(_V,)],
    "sort_values": [(_V,)],
    "choose_by_searchsorted": [(_V, 1.3)],
    "interpolation": [(np.array([0.4, 1.7, 2.2]), np.array([0.0, 1.0, 2.5]), np.array([0.3, -1.0, 2.0]))],
    "item_method": [(_A,)],
    "nonzero_and_where_indices": [(_V,)],
    "compress_and_extract": [(_V,)],
}
