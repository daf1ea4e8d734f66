"""Out of SSA: which Python name each value of a function has.

Values are visited in the order of dominance. Each takes the user's name for it, or that name and
a counter, as long as no value that is still needed holds that name; only the nearest holder that
dominates it has to be asked. Values of one variable so come back to one name wherever their
lives do not overlap, and most joins need no copy.

Positions number the statements as they are printed; whether a value is needed after a position
follows from the positions of its uses, from the branches it is in and from the loops around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adcompile.backend.callables import KEYWORDS, identifier
from adcompile.backend.fold import TEMPORARY, Folding, Target, carried, end_values, operands
from adcompile.backend.purity import BUFFERED, IN_PLACE, callee
from adcompile.backend.undefined import is_undefined
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Continue,
    For,
    Function,
    If,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)


@dataclass(slots=True)
class _Span:
    """Positions of a compound statement: its blocks and what follows it."""

    start: int = 0
    middle: int = 0
    end: int = 0


@dataclass
class _Positions:
    """Where everything stands, once folding is decided."""

    folding: Folding
    uses: dict[Var, list[int]] = field(default_factory=dict[Var, "list[int]"])
    defined: dict[Var, int] = field(default_factory=dict[Var, int])
    at: dict[Statement, int] = field(default_factory=dict[Statement, int])
    spans: dict[Statement, _Span] = field(default_factory=dict[Statement, _Span])
    now: int = 0

    def tick(self) -> int:
        self.now += 1
        return self.now

    def read(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            for var in self.folding.reads(atom):
                self.uses.setdefault(var, []).append(self.now)

    def block(self, block: Block) -> None:
        for statement in self.folding.items[block]:
            self.at[statement] = self.tick()
            match statement:
                case Call():
                    self.read(operands(statement))
                    self._define(statement)
                case If() if statement in self.folding.expressions:
                    self.read((statement.test, *end_values(statement.then.end), *end_values(statement.orelse.end)))
                    self.defined[statement.results[0]] = self.now
                case If():
                    self._if(statement)
                case For() | While():
                    self._loop(statement)
                case _:
                    pass
        self.tick()
        self.read(end_values(block.end))

    def _define(self, call: Call) -> None:
        for var in (call.result, *(v for v in self.folding.targets.get(call, ()) if v is not None)):
            self.defined[var] = self.now

    def _if(self, statement: If) -> None:
        self.read((statement.test,))
        span = self.spans[statement] = _Span(self.now)
        self.block(statement.then)
        span.middle = self.tick()
        self.block(statement.orelse)
        span.end = self.tick()
        for var in statement.results:
            self.defined[var] = self.now

    def _loop(self, statement: For | While) -> None:
        self.read(statement.init)
        params = self.tick()
        self.at[statement] = params
        if isinstance(statement, For):
            self.tick()
            self.read((statement.iterable,))
        span = self.spans[statement] = _Span(self.tick())
        for var in statement.body.params:
            self.defined[var] = span.start
        if isinstance(statement, For):
            for var in _flat(self.folding.loop_targets[statement]):
                self.defined[var] = span.start
        for param, result in zip(carried(statement), statement.results):
            if self.folding.used(result):  # the name holds the result when the loop ends
                self.uses.setdefault(param, []).append(span.start)
        self.block(statement.body)
        for param, given in zip(carried(statement), zip(*continued(statement.body))):
            if any(map(is_undefined, given)):  # the name stays unbound until the loop is left: nobody else may have it
                self.uses.setdefault(param, []).append(self.now)
        span.end = self.tick()
        for var in statement.results:
            self.defined[var] = self.now


def _flat(target: Target) -> list[Var]:
    if target is None:
        return []
    if isinstance(target, Var):
        return [target]
    return [var for part in target for var in _flat(part)]


def continued(body: Block) -> list[tuple[Atom, ...]]:
    """What a loop carries to its next turn, from each place at which it goes on."""
    found, todo = list[tuple[Atom, ...]](), [body]
    while todo:
        block = todo.pop()
        if isinstance(block.end, Continue):
            found.append(block.end.values)
        elif isinstance(block.end, Unreachable) and block.statements and isinstance(last := block.statements[-1], If):
            todo += [last.orelse, last.then]
    return found


def positions_of(function: Function, folding: Folding) -> _Positions:
    """Where everything is printed, defined and read."""
    positions = _Positions(folding)
    positions.block(function.body)
    return positions


def name_values(
    function: Function,
    folding: Folding,
    reused: Mapping[Call, int],
    reserved: frozenset[str],
    outer: Iterable[Var] = (),
) -> dict[Var, str]:
    """A Python name for every value that is not printed inside an expression. `reused`: which
    operand a call's result is written over; if it has no name of its own it takes that one's.
    `outer`: variables of a function around this one, whose names are never assigned to."""
    positions = positions_of(function, folding)
    end = positions.tick()
    for var in outer:
        positions.uses.setdefault(var, []).append(end)
    namer = _Namer(folding, positions, reserved)
    namer.reused = reused
    namer.parameters((*function.params, *function.captured))
    namer.hint(function.body, ())
    namer.block(function.body)
    return namer.names


class _Namer:
    def __init__(self, folding: Folding, positions: _Positions, reserved: frozenset[str]) -> None:
        self.folding, self.positions, self.reserved = folding, positions, reserved
        self.names: dict[Var, str] = {}
        self.reused: Mapping[Call, int] = {}
        self.hints: dict[Var, str] = {}
        self.partners: dict[Var, list[Var]] = {}  # what a value flows into, or a join comes from
        self.holder: dict[str, Var] = {}
        self.trail: list[tuple[str, Var | None]] = []
        self.excluded: list[tuple[int, int]] = []  # else branches that are not reached from here
        self.loops: list[_Span] = []

    def parameters(self, params: tuple[Var, ...]) -> None:
        taken: set[str] = set()
        for var in params:
            base = identifier(var.name or "x")
            name, count = base, 0
            while name in taken or name in self.reserved:
                count += 1
                name = f"{base}_{count}"
            taken.add(name)
            self.positions.defined[var] = 0
            self._hold(var, name)

    # -- names for temporaries: that of the variable they flow into

    def _flow(self, values: Iterable[Atom], into: Iterable[Var]) -> None:
        for value, var in zip(values, into):
            if isinstance(value, Var):
                self.partners.setdefault(value, []).append(var)
                self.partners.setdefault(var, []).append(value)
            hint = self.hints.get(var, var.name)
            if isinstance(value, Var) and value.name in TEMPORARY and value not in self.hints and hint not in TEMPORARY:
                self.hints[value] = hint

    def hint(self, block: Block, results: tuple[Var, ...], loop: For | While | None = None) -> None:
        """Walk backwards, so that what a value flows into has its name already."""
        match block.end:
            case Yield(values):
                self._flow(values, results)
            case Continue(values) if loop is not None:
                self._flow(values, carried(loop))
            case Break(values) if loop is not None:
                self._flow(values, loop.results)
            case _:
                pass
        for statement in reversed(self.folding.items[block]):
            match statement:
                case If() if statement not in self.folding.expressions:
                    self.hint(statement.then, statement.results, loop)
                    self.hint(statement.orelse, statement.results, loop)
                case For() | While():
                    self._flow(carried(statement), statement.results)
                    self.hint(statement.body, (), statement)
                    self._flow(statement.init, carried(statement))
                case _:
                    pass

    # -- who is needed when

    def _needed(self, var: Var, position: int) -> bool:
        """Whether `var`, defined before `position`, is read after it."""
        uses = self.positions.uses.get(var)
        if not uses:
            return False
        if uses[-1] > position:
            later = len(uses) - bisect_right(uses, position)
            for start, end in self.excluded:
                later -= bisect_right(uses, end) - bisect_right(uses, start)
            if later > 0:
                return True
        defined = self.positions.defined[var]
        for span in self.loops:
            if span.start > defined:  # it is there in the next iteration, too
                return bisect_right(uses, span.end) > bisect_right(uses, span.start - 1)
        return False

    def _free(self, name: str, position: int) -> bool:
        if name in self.reserved or name in KEYWORDS:
            return False
        holder = self.holder.get(name)
        return holder is None or not self._needed(holder, position)

    def _hold(self, var: Var, name: str) -> None:
        self.names[var] = name
        self.trail.append((name, self.holder.get(name)))
        self.holder[name] = var

    def define(self, var: Var, position: int, forced: str | None = None, needed: bool = False) -> None:
        """Name `var` if it is read (or `needed` all the same)."""
        if var in self.folding.inlined or not (self.folding.used(var) or needed or forced is not None):
            return
        if forced is not None:
            self._hold(var, forced)
            return
        hint = self.hints.get(var, var.name)
        base = identifier("t" if hint in TEMPORARY else hint)
        for partner in self.partners.get(var, ()):  # one name for both spares a copy
            known = self.names.get(partner, "")
            if _counted(known, base) and self._free(known, position):
                self._hold(var, known)
                return
        name, count = base, 0
        while not self._free(name, position):
            count += 1
            name = f"{base}_{count}"
        self._hold(var, name)

    # -- the walk

    def _scoped(self, block: Block) -> None:
        mark = len(self.trail)
        self.block(block)
        self._undo(mark)

    def _undo(self, mark: int) -> None:
        while len(self.trail) > mark:
            name, before = self.trail.pop()
            if before is None:
                del self.holder[name]
            else:
                self.holder[name] = before

    def block(self, block: Block) -> None:
        for statement in self.folding.items[block]:
            match statement:
                case Call():
                    self._call(statement)
                case If() if statement in self.folding.expressions:
                    self.define(statement.results[0], self.positions.at[statement])
                case If():
                    self._if(statement)
                case For() | While():
                    self._loop(statement)
                case _:
                    pass

    def _call(self, call: Call) -> None:
        position = self.positions.at[call]
        targets = self.folding.targets.get(call)
        fn = callee(call)
        first = call.args[0] if call.args else None
        buffer = self.names.get(first) if isinstance(first, Var) and any(fn is b for b in BUFFERED) else None
        if targets is None:
            in_place = isinstance(first, Var) and any(fn is op for op in IN_PLACE)
            if in_place and call.result.name in TEMPORARY and isinstance(first, Var):
                self.hints.setdefault(call.result, first.name)
            over = call.args[self.reused[call]] if call in self.reused else None
            if isinstance(over, Var) and self.hints.get(call.result, call.result.name) in TEMPORARY:
                buffer = self.names[over]
            self.define(call.result, position, buffer if self.folding.used(call.result) else None)
            return
        for i, target in enumerate(targets):
            if target is not None:
                self.define(target, position, buffer if i == 0 else None)

    def _if(self, statement: If) -> None:
        span = self.positions.spans[statement]
        self.excluded.append((span.middle, span.end))
        self._scoped(statement.then)
        self.excluded.pop()
        self._scoped(statement.orelse)
        for var in statement.results:
            self.define(var, span.end)

    def _loop(self, statement: For | While) -> None:
        position, span = self.positions.at[statement], self.positions.spans[statement]
        mark = len(self.trail)
        for param, result in zip(carried(statement), statement.results):
            self.define(param, position, needed=self.folding.used(result))
        if isinstance(statement, For):
            for var in _flat(self.folding.loop_targets[statement]):
                self.define(var, position)
        self.loops.append(span)
        self.block(statement.body)
        self.loops.pop()
        self._undo(mark)
        for param, result in zip(carried(statement), statement.results):
            if self.folding.used(result):
                self.define(result, span.end, self.names[param])


def _counted(name: str, base: str) -> bool:
    """Whether a name is `base`, or that with a counter."""
    return name == base or name.startswith(f"{base}_") and name[len(base) + 1 :].isdigit()
