"""Containers that go where writes into them are not followed: what is not known of them is refused, or right."""

import heapq

import numpy as np
import pytest

import adcompile as ad
from tests.programs.lists_filled import _close as close
from tests.programs.lists_filled import _total as total

X = np.array([0.6, 0.75, 1.2])


def pushed(x):
    near = close(x, 0.9)
    heapq.heappush(near[0], 1)
    return total(x, near)


def shuffled(x):
    near = close(x, 0.9)
    np.random.default_rng(0).shuffle(near[0])
    return total(x, near)


def bound(x):
    near = close(x, 0.9)
    put = [row.append for row in near]
    put[0](1)
    return total(x, near)


def under_a_name_of_no_type(x):
    near = close(x, 0.9)
    row = near[0] if x[0] > x[1] else None
    if row is not None:
        row.append("a")
    return total(x, near)


def walked(near, i, x):
    near[i].append(0)
    return x[i] if i == 0 else x[i] * walked(near, i - 1, x)


def by_reference(x):
    near = close(x, 0.9)
    return walked(near, 2, x) * total(x, near)


@pytest.mark.parametrize("f", [pushed, shuffled, under_a_name_of_no_type])
def test_what_is_read_of_it_in_the_end_is_right(f):
    ad.check_grads(f, (X,), order=1)


@pytest.mark.parametrize("f", [bound, by_reference])
def test_what_escapes_is_refused(f):
    with pytest.raises(ad.Unsupported):
        ad.grad(f)(X)


def looked_at(x):
    found = {0, 1}
    return x[0] if 1 in found and 5 not in found else x[1]


def handed_on(found, k):
    found.add(k)


def changed_by_another(x):
    found = {0, 1}
    names = [found]
    handed_on(names[0], 2)
    return x[0] ** 2 if 2 in found else x[1]


def changed_in_a_loop(x):
    found = {0}
    result = 0.0
    for i in range(len(x)):
        if 2 in found or 1 not in found:
            result += x[i] ** 2
        found.add(i + 1)
    return result


@pytest.mark.parametrize("f", [looked_at, changed_by_another, changed_in_a_loop])
def test_a_set_is_what_its_display_says_only_if_nobody_writes_into_it(f):
    value, _ = ad.value_and_grad(f)(X)
    assert value == f(X)
    ad.check_grads(f, (X,), order=1)


def test_a_set_that_is_only_looked_at_leaves_no_test():
    assert "found" not in ad.source(ad.value_and_grad(looked_at), X).partition("return")[0]
