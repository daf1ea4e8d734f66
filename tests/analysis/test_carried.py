"""Lists, dicts and objects that have several names, or are held by something, on some paths and in some iterations."""

import numpy as np
import pytest

import adcompile as ad
from tests.checks import right_or_refused


class Box:
    def __init__(self, v):
        self.v = v


def chosen_by_and_or(x, k):
    a, b = [1], [2, 3]
    c = (k > 1 and a) or b
    c.append(6)
    return x * sum(a) + x * x * sum(b)


def list_or_false(x, k):
    a = [1]
    c = a if k > 1 else False
    if c:
        c.append(5)
    return x * sum(a)


def held_by_a_list_on_one_path(x, k):
    tree, n = [], []
    if k > 1:
        tree.append(n)
    n.append(1)
    return x * len(tree[0] if tree else ()) + x


def held_by_a_dict_on_one_path(x, k):
    tree, n = {}, {}
    tree["a"] = n
    if k > 1:
        tree["b"] = n
    n["z"] = 1
    return x * len(tree["a"]) + x * x * len(tree.get("b", ()))


def active_list_held_on_one_path(x, k):
    tree, n = {}, [x]
    if k > 1:
        tree["b"] = n
    n.append(x * x)
    return x * sum(tree.get("b", ())) + x


def object_held_on_one_path(x, k):
    tree, n = {}, Box(1)
    if k > 1:
        tree["q"] = n
    n.v = 5
    return x * (tree["q"].v if "q" in tree else 1)


def one_list_or_two(x, k):
    if k > 1:
        a = [x]
        b = a
    else:
        a = [x]
        b = [x]
    a.append(5.0)
    return sum(b) * x


def one_object_or_two(x, k):
    if k > 1:
        a = Box(x)
        b = a
    else:
        a, b = Box(x), Box(x)
    a.v = 5.0
    return b.v * x


def pair_of_one_list_returned(x, k):
    def pair():
        if k > 1:
            t = [x]
            return t, t
        return [x], [x]

    a, b = pair()
    a.append(5.0)
    return sum(b) * x


def rows_of_one_list(x, k):
    m = [[x] * 3] * 2 if k > 1 else [[x] * 3 for _ in range(2)]
    m[0][0] = 5.0
    return sum(m[1]) * x


def keys_of_one_list(x, k):
    m = dict.fromkeys("ab", []) if k > 1 else {c: [] for c in "ab"}  # noqa: RUF024
    m["a"].append(1.0)
    return sum(m["b"]) * x + x


def appended_at_times_and_still_growing(x, k):
    history, now = [], []
    for i in range(k + 1):
        if i % 2 == 0:
            now = [5.0 * x]
            history.append(now)
        now.append(i * 1.0)
    return x * sum(sum(h) for h in history)


def appended_each_time_and_then_changed(x, k):
    history, now = [], [1]
    for i in range(k + 1):
        history.append(now)
        if i == 1:
            now = [5]
    now.append(7)
    return x * sum(len(h) for h in history)


def grouped(x, k):
    groups, now = [], []
    for i in range(k + 2):
        now.append(x * i)
        if i % 2:
            groups.append(now)
            now = []
    return sum(sum(g) for g in groups) * x


def shared_from_an_iteration_on(x, k):
    a, b = [x], [x]
    for i in range(k):
        if i == 1:
            b = a
        a.append(1.0 * x)
    return sum(a) + 2 * sum(b)


def object_of_one_iteration(x, k):
    a, t = Box(x), Box(2 * x)
    for i in range(k):
        b = a if i == 1 else t
        b.v = b.v * x
    return a.v + 2 * t.v


def row_that_is_put_in_before_it_is_filled(x, k):
    rows = []
    for i in range(k + 1):
        row = []
        rows.append(row)
        for j in range(i + 1):
            row.append(x * j)
    return sum(sum(r) for r in rows) + x


def places_changed_and_one_written(x, k):
    a, b = Box(x), Box(2 * x)
    held = b
    for _ in range(k):
        a, b = b, a
    a.v += 5 * x
    return held.v * x


def places_changed_and_one_kept(x, k):
    a, b, c = [x], [2 * x], [3 * x]
    for i in range(k):
        a, b = b, a
        if i == 2:
            c = a
        b.append(sum(a) * 0.1)
    c.append(x)
    return sum(a) * x + sum(b) + 3 * sum(c) * x


def three_change_places(x, k):
    a, b, c = [x], [2 * x], [3 * x]
    for _ in range(k):
        a, b, c = b, c, a
        a.append(sum(b) * 0.1)
    return sum(a) * x + sum(b) + 3 * sum(c) * x


def objects_change_places(x, k):
    a, b = Box(x), Box(x * x)
    for _ in range(k + 20):
        a, b = b, a
        a.v += 0.1 * b.v
    return a.v * 3 + b.v


@pytest.mark.parametrize("f", [
    places_changed_and_one_written, places_changed_and_one_kept, three_change_places, objects_change_places,
    chosen_by_and_or, list_or_false, held_by_a_list_on_one_path, held_by_a_dict_on_one_path,
    active_list_held_on_one_path, object_held_on_one_path, one_list_or_two, one_object_or_two,
    pair_of_one_list_returned, rows_of_one_list, keys_of_one_list, appended_at_times_and_still_growing,
    appended_each_time_and_then_changed, grouped, shared_from_an_iteration_on, object_of_one_iteration,
    row_that_is_put_in_before_it_is_filled,
])  # fmt: skip
def test_a_write_is_seen_under_every_name_or_refused(f):
    assert not right_or_refused(f, __file__) or f not in FOLLOWED


FOLLOWED = (
    one_list_or_two, grouped, held_by_a_dict_on_one_path, row_that_is_put_in_before_it_is_filled,
    three_change_places, objects_change_places,
)  # fmt: skip
"""Those that must not be refused."""


def accumulated(x, n):
    total = 0.0
    for k in range(n):
        total += x * k
    return np.sum(total * x)


def added_up(x, n):
    """No array: the loop may have no iterations."""
    total = 0.0
    for k in range(n):
        total += x[0] * k
    return total * x[1]


X = np.array([1.1, 2.2, 0.3])


@pytest.mark.parametrize("transform", [ad.grad, ad.jacfwd, ad.hessian])
def test_a_number_that_no_iteration_turns_into_an_array_is_refused_when_it_is_met(transform):
    assert np.all(np.isfinite(transform(accumulated)(X, 3)))
    with pytest.raises(ad.Unsupported, match="a loop of no iterations") as found:
        transform(accumulated)(X, 0)
    assert found.value.place is not None and found.value.place.line == accumulated.__code__.co_firstlineno + 2
    assert np.all(transform(added_up)(X, 0) == 0.0)


def damped(x, w):
    for _ in range(3):
        x[1:] += x[:-1] * w[1:]
        x *= w
    return np.sum(x * x)


def test_arrays_changed_in_place_are_not_carried():
    """Of an array that keeps its name nothing is kept for each iteration but its values."""
    x, w = np.ones(4), np.full(4, 0.9)
    text = ad.source(ad.grad(damped, argnums=(0, 1)), x, w)
    assert "x_bar_kept" not in text and "t_bar_kept" not in text
