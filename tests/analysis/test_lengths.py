"""Equal keys are equal lengths, at whatever length the arrays have when the program runs."""

import operator
from itertools import combinations

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis import builtins, folds, stored, structure
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import new_context
from adcompile.analysis.lengths import lengths, same_shape
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Var

HANDLERS = (builtins, folds, stored, structure)  # calls find them once they are imported
SIZES = [(n, m) for n in range(6) for m in (0, 1, 2, 5)]

CUTS = [
    slice(None), slice(None, None, -1), slice(1, None), slice(2, None), slice(3, None), slice(None, -1),
    slice(None, -2), slice(1, -1), slice(2, -1), slice(1, -2), slice(None, 2), slice(None, 3), slice(1, 2), slice(0, 0),
    slice(-1, None), slice(-2, None), slice(-2, -1), slice(4, -4), slice(None, None, 2), slice(1, None, 2),
    slice(None, -1, 2), slice(-1, None, -1), slice(3, 1, -1), slice(0, None), slice(None, 0),
]  # fmt: skip


class Run:
    """The same calls on abstract arrays and on arrays of each size."""

    def __init__(self, rank=1):
        self.builder = Builder(new_context())
        self.made: dict[Var, list[np.ndarray]] = {}
        self.rank = rank

    def argument(self, name, axis):
        """An array whose axes have the first or the second of the two lengths in SIZES."""
        var = self.builder.new(name, type_of(np.ones((4,) * self.rank)))
        shapes = [(size[axis],) + size[1 - axis : 2 - axis] * (self.rank - 1) for size in SIZES]
        self.made[var] = [np.ones(shape) for shape in shapes]
        return var

    def call(self, fn, *args):
        out = self.builder.call(fn, *args)
        assert isinstance(out, Var)
        ran = []
        for k in range(len(SIZES)):
            given = [self.made[a][k] if isinstance(a, Var) else a for a in args]
            if any(a is None for a in given):
                ran.append(None)
                continue
            try:
                ran.append(fn(*given))
            except (ValueError, IndexError):  # these sizes do not broadcast, or have no element 0
                ran.append(None)
        self.made[out] = ran
        return out

    def same(self, a, b):
        return same_shape(self.builder.context, a, b)

    def check(self):
        """Arrays said to have one shape have one, at every size. How many pairs are said to."""
        found = 0
        for a, b in combinations(self.made, 2):
            if self.same(a, b):
                found += 1
                shapes = [
                    (p.shape, q.shape) for p, q in zip(self.made[a], self.made[b]) if p is not None and q is not None
                ]
                assert shapes and all(p == q for p, q in shapes), lengths(self.builder.context, a)
        return found


def test_what_slices_leave_of_one_array():
    r = Run()
    x = r.argument("x", 0)
    inner, late, early, shorter = (
        r.call(operator.getitem, x, s) for s in (slice(1, -1), slice(2, None), slice(None, -2), slice(1, None))
    )
    assert r.same(inner, late) and r.same(late, early)
    assert not r.same(inner, shorter) and not r.same(inner, x)
    assert r.same(r.call(operator.getitem, shorter, slice(None, -1)), inner)
    assert r.same(r.call(operator.add, inner, late), early)
    assert r.check() == 10


def test_slices_of_different_arrays_are_not_taken_for_equal():
    r = Run()
    x, y = r.argument("x", 0), r.argument("y", 1)
    assert not r.same(x, y)
    assert not r.same(r.call(operator.getitem, x, slice(1, -1)), r.call(operator.getitem, y, slice(2, None)))
    assert not r.same(r.call(operator.mul, x, y), x)
    assert r.check() == 0


def test_every_slice_against_every_other():
    r = Run()
    x = r.argument("x", 0)
    once = [r.call(operator.getitem, x, s) for s in CUTS]
    for s in CUTS:
        r.call(operator.getitem, once[CUTS.index(slice(1, -1))], s)
    assert r.check() > len(CUTS)


def test_axes_one_by_one():
    r = Run(rank=2)
    x, y = r.argument("x", 0), r.argument("y", 1)
    first_row, every_row = (r.call(operator.getitem, x, (slice(*s),)) for s in ((0, 1), (None,)))
    assert r.same(every_row, x) and not r.same(first_row, x)
    assert r.same(r.call(operator.getitem, x, (0, slice(1, -1))), r.call(operator.getitem, x, (-1, slice(2, None))))
    assert not r.same(r.call(operator.getitem, x, (0,)), r.call(operator.getitem, x, (slice(None), 0)))
    rows = (slice(None), slice(0, 2), slice(1, -1), slice(2, None))
    for array in (x, y):
        for first in rows:
            for index in ((first, slice(1, -1)), (..., first), (first, None, slice(2, None)), (0, first), (first, 0)):
                r.call(operator.getitem, array, index)
    assert r.check() > 10


def test_elementwise_functions_keep_the_lengths_of_their_operands():
    r = Run()
    x, y = r.argument("x", 0), r.argument("y", 1)
    s = r.call(np.sin, x)
    assert r.same(s, x) and r.same(r.call(np.zeros_like, s), x) and r.same(r.call(operator.mul, 2.0, s), x)
    assert not r.same(r.call(np.maximum, s, y), x)  # one of them may have length 1
    assert r.check() > 0


def stencil(x, u):
    """Operands that are known to agree, beside one of length 1 that is only at run time."""
    return np.sum((x[1:-1] * x[2:] - x[:-2]) ** 2 * u)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("m", [1, None])
def test_gradients_at_several_lengths(n, m):
    x = np.linspace(0.3, 1.1, n)
    u = np.linspace(0.5, 0.9, m or max(n - 2, 0))
    ad.check_grads(stencil, (x, u))
    for argument, g in zip((x, u), ad.grad(stencil, argnums=(0, 1))(x, u)):
        assert g.shape == argument.shape
