"""Which items share a nest or a row, by the loops that whole functions get."""

import numpy as np
import pytest

from adcompile.ir.nodes import For
from adcompile.ir.walk import statements_of
from tests.nests.lowered import both
from tests.nests.test_lower import jacobi, random, softmax


def loops(program):
    """How many loops there are that hold no others, and how many outermost ones."""
    body = program.functions[program.entry].body
    every = [s for s in statements_of(body) if isinstance(s, For)]
    inner = [s for s in every if not any(isinstance(t, For) for t in s.body.statements)]
    return len(inner), len([s for s in body.statements if isinstance(s, For)])


def test_one_value_added_at_five_places_goes_through_memory_once():
    made = both(jacobi, 2, random(5, 5), random(5, 5))
    each = 4  # rows above and below, three places of one row in one loop, and the ends of that
    assert loops(made.program) == (2 + 1 + 2 * each, 3), "two forward, the seed, four for each half step"


def chain(x, y):
    a = x * y + 1.0
    b = a * a - x
    c = b / (2.0 + a * a)
    return np.sum(c * b)


def test_a_chain_is_one_loop_without_temporaries():
    made = both(chain, random(5), random(5))
    assert loops(made.program) == (1, 1)
    assert made.text.count("np.empty") == 2, "the two gradients"
    assert made.agree(random(7), random(7))


def test_rows_of_a_softmax_share_the_outer_loops():
    made = both(softmax, random(2, 3), random(2, 3))
    assert loops(made.program)[1] == 1 and made.agree(random(4, 3), random(4, 3))


def recurrence(x):
    a = x * 1.0
    b = x * 2.0
    a[1:] = b[:-1] * a[1:]
    b[:-1] = a[1:] + b[1:]
    a[:-1] = a[1:] * b[1:]
    return np.sum(a * b)


def test_what_reads_ahead_of_a_write_is_in_another_loop():
    assert both(recurrence, random(6)).agree(random(6))


def in_rows(x):
    a = x * 1.0
    for _ in range(2):
        a[1:] = a[:-1] * 0.5 + a[1:]
        a[:, :-1] += a[:, 1:] * x[:, 1:]
    return np.sum(a * a)


def test_writes_over_what_is_read_in_two_axes():
    assert both(in_rows, random(4, 5)).agree(random(4, 5))


def turned_round(x):
    """What is added to a temporary is computed of what it was."""
    a = x * 0.5
    a[::-1] += a * 0.3
    b = a * x
    b[::-1] -= np.sin(b) * a
    return np.sum(a * b)


def turned_round_in_rows(x):
    a = x * 0.5
    a[::-1] += a * 0.3
    a[:, ::-1] *= a + 1.0
    a[::-1, ::-1] = a * a
    return np.sum(np.cos(a) * x)


def added_to_itself(x):
    a = x * 0.5
    a[::-1] += a
    a[1:] -= a[:-1]
    b = np.cos(a) * x
    b[:, ::-1] *= b
    b[::-1] = b
    return np.sum(a * b)


def shifted_by_one(x):
    a = x * 0.5
    b = a * 2.0
    a[1:] += a[:-1] * b[1:]
    a[:-1] = np.sin(a[1:]) * b[:-1]
    b += a
    b[1:] -= b[:-1]
    return np.sum(a * b)


@pytest.mark.parametrize("function", [turned_round, turned_round_in_rows, added_to_itself, shifted_by_one])
@pytest.mark.parametrize("kind", ["joint", "split", "forward"])
def test_a_temporary_that_is_read_as_it_is_written_elsewhere(function, kind):
    rank = 1 if function is turned_round else 2
    given = (random(*(5, 4)[:rank]),)
    along = (random(*(5, 4)[:rank]),) if kind == "forward" else ()
    made = both(function, *given, kind=kind)
    assert made.changed
    ran = made.agree(*given, *along)
    assert ran or kind == "split", "what is kept of views may share memory"
