"""Results whose rank is known only when the code runs, and which are numbers then."""

import numpy as np


def squeezed_result(x):
    return np.squeeze(x[:1] * x[1:2])


def product_of_either_rank(x):
    y = np.sum(np.outer(x, x), axis=0) if x[0] > 0 else np.outer(x, x)
    return y @ y


def summed_over_met_axes(x):
    axes = tuple(i for i in range(x.ndim) if x.shape[i] > 1)
    return np.sum(x * x, axis=axes)


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "squeezed_result": [(X,)],
    "product_of_either_rank": [(X,)],
    "summed_over_met_axes": [(X,)],
}
