"""What is zero whenever a turn of the way back begins: where that is known, where it is not, and what is computed."""

import numpy as np
import pytest

from adcompile.nests import lower
from adcompile.nests.zeroed import zeroed
from tests.nests.lowered import both
from tests.nests.test_lower import random


def handed_over(a):
    b, c = a * 1.0, np.zeros(len(a))
    for _ in range(3):
        c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.3 * (c[:-2] + c[1:-1] * c[1:-1] + c[2:])
    return np.sum(b * b)


def between_bounds(a):
    n = len(a)
    b, c = a * 1.0, np.zeros(n)
    for _ in range(3):
        c[1 : n - 1] = 0.4 * (b[: n - 2] + b[2:n])
        b[1 : n - 1] = 0.3 * (c[: n - 2] + c[2:n])
    return np.sum(b * b)


def read_behind_the_loop(a):
    b, c = a * 1.0, np.zeros(len(a))
    for _ in range(3):
        c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.3 * (c[:-2] + c[1:-1] + c[2:])
    return np.sum(b * c)


def read_before_it_is_written(a):
    b, c = a * 1.0, np.zeros(len(a))
    for _ in range(3):
        b[1:-1] += 0.3 * (c[:-2] + c[1:-1] + c[2:])
        c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(b * b)


def seen_as_something_else(a):
    b, c = a * 1.0, np.zeros(len(a))
    d = c[:2]
    for _ in range(3):
        b[:2] += d * b[-2:]
        c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.3 * (c[:-2] + c[1:-1] + c[2:])
    return np.sum(b * b)


def an_element_beside(a):
    b, c = a * 1.0, np.zeros(len(a))
    for k in range(1, 3):
        c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.3 * (c[:-2] + c[1:-1] + c[2:])
        b[k] = c[k] * c[0]
    return np.sum(b * b)


def only_sometimes(a):
    b, c = a * 1.0, np.zeros(len(a))
    for k in range(3):
        if k != 1:
            c[1:-1] = 0.4 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.3 * (c[:-2] + c[1:-1] + c[2:])
    return np.sum(b * b)


KNOWN = {handed_over: 1, between_bounds: 1}
UNKNOWN = [
    read_behind_the_loop,
    read_before_it_is_written,
    seen_as_something_else,
    an_element_beside,
    only_sometimes,
]


@pytest.fixture
def found(monkeypatch):
    """The statements that loops have been found to end with."""
    out = []

    def noted(*args):
        made = zeroed(*args)
        out.extend(made)
        return made

    monkeypatch.setattr(lower, "zeroed", noted)
    return out


@pytest.mark.parametrize("f", [*KNOWN, *UNKNOWN], ids=lambda f: f.__name__)
def test_every_length(f, found):
    made = both(f, random(9))
    assert len(found) == KNOWN.get(f, 0)
    for n in range(3, 9):
        assert made.agree(random(n))


def test_what_stays_zero_never_sees_memory(found):
    """Between the ends what two turns hand on is a number: it is neither read nor written."""
    text = both(handed_over, random(9)).text
    (call,) = found
    assert call.args[0].name == "c_bar" and text.count("c_bar[i]") == 1, "where it is made"
