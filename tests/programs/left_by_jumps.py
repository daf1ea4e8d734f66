"""Numbers without a derivative that an iteration leaves unused when it goes on to the next one."""

import math

import numpy as np


def roots_skipped(x, weights):
    s = 0.0
    for k in weights:
        t = np.sqrt(x * k)
        if k == 0:
            continue
        s = s + np.sum(t)
    return s


def numbers_skipped(x, weights):
    last = x[0]
    for k in weights:
        t = math.sqrt(x[0] * k)
        u = t**0.5
        if t < 0.1:
            continue
        last = last + u * t
    return last


X, WEIGHTS = np.array([0.3, 0.5]), [2, 0, 3]
SAMPLES = {"roots_skipped": [(X, WEIGHTS)], "numbers_skipped": [(X, WEIGHTS)]}
