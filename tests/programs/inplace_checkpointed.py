"""Loops that run again from snapshots on the way back, instead of keeping what every iteration computes."""

import math

import numpy as np

import adcompile as ad

WEIGHTS = np.array([1.0, 2.0, 0.5])


def _stepped(y, h):
    return y + h * np.tanh(y)


def checkpointed_helper(x, n):
    y = x
    for i in ad.checkpointed_range(n, snaps=2):
        y = _stepped(y, 0.1 * i) * WEIGHTS
    return np.sum(y)


def checkpointed_scalars(x, n):
    total, y = 0.0, 1.0
    for i in ad.checkpointed_range(1, 2 * n, 2, snaps=3):
        if i % 3 == 0:
            continue
        y = math.sin(y) + x * i
        total += y * y
    return total


def checkpointed_swapped_buffers(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for _ in ad.checkpointed_range(n, snaps=2):
        v[1:-1] = 0.25 * u[:-2] * u[1:-1] + 0.5 * np.sin(u[1:-1]) + 0.25 * u[2:]
        v[0], v[-1] = u[0], u[-1]
        u, v = v, u
    return np.sum(u**2)


def checkpointed_views(x, n):
    w = x.copy()
    a, b = w[1:], w[:-1]
    for _ in ad.checkpointed_range(n, snaps=1):
        a *= np.cos(b)
        b[0] += a[-1] * w[1]
    return np.sum(w)


def checkpointed_buffers_made_in_iterations(x, n):
    u = x.copy()
    for i in ad.checkpointed_range(n, snaps=2):
        t = np.empty_like(u)
        t[0] = u[0] * u[1]
        t[1:] = np.sin(u[:-1])
        if i % 2 == 0:
            u = t
        else:
            u[0] *= t[1]
    return np.sum(u * x)


def checkpointed_in_checkpointed(x, n):
    y = x * 1.0
    for i in ad.checkpointed_range(n, snaps=2):
        for j in ad.checkpointed_range(n + i, snaps=1):
            y[j % 3] = y[(j + 1) % 3] * np.sin(y[i % 3])
    return np.sum(y)


def checkpointed_argument_written(x, n):
    for i in ad.checkpointed_range(n, snaps=2):
        x[i % 3] *= np.cos(x[(i + 1) % 3])
    return np.sum(x)


def checkpointed_until_large(x, n):
    y = x * 1.0
    for i in ad.checkpointed_range(n, snaps=2):
        y[i % 3] *= 1.0 + y[(i + 1) % 3]
        if np.sum(y) > 6.0:
            break
        y = y * 1.1
    return np.sum(y)


@ad.checkpoint
def _layer(x, w):
    hidden = np.tanh(x @ w)
    return np.exp(-hidden) * hidden @ w.T


def checkpointed_layers(x, w):
    y = _layer(x, w)
    for _ in range(3):
        y = _layer(y, w)
    return np.sum(y**2)


def kept_by_name(x, w):
    y = ad.checkpoint(_layer_itself, ad.save_only("hidden"))(x, w)
    return np.sum(y * x)


def _layer_itself(x, w):
    hidden = np.tanh(x @ w)
    return hidden * np.sin(hidden) @ w.T


@ad.checkpoint
def _overwritten(u, x):
    for i in range(len(u) - 1):
        u[i] = u[i + 1] * np.sin(u[i]) * x[i]
    return u[0]


def checkpointed_calls_that_write(x):
    u = x.copy()
    s = _overwritten(u, x) + u[1]
    t = _overwritten(u, x * x)
    return s * t + np.sum(u)


@ad.checkpoint
def _next_buffer(u):
    v = np.empty_like(u)
    v[1:] = np.sin(u[:-1])
    v[0] = u[0] * u[1]
    return v, u[1:]


def checkpointed_calls_that_give_views(x):
    a, b = _next_buffer(x * 1.0)
    c, d = _next_buffer(a)
    d *= b
    if c[0] > -5.0:
        c[1:] += _layer_of_one(d)
    return np.sum(a * x) + np.sum(c)


@ad.checkpoint
def _layer_of_one(x):
    if x[0] > 0.0:
        return x * np.cos(x)
    return x * 2.0


def checkpointed_count(n, x):
    """Only the number of its steps matters: the loop has no adjoint, and is left all the same."""
    passed = 0
    for k in ad.checkpointed_range(n, snaps=2):
        if x[0] * k > 1.0:
            break
        passed += 1
    return np.sum(x * x) * passed


SAMPLES = {
    "checkpointed_helper": [(np.array([0.3, 0.7, 1.1]), 7), (np.array([0.3, 0.7, 1.1]), 0)],
    "checkpointed_scalars": [(0.7, 9), (0.7, 1)],
    "checkpointed_swapped_buffers": [(np.array([0.3, 0.7, 1.1, 0.2]), 5), (np.array([0.3, 0.7, 1.1]), 1)],
    "checkpointed_views": [(np.array([0.3, 0.7, 1.1]), 4)],
    "checkpointed_buffers_made_in_iterations": [(np.array([0.3, 0.7, 1.1]), 5), (np.array([0.3, 0.7, 1.1]), 4)],
    "checkpointed_in_checkpointed": [(np.array([0.3, 0.7, 1.1]), 3)],
    "checkpointed_argument_written": [(np.array([0.3, 0.7, 1.1]), 6)],
    "checkpointed_until_large": [(np.array([0.3, 0.7, 1.1]), 9), (np.array([0.3, 0.7, 1.1]), 2)],
    "checkpointed_count": [(9, np.array([0.3, 0.7, 1.1])), (2, np.array([0.3, 0.7, 1.1]))],
    "checkpointed_layers": [(np.array([[0.3, 0.7]]), np.array([[0.4, -0.2, 0.1], [0.6, 0.3, -0.5]]))],
    "kept_by_name": [(np.array([[0.3, 0.7]]), np.array([[0.4, -0.2, 0.1], [0.6, 0.3, -0.5]]))],
    "checkpointed_calls_that_write": [(np.array([0.3, 0.7, 1.1]),)],
    "checkpointed_calls_that_give_views": [(np.array([0.3, 0.7, 1.1]),)],
}
