"""Lists of lists that are known by where each begins."""

import numpy as np
import pytest

from adcompile.backend.native.lists import lists_of
from adcompile.backend.native.nested import lie_in_order
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Break, Call, Const, Continue, For, Function, If, Return, Signature, Var, Yield
from tests.kernels import on_numpy, parts_of, stays

A = np.array([0.5, 1.5, -0.7])
M = np.array([[0.1, 0.7, -0.2], [0.4, -0.5, 0.3], [0.6, 0.2, 0.9]])


def of_a_branch(a, m):
    """Where the branch is not taken no list is kept."""
    s = a[0]
    for k in range(4):
        if a[k % 3] > 0.1:
            t = a[0]
            for j in range(k + 1):
                t = np.cos(t) * a[j % 3]
            s = s + t * t
    b = m @ a
    return s * np.sum(m @ b)


def of_both_branches(a, m):
    s = a[0]
    for k in range(5):
        if k % 2:
            t = a[0]
            for j in range(k + 1):
                t = np.cos(t) * a[j % 3]
            s = s + t * t
        else:
            t = s
            for j in range(2):
                t = np.sin(t) * a[j % 3]
            s = s * 0.5 + t
    b = m @ a
    return s * np.sum(m @ b)


def arrays_of_a_branch(a, m):
    y = a * 1.0
    for k in range(3):
        if a[k] > 0.1:
            for j in range(k + 1):
                y = np.sin(y) * a[j]
        else:
            y = y * 0.5
    b = m @ y
    return np.sum(m @ b)


def three_deep(a, m):
    s = a[0]
    for k in range(3):
        if a[k] > 0:
            for j in range(k + 1):
                if a[j] > -10.0:
                    for i in range(j + 1):
                        s = np.sin(s) * a[i] + a[j]
                else:
                    s = s * 2.0
    b = m @ a
    return s * np.sum(m @ b)


def left_early(a, m):
    s = a[0]
    for k in range(5):
        for j in range(k + 1):
            s = np.sin(s) * a[j % 3] + a[k % 3]
            if s > 0.8:
                break
        if s > 0.9:
            break
        for j in range(3):
            if s < 0:
                continue
            s = np.cos(s) * a[j]
    b = m @ a
    return s * np.sum(m @ b)


def one_row_in_all_places(a, m):
    rows, row = [], []
    for k in range(3):
        row.append(a[k] * a[k])
        rows.append(row)
    b = m @ a
    s = 0.0
    for k in range(3):
        s += rows[0][k] * b[k] + rows[1][2]
    return s * np.sum(on_numpy(a))


def rows_that_are_dropped(a, m):
    rows = []
    for k in range(4):
        row = []
        for j in range(3):
            row.append(a[j] * (k + 1))
        if k % 2:
            rows.append(row)
    b = m @ a
    s = 0.0
    for k in range(2):
        for v in rows[k]:
            s += v * b[k]
    return s + len(rows) + len(rows[0]) * a[0]


NATIVE = [of_a_branch, of_both_branches, arrays_of_a_branch, three_deep, left_early]


@pytest.mark.parametrize("function", [*NATIVE, one_row_in_all_places, rows_that_are_dropped])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_agree(function, sign):
    stays(function, A * sign, M)


@pytest.mark.parametrize("function", NATIVE)
def test_all_loops_are_native(function):
    parts = parts_of(function, A, M)
    assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def made(items):
    return Call(items, Const(ops.build_list), ())


def push(result, items, value):
    return Call(result, Const(ops.push), (items, value))


def judged(*between, behind=()):
    """Whether rows lie in order that such an iteration keeps: it begins `row`, and pushes it to `rows`."""
    rows, param, kept = Var("rows"), Var("rows"), Var("rows")
    row, filled = Var("row"), Var("row")
    statements = [made(row), push(filled, row, Const(1.0)), *(f(row, filled) for f in between)]
    statements += [push(kept, param, filled), *(f(filled, kept) for f in behind)]
    body = Block((Var("k"), param), tuple(statements), Continue((kept,)))
    whole = Block((), (made(rows), For((Var("rows"),), Const(range(3)), (rows,), body)), Return(Const(None)))
    function = Function("f", (), (), whole, Signature())
    lists = lists_of(function, {})
    return lie_in_order(function, lists, lists.find(row))


def test_each_is_kept_once_when_it_is_whole():
    assert judged()
    assert judged(lambda row, filled: Call(Var("x"), Const(abs), (Const(1.0),)))
    assert not judged(behind=[lambda filled, kept: push(Var("row"), filled, Const(2.0))])
    assert not judged(behind=[lambda filled, kept: push(Var("rows"), kept, filled)])
    assert not judged(lambda row, filled: Call(Var("x"), Const(id), (filled,)))


def test_none_is_left_behind():
    def leaving(end):
        return lambda row, filled: If((), Const(True), Block((), (), end), Block((), (), Yield()))

    assert not judged(leaving(Break((Var("rows"),))))
    assert not judged(leaving(Continue((Var("rows"),))))
    assert judged(leaving(Yield()))
