"""Lengths and guards: computed once, as far out as they can be, and never out of a branch."""

import numpy as np

from adcompile.ir.nodes import Var
from adcompile.ir.types import FLOAT64, INT, Array
from adcompile.nests.frames import Frame, Frames
from adcompile.nests.keys import less, span
from tests.nests.lowered import both
from tests.nests.test_lower import jacobi, random

X, Y = Var("x"), Var("y")
N, M = ("dim", X, 0), ("dim", Y, 0)


def frames(*branches):
    found = Frames({X: Array(np.dtype(float), ("many",)), Y: Array(np.dtype(float), ("many",))})
    for branch in (False, *branches):
        found.stack.append(Frame(branch))
    found.home.update({X: 0, Y: 1})
    return found


def test_equal_lengths_have_one_key():
    f = frames(False)
    f.agree(less(N, 2), less(M, 2))
    assert f.canonical(M) == f.canonical(N)
    assert f.canonical(span(0, M, 2)) == f.canonical(span(0, N, 2))
    count = len(f.here.out)
    f.agree(N, M)
    assert len(f.here.out) == count, "known already"


def test_facts_that_go_round_end():
    f = frames(False)
    keys = [N, M, less(N, 1), span(0, N, 2), span(0, M, 2), less(M, 1)]
    for a in keys:
        for b in reversed(keys):
            f.agree(a, b)
    assert len({f.canonical(k) for k in keys}) == 1


def test_values_stand_where_all_is_known():
    f = frames(False, False)
    assert f.value(less(N, 1)) is f.value(less(N, 1))
    assert f.frame_of(N) is f.stack[0] and f.frame_of((N, M)) is f.stack[1]
    inside = frames(True)
    assert inside.frame_of(N) is inside.stack[1], "a branch keeps its own"


def test_folding():
    f = frames()
    assert f.value(7).value == 7 and f.form((3, ())).value == 3
    assert f.types[f.value(N)] == INT and FLOAT64 not in (f.types[f.value(N)],)


def test_guards_stand_before_everything_is_written():
    text = both(jacobi, 2, random(5, 5), random(5, 5)).text
    assert text.index("raise Leave") < text.index("a_0 = a.copy()")


def only_there(x, y, flag):
    a = x * 2.0
    if flag > 2:
        a = x * y + a
        a = a * y - x
    return np.sum(a * a)


def test_no_guard_leaves_a_branch():
    made = both(only_there, random(4), random(4), 3)
    assert made.agree(random(4), random(4), 3)
    assert made.agree(random(4), random(5), 1), "lengths differ where nobody asks"
