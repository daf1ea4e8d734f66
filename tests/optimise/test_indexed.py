"""Which parts of arrays indices name, told from the IR of functions; compared with what NumPy writes into."""

import operator

import numpy as np
import pytest

from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from adcompile.optimise.indexed import Indexed, Places
from tests.compiled import specialised


def loops(y):
    for i in range(1, 4):
        for j in range(i):
            y[i, j] = np.sum(y[i, :j])
        y[i - 1][i:] = np.sum(y[:, i])
    return y


def analysed(f, *args):
    program = specialised(f, *args)
    block = program.functions[program.entry].body
    indexed = Indexed(Places().walk(block), program.types)
    calls = [s for s in statements_of(block) if isinstance(s, Call) and isinstance(s.fn, Const)]
    reads = [p for s in calls if s.fn.value is operator.getitem and (p := indexed.part(s.result, s.result))]
    writes = [indexed.item(s.args[0], s.args[1], s.result) for s in calls if s.fn.value is operator.setitem]
    return indexed, reads, writes


def test_parts_and_their_axes():
    _, reads, writes = analysed(loops, np.ones((4, 4)))
    shown = [tuple("point" if a.point else "slice" for a in part.axes) for part in (*reads, *writes)]
    assert ("point", "slice") in shown and ("slice", "point") in shown
    assert writes[0].axes[0].point and writes[0].axes[1].point
    assert [a.point for a in writes[1].axes] == [True, False]
    assert all(part.array is writes[0].array for part in (*reads, *writes))


def row_before(y):
    for i in range(1, 4):
        v = y[i - 1]
        y[i] = v * v
    return y


def row_behind(y):
    for i in range(3):
        v = y[i + 1]
        y[i] = v * v
    return y


def same_row(y):
    for i in range(3):
        v = y[i]
        y[i] = v * v
    return y


def columns_left(y):
    for i in range(4):
        for j in range(i):
            v = y[i, :j]
            y[i, j] = np.sum(v)
    return y


def columns_right(y):
    for i in range(4):
        for j in range(i):
            v = y[i, j:]
            y[i, j] = np.sum(v)
    return y


def backwards(y):
    for i in range(3, 0, -1):
        v = y[i]
        y[i - 1] = v * v
    return y


def two_branches(y):
    for i in range(4):
        if i > 1:
            v = y[:i]
            y[i] = np.sum(v)
        else:
            y[0] = 1.0
    return y


def perhaps_negative(y):
    for i in range(-2, 3):
        v = y[i]
        y[i + 1] = v * v
    return y


@pytest.mark.parametrize(
    "f, apart",
    [
        (row_before, True),
        (row_behind, False),
        (same_row, False),
        (columns_left, True),
        (columns_right, False),
        (backwards, True),
        (two_branches, False),
        (perhaps_negative, False),
    ],
)
def test_later_writes(f, apart):
    indexed, reads, writes = analysed(f, np.ones(4) if f is two_branches else np.ones((4, 4)))
    found = all(indexed.stays_apart(r, w) for r in reads[:1] for w in writes)
    assert found == apart
