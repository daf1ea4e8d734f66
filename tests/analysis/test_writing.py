"""Every call that is said to write into its argument does."""

import operator

import numpy as np

from adcompile.analysis.writing import FUNCTIONS, ITEM_WRITES, KEEPERS, METHODS


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
