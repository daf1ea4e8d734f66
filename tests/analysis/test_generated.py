"""The helpers of generated code, met in code that is differentiated."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from tests.compiled import check

X = np.array([0.5, 1.2, 2.0])


def added_at_fancy_places(x):
    a = np.zeros(3)
    rt.accumulate(a, [0, 0, 2], x**2)
    b = rt.accumulate(a, slice(1, None), x[0])
    return np.sum(a**2) + b[1]


def items_added(x):
    pairs = [(v, v * v) for v in x]
    bars = rt.zero_list(pairs)
    for i in range(len(pairs)):
        rt.add_item(bars, i, (x[i] ** 3, x[i]))
    return sum(a * b for a, b in bars)


def zeros_filled(x):
    items = [v * v for v in x]
    bars = rt.zero_list(items)
    for i in range(len(x)):
        bars[i] += items[i] ** 2
    copied = rt.copy(bars)
    bars[0] = 0.0
    return sum(copied) * bars[1]


def lists_added(x):
    first, second = [], []
    for i in range(len(x)):
        first.append((x[i] * i, x[0]))
        second.append((x[i] ** 2, x[i]))
    total, out = rt.add(first, second), 0.0
    for _ in range(len(x)):
        a, b = total.pop()
        out += a * b
    return out * first[1][0]


def summed(x):
    return rt.total([x[0], x[1] ** 2, x[2]], 1.0) * x[0]


def parts_scattered(x):
    items = [v * v for v in x]
    for i in range(len(x)):
        items.append(x[i] * items[i])
    bars = rt.scatter_list(items, slice(1, None, 2), items[:3])
    for i in range(len(items)):
        bars[i] += items[i] ** 2
    bars[1] *= 3.0
    return sum(bars) * bars[3]


def chosen(x):
    total = 0.0
    for k in range(3):
        y, pull = rt.vjp_of([np.sin, np.exp, np.square][k], (0,), (), "", x * k)
        total = total + np.sum(y * rt.pull(pull, x)[0])
    return float(total)


def step(i, y, y_bar, w):
    y[i % 3] = y[i % 3] * w[0]
    return y * y, np.zeros_like(y)


def recorded_step(i, y, y_bar, w):
    before = y[i % 3]
    y[i % 3] = before * w[0]
    out = y * y
    out_bar = np.zeros_like(out)
    return (out, out_bar), (before, y, i), (y_bar, out_bar)


def run_again(x):
    y, w = x * 0.9, x[1:]
    y_bar = np.zeros_like(y)
    y, out_bar, kept, shadows = rt.run_checkpointed(step, recorded_step, range(4), 2, (y,), (y_bar,), (), (w,))
    out_bar += y
    total = 0.0
    for before, y, i, y_bar, out_bar in rt.run_back(step, recorded_step, range(4), kept, shadows, (w,), True):
        y_bar += 2.0 * y * out_bar
        total += before * y_bar[i % 3]
        y_bar[i % 3] *= w[0]
    return total + np.sum(y_bar)


def replicated(x):
    a = np.outer(x, x)[:, ::2]
    before = rt.replica(a)
    a *= 2.0
    before[0] += x[0]
    return np.sum(a * before)


WRITING = [added_at_fancy_places, items_added, zeros_filled, lists_added, summed]
WRITING += [parts_scattered, run_again, replicated]


def test_what_was_looked_up_is_looked_up_again():
    check(chosen, X)


@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_they_write_into_what_they_are_given(f):
    check(f, X, order=2)


def test_tuples_are_added_item_by_item():
    def f(x):
        a, b = rt.add((x, 2.0), (x * x, x))
        c, d = rt.add(rt.zeros_like((x, 1.0)), (a, b))
        return c * d

    ad.check_grads(f, (0.7,), order=2)
