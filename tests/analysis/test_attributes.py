"""Attributes: of arrays, numbers, objects, classes and modules."""

import functools
import math
from collections import namedtuple

import numpy as np
import pytest

import adcompile as ad
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


class Hiding:
    scale = 2.0

    def apply(self, x):
        return x * x

    def run(self, x):
        return self.apply(x) * self.scale


class HidingInside(Hiding):
    def __init__(self):
        self.apply = lambda x: x * x * x


held = Hiding()


def of_a_global(x):
    return held.apply(x)


def of_an_argument(obj, x):
    return obj.run(x)


def of_its_own(x):
    return HidingInside().apply(x)


def test_an_own_attribute_hides_one_of_the_class():
    d = ad.grad(of_a_global)
    assert d(3.0) == 6.0
    held.apply = lambda x: 10.0 * x
    try:
        assert d(3.0) == 10.0
    finally:
        del held.apply
    assert d(3.0) == 6.0


def test_objects_among_the_arguments_that_hide_a_method_are_told_apart():
    plain, hiding = Hiding(), Hiding()
    d = ad.grad(of_an_argument, argnums=1)
    assert d(plain, 3.0) == d(hiding, 3.0) == 12.0
    hiding.apply = lambda x: 10.0 * x
    assert d(plain, 3.0) == 12.0
    assert d(hiding, 3.0) == ad.jvp(of_an_argument, (hiding, 3.0), (None, 1.0))[1] == 20.0


def test_objects_made_inside_may_hide_a_method():
    check(of_its_own, 3.0)


class Grid:
    def __init__(self, n):
        self.n = n

    @functools.cached_property
    def nodes(self):
        return np.arange(1.0, self.n + 1)

    @functools.cached_property
    def weights(self):
        return self.nodes * 0.5

    def energy(self, x):
        return np.sum(self.weights * x * x)


GRID = Grid(3)


def kept_while_its_source_changes(x):
    a = GRID.nodes[1]
    GRID.n = 5
    return a * x + np.sum(GRID.nodes) * x * 10.0


def kept_in_a_loop(x):
    s = 0.0
    for i in range(3):
        s += GRID.energy(x * i) + GRID.nodes[0]
        GRID.n += 1
    return s


def kept_in_a_branch(x):
    if x > 0.5:
        x = x * GRID.weights[0]
    GRID.n = 7
    return x * GRID.energy(x)


def kept_of_what_carries_derivatives(x):
    GRID.n = x
    y = GRID.twice
    GRID.n = x * x
    return y * GRID.twice + GRID.n


class Doubled(Grid):
    @functools.cached_property
    def twice(self):
        return self.n * 2.0


@pytest.mark.parametrize(
    "f",
    [kept_while_its_source_changes, kept_in_a_loop, kept_in_a_branch, kept_of_what_carries_derivatives],
    ids=lambda f: f.__name__,
)
def test_a_cached_property_of_a_module_is_computed_once(monkeypatch, f):
    def fresh():
        monkeypatch.setattr(f"{__name__}.GRID", Doubled(3))

    def value(x):
        fresh()
        return f(x)

    expected, slope = value(0.9), (value(0.9 + 1e-6) - value(0.9 - 1e-6)) / 2e-6
    fresh()
    g = ad.value_and_grad(f)
    for _ in range(2):
        found = g(0.9)
        np.testing.assert_allclose(found, (expected, slope), rtol=1e-8)


class Watched:
    def __init__(self, n):
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "log", [])

    def __setattr__(self, name, value):
        self.log.append(name)
        object.__setattr__(self, name, value)

    @functools.cached_property
    def twice(self):
        return self.n * 2.0


WATCHED = Watched(3)


def kept_behind_setattr(x):
    return WATCHED.twice * x + WATCHED.twice * len(WATCHED.log) * x


def test_a_cached_property_is_kept_without_setattr():
    assert ad.value_and_grad(kept_behind_setattr)(2.0) == (12.0, 6.0) and WATCHED.log == []
