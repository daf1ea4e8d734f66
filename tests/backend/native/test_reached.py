"""What a value reaches: through branches, loops and memory, and where it is lost."""

import operator

import numpy as np
import pytest

from adcompile.backend.native.reached import STORES, Reached
from adcompile.ir.nodes import Call
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from tests.compiled import specialised


def through_a_branch(x):
    q = x / 3.0
    r = q if x > 1.0 else 0.0
    return np.sin(r)


def through_a_loop(x):
    q = x / 3.0
    for _ in range(3):
        q = q + 1.0
    return np.sin(q)


def out_of_a_loop_by_break(x):
    r = 0.0
    while True:
        q = x / 3.0
        if x > 2.0:
            r = q
            break
        x = x + 1.0
    return np.sin(r)


def through_memory(x):
    a = np.zeros(3)
    a[1] = x / 3.0
    return np.sin(a[2])


def through_a_view(x):
    a = np.zeros(3)
    b = a[1:]
    b[0] = x / 3.0
    return np.sin(a[1])


def through_what_a_loop_carries(x):
    a = np.zeros(3)
    b = np.zeros(3)
    for _ in range(2):
        a[0] = x / 3.0
        a, b = b, a
    return np.sin(b[0])


def elsewhere(x):
    q = x / 3.0
    return np.sin(x) + 0.0 * q


def asked_for_its_shape(x):
    a = np.zeros(3)
    a[1] = x / 3.0
    return np.sin(float(a.shape[0]))


def numbers_reached(f, x):
    """The functions that read what the quotient of a function reaches, by their names."""
    program = specialised(f, x)
    function = program.functions[program.entry]
    reached = Reached(function, program.types)
    calls = [s for s in statements_of(function.body) if isinstance(s, Call)]
    (quotient,) = (s for s in calls if called(s) is operator.truediv)
    work, met, names = [quotient.result], {quotient.result}, set()
    while work:
        var = work.pop()
        more = reached.beyond(var)
        assert more is not None
        if reached.is_number(var):
            for s in reached.readers.get(var, ()):
                names.add(called(s).__name__)
                more += reached.stored(s.args[0]) if called(s) in STORES else [s.result]
        work += [v for v in more if v not in met]
        met.update(more)
    return names


THERE = (
    through_a_branch, through_a_loop, out_of_a_loop_by_break, through_memory, through_a_view,
    through_what_a_loop_carries,
)  # fmt: skip


@pytest.mark.parametrize("f", THERE)
def test_what_it_reaches(f):
    assert "sin" in numbers_reached(f, 1.5)


@pytest.mark.parametrize("f", [elsewhere, asked_for_its_shape])
def test_what_it_does_not_reach(f):
    assert "sin" not in numbers_reached(f, 1.5)
