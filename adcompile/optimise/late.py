"""The last change of order: what is computed once for one reader stands right before it.

A value that one statement of the same source line reads is computed there, where the printer can
write it into the expression. What a loop carries to its next turn is read behind the last reader
of what it carried here, so that both can have one name:

    b = kept[k]                     y = f(a)
    y = f(a)              →         b = kept[k]
    continue with a = b             continue with a = b

Adjoint and tangent statements only, and none moves across a write of what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, Function, If, Statement, Var, While
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, ListT, Seq, TupleT
from adcompile.ir.walk import FreeVars, atoms_of, blocks_of, end_atoms, free_vars
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.direct import Direct
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.sharing import Sharing, sharing
from adcompile.optimise.typing import INPLACE, hashable, is_immutable, type_of


def late(program: Program) -> Program:
    """The program with single adjoints right before their readers."""
    effects = Effects(program.types, summarise(program.functions, program.types))
    return large_stack(_late, program, effects)


def _late(program: Program, effects: Effects) -> Program:
    functions: dict[object, Function] = {}
    for ref, function in program.functions.items():
        moves = _Moves(effects, sharing(function.body, effects))
        functions[ref] = replace(function, body=moves.block(function.body))
    return replace(program, functions=functions)


@dataclass
class _Moves:
    effects: Effects
    sharing: Sharing
    free: FreeVars = field(default_factory=dict)
    writing: dict[Block, tuple[bool, bool]] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        statements = [self.statement(s) for s in block.statements]
        statements = self.before_readers(statements)
        writes = self.written(statements)
        uses = self.sharing.uses
        statements = Direct(statements, self.effects.types, uses, lambda s, k, j: self.may_move(s, writes, k, j)).run()
        if isinstance(block.end, Continue):
            statements = self.behind_readers(statements, block)
        return Block(block.params, tuple(statements), block.end)

    def statement(self, s: Statement) -> Statement:
        match s:
            case If():
                return replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
            case For() | While():
                return replace(s, body=self.block(s.body))
            case _:
                return s

    # -- moving ---------------------------------------------------------------------------------

    def before_readers(self, statements: Sequence[Statement]) -> list[Statement]:
        """Each value with one reader, of the same line, right before that reader."""
        writes = self.written(statements)
        place = list(range(len(statements)))
        for k, user in self.readers_of_one(statements):
            s = statements[k]
            if isinstance(s, Call) and self.may_move(s, writes, k, place[user]):
                place[k] = place[user]
        return [statements[k] for k in sorted(range(len(statements)), key=lambda k: (place[k], k))]

    def readers_of_one(self, statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
        """From the last to the first: each value with one reader, of the same line, and that reader."""
        reader = {a: k for k, s in enumerate(statements) for a in atoms_of(s) if isinstance(a, Var)}
        for k in range(len(statements) - 1, -1, -1):
            s = statements[k]
            if isinstance(s, Call) and self.sharing.uses.get(s.result) == 1 and s.result in reader:
                if _line(s) == _line(statements[reader[s.result]]):
                    yield k, reader[s.result]

    def behind_readers(self, statements: Sequence[Statement], block: Block) -> list[Statement]:
        """Each value that goes on to the next turn behind the last reader of what it replaces."""
        assert isinstance(block.end, Continue)
        params = block.params[len(block.params) - len(block.end.values) :]
        first, last = self.readers(statements, block)
        made = {s.result: k for k, s in enumerate(statements) if isinstance(s, Call)}
        writes = self.written(statements)
        place: dict[int, int] = {}
        for p, v in zip(params, block.end.values):
            k = made.get(v) if isinstance(v, Var) else None
            s = statements[k] if k is not None else None
            if k is None or not isinstance(s, Call) or not isinstance(v, Var) or p not in last:
                continue
            if k < last[p] < first.get(v, len(statements)) and self.may_move(s, writes, k, last[p]):
                place[k] = last[p]
        order = sorted(range(len(statements)), key=lambda k: (place.get(k, k), k in place, k))
        return [statements[k] for k in order]

    def readers(self, statements: Sequence[Statement], block: Block) -> tuple[dict[Var, int], dict[Var, int]]:
        """The first and the last statement whose text reads each value, in itself or inside; the end
        is the last."""
        text = list(range(len(statements)))
        for k, user in self.readers_of_one(statements):
            text[k] = text[user]
        first: dict[Var, int] = {}
        last: dict[Var, int] = {}
        for k, s in enumerate(statements):
            inside = [v for inner in blocks_of(s) for v in free_vars(inner, self.free)]
            for v in (*atoms_of(s), *inside):
                if isinstance(v, Var):
                    first.setdefault(v, k)
                    last[v] = max(text[k], last.get(v, 0))
        params = set(block.params)
        for v in end_atoms(block.end):
            if isinstance(v, Var) and v in params:
                last[v] = len(statements)
        return first, last

    # -- what may move --------------------------------------------------------------------------

    def may_move(self, call: Call, writes: tuple[list[int], list[int]], start: int, stop: int) -> bool:
        """Whether a call may stand at `stop`: nothing that it reads is written before."""
        if call.role == "primal" or not self.effects.pure(call) or self.changes(call)[0]:
            return False
        for atom in atoms_of(call):
            if self.lasting(atom):
                continue
            counts = writes[1] if self.is_list_of_values(atom) else writes[0]
            if counts[stop] != counts[start]:
                return False
        return True

    def lasting(self, atom: Atom) -> bool:
        """Whether what an atom means stays as it is."""
        if not isinstance(atom, Var) or is_immutable(type_of(atom, self.effects.types)):
            return True
        return atom not in self.sharing.changing

    def is_list_of_values(self, atom: Atom) -> bool:
        """A list of what cannot change: writes into arrays leave it alone."""
        t = type_of(atom, self.effects.types)
        if isinstance(t, Seq):
            return is_immutable(t.item)
        return isinstance(t, (ListT, TupleT)) and all(map(is_immutable, t.items))

    def written(self, statements: Sequence[Statement]) -> tuple[list[int], list[int]]:
        """How many of the first k statements write at all, and into something other than an array."""
        anything, other = [0], [0]
        for s in statements:
            writes, lists = self.changes(s)
            anything.append(anything[-1] + writes)
            other.append(other[-1] + lists)
        return anything, other

    def changes(self, s: Statement) -> tuple[bool, bool]:
        """Whether a statement writes, and whether into something other than an array."""
        if isinstance(s, Call):
            return self.call_changes(s)
        found = [self.block_changes(inner) for inner in blocks_of(s)]
        return any(a for a, _ in found), any(b for _, b in found)

    def block_changes(self, block: Block) -> tuple[bool, bool]:
        found = self.writing.get(block)
        if found is None:
            all_of_them = [self.changes(s) for s in block.statements]  # each block once, however deep the nest
            found = self.writing[block] = any(a for a, _ in all_of_them), any(b for _, b in all_of_them)
        return found

    def call_changes(self, call: Call) -> tuple[bool, bool]:
        fn = call.fn.value if isinstance(call.fn, Const) and hashable(call.fn.value) else None
        if fn is not None and (fn in LINEAR or fn in INPLACE):
            into = type_of(call.args[0], self.effects.types)
            return not is_immutable(into), not is_immutable(into) and not isinstance(into, Array)
        writes = not self.effects.pure(call)
        return writes, writes


def _line(s: Statement) -> object:
    return None if s.place is None else (s.place.file, s.place.line)
