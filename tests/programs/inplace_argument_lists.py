"""Lists of more than 16 arrays that are passed in, and whose arrays are written in place."""

import numpy as np

import adcompile as ad


def trained_with_momentum(params, grads, moments):
    for p, g, m in zip(params, grads, moments):
        m *= 0.9
        m += g
        p -= 0.1 * m * p
    return sum(np.sum(p**2) for p in params)


def all_scaled(params, x):
    for p in params:
        p *= x[0]
    total = 0.0
    for i, p in enumerate(params):
        total += np.sum(p) * i
    return total


def by_positions(params, x):
    for i in range(len(params)):
        params[i] += x
        params[i][0] *= x[1]
    return np.sum(params[0] * params[-1])


def each_by_the_one_before(params, x):
    for i in range(1, len(params)):
        params[i] += params[i - 1] * x[0]
    return np.sum(params[-1])


def put_and_written(params, x):
    for i in range(len(params)):
        params[i] = params[i] * x
    params[3] += 1.0
    return np.sum(params[3]) + np.sum(params[0])


def beside_an_array(params, x, w):
    for p in params:
        p *= w
        w += p * x[0]
    return np.sum(w)


def stacked_beside_written(ps, w):
    w *= 2.0
    return np.sum(np.stack(ps) * w) + np.sum(sum(ps)) + len(ps)


def summed_into_another(ps, w):
    y = np.zeros(3)
    for p in ps:
        y += p * w
    return np.sum(y**2)


def sorted_by_sums(ps, w):
    w[0] = 1.0
    q = [p * w for p in ps]
    best = max(q, key=np.sum)
    return np.sum(best) + np.sum(np.array(q[2:5])) + np.sum(np.concatenate(ps[1:]))


def gone_through_both_ways(ps, w):
    w[0] = 1.0
    a, b, *rest = ps
    for x, y in zip(ps[1:], ps[:-1]):
        w += x * y
    for i, p in enumerate(reversed(ps)):
        w *= p
    return np.sum(w * a) + np.sum(b)


def made_arrays_of(ps, w):
    w += 1.0
    return np.dot(np.array(ps), w).sum() + np.linalg.norm(ps[2]) + np.vstack(ps).mean() + np.sum(np.asarray(ps)[3])


def replaced_and_written(ps, w):
    for i, p in enumerate(ps):
        ps[i] = p + w
        ps[i][1:] *= 2
    w *= ps[0]
    return sum(map(np.sum, ps)) + np.sum(w)


def of_several_shapes(ps, ms, x):
    for p, m in zip(ps, ms):
        m *= 0.9
        m += x[0] * p
        p -= 0.1 * m
    return sum(np.sum(p**2) for p in ps)


def captured_list(x, n):
    bufs = [np.ones(3) * k for k in range(n)]

    def inner(w):
        for k in range(n):
            bufs[k][:] = w * bufs[k]
        return np.sum(bufs[1] ** 2)

    return np.sum(ad.grad(inner)(x) * x) + np.sum(bufs[2])


def captured_list_forward(x, n):
    bufs = [x * k for k in range(n)]

    def inner(w):
        for k in range(n):
            bufs[k][:] = w * bufs[k]
        return np.sum(bufs[1] ** 2)

    return np.sum(ad.jvp(inner, (x,), (x,))[1]) + np.sum(bufs[2])


def overlapping(b, w):
    ps = [b[k : k + 2] for k in range(20)]
    return _all_written(ps, w) + np.sum(b)


def _all_written(ps, w):
    for p in ps:
        p *= w[:2]
    return sum(np.sum(p) for p in ps)


_X = np.array([1.1, 0.7, 0.9])
_P = [np.array([1.0, 0.9, 0.5]) + k / 20 for k in range(18)]
_G = [np.array([0.3, -0.2, 0.5]) * (k + 2) / 7 for k in range(18)]
_M = [
    np.array([[1.0, 0.9, 0.1], [-0.5, 0.3, 0.2]]) - k / 20 if k % 2 else np.array([0.1 * k, -0.1, 0.3])
    for k in range(20)
]

def argument_written_or_none(x, n):
    out = x if n > 1 else None
    for i in range(n):
        if out is not None:
            out[i % 3] *= x[(i + 1) % 3]
    return np.sum(x**2)


SAMPLES = {
    "argument_written_or_none": [(np.array([1.3, 0.7, 2.1]), 4), (np.array([1.3, 0.7, 2.1]), 1)],
    "trained_with_momentum": [(_P, _G, [g * 0.5 for g in _G])],
    "of_several_shapes": [(_M, [m * 0.1 for m in _M], _X)],
    "captured_list": [(_X, 4)],
    "captured_list_forward": [(_X, 4)],
    "overlapping": [(np.linspace(0.5, 1.5, 21), _X)],
    "beside_an_array": [(_P, 0.2 * _X, 0.4 * _X)],
    "all_scaled": [(_P, _X)],
    "by_positions": [(_P, _X)],
    "each_by_the_one_before": [(_P, _X)],
    "put_and_written": [(_P, _X)],
    "stacked_beside_written": [(_P, _X)],
    "summed_into_another": [(_P, _X)],
    "sorted_by_sums": [(_P, _X)],
    "gone_through_both_ways": [(_P, _X)],
    "made_arrays_of": [(_P, _X)],
    "replaced_and_written": [(_P, _X)],
}
