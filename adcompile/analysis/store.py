"""What cells hold on the path that is being specialised: a map with an undo log.

A branch or an iteration runs on the store as it is, and its writes are undone afterwards; the
joins in `analysis/joins` then say what the cells hold behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom
from adcompile.ir.types import Cell


@frozen
class State:
    """What a cell holds, and what may still be done with it. A cell that something holds which
    does not follow its writes is `lent` and may not be written into; one that has been written
    into under another identity is `stale` and may not be read either."""

    content: Atom
    lent: bool = False
    stale: bool = False
    borrowers: tuple[Cell, ...] = ()


@dataclass
class Store:
    states: dict[Cell, State] = field(default_factory=dict[Cell, State])
    trail: list[tuple[Cell, State | None]] = field(default_factory=list[tuple[Cell, State | None]])
    reads: dict[Cell, int] = field(default_factory=dict[Cell, int])  # the last read of each cell, all counted
    count: int = 0
    ever: set[Cell] = field(default_factory=set[Cell])  # cells that have been put, even if it was undone
    unwound: int = 0  # what stands around that puts cells where the code inside raises: see analysis/managers

    def put(self, cell: Cell, state: State) -> None:
        self.ever.add(cell)
        self.trail.append((cell, self.states.get(cell)))
        self.states[cell] = state

    def read(self, cell: Cell) -> State:
        """What is known of a cell that the program reads."""
        self.count += 1
        self.reads[cell] = self.count
        return self.states[cell]

    def read_since(self, count: int) -> set[Cell]:
        return {cell for cell, last in self.reads.items() if last > count}

    def mark(self) -> int:
        return len(self.trail)

    def changed(self, mark: int) -> dict[Cell, State | None]:
        """The cells put since, with what they were then (None: not there yet)."""
        out: dict[Cell, State | None] = {}
        for cell, before in self.trail[mark:]:
            out.setdefault(cell, before)
        return out

    def undo(self, mark: int) -> dict[Cell, State]:
        """Everything as it was; gives what had been put since."""
        before = self.changed(mark)
        now = {cell: self.states[cell] for cell in before}
        for cell, state in before.items():
            if state is None:
                del self.states[cell]
            else:
                self.states[cell] = state
        del self.trail[mark:]
        return now

    @contextmanager
    def on_trial(self) -> Generator[set[Cell], None, None]:
        """What is put meanwhile is undone. Gives the cells, of those that were there, which some path has put."""
        mark, there = self.mark(), set(self.states)
        with self.noted() as put:
            try:
                yield put
            finally:
                self.undo(mark)
        put &= there

    @contextmanager
    def noted(self) -> Generator[set[Cell], None, None]:
        """Gives the cells that some path puts meanwhile."""
        ever, put = self.ever, set[Cell]()
        self.ever = put
        try:
            yield put
        finally:
            ever |= put
            self.ever = ever

    @contextmanager
    def seen_from(self, states: Mapping[Cell, State]) -> Generator[None, None, None]:
        """The store as it was at the end of a branch. What is put meanwhile is kept in `states`,
        if that can be written into."""
        mark = self.mark()
        for cell, state in states.items():
            self.put(cell, state)
        inner = self.mark()
        try:
            yield
        finally:
            new = {cell: self.states[cell] for cell in self.changed(inner)}
            self.undo(mark)
            if isinstance(states, dict):
                states.update(new)


def behind(cell: Cell) -> list[Cell]:
    """The cells one of which `cell` is."""
    out: dict[Cell, None] = {}
    todo = list(cell.sources)
    while todo:
        source = todo.pop()
        if source not in out:
            out[source] = None
            todo.extend(source.sources)
    return list(out)


def whence(cells: Iterable[Cell], known: Callable[[Cell], bool]) -> list[Cell]:
    """Those that are known: the cells, and in place of one that a path has made of others the ones it may be."""
    return list(dict.fromkeys(c for cell in cells for c in ([cell] if known(cell) else behind(cell)) if known(c)))
