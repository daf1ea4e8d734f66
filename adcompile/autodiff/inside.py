"""Which values a block defines at any depth, without a set for every level of a deep nest."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from adcompile.frozen import frozen
from adcompile.ir.nodes import Attempt, Block, Var
from adcompile.ir.walk import all_blocks, blocks_of, defined, results_of


@frozen
class Inside:
    """The values numbered from `first` up to but not including `end`."""

    numbers: dict[Var, int]
    first: int
    end: int

    def __contains__(self, var: object) -> bool:
        return isinstance(var, Var) and self.first <= self.numbers.get(var, -1) < self.end


@dataclass
class Numbering:
    """Numbers values in the order of the blocks that define them, so that what a block and those
    inside it define is a range; each block is walked once."""

    numbers: dict[Var, int] = field(default_factory=dict[Var, int])
    spans: dict[Block, Container[object]] = field(default_factory=dict[Block, Container[object]])

    def inside(self, block: Block) -> Container[object]:
        found = self.spans.get(block)
        return self._walk(block) if found is None else found

    def rebuilt(self, block: Block) -> None:
        """A block, and those inside it, made of statements whose values have numbers: these stay, and new
        values go with them. A block may have new values alone, between numbers of others: each has a set."""
        found = defined(block)
        first = min((self.numbers[var] for var in found if var in self.numbers), default=0)
        self.numbers.update((var, first) for var in found if var not in self.numbers)  # for what is around the block
        for inner in all_blocks(block):
            if inner not in self.spans:
                self.spans[inner] = frozenset(defined(inner))

    def _walk(self, block: Block) -> Container[object]:
        numbers, first = self.numbers, len(self.numbers)
        for var in block.params:
            numbers[var] = len(numbers)
        inner: list[Block] = []
        for statement in block.statements:
            for var in results_of(statement):
                numbers[var] = len(numbers)
            if isinstance(statement, Attempt):
                numbers[statement.opaque.result] = len(numbers)
            inner.extend(blocks_of(statement))
        for other in inner:
            self._walk(other)
        made = self.spans[block] = Inside(numbers, first, len(numbers))
        return made
