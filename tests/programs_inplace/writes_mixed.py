"""Writes among everything else: double indices, rows held by names, loops that are left, views of parts."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def flat_of_transposed(a, v):
    a.T.flat[1] = v
    a.T.flat[2:4] = v * v
    return np.sum(a**2)


def flat_iter(a, s):
    t = 0.0
    for v in a.flat:
        t = t + v * s
    a.flat = s
    return t + np.sum(a)


def flat_name(a, s):
    f = a.flat
    f[0] = s
    b = f[1:3]
    a[0, 1] = s * s
    return np.sum(b) + np.sum(a * a)


def double_index(a, v):
    a[0][1] = v
    a[1][[0, 2]] = v * v
    a[0][a[0] > 0.5] *= 2.0
    a[[0, 1]][0] = 99.0
    return np.sum(a**2)


def mask_then_index(a, v):
    m = a > 0.4
    a[m][0] = v
    b = a[m]
    b[0] = v
    a[m] = b * v
    return np.sum(a**2)


def rotate_buffers(x, s, n):
    b = [x.copy(), np.zeros(3), np.ones(3)]
    for t in range(n):
        b[2][:] = s * b[0] + b[1]
        b[0], b[1], b[2] = b[1], b[2], b[0]
    return np.sum(b[0] * b[1]) + np.sum(b[2] ** 2)


def rotate_names(x, s, n):
    old, cur, new = x.copy(), x * s, np.empty_like(x)
    for t in range(n):
        new[:] = 2 * cur - old + s * np.sin(cur)
        old, cur, new = cur, new, old
    return np.sum(cur**2) + np.sum(old * new)


def swap_while(x, y, s):
    k = 0
    while True:
        x[:] = x * s + y
        x, y = y, x
        k += 1
        if k > 3 or x[0] > 50:
            break
    return np.sum(x * x) + np.sum(y)


def _quick(x, lo, hi):
    if lo < hi:
        p = x[hi]
        i = lo
        for j in range(lo, hi):
            if x[j] < p:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[hi] = x[hi], x[i]
        _quick(x, lo, i - 1)
        _quick(x, i + 1, hi)


def quicksort(x):
    _quick(x, 0, len(x) - 1)
    return np.sum(x * np.arange(1.0, len(x) + 1))


def _transform(x, n):
    if n == 1:
        return
    h = n // 2
    e = x[:n:2].copy()
    o = x[1:n:2].copy()
    _transform(e, h)
    _transform(o, h)
    for k in range(h):
        w = np.cos(k + 1.0)
        x[k] = e[k] + w * o[k]
        x[k + h] = e[k] - w * o[k]


def recursive_transform(x):
    _transform(x, len(x))
    return np.sum(x**2)


def comprehension_effects(x, s):
    def bump(i):
        x[i] += s * x[i - 1]
        return x[i] ** 2

    vals = [bump(i) for i in range(1, len(x))]
    return sum(vals) + x[0]


def for_target(x, s):
    for x[0] in (s, s * s):
        x[1] *= x[0]
    return np.sum(x**2)


def star_unpack(x, s):
    a, *rest = x
    x[0] = s
    return a * s + sum(rest) + np.sum(x**2)


def rows_star(a, s):
    first, *rest = a
    first *= s
    for r in rest:
        r += first
    return np.sum(a**2)


def writes_under_errstate(x, s):
    with np.errstate(divide="ignore"):
        x /= s
        x[0] = 1 / x[1]
    return np.sum(x**2)


def inactive_out(out, x):
    out[:] = x * x
    out[0] += x[1]
    return np.sum(out * x)


def empty_slices(x, s, k):
    x[k:k] = s
    x[5:] *= s
    x[:k] += s * x[:k]
    x[len(x) : 0 : -1] *= 1.5
    return np.sum(x**2)


def zero_trip(x, s, n):
    y = x
    for i in range(n):
        y = y * s
        y[i] = s
    y[0] = s * s
    return np.sum(y) + np.sum(x**2)


def phi_names(a, b, s):
    t = a
    if s > 0.5:
        t = b
    a[0] = s
    t[1] = s * t[0]
    b *= 2.0
    return np.sum(a * a) + np.sum(t * b)


def loop_alias_switch(a, b, s):
    cur = a
    for i in range(4):
        cur[i % 3] += s * cur[(i + 1) % 3]
        cur = b if i % 2 == 0 else a
    return np.sum(a**2) + np.sum(b**3) + cur[0]


def view_before_loop(x, s):
    v = x[1:]
    for i in range(3):
        x[i] *= s
        v[i % 2] += x[0]
    return np.sum(v**2) + x[0]


def view_in_loop_read_after(a, s):
    r = a[0]
    for i in range(a.shape[0]):
        r = a[i]
        a[i, 0] = s * r[1]
    r[1] = s
    return np.sum(a**2) + r[0]


def cond_view(x, s):
    v = x[:2] if s > 0.5 else x[1:]
    v *= s
    x[1] += v[0]
    return np.sum(x**2) + np.sum(v)


def chain_calls(x, s):
    def g(v):
        v[0] *= s
        return v

    def h(v):
        return g(v[1:])

    w = h(x)
    w += x[0]
    return np.sum(x**2) + w[0]


def default_argument_buffer(x, s, buf=np.zeros(3)):
    buf[:] = x * s
    buf[1:] += buf[:-1]
    return np.sum(buf**2)


def cumsum_out(x, s):
    np.cumsum(x, out=x)
    x *= s
    np.maximum(x, 0.9, out=x)
    np.clip(x, 0.2, 1.1, out=x)
    return np.sum(x**2)


def various_out(a, b):
    c = np.empty((2, 2))
    np.matmul(a, b, out=c)
    np.add(c, a, out=c.T)
    r = np.empty(2)
    np.mean(c, axis=0, out=r)
    np.max(c, axis=1, out=c[0])
    np.take(c, [1, 0], axis=0, out=a)
    np.concatenate([r, r * 2], out=b.reshape(-1))
    return np.sum(a * b) + np.sum(c) + np.sum(r)


def einsum_out(a, b):
    c = np.zeros((2, 2))
    np.einsum("ij,jk->ik", a, b, out=c)
    np.dot(c, a, out=b)
    return np.sum(b**2) + np.sum(c)


def ufunc_positional_out(x, y):
    np.add(x, y, x)
    np.multiply(x, y, y)
    np.power(y, 2, out=(x,))
    return np.sum(x * y)


def reduce_into(a, x):
    np.add.reduce(a, axis=0, out=x)
    np.add.accumulate(x, out=x)
    np.multiply.outer(x[:2], x[:2], out=a[:2, :2])
    return np.sum(a**2) + np.sum(x)


def complex_views(z, x):
    r = z.real
    r *= 2.0
    z.imag[:] = x
    z[0] *= 1j
    w = z.view(float)
    w[1] = x[0] ** 2
    return np.sum(np.abs(z) ** 2) + np.sum(w[::2])


SAMPLES = {
    "flat_of_transposed": [(_some(2, 3), 0.7)],
    "flat_iter": [(_some(2, 2), 0.7)],
    "flat_name": [(_some(2, 2), 0.7)],
    "double_index": [(_some(2, 3), 0.7)],
    "mask_then_index": [(_some(2, 3), 0.7)],
    "rotate_buffers": [(_some(3), 0.7, 4)],
    "rotate_names": [(_some(3), 0.7, 4)],
    "swap_while": [(_some(3), _some(3, seed=1), 0.7)],
    "quicksort": [(np.array([0.9, 0.2, 0.7, 0.4]),)],
    "recursive_transform": [(_some(4),)],
    "comprehension_effects": [(_some(3), 0.7)],
    "for_target": [(_some(2), 0.7)],
    "star_unpack": [(_some(3), 0.7)],
    "rows_star": [(_some(3, 2), 0.7)],
    "writes_under_errstate": [(_some(3), 0.7)],
    "inactive_out": [(np.zeros(3), _some(3))],
    "empty_slices": [(_some(4), 0.7, 2)],
    "zero_trip": [(_some(3), 0.7, 0), (_some(3), 0.7, 2)],
    "phi_names": [(_some(3), _some(3, seed=1), 0.7), (_some(3), _some(3, seed=1), 0.3)],
    "loop_alias_switch": [(_some(3), _some(3, seed=1), 0.7)],
    "view_before_loop": [(_some(3), 0.7)],
    "view_in_loop_read_after": [(_some(3, 2), 0.7)],
    "cond_view": [(_some(3), 0.7), (_some(3), 0.3)],
    "chain_calls": [(_some(3), 0.7)],
    "default_argument_buffer": [(_some(3), 0.7)],
    "cumsum_out": [(_some(3), 0.7)],
    "various_out": [(_some(2, 2), _some(2, 2, seed=1))],
    "einsum_out": [(_some(2, 2), _some(2, 2, seed=1))],
    "ufunc_positional_out": [(_some(3), _some(3, seed=1))],
    "reduce_into": [(_some(3, 3), _some(3, seed=1))],
    "complex_views": [(_some(2) + 1j * _some(2, seed=1), _some(2, seed=2))],
}
