"""Steps run again as rarely as can be, on the right states, in memory of their own."""

import itertools

import numpy as np
import pytest

from adcompile.runtime.checkpoints import checkpointed, run_back, run_checkpointed

STEPS, SNAPS = 120, 10


def least(steps, snaps):
    """least[c][n]: the fewest advances with which n steps are reversed by c snapshots, the state at the
    beginning among them. Where the next snapshot goes, every place is tried."""
    table = [[0] * (steps + 1) for _ in range(snaps + 1)]
    for c in range(1, snaps + 1):
        for n in range(2, steps + 1):
            table[c][n] = n * (n - 1) // 2  # from the beginning each time
            for m in range(1, n) if c > 1 else ():
                table[c][n] = min(table[c][n], m + table[c - 1][n - m] + table[c][m])
    return table


class Counter:
    """Steps of an array, which are written in place, and of a number; counted."""

    def __init__(self):
        self.advanced = self.recorded = 0

    def advance(self, i, k, bar, array, offset):
        assert k == i + offset and array[0] == i
        self.advanced += 1
        array += 1.0
        return k + 1, bar

    def record(self, i, k, bar, array, offset):
        assert k == i + offset and array[0] == i
        self.recorded += 1
        array += 1.0
        return (k + 1, bar), (i,), (bar,)


def reverse(count, snaps, times=1, once=True):
    """The steps that a reversal records, and how many were made."""
    steps, array, bar, counter = range(count), np.zeros(2), np.zeros(1), Counter()
    k, _, kept, held = run_checkpointed(
        counter.advance, counter.record, steps, snaps, (7,), (bar,), (array,), (7,)
    )
    assert (k, array[0]) == (count + 7, count) and len(kept.states) <= snaps
    for _ in range(times):
        back = run_back(counter.advance, counter.record, steps, kept, held, (7,), once)
        assert [i for i, _ in back] == list(range(count))[::-1]
    assert array[0] == count
    return counter


def test_no_schedule_has_fewer_steps():
    best = least(STEPS, SNAPS)
    for snaps, count in itertools.product(range(1, SNAPS + 1), range(STEPS + 1)):
        made = reverse(count, snaps)
        assert made.recorded == count
        assert made.advanced == best[snaps][count], (count, snaps)


@pytest.mark.parametrize(("count", "snaps"), [(1, 1), (2, 5), (17, 3), (30, 4)])
def test_a_pullback_may_go_back_again(count, snaps):
    made = reverse(count, snaps, times=3, once=False)
    assert made.recorded == 1 + 3 * (count - 1)


@pytest.mark.parametrize("once", [True, False])
def test_snapshots_at_any_time(once):
    """No more than asked for, where nobody goes back again; each of them held once."""
    alive = set()

    class State:
        def __init__(self):
            alive.add(id(self))

        def __del__(self):
            alive.discard(id(self))

    def advance(i, state):
        return (State(),)

    def record(i, state):
        return (State(),), (), ()

    steps, snaps, most = range(100), 4, 0
    _, kept, held = run_checkpointed(advance, record, steps, snaps, (State(),), (), (), ())
    for _ in run_back(advance, record, steps, kept, held, (), once):
        most = max(most, len(alive))
    assert most <= (1 if once else 2) * snaps + 3  # the one advanced, and what a step takes and gives


def test_arrays_that_overlap_do_so_in_snapshots():
    whole = np.arange(4.0)

    def advance(i, a, b):
        assert np.shares_memory(a, b)
        a *= 2.0
        b += 1.0
        return (a, b)

    def record(i, a, b):
        before = a.copy()
        return advance(i, a, b), (before,), ()

    a, b = whole[:3], whole[1:]
    expected, copy = [], whole.copy()
    for i in range(9):
        expected.append(copy[:3].copy())
        advance(i, copy[:3], copy[1:])
    *_, kept, held = run_checkpointed(advance, record, range(9), 2, (a, b), (), (), ())
    assert np.array_equal(whole, copy)
    for found, wanted in zip(run_back(advance, record, range(9), kept, held, ()), expected[::-1]):
        assert np.array_equal(found[0], wanted)


def test_cotangents_go_from_the_shadows_of_one_run_to_those_of_the_next():
    """A buffer made in one iteration and read in the next one: each run makes its own shadow."""

    def advance(i, y, y_bar):
        return 2.0 * y, np.zeros(1)

    def record(i, y, y_bar):
        (new, bar) = advance(i, y, y_bar)
        return (new, bar), (), (y_bar, bar)

    start = np.zeros(1)
    _, last, kept, held = run_checkpointed(advance, record, range(11), 2, (np.ones(1),), (start,), (), ())
    last[...] = 1.0
    for y_bar, new_bar in run_back(advance, record, range(11), kept, held, ()):
        y_bar += 2.0 * new_bar
    assert start[0] == 2.0**11


def test_numbers_of_snapshots():
    assert checkpointed(range(3), np.int64(2)) == range(3)
    with pytest.raises(ValueError, match="snaps must be at least 1, not 0"):
        checkpointed(range(3), 0)
    with pytest.raises(TypeError):
        checkpointed(range(3), 1.5)
