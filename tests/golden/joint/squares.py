import numpy as np


def squares_grad(x):
    x_bar = np.zeros_like(x)
    for i in reversed(range(len(x))):
        # s += x[i] ** 2                              programs.py:61
        x_bar[i] += 2.0 * x[i]
    return x_bar
