"""Which items of lists a kernel reads without counting who holds them."""

import re

import numpy as np
import pytest

pytest.importorskip("numba")

from tests.kernels import agree, agree_pulled, text_of


def halves(w):
    state = []
    for i in range(len(w)):
        state.append(w[i] * 0.5)
    return state


def layers(w, xs):
    """A list of states that each step makes anew, and reads once."""
    state = halves(w)
    total = 0.0
    for t in range(len(xs)):
        new = []
        x = xs[t] * 1.0
        for i in range(len(state)):
            h = np.tanh(state[i] * w[i] + x)
            new.append(h)
            x = h * x
        state = new
        total += np.sum(x * x)
    return total


def replaced(w, xs):
    """An item that is put in place of the one that is still read."""
    state = halves(w)
    total = 0.0
    for t in range(len(xs)):
        for i in range(len(state)):
            old = state[i]
            state[i] = np.sin(old * w[i]) + xs[t]
            total += np.sum(old * old)
    return total


def through_another_name(w, xs):
    state = halves(w)
    other = state
    total = 0.0
    for t in range(len(xs)):
        for i in range(len(state)):
            old = state[i]
            other[i] = np.sin(old * w[i]) + xs[t]
            total += np.sum(old * old)
    return total


def popped_beside(w, xs):
    """Items are taken out of one list while those of another are read."""
    state, rest = [], []
    for i in range(len(w)):
        state.append(w[i] * 0.5)
        rest.append(np.cos(w[i]))
    total = 0.0
    for i in range(len(w)):
        a = state[i]
        b = rest.pop()
        total += np.sum(a * b * xs[0])
    return total


def popped(w, xs):
    """Items are taken out of the list that is read."""
    state = halves(w)
    total = 0.0
    for _ in range(len(w) - 1):
        a = state[len(state) - 1]
        b = state.pop()
        c = np.sin(b) * state[len(state) - 1]
        total += np.sum(a * c * xs[0])
    return total


def left_early(w, xs):
    state = halves(w)
    total = 0.0
    for i in range(len(w)):
        a = state[i]
        b = np.sin(a * w[i])
        if np.sum(b) > 1.5:
            total += np.sum(a * b)
            break
        total += np.sum(b * b * a)
    return total


def joined(w, xs):
    state = halves(w)
    total = 0.0
    for i in range(len(w)):
        a = np.concatenate((state[i], xs[0], state[len(w) - 1 - i]))
        total += np.sum(np.tanh(a) * a)
    return total


W, XS = np.linspace(0.3, 0.9, 3)[:, None] * np.linspace(0.5, 1.0, 5), np.linspace(-1.0, 1.0, 20).reshape(4, 5)
ALL = [layers, replaced, through_another_name, popped_beside, popped, left_early, joined]


@pytest.mark.parametrize("f", ALL)
def test_gradients_agree(f):
    agree(f, W, XS)
    agree(f, np.repeat(W, 9, axis=0), np.repeat(XS, 3, axis=0))
    agree_pulled(f, W, XS)


def read(f, name):
    """How the primal reads items of a list."""
    items = rf"{name}(?:_\d+)?"
    return set(re.findall(rf"\w+ = (nt\.item\({items}, |{items}\[)", text_of(f, W, XS).split("for ", 2)[2]))


def test_what_lasts_is_not_counted():
    assert all(way.startswith("nt.item(") for way in read(joined, "state"))
    assert any(way.startswith("nt.item(") for way in read(layers, "state"))


@pytest.mark.parametrize("f", [replaced, through_another_name, popped])
def test_what_may_be_taken_out_is(f):
    ways = read(f, "state")
    assert ways and not any(way.startswith("nt.item(") for way in ways), ways


def test_nothing_of_a_loop_that_is_left():
    first = re.search(r"\n +a = (.*)", text_of(left_early, W, XS))
    assert first is not None and not first[1].startswith("nt.item("), first
