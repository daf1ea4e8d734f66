"""Which values differ from tangent to tangent, and what is refused."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.api import find
from adcompile.autodiff.spread import fact_of_parts, join, some
from adcompile.errors import Unsupported
from adcompile.runs import Plan

X = np.array([1.0, 2.0, 3.0])


def source(f, *args):
    entry = find(f, args, Plan("jvp_batched", (0,)))[2]
    return entry.made.derived.source


def test_facts_of_structures():
    assert not some((False, (False,))) and some((False, (True,)))
    assert join((True, False), (False, False)) == (True, False)
    assert join(False, (True, False)) == (True, False) and join(True, False) is True
    assert fact_of_parts(True, 2) == (True, True) and fact_of_parts((True, False), 2) == (True, False)


def test_the_primal_has_no_leading_axis():
    def f(x):
        y = np.sin(x)
        return y[0] * y

    assert "y = np.sin(x)\n" in source(f, X)
    assert "y[0]" in source(f, X) and "[:, 0]" in source(f, X)


def test_a_list_that_is_filled_by_a_loop_is_one_of_batches():
    def f(x):
        items = []
        for i in range(len(x)):
            items.append(x[i] * 2.0)
        return np.array(items)

    value, found = ad.jvp_batched(f, (X,), (np.eye(3)[:2],))
    assert np.array_equal(value, 2.0 * X) and np.array_equal(found, 2.0 * np.eye(3)[:2])


def test_zeros_before_a_loop_become_a_batch():
    def f(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i] ** 2
        return total

    assert "np.zeros(" in source(f, X)
    assert np.array_equal(ad.jvp_batched(f, (X,), (np.eye(3),))[1], 2.0 * X)


def test_long_lists_of_arrays_that_are_written():
    def f(rows):
        for row in rows:
            row *= 2.0
        return rows[0] * rows[1]

    rows, along = [X + k for k in range(20)], [np.stack([X * k, X - k]) for k in range(20)]
    value, found = ad.jvp_batched(f, ([r.copy() for r in rows],), (along,))
    for k in range(2):
        y, dot = ad.jvp(f, ([r.copy() for r in rows],), ([a[k] for a in along],))
        assert np.array_equal(value, y)
        np.testing.assert_allclose(found[k], dot, rtol=1e-14)


def test_what_is_unpacked_and_of_no_known_type():
    def f(x):
        o = np.array([-0.7, x[-1]], dtype=object)
        a, b = np.cos(np.zeros(2) + o @ o)
        return a * b * x[0]

    for n in (2, 3):
        x = np.arange(1.0, n + 1)
        np.testing.assert_allclose(ad.jacfwd(f)(x), ad.grad(f)(x), rtol=1e-14)


def test_containers_of_unknown_structure_are_refused():
    def tables(x):
        t = {"b": x, "w": x} if x[0] > 0 else {"w": x}
        return t["w"] * x

    def pairs(x):
        nested = None
        for item in x:
            nested = (item, nested)
        return nested[0]

    for f in (tables, pairs):
        with pytest.raises(Unsupported, match="several tangents at once through a container of unknown structure"):
            ad.jvp_batched(f, (X,), (np.eye(3),))
    assert np.allclose(ad.jacfwd(tables)(X), np.diag(2 * X))


def test_items_of_lists_differ_in_all_their_parts():
    def f(x):
        rows = []
        for i in range(len(x)):
            rows.append([x[i] ** 2, 1.0])
        return np.sum(rows @ x[:2])

    expected = [ad.jvp(f, (X,), (unit,))[1] for unit in np.eye(3)]
    assert np.allclose(ad.jvp_batched(f, (X,), (np.eye(3),))[1], expected)
