"""Callables that classes hold as attributes: functions are bound to the object, all else gets what it is called with."""

import enum
import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np


class Times:
    def __init__(self, k):
        self.k = k

    def __repr__(self):
        return f"{type(self).__name__}({self.k})"

    def __call__(self, z):
        return self.k * z

    def squared(self, z):
        return self.k * z * z


class Node:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after


class Divider:
    """A descriptor that can be called as well: what the object has is what `__get__` gives."""

    def __init__(self, k):
        self.k = k

    def __get__(self, owner, cls):
        return (lambda z: z / self.k) if owner is None else (lambda z: z / self.k * owner.s)

    def __call__(self, z):
        return 0.0


class Holder:
    Made = Node
    ufunc = np.tanh
    builtin = math.sin
    number = float
    part = functools.partial(operator.mul, 2.0)
    instance = Times(3.0)
    of_another = Times(0.5).squared
    item = operator.itemgetter(1)
    largest = max
    function = lambda self, z: self.s * z  # noqa: E731
    of_class = classmethod(lambda cls, z: cls.factor * z)
    static = staticmethod(np.exp)
    divider = Divider(4.0)
    factor = 1.5

    class Inner:
        def __init__(self, value):
            self.value = value

    def __init__(self, s):
        self.s = s

    def __repr__(self):
        return f"{type(self).__name__}({self.s})"

    def products(self, x):
        a, b, c = x[0], x[1], x[2]
        made = self.Made(a).value * self.Made(b, c).after * self.Inner(a).value
        unbound = self.ufunc(b) * self.builtin(c) * self.number(a) * self.part(b) * self.instance(c)
        return made * unbound * self.of_another(a) * self.item(x) * self.largest(a, b)

    def bound(self, x):
        return self.function(x[0]) * self.of_class(x[1]) * self.static(x[2]) * self.divider(x[0])


class Heir(Holder):
    def products(self, x):
        above = super().ufunc(x[0]) * super().part(x[1]) * super().instance(x[2]) * super().Inner(x[0]).value
        return super().products(x) * above * super().builtin(x[1]) * super().of_another(x[2])

    def bound(self, x):
        return super().bound(x) * super().function(x[1]) * super().divider(x[2])


THERE = Heir(1.3)


def made_here(x):
    return Holder(x[0]).products(x) + Holder(x[1]).bound(x)


def inherited(x):
    return Heir(x[0]).products(x) + Heir(x[1]).bound(x)


def of_the_module(x):
    return THERE.products(x) + THERE.bound(x)


def of_arguments(h, x):
    return h.products(x) + h.bound(x)


def several_of_arguments(hs, x):
    return sum(h.products(x) * h.bound(x) for h in hs)


def of_the_class(h, x):
    return Holder.ufunc(x[0]) * Holder.instance(x[1]) * type(h).part(x[2]) * Heir.divider(x[0]) * Holder.Made(x[1]).value


def by_name(x):
    by_getter = operator.attrgetter("builtin")(Holder(x[0]))(x[2])
    return getattr(Holder(x[0]), "ufunc")(x[1]) * by_getter * operator.methodcaller("instance", x[1])(Holder(2.0))


def handed_on(x):
    return sum(map(Holder(x[0]).ufunc, x)) + sum(map(Holder(x[0]).function, x))


class Stack:
    class _Node:
        def __init__(self, value, below):
            self.value = value
            self.below = below

    def __init__(self):
        self.top = None

    def push(self, value):
        self.top = self._Node(value, self.top)
        return self


def linked(x):
    stack = Stack().push(x[0]).push(x[1] ** 2).push(x[2])
    return stack.top.value * stack.top.below.value + stack.top.below.below.value


class Dense:
    def __init__(self, w):
        self.w = w

    def __call__(self, z):
        return self.w * z


class Shifted(Dense):
    def __call__(self, z):
        return self.w * z + 1.0


class Net:
    layer_cls = Dense
    activation = np.tanh

    def __init__(self, ws):
        self.layers = [self.layer_cls(w) for w in ws]

    def __call__(self, z):
        for layer in self.layers:
            z = self.activation(layer(z))
        return z


class OtherNet(Net):
    layer_cls = Shifted
    activation = math.cos


def networks(x):
    return Net((x[0], x[1]))(0.5) * OtherNet([x[1], x[2]])(0.7)


class Pair(NamedTuple):
    a: float
    b: float


class Rich(Pair):
    fn = np.tanh
    Made = Node
    part = functools.partial(operator.mul, 2.0)

    def value(self):
        return self.fn(self.a) * self.Made(self.b).value * self.part(self.a)


def named_tuples(x, p):
    return Rich(x[0], x[1]).value() * p.value() * p.fn(x[2])


@dataclass
class Unit:
    w: float
    act: Callable[..., Any] = np.tanh
    square: Callable[..., Any] = lambda z: z * z
    cls_act: ClassVar[Callable[..., Any]] = math.sin
    scale: Callable[..., Any] = field(default=Times(3.0))

    def __call__(self, z):
        return self.act(z) * self.square(z) * self.cls_act(z) * self.scale(z) * self.w


def dataclass_defaults(x, unit):
    return Unit(x[0])(x[1]) + unit(x[2]) + Unit(x[1], act=math.exp)(x[0])


class Kind(enum.Enum):
    A = 1.5
    B = 2.0

    def __call__(self, z):
        return z * self.value


class Chosen:
    kind = Kind.B
    fn = np.tanh

    def __init__(self, fn=None):
        if fn is not None:
            self.fn = fn

    def __repr__(self):
        return f"{type(self).__name__}({vars(self)})"

    def __call__(self, z):
        return self.fn(z) * self.kind(z)


def hidden_by_own(x, c):
    own = Chosen(np.exp)(x[1]) * Chosen(lambda z: z * x[2])(x[0])
    return Chosen()(x[0]) * own * c(x[2])


class Slotted:
    __slots__ = ("v",)
    fn = np.tanh
    Made = Node

    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"{type(self).__name__}({self.v})"

    def __call__(self, z):
        return self.fn(z) * self.Made(self.v).value


def slotted(x, s):
    return Slotted(x[0])(x[1]) * s(x[2])


class Replaced:
    fn = np.tanh


def replaced(x):
    Replaced.fn = np.exp
    r = Replaced()
    first = r.fn(x[0])
    Replaced.fn = np.tanh
    return first * r.fn(x[1])


class Meta(type):
    def call(cls, z):
        return cls.fn(z)


class WithMeta(metaclass=Meta):
    fn = np.sin
    instance = Times(3.0)


def of_metaclasses(x):
    return WithMeta.call(x[0]) * WithMeta().fn(x[1]) * WithMeta().instance(x[2])


def in_loops(x):
    total = 0.0
    for h in [Holder(x[0]), Heir(x[1])]:
        for v in x:
            total += h.ufunc(v) * h.instance(v) * h.Inner(h.s).value
    return total


X = np.array([0.3, 0.7, 0.41])

SAMPLES = {
    "made_here": [(X,)],
    "inherited": [(X,)],
    "of_the_module": [(X,)],
    "of_arguments": [(Holder(1.2), X), (Heir(0.8), X)],
    "several_of_arguments": [([Holder(1.2), Heir(0.4)], X)],
    "of_the_class": [(Heir(1.2), X)],
    "by_name": [(X,)],
    "handed_on": [(X,)],
    "linked": [(X,)],
    "networks": [(X,)],
    "named_tuples": [(X, Rich(0.3, 0.4))],
    "dataclass_defaults": [(X, Unit(0.4))],
    "hidden_by_own": [(X, Chosen(math.sin)), (X, Chosen())],
    "slotted": [(X, Slotted(0.6))],
    "replaced": [(X,)],
    "of_metaclasses": [(X,)],
    "in_loops": [(X,)],
}
