"""Objects of modules beside those that are passed in: one object under two names is noticed."""

import types
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.13, 1.37, 0.71])
HELD = types.SimpleNamespace(v=2.0)
TABLE = {"other": types.SimpleNamespace(v=2.0), "same": HELD}


def through_both(x, o):
    o.v = x[0]
    return HELD.v * x[1] + TABLE["other"].v


def test_an_object_of_a_module_that_is_passed_too():
    other = types.SimpleNamespace(v=1.0)
    assert np.allclose(ad.grad(through_both)(X, other), [0.0, 2.0, 0.0])
    for same in (HELD, TABLE["other"]):
        with pytest.raises(ad.Unsupported, match="derivative is made for different ones"):
            ad.grad(through_both)(X, same)
    assert HELD.v == 2.0 and other.v == 1.0


def test_two_ways_to_one_object():
    def f(x, o):
        o.v = x[0]
        return HELD.v * TABLE["same"].v * x[1] * o.v

    assert np.allclose(ad.grad(f)(X, types.SimpleNamespace(v=1.0)), [4 * X[1], 4 * X[0], 0.0])


def test_a_default_of_the_function_itself_is_passed_once():
    def f(x, o=types.SimpleNamespace(v=2.0)):
        o.v = o.v * x[0]
        return o.v * x[1]

    assert np.allclose(ad.grad(f)(X), [2 * X[1], 2 * X[0], 0.0])


class Labelled(list):
    pass


HOLDERS = [
    lambda l: deque([l]),
    lambda l: Labelled([l]),
    lambda l: OrderedDict(k=l),
    lambda l: defaultdict(list, k=l),
    lambda l: types.MappingProxyType({"k": l}),
    lambda l: np.array([l, None], dtype=object),
    lambda l: iter([l]),
]


def first(holder):
    if isinstance(holder, (dict, types.MappingProxyType)):
        return holder["k"]
    return next(holder) if hasattr(holder, "__next__") else holder[0]


def written_beside(w, items, holder):
    items.append(5.0)
    return sum(first(holder)) * w


def written_within(w, items, holder):
    first(holder).append(5.0)
    return sum(items) * w


@pytest.mark.parametrize("hold", HOLDERS)
@pytest.mark.parametrize("f", [written_beside, written_within])
def test_an_argument_that_another_container_holds_too(f, hold):
    for held in ([1.0], [2.0]):
        items = [1.0]
        expected = f(1.0, list(items), hold(list(held)))
        try:
            assert ad.grad(f)(3.0, items, hold(held)) == expected
        except ad.Unsupported:
            pass
        with pytest.raises(ad.Unsupported):
            ad.grad(f)(3.0, items, hold(items))


L = [1.0, 2.0]
IN_A_TUPLE, IN_A_DEQUE = (L,), deque([L])


def test_live_lists_in_what_does_not_change():
    def appends(x):
        L.append(9.0)
        return sum(IN_A_TUPLE[0]) * x

    def clears(x):
        L.clear()
        return sum(IN_A_TUPLE[0]) * x

    def in_a_deque(x):
        IN_A_DEQUE[0].append(9.0)
        return sum(L) * x

    for f, expected in ((appends, 12.0), (clears, 0.0), (in_a_deque, 12.0)):
        for derive in (ad.grad, ad.jacfwd):
            try:
                assert derive(f)(3.0) == expected
            except ad.Unsupported:
                continue
            finally:
                L[:] = [1.0, 2.0]


def test_a_live_list_that_is_written_while_it_is_an_argument():
    def f(x, items):
        L.append(5.0)
        return sum(items) * x

    assert ad.grad(f)(3.0, [1.0, 2.0]) == 3.0
    for derive in (ad.grad, ad.jacfwd):
        with pytest.raises(ad.Unsupported, match="derivative is made for different ones"):
            derive(f)(3.0, L)
    L[:] = [1.0, 2.0]
