"""Branches, conditional expressions, short circuits, early returns."""

import math

import numpy as np


def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -3.0 * x
    return y


def if_without_else(x):
    y = x
    if x > 1.0:
        y = math.sin(y) + y
    return y * x


def elif_five(x):
    if x > 5:
        y = x
    elif x > 3:
        y = x**3
    elif x > 1:
        y = x * math.exp(-x)
    elif x > 0:
        y = 1.0 / x
    else:
        y = 2.0
    return y


def nested_ifs(x, y):
    if x > y:
        if x > 2 * y:
            z = x * y
        else:
            z = x / y
        z = z * z
    else:
        z = y - x
    return z


def early_return(x):
    if x > 1.0:
        return x * x
    return 4.0 * x


def three_returns(x, y):
    if x < 0.0:
        return -x * y
    s = math.sqrt(x)
    if s > y:
        return s
    return s + y * x


def conditional_expression(x):
    return (x**2 if x > 1 else x**3) + (math.cos(x) if x < 0 else 2.0 * x)


def short_circuit_value(x, y):
    z = x > 0 and x * y
    w = (x < -10 and 1.0) or y
    return z * w


def chained_comparison(x):
    if 0.0 < x < 1.0 <= 2.0 * x + 1.0:
        return x * 2.0
    return x * x


def not_and_or(x, y):
    if not (x > 0 or y > 0) and x * y > 0:
        return x * y
    return x - y


def both_branches_rebind(x):
    a, b = x, 2.0 * x
    if x > 1:
        a, b = b * b, a
    else:
        b = a * 3.0
    return a * 2.0 + b


def bound_on_one_path(x):
    if x > 0:
        scale = x * 2.0
    y = x + 1.0
    if x > 0:
        y = y * scale
    return y


def augmented(x):
    y = x
    y += x * x
    y *= 3.0
    y -= x
    y /= 1.0 + x * x
    y **= 2
    return y


def annotated_assignment(x: float) -> float:
    y: float = x * x
    z: float
    z = y + x
    return z


def walrus(x):
    if (y := x * x) > 1.0:
        return y * x
    return (z := y + 1.0) * z


def pass_and_del(x):
    y = x * 2.0
    if x > 100:
        pass
    z = y * y
    del y
    return z


def float_or_int_result(x):
    y = 0
    if x > 1:
        y = x * x
    return y + x


def none_as_absent(x):
    bias = None
    if x > 0:
        bias = x * 3.0
    return x if bias is None else x * bias


def branch_on_array(x):
    if np.all(x > 0):
        return np.sum(np.log(x))
    if (x < 0).any():
        return np.sum(x * x)
    return np.sum(x)


def branch_on_shape(x):
    if x.ndim == 1 and len(x) > 2:
        return x @ x
    return np.sum(x)


def is_none_default(x, bias=None, power=2):
    if bias is None:
        bias = 1.0
    return x**power + bias * x


def sign_by_lookup(x):
    factor = {True: 2.0, False: -3.0}[x > 0]
    return factor * x * x


def both_branches_the_same(x, y):
    z, w = 0.5, x * y
    if x > y:
        z = w
        v = x
    else:
        z = w
        v = x
    for i in range(2):
        if z > i:
            w = y
            continue
        w = y
    return z * v * w + _either(x) * _either(y)


def _either(x):
    if x > 1.0:
        return x
    return x


SAMPLES = {
    "both_branches_the_same": [(1.3, 0.4), (0.7, 1.2)],
    "if_else": [(1.3,), (-0.7,)],
    "if_without_else": [(1.7,), (0.4,)],
    "elif_five": [(6.0,), (3.5,), (2.1,), (0.4,), (-1.0,)],
    "nested_ifs": [(3.0, 1.2), (1.5, 1.1), (0.3, 0.9)],
    "early_return": [(1.4,), (0.3,)],
    "three_returns": [(-0.5, 2.0), (4.5, 1.0), (0.8, 1.7)],
    "conditional_expression": [(1.6,), (0.5,), (-0.8,)],
    "short_circuit_value": [(1.2, 0.7)],
    "chained_comparison": [(0.4,), (1.9,)],
    "not_and_or": [(-1.1, -0.6), (0.9, -2.0)],
    "both_branches_rebind": [(1.5,), (0.5,)],
    "bound_on_one_path": [(0.9,), (-0.9,)],
    "augmented": [(0.8,)],
    "annotated_assignment": [(1.1,)],
    "walrus": [(1.4,), (0.6,)],
    "pass_and_del": [(0.7,)],
    "float_or_int_result": [(1.4,), (0.2,)],
    "none_as_absent": [(0.8,), (-0.8,)],
    "branch_on_array": [(np.array([0.5, 1.5]),), (np.array([0.5, -1.5, 2.0]),)],
    "branch_on_shape": [(np.array([0.3, -0.2, 1.0]),), (np.array([0.3, 1.0]),), (np.array([[0.3], [1.0]]),)],
    "is_none_default": [(1.3,), (1.3, 0.4), (1.3, 0.4, 3)],
    "sign_by_lookup": [(1.2,), (-0.4,)],
}
