"""Single precision: results and gradients keep it; mixtures promote as NumPy says."""

import numpy as np

_X = np.array([0.5, -0.7, 1.2], dtype=np.float32)
_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]], dtype=np.float32)


def single_elementwise(x):
    return np.sum(np.sin(x) * np.exp(-x) + x**2 / 3.0)


def single_scalar(x):
    return x * x + np.sin(x) * 2.0


def single_loop(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


def single_matmul(a, x):
    return np.sum(np.tanh(a @ x) ** 2)


def single_and_double(x, y):
    return np.sum(x * y + x)


def single_reductions(a):
    return np.mean(a) * np.std(a) + np.sum(np.max(a, axis=0)) + np.prod(a[0])


def single_promoted(x):
    return np.sum(x.astype(np.float64) ** 3) + np.sum(x)


def single_demoted(x):
    return np.sum(x.astype(np.float32) * np.float32(2.0))


def single_python_scalar_power(x, p):
    return np.sum(np.abs(x) ** p)


def single_where(x):
    return np.sum(np.where(x > 0, x * 2.0, x * x))


def single_with_integers(x):
    return np.sum(x * np.arange(3, dtype=np.int8)) + x[0] * 2


def single_solve(a, x):
    return np.sum(np.linalg.solve(a @ a.T + np.eye(2, dtype=np.float32), a @ x))


def single_result_array(x):
    return x * np.float32(0.5) + x[::-1]


def half_precision(x):
    return (x * x).astype(np.float32).sum()


def scalar_classes(x):
    total = np.float64(np.sum(x)) * np.float32(x[0])
    return total + np.float64(x)[1] * np.sum(x, dtype=np.float64)


def single_lists(x):
    a = np.dot([x[0], x[1]], [x[1], np.float32(2.0)]) + np.max([x[0], x[1]]) + np.linalg.norm((x[0], x[1]))
    b = [x[0], x[1], 1.0] + x + np.hypot([x[0], x[0], x[1]], x)
    return a * b + np.dot([], x[:0]) + x[:0].dot([])


def dtype_decided_by_a_loop(x, n):
    """The number is a float before the loop and NumPy's after it, which makes the array another."""
    q = 0.5
    for _ in range(n):
        q = np.sum((0.5,) * x)
    rows = [np.zeros_like(x) + q]
    return next(iter(rows))[0] * x[1]


def each_number_of_pythons(x):
    """Functions get floats, which are of double precision."""
    return np.sum(np.vectorize(lambda t: t * t * t / 3)(x))


def squeezed(x):
    k = np.squeeze(x[:1]) * np.float32(2.0)
    return k * x[1] + sum(v.squeeze() for v in np.split(x * x, 3)) - np.diff(x[:2]).squeeze()


def whole_number_or_single(x):
    """Tangents of what may be a whole number are in single precision, too, and so are those of arrays of such."""
    u = max(0, x.sum())
    y = np.array([x[k] + u for k in range(len(x))])
    y[1:] = np.ravel(y)[:-1] * x[0]
    return y[0] * y[1] + u * (min(x[0], 3) + x[2])


SAMPLES = {
    "whole_number_or_single": [(_X,), (-_X,)],
    "squeezed": [(_X,)],
    "each_number_of_pythons": [(np.array([0.5, -1.0, 1.5], np.float32),)],
    "single_lists": [(_X,)],
    "scalar_classes": [(np.array([0.5, 1.5, 0.7], dtype=np.float32),)],
    "single_elementwise": [(_X,)],
    "single_scalar": [(np.float32(0.7),)],
    "single_loop": [(_X,)],
    "single_matmul": [(_A, _X)],
    "single_and_double": [(_X, _X.astype(float) * 1.1)],
    "single_reductions": [(_A,)],
    "single_promoted": [(_X,)],
    "single_demoted": [(_X.astype(float),)],
    "single_python_scalar_power": [(_X, 1.5)],
    "single_where": [(_X,)],
    "single_with_integers": [(_X,)],
    "single_solve": [(_A, _X)],
    "single_result_array": [(_X,)],
    "half_precision": [(_X.astype(np.float16),)],
    "dtype_decided_by_a_loop": [(np.array([0.3, 0.5], np.float32), 2), (np.array([0.3, 0.5], np.float32), 0)],
}
