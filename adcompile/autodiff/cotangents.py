"""The cotangents of a reverse sweep: which value has received what so far.

Contributions are added as they come. Inside a branch or loop body a child table takes over the
cotangents of values defined outside: a branch starts from what its parent has, a loop body from a
carried accumulator that it creates on first use.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import complexes
from adcompile.analysis.builder import Builder, is_structured, parts, rank
from adcompile.analysis.lengths import same_shape
from adcompile.analysis.spectra import as_like, perhaps_real, widened
from adcompile.autodiff.optional import where_there
from adcompile.errors import NotDifferentiable
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    Maybe,
    ObjectT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    differentiable,
    is_complex,
    is_inexact,
    join,
)
from adcompile.rules.runtime import total_type, zero_type


def tangent_type(t: Type) -> Type:
    """The type of tangents and cotangents of values of type `t` (DESIGN §5), for leaves."""
    match t:
        case Scalar(kinds):
            narrow = {k for k in kinds if issubclass(k, np.inexact) and k not in (np.float64, np.complex128)}
            base = {complex, np.complex128, float, np.float64} if is_complex(t) else {float, np.float64}
            return Scalar(frozenset(narrow if narrow == set(kinds) else base | narrow))
        case Array(dtype, dims):
            return Array(dtype, dims)
        case Seq(item, _):
            return Seq(tangent_structure(item), list)
        case Known(value) if isinstance(value, (float, complex)):
            return tangent_type(Scalar(frozenset({type(value)})))
        case Maybe():
            return UNKNOWN
        case _:
            return t


@dataclass
class Cotangents:
    """A table for one block; `inherit` is the parent's, seen through a branch or a loop."""

    builder: Builder
    parent: Cotangents | None = None
    loop: bool = False
    local: dict[Var, Atom] = field(default_factory=dict)
    accumulators: dict[Var, Var] = field(default_factory=dict)  # loop: outer value → carried param
    updated_in_place: set[Var] = field(default_factory=set)
    owned: set[Atom] = field(default_factory=set)
    defined: Container[Var] = field(default_factory=set)  # values defined in this block
    nothing: set[Var] = field(default_factory=set)  # neither here nor further out: asked before
    shadow: dict[Var, Atom] = field(default_factory=dict)  # arrays by reference: where theirs is collected
    copies: dict[Var, Var] = field(default_factory=dict)  # copies of values that have no shadow: whose they are
    results: list[Atom] = field(default_factory=list)  # of the function, apart from what is put back

    def child(self, builder: Builder, defined: Container[Var], loop: bool = False) -> Cotangents:
        made = Cotangents(builder, self, loop, owned=self.owned, defined=defined, shadow=self.shadow)
        made.copies = self.copies
        return made

    def __post_init__(self) -> None:
        self.in_loop: bool = self.loop or self.parent is not None and self.parent.in_loop

    def get(self, var: Var) -> Atom | None:
        """The cotangent of a leaf so far, or None."""
        if var in self.shadow:
            return self.shadow[var]
        if var in self.local:
            return self.local[var]
        if self.parent is None or var in self.nothing or self.defines(var):
            return None
        if self.loop:
            return None
        found = self.parent.get(var)
        if found is None and not self.in_loop:
            self.nothing.add(var)  # outer tables rest while this one is filled
        return found

    def defines(self, var: Var) -> bool:
        """Whether `var`, or the container it stands for a part of, is defined in this block."""
        stand_in_of = self.builder.context.stand_in_of
        while var in stand_in_of and var not in self.defined:
            var = stand_in_of[var][0]
        return var in self.defined

    def accumulator(self, var: Var) -> Atom | None:
        """Like `get`, but inside a loop an outer value gets its carried accumulator."""
        found = self.get(var)
        if found is not None or self.parent is None or var in self.nothing or self.defines(var):
            return found
        if not self.loop:
            found = self.parent.accumulator(var)
            return found
        t = tangent_type(self.builder.type(var))
        param = self.builder.new(f"{var.name}_bar", t, None)
        self.builder.context.shape[param] = self.builder.context.shape.get(var, var)
        self.accumulators[var] = param
        self.local[var] = param
        self.owned.add(param)
        return param

    def set(self, var: Var, value: Atom) -> None:
        self.local[var] = value
        made = self.builder.context.definition.get(value) if isinstance(value, Var) else None
        if made is not None and made.role != "primal" and value.name == "t" and var.name not in ("t", ""):  # type: ignore[union-attr]
            self.builder.context.names.setdefault(made.result, f"{var.name}_bar")

    # -- adding -----------------------------------------------------------------------------

    def add(self, atom: Atom, g: Atom | None) -> None:
        """Add a contribution to the cotangent of a value of any type."""
        b = self.builder
        if not isinstance(atom, Var) or g is None or isinstance(g, Const) and g.value is None:
            return
        refuse_stand_in(b, g)
        atom = self.copies.get(atom, atom)
        t = b.type(atom)
        if not differentiable(t):
            return
        if isinstance(t, (TupleT, ListT, DictT, ObjectT, Closure)):
            self.add_parts(atom, t, g)
            return
        if atom in self.shadow:
            self.add_shadow(atom, g)
            return
        g = fit(b, g, atom)
        old = self.accumulator(atom)
        if old is None:
            if isinstance(b.type(g), Array):
                self.owned.discard(g)  # another operand may have been handed it, too
            self.set(atom, g)
            return
        total = add_values(b, old, g, atom)
        self.owned.add(total)
        self.set(atom, total)

    def add_parts(self, atom: Var, t: Type, g: Atom) -> None:
        b = self.builder
        if isinstance(b.type(g), Seq):
            pieces: list[Atom] = [b.call(operator.getitem, g, i) for i in range(len(parts(t)))]
        elif is_structured(b.type(g)) or isinstance(g, Const):
            pieces = b.items(g)
        elif isinstance(t, ObjectT):
            pieces = [b.emit(getattr, (g, Const(n)), tangent_structure(p)) for n, p in zip(t.names, t.types)]
        else:  # a rule gave one array for a list of numbers, or something the cotangents of what it was given
            keys = t.keys if isinstance(t, DictT) else range(len(parts(t)))
            pieces = [b.call(operator.getitem, g, k) for k in keys]
        if isinstance(t, Closure):
            raise AssertionError("closures are split before they get cotangents")
        for item, piece in zip(self.elements(atom), pieces):
            self.add(item, piece)

    def shaped_as(self, value: Var) -> Var:
        """A value of the same shape that the reverse sweep has at hand: the shadow of an operand
        that it was computed from; else itself."""
        context = self.builder.context
        todo: list[Var] = [value] if self.shadow else []
        for _ in range(8):
            if not todo:
                break
            v = todo.pop()
            found = self.shadow.get(v)
            if found is not None:
                return found if isinstance(found, Var) else value
            made = context.definition.get(v)
            operands = () if made is None else made.args
            todo += [a for a in operands if isinstance(a, Var) and same_shape(context, a, value)]
        return value

    def add_shadow(self, atom: Var, g: Atom) -> None:
        """Add to the shadow of an array by reference, or of a list of such."""
        b = self.builder
        small = b.context.expanded.get(g) if isinstance(g, Var) else None
        if small is not None and b.context.shape.get(small[1], small[1]) is b.context.shape.get(atom, atom):
            g = small[0]
        if isinstance(b.type(atom), Seq):
            b.emit(rt.add_each, (self.shadow[atom], g), Known(None))
        else:
            into_shadow(b, self.shadow[atom], Const(Ellipsis), fit(b, g, atom, spread=False), True)

    def elements(self, atom: Var) -> list[Atom]:
        return self.builder.context_items(atom)

    def holds_structure(self, var: Var) -> bool:
        """Whether `var` is a sequence of containers, whose cotangents add up part by part."""
        t = self.builder.type(var)
        return isinstance(t, Seq) and (is_structured(t.item) or isinstance(t.item, (Seq, Unknown, Instance)))

    def add_at(self, var: Var, index: Atom, g: Atom, basic: bool) -> None:
        """Add `g` at `index` of the cotangent of `var`, in place where the buffer is ours."""
        b = self.builder
        var = self.copies.get(var, var)
        if var in self.shadow:
            into_shadow(b, self.shadow[var], index, g, basic)
            return
        old = self.accumulator(var)
        if old is None:
            old = zero(b, var)
            self.owned.add(old)
        elif old not in self.owned:
            old = b.emit(rt.copy, (old,), b.type(old), (), f"{var.name}_bar")
            b.context.shape[old] = b.context.shape.get(var, var)  # type: ignore[index]
            self.owned.add(old)
        old = widened(b, old)
        self.owned.add(old)
        self.updated_in_place.add(var)
        new = b.emit(
            rt.add_item if self.holds_structure(var) else ops.index_add if basic else rt.accumulate,
            (old, index, g),
            b.type(old),
            (),
            f"{var.name}_bar",
        )
        b.context.shape[new] = b.context.shape.get(var, var)
        self.owned.add(new)
        self.set(var, new)


def into_shadow(b: Builder, shadow: Atom, index: Atom, g: Atom, basic: bool) -> None:
    """Add `g` to an array of shadows at an index; `basic`: one that selects no element twice."""
    g = as_like(b, g, shadow)
    if isinstance(b.type(shadow), Maybe):
        where_there(b, shadow, lambda c, there: into_shadow(c, there, index, g, basic))
    elif basic and shadow not in b.context.overlapping:
        b.emit(rt.add_at, (shadow, index, g), Known(None))
    else:
        b.emit(np.ufunc.at, (Const(np.add), shadow, index, g), Known(None))


def tangent_structure(t: Type) -> Type:
    """The type of tangents of a value of any structure."""
    match t:
        case TupleT(items, cls):
            return TupleT(tuple(map(tangent_structure, items)), cls)
        case ListT(items):
            return ListT(tuple(map(tangent_structure, items)))
        case DictT(keys, values):
            return DictT(keys, tuple(map(tangent_structure, values)))
        case ObjectT(cls, names, types):
            return ObjectT(cls, names, tuple(map(tangent_structure, types)))
        case _:
            return tangent_type(t)


def shadow_type(t: Type) -> Type:
    """The type of the shadow of an array, or of a list of such; where the array is None so is its shadow."""
    if isinstance(t, Seq):
        return Seq(shadow_type(t.item), list)
    return t if isinstance(t, Maybe) else tangent_structure(t)


def zero(b: Builder, var: Var) -> Atom:
    """A fresh zero cotangent of a leaf."""
    var = b.real(var)
    t = b.type(var)
    if isinstance(t, Scalar):
        if is_complex(t):
            return Const(0.0 if b.context.by_chance else 0j)
        narrow = [k for k in tangent_type(t).kinds if k not in (float, np.float64)]  # type: ignore[union-attr]
        return Const(narrow[0](0.0)) if len(narrow) == 1 and len(t.kinds) == 1 else Const(0.0)
    fn = np.zeros_like if isinstance(t, Array) else rt.zero_list if isinstance(t, Seq) else rt.zeros_like
    dtype = (("dtype", Const(t.dtype)),) if isinstance(t, Array) and perhaps_real(b, t) else ()
    made = b.emit(fn, (var,), zero_type([t], {}) if isinstance(t, Maybe) else tangent_type(t), dtype, f"{var.name}_bar")
    b.context.shape[made] = b.context.shape.get(var, var)
    return made


def joined_type(t: Type, found: Sequence[Type]) -> Type:
    """The type of the cotangent of a value of type `t` behind a branch whose sides give these."""
    if all(f == found[0] for f in found) and not isinstance(found[0], Known):
        return found[0]
    out = tangent_type(t)
    return reduce(join, found) if out == UNKNOWN else out


def refuse_stand_in(b: Builder, g: Atom) -> None:
    """Raise where a rule says that it does not give this derivative, which is needed."""
    made = b.context.definition.get(g) if isinstance(g, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not rt.no_derivative:
        return
    message = made.args[0].value if isinstance(made.args[0], Const) else "this argument"
    raise NotDifferentiable(
        f"no derivative of {message}",
        made.place or b.place,
        "pass a value there that carries no derivative, or register a rule with adcompile.rules.vjp",
    )


def add_values(b: Builder, x: Atom, y: Atom, like: Var) -> Atom:
    if isinstance(x, Const) and x.value == 0.0 and not isinstance(b.type(like), Array):
        return y
    name = f"{like.name}_bar"
    if isinstance(b.type(like), (Seq, Unknown, Instance)):
        t = tangent_type(b.type(like))
        found = t if t != UNKNOWN else total_type([b.type(x), b.type(y)], {})
        return b.emit(rt.add, (x, y), found, (), name)
    out = b.call(operator.add, x, y, name=name)
    if isinstance(out, Var) and isinstance(b.type(like), Array):
        b.context.shape[out] = b.context.shape.get(like, like)
    return out


def fit(b: Builder, g: Atom, var: Var, spread: bool = True) -> Atom:
    """The contribution in the tangent space of `var`: real for real values, of its dtype, and
    (`spread`) of its shape where it is one number for all elements."""
    t, gt = b.type(var), b.type(g)
    if complexes.is_unknown(t) and is_complex(gt) and complexes.may_arise(b):
        return b.emit(rt.as_found, (g, b.real(var)), UNKNOWN)
    if isinstance(t, (Unknown, Instance)):
        return g
    if isinstance(t, Seq) and getattr(gt, "cls", None) is tuple:  # a rule's cotangents of operands
        return b.call(list, g)
    if isinstance(t, Seq) and isinstance(gt, Array):  # of a list that was an operand
        return b.call(rt.unjoin, Const(np.array), g, b.real(var))
    if gt == UNKNOWN and isinstance(t, Array) and spread:
        return b.call(rt.like, g, b.real(var))
    if gt == UNKNOWN and isinstance(t, Scalar) and t.kinds <= {float, np.float64}:
        return b.call(rt.like, g, 0.0)
    if is_complex(gt) and not is_complex(t) and not isinstance(t, Seq):  # a list's items are fitted one by one
        g = b.call(np.real, g)
        gt = b.type(g)
    if isinstance(t, Array) and isinstance(gt, Array) and gt.dtype != t.dtype:
        if gt.dims is None:  # it may be a number, which has no such method
            return b.call(rt.like, g, b.real(var))
        g = b.call(np.ndarray.astype, g, Const(t.dtype))
    if isinstance(t, Array) and rank(gt) == 0 and rank(t) != 0 and spread:
        g = b.call(rt.broadcast_like, g, b.real(var))
    return in_single(b, g, t)


SINGLE = frozenset({np.float32})


def in_single(b: Builder, g: Atom, t: Type) -> Atom:
    """The tangent or cotangent of a number in single precision (or a whole one, on another path) as such."""
    if not isinstance(t, Scalar) or frozenset(filter(is_inexact, t.kinds)) != SINGLE:
        return g
    if isinstance(b.type(g), Scalar) and b.type(g) != Scalar(SINGLE):
        return b.call(np.float32, g)
    return Const(np.float32(g.value)) if isinstance(g, Const) and type(g.value) is float else g


def in_dtype(b: Builder, d: Atom, of: Atom) -> Atom:
    """The tangent of `of` in its precision: the type of what holds it says so. A sum of singles and of doubles
    without a derivative has a tangent of singles."""
    t, given = b.type(of), b.type(d)
    if isinstance(t, Array) and isinstance(given, Array) and given.dtype != t.dtype:
        return b.call(rt.like, d, of) if given.dims is None else b.call(np.ndarray.astype, d, Const(t.dtype))
    if isinstance(t, Scalar) and isinstance(given, Scalar) and given.kinds == SINGLE != t.kinds:
        return b.call(np.float64, d) if t.kinds <= {float, np.float64} else d
    if not is_structured(t) or not is_structured(given) or given == tangent_structure(t):
        return d
    parts = b.items(d)
    fitted = [in_dtype(b, part, item) for part, item in zip(parts, b.items(of))]
    return d if all(one is part for one, part in zip(fitted, parts)) else b.build(given, fitted)


def as_result(b: Builder, g: Atom, call: Call) -> Atom:
    """The cotangent of a result, which is a number where the result came to one, as an array where it is one without
    axes: rules are written for arrays."""
    is_number = isinstance(b.type(call.result), Array) and isinstance(b.type(g), (Scalar, Known))
    return b.call(rt.broadcast_like, g, call.result) if is_number else g


def adds_up(t: Type) -> bool:
    """Whether a cotangent may be of this type: sums of ints wrap around, and of bools are no more than True."""
    if isinstance(t, Array):
        return t.dtype.kind in "fc"
    kinds = {type(t.value)} if isinstance(t, Known) else t.kinds if isinstance(t, Scalar) else ()
    return bool(kinds) and all(map(is_inexact, kinds))
