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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from operator import index
from typing import Any, NamedTuple

import numpy as np

from adcompile.runtime.detached import replicas
from adcompile.runtime.memory import hand_over

Values = tuple[Any, ...]
Step = Callable[..., Any]


def checkpointed(steps: range, snaps: int) -> range:
    """`steps`, whose loop keeps `snaps` snapshots on the way to its derivative. Raises ValueError for less
    than one, TypeError for what is no whole number."""
    if index(snaps) < 1:
        raise ValueError(f"snaps must be at least 1, not {snaps}")
    return steps


@lru_cache(maxsize=8192)
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


@dataclass(frozen=True)
class Snapshots:
    """What a loop keeps: states, first to last, how many steps it made, and what was recorded of the last one.
    None: the step left the loop, which was not known before it was made."""

    states: list[State]
    count: int
    last: Values | None
    leaves: bool = False  # it is a loop that may be left

    def taken(self, links: Sequence[Values], once: bool) -> list[State]:
        """The states with these shadows; where they are wanted `once`, nobody holds them any more."""
        states = [State(s.position, s.values, s.memory, bars) for s, bars in zip(self.states, links)]
        if once:
            self.states.clear()
        return states


@dataclass(frozen=True)
class Loop:
    """The steps of one run of a loop: how each is made, and how many snapshots there may be."""

    advance: Step
    record: Step
    steps: range
    snaps: int
    fixed: Values
    leaves: bool = False  # a step also tells whether the loop is left

    def advanced(self, state: State, end: int) -> State:
        """The state at step `end`, or behind the step that leaves the loop; the memory of `state` is written over."""
        advance, memory, fixed, count = self.advance, state.memory, self.fixed, len(state.values)
        carried = (*state.values, *state.links)
        rest = (*memory, *fixed)
        if not self.leaves:
            for i in self.steps[state.position : end]:
                carried = advance(i, *carried, *rest)
            return State(end, carried[:count], memory, carried[count:])
        for k in range(state.position, end):
            *carried, left = advance(self.steps[k], *carried, *rest)
            if left:
                return State(k + 1, tuple(carried[:count]), memory, tuple(carried[count:]), True)
        return State(end, tuple(carried[:count]), memory, tuple(carried[count:]))

    def recorded(self, state: State) -> tuple[Values, Values, Values]:
        """What the next step carries on, and what its adjoint reads: values, and shadows."""
        i = self.steps[state.position]
        return self.record(i, *state.values, *state.links, *state.memory, *self.fixed)

    def approach(self, state: State, last: int, slots: int, states: list[State]) -> State:
        """The state at step `last`, from that of an earlier step which is the latest snapshot. As many as
        `slots` snapshots, that one included, are there for the stretch; new ones go to `states`."""
        while state.position < last:
            stretch = first_stretch(last + 1 - state.position, slots)
            state = self.advanced(state, state.position + stretch)
            if state.left:
                break
            slots -= 1
            if state.position < last:
                states.append(snapshot(state))
        return state


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
    count = len(values)
    if not steps:
        return (*values, *links, Snapshots([], 0, None), ((), ()))
    loop = Loop(advance, record, steps, snaps, fixed, leaves)
    state, last, states = State(0, values, memory, links), len(steps) - 1, list[State]()
    if last:
        states.append(snapshot(state))
    state = loop.approach(state, last, snaps, states)
    apart = [State(s.position, s.values, s.memory, ()) for s in states]
    bars = tuple(s.links for s in states)
    if state.left:
        return (*state.values, *state.links, Snapshots(apart, state.position, None, leaves), (bars, (state.links,)))
    carried, kept, shadows = loop.recorded(state)
    held = (bars, (state.links, shadows, carried[count:]))
    return (*carried, Snapshots(apart, last + 1, replicas(kept), leaves), held)


def run_back(
    advance: Step,
    record: Step,
    steps: range,
    snaps: int,
    kept: Snapshots,
    held: Values,
    fixed: Values,
    once: bool = False,
) -> Iterator[Values]:
    """For each step of a loop, last to first: what its adjoint reads, values and then shadows. What the
    carried shadows hold when the next one is asked for is the cotangent of the state before the step.
    `once`: nobody will go back again, and the snapshots are given up as they are used."""
    loop, (links, around) = Loop(advance, record, steps, snaps, fixed, kept.leaves), held
    states, entering, todo = kept.taken(links, once), around[0] if around else (), kept.count
    if kept.last is not None:
        yield (*kept.last, *around[1])
        todo -= 1
    for j in range(todo - 1, -1, -1):
        while states[-1].position > j:
            states.pop()
        slots = snaps - len(states) + 1
        state = states[-1] if once and states[-1].position == j else snapshot(states[-1])
        state = loop.approach(state, j, slots, states)
        carried, recorded, shadows = loop.recorded(state)
        for bar, old in zip(carried[len(carried) - len(entering) :], entering):
            hand_over(bar, old)
        entering = state.links
        yield (*recorded, *shadows)


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
