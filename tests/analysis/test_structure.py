"""Displays, elements, unpacking and names of modules."""

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check, same_error, same_value

RATE = 0.5
WEIGHTS = np.array([1.0, 2.0, 3.0])


def displays(x):
    t = (x, [x * 2.0, {"k": x * x}])
    return t[1][1]["k"] + t[-2] * len(t[1])


def unpacked(xs):
    first, *middle, last = xs
    a, (b, c) = first, (last, 2.0)
    return a * b * c + sum(middle)


def joined(x):
    t = (x,) + (1.0, x) * 2
    d = {**{"a": x}, "b": x * x, **{"a": 3.0}}
    return sum([*t, *d.values()]) + len(t)


def splat(x):
    def inner(*args, **kwargs):
        return args[0] * kwargs["k"]

    return inner(*[x, 2.0], **{"k": x})


def slices(xs):
    return xs[1:] + xs[:-1][::2] + [xs[-1] * 2.0]


def globals_read(x):
    return x * RATE + np.sum(WEIGHTS * x)


def by_key(x, key):
    return {"a": x, "b": x * x}[key]


def by_index(x, i):
    return (x, x * x, x * x * x)[i]


@pytest.mark.parametrize("f", [displays, joined, splat, globals_read])
def test_scalars(f):
    check(f, 0.7)


def test_unpacking():
    check(unpacked, [0.5, 1.5, 2.5, 3.5])
    check(unpacked, (0.5, 1.5))
    same_error(unpacked, [0.5])


def test_slices():
    check(slices, [0.5, 1.5, 2.5])


@pytest.mark.parametrize("key", ["a", "b"])
def test_keys(key):
    check(by_key, 0.7, key)
    same_error(by_key, 0.7, "c")


@pytest.mark.parametrize("i", [0, 1, -1, -3])
def test_indices(i):
    check(by_index, 0.7, i)


def test_index_out_of_range():
    same_error(by_index, 0.7, 3)


def test_globals_are_read_live(monkeypatch):
    made = same_value(globals_read, 0.7)
    monkeypatch.setitem(globals(), "RATE", 4.0)
    assert made.call(0.7) == globals_read(0.7)


TABLE = {"none": None}


def put_where_nothing_was(x):
    TABLE["none"] = 3.0
    r = x[0] ** 2 if TABLE["none"] is not None else x[1]
    TABLE["none"] = None
    return r + (x[2] if TABLE["none"] else x[1])


def test_an_item_of_a_module_that_is_none_and_is_set():
    x = np.array([1.2, 2.3, 0.7])
    for _ in range(2):
        np.testing.assert_allclose(ad.grad(put_where_nothing_was)(x), [2.4, 1.0, 0.0])
        assert TABLE == {"none": None}
