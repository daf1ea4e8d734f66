"""Cached functions that the code itself makes: which cache a call asks, and what the function sees."""

import functools

import numpy as np
import pytest

from tests.checks import right_or_refused


def made_anew_in_each_round(x, k):
    y = np.array([x, 2.0 * x])
    for _ in range(3):

        @functools.cache
        def force(i):
            return y[i] * 0.5 + y[1 - i]

        y = y + 0.1 * np.array([force(0), force(1)])
        y *= 1.0 + 0.1 * k
    return np.sum(y)


def one_in_another(x, k):
    @functools.cache
    def outer(i):
        @functools.lru_cache(None)
        def inner(j):
            return x**j * i

        return inner(1) + inner(k) + inner(1)

    return outer(1) * outer(2) + outer(1)


def writes_into_its_own(x, k):
    @functools.cache
    def g(i):
        y, seen, by_key = np.ones(3) * x, [], {}
        for j in range(3):
            y[j] = y[j] * y[0] + i
            seen.append(y[j] * 2.0)
            by_key[j] = seen[-1]
        return by_key[k % 3] + sum(seen)

    return sum([g(i % 2) for i in range(4)])


def copies_what_it_was_given(x, k):
    @functools.cache
    def row(i):
        out = np.ones(2) * x
        out[i % 2] *= 2.0
        return out

    rows = np.array([row(i) for i in range(k + 1)])
    rows[0, 0] = 3.0
    rows += row(k)
    return np.sum(rows * rows)


def writes_when_all_is_done(x, k):
    a = np.ones(4) * x

    @functools.cache
    def g(i):
        return a[i] * i

    total = g(k) + g(1)
    a[k] = total
    return np.sum(a)


class Held:
    pass


class Settings:
    scale = 2.0


def reads_objects_and_dicts(x, k):
    o, table = Held(), {"a": x, "b": 2.0}
    o.v = x

    @functools.cache
    def g(i, name="a"):
        return o.v * i * Settings.scale + table[name]

    total = 0.0
    for i in range(3):
        total += g(i % 2)
    return total * g(k, "b")


def recursive(x, k):
    @functools.lru_cache(None)
    def g(n):
        return x if n < 2 else g(n - 1) + g(n - 2) * x

    return sum([g(i) for i in range(k + 2)])


TIME_SAVED = (
    *(reads_objects_and_dicts, recursive, made_anew_in_each_round, one_in_another, writes_into_its_own),
    *(copies_what_it_was_given, writes_when_all_is_done),
)


@pytest.mark.parametrize("f", TIME_SAVED)
def test_caches_that_only_save_time(f):
    assert not right_or_refused(f, __file__)
