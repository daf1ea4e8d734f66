"""Every call that is said to write into its argument does."""

import operator

import numpy as np

from adcompile.analysis.writing import FUNCTIONS, ITEM_WRITES, KEEPERS, METHODS, changes_itself
from adcompile.ir.types import FLOAT, Array


def test_the_tables_name_what_writes():
    assert operator.setitem in ITEM_WRITES and list.append in METHODS and FUNCTIONS[np.copyto] == 0
    for name in KEEPERS - {"appendleft", "extendleft", "add", "setdefault", "update"}:
        assert hasattr(list, name)


def test_functions_of_numpy_write_where_the_table_says():
    a = np.arange(4.0)
    calls = {
        np.copyto: (a, 1.0), np.put: (a, [0], 2.0), np.place: (a, a > 1, [3.0]), np.putmask: (a, a > 2, 5.0),
    }  # fmt: skip
    for fn, args in calls.items():
        before = a.copy()
        fn(*args)
        assert FUNCTIONS[fn] == 0 and not np.array_equal(a, before)


def test_what_changes_itself_comes_back():
    many, number = Array(np.dtype(float), ("many",)), Array(np.dtype(float), ())
    for name in "iadd isub imul itruediv ifloordiv imod ipow".split():
        fn, a = getattr(operator, name), np.ones(3)
        assert fn(a, 2.0) is a and changes_itself(fn, [many, FLOAT])
        assert fn(a[0], 2.0) is not a[0] and not changes_itself(fn, [number, FLOAT])
    assert not changes_itself(operator.iadd, [Array(np.dtype(float), None), FLOAT])
    assert not changes_itself(operator.add, [many, FLOAT])
