"""Scratch memory and state: results written into arrays, containers of arrays, closures, indices that change."""

import operator

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def conj_in_place(z, x):
    np.conj(z, out=z)
    z *= x
    z += 1j * x
    return np.sum((z * z).real) + np.sum(z.imag)


def single_precision_writes(x, y):
    x += y
    x *= y
    x[1:] = x[:-1] * y[0]
    return float(np.sum(x**2))


def int_index_array_write(x, i, s):
    i[0] = 2
    x[i] = s * x[i]
    i += 1
    i %= 3
    x[i[0]] += s
    return np.sum(x**2)


def bool_array_update(x, s):
    m = np.zeros(3, bool)
    m[x > 0.5] = True
    m |= x < 0.3
    x[m] *= s
    x[~m] = s
    return np.sum(x**2)


def augmented_views(a, s):
    a[0] += a[1]
    a[:, 0] *= a[:, 1]
    a[::-1, 1] -= a[:, 0]
    a[0:1] /= s
    return np.sum(a**2)


def self_assign(x, s):
    x[:] = x
    x[...] = x[::-1]
    x[0] = x[0]
    x = x
    x[:] = x * s
    return np.sum(x * np.arange(3.0))


def broadcast_self(a, s):
    a[:] = a[0]
    a[1] *= s
    a[:] = a[:, 1:2]
    return np.sum(a * np.arange(6.0).reshape(2, 3))


def outer_in_place(a, x):
    a -= np.outer(x, x) @ a
    a[np.arange(2), np.arange(2)] += x
    a[np.diag_indices(2)] *= x
    a[np.tril_indices(2, -1)] = x[0]
    a[np.triu_indices(2, 1)] = a.T[np.triu_indices(2, 1)] ** 2
    return np.sum(a**2)


def while_inplace(x, s):
    n = 0
    while np.sum(x) < 8.0:
        x += s * x[::-1]
        if x[0] > 2.0:
            x[0] = x[1]
            continue
        n += 1
    return np.sum(x**2) * n


def nested_break(a, lim):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] *= 2.0
            if a[i, j] > lim:
                break
        else:
            a[i] *= 0.5
            continue
        a[i, 0] = lim
        if i > 0:
            break
    return np.sum(a**2)


def for_else(x, lim):
    for i in range(len(x)):
        if x[i] > lim:
            x[i] = lim * x[0]
            break
        x[i] *= 3.0
    else:
        x *= 2.0
    return np.sum(x**2)


def write_at_index_from_inert_try(x, s):
    try:
        k = int("1")
    except ValueError:
        k = 0
    x[k] *= s
    return np.sum(x**2)


def dictbuf(x, s):
    d = {"a": x, "b": np.zeros(3)}
    d["b"][:] = d["a"] * s
    d["a"], d["b"] = d["b"], d["a"]
    d["a"] *= 2.0
    for k in d:
        d[k][0] += s
    return np.sum(d["a"] ** 2) + np.sum(d["b"])


def tuple_ret(x, s):
    def split(v):
        return v[:1], v[1:]

    a, b = split(x)
    a[:] = s
    b *= a
    return np.sum(x**2)


def rows_held_in_list(x, s):
    rows = [x[i] for i in range(2)]
    rows[0] *= s
    rows[1][:] = rows[0]
    return np.sum(x**2)


def list_append_rows(x, s):
    h = []
    for i in range(3):
        x *= s
        h.append(x)
        h.append(x.copy())
    return np.sum(h[0] * h[1]) + np.sum(h[2] * h[3])


def vstack_hist(x, s):
    h = np.empty((0, 2))
    for i in range(3):
        x *= s
        h = np.vstack([h, x])
    h[0] = x
    return np.sum(h**2)


def second_order_like(x):
    g = np.empty_like(x)
    for i in range(len(x)):
        g[i] = 2 * x[i]
        x[i] = g[i] ** 2
    return np.sum(g * x)


def reuse_scratch(x, s):
    t = np.empty(3)
    out = 0.0
    for i in range(3):
        np.multiply(x, s * i, out=t)
        np.sin(t, out=t)
        out += t @ x
        t.fill(s)
        out += t.sum()
    return out


def write_scalar_reads(x):
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            x[i], x[i - 1] = x[i - 1], x[i]
        x[i] = x[i] ** 2 if x[i] > 0.6 else x[i] * x[0]
    return x[-1] + x[0] * x[1]


def dunder_methods_write(x, s):
    f = lambda v: v.__setitem__(0, s * v[1])
    f(x)
    x.__iadd__(s)
    return np.sum(x**2)


def operator_setitem(x, s):
    operator.setitem(x, 1, s)
    operator.imul(x, s)
    operator.iadd(x[1:], x[:-1])
    return np.sum(x**2)


def np_insert_like(x, s):
    y = np.append(x, s)
    y[0] = s
    z = np.insert(y, 1, s)
    z[1] *= 2
    w = np.delete(z, 0)
    w *= s
    return np.sum(y * y) + np.sum(z) + np.sum(w**2)


def closure_counter(x, s):
    c = np.zeros(1)

    def tick(v):
        c[0] += v
        return c[0]

    return sum(tick(v * s) * v for v in x) + c[0]


def nonlocal_array(x, s):
    y = x.copy()

    def step():
        nonlocal y
        y[0] *= s
        y = y + 1.0
        y[1] = s

    step()
    step()
    return np.sum(y**2)


def varargs_write(s, *arrs):
    for a in arrs:
        a *= s
    arrs[0][0] = arrs[1][1]
    return sum(np.sum(a**2) for a in arrs)


def _kwargs_write(x, s, **kw):
    kw["b"][:] = x * s
    x[0] = kw["b"][1]
    return np.sum(x * kw["b"])


def keyword_arguments_written(x, y, s):
    return _kwargs_write(x, s, b=y)


def index_array_changes_after_write(x, i, s):
    x[i] = s * x[i]
    i += 1
    return np.sum(x**2)


def mask_changes_after_write(x, s):
    m = np.array([True, False, True])
    x[m] = s * x[m] ** 2
    m[0] = False
    m[1] = True
    x[m] *= s
    return np.sum(x**2)


def index_in_tuple_changes(a, i, s):
    y = a[i, 0] ** 2
    a[i, 1] = s * a[i, 0] ** 2
    i[:] = 0
    a[i[0], 0] *= s
    np.add.at(a, (i, 1), y)
    i[0] = 1
    return np.sum(a**2)


def index_changes_in_loop(a, i, s):
    for k in range(2):
        a[i, k] = s * a[i, 1 - k] ** 2
        i += 1
        i %= 2
    return np.sum(a**2)


class _Held:
    def __init__(self, a, factor):
        self.a = a
        self.factor = factor

    def energy(self):
        return np.sum(self.a * self.a) * self.factor


def object_beside_written_memory(x, s):
    """What an object holds has nothing to do with the array that is written; its slope is infinite."""
    q = x[1] * s
    for _ in range(3):
        x[...] = 2.0
        q = q + np.sqrt(_Held(q * np.zeros(3), 1.0).energy())
    return np.sum(x**2) * s


SAMPLES = {
    "conj_in_place": [(_some(2) + 1j * _some(2, seed=1), _some(2, seed=2))],
    "single_precision_writes": [(_some(3).astype("f4"), _some(3, seed=1).astype("f4"))],
    "int_index_array_write": [(_some(3), np.array([0, 1]), 0.7)],
    "bool_array_update": [(np.array([0.2, 0.4, 0.9]), 0.7)],
    "augmented_views": [(_some(2, 2), 0.7)],
    "self_assign": [(_some(3), 0.7)],
    "broadcast_self": [(_some(2, 3), 0.7)],
    "outer_in_place": [(_some(2, 2), _some(2, seed=1))],
    "while_inplace": [(_some(3), 0.3)],
    "nested_break": [(_some(3, 3), 1.2)],
    "for_else": [(_some(3), 0.6), (_some(3), 5.0)],
    "write_at_index_from_inert_try": [(_some(3), 0.7)],
    "dictbuf": [(_some(3), 0.7)],
    "tuple_ret": [(_some(3), 0.7)],
    "rows_held_in_list": [(_some(2, 3), 0.7)],
    "list_append_rows": [(_some(2), 0.7)],
    "vstack_hist": [(_some(2), 0.7)],
    "second_order_like": [(_some(3),)],
    "reuse_scratch": [(_some(3), 0.7)],
    "write_scalar_reads": [(np.array([0.5, 0.9, 0.3, 0.8]),)],
    "dunder_methods_write": [(_some(3), 0.7)],
    "operator_setitem": [(_some(3), 0.7)],
    "np_insert_like": [(_some(3), 0.7)],
    "closure_counter": [(_some(3), 0.7)],
    "nonlocal_array": [(_some(3), 0.7)],
    "varargs_write": [(0.7, _some(2), _some(2, seed=1))],
    "keyword_arguments_written": [(_some(3), _some(3, seed=1), 0.7)],
    "index_array_changes_after_write": [(_some(3), np.array([0, 1]), 0.7)],
    "mask_changes_after_write": [(_some(3), 0.7)],
    "index_in_tuple_changes": [(_some(2, 2), np.array([0, 1]), 0.7)],
    "object_beside_written_memory": [(_some(3), 0.7)],
    "index_changes_in_loop": [(_some(2, 2), np.array([0, 1]), 0.7)],
}
