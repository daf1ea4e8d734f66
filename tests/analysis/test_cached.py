"""Functions with a cache, which is emptied and filled between two calls of a derivative."""

import functools

import numpy as np
import pytest

import adcompile as ad

SCALE, CALLS = {0: 2.0}, []


@functools.lru_cache(None)
def number(n):
    CALLS.append(n)
    return n * SCALE[0]


@functools.cache
def array(n, power=1):
    return np.arange(1.0, n + 1) ** power * SCALE[0], "name", {"w": SCALE[0]}


@functools.lru_cache(maxsize=0)
def uncached(n):
    return n * SCALE[0]


@functools.cache
def sometimes(n):
    if SCALE[0] > 4.0:
        raise ValueError("too large")
    return n * SCALE[0]


def or_one(x):
    try:
        w = sometimes(3)
    except ValueError:
        w = 1.0
    return x * w


class Table:
    @functools.lru_cache  # noqa: B019  of one object
    def at(self, n):
        return n * SCALE[0]


TABLE = Table()


@pytest.mark.parametrize(
    ("f", "cache"),
    [
        (lambda x: x * number(3), number),
        (lambda x: x * array(3, power=2)[0][1], array),
        (lambda x: x * array(2)[2]["w"], array),
        (lambda x: x * uncached(3), uncached),
        (or_one, sometimes),
        (lambda x: x * TABLE.at(3), Table.at),
    ],
    ids=["number", "array", "dict", "maxsize=0", "raises", "method"],
)
def test_what_a_cache_has_is_what_counts(monkeypatch, f, cache):
    cache.cache_clear()
    g = ad.value_and_grad(f)
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    monkeypatch.setitem(SCALE, 0, 5.0)
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    cache.cache_clear()
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    monkeypatch.undo()
    cache.cache_clear()
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)


def test_a_cache_that_was_emptied_runs_its_function_once():
    number.cache_clear()
    g = ad.grad(lambda x: x * number(7))
    g(1.5)
    number.cache_clear()
    CALLS.clear()
    g(1.5), g(2.5)
    assert CALLS == [7]


def test_a_cache_is_not_emptied_inside():
    def f(x):
        number.cache_clear()
        return x * number(3)

    with pytest.raises(ad.AdcompileError, match="emptied inside"):
        ad.grad(f)(1.5)
