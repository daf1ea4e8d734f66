"""Specialisation keeps the function's value, type and errors, whatever branches and loops do."""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.ir.nodes import For, If, While
from adcompile.ir.walk import statements_of
from tests.checks import right_or_refused
from tests.compiled import check, same_error, same_value, specialised


def kinds(program):
    return {type(s) for s in statements_of(program.functions[program.entry].body)}


def by_type(x):
    if isinstance(x, np.ndarray):
        return x.sum()
    return x * 2.0


def mixed_result(x, n):
    total = 0
    for i in range(n):
        total = total + (x if i % 2 else i)
    return total


def early(x, n):
    for i in range(n):
        x = x * 1.1
        if x > 2.0:
            return x * i
        if x < 0.0:
            break
    else:
        return -x
    return math.sin(x)


def maybe_unbound(x):
    if x > 0.0:
        y = x * x
    return y


def short(x):
    for k in (1.0, 2.0, 3.0):
        x = x * k
    return x


def tried(x):
    try:
        return x / 0.0
    except ZeroDivisionError:
        return x * 3.0


def narrowing(x):
    while x < 100.0:
        x = x * x if x > 2.0 else x + 1.0
    return x


def test_known_branches_fold():
    assert If not in kinds(specialised(by_type, 0.5))
    assert If not in kinds(specialised(by_type, np.ones(3)))
    check(by_type, np.array([1.0, 2.0]))


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_joins_over_iterations_keep_the_class(n):
    same_value(mixed_result, 0.5, n)


@pytest.mark.parametrize(("x", "n"), [(1.5, 9), (0.5, 3), (-1.0, 4), (1.0, 0)])
def test_every_exit_of_a_loop(x, n):
    check(early, x, n)


def test_names_bound_on_one_path():
    check(maybe_unbound, 0.5)
    same_error(maybe_unbound, -0.5)


def test_known_items_are_unrolled():
    assert not kinds(specialised(short, 0.5)) & {For, While}
    check(short, 0.5)


def test_loops_stay_loops():
    assert While in kinds(specialised(narrowing, 0.5))
    check(narrowing, 0.5)


def test_try_around_inert_code():
    def f(x, n):
        try:
            k = 1 / n
        except ZeroDivisionError:
            k = 5.0
        return x * k

    check(f, 0.5, 0)
    check(f, 0.5, 2)


def sorts(x, k):
    items = [1, "a"]
    if k > 5:
        items.sort()
    return x * len(items)


def steps_by_zero(x, k):
    items = [x]
    if k > 5:
        items = items[::0]
    return x * len(items)


def writes_by_name(x, k):
    items = [1, 2]
    if k > 5:
        items["a"] = 2
    return x * len(items)


def finds_nothing(x, k):
    return x * "abc".index("z") if k > 5 else x


@pytest.mark.parametrize("f", [sorts, steps_by_zero, writes_by_name, finds_nothing])
def test_what_raises_on_known_values_raises_where_it_is_reached(f):
    assert ad.grad(f)(0.7, 0) == f(1.0, 0)
    with pytest.raises(Exception) as plain:
        f(0.7, 6)
    with pytest.raises(plain.type):
        ad.grad(f)(0.7, 6)


def shrinks_at_times(x, k):
    items, total = [x, 2.0, 3.0, 4.0], 0.0
    for q in items:
        total += q
        if k > 1:
            items.pop()
    return x * total


def dies(x, k):
    items, total = [x, 2.0, 0.5 * x], 0.0
    for i, v in enumerate(items):
        total += v * x * i
        if v < 0.4 * k:
            items.remove(v)
    return total


def grows_within(x, k):
    items, total = [x, 2.0, 3.0], 0.0
    for q in items:
        for _ in range(k):
            if len(items) < 6:
                items.append(3.0 * x)
        total += q
    return x * total


def sorted_at_times(x, k):
    items, total = [3.0, x, 2.0], 0.0
    for v in items:
        if k > 1:
            items.sort()
        total = total * 0.5 + v
    return total


def keys_change(x, k):
    table, total = {"a": x, "b": 2.0}, 0.0
    for key in table:
        total += table[key]
        if k > 5:
            table.pop("b")
            table["c"] = 5.0
    return total * x


def mapped_and_shortened(x, k):
    items, total = [x, 2.0, 3.0, 4.0], 0.0
    for q in map(lambda v: v * x, items):
        total += q
        if k > 1:
            items.pop()
    return total


def written_at_times(x, k):
    items, total = [x, 2.0, 3.0], 0.0
    for q in items:
        total += q
        if k > 1:
            items[2] = x * x
        items[1] = x * 3
    return x * total


RESIZING = [shrinks_at_times, dies, grows_within, sorted_at_times, keys_change, mapped_and_shortened, written_at_times]


@pytest.mark.parametrize("f", RESIZING, ids=lambda f: f.__name__)
def test_what_a_loop_runs_over_changes_on_some_path(f):
    assert not right_or_refused(f, __file__) or f is not written_at_times
