"""for, while, break, continue, loop else, and what loops run over."""

import math

import numpy as np


def for_range(x):
    y = 1.0
    for i in range(4):
        y = y * x + i
    return y


def for_range_steps(x, n):
    y = x
    for i in range(n, 0, -2):
        y = y + x / i
    return y


def zero_trips(x):
    y = x * x
    for i in range(0):
        y = y * x
    return y + 1.0


def nested_for(x):
    s = 0.0
    for i in range(3):
        t = x
        for j in range(i):
            t = t * x + j
        s = s + t
    return s


def while_grow(x):
    y = x
    while y < 40.0:
        y = y * x
    return y


def while_two_carried(x):
    a, b = 1.0, x
    while abs(a - b) > 1e-9:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def while_true_break(x):
    y, n = x, 0
    while True:
        y = math.cos(y) * x
        n += 1
        if n > 5:
            break
    return y


def break_on_value(x):
    y = 1.0
    for i in range(20):
        y = y * x
        if y > 10.0:
            break
        y = y + 0.1
    return y


def continue_odd(x):
    y = 1.0
    for i in range(7):
        if i % 2 == 0:
            continue
        y = y * x + i
    return y


def break_and_continue(x):
    s = 0.0
    for i in range(10):
        if i == 2:
            continue
        if s > 3.0:
            break
        s = s + math.sin(x * i) ** 2
    return s


def return_inside_loop(x):
    y = x
    for i in range(10):
        y = y * x
        if y > 20.0:
            return y * 2.0
    return y - x


def return_inside_nested_loop(x):
    for i in range(5):
        for j in range(5):
            z = x * i + j
            if z > 6.0:
                return z * z
    return x


def loop_else(x):
    y = x
    for i in range(4):
        if y > 50.0:
            break
        y = y * x
    else:
        y = y + x
    return y


def while_else(x):
    n = 0
    y = x
    while n < 3:
        n += 1
        y = y * y
        if y > 1e6:
            break
    else:
        y = y * 0.5
    return y


def for_array_elements(x):
    s = 0.0
    for v in x:
        s += v**3
    return s


def for_matrix_rows(a):
    total = 0.0
    for row in a:
        total = total + np.prod(row)
    return total


def for_zip(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b * b
    return s


def for_enumerate(x):
    s = 0.0
    for i, v in enumerate(x, start=1):
        s += i * math.exp(v)
    return s


def for_reversed(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v * v
    return s


def for_tuple_literal(x):
    y = 0.0
    for c in (1.0, -2.0, 0.5):
        y = y * x + c
    return y


def for_list_of_active(x):
    s = 0.0
    for v in [x, x * x, math.sin(x)]:
        s += v * v
    return s


def for_over_strings(x):
    y = x
    for name in ["sin", "square", "sin"]:
        y = math.sin(y) if name == "sin" else y * y
    return y


def index_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += (x[i + 1] - x[i]) ** 2
    return s


def index_loop_matrix(a):
    s = 0.0
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            s += a[i, j] ** 2 * (i + 1) / (j + 1)
    return s


def linear_recurrence_keeps_nothing(x, c):
    s = 0.0
    for i in range(len(x)):
        s += c * x[i]
    return s


def sine_chain(y, n):
    for _ in range(n):
        y = math.sin(y)
    return y


def loop_variable_after_loop(x):
    v = 0.0
    for v in x:
        pass
    return v * v


def branch_inside_loop(x):
    s = 0.0
    for v in x:
        if v > 0:
            s += v * v
        elif v > -1:
            s -= v
        else:
            s *= v
    return s


def carried_array(x, a):
    for _ in range(3):
        x = np.tanh(a @ x)
    return np.sum(x)


def float_joins_numpy_scalar(x):
    y = 0.0
    for i in range(x.shape[0]):
        y += x[i] * 2.0
    return y


def int_becomes_float(x):
    y = 1
    for i in range(3):
        y = y * x
    return y


def product_of_integers_and_floats(x):
    k = 1
    s = 0.0
    for n in range(1, 8):
        k *= n
        s += x**n / k
    return s


def ndindex_loop(a):
    s = 0.0
    for i in np.ndindex(a.shape):
        s += a[i] ** 2 * (1 + sum(i))
    return s


def slices_of_ranges(x):
    n, total = len(x), 0.0
    for i in range(n)[::-1]:
        total = total * x[i] + i
    inner = range(n)[1:-1]
    for i in inner:
        total += x[i - 1] * x[i + 1] * inner[0]
    return total * len(inner)


SAMPLES = {
    "slices_of_ranges": [(np.array([0.5, -0.7, 0.3, 1.1]),)],
    "for_range": [(1.2,)],
    "for_range_steps": [(0.9, 5), (0.9, 0)],
    "zero_trips": [(1.5,)],
    "nested_for": [(0.8,)],
    "while_grow": [(2.3,)],
    "while_two_carried": [(3.0,)],
    "while_true_break": [(0.9,)],
    "break_on_value": [(1.7,), (0.5,)],
    "continue_odd": [(1.1,)],
    "break_and_continue": [(0.9,)],
    "return_inside_loop": [(2.1,), (1.1,)],
    "return_inside_nested_loop": [(1.3,), (0.2,)],
    "loop_else": [(1.5,), (5.0,)],
    "while_else": [(1.2,), (6.5,)],
    "for_array_elements": [(np.array([0.5, -1.0, 2.0]),), (np.array([0.7]),)],
    "for_matrix_rows": [(np.array([[0.5, -1.0, 2.0], [1.5, 0.2, 0.3]]),)],
    "for_zip": [(np.array([0.5, -1.0]), np.array([1.5, 0.3]))],
    "for_enumerate": [(np.array([0.5, -1.0, 0.2]),)],
    "for_reversed": [(np.array([0.5, -1.0, 0.2]),)],
    "for_tuple_literal": [(1.4,)],
    "for_list_of_active": [(0.6,)],
    "for_over_strings": [(0.6,)],
    "index_loop": [(np.array([0.5, -1.0, 0.2, 2.0]),), (np.array([0.4]),)],
    "index_loop_matrix": [(np.array([[0.5, -1.0, 2.0], [1.5, 0.2, 0.3]]),)],
    "linear_recurrence_keeps_nothing": [(np.array([0.5, -1.0, 0.2]), 1.7)],
    "sine_chain": [(0.8, 5), (0.8, 0)],
    "loop_variable_after_loop": [(np.array([0.5, -1.2]),)],
    "branch_inside_loop": [(np.array([0.5, -0.3, -1.7, 2.0]),)],
    "carried_array": [(np.array([0.3, -0.4]), np.array([[0.5, 1.0], [-0.3, 0.8]]))],
    "float_joins_numpy_scalar": [(np.array([0.5, -0.3]),), (np.array([]),)],
    "int_becomes_float": [(1.3,)],
    "product_of_integers_and_floats": [(0.9,)],
    "ndindex_loop": [(np.array([[0.5, -1.0], [1.5, 0.2]]),)],
}
