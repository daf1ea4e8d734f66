"""Containers that are written into, and code of libraries that need not be followed."""

import io
import re

import numpy as np
from scipy.spatial import distance

import adcompile as ad
from tests.compiled import check


def memoised():
    memo = {}

    def scale(n):
        if n not in memo:
            memo[n] = n * 2.0
        return memo[n]

    return scale


scale = memoised()


def with_memo(x):
    return x * scale(3) + x * x * scale(4)


def grows_a_tuple(x, n):
    names = ()
    for i in range(n):
        names += (i,)
    return x * sum(names)


def message(x):
    text = re.sub(r"\.", ",", str(x))
    print(text, file=io.StringIO())
    return x * x


def test_live_data_in_cells_is_written():
    check(with_memo, 0.5, order=2)


def test_tuples_that_grow_are_rebound():
    check(grows_a_tuple, 0.5, 4)


def test_library_code_on_inert_values_runs_as_written():
    check(message, 0.5, order=2)


def test_a_memo_in_scipy():
    ad.check_grads(lambda x: distance.euclidean(x, np.ones(3)), (np.array([0.5, 1.5, -0.3]),), order=2)


def append(items, x):
    items.append(x)
    return items[-1]


def test_active_writes_are_followed():
    assert ad.grad(lambda x: append([1.0], x))(2.0) == 1.0
