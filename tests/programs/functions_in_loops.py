"""Loops with elementary functions of what is known in front of them, and with others beside these."""

import math

import numpy as np


def weighted_exponentials(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * math.exp(-x[i] * x[i])
    return total


def exponentials_that_fade(x, w):
    """What the function gives is carried, what it is computed of is not."""
    total, level = 0.0, 0.0
    for i in range(len(x) - 1, -1, -1):
        level = 0.9 * level + math.exp(-w[i] * x[i])
        total += level * level
    return total


def functions_of_functions(x, w):
    total = 0.0
    for a, b in zip(x, w):
        u = math.exp(-a)
        total += math.sin(u) * math.tanh(u * b) + math.hypot(u, b) + math.atan2(math.cos(u), b)
    return total


def functions_of_numbers(x, w):
    total = 0.0
    for k, a in enumerate(x):
        total += math.exp(-a * k) * w[k] + math.sin(0.1 * k)
    return total


def functions_on_some_ways(x, w):
    """A division that must not be done where the loop does not do it."""
    total = 0.0
    for i in range(len(x)):
        if w[i] == 0.5:
            continue
        if w[i] > 1.0:
            total += math.exp(0.1 / (w[i] - 0.5)) * x[i]
        elif x[i] > 0.6:
            total += math.log(x[i] - 0.5)
    return total


def functions_of_own_elements(x, w):
    y = x.copy()
    for i in range(2, len(y)):
        y[i] = math.sin(y[i]) * w[i] + y[i - 1]
    return np.sum(y * y)


def functions_of_elements_before(x, w):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = 0.5 * y[i] + math.sin(y[i - 1]) * w[i]
    return np.sum(y * y)


def functions_of_what_was_written(x, w):
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i] * w[i]
        y[i] = y[i] + math.sin(y[i])
    return np.sum(y * y)


def functions_of_views(x, w):
    y = x.copy()
    z = y[1:]
    for i in range(len(z)):
        z[i] = 0.5 * z[i] + math.cos(y[i]) * w[i]
    return np.sum(y * y)


def elements_met_twice(x, w):
    y = x.copy()
    n = len(y)
    for i in range(-n, n):
        y[i] = y[i] * 0.5 + math.exp(y[i]) * 0.1 + w[i] * 0.01
    return np.sum(y)


def functions_of_steps(x, w):
    total = 0.0
    for i in range(len(x) - 2, 2, -3):
        total += math.exp(-x[i]) * math.log(w[i + 1])
    return total


def functions_in_lists(x, w):
    out = []
    for v in x:
        out.append(math.exp(-v))
    total = 0.0
    for i in range(len(out)):
        total = 0.9 * total + math.sin(out[i]) * w[i]
    return total


def powers_in_loops(x, w):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** w[i] + w[i] ** 3 + x[i] ** 0.5 + w[i] ** -1.3
    return total


def small_layers(x, w):
    y = x.copy()
    total = 0.0
    for _ in range(3):
        y = np.tanh(y * w) + np.exp(-y) * np.sin(y) / (1.0 + np.cos(y) ** 2)
        total += np.sum(y)
    return total


def rows_of_functions(x, w):
    a = np.outer(x, w)
    total = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(w)):
            total[i] += math.exp(-a[i, j]) * math.log(1.0 + a[j, i])
    return np.sum(total * x)


def breaks_off(x, w):
    total = 0.0
    for i in range(len(x)):
        total += math.exp(-x[i]) * w[i]
        if i > 20:
            break
    return total


_RNG = np.random.default_rng(37)
_LONG = _RNG.uniform(0.2, 1.6, 37), _RNG.uniform(0.8, 1.4, 37)
_SHORT = _LONG[0][:7], _LONG[1][:7]

SAMPLES = {
    "weighted_exponentials": [_LONG],
    "exponentials_that_fade": [_LONG],
    "functions_of_functions": [_LONG, _SHORT],
    "functions_of_numbers": [_LONG],
    "functions_on_some_ways": [_LONG],
    "functions_of_own_elements": [_LONG],
    "functions_of_elements_before": [_LONG],
    "functions_of_what_was_written": [_LONG],
    "functions_of_views": [_LONG],
    "elements_met_twice": [_LONG],
    "functions_of_steps": [_LONG],
    "functions_in_lists": [_LONG],
    "powers_in_loops": [_LONG],
    "small_layers": [_LONG, _SHORT],
    "rows_of_functions": [_LONG],
    "breaks_off": [_LONG],
}
