import numpy as np


def rosenbrock_grad(x):
    t = x[:-1]
    t_1 = x[1:] - t ** 2
    x_bar = np.zeros_like(x)
    # return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)  programs.py:79
    x_bar[:-1] -= 2.0 * (1.0 - t)
    x_bar[:-1] -= 400.0 * t * t_1
    x_bar[1:] += 200.0 * t_1
    return x_bar
