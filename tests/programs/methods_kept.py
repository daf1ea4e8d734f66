"""Methods that a module keeps under names, in tables and in partial applications; descriptors with attributes."""

import functools

import numpy as np


class Stepper:
    def __init__(self, k):
        self.k = k
        self.act = self.scaled

    def scaled(self, v):
        return v * self.k

    def squared(self, v):
        return v * v * self.k * self.k


STEPPER = Stepper(0.5)
KEPT = (STEPPER.scaled, STEPPER.squared)
TABLE = {"scaled": STEPPER.scaled, "squared": STEPPER.squared}
HELD = functools.partial(STEPPER.scaled)
ITEMS = np.array([0.5, 2.0])
TOTAL = ITEMS.sum


def kept_under_a_name(x):
    return KEPT[0](x) * KEPT[1](x * x)


def kept_in_a_table(x):
    return TABLE["scaled"](x) * TABLE["squared"](x) + HELD(x) * x


def kept_by_its_object(x):
    return STEPPER.act(x) * STEPPER.act(x * x)


def object_written_between(x, y):
    STEPPER.k = x * y
    z = KEPT[0](y) + HELD(x)
    STEPPER.k = 0.5
    return z * KEPT[1](x)


def object_written_in_a_loop(x, n):
    z = x
    for i in range(n):
        STEPPER.k = z / (i + 1.0)
        z = z * 0.5 + TABLE["scaled"](x)
    STEPPER.k = 0.5
    return z


def kept_method_of_an_array(x):
    return TOTAL() * x + ITEMS[0] * x * x


class Scaling:
    def __init__(self, k):
        self.k = k

    def __get__(self, owner, cls=None):
        return owner.v * self.k


SCALING = Scaling(2.0)


class Described:
    scaled = SCALING

    def __init__(self, v):
        self.v = v


def descriptor_with_an_attribute(x, y):
    d = Described(x)
    first = d.scaled
    SCALING.k = y
    second = d.scaled
    SCALING.k = 2.0
    return first * second * x


SAMPLES = {
    "kept_under_a_name": [(0.7,)],
    "kept_in_a_table": [(0.7,)],
    "kept_by_its_object": [(0.7,)],
    "object_written_between": [(0.7, 1.3)],
    "object_written_in_a_loop": [(0.7, 3)],
    "kept_method_of_an_array": [(0.7,)],
    "descriptor_with_an_attribute": [(0.7, 1.3)],
}
