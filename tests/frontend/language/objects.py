"""Globals, imports, classes and objects."""
# ruff: noqa: PLC0415

import math
from collections import namedtuple
from dataclasses import dataclass

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)
SCALE = 2.5


@on(2)
def globals_and_builtins(n):
    return SCALE * n, len([n]), missing_name if n > 5 else None  # noqa: F821


@on(2)
def missing_global(n):
    return missing_name + n  # noqa: F821


@on(2)
def reads_global_statement(n):
    global SCALE
    return SCALE * n


@on()
def imports():
    import math as m
    import os.path
    from collections import OrderedDict, deque
    from os import path as p
    from xml import etree

    return m.pi, os.path.join("a", "b"), OrderedDict, deque, p is os.path, etree.__name__


@on()
def failing_import():
    from math import no_such_name

    return no_such_name


Pair = namedtuple("Pair", "left right")


@dataclass
class Point:
    x: float
    y: float = 1.0

    def norm(self):
        return math.hypot(self.x, self.y)


class Base:
    def __init__(self, w):
        self.w = w
        self.__secret = w * 2

    def scaled(self, x):
        return self.w * x

    def secret(self):
        return self.__secret


class Derived(Base):
    def __init__(self, w):
        super().__init__(w + 1)
        self.extra = w

    def scaled(self, x):
        return super().scaled(x) + self.extra

    @property
    def double(self):
        return self.w * 2

    @classmethod
    def make(cls, w):
        return cls(w)

    @staticmethod
    def plus(a, b):
        return a + b

    def __getitem__(self, i):
        return self.w + i

    def __call__(self, x):
        return x - self.w


@on(3.0)
def objects(w):
    d = Derived(w)
    d.extra += 1
    d.new = 5
    del d.new
    p = Point(w)
    p.y = 4.0
    pair = Pair(1, right=2)
    left, right = pair
    return (
        d.scaled(2),
        d.double,
        d[3],
        d(1),
        Derived.plus(1, 2),
        d.secret(),
        p,
        p.norm(),
        pair.right,
        left,
        hasattr(d, "new"),
    )


CALLS += [(Derived(2.0).scaled, (3.0,), {}), (Base(1.0).secret, (), {}), (Derived(2.0).__call__, (5,), {})]
CALLS += [(Derived.make, (2.0,), {}), (Derived.plus, (2.0, 3.0), {})]
CALLS[-2] = (lambda: Derived.make(2.0).w, (), {})


def factory(k):
    offset = k * 2

    def inner(x):
        return x * k + offset

    return inner


CALLS += [(factory(3), (4,), {}), (lambda x: x + SCALE, (1,), {}), (lambda *a, k=2: (a, k), (1, 2), {"k": 5})]


@on(2)
def prints(n):
    """A docstring is no statement."""
    print("n", n, sep="=")
    "another string"
    ...
    pass
    return n
