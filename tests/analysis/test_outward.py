"""What functions write of their modules, and caches that have a result already."""

import functools

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.outward import is_in_cache, names_written

misses, log, table = 1.0, [], {"misses": 0}


def counts(n):
    global misses
    misses += 1.0
    return float(n)


def notes(n):
    log.append(n)
    return float(n)


def keeps(n):
    table["misses"] += 1
    return float(n)


def calls(n):
    return 2.0 * keeps(n)


def works(n):
    nodes, weights = np.polynomial.legendre.leggauss(n)
    found = []
    found.append(nodes[0])
    found[0] = np.sort(nodes)[0]
    return float(weights @ nodes) + found[0]


@pytest.mark.parametrize(
    ("f", "name"), [(counts, "misses"), (notes, "log"), (keeps, "table"), (calls, "table")], ids=lambda f: str(f)[:15]
)
def test_names_that_are_written(f, name):
    assert names_written(f) == {(id(globals()), name)}


def test_what_works_on_its_own_writes_nothing_of_the_module():
    assert not names_written(works) and not names_written(np.sum)


@pytest.mark.parametrize("typed", [False, True])
def test_whether_a_cache_has_a_result(typed):
    cached = functools.lru_cache(maxsize=8, typed=typed)(lambda *a, **k: (a, k))
    cached(1), cached(2, 3), cached("a", b=4)
    assert is_in_cache(cached, (1,), {}) and is_in_cache(cached, (2, 3), {}) and is_in_cache(cached, ("a",), {"b": 4})
    assert is_in_cache(cached, (2.0, 3), {}) is not typed
    assert not is_in_cache(cached, (3,), {}) and not is_in_cache(cached, (2,), {}) and not is_in_cache(cached, (), {})
    assert cached.cache_info().misses == 3


def weighed(cached, read):
    def function(x):
        y = x * read()
        return y + cached(3) * x

    return function


BEFORE = [(counts, lambda: misses), (notes, lambda: len(log)), (calls, lambda: table["misses"])]


@pytest.mark.parametrize(("f", "read"), BEFORE, ids=["number", "list", "dict"])
def test_what_a_cache_fills_is_not_read_before(f, read):
    """The function runs while the derivative is made, before what the code does in front of it."""
    cached = functools.lru_cache(f)
    function = weighed(cached, read)
    with pytest.raises(ad.Unsupported, match="does not have the result yet"):
        ad.grad(function)(1.0)
    assert cached.cache_info().misses == 0
    cached(3)
    assert ad.grad(function)(1.0) == read() + cached(3)


@pytest.mark.parametrize(("f", "read"), BEFORE, ids=["number", "list", "dict"])
def test_what_nobody_has_read_may_be_written(f, read):
    cached = functools.lru_cache(f)

    def function(x):
        y = cached(3) * x
        return y + x * read()

    g = ad.grad(function)
    assert g(1.0) == cached(3) + read() == g(1.0) and cached.cache_info().misses == 1
