"""Dead code: what nobody reads and nobody would miss.

Marking runs over definitions and uses with a worklist, so carried values that only feed
themselves go too, and the cost is linear however deep loops nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Continue,
    End,
    For,
    If,
    Raise,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Type
from adcompile.ir.walk import atoms_of, blocks_of, end_atoms, is_border, occupied
from adcompile.optimise.effects import Effects, pure_statement
from adcompile.optimise.rewrite import leaves
from adcompile.optimise.shapes import AGREEING, Shapes


def dce(block: Block, effects: Effects) -> Block:
    """Drop what is not needed for the block's end.

    - a call whose result is not read: an adjoint or tangent if it is pure, a primal only if it
      cannot raise either;
    - results and carried values that are not read, though they feed themselves;
    - an If or For that is left without results and effects.
    """
    return _Dce(effects).run(block, ())


def live_block(block: Block, keep: Iterable[Var], types: Mapping[Var, Type] | None = None) -> Block:
    """The block without what neither its end nor `keep` needs.

    Without `types` no primal call counts as unable to raise, so only dead adjoints and tangents
    go. Vars that the result reads and does not define are what it needs from outside.
    """
    return _Dce(Effects(types or {})).run(block, keep)


def live_statements(
    statements: Sequence[Statement], keep: Iterable[Atom], types: Mapping[Var, Type] | None = None
) -> list[Statement]:
    """`live_block` of a sequence of statements without an end."""
    kept = [a for a in keep if isinstance(a, Var)]
    return list(live_block(Block((), tuple(statements), Yield()), kept, types).statements)


@dataclass
class _Dce:
    effects: Effects
    owner: dict[Var, tuple[Statement, int]] = field(default_factory=dict[Var, tuple[Statement, int]])
    around: dict[Statement, Statement | None] = field(default_factory=dict)  # the compound statement around each
    ends: dict[Statement, list[End]] = field(default_factory=dict)  # of each loop's iterations
    alive: set[Statement] = field(default_factory=set)
    live: set[Var] = field(default_factory=set[Var])
    work: list[Var] = field(default_factory=list[Var])

    defs: dict[Var, Call] = field(default_factory=dict[Var, Call])
    unproved: set[Statement] = field(default_factory=set)  # dead calls that raise if shapes differ

    def run(self, block: Block, keep: Iterable[Var]) -> Block:
        self.shapes = Shapes(self.effects.types, self.defs, assume=False)
        self._index(block, None)
        self._read(keep)
        self._read(end_atoms(block.end))
        self._drain()
        if not self.unproved <= self.alive:
            self._prove(block, Shapes(self.effects.types, self.defs, assume=False))
        return self._rebuild(block)

    def _drain(self) -> None:
        while self.work:
            self._mark(self.work.pop())

    # -- finding roots ----------------------------------------------------------------------

    def _index(self, block: Block, around: Statement | None) -> None:
        mark = self.shapes.mark()
        for s in block.statements:
            self.around[s] = around
            match s:
                case Call():
                    self.owner[s.result] = (s, 0)
                    self.defs[s.result] = s
                    if not is_border(s) and not self.effects.removable(s, self.shapes):
                        if self.effects.removable(s, AGREEING):
                            self.unproved.add(s)
                        else:
                            self._keep(s)
                    self.shapes.note(s)
                case If():
                    self._own(s, s.results)
                    self._index(s.then, s)
                    self._index(s.orelse, s)
                case For():
                    self._own(s, s.results)
                    self._own(s, s.body.params, -1)
                    self.ends[s] = list(leaves(s.body))
                    self._index(s.body, s)
                    if not self.effects.finite(s):
                        self._keep(s)
                case While():
                    self._own(s, s.results)
                    self._own(s, s.body.params)
                    self.ends[s] = list(leaves(s.body))
                    self._index(s.body, s)
                    if s.role == "primal":
                        self._keep(s)  # who knows whether it ends
                case _:
                    raise AssertionError("an Attempt in a specialised program")
        if around is not None:
            self.shapes.undo(mark)
        if isinstance(block.end, Raise):
            self._read(end_atoms(block.end))
            self._enclose(around)

    # -- shapes that live statements prove ----------------------------------------------------

    def _prove(self, block: Block, shapes: Shapes) -> None:
        """Keep dead calls that may meet unequal shapes or lengths, unless a live statement would
        then raise as well: one before, or one after with nothing between that others see."""
        mark = shapes.mark()
        stretch: list[Statement] = []
        for s in block.statements:
            if pure_statement(s, self.effects):
                stretch.append(s)
                continue
            self._prove_stretch(stretch, shapes)
            stretch = []
            if isinstance(s, Call):
                shapes.note(s)
            self._prove_inside(s, shapes)
        self._prove_stretch(stretch, shapes)
        shapes.undo(mark)

    def _prove_stretch(self, stretch: list[Statement], shapes: Shapes) -> None:
        for s in stretch:
            if isinstance(s, Call):
                shapes.note(s, ran=s in self.alive)
            elif isinstance(s, For) and s in self.alive:
                self._note_loop(s, shapes)
        for s in stretch:
            if not isinstance(s, Call):
                self._prove_inside(s, shapes)
            elif s in self.unproved and s not in self.alive and not self.effects.removable(s, shapes):
                self._keep(s)
                self._drain()
                shapes.note(s, ran=True)

    def _prove_inside(self, s: Statement, shapes: Shapes) -> None:
        mark = shapes.mark()
        if isinstance(s, For):
            shapes.enter_loop(s)
        for inner in blocks_of(s):
            self._prove(inner, shapes)
        shapes.undo(mark)

    def _note_loop(self, s: For, shapes: Shapes) -> None:
        """A loop that never breaks reads at each of its indices what its live calls read."""
        if all(isinstance(end, Continue) for end in self.ends[s]):
            shapes.note_loop(s, [c for c in s.body.statements if isinstance(c, Call) and c in self.alive])

    def _own(self, s: Statement, vars_: tuple[Var, ...], shift: int = 0) -> None:
        for k, var in enumerate(vars_):
            self.owner[var] = (s, k + shift)

    def _read(self, atoms: Iterable[Atom]) -> None:
        live = self.live
        for a in atoms:
            if a not in live and isinstance(a, Var):
                live.add(a)
                self.work.append(a)

    def _keep(self, s: Statement) -> None:
        """The statement stays: so do the statements around it, and what decides that it runs."""
        if s in self.alive:
            return
        self.alive.add(s)
        match s:
            case Call():
                self._read(atoms_of(s))
            case If():
                self._read((s.test,))
            case For():
                self._read((s.iterable,))
                self._exits(s.body)
            case While():
                self._exits(s.body)
            case _:
                pass
        self._enclose(self.around[s])

    def _enclose(self, around: Statement | None) -> None:
        if around is not None:
            self._keep(around)

    def _exits(self, body: Block) -> None:
        """The Ifs that say how an iteration ends."""
        while_ends = [body]
        while while_ends:
            block = while_ends.pop()
            if isinstance(block.end, Unreachable):
                last = block.statements[-1]
                assert isinstance(last, If)
                self._keep_exit(last)
                while_ends += [last.then, last.orelse]

    def _keep_exit(self, s: If) -> None:
        self.alive.add(s)
        self._read((s.test,))

    def _mark(self, var: Var) -> None:
        found = self.owner.get(var)
        if found is None:
            return  # a parameter, or defined outside
        s, k = found
        self._keep(s)
        match s:
            case If():
                for block in (s.then, s.orelse):
                    if isinstance(block.end, Yield):
                        self._read((block.end.values[k],))
            case For() | While():
                if k >= 0:
                    self._slot(s, k)
            case _:
                pass

    def _slot(self, s: For | While, k: int) -> None:
        """A carried value stays as a whole: parameter, initial value, what each iteration gives."""
        first = 1 if isinstance(s, For) else 0
        self._read((s.init[k], s.body.params[k + first], s.results[k]))
        for end in self.ends[s]:
            if isinstance(end, (Continue, Break)):
                self._read((end.values[k],))

    # -- rebuilding -------------------------------------------------------------------------

    def _rebuild(self, block: Block, kept: tuple[int, ...] | None = None, of: str = "") -> Block:
        """`kept`: which values of the ends named by `of` stay (None: all)."""
        out: list[Statement] = []
        # the end of an iteration may be inside its last statement; an If has its own Yields
        last = block.statements[-1] if isinstance(block.end, Unreachable) and of == "iteration" else None
        for s in block.statements:
            if s in self.alive or is_border(s):
                out.append(self._statement(s, kept if s is last else None, of))
        out = occupied(out)
        end = block.end
        if kept is not None and isinstance(end, (Yield,) if of == "yield" else (Continue, Break)):
            end = _only(end, kept)
        if (
            len(out) == len(block.statements)
            and end is block.end
            and all(a is b for a, b in zip(out, block.statements))
        ):
            return block
        return Block(block.params, tuple(out), end)

    def _statement(self, s: Statement, kept: tuple[int, ...] | None, of: str) -> Statement:
        match s:
            case If():
                return self._branch(s, kept, of)
            case For() | While():
                return self._loop(s)
            case _:
                return s

    def _branch(self, s: If, kept: tuple[int, ...] | None, of: str) -> If:
        if kept is None:
            kept, of = self._kept(s.results), "yield"
        then, orelse = self._rebuild(s.then, kept, of), self._rebuild(s.orelse, kept, of)
        results = s.results if of != "yield" else _pick(s.results, kept)
        if then is s.then and orelse is s.orelse and results is s.results:
            return s
        return If(results, s.test, then, orelse, s.place, s.role)

    def _loop(self, s: For | While) -> For | While:
        kept = self._kept(s.results)
        body = self._rebuild(s.body, kept, "iteration")
        if body is s.body and len(kept) == len(s.results):
            return s
        results, init = _pick(s.results, kept), _pick(s.init, kept)
        if isinstance(s, For):
            params = (s.body.params[0], *_pick(s.body.params[1:], kept))
            return For(results, s.iterable, init, Block(params, body.statements, body.end), s.place, s.role)
        params = _pick(s.body.params, kept)
        return While(results, init, Block(params, body.statements, body.end), s.place, s.role)

    def _kept(self, results: tuple[Var, ...]) -> tuple[int, ...]:
        return tuple(k for k, r in enumerate(results) if r in self.live)


def _pick(items: tuple[Var | Atom, ...], kept: tuple[int, ...]) -> tuple:  # type: ignore[type-arg]
    return items if len(kept) == len(items) else tuple(items[k] for k in kept)


def _only(end: End, kept: tuple[int, ...]) -> End:
    assert isinstance(end, (Yield, Continue, Break))
    return end if len(kept) == len(end.values) else type(end)(_pick(end.values, kept))
