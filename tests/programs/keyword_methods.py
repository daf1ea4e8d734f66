"""Methods of arrays with their arguments by name, and keepdims by the number one."""

import numpy as np


def dot_by_name(a, b):
    return np.sum(a.dot(b=b) ** 2) + a[0].dot(b=b[:, 0])


def repeated_and_taken_by_name(a):
    return np.sum(a.repeat(axis=1, repeats=[1, 2, 1]) ** 2) + np.sum(a.take(indices=(0, 0), axis=1) ** 3)


def kept_by_one(a):
    shares = a / a.sum(axis=1, keepdims=1)
    spread = shares - shares.max(1, None, 1) + a.mean(axis=0, keepdims=1)
    return np.sum(spread**2) + np.sum(a.var(axis=1, keepdims=1))


def kept_by_length(a):
    return np.sum(a * np.prod(a, axis=1, keepdims=len(a) - 1))


A = np.array([[1.1, 2.2, 3.3], [0.7, 0.2, 0.9]])

SAMPLES = {
    "dot_by_name": [(A, A.T + 0.5)],
    "repeated_and_taken_by_name": [(A,)],
    "kept_by_one": [(A,)],
    "kept_by_length": [(A,)],
}
