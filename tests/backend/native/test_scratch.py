"""Vectors of an iteration that lie where those of the iterations before have been."""

import re

import numpy as np
import pytest

pytest.importorskip("numba")

import adcompile as ad
from tests.kernels import agree, agree_pulled, text_of


def waves(x, w):
    """Vectors that nobody has behind their iteration."""
    s = 0.0
    for k in range(len(w)):
        a = np.concatenate((x * w[k], x[:k]))
        b = np.concatenate((a, x[1:]))
        s += np.sum(np.sin(a) * a) + b[k] * b[-1]
    return s


def longer_and_longer(x, w):
    s = 0.0
    for k in range(len(w)):
        for j in range(k):
            a = np.concatenate((x[:j], x[: k - j], x))
            s += np.sum(a * a) * w[j] + a[j]
    return s


def handed_on(x, w):
    """A vector that the next iteration reads, a view of one that a list keeps, and one that is chosen."""
    old, parts, best = x, [], x
    for k in range(len(w)):
        new = np.concatenate((old[1:], old[:1])) * w[k]
        parts.append(new[1:])
        best = new if np.sum(new) > np.sum(best) else best
        old = new
    return np.sum(old * old) + sum(np.sum(p * p) for p in parts) + np.sum(best)


def left_early(x, w):
    """Behind the last one nobody asks for the memory any more."""
    s = 0.0
    for k in range(len(w)):
        if w[k] > 0.8:
            a = np.concatenate((x, x * w[k]))
            b = np.full(2 * len(x), 7.0)
            s += np.sum(a * a) + b[0]
            break
        s += x[0] * w[k]
    return s


def carried(x, w):
    """The adjoint of a state is made for the iteration before, by turns."""
    state = x
    for k in range(len(w)):
        state = np.sin(state) * w[k] + x
    return np.sum(state * state)


def carried_in_two_loops(x, w):
    """Memory is begun anew for each inner loop, some of which do nothing."""
    s = 0.0
    for k in range(len(w)):
        state = np.concatenate((x[k:], x[:k]))
        for j in range(k):
            state = state * w[j] + np.cos(state)
        s += np.sum(state * x)
    return s


def two_before(x, w):
    """Each vector is read by the iteration after the next one, too."""
    old, new = x, x * 0.5
    for k in range(len(w)):
        old, new = new, np.sin(old) * w[k] + new
    return np.sum(old * new)


def not_always(x, w):
    """Some iterations leave the vector of an earlier one."""
    state = x
    for k in range(len(w)):
        trial = state * w[k] + np.cos(x)
        if np.sum(trial) > np.sum(state):
            state = trial
    return np.sum(state * state)


def exchanged(x, w):
    a, b = x, np.cos(x)
    for k in range(len(w)):
        a, b = b * w[k], a + np.sin(b)
    return np.sum(a * b)


X, W = np.array([0.3, -0.7, 1.1, 0.2]), np.linspace(0.5, 1.5, 4)
CARRIED = [carried, carried_in_two_loops, two_before, not_always, exchanged]


@pytest.mark.parametrize("f", [waves, longer_and_longer, handed_on, left_early, *CARRIED])
def test_gradients_agree(f):
    agree(f, X, W)
    agree_pulled(f, X, W)


@pytest.mark.parametrize("f", [waves, handed_on, carried_in_two_loops])
def test_lengths_change_from_call_to_call(f):
    native, plain = (ad.grad(f, argnums=(0, 1), backend=b) for b in ("numba", "numpy"))
    for n in (4, 40, 5, 400, 4):
        x = np.cos(np.arange(n, dtype=float))
        for got, want in zip(native(x, W), plain(x, W)):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_what_stays_in_its_iteration_has_no_memory_of_its_own():
    assert "a_bar_room" in text_of(waves, X, W)
    assert "new_room" not in text_of(handed_on, X, W), "the next iteration reads it"
    assert "_room" not in text_of(left_early, X, W), "a loop that is left"


def by_turns(f):
    """The vectors that are made where the ones before the last have been."""
    return set(re.findall(r"^ *(\w+)_room\w*, (\w+) = \2, \1_room\w*$", text_of(f, X, W), re.MULTILINE))


def test_what_is_handed_on_lies_by_turns_in_two_places():
    assert {name for name, _ in by_turns(carried)} == {"x_bar", "state_bar"}
    assert {name for name, _ in by_turns(carried_in_two_loops)} == {"state_bar"}
    assert {name for name, _ in by_turns(exchanged)} == {"a"}
    assert {name for name, _ in by_turns(not_always)} == {"x_bar"}, "the state may be older"


def shown(x, w):
    """The result is in a list, so that the kernel has no memory of its caller; the adjoint of `y` is read behind its
    loop, and before it."""
    states, y = [x * w[0]], np.cos(x)
    for k in range(len(w)):
        states.append(np.sin(states[-1]) * w[k] + x)
        y = np.sin(y) * w[k]
    return np.sum(states[-1] * y), states[1]


def test_memory_that_is_read_behind_its_loop_is_held():
    text = text_of(carried, X, W)
    assert all(f"nt.held({other})" in text for _, other in by_turns(carried))


def in_a_list(x, w):
    """States in a list, each of which makes the next one."""
    states = [x * 1.0]
    for k in range(len(w)):
        states.append(np.sin(states[-1]) * w[k] + x)
    return sum(np.sum(s * s) for s in states)


def lists_of_states(x, w):
    state = [x * 0.5, np.cos(x)]
    s = 0.0
    for k in range(len(w)):
        new = []
        for j in range(2):
            new.append(np.tanh(state[j] * w[k]) + state[0])
        state = new
        s += np.sum(state[0] * state[1])
    return s


def dropped_again(state, w):
    """Lists that begin anew in each iteration."""
    s = 0.0
    for _ in range(len(w)):
        new = []
        for j in range(3):
            new.append(state * w[j])
        s += np.sum(new[0]) - np.sum(new[2])
    return s


def last_as_well(x, w):
    """The last state is a result: it must not lie where the next call writes."""
    states = []
    state = x
    for k in range(len(w)):
        states.append(state)
        state = np.sin(state) * w[k] + x
    return sum(np.sum(s * s) for s in states), state


def one_of_them(x, w):
    states = [x * w[0]]
    for k in range(len(w)):
        states.append(np.sin(states[-1]) * w[k] + x)
    return np.sum(states[-1]), states[2]


@pytest.mark.parametrize("f", [in_a_list, lists_of_states, dropped_again, carried])
def test_states_that_lists_hold(f):
    native, plain = (ad.value_and_grad(f, argnums=(0, 1), backend=b) for b in ("numba", "numpy"))
    for _ in range(4):  # the first call has no memory for them yet
        for a, b in zip(leaves(native(X, W)), leaves(plain(X, W))):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def leaves(x):
    return [y for part in x for y in leaves(part)] if isinstance(x, (tuple, list)) else [x]


def test_they_lie_in_one_piece_of_memory():
    assert "pool" in text_of(lists_of_states, X, W)
    assert "pool" not in text_of(waves, X, W), "no list"


@pytest.mark.parametrize("f", [last_as_well, one_of_them, shown])
def test_results_are_not_written_by_the_next_call(f):
    g = ad.value_and_grad(f, argnums=(0, 1), has_aux=True, backend="numba")
    for _ in range(3):
        made = leaves(g(X, W))
        before = [np.copy(a) for a in made]
        g(X + 1.0, W * 0.5)
        for a, b in zip(made, before):
            np.testing.assert_array_equal(a, b)
    plain = ad.value_and_grad(f, argnums=(0, 1), has_aux=True, backend="numpy")
    for a, b in zip(leaves(g(X, W)), leaves(plain(X, W))):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
