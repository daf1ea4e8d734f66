"""Products with matrices that repeat a row, or a column, are products with that one, which is repeated then.

The cotangents of sums are such matrices.

    (1 ⊗ v) @ b   →   1 ⊗ (v @ b)          a @ (u ⊗ 1)   →   (a @ u) ⊗ 1

The gradient of `np.sum(np.tanh(a @ b) @ c @ d)` multiplies four pairs of matrices then, not eight. Only what stays one
vector is done so: in an outer product, `(a @ 1) ⊗ v`, an infinite `v` would meet the zeros of an empty sum. And only in
double precision: vectors are summed in another order than BLAS sums in its blocks.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import INT, Array, Dim, Scalar, TupleT
from adcompile.optimise.axes import Site, before_broadcast, made_by
from adcompile.optimise.shapes import PRODUCTS, transposed
from adcompile.optimise.typing import arithmetic, definite, widened
from adcompile.runtime import arrays

DOUBLE = np.dtype(np.float64)
VECTOR = Array(DOUBLE, ("many",))


@frozen(eq=False)
class Repeated:
    """A matrix whose rows are all `row`, or whose columns are all `column`, or whose elements are all `number`."""

    row: Atom | None = None
    column: Atom | None = None
    number: Atom | None = None


def product(site: Site, call: Call, out: list[Statement]) -> Call | None:
    """`a @ b` of matrices, one of which repeats a row or a column."""
    if call.kwargs or len(call.args) != 2 or not all(is_matrix(site, v) for v in (*call.args, call.result)):
        return None
    return _Product(site, call, out).written()


def is_matrix(site: Site, atom: Atom) -> bool:
    t = site.type(atom)
    return isinstance(t, Array) and t.dtype == DOUBLE and t.dims is not None and len(t.dims) == 2 and definite(t)


class _Product:
    def __init__(self, site: Site, call: Call, out: list[Statement]) -> None:
        self.site, self.call, self.out = site, call, out

    def written(self) -> Call | None:
        a, b = self.call.args
        left = self.repeated(a)
        if left is not None and left.column is None:
            return self.spread(self.times(b, self.vector(left.row, left.number, b, 0), 0), 0)
        right = self.repeated(b)
        if right is not None and right.row is None:
            return self.spread(self.times(a, self.vector(right.column, right.number, a, 1), 1), 1)
        return None

    # -- what is repeated

    def repeated(self, atom: Atom) -> Repeated | None:
        """What a matrix repeats, if the code says that it does."""
        if not isinstance(atom, Var) or atom in self.site.sharing.written or not is_matrix(self.site, atom):
            return None
        turned = transposed(atom, self.site.defs)
        if turned is not None:
            found = self.repeated(turned)
            return Repeated(found.column, found.row, found.number) if found is not None else None
        made = made_by(self.site, atom, np.copy)
        if made is not None and not made.kwargs:
            return self.repeated(made.args[0])
        small = before_broadcast(self.site, atom)
        return self.broadcast(small, self.dims(atom)) if small is not None else None

    def broadcast(self, small: Atom, dims: tuple[Dim, ...]) -> Repeated | None:
        """What becomes a matrix of these axes by being repeated."""
        t = widened(self.site.type(small))
        if isinstance(t, Scalar):
            fits = arithmetic(operator.mul, (self.site.type(small), VECTOR)) == VECTOR
            return Repeated(number=small) if fits else None
        if not isinstance(t, Array) or t.dims is None or not definite(t) or t.dtype != DOUBLE:
            return None
        if len(t.dims) == 1:
            return Repeated(row=small) if t.dims[0] == dims[1] else None
        if len(t.dims) != 2 or small in self.site.sharing.written:
            return None
        for axis in (0, 1):
            if t.dims[axis] == "one" and dims[axis] == "many" and t.dims[1 - axis] == dims[1 - axis]:
                vector = self.along(small, axis)
                return Repeated(row=vector) if axis == 0 else Repeated(column=vector)
        return None

    def along(self, matrix: Atom, axis: int) -> Atom:
        """The vector that a matrix of length one along an axis is."""
        made = made_by(self.site, matrix, np.expand_dims)
        if made is not None and not made.kwargs and self.site.type(made.args[0]) == VECTOR:
            return made.args[0]
        index = (0, slice(None)) if axis == 0 else (slice(None), 0)
        return self.made(operator.getitem, matrix, Const(index), dim=self.dims(matrix)[1 - axis])

    def dims(self, atom: Atom) -> tuple[Dim, ...]:
        t = self.site.type(atom)
        assert isinstance(t, Array) and t.dims is not None
        return t.dims

    # -- vectors

    def made(self, fn: Any, *args: Atom, dim: Dim = "many") -> Var:
        """A vector."""
        for a in args:
            self.reads(a)
        return self.site.new(self.call, fn, args, Array(DOUBLE, (dim,)), self.out)

    def reads(self, atom: Atom) -> None:
        if isinstance(atom, Var):
            self.site.sharing.uses[atom] = self.site.sharing.uses.get(atom, 0) + 1

    def vector(self, vector: Atom | None, number: Atom | None, matrix: Atom, axis: int) -> Atom:
        """What is multiplied by a matrix along an axis: a vector, or so often a number."""
        if vector is not None:
            return vector
        assert number is not None
        while (turned := transposed(matrix, self.site.defs)) is not None:
            matrix, axis = turned, 1 - axis
        self.reads(matrix)
        shape = self.site.new(self.call, np.shape, (matrix,), TupleT((INT, INT)), self.out)
        length = self.site.new(self.call, operator.getitem, (shape, Const(axis)), INT, self.out)
        dim = self.dims(matrix)[axis]
        ones = self.made(np.ones, length, dim=dim)
        return ones if self.site.is_number(number, 1) else self.made(operator.mul, number, ones, dim=dim)

    def times(self, matrix: Atom, vector: Atom, axis: int) -> Atom:
        """A matrix times a vector along an axis; a product by its parts, so that nobody need compute it for that."""
        turned = transposed(matrix, self.site.defs)
        if turned is not None:
            return self.times(turned, vector, 1 - axis)
        made = made_by(self.site, matrix, *PRODUCTS)
        parts = made.args if made is not None and not made.kwargs and matrix not in self.site.sharing.written else ()
        if len(parts) == 2 and all(is_matrix(self.site, a) for a in parts):
            near, far = parts[axis], parts[1 - axis]
            return self.times(far, self.times(near, vector, axis), axis)
        args = (vector, matrix) if axis == 0 else (matrix, vector)
        return self.made(operator.matmul, *args, dim=self.dims(matrix)[1 - axis])

    # -- the product

    def spread(self, vector: Atom, axis: int) -> Call:
        """A vector, repeated along an axis, as memory of its own."""
        t = self.site.type(self.call.result)
        small = vector
        if axis == 1:
            column = Array(DOUBLE, (self.dims(self.call.result)[0], "one"))
            small = self.site.new(self.call, np.expand_dims, (vector, Const(1)), column, self.out)
            self.reads(vector)
        form = self.form()
        ones = self.site.new(self.call, arrays.broadcast_like, (Const(1.0), form), t, self.out)
        for a in (small, form):
            self.reads(a)
        return Call(self.call.result, Const(operator.mul), (small, ones), (), self.call.place, self.call.role)

    def form(self) -> Atom:
        """What has the shape of the product."""
        first = self.site.first(self.call.result)
        if first is not self.call.result:
            return first
        for a in self.call.args:
            self.reads(a)
        t = self.site.type(self.call.result)
        return self.site.new(self.call, rt.product_outline, self.call.args, t, self.out)
