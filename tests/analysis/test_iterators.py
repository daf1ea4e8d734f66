"""Iterators give their items once; what stands for them must not give them again."""

import itertools

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check

V = np.array([0.5, -0.7, 1.2])


def zipped_twice(x):
    pairs = zip(x, x * x)
    return sum(a * b for a, b in pairs) + sum(a for a, _ in pairs)


def mapped_twice(x):
    squares = map(lambda v: v * v, x)
    return sum(squares) + sum(squares)


def filtered_twice(x):
    kept = filter(lambda v: v > 0.0, x)
    return sum(kept) + 3.0 * sum(kept)


def chained_in_a_loop(x):
    items = itertools.chain(x, x)
    total = 0.0
    for _ in range(3):
        for v in items:
            total += v * v
    return total


def iterated_then_next(x):
    items = iter(x)
    return sum(items) + next(items)


def next_in_a_loop(x):
    items = iter(x)
    total = 0.0
    for i in range(len(x)):
        total += i * next(items)
    return total


TWICE = [zipped_twice, mapped_twice, filtered_twice, chained_in_a_loop, iterated_then_next, next_in_a_loop]


@pytest.mark.parametrize("f", TWICE)
@pytest.mark.parametrize("x", [V, [0.5, -0.7, 1.2]], ids=["array", "list"])
def test_two_passes_are_refused(f, x):
    with pytest.raises(ad.Unsupported) as caught:
        ad.grad(f)(x)
    assert caught.value.place is not None
    assert caught.value.remedy


def views_twice(x):
    d = {"a": x, "b": x * x}
    values, items = d.values(), d.items()
    return sum(values) * sum(values) + sum(v for _, v in items) + sum(v for _, v in items)


def new_in_every_pass(x):
    total = 0.0
    for _ in range(3):
        for a, b in zip(x, x):
            total += a * b
        total += next(iter(x))
    return total


def test_what_may_be_gone_through_again():
    check(views_twice, 0.5, order=2)
    check(new_in_every_pass, V, order=2)


def exhausted(x):
    items = iter([x])
    return next(items) * next(items)


def no_length(x):
    return x * len(map(abs, [x]))


def test_exceptions_are_those_of_python():
    with pytest.raises(StopIteration):
        ad.grad(exhausted)(0.5)
    with pytest.raises(TypeError):
        ad.grad(no_length)(0.5)


def written_between(x):
    items = [x, 2.0 * x]
    iterator = iter(items)
    items[0] = x * x
    return next(iterator) * x


def test_lists_written_between_are_seen_or_refused():
    with pytest.raises(ad.Unsupported):
        ad.grad(written_between)(0.5)
