"""The stand-ins for the containers of `collections` do what the real ones do, on random sequences of calls."""

import collections
import copy
import random

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.standins import INSTEAD, stand_in

KEYS = "abcd"
OF_DEQUE = {
    "append": lambda q, r: q.append(r.random()),
    "appendleft": lambda q, r: q.appendleft(r.random()),
    "extend": lambda q, r: q.extend([r.random(), 2.0]),
    "extendleft": lambda q, r: q.extendleft([r.random(), 2.0]),
    "pop": lambda q, r: q.pop(),
    "popleft": lambda q, r: q.popleft(),
    "insert": lambda q, r: q.insert(r.randrange(-3, 4), 7.0),
    "rotate": lambda q, r: q.rotate(r.randrange(-5, 6)),
    "reverse": lambda q, r: q.reverse(),
    "clear": lambda q, r: q.clear(),
    "set": lambda q, r: q.__setitem__(r.randrange(-4, 4), 9.0),
    "get": lambda q, r: q[r.randrange(-4, 4)],
    "del": lambda q, r: q.__delitem__(r.randrange(-4, 4)),
    "in": lambda q, r: 2.0 in q,
    "copies": lambda q, r: [list(q.copy()), list(copy.copy(q)), q.maxlen, len(q)],
}
OF_DICT = {
    "get item": lambda d, r: d[r.choice(KEYS)],
    "set": lambda d, r: d.__setitem__(r.choice(KEYS), r.random()),
    "del": lambda d, r: d.__delitem__(r.choice(KEYS)),
    "get": lambda d, r: d.get(r.choice(KEYS), 5.0),
    "pop": lambda d, r: d.pop(r.choice(KEYS)),
    "pop default": lambda d, r: d.pop(r.choice(KEYS), 5.0),
    "popitem": lambda d, r: d.popitem(),
    "setdefault": lambda d, r: d.setdefault(r.choice(KEYS), 6.0),
    "update": lambda d, r: d.update({r.choice(KEYS): 2.0}, b=r.random()),
    "in": lambda d, r: r.choice(KEYS) in d,
    "views": lambda d, r: [list(d), list(d.keys()), list(d.values()), len(d)],
    "copies": lambda d, r: [list(d.copy().items()), list(copy.copy(d).items())],
    "clear": lambda d, r: d.clear() if r.random() < 0.2 else None,
}
OF_ORDERED = {
    "end": lambda d, r: d.move_to_end(r.choice(KEYS)),
    "begin": lambda d, r: d.move_to_end(r.choice(KEYS), last=False),
    "first": lambda d, r: d.popitem(last=False),
}
OF_COUNTER = {
    "count": lambda d, r: d.update(r.choice([KEYS, "aab"])),
    "total": lambda d, r: sum(d.values()),
}
CASES = {
    "deque": (lambda cls: cls([1.0, 2.0]), OF_DEQUE),
    "short deque": (lambda cls: cls([1.0, 2.0, 3.0], 2), OF_DEQUE),
    "no deque": (lambda cls: cls(maxlen=0), OF_DEQUE),
    "defaultdict": (lambda cls: cls(float, {"a": 1.0}, b=2.0), OF_DICT),
    "defaultdict without": (lambda cls: cls(None, [("a", 1.0)]), OF_DICT),
    "OrderedDict": (lambda cls: cls([("c", 1.0), ("a", 2.0)], d=3.0), {**OF_DICT, **OF_ORDERED}),
    "Counter": (lambda cls: cls(a=1), {**OF_DICT, **OF_COUNTER}),
}


def outcome(call, value, seed):
    """What a call gives or raises, and what is there afterwards."""
    try:
        result = call(value, random.Random(seed))
    except (IndexError, KeyError) as error:
        result = error.args if isinstance(error, IndexError) and "deque" in str(error) else type(error)
    return result, list(value.items()) if isinstance(value, dict) and hasattr(value, "items") else list(value)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(20))
def test_a_stand_in_does_what_the_real_one_does(name, seed):
    make, calls = CASES[name]
    real_class = getattr(collections, name.split()[-1 if "deque" in name else 0])
    real, ours = make(real_class), make(INSTEAD[real_class])
    assert isinstance(ours, real_class) and type(ours).__name__ == real_class.__name__
    names = random.Random(seed)
    for step in range(40):
        call = calls[names.choice(sorted(calls))]
        assert outcome(call, ours, step) == outcome(call, real, step)


def test_which_calls_get_one():
    assert stand_in(collections.deque, ["x"]) is INSTEAD[collections.deque]
    assert stand_in(collections.Counter, []) is INSTEAD[collections.Counter]
    assert stand_in(collections.Counter, ["x"]) is None
    assert stand_in(list, []) is None


def needed_as_a_value(x):
    q = collections.deque([x[0], x[1]])
    return q


def array_of_a_deque(x):
    q = collections.deque([x[0], x[1]])
    q.rotate(1)
    return np.mean(q) * np.ptp(q) + np.dot(q, x)


def inert_as_a_value(x):
    q = collections.deque([1, 2])
    return x[0] * np.mean(q) + (x[1] if q == collections.deque([1, 2]) else 0.0)


def of_unknown_keys(x):
    d = collections.defaultdict(list)
    for i, v in enumerate(x):
        d[i % 2].append(v)
    return max(d.values())[0]


def test_where_the_real_one_is_needed():
    x = np.array([1.0, 2.0])
    with pytest.raises(ad.AdcompileError, match="deque"):
        ad.vjp(needed_as_a_value, x)
    ad.check_grads(array_of_a_deque, (x,), order=2)
    np.testing.assert_array_equal(ad.grad(inert_as_a_value)(x), [1.5, 1.0])


def test_errors_are_at_the_users_call():
    with pytest.raises(ad.Unsupported, match=r"a dict under a key|something of no known type") as caught:
        ad.grad(of_unknown_keys)(np.ones(3))
    assert caught.value.place.file == __file__
