import numpy as np


def loss_vjp_pullback(kept, y_bar):
    x, r = kept
    # return np.sum(r ** 2)                       programs.py:13
    r_bar = 2.0 * r * y_bar
    # r = x @ w - y                               programs.py:12
    return (x.T @ r_bar,)


def loss_vjp(w, x, y):
    r = x @ w - y
    result = np.sum(r ** 2)
    kept = x, r
    return result, kept
