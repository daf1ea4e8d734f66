"""Loops that keep snapshots of a few states, and run again from them for the way back.

A loop of `n` steps with `snaps` snapshots is reversed with the least number of steps run again there is
(Griewank and Walther, "revolve"): with `s` snapshots, of which one is the state where they begin, and at most
`r` runs of each step, binomial(s + r, s) steps can be reversed. One state beside the snapshots is the one that
is being advanced; what the adjoint of a step reads is there for one step at a time.

The steps come as two functions of the generated code: `advance(i, *state, *fixed)` gives the next state (and, of
a loop that may be left, whether it is), and `record(i, *state, *fixed)` also what the adjoint of the step reads. A
state is what the loop carries (`values`), the shadows that it carries (`links`), and the arrays that it writes into
(`memory`). Steps run again do so on copies: no memory of the function is touched on the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from operator import index
from typing import Any, NamedTuple

import numpy as np

from adcompile.runtime.budgets import NUMBERS, Spending, all_numbers, reserve, size, spending
from adcompile.runtime.detaching import replicas
from adcompile.runtime.memory import hand_over

Values = tuple[Any, ...]
Step = Callable[..., Any]


def checkpointed(steps: range, snaps: int) -> range:
    """`steps`, whose loop keeps `snaps` snapshots on the way to its derivative. Raises ValueError for less
    than one, TypeError for what is no whole number."""
    if index(snaps) < 1:
        raise ValueError(f"snaps must be at least 1, not {snaps}")
    return steps


def first_stretch(count: int, snaps: int) -> int:
    """How many of `count` (at least 2) steps to advance before the next snapshot, where the state before them
    is one of `snaps` snapshots. With a single one, all but the last.

    The steps before the new snapshot are reversed with `snaps` snapshots and one run less, those behind it
    with one snapshot less: both must fit, and the least number of steps is run again if neither would fit
    with a run less.
    """
    if snaps == 1:
        return count - 1
    runs = 1
    while comb(snaps + runs, snaps) < count:
        runs += 1
    return min(comb(snaps + runs - 1, snaps), count - comb(snaps + runs - 2, snaps - 1))


class State(NamedTuple):
    """What a step begins with, in memory that nobody writes into; only the shadows are the program's own."""

    position: int
    values: Values
    memory: Values
    links: Values
    left: bool = False  # the loop is left here


class Kind(NamedTuple):
    """How the memory of a loop is spent, and what its steps do beside computing."""

    spending: Spending
    leaves: bool = False  # a step also tells whether the loop is left
    writes: bool = True  # a step writes into arrays
    room: int | None = None  # bytes for what is recorded of a block, where steps may differ in that

    @property
    def uncertain(self) -> bool:
        """Whether a block that is recorded on the way forward may turn out to be one that cannot be."""
        return self.spending.block > 1 and (self.leaves or self.room is not None)


@dataclass(frozen=True)
class Snapshots:
    """What a loop keeps: states, first to last, how many steps it made, and what was recorded of the steps of the
    last block. None: these run again, because the loop was left, or because that took more memory than there was."""

    states: list[State]
    count: int
    last: list[Values] | None
    kind: Kind

    def taken(self, links: Sequence[Values], once: bool) -> list[State]:
        """The states with these shadows; where they are wanted `once`, nobody holds them any more."""
        states = [State(s.position, s.values, s.memory, bars) for s, bars in zip(self.states, links)]
        if once:
            self.states.clear()
        return states


class Recorded(NamedTuple):
    """What was recorded of steps in a row: the state behind the last one, and what the adjoint of each reads."""

    state: State
    values: list[Values]
    shadows: list[Values]


@dataclass(frozen=True)
class Loop:
    """The steps of one run of a loop, and how each is made."""

    advance: Step
    record: Step
    steps: range
    fixed: Values
    kind: Kind

    def advanced(self, state: State, end: int) -> State:
        """The state at step `end`, or behind the step that leaves the loop; the memory of `state` is written over."""
        advance, memory, fixed, count = self.advance, state.memory, self.fixed, len(state.values)
        carried = (*state.values, *state.links)
        rest = (*memory, *fixed)
        if not self.kind.leaves:
            for i in self.steps[state.position : end]:
                carried = advance(i, *carried, *rest)
            return State(end, carried[:count], memory, carried[count:])
        for k in range(state.position, end):
            *carried, left = advance(self.steps[k], *carried, *rest)
            if left:
                return State(k + 1, tuple(carried[:count]), memory, tuple(carried[count:]), True)
        return State(end, tuple(carried[:count]), memory, tuple(carried[count:]))

    def recorded(self, state: State, end: int, seen_by_all: bool = False) -> Recorded:
        """What is recorded of the steps up to `end`, or of as many as there is room for; the memory of `state` is
        written over. Of steps that the program itself makes, others see the arrays too."""
        record, count, several = self.record, len(state.values), end - state.position > 1
        shared = (*arrays_of(state), *filter(is_array, self.fixed)) if seen_by_all else arrays_of(state)
        room = self.kind.room if several else None
        seen = set[int]() if room is None else self.known(state)
        found, shadows, rest = list[Values](), list[Values](), (*state.memory, *self.fixed)
        while state.position < end:
            carried, kept, bars = record(self.steps[state.position], *state.values, *state.links, *rest)
            after = State(state.position + 1, carried[:count], state.memory, carried[count:])
            copied = several and self.kind.writes or seen_by_all
            found.append(apart(kept, [*shared, *arrays_of(state), *arrays_of(after)]) if copied else kept)
            shadows.append(bars)
            state = after
            if room is not None:
                room -= size(seen, found[-1], bars)
                if room < 0:
                    break
        return Recorded(state, found, shadows)

    def known(self, state: State) -> set[int]:
        """The objects that are there beside what is recorded: what a step reads of them takes no memory of its own."""
        seen = set[int]()
        size(seen, *state, *self.fixed)
        return seen

    def approach(self, state: State, last: int, states: list[State]) -> State:
        """The state at step `last`, with which a block begins, from that of an earlier one, which is the latest of the
        snapshots; new ones go to `states`."""
        snaps, block = self.kind.spending
        while state.position < last:
            stretch = first_stretch((last - state.position) // block + 1, snaps - len(states) + 1)
            state = self.advanced(state, state.position + stretch * block)
            if state.left:
                break
            if state.position < last:
                states.append(snapshot(state))
        return state

    def back(self, state: State, end: int, links: Values) -> Generator[Values, None, Values]:
        """What the adjoints read of the steps from a state up to `end`, last to first, and the shadows that the state
        carries; `links` are those behind. Half of the steps at a time, where there is no room for all."""
        begin = snapshot(state) if self.kind.room is not None and end - state.position > 1 else state
        made = self.recorded(state, end)
        if made.state.position < end:
            del made
            half = (begin.position + end) // 2
            links = yield from self.back(self.advanced(snapshot(begin), half), end, links)
            return (yield from self.back(begin, half, links))
        for bar, old in zip(made.state.links, links):
            hand_over(bar, old)
        while made.values:
            yield (*made.values.pop(), *made.shadows.pop())
        return state.links


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def arrays_of(state: State) -> list[np.ndarray]:
    return [a for part in (state.values, state.memory) for a in part if is_array(a)]


def apart(kept: Values, arrays: Sequence[np.ndarray]) -> Values:
    """What was recorded, in memory that nobody writes into: others have these arrays."""
    return replicas(kept) if any([may_overlap(k, arrays) for k in kept]) else kept  # noqa: C419  short


def may_overlap(value: Any, arrays: Sequence[np.ndarray]) -> bool:
    """Whether a value may hold memory of these arrays; what a loop within the step has kept is apart already."""
    if is_array(value):
        return any(np.may_share_memory(value, a) for a in arrays)
    return not isinstance(value, (*NUMBERS, Snapshots))


def snapshot(state: State) -> State:
    """A state in memory of its own, in which arrays overlap as they did."""
    if not state.memory and not any([isinstance(v, np.ndarray) for v in state.values]):  # noqa: C419  short
        return state
    values, memory = replicas((state.values, state.memory))
    return State(state.position, values, memory, state.links)


def run_checkpointed(
    advance: Step,
    record: Step,
    steps: range,
    snaps: int,
    values: Values,
    links: Values,
    memory: Values,
    fixed: Values,
    leaves: bool = False,
) -> Values:
    """Run a loop and keep snapshots: what it carries at the end, in order, then the Snapshots, and the shadows
    among what they hold, which every run of a pullback has of its own. `leaves`: `advance` also tells whether
    the loop is left."""
    checkpointed(steps, snaps)
    loop = Loop(advance, record, steps, fixed, Kind(Spending(snaps), leaves))
    return forward(loop, State(0, values, memory, links))


def run_budgeted(
    advance: Step,
    record: Step,
    steps: range,
    budget: int,
    values: Values,
    links: Values,
    memory: Values,
    fixed: Values,
    leaves: bool = False,
    writes: bool = True,
) -> Values:
    """Run a loop and keep what there is room for in `budget` bytes: it gives what `run_checkpointed` does. What a
    step takes is measured on the first one, which runs once more. `writes`: the loop writes into arrays.

    Raises Unsupported where there is no room for a step and its state.
    """
    state, kind = State(0, values, memory, links), Kind(Spending(1), leaves, writes)
    loop = Loop(advance, record, steps, fixed, kind)
    if len(steps) > 1:
        made = measured(loop, state)
        seen = loop.known(state)
        held, step = size(set(), state._replace(links=())), size(seen, *made.values, *made.shadows)
        chosen = spending(len(steps), held, step, budget)
        room = None if all_numbers(made.values) else budget - reserve(held, step) - chosen.snaps * held
        loop = replace(loop, kind=Kind(chosen, leaves, writes, room))
    return forward(loop, state)


def measured(loop: Loop, state: State) -> Recorded:
    """What is recorded of the first step, which is made on a copy of the state. If it raises, so it does on the state
    itself, which is left as the function leaves it."""
    try:
        return loop.recorded(snapshot(state), 1)
    except BaseException:
        loop.advanced(state, 1)
        raise


def forward(loop: Loop, state: State) -> Values:
    """Run a loop from its beginning: what `run_checkpointed` gives."""
    count, kind, block = len(loop.steps), loop.kind, loop.kind.spending.block
    if not count:
        return (*state.values, *state.links, Snapshots([], 0, None, kind), ((), ()))
    states = [snapshot(state)] if count > 1 else []
    state = loop.approach(state, (count - 1) // block * block, states)
    made, begin = None, state
    if kind.uncertain and not state.left and states[-1].position < state.position:
        states.append(snapshot(state))
    if not state.left and not (kind.leaves and block > 1):
        made = loop.recorded(state, count, True)
        state = made.state
    if state.position < count and not state.left:  # there was no room, or whether it leaves the loop is not known
        made, state = None, loop.advanced(state, count)
    if made is not None and states and states[-1].position == begin.position:
        states.pop()
    kept = [State(s.position, s.values, s.memory, ()) for s in states]
    bars = tuple(s.links for s in states)
    carried = (*state.values, *state.links)
    if made is None:
        return (*carried, Snapshots(kept, state.position, None, kind), (bars, (state.links,)))
    held = (bars, (begin.links, tuple(made.shadows), state.links))
    return (*carried, Snapshots(kept, count, made.values, kind), held)


def run_back(
    advance: Step, record: Step, steps: range, kept: Snapshots, held: Values, fixed: Values, once: bool = False
) -> Iterator[Values]:
    """For each step of a loop, last to first: what its adjoint reads, values and then shadows. What the
    carried shadows hold when the next one is asked for is the cotangent of the state before the step.
    `once`: nobody will go back again, and what was kept is given up as it is used."""
    loop, block, (bars, around) = Loop(advance, record, steps, fixed, kept.kind), kept.kind.spending.block, held
    states, links, todo = kept.taken(bars, once), around[0] if around else (), kept.count
    if kept.last is not None:
        rows, shadows = (kept.last if once else list(kept.last)), list(around[1])
        todo -= len(rows)
        while rows:
            yield (*rows.pop(), *shadows.pop())
    while todo:
        begin = (todo - 1) // block * block
        while states[-1].position > begin:
            states.pop()
        state = states[-1] if once and states[-1].position == begin else snapshot(states[-1])
        links = yield from loop.back(loop.approach(state, begin, states), todo, links)
        todo = begin


@dataclass(frozen=True)
class Copies:
    """Arrays as they were when a call began, which nobody takes apart: they may overlap."""

    arrays: Values


def kept_replicas(arrays: Values) -> Copies:
    """Copies of arrays for a call that will run again."""
    return Copies(replicas(arrays))


def replicas_of(copies: Copies) -> Values:
    """Copies of the copies, for one such run."""
    return replicas(copies.arrays)
