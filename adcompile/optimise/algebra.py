"""Algebra of adjoints and tangents: the identities that make a derivative look hand-written.

Primal statements are left alone, when they run again as well: these rewrites may change the last bit of a result.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import MutableMapping
from typing import Any

import numpy as np

from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Array, Known, Scalar, Type
from adcompile.optimise.effects import Effects
from adcompile.optimise.helpers import BROADCASTS, HELPERS, ONES, UNIFORM, ZEROS, makes_zeros
from adcompile.optimise.patterns import (
    COST,
    COSTLY,
    LITERAL,
    NUMBER,
    SAME_AS,
    Computed,
    Hole,
    Number,
    Operation,
    Pattern,
    Rule,
    rule,
)
from adcompile.optimise.rewrite import ForwardWalk
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.sharing import Sharing, is_fresh
from adcompile.optimise.totals import Settings, settings_of
from adcompile.optimise.typing import (
    agree,
    arithmetic,
    definite,
    hashable,
    inexact,
    is_real,
    kinds,
    precision,
    type_of,
    widened,
)

TABLE: tuple[Rule, ...] = (
    # a seed of one multiplies away
    rule("x * 1", "x"),
    rule("1 * x", "x"),
    rule("x / 1", "x"),
    rule("x ** 1", "x"),
    # adding nothing
    rule("x + 0", "x"),
    rule("0 + x", "x"),
    rule("x - 0", "x"),
    rule("0 - x", "-x"),
    # nothing times anything is nothing: a derivative through what has no influence
    rule("x * 0", "0"),
    rule("0 * x", "0"),
    rule("0 / x", "0"),
    rule("neg(0)", "0"),
    # literals stand in front
    rule("x * c", "c * x"),
    # literals meet and become one
    rule("c * (d * x)", "{c * d} * x"),
    rule("c * (x / d)", "{c / d} * x"),
    rule("(c * x) / d", "{c / d} * x"),
    rule("c * (d / x)", "{c * d} / x"),
    rule("c * ((d * x) * y)", "({c * d} * x) * y"),
    rule("c * (x * (d * y))", "({c * d} * x) * y"),
    rule("(c * x) * (d * y)", "({c * d} * x) * y"),
    rule("c * ((d * x) / y)", "({c * d} * x) / y"),
    rule("c * x + d * x", "{c + d} * x"),
    rule("c * x - d * x", "{c - d} * x"),
    rule("c * x + x", "{c + 1} * x"),
    rule("x + c * x", "{1 + c} * x"),
    rule("x + x", "2 * x"),
    rule("(x + y) + y", "x + 2 * y"),
    # signs move up to where they meet or turn a sum into a difference
    rule("-(-x)", "x"),
    rule("-1 * x", "-x"),
    rule("-(c * x)", "{-c} * x"),
    rule("c * (-x)", "{-c} * x"),
    rule("x / -1", "-x"),
    rule("-(x - y)", "y - x"),
    rule("(-x) * (-y)", "x * y"),
    rule("(-x) * y", "-(x * y)", "wide x"),
    rule("x * (-y)", "-(x * y)", "wide y"),
    rule("(-x) / y", "-(x / y)", "wide x"),
    rule("x / (-y)", "-(x / y)", "wide y"),
    rule("x + (-y)", "x - y"),
    rule("(-x) + y", "y - x"),
    rule("x - (-y)", "x + y"),
    rule("(-x) - y", "-(x + y)"),
    rule("x + (-y) * z", "x - y * z"),
    rule("x + y * (-z)", "x - y * z"),
    rule("x - (-y) * z", "x + y * z"),
    rule("x - y * (-z)", "x + y * z"),
    rule("x + c * y", "x - {-c} * y", "negative"),
    rule("x - c * y", "x + {-c} * y", "negative"),
    rule("c * x + y", "y - {-c} * x", "negative"),
    # a reciprocal is a division
    rule("x * (1 / y)", "x / y"),
    rule("(1 / y) * x", "x / y"),
    rule("x * (-1 / y)", "-(x / y)"),
    rule("(-1 / y) * x", "-(x / y)"),
    rule("-(c / y)", "{-c} / y"),
    # NumPy divides without raising
    rule("x * quotient(1, y)", "x / y", "array"),
    rule("quotient(1, y) * x", "x / y", "array"),
    rule("quotient(-1, y) * x", "-(x / y)", "array"),
    rule("x * quotient(1, y)", "quotient(x, y)"),
    rule("quotient(1, y) * x", "quotient(x, y)"),
    rule("quotient(c, y) * d", "quotient({c * d}, y)"),
    rule("d * quotient(c, y)", "quotient({c * d}, y)"),
    # what is real is its own conjugate
    rule("conj(x)", "x", "real"),
    rule("real(x)", "x", "real"),
    rule("conj(conj(x))", "x"),
    # what was divided by comes back
    rule("x * (y / x)", "y"),
    rule("(y / x) * x", "y"),
    rule("x - x", "0"),
    # a choice of equals
    rule("where(m, x, x)", "x"),
)

_BY_ROOT: dict[Any, list[Rule]] = {r.before.fn: [] for r in TABLE}
for _rule in TABLE:
    _BY_ROOT[_rule.before.fn].append(_rule)

_MOST = 16  # rewrites of one statement in one walk; chains are shorter
_UNIFIED = frozenset({operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg})


def algebra(block: Block, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> Block:
    """Apply TABLE and HELPERS to adjoint and tangent statements.

    A rule fires if it costs no more than it saves: an operation that others read too is not saved
    by rewriting one of its readers.
    """
    return _Algebra(types, effects, sharing).block(block)


class _Algebra(ForwardWalk):
    def __init__(self, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> None:
        super().__init__(types)
        self.effects, self.sharing = effects, sharing
        self.shapes = Shapes(types, self.defs)
        self.marks: list[tuple[int, int]] = []
        self.known: dict[tuple[Any, ...], Var] = {}  # sums by what is summed, quotients by their operands, oldest first

    def enter(self) -> None:
        self.marks.append((self.shapes.mark(), len(self.known)))

    def leave(self) -> None:
        shapes, known = self.marks.pop()
        self.shapes.undo(shapes)
        while len(self.known) > known:
            self.known.popitem()

    def emit(self, call: Call, out: list[Statement]) -> None:
        super().emit(call, out)
        self.shapes.note(call)
        changed = call.result in self.sharing.changing and not makes_zeros(call)
        if changed or any(a in self.sharing.changing for a in call.args):
            self.defs.pop(call.result, None)  # computed again later, it would be something else
            return
        if is_fresh(call, self.types):
            self.sharing.fresh.add(call.result)
        key: tuple[Any, ...] = (operator.truediv, *call.args) if self.operation(call) is operator.truediv else ()
        if isinstance(call.fn, Const) and call.fn.value is np.sum and (settings := settings_of(call)) is not None:
            key = (np.sum, call.args[0], settings)
        if key and key not in self.known:
            self.known[key] = call.result

    # -- rewriting one call -----------------------------------------------------------------

    def visit(self, call: Call, out: list[Statement]) -> None:
        if call.role in ("primal", "again") or not isinstance(call.fn, Const):
            self.emit(call, out)
            return
        self.shapes.note(call)  # its result's shape, which replacements must have
        for _ in range(_MOST):
            new = self._once(call, out)
            if new is None or new is call:
                break
            if not isinstance(new, Call):
                self._settle(call, new, out)
                return
            if is_fresh(call, self.types) and not is_fresh(new, self.types) and not self._becomes_view(call, new):
                break
            call = new
        self.emit(call, out)

    def _becomes_view(self, call: Call, view: Call) -> bool:
        """Whether the array may be a view: nobody writes into it, or into what it would be a view of."""
        if call.result in self.sharing.written or any(a in self.sharing.changing for a in view.args):
            return False
        self.sharing.fresh.discard(call.result)
        return True

    def _settle(self, call: Call, atom: Atom, out: list[Statement]) -> None:
        """Read `atom` for the result; as a copy, if two would share memory who may not."""
        if self.sharing.may_merge(call.result, atom) or self._handed_over(call.result, atom):
            self.sharing.merge(call.result, atom)
            self.replace(call.result, atom)
        elif isinstance(call.fn, Const) and call.fn.value in (np.copy, np.real, np.imag):  # which show the memory
            self.emit(call, out)
        else:
            self.emit(Call(call.result, Const(np.copy), (atom,), (), call.place, call.role), out)

    def _handed_over(self, result: Var, atom: Atom) -> bool:
        """Whether `atom` is a fresh array that only this statement reads."""
        if not isinstance(atom, Var) or atom not in self.sharing.fresh or self.sharing.uses.get(atom) != 1:
            return False
        return self.level.get(atom) == self.depth and self.types.get(atom) == self.types.get(result)

    def _once(self, call: Call, out: list[Statement]) -> Call | Atom | None:
        """The first rewrite that applies: another call of the same result, or an atom."""
        assert isinstance(call.fn, Const)
        fn = call.fn.value
        if not hashable(fn):
            return None
        helper = HELPERS.get(fn)
        if helper is not None:
            new = helper(self, call, out)
            if new is not None:
                return new
        root = self.operation(call)
        if root is None:
            return None
        if root not in _BY_ROOT:
            return None
        for r in _candidates(root, tuple(self._kind(a) for a in call.args)):
            found: dict[str, Atom] = {}
            saved = self._match(r.before, call, found)
            if saved is not None and r.cost <= saved and self._allowed(r, call, found):
                new = self._apply(r, call, found, out)
                if new is not None:
                    return new
        return None

    # -- matching ---------------------------------------------------------------------------

    def operation(self, call: Call) -> Any:
        """The operator a call is, NumPy's functions included where they are the same."""
        if not isinstance(call.fn, Const) or call.kwargs:
            return None
        fn = call.fn.value
        if isinstance(fn, np.ufunc) and fn in SAME_AS and len(call.args) == fn.nin:
            same = isinstance(self.types.get(call.result), Array)
            return SAME_AS[fn] if same else None
        return fn

    def _kind(self, atom: Atom) -> Any:
        """What rules ask of an operand: a literal, the operation that made it, or neither."""
        if _is_literal(atom):
            return LITERAL
        made = self.defs.get(atom) if isinstance(atom, Var) else None
        return None if made is None else self.operation(made)

    def _match(self, p: Operation, call: Call, found: dict[str, Atom]) -> int | None:
        """The cost of what the replacement saves: the call itself, and the calls inside that
        nobody else reads. None if the pattern does not match."""
        if len(p.args) != len(call.args):
            return None
        saved = COST.get(p.fn, COSTLY)
        for part, atom in zip(p.args, call.args):
            inner = self._match_atom(part, atom, found)
            if inner is None:
                return None
            saved += inner
        return saved

    def _match_atom(self, p: Pattern, atom: Atom, found: dict[str, Atom]) -> int | None:
        match p:
            case Hole(name, literal):
                if literal and not _is_literal(atom):
                    return None
                known = found.setdefault(name, atom)
                same = known is atom or _is_literal(atom) and _is_literal(known) and _value(known) == _value(atom)
                return 0 if same else None
            case Number(value):
                if not self.is_number(atom, value):
                    return None
                found[f"#{len(found)}"] = atom  # an operand like others, for the shape
                return 0
            case Operation():
                inner = self.defs.get(atom) if isinstance(atom, Var) else None
                if inner is None or self.operation(inner) is not p.fn or not inexact(self.types[inner.result]):
                    return None  # integers wrap around
                saved = self._match(p, inner, found)
                if saved is None:
                    return None
                # what others read too stays, and so does what was inside it
                single = self.sharing.uses.get(inner.result, 0) <= 1 and inner.role != "primal"
                return saved if single else 0
            case Computed():
                return None

    def is_number(self, atom: Atom, value: int) -> bool:
        """Whether an atom is this number, or an array of nothing else."""
        t = type_of(atom, self.types)
        if isinstance(t, Known) and kinds(t):
            return not isinstance(t.value, (bool, np.bool_)) and bool(t.value == value)
        call = self.defs.get(atom) if isinstance(atom, Var) and value in (0, 1) else None
        if call is None or not isinstance(call.fn, Const) or not isinstance(t, (Array, Scalar)):
            return False
        fn = call.fn.value
        if self.operation(call) is operator.pow and value == 1:
            return self.is_number(call.args[1], 0)
        if hashable(fn) and (fn in BROADCASTS or fn is np.expand_dims):
            return self.is_number(call.args[0], value)
        # what is written into later need not hold what it was made with
        return hashable(fn) and fn in (ONES if value else ZEROS) and atom not in self.sharing.written

    def _allowed(self, r: Rule, call: Call, found: dict[str, Atom]) -> bool:
        if not inexact(self.types[call.result]):
            return False
        if r.only == "real":
            return all(is_real(type_of(a, self.types)) for a in found.values())
        if r.only == "array":
            return isinstance(self.type(found["x"]), Array)
        if r.only == "negative":
            c = _value(found["c"])
            return not isinstance(c, (complex, np.complexfloating)) and bool(c < 0)
        if r.only.startswith("wide"):
            # the sign of a scalar is cheaper than that of the array it is multiplied into
            scalar = isinstance(widened(self.type(found[r.only[-1]])), Scalar)
            return not scalar or not isinstance(self.types[call.result], Array)
        return r.before.fn is not operator.mul or r.text != "x * c → c * x" or not _is_literal(found["x"])

    # -- replacing --------------------------------------------------------------------------

    def _apply(self, r: Rule, call: Call, found: dict[str, Atom], out: list[Statement]) -> Call | Atom | None:
        wanted = self.types[call.result]
        if r.after == Number(0):
            return self._zero(call, found)
        made: list[tuple[Call, Type]] = []
        atom, t = self._build(r.after, call, found, made)
        if atom is None or not agree(t, wanted) or not self._same_shape(call, atom, t, found, made):
            return None
        if any(precision(inner) != precision(wanted) or not inexact(inner) for _, inner in made[:-1]):
            return None  # an inner result would be rounded to float32 on the way to float64, or wrap around
        for inner, type_ in made[:-1]:
            self.types[inner.result] = type_
            self.sharing.uses[inner.result] = 1
            self.visit(inner, out)
        if not made:
            return atom
        last = self.operands(made[-1][0])
        return Call(call.result, last.fn, last.args, (), call.place, call.role)

    def _build(
        self, p: Pattern, call: Call, found: dict[str, Atom], made: list[tuple[Call, Type]]
    ) -> tuple[Atom | None, Type]:
        """The replacement as an atom, its new calls in `made`, and its type."""
        atom: Atom | None
        match p:
            case Hole(name, _):
                atom = found[name]
            case Number(value):
                atom = Const(float(value))
            case Computed():
                value = _compute(p, found)
                if value is None:
                    return None, Known(None)
                atom = Const(value)
            case Operation(fn, parts):
                atoms: list[Atom] = []
                types: list[Type] = []
                for part in parts:
                    inner, t = self._build(part, call, found, made)
                    if inner is None:
                        return None, t
                    atoms.append(inner)
                    types.append(t)
                t = arithmetic(fn, tuple(types))
                new = Call(Var(call.result.name, call.place), Const(fn), tuple(atoms), (), call.place, call.role)
                made.append((new, t))
                return new.result, t
        return atom, type_of(atom, self.types)

    def _same_shape(
        self, call: Call, atom: Atom, t: Type, found: dict[str, Atom], made: list[tuple[Call, Type]]
    ) -> bool:
        """Whether the replacement has the shape of the result."""
        wanted = self.types[call.result]
        if not isinstance(wanted, Array):
            return True
        operands = [a for a in found.values() if isinstance(type_of(a, self.types), Array)]
        read = {a for c, _ in made for a in c.args} | {atom}
        if all(a in read for a in operands):
            return True  # every operand still takes part in the broadcast
        if isinstance(t, Array) and definite(t) and t.dims == wanted.dims:
            return True  # a dimension that is not one is never stretched
        arrays = [a for a in operands if a in read]
        return bool(arrays) and all(self.shapes.same(a, call.result) for a in arrays)

    def _zero(self, call: Call, found: dict[str, Atom]) -> Call | Atom | None:
        """Zeros of the result's type and shape."""
        wanted = self.types[call.result]
        if isinstance(wanted, Scalar):
            return zero_of(wanted)
        for a in found.values():
            t = type_of(a, self.types)
            if isinstance(t, Array) and isinstance(wanted, Array) and t.dtype == wanted.dtype and self.same(a, call):
                return Call(call.result, Const(np.zeros_like), (a,), (), call.place, call.role)
        return None

    # -- what helpers ask -------------------------------------------------------------------

    def same(self, atom: Atom, call: Call) -> bool:
        """Whether an operand has the shape of an elementwise call's result."""
        return self.same_shape(atom, call.result)

    def same_shape(self, a: Atom, b: Atom) -> bool:
        """Whether two values that broadcast with each other have the same shape."""
        if self.shapes.same(a, b):
            return True
        ta, tb = type_of(a, self.types), type_of(b, self.types)
        return isinstance(ta, Array) and isinstance(tb, Array) and definite(ta) and ta.dims == tb.dims

    def total(self, summed: Atom, settings: Settings) -> Var | None:
        return self._lasting((np.sum, summed, settings))

    def quotient(self, x: Atom, y: Atom) -> Var | None:
        return self._lasting((operator.truediv, x, y))

    def _lasting(self, key: tuple[Any, ...]) -> Var | None:
        """Where this has been worked out, and nothing of it been written into since."""
        found = self.known.get(key)
        return None if any(a in self.sharing.written for a in (*key[1:3], found)) else found

    def first(self, atom: Atom) -> Atom:
        """The oldest value of this shape: for those who read nothing else of it."""
        return self.shapes.first(atom) if isinstance(atom, Var) and isinstance(self.type(atom), Array) else atom

    def type(self, atom: Atom) -> Type:
        return type_of(atom, self.types)

    def new(self, call: Call, fn: Any, args: tuple[Atom, ...], t: Type, out: list[Statement], **kwargs: Any) -> Var:
        """Emit a call whose result the replacement of `call` reads."""
        result = Var(call.result.name, call.place)
        self.types[result] = t
        self.sharing.uses[result] = 1
        settings = tuple((k, Const(v)) for k, v in kwargs.items())
        self.emit(Call(result, Const(fn), args, settings, call.place, call.role), out)
        return result


@functools.lru_cache(maxsize=4096)
def _candidates(root: Any, kinds_: tuple[Any, ...]) -> tuple[Rule, ...]:
    """The rules for an operation whose operands are of these kinds."""
    return tuple(r for r in _BY_ROOT[root] if all(map(_may_be, r.needs, kinds_)))


def _may_be(need: Any, kind: Any) -> bool:
    """Whether an operand of this kind may be what a rule needs; a quick look before matching."""
    if need is None or need is kind:
        return True
    return need is NUMBER and (kind is LITERAL or kind in UNIFORM)


def zero_of(t: Type) -> Const | None:
    """The zero of a scalar type of one class."""
    if isinstance(t, Scalar) and len(t.kinds) == 1:
        (kind,) = t.kinds
        return Const(kind(0))
    return None


def _is_literal(atom: Atom) -> bool:
    return (
        isinstance(atom, Const)
        and isinstance(atom.value, (int, float, complex, np.number))
        and not isinstance(atom.value, bool)
    )


def _value(atom: Atom) -> Any:
    assert isinstance(atom, Const)
    return atom.value


def _compute(p: Computed, found: dict[str, Atom]) -> Any:
    """The literal a replacement needs; None if it would not be finite."""
    values = {name: a.value for name, a in found.items() if isinstance(a, Const) and name in ("c", "d")}
    try:
        value = p.value(values)
    except ArithmeticError:
        return None
    finite = math.isfinite(value) if not isinstance(value, (complex, np.complexfloating)) else np.isfinite(value)
    return value if finite else None
