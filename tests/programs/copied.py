"""copy.copy and copy.deepcopy of arrays, numbers, and of what holds them."""

import copy
from dataclasses import dataclass

import numpy as np


@dataclass
class State:
    a: np.ndarray
    k: float


def shallow_array(x):
    y = copy.copy(x)
    y[0] = 2.0 * x[1]
    return np.sum(y * y) + np.sum(x)


def deep_array(x):
    y = copy.deepcopy(x)
    y[1:] *= y[0]
    return np.sum(y * x) + y.__copy__()[0]


def kept_best(x):
    best, s = copy.copy(x), 0.0
    for i in range(3):
        trial = copy.deepcopy(best)
        trial[i] *= 2.0
        if np.sum(trial) > np.sum(best):
            best = copy.copy(trial)
        s += np.sum(best**2)
    return s


def tuples(x):
    shared, apart = copy.copy((x * 1.0, x[0])), copy.deepcopy((x, x[1], (x * 2.0,)))
    apart[0][0] = 3.0 * x[1]
    shared[0][1] = 0.5
    return np.sum(apart[0] * apart[2][0]) * apart[1] + np.sum(shared[0]) * shared[1]


def numbers(x):
    return copy.copy(x[0]) * copy.deepcopy(x[1]) + copy.deepcopy(2.0) * x[2]


def objects(s):
    shallow, deep = copy.copy(s), copy.deepcopy(s)
    deep.a *= 2.0
    shallow.k = 3.0 * deep.a[0]
    return np.sum(shallow.a * deep.a) * s.k * shallow.k


X = np.array([1.0, -0.5, 1.5])
SAMPLES = {
    "shallow_array": [(X,)],
    "deep_array": [(X,)],
    "kept_best": [(X,)],
    "tuples": [(X,)],
    "numbers": [(X,)],
    "objects": [(State(X, 0.7),)],
}
