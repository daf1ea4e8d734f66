"""Functions chosen on the way: loops that tell them apart are native."""

import numpy as np
import pytest

from tests.kernels import agree, parts_of, text_of
from tests.programs import functions_chosen as programs

pytest.importorskip("numba")

WHOLE = """one_of_three_in_a_loop chosen_is_handed_on chosen_before_a_loop two_functions_swapped
method_switched_on_the_way functions_in_a_pair""".split()


@pytest.mark.parametrize("name", WHOLE)
def test_loops_that_choose_are_native(name):
    function = getattr(programs, name)
    for args in programs.SAMPLES[name]:
        parts = parts_of(function, *args)
        assert len(parts.kernels) == 1 and not parts.notes, [str(n) for n in parts.notes]
        agree(function, *args)


def test_functions_are_told_apart_by_numbers():
    text = text_of(programs.two_functions_swapped, np.array([0.4, 1.3]), 3)
    assert "f == 0" in text and "np.sin" not in text.split("f == 0")[0]


class _Law:
    def __init__(self, rate):
        self.rate = rate

    def up(self, x):
        return x * self.rate

    def down(self, x):
        return x / self.rate


SLOW, FAST = _Law(1.5), _Law(2.0)


def method_of_one_law(x, k):
    f = SLOW.up
    for i in range(5):
        if i == k:
            f = FAST.up
        elif i > k:
            f = SLOW.down
        x = f(x)
    return np.sum(x * x)


def returned_too(x, k):
    f = np.sin
    for i in range(4):
        if i == k:
            f = np.cos
        x = f(x)
    return np.sum(x) if f is np.cos else np.sum(x * x)


def nothing_at_first(x, k):
    f = None
    for i in range(5):
        if f is None or i == k:
            f = np.sin if i < 3 else np.cos
        x = f(x)
    return np.sum(x * x)


@pytest.mark.parametrize("function", [method_of_one_law, returned_too, nothing_at_first])
def test_what_is_chosen_is_what_runs(function):
    for k in range(6):
        agree(function, np.array([0.4, 1.3]), k)
