import numpy as np


def iterated_sine_vjp_pullback(kept, y_bar):
    y_kept = kept[0]
    for k in reversed(range(10)):
        y = y_kept[k]
        # y = np.sin(y)                               programs.py:67
        y_bar = np.cos(y) * y_bar
    return (float(y_bar),)


def iterated_sine_vjp(y):
    y_kept = []
    for _ in range(10):
        y_kept.append(y)
        y = np.sin(y)
    kept = (y_kept,)
    return y, kept
