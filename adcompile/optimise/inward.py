"""Sums move inwards through what is linear, where less is left to compute: the sum of a matrix
product along its rows is the product of the summed rows.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array
from adcompile.optimise.totals import Site
from adcompile.optimise.typing import definite


def sum_inward(site: Site, call: Call, out: list[Statement]) -> Call | None:
    """`np.sum(a @ b + c * d, axis=1, keepdims=True)` with `c` of length one along the axis →
    `np.sum(a, …) @ b + c * np.sum(d, …)`, if nobody else reads what is summed."""
    settings = dict(call.kwargs)
    t = site.type(call.args[0])
    axis = settings.pop("axis", None)
    kept = settings.pop("keepdims", Const(False))
    if len(call.args) != 1 or settings or not isinstance(t, Array) or t.dims is None or not isinstance(kept, Const):
        return None
    if not isinstance(axis, Const) or type(axis.value) is not int or not -len(t.dims) <= axis.value < len(t.dims):
        return None
    inward = _Inward(site, call, axis.value % len(t.dims), out)
    if not inward.may(call.args[0]):
        return None
    if kept.value in (True,):  # or 1
        fn, args = inward.parts(call.args[0])
        return Call(call.result, Const(fn), args, (), call.place, call.role)
    index = Const((*[slice(None)] * inward.axis, 0))
    whole = inward.inside(call.args[0])
    site.sharing.fresh.add(call.result)  # of memory that nobody else has
    return Call(call.result, Const(operator.getitem), (whole, index), (), call.place, call.role)


@dataclass
class _Inward:
    site: Site
    call: Call
    axis: int
    out: list[Statement]

    def made(self, atom: Atom) -> tuple[Any, tuple[Atom, ...]] | None:
        """The operation of an adjoint that only this sum reads."""
        made = self.site.defs.get(atom) if isinstance(atom, Var) else None
        if made is None or made.role == "primal" or made.kwargs or not isinstance(made.fn, Const):
            return None
        t = self.site.type(made.result)
        fits = isinstance(t, Array) and definite(t) and t.dims is not None and self.axis < len(t.dims)
        return (made.fn.value, made.args) if fits and self.site.sharing.uses.get(made.result) == 1 else None

    def may(self, atom: Atom) -> bool:
        found = self.made(atom)
        if found is None:
            return False
        fn, args = found
        whole = self.site.type(atom)
        types = [self.site.type(a) for a in args]
        if fn is operator.add or fn is operator.sub:
            return all(t == whole for t in types) and all(map(self.may, args))
        if fn is operator.matmul:
            a, b = types
            if not isinstance(a, Array) or not isinstance(b, Array) or not isinstance(whole, Array):
                return False
            if a.dims is None or b.dims is None or whole.dims is None or a.dtype != whole.dtype:
                return False
            return len(a.dims) == len(whole.dims) == self.axis + 2 and len(b.dims) >= 2
        return fn is operator.mul and self.fixed(atom, args) is not None

    def fixed(self, atom: Atom, args: tuple[Atom, ...]) -> int | None:
        """Which factor has length one along the axis, where the other has the whole shape."""
        whole = self.site.type(atom)
        for k in (0, 1):
            t = self.site.type(args[k])
            if not isinstance(t, Array) or not isinstance(whole, Array) or self.site.type(args[1 - k]) != whole:
                continue
            if t.dims is None or whole.dims is None or t.dtype != whole.dtype or len(t.dims) != len(whole.dims):
                continue
            if t.dims[self.axis] == "one" and whole.dims[self.axis] == "many":
                return k
        return None

    def summed(self, atom: Atom) -> Var:
        """The sum of one of the operands."""
        t = self.narrowed(atom)
        return self.site.new(self.call, np.sum, (atom,), t, self.out, axis=self.axis, keepdims=True)

    def narrowed(self, atom: Atom) -> Array:
        t = self.site.type(atom)
        assert isinstance(t, Array) and t.dims is not None
        return Array(t.dtype, (*t.dims[: self.axis], "one", *t.dims[self.axis + 1 :]))

    def parts(self, atom: Atom) -> tuple[Any, tuple[Atom, ...]]:
        """The operation that gives the sum of `atom`, its operands emitted."""
        found = self.made(atom)
        assert found is not None
        fn, args = found
        if fn is operator.matmul:
            return fn, (self.summed(args[0]), args[1])
        if fn is operator.mul:
            k = self.fixed(atom, args)
            return fn, (args[0], self.summed(args[1])) if k == 0 else (self.summed(args[0]), args[1])
        return fn, tuple(map(self.inside, args))

    def inside(self, atom: Atom) -> Var:
        fn, args = self.parts(atom)
        return self.site.new(self.call, fn, args, self.narrowed(atom), self.out)
