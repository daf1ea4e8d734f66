"""Arrays of the module as work buffers: every run writes what it reads before."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
W = np.zeros((4, 4))
B = np.ones(8)
ROW, COLUMN = W[1], W[:, 2]
COEFFICIENTS = np.full((3, 4), 0.5)
STATE = {"buffer": np.zeros(4), "count": 4}
PAIR = [np.zeros(4), np.zeros(4)]


def buffer_of_the_module(x):
    B[:4] = x * x
    B[4:] = B[:4]
    B[1:] += B[:-1]
    return np.sum(B**2)


def row_of_a_module_array(x):
    """The other rows are constants."""
    COEFFICIENTS[1] = x
    return np.sum(COEFFICIENTS * x)


def views_of_a_module_array(x):
    W[...] = 1.0
    v = W[1:3]
    u = v[:, ::2]
    u[0] = x[:2]
    u[1] *= x[2]
    W[2] += x
    return np.sum(W**2) + np.sum(v**3)


def strided_views_of_a_module_array(x):
    B[:] = 1.0
    even, odd = B[::2], B[1::2]
    even *= x
    odd += even**2
    return np.sum(B**2)


def _add_to_the_module(x):
    B[2:6] += x * B[1:5]


def helper_writes_a_module_array(x):
    B[:] = 1.0
    _add_to_the_module(x)
    _add_to_the_module(x * 2)
    return np.sum(B**2)


def buffer_in_a_module_dict(x):
    STATE["buffer"][1:] = x[1:] ** 2
    STATE["buffer"][0] = STATE["buffer"][1] * STATE["count"]
    return np.sum(STATE["buffer"] ** 2)


def buffers_in_a_module_list(x):
    for a in PAIR:
        a[:] = x
        a[0] += 1
    PAIR[0][:] = PAIR[1] ** 2
    return np.sum(PAIR[0] * PAIR[1])


def module_arrays_that_overlap(x):
    W[...] = 1.0
    ROW[:] = x
    COLUMN[1] *= 3.0
    W[1, 0] += W[0, 2] * COLUMN[1]
    return np.sum(W**2)


def module_array_is_read_only_where_written(x):
    """Read before it is written: what it held is a constant of the derivative."""
    COEFFICIENTS[2] = 0.5
    total = np.sum(COEFFICIENTS[2] * x)
    COEFFICIENTS[2] *= x
    return total * np.sum(COEFFICIENTS[2])


SAMPLES = {
    "buffer_of_the_module": [(X,)],
    "row_of_a_module_array": [(X,)],
    "views_of_a_module_array": [(X,)],
    "strided_views_of_a_module_array": [(X,)],
    "helper_writes_a_module_array": [(X,)],
    "buffer_in_a_module_dict": [(X,)],
    "buffers_in_a_module_list": [(X,)],
    "module_arrays_that_overlap": [(X,)],
    "module_array_is_read_only_where_written": [(X,)],
}
