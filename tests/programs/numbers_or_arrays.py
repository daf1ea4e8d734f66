"""Sums that begin with a number and are arrays from the first term on, which some paths leave out."""

import numpy as np


def chosen_terms(x):
    s = 0
    for k in range(4):
        if x[k] > 0.5:
            s += k * x
    return np.sum(s**2)


def terms_of_both_signs(x, w):
    s, n = 0.0, 1.0
    for k in range(len(x)):
        if x[k] > 0.6:
            s += x[k] * w
        elif x[k] > 0.25:
            s -= w * w
        n *= x[k] + np.mean(s)
    return np.sum(s * w) + n


def _partial_sum(x, bound):
    s = 0
    for v in x:
        if v > bound:
            s += v * x
    return s


def sums_that_are_added_up(x):
    t = 0
    for k in range(3):
        if k != 1 or x[0] > 0.9:
            t += _partial_sum(x, 0.3 * k)
    return np.sum(t * t)


def scaled_on_paths(x, limit):
    s = 1.0
    if x[0] > limit:
        s *= x
    if x[1] > limit:
        s /= x + 2.0
    s -= x[2]
    return np.sum(s) ** 2


def until_the_sum_is_large(x):
    s, k = 0, 0
    while k < len(x):
        if x[k] < 0.25:
            k += 1
            continue
        s += np.outer(x, x) * x[k]
        if np.sum(s) > 1.5:
            break
        k += 1
    return np.sum(s * s)


def shown_at_the_end(x):
    s, seen = 0, []
    for k in range(3):
        if x[k] > 0.35:
            s += x[k] * x
    seen.append(s)
    return np.sum(seen[0] * x)


SAMPLES = {
    "chosen_terms": [(np.array([0.3, 0.7, 0.9, 0.2]),), (np.array([0.6, 0.8, 0.3, 0.55]),)],
    "terms_of_both_signs": [(np.array([0.3, 0.7, 0.9, 0.2]), np.array([1.5, -0.4]))],
    "sums_that_are_added_up": [(np.array([0.2, 0.7, 0.95]),)],
    "scaled_on_paths": [(np.array([0.4, 0.7, 0.9]), 0.5), (np.array([0.6, 0.7, 0.9]), 0.5)],
    "until_the_sum_is_large": [(np.array([0.3, 0.7, 0.9, 0.2]),), (np.array([0.2, 1.7, 0.9]),)],
    "shown_at_the_end": [(np.array([0.3, 0.7, 0.9, 0.2]),)],
}
