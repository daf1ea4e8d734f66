"""Arrays that stay as they are."""

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.backend.native.steady import steady
from adcompile.ir.types import Array, Seq
from adcompile.optimise.effects import Effects, summarise
from tests.kernels import active, agree, on_numpy, parts_of

A = np.array([0.5, 1.5, -0.7])
M = np.arange(9.0).reshape(3, 3) / 9


def rows_read(a, m):
    rows = [a * (k + 1.0) for k in range(3)]
    b = m @ a
    s = 0.0
    for k in range(3):
        s += np.sum(np.sin(rows[k]) * b)
    return s


def rows_written(a, m):
    rows = [a * (k + 1.0) for k in range(3)]
    b = m @ a
    rows[1][0] = b[0]
    s = 0.0
    for k in range(3):
        s += np.sum(np.sin(rows[k]) * b)
    return s


def one_row_twice(a, m):
    row = a * 2.0
    rows = []
    for _ in range(3):
        rows.append(row)
    b = m @ a
    rows[0][1] = b[1]
    return np.sum(rows[2] * b)


def rows_compared(a, m):
    rows = []
    for k in range(3):
        rows.append(a * (k + 1.0))
    b = m @ a
    s = 0.0
    for k in range(3):
        if rows[k] is not rows[0]:
            s += np.sum(rows[k] * b)
    return s


def rows_filled(a, m):
    rows = []
    for k in range(3):
        row = np.empty(2)
        row[0] = a[k]
        row[1] = a[0] * 2.0
        rows.append(row)
    b = m @ a
    s = 0.0
    for k in range(3):
        s += np.sum(np.sin(rows[k]) * b[:2])
    return s


def rows_filled_when_they_are_known(a, m):
    rows = []
    for k in range(3):
        row = np.empty(2)
        row[0] = a[k]
        rows.append(row)
        row[1] = a[0] * 2.0
    b = m @ a
    s = 0.0
    for k in range(3):
        s += np.sum(np.sin(rows[k]) * b[:2])
    return s


def rows_filled_when_parts_are_known(a, m):
    rows, parts = [], []
    for k in range(3):
        row = np.zeros(2)
        part = row[1:]
        parts.append(part)
        row[1] = a[k] * 2.0
        rows.append(row * 1.0)
    b = m @ a
    s = 0.0
    for k in range(3):
        s += np.sum(np.sin(rows[k]) * b[:2]) + np.sum(parts[k] * b[0])
    return s


def rows_written_over(a, m):
    """What a loop keeps of a matrix that it writes into, in whatever words it was copied."""
    m = m.copy()
    for k in range(2):
        first, second = m[k].copy(), np.array(m[k + 1])
        m[k] = first * first * a
        m[k + 1] *= first + second * m[k].flatten()
    return np.sum(on_numpy(m[1]) ** 2) + np.sum(m * m)


def test_copies_that_are_kept_leave_the_kernel():
    parts = parts_of(rows_written_over, A, M)
    assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def lists_of(function):
    wrt, types = active((A, M))
    program = pipeline.derive(function, pipeline.Request("joint", wrt, backend="numpy"), types).program
    effects = Effects(program.types, summarise(program.functions, program.types))
    found = steady(program.functions[program.entry], effects)
    lists = [v for v, t in program.types.items() if isinstance(t, Seq) and isinstance(t.item, Array)]
    return [v in found for v in lists if v.name == "rows"]


def test_what_is_written_is_told():
    assert any(lists_of(rows_read)) and any(lists_of(rows_filled))
    assert not any(lists_of(rows_filled_when_they_are_known))
    assert not any(lists_of(rows_written)) and not any(lists_of(one_row_twice)) and not any(lists_of(rows_compared))


FUNCTIONS = [rows_written_over, rows_read, rows_written, one_row_twice, rows_compared]
FUNCTIONS += [rows_filled, rows_filled_when_they_are_known, rows_filled_when_parts_are_known]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_agree(function):
    agree(function, A, M)
