"""Views that show elements at several places, or as numbers of another kind, of memory that is written later."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def broadcast_scalar_array(x, s):
    y = np.array(s)
    wide = np.broadcast_to(y, (3,))
    y[...] = s * s
    return np.sum(wide * x)


def broadcast_column(a, s):
    wide = np.broadcast_to(a[:, :1], (2, 3))
    a[0, 0] = s * a[1, 1]
    a *= s
    return np.sum(wide**2 * np.arange(6.0).reshape(2, 3)) + np.sum(a)


def broadcast_then_views(x, s):
    wide = np.broadcast_to(x, (4, 3))
    part = wide[1:, ::2]
    x *= s
    return np.sum(part * part) + np.sum(wide[0] * wide[:, 1:].T[0, 1])


def broadcast_on_one_path(x, s):
    wide = np.broadcast_to(x, (2, 3)) if s > 0.5 else np.outer(x[:2], x)
    x[1] = s * x[0]
    return np.sum(wide**3)


def broadcast_carried(x, s, n):
    wide = np.ones((2, 3))
    for k in range(n):
        wide = np.broadcast_to(x, (2, 3))
        x[k] = s * np.sum(wide[0] ** 2)
    return np.sum(wide * wide)


def broadcast_in_list(x, s):
    rows = [np.broadcast_to(x, (k + 1, len(x))) for k in range(len(x))]
    x[0] = s * x[1]
    return sum(np.sum(r**2) for r in rows) + rows[1][0, 0]


def windows_of_written(x, s):
    pairs = np.lib.stride_tricks.sliding_window_view(x, 2)
    x[1] = s * x[0]
    return np.sum(pairs * np.arange(1.0, 7.0).reshape(3, 2))


def windows_in_loop(x, s):
    pairs = np.lib.stride_tricks.sliding_window_view(x, 2)
    for i in range(len(pairs)):
        x[i] += s * np.sum(pairs[i] ** 2)
    return np.sum(x)


def windows_of_matrix(a, s):
    blocks = np.lib.stride_tricks.sliding_window_view(a, (2, 2))
    a[1] *= s
    return np.sum(blocks[0, 0] * blocks[0, 1]) + np.sum(np.max(blocks, axis=(2, 3)))


def same_numbers_again(x, s):
    v, w = x.view(), x.view(np.ndarray)
    v[0] = s
    w[1:] *= x[0]
    return np.sum(x * x) + np.sum(v)


def parts_of_complex(z, s):
    w = z.view(float)
    w[1] = s * w[0]
    w[2:] *= s
    return np.sum(np.abs(z) ** 2 * np.arange(1.0, 3.0))


def pairs_as_complex(x, s):
    z = x.view(complex)
    z[0] *= 1j * s
    x[2] = s
    return np.sum(x * np.arange(1.0, 5.0)) + np.abs(z[1]) ** 2


def single_parts_of_complex(z, s):
    w = z.view(np.float32)
    w[0] = s
    z[1] *= w[1]
    return float(np.sum(w**2))


def unary_ufuncs_at(x, s):
    np.negative.at(x, [1])
    np.exp.at(x, [1, 1, 0])
    np.square.at(x, x > 1.2)
    np.sqrt.at(x, slice(0, 1))
    x[0] *= s
    return np.sum(x * np.arange(1.0, 4.0))


def unary_ufunc_at_view(a, s):
    np.sin.at(a.T, (slice(None), [0, 0]))
    np.reciprocal.at(a[1], -1)
    return np.sum(a**2) * s


def rows_popped_in_loop(x, s):
    rows = [x[i] for i in range(len(x))]
    total = 0.0
    while rows:
        r = rows.pop()
        r *= s + total
        total = total + np.sum(r**2)
    return total + np.sum(x)


def rows_popped_by_index(x, s):
    rows = [x[i] for i in range(len(x))]
    first = rows.pop(0)
    first[0] = s
    rows[-1][:] = first * rows[0]
    return np.sum(x**2)


def imaginary_part_of_real(x, s):
    """What NumPy gives for it is zeros of their own."""
    b = x * s
    part = b.imag
    for _ in range(2):
        b[1:] += b[:-1] + b.imag[1:]
    return b @ b + part.sum() + b.T.imag[0] * b[0]


def imaginary_part_written(x, s):
    z = x + 1j * x**2
    part = z.imag
    z.imag[1:] = np.sin(x[1:]) * s
    part += x
    z *= 2
    return np.sum(z.real * part)


def product_written_later(x, s):
    """What an array was computed as is not what it holds."""
    a = 0.8 * x
    b = np.negative(x)
    c = x / s
    a[1] = s
    b[:-1][-1] = s
    c *= x
    d = np.cos(np.square(a))
    return np.sum(d * d) + np.sum(np.square(b) * 3.0) + np.sum(np.square(0.5 * b)) + np.sum(np.sin(c * s) * c)


_X, _A = _some(3), _some(2, 3)
SAMPLES = {
    "broadcast_scalar_array": [(_X, 0.7)],
    "broadcast_column": [(_A, 0.7)],
    "broadcast_then_views": [(_X, 0.7)],
    "broadcast_on_one_path": [(_X, 0.7), (_X, 0.3)],
    "broadcast_carried": [(_X, 0.7, 2), (_X, 0.7, 0)],
    "broadcast_in_list": [(_X, 0.7)],
    "windows_of_written": [(_some(4), 0.7)],
    "windows_in_loop": [(_some(4), 0.7)],
    "windows_of_matrix": [(_A, 0.7)],
    "same_numbers_again": [(_X, 0.7)],
    "parts_of_complex": [(_some(2) + 1j * _some(2, seed=1), 0.7)],
    "pairs_as_complex": [(_some(4), 0.7)],
    "single_parts_of_complex": [((_some(2) + 1j * _some(2, seed=1)).astype(np.complex64), 0.7)],
    "unary_ufuncs_at": [(_X, 0.7)],
    "unary_ufunc_at_view": [(_A, 0.7)],
    "product_written_later": [(_X, 0.7)],
    "imaginary_part_of_real": [(_X, 0.7)],
    "imaginary_part_written": [(_X, 0.7)],
    "rows_popped_in_loop": [(_some(3, 2), 0.7)],
    "rows_popped_by_index": [(_some(3, 2), 0.7)],
}
