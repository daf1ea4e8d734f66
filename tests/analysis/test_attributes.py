"""Attributes: of arrays, numbers, objects, classes and modules."""

import math
from collections import namedtuple

import numpy as np

from tests.compiled import check, same_error, same_value

Point = namedtuple("Point", "x y")


class Body:
    gravity = 9.81
    unit = staticmethod(lambda v: v * 2.0)

    def __init__(self, mass):
        self.mass = mass

    @property
    def weight(self):
        return self.mass * self.gravity

    def pull(self, h):
        return self.weight * h


body = Body(2.5)


def of_arrays(a):
    return a.T.sum() * a.ndim + a.shape[0] + a.real.mean() + a.dtype.itemsize


def of_numbers(x):
    return x.real * x.conjugate() + x.imag


def of_objects(h):
    return body.pull(h) + body.mass * body.unit(h) + Body.gravity


def of_namedtuples(x):
    p = Point(x, x * x)
    return p.x * p._replace(y=3.0).y + math.sin(p.y)


def missing(x):
    return x.no_such_name


def with_default(x):
    return x * getattr(math, "no_such_name", 3.0) if not hasattr(x, "no_such_name") else x


def test_attributes_of_arrays():
    check(of_arrays, np.array([[0.5, -1.0, 2.0], [1.0, 0.25, 0.1]]))


def test_attributes_of_numbers():
    check(of_numbers, 0.75)


def test_properties_and_methods_of_objects():
    check(of_objects, 0.75)


def test_objects_are_read_live():
    before = same_value(of_objects, 0.75)
    body.mass *= 2.0
    try:
        assert before.call(0.75) == of_objects(0.75)
    finally:
        body.mass /= 2.0


def test_fields_of_namedtuples():
    check(of_namedtuples, 0.75)


def test_missing_attributes():
    same_error(missing, 0.75)
    check(with_default, 0.75)
