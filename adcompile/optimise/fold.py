"""Folding: what is known when the program is built is not computed when it runs.

All of it is bit-exact, so it holds for primal statements too: values that types know, Python
arithmetic of literals, branches on known tests, elements of structures built in sight.
"""

from __future__ import annotations

import math
import operator
from collections.abc import MutableMapping
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, End, If, Statement, Var, While, Yield
from adcompile.ir.types import Known, Scalar, SliceT, TupleT, Type
from adcompile.optimise.effects import Effects
from adcompile.optimise.rewrite import ForwardWalk
from adcompile.optimise.sharing import Sharing
from adcompile.optimise.typing import INPLACE, SIMPLE, hashable, is_immutable, kinds, type_of, widened

_PYTHON = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg, operator.pos),
        *(operator.truediv, operator.pow, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
        *(operator.not_, operator.is_, operator.is_not, operator.truth, operator.and_, operator.or_, operator.xor),
        *(abs, float, int, bool, min, max),
    }
)
_BUILT = (ops.build_tuple, ops.build_list, ops.tuple_concat)
_WIDEST = 128  # bits of an integer that is worth folding


def fold(block: Block, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> Block:
    """Compute what is known.

    - a value whose type is Known is read as the literal;
    - `2 * 3` → `6`; primal floats as well, since Python would compute the same bits;
    - an If on a known test is the branch taken; so is one on a test that an outer If decided;
    - `(a, b)[0]` → `a`, `len((a, b))` → `2`, `float(x)` of a float → `x`;
    - `pop(push(stack, v))` → `(stack, v)`.
    """
    return _Fold(types, effects, sharing).block(block)


class _Fold(ForwardWalk):
    def __init__(self, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> None:
        super().__init__(types)
        self.effects, self.sharing = effects, sharing
        self.decided: dict[Var, bool] = {}  # tests of the Ifs around

    def define(self, results: tuple[Var, ...]) -> None:
        super().define(results)
        for r in results:
            known = self.types.get(r)
            if isinstance(known, Known) and _literal(known.value):
                self.replace(r, Const(known.value))

    # -- calls ------------------------------------------------------------------------------

    def visit(self, call: Call, out: list[Statement]) -> None:
        known = self.types.get(call.result)
        if isinstance(known, Known) and _literal(known.value):
            # the call itself goes when dce has seen that it cannot raise
            self.replace(call.result, Const(known.value))
            self.emit(call, out)
            return
        if isinstance(call.fn, Const):
            atom = self._fold(call, call.fn.value)
            if atom is not None:
                self.replace(call.result, atom)
                self.sharing.merge(call.result, atom)
                return
            if call.fn.value is ops.pop:
                call = self._pop(call)
            elif call.fn.value in INPLACE if hashable(call.fn.value) else False:
                call = self._rebinding(call)
        self.emit(call, out)

    def _fold(self, call: Call, fn: Any) -> Atom | None:
        """What the result is, if that is an atom and the call need not run."""
        args = call.args
        if call.kwargs or not hashable(fn):
            return None
        if fn in _PYTHON and all(isinstance(a, Const) for a in args):
            return self._evaluate(fn, args)
        if fn is operator.getitem:
            return self._item(args[0], args[1])
        if fn is len:
            items = self._items(args[0])
            return Const(len(items)) if items is not None else None
        if fn is getattr and isinstance(args[1], Const):
            return self._attribute(args[0], args[1].value)
        if fn in (float, complex, operator.pos) and len(args) == 1:
            wanted = {fn} if isinstance(fn, type) else {float, complex, int}
            return args[0] if kinds(type_of(args[0], self.types)) <= wanted and self._is_scalar(args[0]) else None
        if fn in (tuple, ops.tuple_concat) and len(args) == 1:
            t = type_of(args[0], self.types)
            return args[0] if isinstance(t, TupleT) and t.cls is tuple else None
        if fn is ops.unpack and isinstance(args[1], Const):
            t, items = type_of(args[0], self.types), self._items(args[0])
            same = items is not None and len(items) == args[1].value
            return args[0] if same and isinstance(t, TupleT) and t.cls is tuple else None
        return None

    def _is_scalar(self, atom: Atom) -> bool:
        return isinstance(widened(type_of(atom, self.types)), Scalar)

    def _evaluate(self, fn: Any, args: tuple[Atom, ...]) -> Atom | None:
        values = [a.value for a in args if isinstance(a, Const)]
        if any(type(v) not in (bool, int, float, complex, str, type(None)) for v in values):
            return None
        if fn in (operator.is_, operator.is_not) and not any(v is None or isinstance(v, bool) for v in values):
            return None
        if fn is operator.pow and not (abs(values[0]) <= 10 and abs(values[1]) <= 32 if _numbers(values) else False):
            return None
        if any(isinstance(v, str) for v in values) and fn not in (
            operator.eq,
            operator.ne,
            operator.is_,
            operator.is_not,
        ):
            return None
        try:
            result = fn(*values)
        except (ArithmeticError, TypeError, ValueError):
            return None  # it raises when it runs
        if isinstance(result, int) and result.bit_length() > _WIDEST:
            return None
        return Const(result)

    def _items(self, atom: Atom) -> tuple[Atom, ...] | None:
        """The parts of a tuple or list that was built in sight and that nobody changes."""
        if isinstance(atom, Const):
            return tuple(map(Const, atom.value)) if type(atom.value) is tuple else None
        call = self.defs.get(atom)
        if call is None or not isinstance(call.fn, Const) or call.kwargs:
            return None
        fn = call.fn.value
        if fn is ops.build_tuple or fn is ops.build_list and atom not in self.sharing.written:
            return call.args
        fields: tuple[str, ...] = getattr(fn, "_fields", ())
        if fields and isinstance(fn, type) and issubclass(fn, tuple):
            return call.args if len(call.args) == len(fields) else None
        return None

    def _item(self, owner: Atom, index: Atom) -> Atom | None:
        items = self._items(owner)
        if items is not None and isinstance(index, Const):
            i = index.value
            if type(i) is int and -len(items) <= i < len(items):
                return items[i]
            return None
        call = self.defs.get(owner) if isinstance(owner, Var) else None
        if call is None or not isinstance(call.fn, Const) or not isinstance(index, Const):
            return None
        if call.fn.value is ops.build_dict and owner not in self.sharing.written:
            keys = [a.value if isinstance(a, Const) else None for a in call.args[::2]]
            if all(isinstance(k, (str, int)) for k in keys) and keys.count(index.value) == 1:
                return call.args[2 * keys.index(index.value) + 1]
        return None

    def _attribute(self, owner: Atom, name: Any) -> Atom | None:
        t = type_of(owner, self.types)
        call = self.defs.get(owner) if isinstance(owner, Var) else None
        if isinstance(t, SliceT) and call is not None and isinstance(call.fn, Const) and call.fn.value is slice:
            if len(call.args) == 3 and name in ("start", "stop", "step"):
                return call.args[("start", "stop", "step").index(name)]
        fields: tuple[str, ...] = getattr(t.cls, "_fields", ()) if isinstance(t, TupleT) else ()
        if name in fields:
            items = self._items(owner)
            return items[fields.index(name)] if items is not None else None
        if isinstance(t, Scalar) and name == "real" and t.kinds <= {float, int, np.float64, np.float32}:
            return owner
        return None

    def _pop(self, call: Call) -> Call:
        """`pop(push(stack, v))` → `(stack, v)`: nothing came between, as each stack is used once."""
        stack = call.args[0]
        made = self.defs.get(stack) if isinstance(stack, Var) else None
        if made is None or not isinstance(made.fn, Const) or made.fn.value is not ops.push:
            return call
        if self.sharing.uses.get(made.result) != 1 or self.level.get(made.result) != self.depth:
            return call
        t = self.types[call.result]
        if not isinstance(t, TupleT) or self.types.get(made.args[0]) != t.items[0]:  # type: ignore[arg-type]
            return call
        return Call(call.result, Const(ops.build_tuple), made.args, (), call.place, call.role)

    def _rebinding(self, call: Call) -> Call:
        """`x += y` of what has no in-place form is `x = x + y`."""
        assert isinstance(call.fn, Const)
        if not is_immutable(type_of(call.args[0], self.types)):
            return call
        return Call(call.result, Const(INPLACE[call.fn.value]), call.args, (), call.place, call.role)

    # -- branches ---------------------------------------------------------------------------

    def branch(self, s: If, out: list[Statement]) -> End | None:
        taken = self._truth(self.atom(s.test))
        if taken is not None:
            return self._splice(s, s.then if taken else s.orelse, out)
        return self._decide(s, out)

    def _decide(self, s: If, out: list[Statement]) -> End | None:
        """Rewrite the branches, each knowing how the test came out."""
        test = self.atom(s.test)
        sure = isinstance(test, Var) and is_immutable(self.types.get(test, type_of(test, {})))
        branches: list[Block] = []
        for block, value in ((s.then, True), (s.orelse, False)):
            if sure and isinstance(test, Var):
                self.decided[test] = value
            branches.append(self.scoped(block))
            if sure and isinstance(test, Var):
                del self.decided[test]
        then, orelse = branches
        if test is not s.test or then is not s.then or orelse is not s.orelse:
            s = If(s.results, test, then, orelse, s.place, s.role)
        self.define(s.results)
        out.append(s)
        return None

    def _truth(self, test: Atom) -> bool | None:
        if isinstance(test, Var) and test in self.decided:
            return self.decided[test]
        t = type_of(test, self.types)
        if isinstance(t, Known) and isinstance(t.value, (*SIMPLE, tuple)):
            return bool(t.value)
        return None

    def _splice(self, s: If, block: Block, out: list[Statement]) -> End | None:
        """The statements of the branch that is taken, and how the block ends if they end it."""
        end = self.run(block, out)
        if isinstance(end, Yield):
            for result, value in zip(s.results, end.values):
                self.replace(result, value)
                self.sharing.merge(result, value)
            return None
        return end

    # -- loops that run once ------------------------------------------------------------------

    def repeat(self, s: While, out: list[Statement]) -> End | None:
        if not isinstance(s.body.end, Break):
            return super().repeat(s, out)
        for param, value in zip(s.body.params, self.atoms(s.init)):
            self.replace(param, value)
            self.sharing.merge(param, value)
        end = self.run(s.body, out)
        if not isinstance(end, Break):
            return end
        for result, value in zip(s.results, end.values):
            self.replace(result, value)
            self.sharing.merge(result, value)
        return None


def _numbers(values: list[Any]) -> bool:
    return all(type(v) in (bool, int, float) for v in values)


def _literal(value: Any) -> bool:
    """Whether a value may stand where it is used: it is immutable, or a function or module."""
    if isinstance(value, (tuple, frozenset)):
        return all(map(_literal, value))
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if isinstance(value, np.generic):
        return False  # its class is easily lost in print
    return isinstance(value, SIMPLE) or callable(value) or isinstance(value, type(math))
