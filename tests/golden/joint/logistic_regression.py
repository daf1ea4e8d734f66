import numpy as np


def logistic_regression_grad(w, b, x, y):
    z = x @ w + b
    # return np.mean(np.logaddexp(0.0, z) - y * z) + 0.5 * np.dot(w, w)  programs.py:18
    t = max(np.size(y), 1)
    z_bar = np.exp(z - np.logaddexp(0.0, z)) / t - y / t
    # z = x @ w + b                               programs.py:17
    return w + x.T @ z_bar, float(np.sum(z_bar))
