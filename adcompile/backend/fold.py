"""Which values are written inside the expression that uses them.

A value folds into its only use if the order of all calls that may raise, have effects or read
what others write stays the order of the statements. Primal calls are taken to be such unless
they cannot raise; adjoint and tangent calls of pure functions move freely, but never across a
write if they read memory.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from adcompile.backend import purity
from adcompile.backend.purity import Memory
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    End,
    For,
    If,
    OpaqueCode,
    Raise,
    Return,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import TupleT, Type
from adcompile.ir.walk import blocks_of, is_border

MAX_DEPTH = 8
MAX_WIDTH = 88
MAX_TERNARY = 60
TEMPORARY = frozenset({"", "t", "_", "<lambda>"})
RESULT = "result"
"""What the frontend calls the value of a return statement."""
_HINTS: dict[type, frozenset[str]] = {
    Return: frozenset({RESULT}),
    Raise: frozenset({"error", "cause"}),
}

Target = Union[Var, None, tuple["Target", ...]]
"""What a for statement or an unpacking binds: names, `_` (None) or more of the same."""


@dataclass
class Folding:
    """`items` are the statements each block still has; `inlined` those printed at their use."""

    uses: dict[Var, int] = field(default_factory=dict[Var, int])
    inlined: dict[Var, Call | If] = field(default_factory=dict[Var, "Call | If"])
    items: dict[Block, list[Statement]] = field(default_factory=dict[Block, "list[Statement]"])
    targets: dict[Call, tuple[Var | None, ...]] = field(default_factory=dict[Call, "tuple[Var | None, ...]"])
    expressions: set[If] = field(default_factory=set[If])
    loop_targets: dict[For, Target] = field(default_factory=dict[For, "Target"])
    weights: dict[Block, int] = field(default_factory=dict[Block, int])
    ordered: set[Var] = field(default_factory=set[Var])  # inlined values that may not change places

    def used(self, var: Var) -> bool:
        return self.uses.get(var, 0) > 0

    def reads(self, atom: Atom) -> Iterator[Var]:
        """The names that the expression for `atom` reads."""
        if isinstance(atom, Const):
            return
        inside = self.inlined.get(atom)
        if inside is None:
            yield atom
        elif isinstance(inside, Call):
            for operand in operands(inside):
                yield from self.reads(operand)
        else:
            yield from self.reads_if(inside)

    def reads_if(self, statement: If) -> Iterator[Var]:
        """The names that an If printed as an expression reads."""
        yield from self.reads(statement.test)
        for block in (statement.then, statement.orelse):
            for value in end_values(block.end):
                yield from self.reads(value)


@dataclass(slots=True)
class _Pending:
    """An expression that may still move into its use."""

    index: int
    statement: Call | If
    ordered: bool
    memory: Memory
    depth: int
    width: int
    epoch: int
    writes: bool = False


@dataclass(slots=True)
class _Expression:
    ordered: bool = False
    memory: Memory = Memory.NONE
    depth: int = 0
    width: int = 0
    writes: bool = False

    def add(self, ordered: bool, memory: Memory, depth: int, width: int) -> None:
        self.ordered |= ordered
        self.memory = max(self.memory, memory)
        self.depth = max(self.depth, depth)
        self.width += width


@dataclass(slots=True)
class _Open:
    """A block being read: what it holds so far and which of it may not change places."""

    items: list[Statement | None] = field(default_factory=list["Statement | None"])
    ordered: list[int] = field(default_factory=list[int])

    def append(self, statement: Statement, ordered: bool) -> int:
        self.items.append(statement)
        if ordered:
            self.ordered.append(len(self.items) - 1)
        return len(self.items) - 1


def operands(call: Call) -> tuple[Atom, ...]:
    """The atoms of a call in the order in which the printed text evaluates them."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is operator.contains and len(call.args) == 2:
        return call.args[::-1]
    if fn in (operator.setitem, setattr) and len(call.args) == 3:
        return (call.args[2], call.args[0], call.args[1])
    return (call.fn, *call.args, *(value for _, value in call.kwargs))


def end_values(end: End) -> tuple[Atom, ...]:
    match end:
        case Yield(values) | Continue(values) | Break(values):
            return values
        case Return(value):
            return (value,)
        case Raise(exception, cause, _):
            return tuple(atom for atom in (exception, cause) if atom is not None)
        case _:
            return ()


def carried(loop: For | While) -> tuple[Var, ...]:
    """The parameters of a loop's body that stand for its results."""
    return loop.body.params[1:] if isinstance(loop, For) else loop.body.params


def fold(body: Block, types: Any, apart: frozenset[Call] = frozenset()) -> Folding:
    """Decide for every value of a function body whether it gets a line of its own; `apart` do."""
    folder = _Folder(types, apart)
    folder.count(body)
    folder.block(body)
    return folder.result


class _Folder:
    def __init__(self, types: dict[Var, Type], apart: frozenset[Call]) -> None:
        self.types, self.apart = types, apart
        self.result = Folding()
        self.uses = self.result.uses
        self.pending: dict[Var, _Pending] = {}
        self.epochs = (0, 0, 0, 0)  # of each kind of memory: grows with every write into it
        self.consumes: frozenset[str] = frozenset()  # names that mean: made for the statement at hand

    # -- counting

    def _use(self, *atoms: Atom) -> None:
        for atom in atoms:
            if isinstance(atom, Var):
                self.uses[atom] = self.uses.get(atom, 0) + 1

    def count(self, block: Block) -> int:
        """Count the uses of every Var; give every block its number of statements."""
        weight = 0
        for statement in block.statements:
            weight += 1
            match statement:
                case Call():
                    self._use(*operands(statement))
                case If():
                    self._use(statement.test)
                case For():
                    self._use(statement.iterable, *statement.init)
                case While():
                    self._use(*statement.init)
                case _:
                    raise TypeError(f"a specialised program holds no {type(statement).__name__}")
            for inner in blocks_of(statement):
                weight += self.count(inner)
        self._use(*end_values(block.end))
        self.result.weights[block] = weight
        return weight

    # -- destructuring

    def _find_targets(self, block: Block) -> set[Call]:
        """Calls whose result is a tuple that is only taken apart; returns the takers."""
        sources: dict[Var, Call] = {}
        takers: dict[Var, list[tuple[Call, int]]] = {}
        for call in block.statements:
            if not isinstance(call, Call) or not isinstance(call.fn, Const):
                continue
            if self._width_of(call):
                sources[call.result] = call
                takers[call.result] = []
            elif call.fn.value is operator.getitem and len(call.args) == 2:
                whole, index = call.args
                if isinstance(whole, Var) and whole in sources and isinstance(index, Const):
                    if type(index.value) is int and 0 <= index.value < self._width_of(sources[whole]):
                        takers[whole].append((call, index.value))
        absorbed: set[Call] = set()
        for whole, call in sources.items():
            indices = [index for _, index in takers[whole]]
            if len(indices) != self.uses.get(whole, 0) or len(set(indices)) != len(indices):
                continue
            if isinstance(purity.callee(call), FunctionRef) and (not indices or self._width_of(call) < 2):
                continue
            targets: list[Var | None] = [None] * self._width_of(call)
            for taker, index in takers[whole]:
                targets[index] = taker.result if self.result.used(taker.result) else None
                absorbed.add(taker)
            self.result.targets[call] = tuple(targets)
        return absorbed

    def _width_of(self, call: Call) -> int:
        """How many values the tuple has that `call` gives; 0 where it is not there to be taken apart."""
        t = self.types.get(call.result)
        if isinstance(t, TupleT) and isinstance(purity.callee(call), FunctionRef):
            return len(t.items)
        return _width_of(call)

    def _loop_target(self, element: Var, statements: list[Statement | None]) -> Target:
        """`for i, (a, b) in …`: the leading unpackings of the element move into the header."""
        if not self.result.used(element):
            return None
        return self._header(element, statements)

    def _header(self, var: Var, statements: list[Statement | None]) -> Target:
        first = next((i for i, s in enumerate(statements) if s is not None), None)
        if first is None or self.uses.get(var) != 1:
            return var
        call = statements[first]
        if not isinstance(call, Call) or call not in self.result.targets or not isinstance(call.fn, Const):
            return var
        if call.fn.value is not ops.unpack or call.args[0] is not var:
            return var
        statements[first] = None
        return tuple(
            self._header(target, statements) if target is not None else None for target in self.result.targets[call]
        )

    # -- folding

    def _memory(self, var: Var) -> Memory:
        return purity.reads_memory(self.types.get(var))

    def _absorb(
        self, open_: _Open, atoms: tuple[Atom, ...], place: Place | None, twice: Var | None = None
    ) -> _Expression:
        """Fold what may be folded of `atoms`, which are evaluated from left to right."""
        out = _Expression()
        for position in range(len(atoms) - 1, -1, -1):
            atom = atoms[position]
            if isinstance(atom, Const):
                out.width += purity.const_width(atom.value)
                continue
            entry = self.pending.get(atom)
            if entry is not None and self._may_fold(open_, atom, entry, place, out, twice):
                open_.items[entry.index] = None
                if entry.ordered:
                    open_.ordered.pop()
                self.result.inlined[atom] = entry.statement
                if entry.ordered:
                    self.result.ordered.add(atom)
                del self.pending[atom]
                memory = max(entry.memory, purity.names_memory(entry.statement, atom, self.types))
                out.add(entry.ordered, memory, entry.depth, entry.width)
                out.writes |= entry.writes
            else:
                out.add(False, self._memory(atom), 0, len(atom.name) or 1)
        return out

    def _may_fold(
        self, open_: _Open, var: Var, entry: _Pending, place: Place | None, out: _Expression, twice: Var | None
    ) -> bool:
        if self.uses[var] != (2 if var is twice else 1):
            return False
        if entry.ordered and (not open_.ordered or open_.ordered[-1] != entry.index):
            return False
        if entry.index >= len(open_.items) or open_.items[entry.index] is not entry.statement:
            return False  # it belongs to an enclosing block
        if not entry.ordered and entry.epoch != self.epochs[entry.memory]:
            return False
        if entry.writes and any(item is not None for item in open_.items[entry.index + 1 :]):
            return False  # they may read what it writes
        if entry.depth >= MAX_DEPTH or out.width + entry.width > MAX_WIDTH:
            return False
        if entry.statement.role == "primal":
            return var.name in TEMPORARY or var.name in self.consumes or purity.is_path(entry.statement, var)
        # a line of its own for what comes from another line of the source, under its comment
        made = entry.statement.place
        return place is None or made is None or (place.file, place.line) == (made.file, made.line)

    def block(self, block: Block, results: tuple[Var, ...] = (), loop: For | While | None = None) -> bool:
        """Fold within `block`, which yields to `results`; whether it must keep its place."""
        open_ = _Open()
        absorbed = self._find_targets(block)
        ordered = False
        for statement in block.statements:
            match statement:
                case Call():
                    if statement not in absorbed:
                        ordered |= self._call(open_, statement)
                case If():
                    ordered |= self._if(open_, statement, loop)
                case For() | While():
                    self._loop(open_, statement)
                    ordered = True
                case _:
                    pass
        ordered |= self._end(open_, block.end, results, loop)
        self.result.items[block] = self._hoisted([s for s in open_.items if s is not None])
        return ordered

    def _hoisted(self, items: list[Statement]) -> list[Statement]:
        """Keep numbers for the reverse sweep right where they are made: `y.append(x)` before
        `x = x * c`, so that the new value may take the old one's name."""
        if not any(isinstance(s, Call) and purity.callee(s) is ops.push for s in items):
            return items
        made: dict[Var, int] = {}
        moved: list[tuple[int, int, Statement]] = []
        for index, s in enumerate(items):
            place = index
            if isinstance(s, Call):
                stays = purity.callee(s) is not ops.push or s.args[1] in self.result.ordered  # what is drawn, say
                if not stays and self._shape(s.args[1])[1] is Memory.NONE:
                    place = max((made.get(v, -1) for a in s.args for v in self.result.reads(a)), default=-1)
                    place = purity.last_reader(items, s, place, index, self.result.reads)
                for var in (s.result, *(v for v in self.result.targets.get(s, ()) if v is not None)):
                    made[var] = place
            else:
                made.update((var, index) for var in s.results)
            moved.append((place, index, s))
        return [s for _, _, s in sorted(moved, key=lambda entry: (entry[0], entry[1]))]

    def _end(self, open_: _Open, end: End, results: tuple[Var, ...], loop: For | While | None) -> bool:
        match end:
            case Yield(values):
                self._join(open_, values, results)
            case Continue(values) if loop is not None:
                self._join(open_, values, carried(loop))
            case Break(values) if loop is not None:
                self._join(open_, values, loop.results)
            case _:
                self.consumes = _HINTS.get(type(end), frozenset())
                self._absorb(open_, end_values(end), end.place if isinstance(end, Raise) else None)
                self.consumes = frozenset()
        return not isinstance(end, Yield)

    def _join(self, open_: _Open, values: tuple[Atom, ...], into: tuple[Var, ...]) -> None:
        """Values that become joined ones: `y = x * x` is printed as the assignment to the join."""
        for value, var in reversed(list(zip(values, into))):
            self.consumes = frozenset({var.name, RESULT})
            self._absorb(open_, (value,), None)
        self.consumes = frozenset()

    def _call(self, open_: _Open, call: Call) -> bool:
        kind = purity.classify(call, self.types)
        atoms = operands(call)
        if kind.named:
            atoms = tuple(atom for atom in atoms if atom is not call.args[0])
        if any(purity.callee(call) is fn for fn in purity.ADDS):
            atoms = tuple(atom for atom in atoms if atom not in self.pending or not self.pending[atom].writes)
        elif purity.callee(call) is slice:
            atoms = tuple(atom for atom in atoms if not (isinstance(atom, Const) and atom.value is None))
        expression = self._absorb(open_, atoms, call.place)
        ordered = kind.ordered or expression.ordered
        self._written(call, kind)
        index = open_.append(call, ordered)
        if not kind.statement and call not in self.apart:
            memory = max(expression.memory, Memory(purity.reads_name(call, self.types)))
            about = memory, expression.depth + 1, expression.width + 3, self.epochs[memory]
            self.pending[call.result] = _Pending(index, call, ordered, *about, kind.writes or expression.writes)
        return ordered

    def _written(self, call: Call, kind: purity.Kind) -> None:
        none, names, arrays, lists = self.epochs  # nothing moves into a `with`, or out
        lists += kind.writes or kind.pushes
        self.epochs = none + is_border(call), names + kind.strays, arrays + kind.writes, lists

    def _if(self, open_: _Open, statement: If, loop: For | While | None) -> bool:
        ordered = False
        before = self.epochs
        for branch in (statement.then, statement.orelse):
            ordered |= self.block(branch, statement.results, loop)
        inline, twice = self._as_expression(statement)
        after, self.epochs = self.epochs, before  # the test comes before what the branches write
        expression = self._absorb(open_, (statement.test,), None, twice)
        self.epochs = after
        ordered |= expression.ordered
        if not inline:
            open_.append(statement, True)
            return True
        self.result.expressions.add(statement)
        index = open_.append(statement, ordered)
        for branch in (statement.then, statement.orelse):
            for value in end_values(branch.end):
                if not (isinstance(value, Var) and value is twice):
                    expression.add(*self._shape(value))
        epoch = self.epochs[expression.memory]
        self.pending[statement.results[0]] = _Pending(
            index, statement, ordered, expression.memory, expression.depth + 1, expression.width + 9, epoch
        )
        return ordered

    def _shape(self, atom: Atom) -> tuple[bool, Memory, int, int]:
        """ordered, memory, depth and width of an expression that has been folded already."""
        if isinstance(atom, Const):
            return False, Memory.NONE, 0, purity.const_width(atom.value)
        inside = self.result.inlined.get(atom)
        if inside is None:
            return False, self._memory(atom), 0, len(atom.name) or 1
        parts = operands(inside) if isinstance(inside, Call) else _parts_of(inside)
        out = _Expression(width=3)
        for part in parts:
            out.add(*self._shape(part))
        ordered = isinstance(inside, Call) and purity.classify(inside, self.types).ordered
        memory = max(out.memory, purity.names_memory(inside, atom, self.types))
        return out.ordered or ordered, memory, out.depth + 1, out.width

    def _as_expression(self, statement: If) -> tuple[bool, Var | None]:
        """Whether an If can be written `a if t else b`, `a and b` or `a or b`; in the last two
        the test is also one of the values and is returned."""
        then, orelse = statement.then, statement.orelse
        if len(statement.results) != 1 or self.result.items[then] or self.result.items[orelse]:
            return False, None
        if not isinstance(then.end, Yield) or not isinstance(orelse.end, Yield):
            return False, None
        values = then.end.values[0], orelse.end.values[0]
        if any(isinstance(v, Const) and v.value is ops.UNDEFINED for v in values):
            return False, None
        shapes = [self._shape(value) for value in values]
        if max(depth for _, _, depth, _ in shapes) >= MAX_DEPTH - 1:
            return False, None
        test = statement.test
        if isinstance(test, Var) and any(value is test for value in values):
            return True, test
        short = sum(width for _, _, _, width in shapes) <= MAX_TERNARY
        return short and statement.results[0].name in TEMPORARY, None

    def _loop(self, open_: _Open, statement: For | While) -> None:
        if isinstance(statement, For):
            self.consumes = frozenset({"items"})
            self._absorb(open_, (statement.iterable,), None)
        self._join(open_, statement.init, carried(statement))
        open_.append(statement, True)
        body = statement.body
        self.block(body, (), statement)
        if isinstance(statement, For):
            remaining: list[Statement | None] = list(self.result.items[body])
            target = self._loop_target(body.params[0], remaining)
            self.result.loop_targets[statement] = target
            self.result.items[body] = [s for s in remaining if s is not None]


def _width_of(call: Call) -> int:
    """How many values the tuple has that `call` gives; 0 where it is not there to be taken apart."""
    fn = purity.callee(call)
    if isinstance(fn, OpaqueCode):
        return len(fn.outputs) + 2 * fn.returns
    if fn is ops.pop:
        return 2
    if fn is not ops.unpack and fn is not ops.unpack_star:
        return 0
    counts = [a.value for a in call.args[1:] if isinstance(a, Const) and type(a.value) is int]
    if len(counts) != len(call.args) - 1:
        return 0
    return counts[0] if fn is ops.unpack else counts[0] + counts[1] + 1


def _parts_of(statement: If) -> tuple[Atom, ...]:
    return (statement.test, *end_values(statement.then.end), *end_values(statement.orelse.end))
