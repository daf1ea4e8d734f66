"""Dicts of unknown keys: real ones where nothing is differentiated, lists of keys and values where something is."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.6, -0.7, 1.2])


def counted(x):
    seen = {}
    for k in range(len(x)):
        seen[k % 2] = seen.get(k % 2, 0) + 1
    return np.sum(x) * seen[0]


def test_what_holds_no_derivatives_stays_a_dict():
    g = ad.grad(counted)
    np.testing.assert_array_equal(g(X), [2.0, 2.0, 2.0])
    assert "seen = {}" in ad.source(g, X)
    assert "append" not in ad.source(g, X)


def looked_up(x, wanted):
    table = {}
    for k in range(len(x)):
        table[k * k] = x[k] ** 2
    return table[wanted] + table[0]


def test_a_key_that_is_missing():
    assert ad.grad(looked_up)(X, 4) == pytest.approx([1.2, 0.0, 2.4])
    with pytest.raises(KeyError) as error:
        ad.grad(looked_up)(X, 3)
    assert error.value.args == (3,)


def groups(x):
    table = {}
    for k in range(len(x)):
        table.setdefault(k % 2, []).append(x[k])
    return sum(table[0])


def test_a_dict_of_lists_is_a_real_one():
    assert "setdefault" in ad.source(ad.grad(groups), X)
    ad.check_grads(groups, (X,), order=1)


def written_in_turn(x):
    table = {}
    for k in range(len(x)):
        table[k % 50] = x[k] * 2.0 + table.get(k % 50 - 1, 0.0)
    return sum(table.values())


def test_no_write_copies_the_table():
    source = ad.source(ad.grad(written_in_turn), X)
    assert "copy(" not in source and " list(" not in source
