"""Writes that are not followed are refused by what they write into."""

import array
import collections
import re

import numpy as np
import pytest

import adcompile as ad


class Body:
    def __init__(self, v):
        self.v = v


def an_object(x, i):
    bodies = [Body(v) for v in x]
    bodies[i].v = x[0]
    return bodies[1].v


def a_row_of_bytes(x, i):
    row = array.array("d")
    row.append(x[i])
    return row[-1]


def a_default(x, i):
    table = collections.defaultdict(float)
    table[i] += x[0]
    return table[1] * len(repr(table))


def a_dict(x, i):
    table = {}
    table[i] = x[0]
    return table[1] * len(repr(table))


def a_chosen_list(x, i):
    lists = {"odd": [], "even": []}
    for k, v in enumerate(x):
        lists["odd" if k % 2 else "even"].append(v if k else None)
    return lists["odd"][0]


def an_iterator(x, i):
    for v, w in np.nditer([x, np.ones(3)], op_flags=[["readwrite"], ["readonly"]]):
        v[...] = v * w * x[i]
    return np.sum(x)


def a_shuffle(x, i):
    np.random.default_rng(i).permuted(x, out=x)
    return x[0]


def other_bytes(x, i):
    x.byteswap(True)
    return x[0]


def a_shape(x, i):
    table = np.arange(3.0)
    table.shape = (3, 1)
    return np.sum(table * x)


def a_size(x, i):
    x.resize(5)
    return np.sum(x)


def a_ufunc_method(x, i):
    x[0] = 1.0
    return np.sum(np.hypot.accumulate(x))


def other_views(x, i):
    rows = np.broadcast_arrays(x, np.ones((2, 3)))[0]
    x[0] = 1.0
    return np.sum(rows)


def other_bits(x, i):
    parts = x.view(np.float32)
    x[0] = 1.0
    return np.sum(parts)


REASONS = {
    an_object: ("Body that is met when the code runs", "arrays"),
    a_row_of_bytes: ("a write into a array", "use lists"),
    a_default: ("of no known type|a write into a defaultdict", "y = y +|use a dict"),
    a_dict: ("a dict under a key that is met when the code runs", "a list or an array"),
    a_chosen_list: ("a write into a list that is chosen when the code runs", "names of their own"),
    an_iterator: ("a write into something of no known type", "ndindex"),
    a_shuffle: ("no derivative rule for numpy.random._generator.Generator.permuted", "rules"),
    other_bytes: ("ndarray.byteswap", "byte order"),
    a_shape: ("a.shape = … changes the array", "reshape"),
    a_size: ("a.resize", "concatenate"),
    a_ufunc_method: ("no derivative rule for numpy.hypot.accumulate", "rules"),
    other_views: ("broadcast_arrays", "copy"),
    other_bits: ("numbers of another kind", "copy"),
}


@pytest.mark.parametrize("f", REASONS, ids=lambda f: f.__name__)
def test_the_error_names_the_cause_and_a_remedy(f):
    message, remedy = REASONS[f]
    with pytest.raises(ad.AdcompileError, match=message) as caught:
        ad.grad(f)(np.array([0.5, 1.5, 2.5]), 1)
    assert caught.value.place is not None and caught.value.place.file == __file__
    assert re.search(remedy, str(caught.value).splitlines()[-1])


class Named:
    def __init__(self, m):
        self.m = m


def through_objects(x, i):
    all_of_them = [Named(v) for v in x]
    for named in all_of_them:
        named.m += 2.0
    return all_of_them[i].m


def test_where_what_is_not_known_comes_from():
    with pytest.raises(ad.Unsupported, match=r"the first of no known type is the attribute 'm' .*, in line \d+\)"):
        ad.grad(through_objects)(np.array([0.5, 1.5, 2.5]), 1)
