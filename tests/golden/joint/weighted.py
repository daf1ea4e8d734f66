import numpy as np


def weighted_grad(c, x):
    c_bar = 0.0
    x_bar = np.zeros_like(x)
    for i in reversed(range(len(x))):
        # s += c * x[i]                               programs.py:54
        c_bar += x[i]
        x_bar[i] += c
    return float(c_bar), x_bar
