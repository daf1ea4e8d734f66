import numpy as np


def iterated_sine_grad(y):
    t = range(10)
    y_kept = []
    for _ in t:
        y_kept.append(y)
        y = np.sin(y)
    y_bar = 1.0
    for t_1 in reversed(t):
        y = y_kept[t_1]
        # y = np.sin(y)                               programs.py:67
        y_bar = np.cos(y) * y_bar
    return float(y_bar)
