"""Calls of the IR as statements of gast: assignments, stores, in-place updates."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from adcompile.backend import literals
from adcompile.backend.callables import attribute, load
from adcompile.backend.expressions import Expressions, is_name
from adcompile.backend.fold import Target
from adcompile.backend.purity import IN_PLACE, callee
from adcompile.backend.reuse import AUGMENTED, Reused
from adcompile.backend.undefined import StandIns, is_undefined
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Closure, DictT, Known, ListT, Method, ObjectT, Scalar, Seq, SliceT, TupleT
from adcompile.runtime import arrays, memory, plain

Out = list[Any]
NEVER_NONE = (Array, Closure, DictT, ListT, Method, ObjectT, Scalar, Seq, SliceT, TupleT)


def store(name: str) -> gast.Name:
    return gast.Name(name, gast.Store(), None, None)


def assign(name: str, value: Any) -> gast.Assign:
    return gast.Assign([store(name)], value, None)


class Statements(Expressions):
    """Prints calls that have a line of their own."""

    reused: Reused
    stand_ins: StandIns

    def call_statement(self, call: Call, out: Out) -> None:
        fn = callee(call)
        targets = self.folding.targets.get(call)
        if fn is ops.pop and targets is not None:
            self._pop_statement(call, targets, out)
        elif (fn is ops.unpack or fn is ops.unpack_star) and not call.kwargs:
            self._unpack(call, targets, out)
        elif targets:
            out.append(gast.Assign([self._starred(call, [self.target(t) for t in targets])], self.call(call), None))
        elif fn is operator.setitem and len(call.args) == 3:
            target = self.subscript(call.args[0], call.args[1], gast.Store())
            self._stored(call, gast.Assign([target], self.atom(call.args[2]), None), out)
        elif fn is operator.delitem and len(call.args) == 2:
            self._stored(call, gast.Delete([self.subscript(call.args[0], call.args[1], gast.Del())]), out)
        elif fn is setattr and isinstance(call.args[1], Const) and is_name(call.args[1].value):
            target = gast.Attribute(self.atom(call.args[0]), call.args[1].value, gast.Store())
            self._stored(call, gast.Assign([target], self.atom(call.args[2]), None), out)
        elif fn is ops.push:
            self._same_object(call, out)
            value = literals.call(attribute(self.buffer(call), "append"), self.atom(call.args[1]))
            out.append(gast.Expr(value))
        elif fn is ops.index_add:
            self._same_object(call, out)
            target = gast.Subscript(self.buffer(call), self.index(call.args[1]), gast.Store())
            out.append(self._added(target, call.args[2]))
        elif fn is arrays.accumulate:
            self._same_object(call, out)
            node = literals.call(self._adder(call), self.buffer(call), *self.atoms(call.args[1:]))
            out.append(gast.Expr(node))
        elif fn is memory.add_at:
            out.append(self._added(self._place(call), call.args[2]))
        elif fn is ops.put_item:
            self._same_object(call, out)
            target = gast.Subscript(self.buffer(call), self.index(call.args[1]), gast.Store())
            out.append(gast.Assign([target], self.atom(call.args[2]), None))
        elif fn is ops.list_set:
            self._list_set(call, out)
        elif fn is ops.read:
            out.append(gast.Expr(self._read(*call.args[:2])))
        else:
            self._value(call, out)

    def _read(self, atom: Atom, called: Atom) -> Any:
        """A name by itself, which raises where it is unbound; of one that has a stand-in there, the question for it."""
        if is_undefined(atom):  # on all paths that have been left over
            return literals.call(self.const(plain.check_bound), literals.constant(None), self.atom(called))
        known = isinstance(atom, Var) and isinstance(self.types.get(atom), NEVER_NONE)
        if not known or atom not in self.stand_ins.met:
            return self.atom(atom)
        return literals.call(self.const(plain.check_bound), self.atom(atom), self.atom(called))

    def _adder(self, call: Call) -> Any:
        """`np.add.at` where the index selects by an array; what finds out, where that is not known."""
        index = call.args[1]
        made = self.folding.inlined.get(index) if isinstance(index, Var) else None
        parts = made.args if isinstance(made, Call) and callee(made) is ops.build_tuple else (index,)
        by_array = any(isinstance(self.types.get(part), Array) for part in parts if isinstance(part, Var))
        return self.const(np.add.at if by_array else arrays.accumulate)

    def discard(self, atom: Atom, out: Out) -> None:
        """An expression for its effects alone."""
        if isinstance(atom, Var) and atom in self.folding.inlined:
            out.append(gast.Expr(self.atom(atom)))

    def _value(self, call: Call, out: Out) -> None:
        name = self.names.get(call.result)
        fn = callee(call)
        in_place = next((kind for op, kind in IN_PLACE.items() if fn is op), None)
        if name is None:
            owner: Any = self.atom(call.args[0]) if in_place is not None else None
            named = isinstance(owner, gast.Name) and isinstance(self.types.get(call.args[0]), Array)  # type: ignore[arg-type]
            if named:
                out.append(gast.AugAssign(store(owner.id), getattr(gast, in_place or "")(), self.atom(call.args[1])))
            else:
                out.append(gast.Expr(self.call(call)))
            return
        if in_place is not None and self._is_named(call.args[0], name):
            out.append(gast.AugAssign(store(name), getattr(gast, in_place)(), self.atom(call.args[1])))
        elif in_place is not None and name not in {self.names[v] for v in self.folding.reads(call.args[1])}:
            out.append(assign(name, self.atom(call.args[0])))
            out.append(gast.AugAssign(store(name), getattr(gast, in_place)(), self.atom(call.args[1])))
        elif call in self.reused and self._reuse(name, call, out):
            return
        else:
            out.append(self.assigned(name, call))

    def _reuse(self, name: str, call: Call, out: Out) -> bool:
        """`x *= …` in place of `x = x * …`, or of `y = x * …` after `y = x`."""
        k = self.reused[call]
        operand, other = call.args[k], call.args[1 - k]
        if not self._is_named(operand, name):
            if name in {self.names.get(v) for v in self.folding.reads(other)}:
                return False
            out.append(assign(name, self.atom(operand)))
        kind = getattr(gast, AUGMENTED[callee(call)])
        out.append(gast.AugAssign(store(name), kind(), self.atom(other)))
        return True

    def assigned(self, name: str, call: Call) -> Any:
        """`name = …`, or `name += …`, `name -= …`."""
        fn = callee(call)
        if (fn is operator.add or fn is operator.sub) and self._accumulates(call, name):
            if fn is operator.sub or call.role == "primal":
                kind = gast.Sub() if fn is operator.sub else gast.Add()
                return gast.AugAssign(store(name), kind, self.atom(call.args[1]))
            value = call.args[1] if self._is_named(call.args[0], name) else call.args[0]
            return self._added(store(name), value)
        return assign(name, self.call(call))

    def _place(self, call: Call) -> Any:
        """What `buffer[index] += …` adds to; the buffer itself where the index is `...`."""
        buffer, index = call.args[:2]
        node = self.atom(buffer)
        whole = isinstance(index, Const) and index.value is Ellipsis
        if whole and isinstance(node, gast.Name):
            return store(node.id)
        made = self.folding.inlined.get(buffer) if isinstance(buffer, Var) else None
        view = isinstance(made, Call) and isinstance(self.types.get(made.args[0]), Array)  # type: ignore[arg-type]
        if whole and view and isinstance(node, gast.Subscript):
            return gast.Subscript(node.value, node.slice, gast.Store())
        return self.subscript(buffer, index, gast.Store())

    def _added(self, target: Any, value: Atom) -> gast.AugAssign:
        """`x += v`; `x -= v` for a negative."""
        made = self.folded(value, operator.neg)
        if made is not None:
            return gast.AugAssign(target, gast.Sub(), self.atom(made.args[0]))
        made = self.folded(value, operator.mul)
        first = made.args[0] if made is not None else None
        if made is not None and isinstance(first, Const) and type(first.value) in (int, float) and first.value < 0:
            positive = gast.BinOp(self.const(-first.value), gast.Mult(), self.atom(made.args[1]))
            return gast.AugAssign(target, gast.Sub(), positive)
        return gast.AugAssign(target, gast.Add(), self.atom(value))

    def _is_named(self, atom: Atom, name: str) -> bool:
        return isinstance(atom, Var) and self.names.get(atom) == name

    def _accumulates(self, call: Call, name: str) -> bool:
        """Whether `x = x + v` may be written `x += v`: numbers, or an array nobody else has."""
        if call.role == "primal":  # as it stands: its operands are evaluated in this order
            first = self._is_named(call.args[0], name)
            return first and isinstance(self.types.get(call.args[0]), Scalar)  # type: ignore[arg-type]
        if not self._is_named(call.args[0], name) and (
            callee(call) is operator.sub or not self._is_named(call.args[1], name)
        ):
            return False
        if call.args[0] is call.args[1]:
            return False
        types = [self.types.get(a) if isinstance(a, Var) else Known(a.value) for a in call.args]
        if all(isinstance(t, Scalar) or isinstance(t, Known) and type(t.value) in (int, float) for t in types):
            return True
        return self.reused.get(call) == 0 and self._is_named(call.args[0], name)

    def _stored(self, call: Call, statement: Any, out: Out) -> None:
        out.append(statement)
        if call.result in self.names:
            out.append(assign(self.names[call.result], literals.constant(None)))

    def buffer(self, call: Call) -> Any:
        """The name of what a call changes in place."""
        name = self.names.get(call.result)
        return load(name) if name is not None else self.atom(call.args[0])

    def _same_object(self, call: Call, out: Out) -> None:
        """Give the result its name before the object changes, if it is not the argument's."""
        name = self.names.get(call.result)
        if name is not None and not self._is_named(call.args[0], name):
            out.append(assign(name, self.atom(call.args[0])))

    def _pop_statement(self, call: Call, targets: Sequence[Var | None], out: Out) -> None:
        value = literals.call(attribute(self.atom(call.args[0]), "pop"))
        name = self.names.get(targets[1]) if targets[1] is not None else None
        out.append(gast.Expr(value) if name is None else assign(name, value))
        rest = self.names.get(targets[0]) if targets[0] is not None else None
        if rest is not None and not self._is_named(call.args[0], rest):
            out.append(assign(rest, self.atom(call.args[0])))

    def _list_set(self, call: Call, out: Out) -> None:
        """A new list with one item changed; the list itself where nothing else has it."""
        items, index, value = call.args
        name = self.names.get(call.result)
        if name is None:
            out.append(gast.Expr(self._plain(self.const(ops.list_set), call)))
            return
        if self._is_named(items, name) and self.fresh(items):
            target = gast.Subscript(load(name), self.index(index), gast.Store())
            out.append(gast.Assign([target], self.atom(value), None))
            return
        out.append(assign(name, self._plain(self.const(ops.list_set), call)))

    def fresh(self, atom: Atom) -> bool:
        """Whether a list or dict was made in this function and is used only here."""
        return False

    # Taking apart

    def target(self, target: Target) -> Any:
        """A target of a for statement or of an unpacking."""
        if target is None or isinstance(target, Var):
            return store(self.names.get(target, "_") if target is not None else "_")
        return gast.Tuple([self.target(part) for part in target], gast.Store())

    def _unpack(self, call: Call, targets: Sequence[Var | None] | None, out: Out) -> None:
        value = self.atom(call.args[0])
        if targets is not None:
            out.append(gast.Assign([self._starred(call, [self.target(t) for t in targets])], value, None))
            return
        # the tuple itself is wanted: let it be one, of as many items
        name = self.names.get(call.result)
        if name is None:
            out.append(gast.Expr(self._plain(self.const(callee(call)), call)))
        else:
            out.append(assign(name, self._plain(self.const(callee(call)), call)))

    def _starred(self, call: Call, parts: list[Any]) -> Any:
        if callee(call) is ops.unpack_star and isinstance(call.args[1], Const):
            star = call.args[1].value
            parts[star] = gast.Starred(parts[star], gast.Store())
        kind = gast.List if not parts else gast.Tuple
        return kind(parts, gast.Store())
