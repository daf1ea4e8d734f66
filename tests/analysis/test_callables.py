"""Callables that make callables: super, partial, methods of namedtuples."""

import functools
from collections import namedtuple

from tests.compiled import check

Pair = namedtuple("Pair", "a b")


class Base:
    def value(self, x, k=2.0):
        return x * x + k


class Derived(Base):
    def value(self, x, k=3.0):
        return super().value(x) * k + super(Derived, self).value(x, k=1.0)


derived = Derived()


def affine(a, b, x):
    return a * x + b


def through_super(x):
    return derived.value(x)


def partials(x):
    f = functools.partial(affine, x, b=2.0)
    g = functools.partial(f, x=x * x)
    return g() + f(x=3.0) + functools.partial(affine, 1.0)(x, x)


def replaced(x):
    p = Pair(x, 2.0)._replace(b=x * x)
    return p.a * p.b + p[1]


def bound(x):
    method = derived.value
    return method(x, 0.5)


def test_super():
    check(through_super, 0.7, order=2)


def test_partial():
    check(partials, 0.7, order=2)


def test_namedtuples():
    check(replaced, 0.7)


def test_bound_methods():
    check(bound, 0.7)
