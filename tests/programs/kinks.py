"""Functions with kinks and jumps, sampled away from them."""

import math

import numpy as np

_V = np.array([0.5, -0.7, 1.2])


def python_max_min(x, y):
    return max(x, y) * min(x, 2.0 * y) + max(x, y, 0.1) ** 2


def absolute_value(x):
    return abs(x) + abs(x - 2.0) * x


def relu_chain(x):
    return np.sum(np.maximum(x, 0.0) ** 2 + np.minimum(x, 0.3))


def leaky_relu(x):
    return np.sum(np.where(x > 0, x, 0.1 * x) * x)


def clip_array(x):
    return np.sum(np.clip(x, -0.6, 1.0) ** 2 * 3.0) + np.sum(np.clip(x, None, 0.9) * x)


def clip_with_active_bounds(x, low, high):
    return np.sum(np.clip(x, low, high) ** 2)


def fmax_fmin(x, y):
    return np.sum(np.fmax(x, y) * np.fmin(x, 0.4))


def hinge_loss(w, x, y):
    return np.sum(np.maximum(0.0, 1.0 - y * (x @ w)))


def huber_loss(r):
    a = np.abs(r)
    return np.sum(np.where(a < 1.0, 0.5 * r**2, a - 0.5))


def quantile_loss(q, y):
    d = y - q
    return np.sum(np.maximum(0.3 * d, -0.7 * d))


def triangle_wave(x):
    t = x - math.floor(x)
    return t if t < 0.5 else 1.0 - t


def sawtooth(x):
    return (x % 1.0) ** 2 + np.sum(np.mod(np.array([1.3, 2.6]) * x, 1.0))


def soft_threshold(x, t):
    return np.sum(np.sign(x) * np.maximum(np.abs(x) - t, 0.0) * x)


def max_of_array_elements(a):
    return np.max(a, axis=1) @ np.array([1.0, 2.0]) + np.max(a)


def running_maximum(x):
    best = x[0]
    for v in x[1:]:
        if v > best:
            best = v * 1.5
    return best


def sorted_gap(x):
    s = np.sort(x)
    return np.max(s[1:] - s[:-1]) ** 2


def norm_away_from_zero(x):
    return np.linalg.norm(x) + np.linalg.norm(x, 1) + np.linalg.norm(x, np.inf)


def sign_and_step(x):
    return np.sum(np.sign(x) * x**2 + np.heaviside(x - 0.2, 1.0) * x)


def barrier(x):
    if x >= 1.0:
        return math.inf
    return -math.log(1.0 - x) + max(0.0, x) ** 3


def where_over_singular_branches(x):
    positive = x > 0.1
    return np.sum(np.where(positive, np.log(x) * x + np.sqrt(x) / x, 0.0)) + np.sum(np.where(x < 2.0, np.exp(x), x))


def selected_after_singular_parts(x):
    roots = np.sqrt(x)
    logs = np.log(np.abs(x))
    return np.sum(roots[x > 0.1] ** 2) + roots[1] + np.sum(logs[1:]) + np.sum(np.select([x > 0.1, x <= 0.1], [1 / x, x]))


def missing_data(theta, data):
    known = ~np.isnan(data)
    return np.sum(np.where(known, (data - theta) ** 2, 0.0)) + np.nansum((data * theta) ** 2) + np.sum(
        ((data - theta) ** 3)[known]
    )


def clipped_overflow(x):
    return np.sum(np.minimum(np.exp(x), 5.0)) + np.sum(np.where(x < 30.0, np.log1p(np.exp(x)), x))


def roots_of_rectified(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0))) + np.sum(np.log(np.clip(x, 0.5, 4.0)) / np.clip(x, 0.0, None).max())


def ratio_at_zero(x):
    r = np.sqrt(x * x)
    return math.sin(r) / r if r > 1e-4 else 1.0 - x * x / 6.0


def softplus_by_branch(x):
    e = np.exp(x)
    return x * x if x > 30.0 else np.log1p(e)


def unit_at_zero(x):
    r = np.sqrt(x * x)
    inverse = 1.0 / r
    unit = inverse * x
    return unit * x if r > 1e-4 else math.sin(x)


def left_out_where_another_is_zero(x, y):
    left = np.where(x == 0.0, 0.0, y * y)
    zero = x == 0.0
    twice = np.where(zero, 0.0, np.where(zero, 0.0, y * 3.0) * 2.0)
    return np.sum(np.sin(left) * (y + 1.0)) + np.sum(np.tanh(twice))


def absolute_value_of_a_bool(x, n):
    a, b, c = True, x[1] > 0, x > 0.0
    if n > 0:
        a = x[0]
    if n > 1:
        b, c = float(x[1]), x * x[2]
    d = None if n > 2 else False
    if n == 1:
        d = x
    total = abs(a) * x[1] + math.fabs(b) * x[2] + np.copysign(a, x[0]) * np.fabs(b) * x[0]
    return total + np.sum(np.abs(c) * np.copysign(c, x) * x) + (0.0 if d is None else np.sum(abs(d) * x))


def larger_of_products_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        u = (x[i] + 2.0) ** 2
        t = 0.7 * (0.1 * u)
        total = total * u * 0.1 + max(0.001, t)
    return total


def larger_of_products_on_a_path(x, n):
    r = x[0] * 0.0
    for i in range(n):
        s = x[i] * x[i]
        if i % 2 == 0:
            r = r + max(0.001, 0.7 * (0.1 * s))
        else:
            r = r * min(10.0, -(s * -0.3) * 0.7)
    return r


SAMPLES = {
    "larger_of_products_in_a_loop": [(np.array([0.61, 1.37, -0.83, 0.29]),), (np.linspace(0.3, 2.1, 24),)],
    "larger_of_products_on_a_path": [(np.array([0.61, 1.37, -0.83, 0.29]), 4), (np.linspace(0.3, 2.1, 24), 24)],
    "absolute_value_of_a_bool": [(_V, n) for n in range(4)],
    "python_max_min": [(0.7, 0.5), (0.3, 0.9)],
    "absolute_value": [(0.7,), (-0.7,)],
    "relu_chain": [(_V,)],
    "leaky_relu": [(_V,)],
    "clip_array": [(_V,)],
    "clip_with_active_bounds": [(_V, -0.3, 0.9)],
    "fmax_fmin": [(_V, np.array([0.1, 0.3, 0.9]))],
    "hinge_loss": [(np.array([0.4, -0.2]), np.array([[0.5, 1.0], [-0.3, 3.0]]), np.array([1.0, 1.0]))],
    "huber_loss": [(_V,)],
    "quantile_loss": [(0.2, _V)],
    "triangle_wave": [(2.3,), (2.8,)],
    "sawtooth": [(0.7,)],
    "soft_threshold": [(_V, 0.6)],
    "max_of_array_elements": [(np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]]),)],
    "running_maximum": [(np.array([0.5, -0.7, 1.2, 1.3]),)],
    "sorted_gap": [(_V,)],
    "norm_away_from_zero": [(_V,)],
    "sign_and_step": [(_V,)],
    "barrier": [(0.4,)],
    "where_over_singular_branches": [(np.array([0.0, 1.5, 0.7, -1.0, 1000.0]),)],
    "selected_after_singular_parts": [(np.array([0.0, 1.5, 0.7, 2.0]),)],
    "missing_data": [(np.array([0.5, 0.2, 0.3]), np.array([1.0, math.nan, 2.0])), (0.3, np.array([1.0, math.nan, 2.0]))],
    "clipped_overflow": [(np.array([0.3, 1000.0, 2.0]),)],
    "roots_of_rectified": [(np.array([-0.4, 0.7, 3.0]),)],
    "ratio_at_zero": [(np.float64(0.0),), (0.4,)],
    "softplus_by_branch": [(np.float64(800.0),), (0.4,)],
    "left_out_where_another_is_zero": [(np.array([0, 1, 0, 2]), np.array([0.5, -0.3, 0.7, 0.2]))],
    "unit_at_zero": [(np.float64(0.0),), (0.4,)],
}
