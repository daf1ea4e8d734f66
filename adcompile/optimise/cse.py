"""Common subexpressions: value numbering over structured blocks.

A call may read the result of an identical earlier call that dominates it: the operation then
runs once instead of twice, which is bit-exact.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, MutableMapping

import numpy as np

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, End, For, If, Statement, Var, While
from adcompile.ir.types import Instance, Known, SliceT, Type, Unknown
from adcompile.optimise.callables import ITERATORS, LINEAR
from adcompile.optimise.effects import Effects, strays, writes
from adcompile.optimise.rewrite import ForwardWalk
from adcompile.optimise.sharing import Sharing
from adcompile.optimise.typing import const_key, is_immutable, is_number, is_real, type_of

NEVER_MERGED = LINEAR | ITERATORS
_COMMUTE = frozenset({operator.add, operator.mul, np.add, np.multiply})


def cse(block: Block, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> Block:
    """Run identical pure calls once.

    - a primal statement takes only a primal one's result; the others take any;
    - `a + b` is `b + a` for real numbers and arrays (the same bits), not for lists;
    - nothing that reads memory is reused over a statement that may write;
    - fresh arrays are not merged if someone writes into one, or if both reach the caller.
    """
    return _Cse(types, effects, sharing).block(block)


def is_slice(index: Type) -> bool:
    return isinstance(index, SliceT) or isinstance(index, Known) and isinstance(index.value, slice)


class _Cse(ForwardWalk):
    def __init__(self, types: MutableMapping[Var, Type], effects: Effects, sharing: Sharing) -> None:
        super().__init__(types)
        self.effects, self.sharing = effects, sharing
        self.table: dict[Hashable, Call] = {}
        self.scopes: list[list[tuple[Hashable, Call | None]]] = []  # what to put back on leaving
        self.epoch = 0  # grows with every statement that may write
        self.names = 0  # grows with every statement that may bind names of modules, or attributes

    def enter(self) -> None:
        self.scopes.append([])

    def leave(self) -> None:
        for key, before in reversed(self.scopes.pop()):
            if before is None:
                del self.table[key]
            else:
                self.table[key] = before

    def visit(self, call: Call, out: list[Statement]) -> None:
        if self._is_needless_copy(call):
            self.replace(call.result, call.args[0])
            self.sharing.merge(call.result, call.args[0])
            return
        if self.effects.strays(call):
            self.names += 1
            self.epoch += 1
        if not self.effects.pure(call):
            self.epoch += 1
        elif not (isinstance(call.fn, Const) and call.fn.value in NEVER_MERGED):
            key = self._key(call)
            earlier = self.table.get(key)
            if earlier is not None and self._serves(earlier, call):
                self.replace(call.result, earlier.result)
                self.sharing.merge(call.result, earlier.result)
                return
            if self.scopes:
                self.scopes[-1].append((key, earlier))
            self.table[key] = call
        self.emit(call, out)

    def _is_needless_copy(self, call: Call) -> bool:
        """Whether this copies, for later, what nobody writes into."""
        copies = isinstance(call.fn, Const) and (call.fn.value is rt.snapshot or call.fn.value is rt.replica)
        if not copies or len(call.args) != 1:
            return False
        same = self.types.get(call.result) == type_of(call.args[0], self.types)
        return same and self.sharing.may_merge(call.result, call.args[0])

    def _serves(self, earlier: Call, call: Call) -> bool:
        if call.role == "primal" and earlier.role != "primal":
            return False
        if self.types.get(earlier.result) != self.types.get(call.result):
            return False
        return self._selects(call) or self.sharing.may_merge(call.result, earlier.result)

    def _selects(self, call: Call) -> bool:
        """Whether the call hands out an object that exists already, the same each time."""
        if not isinstance(call.fn, Const):
            return False
        if call.fn.value is ops.load_global or self.effects.reads_data(call):
            return True
        owner = type_of(call.args[0], self.types) if call.args else None
        return (
            call.fn.value is operator.getitem
            and owner is not None
            and not is_number(owner)
            and not isinstance(owner, (Unknown, Instance))
            and not is_slice(type_of(call.args[1], self.types))
        )

    def _key(self, call: Call) -> Hashable:
        fn = call.fn
        if isinstance(fn, Const) and fn.value is ops.load_global:
            ref = call.args[0].value  # type: ignore[union-attr]
            return (ops.load_global, id(ref.namespace), ref.name, self.names)
        args = [const_key(a) for a in call.args]
        if isinstance(fn, Const) and fn.value in _COMMUTE and len(args) == 2:
            types = [type_of(a, self.types) for a in call.args]
            if all(is_number(t) and is_real(t) for t in types):
                args.sort(key=self._order)
        kwargs = tuple((name, const_key(a)) for name, a in call.kwargs)
        return (const_key(fn), tuple(args), kwargs, self._read_at(call))

    def _order(self, key: object) -> tuple[int, int]:
        # any order will do that is the same for both: ids of live objects never reach the output
        return (isinstance(key, Var), id(key) if isinstance(key, Var) else hash(key))

    def _read_at(self, call: Call) -> int | None:
        """A number that is the same as long as what the operands hold is; None: that never changes."""
        if self.effects.reads_data(call) or self._reads_of_known(call):
            return self.names
        return self.epoch if any(map(self._changes, (*call.args, *(a for _, a in call.kwargs)))) else None

    def _reads_of_known(self, call: Call) -> bool:
        """Whether the call reads an attribute of a class, function or module that is known, which does not change;
        what has such a name may."""
        if not isinstance(call.fn, Const) or call.fn.value is not getattr or len(call.args) != 2:
            return False
        owner, found = type_of(call.args[0], self.types), self.types.get(call.result)
        return isinstance(owner, Known) and not isinstance(found, Known)

    def _changes(self, atom: Atom) -> bool:
        """Whether what an operand holds may change: not that of a fresh array into which nobody writes."""
        if is_immutable(type_of(atom, self.types)):
            return False
        return not (isinstance(atom, Var) and atom in self.sharing.fresh and atom not in self.sharing.written)

    # -- structure --------------------------------------------------------------------------

    def branch(self, s: If, out: list[Statement]) -> End | None:
        before = self.epoch
        test = self.atom(s.test)
        then = self.scoped(s.then)
        self.epoch, after_then = before, self.epoch
        orelse = self.scoped(s.orelse)
        self.epoch = max(after_then, self.epoch) + (1 if after_then != before or self.epoch != before else 0)
        if test is not s.test or then is not s.then or orelse is not s.orelse:
            s = If(s.results, test, then, orelse, s.place, s.role)
        self.define(s.results)
        out.append(s)
        return None

    def loop(self, s: For, out: list[Statement]) -> None:
        self._before_loop(s)
        super().loop(s, out)

    def repeat(self, s: While, out: list[Statement]) -> End | None:
        self._before_loop(s)
        return super().repeat(s, out)

    def _before_loop(self, s: For | While) -> None:
        """What the body writes in one iteration is read in the next."""
        found = strays(s, self.effects)
        self.names += found
        self.epoch += found or writes(s.body, self.effects)
