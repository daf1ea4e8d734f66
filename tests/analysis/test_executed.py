"""Code that a call runs unseen and that writes: followed or refused, whoever calls it."""

import collections
import functools
import itertools
import math
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import AdcompileError
from adcompile.testing import check_grads

S = np.arange(1.0, 10.0).reshape(3, 3) / 3
WORK = np.zeros(3)


def first(v):
    v[0] = v[1] * v[2]
    return 1


def through_another(v):
    return first(v)


def into_the_module(v):
    WORK[:] = v
    return 1


def total(v):
    return np.sum(v)


class Doubling:
    def __call__(self, v):
        v *= 2.0
        return True

    def method(self, v):
        v *= 2.0
        return True


class Writing:
    def __init__(self, s):
        self.s = s

    def __str__(self):
        self.s[0, 0] = self.s[1, 1] * 2.0
        return "x"

    def __lt__(self, other):
        self.s[0, 0] = self.s[1, 1] * 2.0
        return True


CALLS = {
    "apply_along_axis": lambda s: np.apply_along_axis(first, 1, s),
    "apply_along_axis, by names": lambda s: np.apply_along_axis(func1d=first, axis=1, arr=s),
    "apply_along_axis of a method": lambda s: np.apply_along_axis(lambda v: v.__imul__(2.0), 0, s),
    "apply_along_axis of an object": lambda s: np.apply_along_axis(Doubling(), 1, s),
    "apply_along_axis of a function of NumPy": lambda s: np.apply_along_axis(np.put, 1, s, [0], [3.0]),
    "piecewise": lambda s: np.piecewise(np.zeros(2), [np.array([True, False])], [lambda v: v + first(s[0]), 0.0]),
    "frompyfunc": lambda s: np.frompyfunc(lambda i: first(s[i]), 1, 1)(np.arange(3)),
    "takewhile": lambda s: list(itertools.takewhile(first, s)),
    "takewhile of a helper": lambda s: list(itertools.takewhile(through_another, s)),
    "takewhile of a method": lambda s: list(itertools.takewhile(Doubling().method, s)),
    "takewhile of a partial": lambda s: list(itertools.takewhile(functools.partial(first), s)),
    "takewhile with out": lambda s: list(itertools.takewhile(lambda r: np.multiply(r, 2.0, out=r) is None, s)),
    "takewhile with out by position": lambda s: list(itertools.takewhile(lambda r: np.multiply(r, 2.0, r) is None, s)),
    "dropwhile": lambda s: list(itertools.dropwhile(first, s)),
    "filterfalse": lambda s: list(itertools.filterfalse(first, s)),
    "compress": lambda s: list(itertools.compress(s, map(first, s))),
    "groupby": lambda s: list(itertools.groupby(s, first)),
    "zip_longest": lambda s: list(itertools.zip_longest(map(first, s), [1])),
    "iter with a sentinel": lambda s: list(iter(lambda: first(s[0]), 1)),
    "join": lambda s: ",".join(map(lambda r: str(first(r)), s)),
    "frozenset": lambda s: frozenset(map(first, s)),
    "set": lambda s: set(map(first, s)),
    "fsum": lambda s: math.fsum(map(first, s)),
    "contains": lambda s: 1 in map(first, s),
    "Counter": lambda s: collections.Counter(map(first, s)),
    "max": lambda s: max(s, key=first),
    "format": lambda s: "{}".format(Writing(s)),
    "text of a list": lambda s: f"{[Writing(s)]}",
    "sorted objects": lambda s: sorted([Writing(s), Writing(s)]),
    "print": lambda s: print(Writing(s), end=""),
    "next of filter": lambda s: next(filter(lambda r: first(r) > 0, s)),
    "islice of filter": lambda s: list(itertools.islice(filter(lambda r: first(r) > 0, s), 1)),
    "zip with filter": lambda s: list(zip([1], filter(lambda r: first(r) > 0, s))),
    "next of chain": lambda s: next(itertools.chain(map(first, s), map(first, s[::-1]))),
    "operator.call": lambda s: getattr(operator, "call", lambda f, v: f(v))(first, s[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_callback_that_writes_into_what_it_is_given(name):
    """Right, or refused: never what it writes left out."""

    def f(s):
        CALLS_NOW(s)
        return s * s

    CALLS_NOW = CALLS[name]
    try:
        check_grads(f, (S.copy(),), order=1)
    except AdcompileError as error:
        assert error.place is not None


def test_loops_over_iterators_that_call_what_writes():
    def f(s):
        for _ in itertools.takewhile(first, s):
            pass
        return s * s

    with pytest.raises(AdcompileError, match="takewhile"):
        ad.jvp(f, (S.copy(),), (S.copy(),))


def test_what_a_callback_writes_into_a_module():
    def f(s):
        WORK[:] = s[0]
        list(itertools.takewhile(into_the_module, [1.0, 2.0]))
        return WORK * s

    with pytest.raises(AdcompileError, match="takewhile"):
        ad.jvp(f, (S.copy(),), (S.copy(),))


@pytest.mark.parametrize(
    "f",
    [
        lambda s: np.apply_along_axis(total, 1, s) * s,
        lambda s: np.apply_along_axis(lambda v: total(v) * v, 0, s),
        lambda s: len(list(itertools.takewhile(lambda r: total(r) < 5.5, s))) * s,
        lambda s: next(filter(lambda r: total(r) > 2.5, s)) * s,
        lambda s: sum(itertools.islice(filter(lambda v: v > 1.1, s[1]), 1)) * s,
        lambda s: ",".join(map(lambda r: str(total(r)), s)) and s * s,
        lambda s: len({int(total(r)) for r in s}) * s,
    ],
)
def test_callbacks_that_only_read_are_as_before(f):
    check_grads(f, (S.copy(),), order=1)


def test_inert_arrays_may_be_written_by_anything():
    def f(x, s):
        list(itertools.takewhile(first, s))
        return x * s[0, 0]

    after = S.copy()
    assert ad.jvp(f, (2.0, S.copy()), (1.0, None))[1] == f(1.0, after)
