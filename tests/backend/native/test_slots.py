"""What arrays that a kernel has kept hold for its pullback."""

import numpy as np

from adcompile.backend.native.slots import Layout, Shadows, Steps, cut, listed, with_lists
from adcompile.backend.native.values import ArrayOf, Number


def test_lists_of_arrays_that_hold_them():
    numbers = Layout(("f8",), Number("f8"))
    assert listed(numbers, [np.array([1.0, 2.0, 3.0])]) == [1.0, 2.0, 3.0]
    inner = Layout(("i8",), None, 0, numbers)
    assert inner.depth == 2 and inner.arrays == ("i8", "f8")
    assert listed(inner, [np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0])]) == [[1.0, 2.0], [], [3.0]]
    assert listed(inner, [np.array([0, -1, 2, -1]), np.array([1.0, 2.0, 3.0])]) == [[1.0, 2.0], None, [3.0], None]
    parts = listed(Layout(("i8", "i8", "i8"), ArrayOf("f8", 2)), [*np.array([[0, 2], [1, 2], [2, 1]]), np.arange(4.0)])
    assert [p.tolist() for p in parts] == [[[0.0, 1.0]], [[2.0], [3.0]]]
    assert listed(Layout(("i8", "i8"), None, 2), [np.array([1]), np.array([6])]) == [range(1, 6, 2)]
    both = with_lists(((0, 3), (np.ones(2),), [1.0]), {0: Steps(1), 1: Shadows(ArrayOf("f8", 1)), 2: numbers})
    assert both[0] == range(3) and len(both[1].shadows) == 1 and both[2] == [1.0]
    some = listed(Layout(("i8", "i8"), ArrayOf("f8", 1)), [np.array([0, -1]), np.array([2, 0]), np.arange(2.0)])
    assert some[0].tolist() == [0.0, 1.0] and some[1] is None


def test_lists_that_lie_one_behind_the_other():
    assert cut([1, 2, 3], [0, 1, 1]) == [[1], [], [2, 3]]
    assert cut([1, 2, 3], [-1, 0, -1, 2, -1]) == [None, [1, 2], None, [3], None]
    assert cut([], []) == [] and cut([], [0, -1]) == [[], None]
