"""Values computed of an array that is written afterwards: they hold what it was."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])


def shifted_then_scaled(x):
    a = x * 2.0
    y = a + 5.0
    a *= 3.0
    return np.sum(y**2 + a)


def unary_plus_then_scaled(x):
    a = x * 2.0
    y = +a
    a *= 3.0
    return np.sum(y**2 + a)


def broadcast_then_scaled(x):
    a = x * 2.0
    y = a + np.ones((3, 4))
    a *= 3.0
    return np.sum(y**2 * np.arange(12.0).reshape(3, 4)) + np.sum(a)


def branches_then_scaled(x):
    a = x * 2.0
    if x[0] > 0:
        y = a + 1.0
    else:
        y = a - 1.0
    a *= 3.0
    return np.sum(y**2) + np.sum(a)


def containers_then_zeroed(x):
    a = x * 2.0
    items = [a + 1.0, -a]
    pair = (a + 2.0, 3.0)
    a[:2] = 0.0
    return np.sum(items[0] * items[1] * pair[0])


def helper_then_multiplied(x):
    def one_more(v):
        return v + 1.0

    a = x * 2.0
    y = one_more(a)
    z = np.add(a, 2.0)
    w = np.real(a) + 0.0
    a *= x
    return np.sum(y**2 * z * w) + np.sum(a)


def previous_in_loop(x):
    a = x * 2.0
    total, previous = 0.0, a + 1.0
    for i in range(4):
        total = total + np.sum(previous * a)
        previous = a + 1.0
        a[i] *= previous[i - 1]
    return total


def shifted_in_loop(x):
    a, out = np.zeros(4), 0.0
    for i in range(4):
        b = a + 1.0
        a[i] = x[i] * b[i - 1]
        c = b - 0.5
        a *= 1.1
        out = out + np.sum(c * b * a)
    return out


def selections_then_constant(x):
    a = x * 2
    b, c = np.maximum(a, -9.0), np.minimum(a, 99.0)
    d, e, f = np.where(a > -9, a, 0), np.clip(a, -9, 9), abs(a)
    a[:] = 0.5
    return np.sum(b * c * d * e * f * a)


def copies_then_overwritten(x):
    a = x * 2.0
    y, z, w, v = np.where(True, a, 0.0), np.copy(a), a.astype(float), a.flatten()
    a[0] = 1.0
    return np.sum(z**2 * y + a * w * v)


def divided_by_itself_shifted(x):
    a = x * 2.0
    a /= a + 5.0
    return np.sum(a**2)


def zero_dimensional_read_and_written(x):
    s = np.array(0.0)
    s += x[0]
    t = s + 1.0
    s *= 3.0
    u = s + 0.0
    s += t
    return t * u * s


def complex_parts_then_doubled(x):
    a = x * 1j
    y = a.real + a.imag
    z, w = np.abs(a) + 0.0, a + 1.0
    a *= 2.0
    return np.sum(y**2 + z + np.abs(w) ** 2)


def leading_axes_dropped(x):
    a = np.zeros((2, 4))
    a[:] = x[None, None] ** 2
    a[1] = x[None] * x[0]
    return np.sum(a**2 * x)


SAMPLES = {
    "shifted_then_scaled": [(X,)],
    "unary_plus_then_scaled": [(X,)],
    "broadcast_then_scaled": [(X,)],
    "branches_then_scaled": [(X,), (Y,)],
    "containers_then_zeroed": [(X,)],
    "helper_then_multiplied": [(X,)],
    "previous_in_loop": [(X,)],
    "shifted_in_loop": [(X,)],
    "selections_then_constant": [(X,)],
    "copies_then_overwritten": [(X,)],
    "divided_by_itself_shifted": [(X,)],
    "zero_dimensional_read_and_written": [(X,)],
    "complex_parts_then_doubled": [(X,)],
    "leading_axes_dropped": [(X,)],
}
