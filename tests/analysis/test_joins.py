"""Cells behind branches and from one iteration to the next."""

import functools

import numpy as np
import pytest

import adcompile as ad
from tests.checks import right_or_refused
from tests.compiled import check


class Box:
    def __init__(self, v):
        self.v = v


def either(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    c.v += 1.0
    return c.v * c.v


def each_side_makes_one(x):
    if x > 1.0:
        a = Box(x)
        b = a
    else:
        a = Box(x * x)
        b = a
    b.v += x
    return a.v * b.v


def of_every_iteration(x, n):
    box = Box(x)
    for _ in range(n):
        box.v *= 0.9
        box = Box(box.v + x)
        box.v += 1.0
    return box.v


def two_names_all_the_way(x, n):
    a = Box(x)
    b = a
    for _ in range(n):
        a = Box(a.v * x)
        b = a
        b.v += 1.0
    return a.v * b.v


@pytest.mark.parametrize("f", [either, each_side_makes_one])
def test_branches(f):
    for x in (0.7, 1.6):
        check(f, x)


@pytest.mark.parametrize("f", [of_every_iteration, two_names_all_the_way])
def test_loops(f):
    check(f, 0.7, 20)


def reads_the_other_name(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    c.v += 1.0
    return a.v


def writes_the_other_name(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    a.v = 5.0 * x
    return c.v


def keeps_the_first(x, n):
    first = Box(x)
    box = first
    for _ in range(n):
        box.v = box.v * x
        box = Box(x)
    return first.v


def swapped_at_times(x, n):
    a, b = Box(x), Box(2.0 * x)
    for i in range(n):
        if i % 3 == 0:
            a, b = b, a
        a.v += b.v * x
    return a.v


@pytest.mark.parametrize("f", [reads_the_other_name, writes_the_other_name, keeps_the_first, swapped_at_times])
def test_right_or_refused(f):
    """A write must not be lost: these are refused as long as they are not followed."""
    args = (0.7, 20)[: f.__code__.co_argcount]
    try:
        got = ad.grad(f)(*args)
    except ad.AdcompileError as error:
        assert error.place is not None
        return
    h = 1e-6
    slope = (f(0.7 + h, *args[1:]) - f(0.7 - h, *args[1:])) / (2 * h)
    assert got == pytest.approx(slope, rel=1e-5)


class Link:
    def __init__(self, v, after=None):
        self.v, self.after = v, after


def ring(x, size):
    links = [Link(x[k]) for k in range(size)]
    for k in range(size):
        links[k].after = links[(k + 1) % size]
    return links[0]


def around(x, n):
    link = ring(x, 2)
    for _ in range(n):
        link = link.after
    return link.v


def around_and_written(x, n):
    link = ring(x, 3)
    while n > 0:
        link.v, n = link.v * 2.0, n - 1
        link = link.after
    return link.v


def exchanged(x, n):
    a = ring(x, 2)
    b = a.after
    for _ in range(n):
        a, b = b, a
    return a.v + 2.0 * b.v


def lists_around(x, n):
    a = [x[0], None]
    a[1] = b = [x[1], a]
    for _ in range(n):
        b = b[1]
    return b[0]


def dicts_around(x, n):
    a = {"v": x[0], "after": None}
    a["after"] = b = {"v": x[1], "after": a}
    for _ in range(n):
        b = b["after"]
    return b["v"]


@pytest.mark.parametrize("f", [around, around_and_written, exchanged, lists_around, dicts_around])
def test_what_holds_itself_is_not_merged_without_end(f):
    for derivative in (lambda x: ad.grad(f)(x, 5), lambda x: ad.jvp(f, (x, 5), (x, None))):
        with pytest.raises(ad.Unsupported, match="that holds itself is carried by a loop") as caught:
            derivative(np.array([1.0, 2.0, 3.0]))
        assert caught.value.place.file == __file__


def test_what_holds_itself_behind_branches_and_in_known_loops():
    def f(x, n):
        a = Link(x[0])
        a.after = Link(x[1], a)
        chosen = a if n > 3 else a.after
        own = Link(x[0] * x[1])
        own.after = own
        for _ in range(n):
            own = own.after
        return a.v * chosen.after.v + own.v * [a, chosen, a][1].after.after.v

    for n in (2, 5):
        ad.testing.check_grads(lambda x: f(x, n), (np.array([1.0, 2.0, 3.0]),))


def set_of_dicts(x, k):
    a, b = {1: 1}, {2: 2}
    c = a if k > 1 else b
    c["n"] = 5
    return x * len(a) + x * x * len(b)


def changed_by_methods(x, k):
    a, b = {1: 1}, {2: 2}
    c = a if k > 1 else b
    c.update(z=3)
    c |= {7: 7}
    c.pop(1, None)
    return x * len(a) + x * x * len(b)


def changed_by_a_helper(x, k):
    def put(items):
        items["n"] = 5

    a, b = {1: 1}, {2: 2}
    put(a if k > 1 else b)
    return x * len(a)


def set_of_active_dicts(x, k):
    a, b = {1: x}, {2: x * x}
    c = a if k > 1 else b
    c[1] = x**3
    return sum(b.values()) + 5 * sum(a.values())


def appended_to_a_list_or_tuple(x, k):
    a, b = [1], (1, 2)
    c = a if k > 1 else b
    if k > 1:
        c.append(1)
    return x * len(a)


def appended_to_lists_of_other_lengths(x, k):
    a, b = [1], [1, 2]
    c = a if k > 1 else b
    c.append(3)
    return x * len(a) + x * x * len(b)


def rebound_in_a_loop(x, k):
    a = {1: 1}
    c = a
    for i in range(k):
        if i == 1:
            c = {2: 2, 3: 3}
        c[9] = i
    return x * len(a) + x * x * sum(a.values())


def taken_of_one_of_two(x, k):
    first, second = iter([1, 2, 3, 4, 5]), iter([7, 8, 9, 10])
    c = first if k > 1 else second
    next(c)
    return x * next(first)


def taken_of_rows(x, k):
    first, second = iter(np.arange(4)), iter(np.arange(4))
    c = first if k > 1 else second
    next(c)
    return x * next(first)


def taken_of_one_or_none(x, k):
    first, c = iter([1, 2, 3, 4, 5]), None
    if k > 1:
        c = first
    if c is not None:
        next(c)
    return x * next(first)


def summed_of_one_of_two(x, k):
    first, second = map(lambda v: v * x, [1, 2, 3]), map(lambda v: v * x, [4, 5])
    return sum(first if k > 1 else second) + sum(first)


def appended_to_what_a_function_gives(x, k):
    a, b = [1.0], [2.0]
    o = (lambda: a) if k > 1 else (lambda: b)
    o().append(3.0)
    items = o()
    items += [4.0]
    items[0] = 7.0
    return x * sum(a) + x * x * sum(b)


def set_by_partials(x, k):
    def put(items):
        items[3] = 1.0

    a, b = {1: 1}, {2: 1}
    o = functools.partial(put, a) if k > 1 else functools.partial(put, b)
    o()
    return x * len(a) + x * x * len(b)


def appended_by_bound_methods(x, k):
    a, b = [1.0], [2.0]
    f = a.append if k > 1 else b.append
    f(3.0)
    return x * sum(a) + x * x * sum(b)


def taken_by_a_bound_method(x, k):
    items = iter([1, 2, 3])
    f = items.__next__ if k > 1 else (lambda: 0)
    f()
    return x * next(items)


def variable_of_one_of_two_functions(x, k):
    def make(c):
        def g(z):
            nonlocal c
            c = c * z
            return c

        return g

    g, h = make(x), make(x * 2)
    f = g if k > 1 else h
    f(x)
    return g(2.0) + h(3.0)


@pytest.mark.parametrize("f", [
    appended_to_what_a_function_gives, set_by_partials, appended_by_bound_methods, taken_by_a_bound_method,
    variable_of_one_of_two_functions,
    set_of_dicts, changed_by_methods, changed_by_a_helper, set_of_active_dicts, appended_to_a_list_or_tuple,
    appended_to_lists_of_other_lengths, rebound_in_a_loop, taken_of_one_of_two, taken_of_rows, taken_of_one_or_none,
    summed_of_one_of_two,
])  # fmt: skip
def test_what_is_written_through_a_name_of_several_is_right_or_refused(f):
    right_or_refused(f, __file__)


def one_of_two_in_an_inner_branch(x, k):
    a, b = [x], [2 * x]
    if k > 1:
        if x > 0.5:
            a = b
    a.append(3.0)
    return sum(b) * x + sum(a)


def one_of_two_by_an_inner_loop(x, k):
    a, b, c = [x], [2.0], [3.0]
    for i in range(k):
        if i > 0:
            b = a if k > 1 else [7.0]
            c = a
    c.append(x * x)
    return x * sum(a) + sum(b)


def two_of_one_by_loops_in_loops(x, k):
    a, b, c = [1], [2], [3]
    for _ in range(k):
        for _ in range(k):
            b = a if k > 1 else b
            c = a
    c.append(1.0)
    return x * sum(a) + x * x * sum(b)


def same_behind_two_branches(x, k):
    a, b = [1], [2]
    if k > 1:
        if x > 0.5:
            a = b
    return x * x if a is b else x


def same_behind_two_loops(x, k):
    a, b = Box(1), Box(2)
    for _ in range(k):
        for _ in range(k):
            a = b
    return x * x if a is not b else x


INNER = [
    one_of_two_in_an_inner_branch,
    one_of_two_by_an_inner_loop,
    two_of_one_by_loops_in_loops,
    same_behind_two_branches,
    same_behind_two_loops,
]


@pytest.mark.parametrize("f", INNER, ids=lambda f: f.__name__)
def test_what_was_chosen_within_is_known_without(f):
    right_or_refused(f, __file__)
