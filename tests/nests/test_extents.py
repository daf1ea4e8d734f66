"""Lengths that are known to be equal need no guard, through loops, lists and slices."""

import numpy as np

from adcompile.ir.stack import large_stack
from adcompile.nests.extents import Extents, Scopes
from tests.nests.lowered import both
from tests.nests.test_lower import random, swapped, waves


def guards(made):
    return made.text.count("raise Leave")


def alike(x):
    y = np.zeros_like(x)
    z = x.copy()
    for _ in range(3):
        y[1:-1] = z[2:] - 2.0 * z[1:-1] + z[:-2]
        z = z + 0.1 * y
    return np.sum(z * y)


def test_copies_and_slices_of_one_array():
    made = both(alike, random(8))
    assert made.changed and guards(made) == 0 and made.agree(random(8))


def test_lists_of_what_a_loop_keeps():
    args = (2, *(random(5, 6) for _ in range(3)), random(2))
    made = both(waves, *args)
    assert "kept" not in made.text, "only the shapes were wanted, and they are known"


def test_loops_that_change_shapes_keep_nothing():
    def grown(x):
        y = x * 1.0
        for _ in range(2):
            y = np.concatenate((y, x)) * 2.0 + 1.0
        return np.sum(y * y)

    assert both(grown, random(3)).agree(random(3))


def test_carried_arrays_that_swap_have_one_shape():
    made = both(swapped, random(9), 3)
    program = made.program
    function = program.functions[program.entry]

    def shapes():
        extents = Extents(Scopes(function, program.types))
        named = [v for v in extents.scopes.joins if v.name in ("u", "v")]
        return {extents.of(v) for v in named}

    assert len(large_stack(shapes)) == 1
