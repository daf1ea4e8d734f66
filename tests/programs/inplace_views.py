"""Writes through views and second names, of arguments too, and copies that are apart."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])
A = np.arange(6.0).reshape(2, 3) * 0.1 + 0.12


def view_of_a_view(x):
    y = x.reshape(2, 2)
    v = y[1]
    w = v[::-1]
    w[0] = x[0] * x[1]
    return np.sum(x**2)


def through_ravel(x):
    a = np.outer(x, x)
    f = a.ravel()
    f[2] = x[0]
    return np.sum(a**2)


def through_transpose(x):
    a = np.outer(x, x)
    b = a.T
    b[0] = x
    return np.sum(a**2 * np.arange(16.0).reshape(4, 4))


def diagonal_by_step(x):
    a = np.outer(x, x)
    d = a.ravel()[::5]
    d *= 2
    d[1] = x[0]
    return np.sum(a**2)


def layouts_of_results(x):
    y = x * 2.0
    z = np.tanh(y.T)
    z[0] = y[:, 1]
    w = z.ravel()
    w[0] = 1.0
    u = np.where(z > 0.5, z, 0.1)
    v = u.ravel()
    v[1] = w[2] ** 2
    return np.sum(u * z) + np.sum(y)


def through_conj(x):
    y = x.conj()
    y[0] = y[1] ** 2
    z = x.conjugate()
    z *= 2
    return np.sum(x**2) + np.sum(np.conj(x))


def through_real(x):
    y = np.real(x)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def through_real_if_close(x):
    y = np.real_if_close(x)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def through_einsum(x):
    a = np.outer(x, x)
    b = np.einsum("ij->ji", a)
    b[0] = x
    d = np.einsum("ii->i", a)
    d *= 3
    return np.sum(a**2) + np.sum(b**3)


def through_diff(x):
    y = np.diff(x)
    y[0] = y[1] ** 2
    return np.sum(x**2) * np.sum(y)


def through_matrix_power(x):
    a = np.outer(x, x)
    b = np.linalg.matrix_power(a, 1)
    b[0] = x
    return np.sum(a**2)


def read_by_linalg_diagonal(x):
    a = np.outer(x, x)
    s = np.sum(np.linalg.diagonal(a))
    a[0] = x
    return np.sum(a**2) * s


def diagonal_read_later(x):
    a = np.outer(x, x)
    d = np.diag(a)
    a[0] = x
    a[2, 2] = 3 * x[1]
    return np.sum(d**3)


def through_float64(x):
    y = np.float64(x)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def through_trim_zeros(x):
    y = np.trim_zeros(x)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def view_read_before_and_after(x):
    y = x.copy()
    v = y[:2]
    s = np.sum(v**2)
    y[0] = x[3]
    return s * np.sum(v**3)


def view_read_later(x):
    y = x.copy()
    v = y[1:]
    y[1] = x[0] ** 2
    return np.sum(v**2) + v[0] * y[0]


def view_from_a_helper(x):
    def head(a):
        return a[:2]

    y = x.copy()
    h = head(y)
    h += x[2:]
    return np.sum(y**2)


def identity_helpers(x):
    def same(a):
        return a

    y = same(x * 1.0)
    z = same(y)
    z[2] = z[1] ** 2
    return np.sum(y**2)


def second_name_of_a_sum(x):
    y = x * 2.0
    z = y
    y += x * x
    return np.sum(z * x)


def name_bound_anew(x):
    y = x * 2.0
    z = y
    y = y + x * x
    return np.sum(z * x) + np.sum(y)


def copied_by_astype(x):
    y = x.astype(float)
    y[0] = x[1] ** 2
    return np.sum(x * y)


def copied_by_array(x):
    y = np.array(x)
    y[0] = x[1] ** 2
    z = np.array(x, copy=True)
    z *= y
    return np.sum(x * z)


def astype_without_copy(x):
    y = x.astype(float, copy=False)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def asarray_of_an_argument(x):
    y = np.asarray(x)
    y[0] = x[1] * 2
    return np.sum(x**2)


def asarray_twice(x):
    y = np.asarray(x)
    y *= 2
    z = np.asarray(y, dtype=float)
    z[0] = z[1] ** 2
    return np.sum(x**2)


def array_without_copy(x):
    y = np.array(x, copy=None)
    y *= 2
    y[0] = y[1] ** 2
    return np.sum(x**2)


def contiguous_of_an_argument(x):
    y = np.ascontiguousarray(x)
    y[0] = y[1] ** 2
    y2 = np.asfortranarray(x)
    y2[1] *= 2
    return np.sum(x**2) + np.sum(y)


def at_least_of_an_argument(x):
    y = np.atleast_1d(x)
    y[0] = y[1] ** 2
    z = np.atleast_2d(x)
    z[0, 2] = y[3] * 2
    w = np.atleast_3d(x)
    w[0, 1, 0] *= 2
    return np.sum(x**2)


def broadcast_then_another_written(x):
    b = np.broadcast_to(x, (3, 4))
    s = np.sum(b**2)
    y = x.copy()
    y[0] = s
    return np.sum(y**2)


def broadcast_copied(x):
    b = np.broadcast_to(x, (3, 4)).copy()
    b[1] *= 2
    return np.sum(b**2)


def arrays_in_a_tuple(x):
    t = (x.copy(), x * 2)
    t[0][1] = t[1][2]
    a, b = t
    b *= a
    return np.sum(t[0] * t[1])


def list_element_and_name(x):
    a = x.copy()
    l = [a, x * 2]
    l[0][0] = 3.0 * a[1]
    a[2] = l[1][0] ** 2
    l[1] = a
    l[1][3] = 1.0
    return np.sum(a**2) + np.sum(l[0] * l[1])


def dict_element_and_name(x):
    a = x.copy()
    d = {"a": a, "b": a[1:]}
    d["b"][0] *= 2.0
    d["a"][2] = d["b"][2] ** 2
    return np.sum(d["b"] ** 3) + np.sum(a)


def arrays_in_a_dict(x):
    d = {"a": x.copy(), "b": np.zeros(4)}
    for i in range(4):
        d["b"][i] = d["a"][i - 1] ** 2
        d["a"][i] += d["b"][i]
    return np.sum(d["a"] * d["b"])


def rows_in_a_list(x):
    rows = [x * k for k in range(3)]
    for r in rows:
        r[0] = r[1] * r[2]
    return np.sum(rows[0]) + np.sum(rows[1] * rows[2])


def rows_in_a_growing_list(x):
    rows = []
    for k in range(20):
        r = x * k
        r[0] += 1.0
        rows.append(r)
    return sum(np.sum(r**2) for r in rows)


def stacked_rows_rebound(x):
    rows = []
    y = x.copy()
    for k in range(3):
        y = y * 1.1
        y[k] = y[k - 1] ** 2
        rows.append(y)
    return np.sum(np.stack(rows) ** 2 * np.arange(12.0).reshape(3, 4))


def stacked_rows_shared(x):
    rows = []
    y = x.copy()
    for k in range(3):
        y[k] = y[k - 1] ** 2 + 1
        rows.append(y)
    return np.sum(np.array(rows) ** 2 * np.arange(12.0).reshape(3, 4))


def stacked_rows_copied(x):
    rows = []
    y = x.copy()
    for k in range(3):
        y[k] = y[k - 1] ** 2 + 1
        rows.append(y.copy())
    return np.sum(np.array(rows) ** 2 * np.arange(12.0).reshape(3, 4))


def ring_of_arrays(x):
    h = [x.copy(), x * 2, x**2]
    for i in range(4):
        h[i % 3][i] = h[(i + 1) % 3][i] * h[(i + 2) % 3][0]
    return np.sum(h[0] * h[1] + h[2])


def either_of_two_arrays(x):
    a = x.copy()
    b = x * 2
    c = a if x[0] > 0 else b
    c[1] = x[2] ** 2
    return np.sum(a * b)


def one_of_three_in_turn(x):
    a = x.copy()
    b = x * 2
    c = a[::-1]
    for i in range(5):
        t = a if i % 3 == 0 else (b if i % 3 == 1 else c)
        t[i % 4] = t[i - 1 if i < 4 else 0] * x[i % 4] + 1
        t *= 0.9
    return np.sum(a * b * c)


def either_of_two_in_turn(x):
    a = x * 2
    b = x**2
    for i in range(4):
        t = a if i % 2 else b
        t[i] = t[i - 1] * x[i]
    return np.sum(a * b)


def written_by_conditional_expression(x):
    y = x.copy()
    (y if x[0] > 0 else x)[1] = x[2] ** 2
    return np.sum(y * x)


def copy_or_the_argument(x):
    if x[0] > 0:
        y = x.copy()
        y[0] = 2 * x[1]
    else:
        y = x
    y[2] += y[0]
    return np.sum(y**2)


def name_deleted(x):
    y = x.copy()
    z = y
    del y
    z[0] = x[1] ** 2
    y = z[1:]
    y *= 2
    return np.sum(z**2)


def walrus_view(x):
    y = x.copy()
    s = (z := y[1:]).sum()
    z *= s
    return np.sum(y**2)


def views_of_a_block(x):
    a = np.outer(x, x)
    for i in range(3):
        blk = a[i : i + 2, i : i + 2]
        blk[0, 1] = blk[1, 0] * 2
        d = blk.T
        d[0] += blk[1]
        e = d.reshape(-1)
        e[0] = 1.0
    return np.sum(a**2)


def views_by_keyword(x):
    def h(*, dst, src):
        dst[:] = src**2

    h(dst=x[:2], src=x[2:])
    h(src=x[1:3], dst=x[2:])
    return np.sum(x)


def views_by_star(x):
    y = x.copy()

    def h(*arrays, scale=1.0, **kw):
        for a in arrays:
            a *= scale
        kw["k"][0] = 5.0 * arrays[0][1]

    h(y[:2], y[2:], scale=2.0, k=y[1:])
    return np.sum(y**2)


def multiple_of_a_view_that_is_written_later(x):
    x = x * 1.0
    once = np.ones(len(x)) * x[::-1]
    summed = np.sum(x[None], axis=0)
    for _ in range(2):
        again = 1.0 * x[::-1]
        x += again
    return np.sum(np.sin(once) + summed * again)


SAMPLES = {
    "multiple_of_a_view_that_is_written_later": [(X,)],
    "view_of_a_view": [(X,)],
    "through_ravel": [(X,)],
    "through_transpose": [(X,)],
    "diagonal_by_step": [(X,)],
    "layouts_of_results": [(A,), (np.asfortranarray(A),)],
    "through_conj": [(X,)],
    "through_real": [(X,)],
    "through_real_if_close": [(X,)],
    "through_einsum": [(X,)],
    "through_diff": [(X,)],
    "through_matrix_power": [(X,)],
    "read_by_linalg_diagonal": [(X,)],
    "diagonal_read_later": [(X,)],
    "through_float64": [(X,)],
    "through_trim_zeros": [(X,)],
    "view_read_before_and_after": [(X,)],
    "view_read_later": [(X,)],
    "view_from_a_helper": [(X,)],
    "identity_helpers": [(X,)],
    "second_name_of_a_sum": [(X,)],
    "name_bound_anew": [(X,)],
    "copied_by_astype": [(X,)],
    "copied_by_array": [(X,)],
    "astype_without_copy": [(X,)],
    "asarray_of_an_argument": [(X,)],
    "asarray_twice": [(X,)],
    "array_without_copy": [(X,)],
    "contiguous_of_an_argument": [(X,)],
    "at_least_of_an_argument": [(X,)],
    "broadcast_then_another_written": [(X,)],
    "broadcast_copied": [(X,)],
    "arrays_in_a_tuple": [(X,)],
    "list_element_and_name": [(X,)],
    "dict_element_and_name": [(X,)],
    "arrays_in_a_dict": [(X,)],
    "rows_in_a_list": [(X,)],
    "rows_in_a_growing_list": [(X,)],
    "stacked_rows_rebound": [(X,)],
    "stacked_rows_shared": [(X,)],
    "stacked_rows_copied": [(X,)],
    "ring_of_arrays": [(X,)],
    "either_of_two_arrays": [(X,)],
    "one_of_three_in_turn": [(X,)],
    "either_of_two_in_turn": [(X,)],
    "written_by_conditional_expression": [(X,)],
    "copy_or_the_argument": [(X,)],
    "name_deleted": [(X,)],
    "walrus_view": [(X,)],
    "views_of_a_block": [(X,)],
    "views_by_keyword": [(X,)],
    "views_by_star": [(X,)],
}
