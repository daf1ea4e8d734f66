"""Names of modules, and data of their objects, that loops read: once in front, unless something in the loop binds them."""

import types

import numpy as np

RATE = 0.5
WEIGHTS = np.array([0.5, 1.5, 2.0])
settings = types.ModuleType("settings")
settings.step = 0.1


class Box:
    scale = 1.5

    def __init__(self, rate):
        self.rate = rate

    def rises(self):
        self.rate = self.rate + 0.5


box = Box(0.7)


def read_in_a_loop(x):
    s = 0.0
    for k in range(len(x)):
        s = s * RATE + np.sin(x[k] * RATE) * settings.step
    return s


def written_beside(x, n):
    y = np.ndarray((x.size, n))
    y[:, 0] = x
    for k in range(1, n):
        y[:, k] = RATE * y[:, k - 1] * np.sin(y[:, k - 1]) + box.rate * WEIGHTS
    return np.sum(y * y)


def of_an_object(x):
    s = x * 0.0
    for k in range(4):
        s = s * box.rate + x * Box.scale + np.sum(WEIGHTS) * np.cos(s)
    return np.sum(s)


def while_it_falls(x):
    while np.sum(x) > 2.0 * RATE:
        x = x * RATE + settings.step * x * x * RATE
    return np.sum(x * x)


def in_no_turn(x, n):
    for _ in range(n):
        x = x * missing.rate  # noqa: F821
    return np.sum(x * x)


def _raised():
    global RATE
    RATE = RATE + 0.25


def bound_by_a_helper(x):
    global RATE
    before, s = RATE, 0.0
    for k in range(3):
        s = s + RATE * np.sum(x * x)
        _raised()
    RATE = before
    return s


def bound_by_a_method(x):
    before, s = box.rate, 0.0
    for k in range(3):
        s = s + box.rate * np.sum(np.sin(x))
        box.rises()
    box.rate = before
    return s


def bound_for_the_module(x):
    before, s = settings.step, 0.0
    for k in range(3):
        s = s + settings.step * np.sum(x)
        settings.step = settings.step * 2.0
    settings.step = before
    return s * s


def bound_for_the_class(x):
    before, s = Box.scale, 0.0
    for k in range(3):
        s = s + box.scale * np.sum(x * x)
        Box.scale = Box.scale + 1.0
    Box.scale = before
    return s


RISING = 0.5


class _Steps:
    def __iter__(self):
        global RISING
        for RISING in (0.75, 1.125, 0.5):
            WEIGHTS[0] *= 2.0
            yield 1.0
        WEIGHTS[0] /= 8.0


class _Flag:
    def __bool__(self):
        global RISING
        RISING = {0.5: 0.75, 0.75: 1.125, 1.125: 0.5}[RISING]
        return False


_steps, _flags = [_Steps()], [_Flag()]


def bound_by_an_iterator(x):
    s = np.sum(x) * RISING
    for _ in _steps[0]:
        s = s + RISING * np.sum(x * x) + WEIGHTS[0] * x[1]
    return s


def bound_by_a_truth_value(x):
    s = 0.0
    for _ in range(3):
        s = s + RISING * np.sum(x * x)
        any(_flags)
    return s


def read_before_it_is_bound(x):
    s = RISING * np.sum(x * x)
    any(_flags)
    s = s + RISING * np.sum(x)
    for _ in range(2):
        any(_flags)
    return s


X = np.array([0.3, 0.9, 1.4])
SAMPLES = {
    "read_before_it_is_bound": [(X,)],
    "read_in_a_loop": [(X,)],
    "written_beside": [(X, 4)],
    "of_an_object": [(X,)],
    "while_it_falls": [(X,)],
    "in_no_turn": [(X, 0)],
    "bound_by_a_helper": [(X,)],
    "bound_by_a_method": [(X,)],
    "bound_for_the_module": [(X,)],
    "bound_for_the_class": [(X,)],
    "bound_by_an_iterator": [(X,)],
    "bound_by_a_truth_value": [(X,)],
}
