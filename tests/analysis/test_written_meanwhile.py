"""Lists, dicts, deques and arrays that are written while, or before, they are gone through: right or refused."""

import collections
import functools
import itertools
import math

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1, 0.5])


def known(x):
    return [x[0], x[1], x[2], x[3]]


def found(x):
    return [v * v for v in x]


def deque_of(x):
    q = collections.deque()
    for v in x:
        q.append(v * v)
    return q


def dict_of(x):
    return {i: v for i, v in enumerate(x)}


def pairs_of(x):
    return [(v, 1.0) for v in x]


CONSUMERS = {
    "sum": lambda up, items: sum(map(up, items)),
    "list": lambda up, items: sum(list(map(up, items))),
    "fsum": lambda up, items: math.fsum(map(up, items)),
    "array": lambda up, items: np.sum(np.array(list(map(up, items)))),
    "max": lambda up, items: max(map(up, items)),
    "key": lambda up, items: max(items, key=up),
    "enumerated": lambda up, items: min(enumerate(items), key=lambda p: up(p[1]))[1],
    "reduce": lambda up, items: functools.reduce(lambda a, v: a + up(v), items, 0.0),
    "accumulate": lambda up, items: sum(itertools.accumulate(items, lambda a, v: a + up(v))),
    "filter": lambda up, items: sum(filter(lambda v: up(v) > 0.3, items)),
    "sorted": lambda up, items: sorted(items, key=up)[0],
    "comprehension": lambda up, items: sum([up(v) for v in items]),
    "spread": lambda up, items: (lambda *z: sum(z))(*map(up, items)),
    "zip": lambda up, items: sum(v * w for v, w in zip(items, map(up, items))),
}


def agree(f):
    """Whether the derivatives are those of the function; None where it is refused."""
    d = np.array([1.0, 0.5, -0.3, 0.2])
    expected = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    for derive in (lambda: ad.grad(f)(X) @ d, lambda: ad.jvp(f, (X,), (d,))[1]):
        try:
            got = derive()
        except ad.AdcompileError as error:
            assert error.remedy
            return None
        assert abs(got - expected) <= 1e-6 * (1 + abs(expected))
    return True


@pytest.mark.parametrize("make", [known, found, deque_of, lambda x: x * 1.0], ids=["known", "found", "deque", "array"])
@pytest.mark.parametrize("consumer", list(CONSUMERS))
def test_functions_that_write_into_what_their_items_are_of(make, consumer):
    consume = CONSUMERS[consumer]

    def f(x):
        items = make(x)

        def up(v):
            items[3] = v * items[3]
            return 1.5 * v

        return consume(up, items) * items[3]

    agree(f)


def unwound(x):
    items, r = known(x), 0.0
    for v in reversed(items):
        r += v * v
        items.pop()
    return r


def reversed_before(x):
    items = found(x)
    behind = reversed(items)
    items.append(x[0])
    return sum(k * v for k, v in enumerate(behind, 1))


def reversed_and_cut(x):
    items = known(x)
    behind = reversed(items)
    items.pop()
    return sum(k * v for k, v in enumerate(behind, 1)) + x[0]


def changed_in_its_loop(x):
    items, r = found(x), 0.0
    for v in map(abs, items):
        items[3] *= v
        r += v * v
    return r


def deque_changed_in_its_loop(x):
    q, s = deque_of(x), 0.0
    for v in q:
        q[3] = v * q[3]
        s += v
    return s


def ordered_behind(x):
    o = collections.OrderedDict([(0, x[0]), (1, x[1]), (2, x[2])])
    return next(reversed(o)) * o[1]


def defaults_behind(x):
    o, s = collections.defaultdict(float), 0.0
    for i, v in enumerate(x):
        o[i] += v
    for k in reversed(o):
        s = s * x[0] + k * o[k]
    return s


def some_left(x):
    log = [0.0]

    def up(v):
        log[0] += v
        return 1.5 * v

    d = dict(zip("ab", map(up, found(x))))
    return sum(d.values()) * log[0]


@pytest.mark.parametrize(
    "f",
    [
        unwound, reversed_before, reversed_and_cut, changed_in_its_loop, deque_changed_in_its_loop, ordered_behind,
        defaults_behind, some_left,
    ],
)  # fmt: skip
def test_right_or_refused(f):
    agree(f)


@pytest.mark.parametrize("f", [ordered_behind, defaults_behind])
def test_followed(f):
    assert agree(f)


def grows_in_its_loop(x):
    d = dict_of(x)
    for k in d:
        d[k + 10] = d[k]
    return sum(d.values())


def test_a_dict_that_changes_its_size_in_a_loop_over_it():
    with pytest.raises(RuntimeError):
        grows_in_its_loop(X)
    with pytest.raises((RuntimeError, ad.AdcompileError)):
        ad.grad(grows_in_its_loop)(X)
