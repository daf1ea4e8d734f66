"""Variables that several functions share and one of them assigns to.

A variable is a cell, like a list of one item. Where a recursive function would have to assign to it, the program is
specialised again with a real object in its place (recursion.AsObject), for values without derivatives.
"""

from __future__ import annotations

import operator

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import handles
from adcompile.analysis.containers import on
from adcompile.analysis.heap import cell_of, fresh, read, write
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Cell, Instance
from adcompile.runtime.plain import Shared

SHARED = Instance(Shared)
VALUE = Const("value")


@handles(ops.make_variable, look=())
def make_variable(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    if (place, name) not in b.context.demoted:
        return fresh(b, ops.Variable, args[0], name, place)
    real = b.emit(Const(Shared), [], SHARED, (), name, place)
    if not is_undefined(args[0]):
        b.call(operator.setitem, real, VALUE, args[0], place=place)
    return real


@handles(ops.read_variable, look=())
def read_variable(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if b.type(args[0]) == SHARED:
        return b.call(operator.getitem, args[0], VALUE, name=name, place=place)
    cell = cell_of(args[0])
    return args[0] if cell is None else read(b, cell, place)


@handles(ops.write_variable, look=())
def set_variable(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    if b.type(args[0]) == SHARED:
        return b.call(operator.setitem, args[0], VALUE, args[1], place=place)
    raise Unsupported("a recursive function assigns to a variable around it", place, "return the value instead")


@on(ops.Variable, ops.write_variable)
def write_variable(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    write(b, cell, args[0], place)
    return Const(None)
