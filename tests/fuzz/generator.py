"""The state of writing one program: scopes, names, lines, what is used; and the way through.

Productions call back here: `number`, `array` and `value` make expressions, `statement` and
`block` make statements, `emit` writes a line. A production that finds nothing to work on raises
Impossible, and what it has written is taken back.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.fuzz.constructs import TABLE, Construct
from tests.fuzz.kinds import NUMBER, ONE, Array, Dim, Ex, Kind, List, Number, Shape, Var, Whole, shape_text


class Impossible(Exception):
    """A production that cannot be used here."""


@dataclass
class Frame:
    """One function being written."""

    name: str
    result: Kind | None = None
    symbols: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    scopes: list[dict[str, Var]] = field(default_factory=lambda: [{}])
    depth: int = 1
    loops: list[str] = field(default_factory=list)
    main: bool = False


NAMES = {"Number": "s t u w r q", "Array": "x y z v p c", "Whole": "i j k l"}


class Generator:
    def __init__(self, seed: int, index: int, names: frozenset[str]) -> None:
        self.rng = random.Random(f"program {seed} {index}")
        self.enabled = names
        self.used: Counter[str] = Counter()
        self.sizes: dict[str, int] = {}
        self.frames: list[Frame] = []
        self.globals: list[str] = []  # finished functions and classes, in order
        self.helpers: dict[str, object] = {}
        self.classes: dict[str, object] = {}
        self.pending: list[Construct] = []
        self.counter = 0
        self.frozen = 0  # greater than 0 where no statement may be written before the expression
        self.steps = 0

    # -- choosing -------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def has(self, name: str) -> bool:
        return name in self.enabled

    def mark(self, name: str) -> None:
        self.used[name] += 1

    def constructs(self, role: str) -> list[Construct]:
        return [c for c in TABLE.values() if c.role == role and c.name in self.enabled]

    def choose(self, items: list[Construct]) -> Construct:
        return self.rng.choices(items, [c.weight for c in items])[0]

    def attempt(self, make: Callable[[], object], name: str = "") -> object:
        """What a production makes; None, and nothing written, where it is impossible."""
        frame = self.frame
        lines, used = len(frame.lines), self.used.copy()
        scopes = [dict(s) for s in frame.scopes]
        depth, loops, frames, outer = frame.depth, list(frame.loops), len(self.frames), self.frozen
        made, helpers, classes = len(self.globals), dict(self.helpers), dict(self.classes)
        pending = list(self.pending)
        try:
            out = make()
        except Impossible:
            del self.frames[frames:], frame.lines[lines:], self.globals[made:]
            frame.scopes, frame.depth, frame.loops = scopes, depth, loops
            self.used, self.frozen, self.helpers, self.classes = used, outer, helpers, classes
            self.pending = pending
            return None
        if name:
            self.mark(name)
        return True if out is None else out

    # -- names and lines ------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def emit(self, line: str) -> None:
        if self.frozen:
            raise Impossible
        self.frame.lines.append("    " * self.frame.depth + line)

    def bind(self, kind: Kind, text: str, bound: float = 1.0, stem: str = "", writable: bool = True) -> Var:
        """`name = text`, as a new name."""
        stem = stem or self.rng.choice(NAMES.get(type(kind).__name__, "b").split())
        var = Var(self.fresh(stem), kind, bound, writable)
        self.emit(f"{var.name} = {text}")
        return self.declare(var)

    def declare(self, var: Var) -> Var:
        self.frame.scopes[-1][var.name] = var
        return var

    @contextlib.contextmanager
    def suite(self, head: str) -> Iterator[None]:
        """A block under `head`; names bound in it are not seen after it."""
        self.emit(head)
        frame = self.frame
        frame.depth += 1
        frame.scopes.append({})
        start = len(frame.lines)
        yield
        if len(frame.lines) == start:
            self.emit("pass")
        frame.scopes.pop()
        frame.depth -= 1

    @contextlib.contextmanager
    def pure(self) -> Iterator[None]:
        """Expressions made here write no statement before themselves."""
        self.frozen += 1
        yield
        self.frozen -= 1

    def variables(self, test: Callable[[Var], bool]) -> list[Var]:
        return [v for scope in self.frame.scopes for v in scope.values() if test(v)]

    def vars_of(self, cls: type) -> list[Var]:
        return self.variables(lambda v: isinstance(v.kind, cls))

    def pick(self, items: list[Var]) -> Var:
        """One of them, late ones more often."""
        if not items:
            raise Impossible
        return items[-1 - min(int(self.rng.expovariate(0.35)), len(items) - 1)]

    # -- dimensions -----------------------------------------------------------------------------

    def size(self, d: Dim) -> int:
        return self.sizes.get(d.symbol, 0) + d.offset

    def count(self, shape: Shape) -> int:
        out = 1
        for d in shape:
            out *= self.size(d)
        return out

    def dims(self) -> list[Dim]:
        known = [Dim(s) for s in ("n", "m") if s in self.frame.symbols]
        return known or [Dim("", 3)]

    def shape(self, ndim: int | None = None, least: int = 0) -> Shape:
        """A shape for a new array, with at least so many elements."""
        if ndim is None:
            ndim = self.rng.choice((1, 1, 1, 2))
        known = [v.kind.shape for v in self.arrays(ndim=ndim, least=least)]
        if known and self.chance(0.6):
            return self.rng.choice(known)
        out: list[Dim] = []
        for _ in range(ndim):
            options = [*self.dims() * 3, ONE, Dim("", 2)]
            out.append(self.rng.choice([d for d in options if self.size(d) >= least]))
        if ndim == 2 and out[0].symbol and out[0] == out[1] and len(self.dims()) > 1 and self.chance(0.5):
            out[1] = next(d for d in (*self.dims(), Dim("", 2)) if d != out[0] and self.size(d) >= least)
        return tuple(out)

    # -- expressions ----------------------------------------------------------------------------

    def constant(self) -> Ex:
        value = self.rng.choice((0.5, -0.7, 1.3, 0.2, 2.0, -1.0, 0.9, 1.0, 0.1))
        return Ex(f"({value})" if value < 0 else str(value), abs(value))

    def tame(self, e: Ex, bound: float = 3.0) -> Ex:
        """An expression that stays within the bound."""
        if e.bound <= bound:
            return e
        if self.chance(0.4):
            return Ex(f"np.{self.rng.choice(('tanh', 'sin', 'cos'))}({e.text})", 1.0)
        factor = float(f"{bound / e.bound:.1g}")
        return Ex(f"({factor} * {e.text})", bound)

    def number(self, depth: int = 2) -> Ex:
        if depth <= 0 or self.chance(0.25):
            return self.number_leaf()
        table = self.constructs("number")
        for _ in range(4):
            if table:
                c = self.choose(table)
                made = self.attempt(lambda c=c: self.tame(c.make(self, depth - 1)), c.name)
                if made is not None:
                    return made
        return self.number_leaf()

    def number_leaf(self) -> Ex:
        """A name, an element of an array, rarely a constant."""
        if self.chance(0.15):
            return self.constant()
        numbers, arrays = self.vars_of(Number), self.arrays(least=1)
        if numbers and (not arrays or self.chance(0.7)):
            v = self.pick(numbers)
            return Ex(v.name, v.bound)
        if not arrays:
            return self.constant()
        v = self.pick(arrays)
        return Ex(self.element(v), v.bound)

    def array(self, shape: Shape, depth: int = 2) -> Ex:
        """An array expression of exactly this shape (a number, where it has no dimensions)."""
        if not shape:
            return self.number(depth)
        if depth > 0 and not self.chance(0.2):
            table = self.constructs("array")
            for _ in range(4):
                c = self.choose(table)
                made = self.attempt(lambda c=c: self.tame(c.make(self, shape, depth - 1)), c.name)
                if made is not None:
                    return made
        return self.array_leaf(shape)

    def array_leaf(self, shape: Shape) -> Ex:
        same = self.arrays(shape)
        if same and self.chance(0.9):
            v = self.pick(same)
            return Ex(v.name, v.bound)
        e = self.number(0)
        form = self.rng.choice(("np.full({}, {})", "(np.zeros({}) + {})", "({1} * np.ones({0}))"))
        return Ex(form.format(shape_text(shape), e.text), e.bound)

    def operand(self, shape: Shape, depth: int = 1) -> Ex:
        """What broadcasts to this shape: all of it, fewer dimensions, dimensions of one, a number."""
        if self.chance(0.3):
            return self.number(depth)
        part = shape[self.rng.randrange(len(shape)) if self.chance(0.3) else 0 :]
        part = tuple(ONE if self.chance(0.15) else d for d in part)
        if part != shape:
            if not self.arrays(part) and self.chance(0.5):
                return self.number(depth)
            if self.has("broadcast"):
                self.mark("broadcast")
            else:
                part = shape
        return self.array(part, depth)

    def value(self, kind: Kind, depth: int = 2) -> Ex:
        """An expression of a number or an array."""
        return self.array(kind.shape, depth) if isinstance(kind, Array) else self.number(depth)

    # -- variables to work on -------------------------------------------------------------------

    def arrays(
        self, shape: Shape | None = None, ndim: int | None = None, least: int = 0, writable: bool = False
    ) -> list[Var]:
        def test(v: Var) -> bool:
            k = v.kind
            if not isinstance(k, Array) or (shape is not None and k.shape != shape):
                return False
            if ndim is not None and k.ndim != ndim or (writable and not v.writable):
                return False
            return all(self.size(d) >= least for d in k.shape)

        return self.variables(test)

    def need_array(self, ndim: int | None = None, least: int = 0, writable: bool = False) -> Var:
        """An array variable, a new one where there is none."""
        found = [v for v in self.arrays(ndim=ndim, least=least, writable=writable) if v.kind.ndim > 0]
        if found and self.chance(0.85):
            return self.pick(found)
        return self.new_array(self.shape(ndim, least))

    def new_array(self, shape: Shape) -> Var:
        e = self.array(shape, 1)
        # a name of an array would be an alias, an expression is memory of its own
        text = e.text if "(" in e.text else f"{e.text} * {self.constant().text}"
        return self.bind(Array(shape), f"np.array({text})" if "[" in text else text, e.bound)

    def need_number(self) -> Var:
        found = self.vars_of(Number)
        return self.pick(found) if found else self.bind(NUMBER, self.number(1).text)

    def index(self, d: Dim) -> str:
        """An int that is a position of an axis: a loop's number, the first, the last."""
        size = self.size(d)
        if size < 1:
            raise Impossible
        options = ["0", "-1"] + (["1"] if size > 1 else [])
        for v in self.vars_of(Whole):
            below = v.kind.below
            if below == d or self.size(below) <= size and not below.symbol:
                options += [v.name] * 3
                if size > 1:
                    options.append(f"{v.name} - 1")
        return self.rng.choice(options)

    def element(self, v: Var) -> str:
        kind = v.kind
        assert isinstance(kind, Array)
        return f"{v.name}[{', '.join(self.index(d) for d in kind.shape)}]" if kind.shape else f"{v.name}[()]"

    # -- statements -----------------------------------------------------------------------------

    def statement(self) -> None:
        """One statement, or what a production makes of it; forced constructs come first."""
        self.steps += 1
        if self.pending and self.chance(0.6):
            self.force(self.pending.pop())
            return
        table = self.constructs("statement")
        room = self.frame.depth < 4 and self.steps < 24
        table = table if room else [c for c in table if c.group != "control"]
        for _ in range(6):
            c = self.choose(table)
            if self.attempt(lambda c=c: c.make(self), c.name):
                return
        self.emit("pass")

    def body(self, least: int = 1, most: int = 3) -> None:
        for _ in range(self.rng.randint(least, most)):
            self.statement()

    def force(self, c: Construct) -> bool:
        """Make a construct happen; False where it cannot be had here."""
        if c.name not in self.enabled:
            return False
        for _ in range(12):
            if c.role == "statement" or c.role == "mark":
                if c.role == "statement" and self.attempt(lambda: c.make(self), c.name):
                    return True
                if c.role == "mark" and self.attempt(lambda: c.make(self), c.name):
                    return True
            elif c.role == "number":
                if self.attempt(lambda: self.assign_number(self.tame(c.make(self, 1))), c.name):
                    return True
            elif c.role == "array":
                shape = self.shape(self.rng.choice((1, 1, 2)))
                if self.attempt(
                    lambda shape=shape: self.assign_array(shape, self.tame(c.make(self, shape, 1))), c.name
                ):
                    return True
        return False

    def assign_number(self, e: Ex) -> None:
        self.bind(NUMBER, e.text, e.bound)

    def assign_array(self, shape: Shape, e: Ex) -> None:
        self.bind(Array(shape), f"{e.text} * 1.0" if e.text.isidentifier() else e.text, e.bound, writable=False)


def is_numbers(kind: Kind) -> bool:
    return isinstance(kind, List) and isinstance(kind.item, Number)
