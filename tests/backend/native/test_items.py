"""Items of lists, put in and taken out: they are there as long as somebody has them, and no longer."""

import numpy as np
import pytest

pytest.importorskip("numba")

import numba

from adcompile.backend.native import support as nt
from adcompile.backend.native.items import item, popped, pushed, pushed_zeros, room_like


@numba.njit
def sums(n):
    items = [np.zeros(2)]
    for k in range(n):
        pushed(items, np.full(3, float(k)))
    total = 0.0
    for k in range(len(items)):
        total += item(items, k).sum() + item(items, -1)[0]
    return total


@numba.njit
def taken(n):
    items = [np.zeros(1)]
    for k in range(n):
        pushed(items, np.full(4, float(k)))
    first = popped(items)
    while len(items) > 2:
        first = first + popped(items)
    pushed(items, first)
    pushed(items, first[1:])
    return first, items[0], item(items, 2).copy(), len(items)


@numba.njit
def likes(a):
    items = [a]
    others = room_like(items, 2)
    pushed_zeros(others, item(items, 0))
    pushed(others, a)
    pushed_zeros(others, a[1:])
    return others[0], others[1], others[2]


def test_items_are_read_and_put_in():
    assert sums(5) == 3 * sum(range(5)) + 6 * 4.0
    assert sums(0) == 0.0


def test_items_are_taken_out():
    for _ in range(3):
        first, zero, last, count = taken(6)
        assert first.tolist() == [15.0] * 4 and zero.tolist() == [0.0] and last.tolist() == [15.0] * 4 and count == 4
        assert first.base.refcount == zero.base.refcount == last.base.refcount == 1, "nobody else has them"


def test_lists_that_are_made_like_others():
    a = np.arange(3.0)
    zeros, same, shorter = likes(a)
    assert zeros.tolist() == [0.0] * 3 and same.tolist() == a.tolist() and shorter.tolist() == [0.0] * 2
    assert zeros.base.refcount == shorter.base.refcount == 1


def test_rows_of_zeros():
    @numba.njit
    def made(a):
        out = room_like([a], 1)
        pushed_zeros(out, a)
        return out[0]

    assert made(np.ones((2, 3))).tolist() == [[0.0] * 3] * 2
    assert made(np.ones((0, 3))).shape == (0, 3)


def test_vectors_of_zeros_in_one_piece_of_memory():
    @numba.njit
    def made(a, b):
        return nt.zero_vectors([a, b, a[:0]], np.float64)

    a, b, c = made(np.ones(3), np.ones(9))
    assert a.tolist() == [0.0] * 3 and b.tolist() == [0.0] * 9 and c.shape == (0,)
    a += 1.0
    del a
    assert b.tolist() == [0.0] * 9 and b.flags.writeable


def test_what_is_not_there():
    @numba.njit
    def wrong(n, k):
        items = [np.zeros(1)]
        for _ in range(n):
            popped(items)
        return item(items, k)[0]

    assert wrong(0, 0) == 0.0
    for n, k in ((0, 1), (0, -2), (1, 0), (2, 0)):
        with pytest.raises(IndexError):
            wrong(n, k)
