"""isinstance, type and callable give what Python gives, also where the class alone does not decide."""

import abc
import collections
import functools
import numbers
import operator
import types
import typing
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sized

import numpy as np
import pytest

import adcompile as ad

CLASSES = (
    Callable, Container, Iterable, Iterator, Mapping, Sized, numbers.Number, numbers.Real, numbers.Integral,
    np.flatiter, np.ndarray, np.generic, float, int, list, dict, type, functools.partial, np.vectorize,
    types.MethodType, types.BuiltinMethodType, types.MethodWrapperType, types.FunctionType,
    collections.deque, operator.itemgetter,
)  # fmt: skip


@typing.runtime_checkable
class HasV(typing.Protocol):
    v: float


@typing.runtime_checkable
class HasM(typing.Protocol):
    def m(self) -> float: ...


class ByData(type):
    def __instancecheck__(cls, other):
        return hasattr(other, "v")


class Checked(metaclass=ByData):
    pass


class Registered(abc.ABC):  # noqa: B024  classes are registered
    pass


class Holder:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


class Assigned:
    def __init__(self, v):
        self.m = lambda: v


class Pretended:
    def __init__(self, v):
        self.w = v

    @property
    def __class__(self):
        return Holder


Registered.register(Holder)
OBJECTS = (HasV, HasM, Checked, Registered, Holder, Assigned, Pretended, (Holder, HasM), Holder | int)

MAKERS = {
    "flat": lambda x: x.flat,
    "partial": lambda x: functools.partial(operator.mul, x[0]),
    "vectorize": lambda x: np.vectorize(operator.neg, otypes=[float]),
    "itemgetter": lambda x: operator.itemgetter(int(x[0])),
    "method": lambda x: Holder(x[0]).get,
    "method of C": lambda x: x.sum,
    "method of a list": lambda x: [x[0]].append,
    "method wrapper": lambda x: x.__add__,
    "deque": lambda x: collections.deque([x[0]]),
    "array": lambda x: x,
    "number": lambda x: x[0],
    "list": lambda x: [x[0]],
    "dict": lambda x: {"a": x[0]},
    "function": lambda x: lambda: x,
    "class": lambda x: Holder,
}


@pytest.mark.parametrize("what", MAKERS)
def test_questions_are_answered_as_python_answers_them(what):
    make = MAKERS[what]

    def f(x):
        v = make(x)
        told = [isinstance(v, cls) for cls in CLASSES] + [type(v) is cls for cls in CLASSES] + [callable(v)]
        return np.sum(x) * np.array([1.0 if t else 0.0 for t in told])

    x = np.array([0.0, 2.0])
    value, tangent = ad.jvp(f, (x,), (np.ones(2),))
    assert value.tolist() == f(x).tolist() == tangent.tolist()


@pytest.mark.parametrize("cls", [Holder, Assigned, Pretended])
def test_what_an_object_has_decides_where_python_asks_it(cls):
    def f(x):
        v = cls(x[0])
        return x[1] * np.array([1.0 if t else 0.0 for t in [isinstance(v, c) for c in OBJECTS]])

    x = np.array([0.5, 1.0])
    value, tangent = ad.jvp(f, (x,), (np.ones(2),))
    assert value.tolist() == f(x).tolist() == tangent.tolist()


def test_protocols_ask_what_is_passed():
    def f(x, v):
        return x * 2.0 if isinstance(v, HasV) else x * 3.0

    gradient = ad.grad(f)
    assert [gradient(1.0, v) for v in (Holder(1.0), Assigned(1.0), 1.0)] == [2.0, 3.0, 3.0]
