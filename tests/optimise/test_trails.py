"""What the way back reads from lists is traced to what the turns of the loops kept."""

import operator

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call, Const
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import Trails
from adcompile.pipeline import Request


def once(x):
    s = x
    for _ in range(4):
        s = np.sin(s) * x
    return np.sum(s)


def by_steps(x):
    s = x
    for k in range(9, 2, -3):
        s = np.sin(s) * (x + k)
    return np.sum(s)


def in_two_loops(x):
    s = x
    for i in range(3):
        for _ in range(i + 1):
            s = np.sin(s) * x
        s = np.exp(-s)
    return np.sum(s)


def left_early(x):
    s = x
    for _ in range(9):
        s = np.sin(s) * x
        if s[0] < 0.2:
            break
    return np.sum(s)


def trails_of(f):
    x = np.array([0.4, 0.9])
    program = pipeline.derive(f, Request("joint", (0,)), (type_of(x),)).program
    trails = Trails(program.functions[program.entry], dict(program.types), Effects(program.types))
    reads = [trails.places.definition[r] for r in trails.reads()]
    return trails, [(call, trails.trail(*call.args, call.result)) for call in reads]


@pytest.mark.parametrize("f, depth", [(once, 1), (by_steps, 1), (in_two_loops, 2)])
def test_each_read_is_traced_to_the_value_that_was_kept(f, depth):
    trails, found = trails_of(f)
    assert found and all(trail is not None for _, trail in found)
    assert max(len(trail.turns) for _, trail in found) == depth
    for call, trail in found:
        assert trail.turns[-1][1] is call.args[1]
        assert trails.places.loops[trail.value] == trail.loops
        assert trails.types[trail.value] == trails.types[call.result]


def test_loops_that_are_left_early_have_no_trails():
    _, found = trails_of(left_early)
    assert all(trail is None for _, trail in found)


def test_what_a_turn_computed_from_its_number_is_computed_again():
    trails, found = trails_of(by_steps)
    (_, trail), *_ = found
    (loop, number) = trail.turns[0]
    out: list[Call] = []
    made = trails.rebuilt(loop.body.params[0], trail, out)
    assert [s.fn.value for s in out if isinstance(s.fn, Const)] == [operator.getitem]
    assert out[-1].result is made and out[-1].args[1] is number
