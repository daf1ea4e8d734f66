"""Lists that regions take: of numbers, tuples, arrays and ranges, and lists of these."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.handed import Layout
from adcompile.backend.native.taken import depths, layout_of
from adcompile.backend.native.values import ArrayOf, Number, TupleOf
from adcompile.ir.nodes import Var
from adcompile.ir.types import Array, Maybe, RangeT, Scalar, Seq, TupleT
from tests.kernels import agree, agree_pulled, on_numpy, parts_of, stays

A = np.array([0.5, 1.5, -0.7])
M = np.arange(9.0).reshape(3, 3) / 9
FLOAT, INT = Scalar(frozenset({float})), Scalar(frozenset({int}))


def kept_in_loops_within(a, m):
    """Lists of lists, of several lengths."""
    s = 0.0
    for k in range(3):
        t = a[k]
        for _ in range(k + 1):
            t = np.cos(t) * a[0]
        s += t * t
    return s * np.sum(np.fft.fft(m @ a).real ** 2)


def rows_that_are_kept(a, m):
    """Lists of arrays, which nobody writes into."""
    y = a * 1.0
    for k in range(3):
        y = np.sin(y) * a[k]
    return np.sum(m @ y)


def rows_of_several_lengths(a, m):
    s = 0.0
    for k in range(3):
        row = a[: k + 1] * 2.0
        s += np.sum(np.sin(row) * row)
    return s * np.sum(np.fft.fft(m @ a).real ** 2)


def ranges_that_are_kept(a, m):
    s = 0.0
    for k in range(3):
        part = range(k + 1)
        for j in part:
            s = np.sin(s) + a[j]
    return s * np.sum(np.fft.fft(m @ a).real ** 2)


def kept_on_some_paths(a, m):
    """Of a branch that is not taken there is None in the lists, or in their place."""
    s = a[0]
    if a[1] > 0:
        for k in range(4):
            s = s * a[k % 3] + np.sin(s)
    b = m @ a
    for k in range(4):
        if b[k % 3] > 0.5:
            s = s * s * 0.1 + b[0]
    return s * np.sum(m @ b)


def arrays_on_some_paths(a, m):
    """Of arrays that are kept there are none of some iterations."""
    y, s = a * 1.0, a[0]
    for k in range(6):
        if k % 2 == 0:
            y = np.sin(y) * a[k % 3]
        else:
            s += np.sum(y * a)
    b = m @ a
    for k in range(6):
        if b[k % 3] > 0.1 * k:
            y = np.cos(y) * b[k % 3]
            s += np.sum(y)
    return s * np.sum(m @ y)


def numbers_of_iterations(a, m):
    """Integers that are kept."""
    s, n = 0.0, 1
    while n < 20:
        s += np.sin(a[n % 3] * s) * n
        n = n * 2 + 1
    return s * np.sum(np.fft.fft(m @ a).real ** 2)


HELD = [np.zeros(3), np.zeros(3)]


def arrays_that_others_know(a, m):
    """What comes in a list, and is written into by others."""
    HELD[0][:] = 1.0
    HELD[1][:] = 0.5
    first = HELD[0]
    b = m @ a
    for k in range(3):
        b[k] += first[k] * a[k]
    first *= on_numpy(a)
    s = 0.0
    for k in range(3):
        s += b[k] * HELD[0][k] * HELD[1][k]
    return s


def test_arrays_that_others_know():
    agree(arrays_that_others_know, A, M)
    agree(arrays_that_others_know, -A, M)


def read_from_the_end(a, m):
    """The derivative inside keeps vectors, and reads them from the last on."""

    def rotated(y):
        r = y
        for j in range(len(a)):
            r = np.sin(r) * a[j]
        return r

    y, pullback = ad.vjp(rotated, m[0])
    return np.sum(pullback(m[0])[0] * y)


def read_from_the_end_of_each(a, m):
    """Lists in lists, each read from its end."""

    def waves(y):
        r = y
        for j in range(3):
            for k in range(j + 1):
                r = np.sin(r * y) * a[k]
        return np.sum(r)

    g = ad.grad(waves)(m[0])
    return np.sum(g * g)


def two_pullbacks(a, m):
    def powers(y):
        parts = []
        for j in range(3):
            parts.append(y * a[j])
        r = y
        for j in range(3):
            r = r * parts[j] + parts[0]
        return r

    y, pullback = ad.vjp(powers, m[0])
    return np.sum(pullback(m[1])[0] * pullback(y)[0])


@pytest.mark.parametrize("function", [read_from_the_end, read_from_the_end_of_each, two_pullbacks])
def test_derivatives_inside(function):
    for m in (M, M[::-1] + 0.3):
        agree(function, A, m)
        agree_pulled(function, A, m)


FUNCTIONS = [kept_in_loops_within, rows_that_are_kept, rows_of_several_lengths, ranges_that_are_kept,
             kept_on_some_paths, arrays_on_some_paths, numbers_of_iterations]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_agree(function):
    stays(function, A, M)
    stays(function, -A, M * 2.0)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not kept_on_some_paths])
def test_all_loops_are_native(function):
    parts = parts_of(function, A, M)
    assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def test_they_come_as_arrays():
    kernels = parts_of(kept_in_loops_within, A, M).kernels.values()
    assert any("np.cumsum" in text for k in kernels for text in k.prepared)


def test_layouts():
    numbers, matrix = Layout(("f8",), Number("f8")), Array(np.dtype(float), ("many", "many"))
    assert layout_of(Seq(FLOAT, list)) == numbers
    assert layout_of(Seq(TupleT((FLOAT, INT)), list)) == Layout(("f8", "i8"), TupleOf((Number("f8"), Number("i8"))))
    assert layout_of(Seq(RangeT(True), list)) == Layout(("i8", "i8"), None, step=1)
    assert layout_of(Seq(matrix, list)) == Layout(("i8",) * 3, ArrayOf("f8", 2))
    assert layout_of(Seq(Seq(FLOAT, list), list)) == Layout(("i8",), None, inner=numbers)
    for other in (FLOAT, Seq(FLOAT, tuple), Seq(Maybe(FLOAT), list), Seq(Scalar(frozenset({int, float})), list)):
        assert layout_of(other) is None
    v, w = Var("v"), Var("w")
    assert depths([v, w], {v: Seq(Seq(FLOAT, list), list), w: FLOAT}, ()) == {v: 2}
    assert depths([v, w], {v: Seq(matrix, list), w: Seq(matrix, list)}, (w,)) == {w: 1}
