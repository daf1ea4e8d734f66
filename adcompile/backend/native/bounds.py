"""Indices that are proved to be there: integers as linear forms, loops as the intervals of their elements.

An index into an axis of length n needs a check unless it is at least 0 and at most n - 1 for all that the loops
around run over. What cannot be proved so may often be checked once before a loop instead of in it: where that
check fails the kernel is left, though no iteration might have gone wrong; so only what every iteration reads is
checked there. An index below 0 is none that goes wrong: where there may be some, each is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from adcompile.backend.native.base import LENGTH_BITS, Base
from adcompile.backend.native.values import ArrayOf
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Var

Length = tuple[Var, int]  # of an axis of an array
Symbol = Union[Var, Length]


@frozen
class Linear:
    """A constant and multiples of symbols."""

    constant: int = 0
    terms: Mapping[Symbol, int] = field(default_factory=dict[Symbol, int])

    def plus(self, other: Linear, times: int = 1) -> Linear:
        terms = dict(self.terms)
        for symbol, factor in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + times * factor
        return Linear(self.constant + times * other.constant, {s: f for s, f in terms.items() if f})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linear) and (self.constant, self.terms) == (other.constant, other.terms)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))


@dataclass
class Frame:
    """A loop that is being printed: its element is at least `low` and at most `high`, whenever it runs."""

    element: Var | None
    low: Linear
    high: Linear
    marker: str
    """The line before the loop, which becomes its checks."""
    conditional: int = 0
    """How many branches around the present statement are inside the loop."""
    checks: dict[str, None] = field(default_factory=dict[str, None])
    signs: dict[str, str] = field(default_factory=dict[str, str])
    """By the test for indices below 0, the name of whether there are none."""


class Bounds(Base):
    """Keeps linear forms of integers and of the lengths of arrays."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.linear: dict[Var, Linear] = {}
        self.lengths: dict[Var, tuple[Linear, ...]] = {}
        self.level: dict[Var, int] = {}  # how many loops are around a definition
        self.counts: dict[Var, Linear] = {}  # lengths of ranges that are not empty
        self.frames: list[Frame] = []
        self.varying: set[Var] = set()  # arrays by several ways, of several lengths

    def defined(self, var: Var) -> None:
        self.level[var] = len(self.frames)

    def alias(self, var: Var, other: Var) -> None:
        super().alias(var, other)
        self.level[var] = self.level.get(other, 0)
        if other in self.linear:
            self.linear[var] = self.linear[other]
        native = self.native[var]
        if isinstance(native, ArrayOf):
            self.lengths[var] = self.lengths_of(other, native.rank)
        elif other not in self.linear:
            self.linear[var] = Linear(0, {other: 1})

    def form(self, atom: Atom) -> Linear:
        value = self.known(atom)
        if value is not None:
            return Linear(int(value))
        assert isinstance(atom, Var)
        return self.linear.get(atom, Linear(0, {atom: 1}))

    def lengths_of(self, array: Var, rank: int) -> tuple[Linear, ...]:
        return self.lengths.get(array) or tuple(Linear(0, {(array, k): 1}) for k in range(rank))

    # -- proofs

    def bounded(self, array: Var, axis: int, rank: int, atom: Atom) -> bool | str:
        """Whether an index is in its axis, by proof or by a check before a loop; the name of what says so, where it
        may be below 0 in a loop."""
        index = self.form(atom)
        room = self._not_negative(self.lengths_of(array, rank)[axis].plus(index, -1).plus(Linear(-1)))
        least = self._not_negative(index)
        if room is False or least is False:
            return False
        if room is not True:
            frame, check = room
            frame.checks[check] = None
            self.faults = True
        if least is True:
            return True
        frame, check = least
        return frame.signs.setdefault(check, self.fresh("ahead"))

    def is_counted(self, number: Atom) -> bool:
        """Whether an integer is one that counts from 0 on."""
        return self._not_negative(self.form(number)) is True

    def _not_negative(self, form: Linear) -> bool | tuple[Frame, str]:
        """Whether a form is never negative: true, false, or if a check before a loop says so."""
        place: tuple[Frame, str] | None = None
        hoistable = True
        for k in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[k]
            hoistable = hoistable and frame.conditional == 0 and frame.element is not None
            if frame.element is not None and frame.element in form.terms:
                factor = form.terms[frame.element]
                rest = Linear(form.constant, {s: f for s, f in form.terms.items() if s is not frame.element})
                form = rest.plus(frame.low if factor > 0 else frame.high, factor)
            if hoistable and self._fits(form, k):
                place = frame, self._check(form)
        if form.constant >= 0 and all(f > 0 and self._counts(s) for s, f in form.terms.items()):
            return True
        if not form.terms:
            return False
        return place if place is not None else False

    def _counts(self, symbol: Symbol) -> bool:
        return isinstance(symbol, tuple) or symbol in self.hints.counted

    def _fits(self, form: Linear, level: int) -> bool:
        """Whether a form can be computed before the loop of that level."""
        for symbol, factor in form.terms.items():
            var = symbol[0] if isinstance(symbol, tuple) else symbol
            if var not in self.names or self.level.get(var, 0) > level or abs(factor) > 1000:
                return False
            if not isinstance(symbol, tuple) and self.bits.get(var, 63) > LENGTH_BITS + 2:
                return False
        return True

    def _check(self, form: Linear) -> str:
        terms: list[str] = []
        for symbol, factor in form.terms.items():
            name = f"{self.names[symbol[0]]}.shape[{symbol[1]}]" if isinstance(symbol, tuple) else self.names[symbol]
            terms.append(name if factor == 1 else f"{factor} * {name}")
        if form.constant:
            terms.append(str(form.constant))
        return f"{' + '.join(terms)} < 0"
