"""Products with matrices of rank one are products of vectors: rows or columns that are all equal, as those of a sum's
cotangent are, and outer products.

    (1 ⊗ v) @ b   →   1 ⊗ (v @ b)          a @ (u ⊗ v)   →   (a @ u) ⊗ v

The gradient of `np.sum(np.tanh(a @ b) @ c @ d)` multiplies three pairs of matrices then, not nine.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Dim, Scalar
from adcompile.optimise.axes import Site, before_broadcast, made_by
from adcompile.optimise.shapes import transposed
from adcompile.optimise.typing import arithmetic, definite, inexact, widened
from adcompile.runtime import arrays

ONE = Const(1.0)


@frozen(eq=False)
class RankOne:
    """The outer product of two vectors; None for one of ones. Where both are, all elements are `scale`."""

    column: Atom | None = None
    row: Atom | None = None
    scale: Atom = ONE

    @property
    def turned(self) -> RankOne:
        return RankOne(self.row, self.column, self.scale)


def product(site: Site, call: Call, out: list[Statement]) -> Call | None:
    """`a @ b` of matrices of one dtype, one of which has rank one."""
    if call.kwargs or len(call.args) != 2 or not all(is_matrix(site, v) for v in (*call.args, call.result)):
        return None
    if len({site.type(v).dtype for v in (*call.args, call.result)}) > 1:  # type: ignore[union-attr]
        return None
    return _Product(site, call, out).written()


def is_matrix(site: Site, atom: Atom) -> bool:
    t = site.type(atom)
    return isinstance(t, Array) and t.dims is not None and len(t.dims) == 2 and definite(t) and inexact(t)


class _Product:
    def __init__(self, site: Site, call: Call, out: list[Statement]) -> None:
        self.site, self.call, self.out = site, call, out
        t = site.type(call.result)
        assert isinstance(t, Array)
        self.dtype = t.dtype

    def written(self) -> Call | None:
        a, b = self.call.args
        one = self.rank_one(a)
        if one is not None:
            row = self.summed(b, 0, one.scale) if one.row is None else self.made(operator.matmul, one.row, b, at=(b, 1))
            return self.outer(one.column, row)
        one = self.rank_one(b)
        if one is None:
            return None
        column = self.summed(a, 1, one.scale) if one.column is None else None
        if column is None:
            assert one.column is not None
            column = self.made(operator.matmul, a, one.column, at=(a, 0))
        return self.outer(column, one.row)

    # -- matrices of rank one

    def rank_one(self, atom: Atom) -> RankOne | None:
        """A matrix as an outer product, if the code says that it is one."""
        if not isinstance(atom, Var) or atom in self.site.sharing.written or not is_matrix(self.site, atom):
            return None
        turned = transposed(atom, self.site.defs)
        if turned is not None:
            found = self.rank_one(turned)
            return found.turned if found is not None else None
        made = self.site.defs.get(atom)
        if made is None or not isinstance(made.fn, Const) or made.kwargs:
            return None
        if made.fn.value is np.copy:
            return self.rank_one(made.args[0])
        if made.fn.value is np.outer and all(self.is_vector(v) for v in made.args) and len(made.args) == 2:
            return RankOne(*made.args)
        small = before_broadcast(self.site, atom)
        return self.broadcast(small, self.dims(atom)) if small is not None else None

    def broadcast(self, small: Atom, dims: tuple[Dim, ...]) -> RankOne | None:
        """What becomes a matrix of these axes by being repeated."""
        t = widened(self.site.type(small))
        if isinstance(t, Scalar):
            vector = Array(self.dtype, ("many",))
            return RankOne(scale=small) if arithmetic(operator.mul, (self.site.type(small), vector)) == vector else None
        if not isinstance(t, Array) or t.dims is None or not definite(t) or t.dtype != self.dtype:
            return None
        if len(t.dims) == 1:
            return RankOne(row=small) if t.dims[0] == dims[1] else None
        if len(t.dims) != 2 or small in self.site.sharing.written:
            return None
        for axis in (0, 1):
            if t.dims[axis] == "one" and dims[axis] == "many" and t.dims[1 - axis] == dims[1 - axis]:
                vector = self.along(small, axis)
                return RankOne(row=vector) if axis == 0 else RankOne(column=vector)
        return None

    def along(self, matrix: Atom, axis: int) -> Atom:
        """The vector that a matrix of length one along an axis is."""
        made = made_by(self.site, matrix, np.expand_dims)
        if made is not None and not made.kwargs and self.is_vector(made.args[0]):
            return made.args[0]
        index = (0, slice(None)) if axis == 0 else (slice(None), 0)
        return self.made(operator.getitem, matrix, Const(index), at=(matrix, 1 - axis))

    def dims(self, atom: Atom) -> tuple[Dim, ...]:
        t = self.site.type(atom)
        assert isinstance(t, Array) and t.dims is not None
        return t.dims

    def is_vector(self, atom: Atom) -> bool:
        t = self.site.type(atom)
        return isinstance(t, Array) and t.dims is not None and len(t.dims) == 1 and t.dtype == self.dtype

    # -- what takes their place

    def made(self, fn: Any, *args: Atom, at: tuple[Atom, int], **kwargs: Any) -> Var:
        """A vector as long as an axis of a matrix."""
        for a in args:
            self.reads(a)
        t = Array(self.dtype, (self.dims(at[0])[at[1]],))
        return self.site.new(self.call, fn, args, t, self.out, **kwargs)

    def reads(self, atom: Atom) -> None:
        if isinstance(atom, Var):
            self.site.sharing.uses[atom] = self.site.sharing.uses.get(atom, 0) + 1

    def summed(self, matrix: Atom, axis: int, scale: Atom = ONE) -> Var:
        """A matrix summed along an axis: a product by its parts, so that nobody need compute it for that."""
        if not (isinstance(scale, Const) and scale.value == 1):
            total = self.summed(matrix, axis)
            return self.made(operator.mul, scale, total, at=(matrix, 1 - axis))
        turned = transposed(matrix, self.site.defs)
        if turned is not None:
            return self.summed(turned, 1 - axis)
        made = made_by(self.site, matrix, operator.matmul, np.matmul, np.dot)
        if made is not None and not made.kwargs and len(made.args) == 2 and matrix not in self.site.sharing.written:
            if all(is_matrix(self.site, a) and self.site.type(a).dtype == self.dtype for a in made.args):  # type: ignore[union-attr]
                a, b = made.args
                parts = (self.summed(a, 0), b) if axis == 0 else (a, self.summed(b, 1))
                return self.made(operator.matmul, *parts, at=(matrix, 1 - axis))
        return self.made(np.sum, matrix, at=(matrix, 1 - axis), axis=axis)

    def outer(self, column: Atom | None, row: Atom | None) -> Call:
        """The product, as memory of its own, in rows."""
        if column is not None and row is not None:
            return self.replaced(np.outer, column, row)
        small = row
        if row is None:
            assert column is not None
            t = Array(self.dtype, (self.dims(self.call.result)[0], "one"))
            small = self.site.new(self.call, np.expand_dims, (column, Const(1)), t, self.out)
            self.reads(column)
        assert small is not None
        form, one = self.form(), 1.0 if self.dtype == float else self.dtype.type(1)
        t = self.site.type(self.call.result)
        ones = self.site.new(self.call, arrays.broadcast_like, (Const(one), form), t, self.out)
        for a in (small, form):
            self.reads(a)
        return self.replaced(operator.mul, small, ones)

    def form(self) -> Atom:
        """What has the shape of the product."""
        first = self.site.first(self.call.result)
        if first is not self.call.result:
            return first
        for a in self.call.args:
            self.reads(a)
        t = self.site.type(self.call.result)
        return self.site.new(self.call, rt.product_outline, self.call.args, t, self.out)

    def replaced(self, fn: Any, *args: Atom) -> Call:
        return Call(self.call.result, Const(fn), args, (), self.call.place, self.call.role)
