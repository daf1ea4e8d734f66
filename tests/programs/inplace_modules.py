"""Arrays of the module as work buffers: every run writes what it reads before."""

from types import SimpleNamespace

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
W = np.zeros((4, 4))
B = np.ones(8)
ROW, COLUMN = W[1], W[:, 2]
COEFFICIENTS = np.full((3, 4), 0.5)
STATE = {"buffer": np.zeros(4), "count": 4}
PAIR = [np.zeros(4), np.zeros(4)]
HELD, ITEMS = {"weights": 1.0}, [None, 1.0]


TABLE = np.arange(1.0, 5.0)
TABLE.flags.writeable = False


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


class Part:
    def __init__(self):
        self.scale, self.work = 2.0, np.zeros(4)
        self.inner = SimpleNamespace(work=np.zeros(4))


TREE = {"part": Part(), "named": {"work": np.zeros(4)}, "listed": [Part(), (np.zeros(4), 3.0)]}
FOREST = (Part(), {"work": np.zeros(4)})


def parts_of_module_structures(x):
    """Objects, dicts and lists within each other, by the way to them, by methods of dicts and in loops."""
    TREE["part"].work[:] = x * x
    TREE["named"]["work"][:] = TREE["part"].work * x
    TREE["listed"][0].inner.work[1:] = TREE["named"].get("work")[:-1]
    first, table = FOREST
    table["work"][:] = TREE["listed"][0].inner.work + x
    for buffer in TREE["named"].values():
        buffer *= FOREST[1]["work"]
    first.work[:] = TREE["named"]["work"] * TREE["listed"][1][1]
    y = np.sum(FOREST[0].work ** 2) * FOREST[0].scale
    y += TREE["listed"][0].scale * x[0]
    return y


def _with_buffers():
    held = SimpleNamespace(a=np.zeros(4), b=[np.zeros(4)], c={"d": np.zeros(4)})

    def through_buffers(x):
        held.a[:] = x * x
        held.b[0][:] = held.a[::-1]
        held.c["d"][:] = 1.0
        held.c["d"] += held.b[0] * x
        held.a *= held.c["d"]
        return np.sum(held.a * x)

    return through_buffers


_through_buffers = _with_buffers()


def object_in_a_closure(x):
    return _through_buffers(x) + x[0]


class Walker:
    def __init__(self):
        self.position = np.zeros(4)

    def step(self, x):
        self.position += x
        self.position *= self.position


WALKER = Walker()


def augmented_where_it_is_held(x):
    """What is stored back is the array itself."""
    PAIR[0][:] = STATE["buffer"][:] = 1.0
    PAIR[1][:] = 0.5
    TREE["named"]["work"][:] = 2.0
    WALKER.position[:] = 0.0
    for _ in range(2):
        WALKER.step(x)
    STATE["buffer"] *= x
    PAIR[0] -= WALKER.position
    if x[0] > 0:
        TREE["named"]["work"] /= PAIR[0] + 3.0
    else:
        PAIR[1] += x
    return np.sum(STATE["buffer"] * PAIR[0]) + np.sum(TREE["named"]["work"] * PAIR[1])


def module_array_is_read_only_where_written(x):
    """Read before it is written: what it held is a constant of the derivative."""
    COEFFICIENTS[2] = 0.5
    total = np.sum(COEFFICIENTS[2] * x)
    COEFFICIENTS[2] *= x
    return total * np.sum(COEFFICIENTS[2])


def module_arrays_in_loops(x):
    """Of what is read in each turn nothing else has a name: what the derivative keeps is what is there by then."""
    total = 0.0
    for i in range(3):
        B[:] = i + 1.0
        _add_to_the_module(x)
        total += np.sum(B**2)
        STATE["buffer"][:] = np.exp(x * 0.1 * i)
        total += np.sum(STATE["buffer"] ** 3)
        PAIR[0][:] = x * i
        if i > 0:
            PAIR[0][i] = x[0]
        total += PAIR[0] @ PAIR[0]
    return total


def constants_put_into_a_module(x):
    """What is put into a list or dict of the module leaves the arrays that come from outside as they are."""
    total = 0.0
    for i in range(2):
        HELD["weights"] = np.array([0.3, -0.2, 0.5, 0.1]) * (i + 1)
        ITEMS[-1] = np.arange(4.0)
        total = total + np.sum(HELD["weights"] * x) * np.sum(ITEMS[-1] * x)
    HELD["weights"] = ITEMS[-1] = 1.0
    return total * x[0]


def read_only_table_on_other_paths(x):
    y = TABLE if x[0] > 100.0 else x * 1.0
    for i in range(int(TABLE[0])):
        y[i] *= x[i]
    for i in range(int(TABLE[0] - 1.0)):
        TABLE[i] = x[i]
    return np.sum(y * TABLE[: len(y)])


SAMPLES = {
    "read_only_table_on_other_paths": [(X,)],
    "buffer_of_the_module": [(X,)],
    "row_of_a_module_array": [(X,)],
    "views_of_a_module_array": [(X,)],
    "strided_views_of_a_module_array": [(X,)],
    "helper_writes_a_module_array": [(X,)],
    "module_arrays_in_loops": [(X,)],
    "constants_put_into_a_module": [(X,)],
    "buffer_in_a_module_dict": [(X,)],
    "buffers_in_a_module_list": [(X,)],
    "module_arrays_that_overlap": [(X,)],
    "parts_of_module_structures": [(X,)],
    "object_in_a_closure": [(X,)],
    "augmented_where_it_is_held": [(X,), (-X,)],
    "module_array_is_read_only_where_written": [(X,)],
}
