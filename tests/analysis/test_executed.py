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


G = np.zeros(3)


class Asked:
    """Python calls its methods, of which each writes into the object."""

    def __init__(self, x):
        self.x, self.n = x, 0.0

    def write(self):
        self.n = self.n + self.x[0] * 2.0
        G[0] += self.x[1] * 3.0

    def __hash__(self):
        self.write()
        return 1

    def __eq__(self, other):
        self.write()
        return self is other

    def __lt__(self, other):
        self.write()
        return self.x[0] < other.x[0]

    def __bool__(self):
        self.write()
        return True

    def __len__(self):
        self.write()
        return 2

    def __iter__(self):
        self.write()
        return iter([1.0, 2.0])

    def __contains__(self, item):
        self.write()
        return True

    def __repr__(self):
        self.write()
        return "a"

    def __format__(self, spec):
        self.write()
        return "b"

    def __index__(self):
        self.write()
        return 1

    def __enter__(self):
        self.write()
        return self

    def __exit__(self, *error):
        self.write()


def entered(k):
    with k:
        pass


def matched(k):
    match k:
        case 3:
            pass
        case _:
            pass


def gathered(k, o):
    items = []
    for item in (k, o, k):
        items.append(item)
    return set(items)


@functools.lru_cache
def cached(k):
    return 1


ASKING = {
    "a key of a dict": lambda k, o: {k: 1},
    "a key in a tuple": lambda k, o: {(k, 1): 2},
    "a display of a set": lambda k, o: {k, o},
    "set": lambda k, o: set([k, o]),
    "frozenset": lambda k, o: frozenset((k,)),
    "set of what a loop has gathered": gathered,
    "fromkeys": lambda k, o: dict.fromkeys([k]),
    "a comprehension": lambda k, o: {q: 1 for q in [k, o]},
    "pairs": lambda k, o: dict([(k, 1)]),
    "looked up": lambda k, o: {k: 1.0}[k],
    "get": lambda k, o: {1: 2.0}.get(k, 3.0),
    "pop": lambda k, o: {2: 3.0}.pop(k, None),
    "in a dict": lambda k, o: o in {k: 1},
    "in a list": lambda k, o: o in [k],
    "not in a tuple": lambda k, o: o not in (k, k),
    "index": lambda k, o: [o, k].index(k),
    "count": lambda k, o: [o, k].count(k),
    "lists compared": lambda k, o: [k] == [o],
    "tuples ordered": lambda k, o: (1, k) < (1, o),
    "sorted": lambda k, o: sorted([k, o]),
    "max": lambda k, o: max([k, o]),
    "min": lambda k, o: min(k, o),
    "any": lambda k, o: any([k, o]),
    "filter": lambda k, o: list(filter(None, [k])),
    "not": lambda k, o: not k,
    "and": lambda k, o: k and 1,
    "len": lambda k, o: len(k),
    "contained": lambda k, o: 1.0 in k,
    "unpacked": lambda k, o: (lambda a, *b: a)(*k),
    "list": lambda k, o: list(k),
    "extend": lambda k, o: [].extend(k),
    "text": lambda k, o: f"{k}{k!r}{[o]}",
    "format": lambda k, o: format(k) + "{}".format(o),
    "percent": lambda k, o: "%s" % (k,),
    "position": lambda k, o: [1.0, 2.0, 3.0][k],
    "range": lambda k, o: list(range(k)),
    "with": lambda k, o: entered(k),
    "match": lambda k, o: matched(k),
    "cached": lambda k, o: cached(k),
}


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("live", [False, True])
def test_methods_that_python_calls_and_that_write(name, live):
    """Right, or refused: `live`, of objects that are there before."""
    ask, one, two = ASKING[name], Asked(np.zeros(3)), Asked(np.zeros(3))

    def f(x):
        G[:] = 0.0
        if live:
            k, o = one, two
            k.x, o.x, k.n, o.n = x, 2.0 * x, 0.0, 0.0
        else:
            k, o = Asked(x), Asked(2.0 * x)
        ask(k, o)
        return k.n * 3.0 + o.n * x[2] + np.sum(G)

    x = np.array([1.5, 2.0, 0.7])
    expected = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    value = f(x)
    for run in (lambda: ad.value_and_grad(f)(x), lambda: ad.jvp(f, (x,), (np.ones(3),))):
        try:
            found, derivative = run()
        except AdcompileError as error:
            assert error.place is not None and error.remedy
            continue
        assert np.isclose(found, value) and np.isclose(np.sum(derivative), np.sum(expected))


def test_methods_that_write_what_no_derivative_notices():
    class Key:
        def __init__(self, name):
            self.name, self.asked = name, 0

        def __hash__(self):
            self.asked = self.asked + 1
            return hash(self.name)

        def __eq__(self, other):
            return self.name == other.name

    def f(x):
        weights = {Key("a"): 2.0, Key("b"): 3.0}
        return np.sum(x) * weights[Key("a")]

    assert ad.grad(f)(np.ones(2)).tolist() == [2.0, 2.0]


def test_isinstance_that_writes():
    class Meta(type):
        def __instancecheck__(cls, instance):
            instance.n = instance.n + 2.0 * instance.x[0]
            return True

    class Any(metaclass=Meta):
        pass

    def f(x):
        k = Asked(x)
        return k.n + (3.0 if isinstance(k, Any) else 5.0) * k.n

    assert ad.value_and_grad(f)(np.array([1.5, 2.0]))[1].tolist() == [6.0, 0.0]
