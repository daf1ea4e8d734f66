import numpy as np


def loss_jvp(w, x, y, w_dot):
    # r = x @ w - y                               programs.py:12
    t = x @ w_dot
    r = x @ w - y
    result = np.sum(r ** 2)
    # return np.sum(r ** 2)                       programs.py:13
    return result, np.sum(2.0 * r * t)
