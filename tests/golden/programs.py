"""What the goldens under joint/, split/ and forward/ are the derivatives of.

The comments in a golden name lines of this file: add at the end.
"""

import numpy as np

import adcompile as ad


def loss(w, x, y):
    r = x @ w - y
    return np.sum(r ** 2)


def logistic_regression(w, b, x, y):
    z = x @ w + b
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.5 * np.dot(w, w)


def branch_and_break(x, rate):
    total = 0.0
    for k in range(20):
        if x > 1.0:
            x = x * rate
        else:
            x = x + np.sin(x) / (k + 1)
        total += x * x
        if total > 30.0:
            break
    return total


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def tree(x, depth):
    if depth == 0:
        return np.sin(x)
    return tree(x * 0.5, depth - 1) * tree(x + 1.0, depth - 1)


def nested_grad(x):
    slope = ad.grad(lambda t: np.sin(t) * t)
    return slope(x) ** 2


def weighted(c, x):
    s = 0.0
    for i in range(len(x)):
        s += c * x[i]
    return s


def squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
    return s


def iterated_sine(y):
    for _ in range(10):
        y = np.sin(y)
    return y


def newton_root(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.7, 0.9]])
V = np.array([0.4, -0.6])
Y = np.array([1.0, 0.0, 1.0])

# name: function, argnums, arguments
JOINT = {
    "loss": (loss, 0, (V, X, Y)),
    "logistic_regression": (logistic_regression, (0, 1), (V, 0.5, X, Y)),
    "branch_and_break": (branch_and_break, (0, 1), (1.5, 0.9)),
    "power": (power, 0, (1.5, 3)),
    "tree": (tree, 0, (1.5, 3)),
    "nested_grad": (nested_grad, 0, (0.7,)),
    "weighted": (weighted, (0, 1), (2.0, Y + V[0])),
    "squares": (squares, 0, (Y + V[0],)),
    "iterated_sine": (iterated_sine, 0, (0.7,)),
    "newton_root": (newton_root, 0, (2.0,)),
    "rosenbrock": (rosenbrock, 0, (np.array([0.5, -0.3, 1.2, 0.8]),)),
}
SPLIT = {name: JOINT[name] for name in ("loss", "branch_and_break", "iterated_sine")}
FORWARD = {name: JOINT[name] for name in ("loss", "branch_and_break", "power")}
