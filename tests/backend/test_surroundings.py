"""What another process could compare, and what it could not."""

import abc
import builtins
import collections
import decimal
import enum
import functools
import math
import operator
import os
import sys
import threading
import types

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend import surroundings
from adcompile.backend.surroundings import Surroundings, Untold

GLOBAL = 3


def uses(x):
    return x**GLOBAL + math.sin(x)


def digest(*roots):
    return Surroundings(*roots).digest


class Held:
    def __init__(self, a):
        self.a = a

    def weigh(self, x):
        return x * self.a


class Color(enum.Enum):
    RED = 1


@functools.lru_cache
def cached(x):
    return x


ORDERS = (lambda: {16, 64, 32}, lambda: {64, 32, 16})
PAIRS = [
    (1, 2),
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    (1j, 1.0),
    ("a", b"a"),
    (None, 0),
    ([1, 2], (1, 2)),
    ([1, 2], [2, 1]),
    ([[1], 2], [[1, 2]]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({1, 2}, {1, 3}),
    *([ORDERS] if [*ORDERS[0]()] != [*ORDERS[1]()] else []),  # Python 3.10 makes one order of both
    (np.dtype("l"), np.dtype("q")),
    (frozenset({int}), frozenset({float})),
    (np.float32(1), np.float64(1)),
    (np.ones(3), np.ones((3, 2))),
    (np.ones(3), np.ones(1)),
    (np.ones(3), np.ones(3, np.float32)),
    (np.dtype("f8"), np.dtype("f4")),
    (np.sin, np.cos),
    (np.sum, np.mean),
    (math.sin, math.cos),
    (len, abs),
    (slice(1), slice(2)),
    (range(3), range(4)),
    (lambda x: x + 1, lambda x: x + 2),
    (int, float),
    (ad.grad(uses), ad.jacobian(uses)),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=[f"{type(a).__name__}-{k}" for k, (a, _) in enumerate(PAIRS)])
def test_what_differs_is_told_apart(one, other):
    assert digest(one) == digest(one)
    assert digest(one) != digest(other)


def test_elements_of_arrays_and_the_order_of_hashes_say_nothing():
    assert digest(np.zeros(3)) == digest(np.ones(4))
    assert digest({"b", "a", "c"}) == digest({"c", "a", "b"})


def test_what_holds_itself():
    items = [1]
    items.append(items)
    again = [1]
    again.append(again)
    assert digest(items) == digest(again) != digest([1, [1]])


def test_names_that_code_reads(monkeypatch):
    before = digest(uses)
    met = Surroundings(uses)
    assert (id(globals()), "GLOBAL") in met.read and (id(vars(math)), "sin") in met.read
    monkeypatch.setitem(globals(), "GLOBAL", 4)
    assert digest(uses) != before
    monkeypatch.undo()
    assert digest(uses) == before
    monkeypatch.setattr(math, "sin", math.cos)
    assert digest(uses) != before


def test_texts_are_told_apart_by_identity():
    one, same, other = "".join(["a", "b"]), "".join(["a", "b"]), "".join(["a", "b"])
    assert digest([one, one]) != digest([one, same]) == digest([same, other])


UNTOLD = {
    "an object": Held(1),
    "a class": Held,
    "a method": Held(1).weigh,
    "a member of an enum": Color.RED,
    "an abstract class": abc.ABC,
    "a class of a library": collections.UserDict,
    "a partial": functools.partial(pow, 2),
    "a function that is cached": cached,
    "an exception": ValueError("a"),
    "a namespace": types.SimpleNamespace(a=1),
    "a decimal": decimal.Decimal("1.5"),
    "a proxy": types.MappingProxyType({"a": 1}),
    "a method of a list": [1].append,
    "a lock": threading.Lock(),
    "a generator": (x for x in ()),
    "random numbers": np.random.default_rng(1),
    "an array of objects": np.array([None]),
    "an array with fields": np.zeros(2, [("a", float)]),
    "an array of another class": np.ma.zeros(3),
    "a subclass of float": type("Number", (float,), {})(1.0),
    "a module of Python's": sys,
    "os": os,
    "objects as keys": {Held(1): 2},
    "a set of objects": {Held(1), Held(2)},
}


@pytest.mark.parametrize("case", UNTOLD)
def test_what_nobody_can_tell(case):
    with pytest.raises(Untold):
        Surroundings(UNTOLD[case])
    with pytest.raises(Untold):
        Surroundings([1, (UNTOLD[case],)])


def test_no_more_than_so_many():
    with pytest.raises(Untold, match="more than"):
        Surroundings([[k] for k in range(surroundings.LIMIT + 1)])


REACHING = [
    "getattr(np, NAME)(x)",
    "hasattr(x, NAME) * x",
    "x * math.__dict__[NAME]",
    "x * globals()[NAME]",
    "eval(NAME)",
    "x * len('{0.shape}'.format(x))",
    "x * id(x)",
    "x if x is GLOBAL else 2 * x",
    "x * operator.attrgetter(NAME)(x)",
    "[y := x, __import__(NAME)]",
]


@pytest.mark.parametrize("text", REACHING)
def test_code_that_reaches_what_no_name_says(text):
    space = {"np": np, "math": math, "operator": operator, "NAME": "pi", "GLOBAL": 3, "__name__": "tests.made"}
    exec(f"def f(x):\n    return {text}\n", space)
    with pytest.raises(Untold):
        Surroundings(space["f"])
    exec("def f(x):\n    return x if x is None else math.sin(x)\n", space)
    assert digest(space["f"])


def test_statements_that_reach_further():
    space = {"__name__": "tests.made"}
    for body in ("import math", "global K; K = 2", "class C: pass", "match x:\n        case int(real=r): pass"):
        exec(f"def f(x):\n    {body}\n    return x\n", space)
        with pytest.raises(Untold):
            Surroundings(space["f"])


def test_functions_of_installed_packages_and_with_builtins_of_their_own():
    space = {"__name__": "tests.made", "__builtins__": {"abs": math.sin}}
    exec("def f(x):\n    return abs(x)\n", space)
    with pytest.raises(Untold, match="builtins"):
        Surroundings(space["f"])
    with pytest.raises(Untold, match="installed"):
        Surroundings(pytest.param)


def test_what_libraries_have_under_their_names(monkeypatch):
    def inner(x):
        return np.linalg.det(x) + len(x)

    before = digest(inner)
    monkeypatch.setattr(np.linalg, "det", np.linalg.inv)
    assert digest(inner) != before
    monkeypatch.undo()
    monkeypatch.setattr(np.linalg.det, "len", 3, raising=False)
    with pytest.raises(Untold, match="attribute"):
        digest(inner)
    monkeypatch.undo()
    assert digest(inner) == before
    monkeypatch.setattr(builtins, "round", lambda x: 3)  # no name of inner's
    assert digest(inner) == before


def test_functions_that_say_they_are_a_librarys(monkeypatch):
    def inner(x):
        return np.relu(x)

    def relu(x):
        return x * 2.0

    relu.__module__ = "numpy"
    monkeypatch.setattr(np, "relu", relu, raising=False)
    with pytest.raises(Untold, match="put into a library"):
        digest(inner)
    space = dict(vars(math))
    exec("def f(x):\n    return sin(x)\n", space)
    with pytest.raises(Untold, match="says so"):
        digest(space["f"])


def test_namespaces_of_one_name_are_told_apart():
    one, other = ({"__name__": "tests.made"} for _ in range(2))
    for space in (one, other):
        exec("K = 2\ndef f(x):\n    return x * K\ndef g(x):\n    return x + K\n", space)
    assert digest([one["f"], other["f"], one["g"]]) != digest([one["f"], other["f"], other["g"]])


def test_identity_and_functions_under_other_names():
    same, other = np.dtype("datetime64[ns]"), np.dtype("datetime64[ns]")
    assert digest([same, same]) != digest([same, other])
    space = {"read": getattr, "same": operator.is_, "P": same, "np": np, "__name__": "tests.made"}
    for text in ("read(np, 'sin')(x)", "x if same(P, P) else 2 * x", "x if P is (P or None) else 2 * x"):
        exec(f"def f(x):\n    return {text}\n", space)
        with pytest.raises(Untold):
            digest(space["f"])


def test_the_walk_runs_no_code_of_the_users():
    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError(name)

        def __eq__(cls, other):
            raise AssertionError(other)

        __hash__ = type.__hash__

    class Asked(metaclass=Meta):
        pass

    for value in (Asked, Asked()):
        with pytest.raises(Untold):
            Surroundings([value])
