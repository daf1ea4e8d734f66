"""What Python asks the classes of objects: operators, conversions, iteration and attributes that methods answer."""

import functools
import math


class Term:
    """An operand whose methods give what carries derivatives, also where numbers give none."""

    def __init__(self, v):
        self.v = v

    def __floordiv__(self, other):
        return Term(self.v / other.v)

    def __rfloordiv__(self, other):
        return Term(other / self.v)

    def __divmod__(self, other):
        return Term(self.v * other), Term(self.v + other)

    def __rdivmod__(self, other):
        return self.v * other, other

    def __pow__(self, n, modulus=1.0):
        return Term(self.v**n * modulus)

    def __rpow__(self, base):
        return Term(base * self.v)

    def __lt__(self, other):
        return Term(self.v - other.v)

    def __and__(self, other):
        return Term(self.v * other.v)

    def __rshift__(self, n):
        return self.v**n

    def __invert__(self):
        return 1.0 / self.v

    def __round__(self, digits=0):
        return Term(self.v * (3.0 + digits))

    def __floor__(self):
        return Term(self.v * 5.0)

    def __ceil__(self):
        return self.v * 6.0

    def __trunc__(self):
        return self.v * 7.0

    def __abs__(self):
        return self.v * 4.0


def piecewise_constant_for_numbers(x, y):
    a, b = Term(x), Term(y)
    whole = (a // b).v * (y // a).v + (a < b).v * (a > b).v + (a & b).v
    rounded = round(a).v + round(b, 2).v + math.floor(a).v + math.ceil(b) * math.trunc(a)
    q, r = divmod(a, y)
    return whole + rounded + q.v * r.v + divmod(y, b)[0] + (a >> 2) * ~b + abs(a)


def powers_of_objects(x, y):
    return pow(Term(x), 2).v * pow(Term(y), 3, 0.5).v + (2.0 ** Term(x)).v + pow(3.0, Term(y)).v


class Counted:
    """An object that is changed by being asked."""

    def __init__(self, v):
        self.v = v

    def __bool__(self):
        self.v = self.v * 2.0
        return True

    def __contains__(self, item):
        self.v = self.v * item
        return True

    def __len__(self):
        self.v = self.v + 1.0
        return 2

    def __str__(self):
        self.v = self.v * 3.0
        return "counted"

    def __format__(self, spec):
        self.v = self.v - 0.25
        return spec

    def __int__(self):
        self.v = self.v**2
        return 3

    def __index__(self):
        self.v = self.v + 0.5
        return 1


def asking_changes_the_object(x, y):
    a = Counted(x)
    inside, n, off = y in a, len(a), not a
    text = f"{a:.2f}{a!s}" + str(a)
    chosen = [x, y][a] * (2.0, x)[a]
    return chosen * a.v * int(a) * n * len(text) + (1.0 if inside and not off else y)


class Metre:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return float(self.v * 2.0)

    def __complex__(self):
        return complex(self.v, 1.0)


class Steps:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return self.n


def conversions_of_objects(x):
    a = Metre(x)
    return float(a) ** 2 + math.floor(a) * x + complex(a).real * int(Steps(3)) + float(Steps(2)) * x


class Base:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return Base(self.v * other.v)

    def __add__(self, other):
        return Base(self.v + other.v)

    def __radd__(self, other):
        return Base(self.v - other.v)

    def __lt__(self, other):
        return self.v * 2.0

    def __gt__(self, other):
        return self.v * 3.0

    def __eq__(self, other):
        return self.v > other.v

    __hash__ = None


class Derived(Base):
    def __rmul__(self, other):
        return Derived(self.v**2 + other.v)


class Same(Base):
    pass


class Unequal(Base):
    def __ne__(self, other):
        return self.v * 7.0


def reflected_of_a_subclass_first(x, y):
    base, derived, same = Base(x), Derived(y), Same(y)
    product = (base * derived).v * (derived * base).v + (base * same).v
    compared = (base < same) + (same < base) * (base < Base(y)) + (base + same).v
    return product + compared + (x if base != same else y) + (Unequal(x) != base) * (base != Unequal(y))


class Walk:
    """An iterator written as a class."""

    def __init__(self, items):
        self.items, self.at = items, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


class Path:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return Walk(self.items)


def iterators_written_as_classes(x, y):
    a, b = Walk([x, y])
    c, *rest = Walk([y, x, a])
    left = Walk([x, y, b])
    total = next(left) * sum(left) * left.at + next(left, y) + max(Walk([x, y])) * min(Path([x, y]))
    product = functools.reduce(lambda p, v: p * v + 1.0, Path([a, x, y]))
    return total + product + c * rest[1] + sum([*Walk([x, b])]) + sum(v * k for k, v in enumerate(list(Path([x, y]))))


class Wrapper:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Parts:
    def __init__(self, **parts):
        self.parts = parts

    def __getattr__(self, name):
        if name in self.parts:
            return self.parts[name]
        raise AttributeError(name)

    @property
    def halved(self):
        return self.half / 2.0


def attributes_that_are_not_there(x, y):
    p = Wrapper(Parts(a=x, b=y))
    out = p.a * getattr(p, "b", 1.0) * getattr(p, "c", x) * getattr(p.inner, "halved", y)
    return out * (2.0 if hasattr(p, "a") else 3.0) * (5.0 if hasattr(p, "z") else 7.0) * (hasattr(p, "halved") + 1.5)


class Watched:
    """A class that answers for every name."""

    scale = 3.0

    def __init__(self, v):
        object.__setattr__(self, "reads", 0)
        self.v = v

    def __getattribute__(self, name):
        object.__setattr__(self, "reads", object.__getattribute__(self, "reads") + 1)
        if name == "double":
            return super().__getattribute__("v") * 2.0
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        return object.__getattribute__(self, "v") * len(name)

    def times(self, y):
        return object.__getattribute__(self, "v") * y


def class_that_answers_for_every_name(x, y):
    w = Watched(x)
    w.v *= y
    return w.v * w.double * w.scale + w.times(y) * w.missing * w.reads


SAMPLES = {
    "piecewise_constant_for_numbers": [(0.7, 1.3)],
    "powers_of_objects": [(0.7, 1.3)],
    "asking_changes_the_object": [(0.7, 1.3)],
    "conversions_of_objects": [(0.7,)],
    "reflected_of_a_subclass_first": [(0.7, 1.3), (1.3, 0.7)],
    "iterators_written_as_classes": [(0.7, 1.3)],
    "attributes_that_are_not_there": [(0.7, 1.3)],
    "class_that_answers_for_every_name": [(0.7, 1.3)],
}
