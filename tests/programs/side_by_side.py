"""Loops over elements whose iterations run a loop each until it is done: Newton's method, bisection, steps in time."""

import math

import numpy as np


def newton(e, m):
    total = 0.0
    for i in range(len(m)):
        a = m[i]
        step = 1.0
        while abs(step) > 1e-6:
            step = (a - e[i] * math.sin(a) - m[i]) / (1.0 - e[i] * math.cos(a))
            a = a - step
        total += a
    return total


def newton_broken_off(e, m):
    out = np.zeros(len(m))
    for i, (slope, mean) in enumerate(zip(e, m)):
        a = mean
        for _ in range(30):
            step = (a - slope * np.sin(a) - mean) / (1.0 - slope * np.cos(a))
            a -= step
            if abs(step) < 1e-6:
                break
        out[i] = a
    return np.sum(out * out)


def steps_in_time(e, m):
    """Elements that change in place, once in each step of a loop around."""
    state = m.copy()
    for t in range(3):
        for i in range(len(state)):
            x = state[i]
            k = 0
            while x > 0.2 and k < 12:
                x = x - 0.3 * math.exp(-x) * (1.0 + e[i] * t)
                k += 1
            state[i] = x
    return np.sum(state * m)


def many_ways(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        k = 0
        while k < 12:
            k += 1
            if x > 1.0:
                x = x - math.log(x) * e[i]
                continue
            if x > 0.4:
                x = x * x + e[i]
            else:
                x = x + math.sqrt(x + 0.1)
            if x > 1.3:
                break
        total += x * k
    return total


def neighbours_read(e, m):
    """Elements that stay, at places that stay, and a table at places that the turns count."""
    total = 0.0
    for i in range(1, len(m) - 1):
        x = m[i] + 0.1 * m[i - 1]
        for k in range(4):
            x = x - 0.2 * math.tanh(x) * e[k] - 0.01 * m[i + 1] * e[i]
            if k % 2 == 1:
                x = x + 0.1 / k
        total += x * m[i]
    return total


def solved_in_another_order(e, m):
    order = np.argsort(-np.arange(len(m)))
    out = np.zeros(len(m))
    for i in range(len(m)):
        j = order[i]
        x = m[j]
        while x > 0.5:
            x = x - 0.25 * math.sin(x) ** 2 - 0.1
        out[j] += x * e[i]
    return np.sum(out * m)


def two_numbers(e, m):
    out = np.zeros((len(m), 2))
    for i in range(len(m)):
        x, y, turns = m[i], e[i], 0
        while x * x + y * y > 0.6 and turns < 20:
            x, y = 0.8 * x - 0.2 * math.sin(y), 0.7 * y + 0.1 * math.cos(x)
            turns += 1
        out[i, 0] = x
        out[i, 1] = y * turns
    return np.sum(out[:, 0] * out[:, 1])


def largest(e, m):
    best, where = -1.0, 0.0
    for i in range(len(m)):
        x = m[i]
        while x > e[i]:
            x = x - 0.2 * math.exp(-x)
        if x > best:
            best = x
            where = where + x * i
    return best + where


def warm_start(e, m):
    """Each solution is where the next one begins: these iterations follow each other."""
    total, a = 0.0, 1.0
    for i in range(len(m)):
        for _ in range(6):
            a = a - (a - e[i] * math.sin(a) - m[i]) / (1.0 - e[i] * math.cos(a))
        total += a * a
    return total


def of_the_one_before(e, m):
    """The tail writes what the next head reads."""
    out = np.zeros(len(m) + 1)
    for i in range(len(m)):
        x = m[i] + out[i]
        while x > 0.5:
            x = 0.7 * math.sin(x) * x + 0.05 * e[i]
        out[i + 1] = x
    return np.sum(out * out)


_RNG = np.random.default_rng(31)
_E, _M = _RNG.uniform(0.1, 0.6, 37), _RNG.uniform(0.7, 3.0, 37)
_LONG, _SHORT = (_E, _M), (_E[:5], _M[:5])

SAMPLES = {
    "newton": [_LONG, _SHORT],
    "newton_broken_off": [_LONG],
    "steps_in_time": [_LONG],
    "many_ways": [_LONG, _SHORT],
    "neighbours_read": [_LONG],
    "solved_in_another_order": [_LONG],
    "two_numbers": [_LONG],
    "largest": [_LONG],
    "warm_start": [_LONG],
    "of_the_one_before": [_LONG],
}
