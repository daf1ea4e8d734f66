"""Cached functions that the code itself makes: calls that the cache would tell from those that are followed."""

import functools
import itertools

import numpy as np
import pytest

from tests.checks import right_or_refused

STATE = {"n": 2.0}
DRAWS = np.random.default_rng(3)


def writes_into_a_list_that_was_given(x, k):
    @functools.cache
    def g(i):
        return [x * i, x]

    g(k)[0] = 5.0 * x
    return g(k)[0] * g(k)[1] + g(1)[0]


def writes_into_a_dict_that_was_given(x, k):
    @functools.lru_cache(None)
    def g(i):
        return {"v": x * i}

    d = g(k)
    d["v"] = x * x
    return g(k)["v"] * x


def writes_into_an_array_that_was_given(x, k):
    @functools.cache
    def g(i):
        return np.array([x * i, 1.0])

    total = 0.0
    for i in range(3):
        row = g(k)
        row += x
        total += np.sum(g(i))
    return total


def writes_into_an_array_that_is_read(x, k):
    a = np.array([x, 2.0 * x, 1.0, 0.5])

    @functools.cache
    def g(i):
        return a[i] * 2.0

    total = 0.0
    for _ in range(3):
        total += g(k)
        a[k] += x * x
    return total


def writes_into_a_list_that_is_read(x, k):
    items = [x, 2.0 * x, 1.0, 0.5]

    @functools.lru_cache(maxsize=None)
    def g(i):
        return items[i] * 2.0

    before = g(k)
    items[k] = x * 3.0
    return before + g(k)


def writes_by_a_helper(x, k):
    a = np.ones(4) * x

    def update():
        a[k] = x * x

    @functools.cache
    def g(i):
        return a[i]

    before = g(k)
    update()
    return before + g(k) * 2.0


def binds_a_variable_again(x, k):
    n = 1.0

    @functools.cache
    def g(i):
        return x * n + i

    total = 0.0
    for _ in range(3):
        total += g(k)
        n = n + x
    return total


def binds_it_after_the_function(x, k):
    @functools.cache
    def g(i):
        return x * n + i

    n, total = 1.0, 0.0
    for _ in range(3):
        total += g(k)
        n = n + x
    return total


def writes_into_a_module(x, k):
    @functools.cache
    def g(i):
        return x * STATE["n"] * i

    before = g(k)
    STATE["n"] = 3.0
    after = g(k)
    STATE["n"] = 2.0
    return before + after


def counts_its_calls(x, k):
    counts = [0.0]

    @functools.lru_cache(8)
    def g(i):
        counts[0] += x
        return x * i

    return g(k) + g(k) + counts[0]


def counts_in_an_array(x, k):
    counts = np.zeros(4)

    @functools.cache
    def g(i):
        counts[i] += x
        return counts[i] * 1.0

    return g(k) + g(k) + np.sum(counts)


def counts_in_a_variable(x, k):
    n = 0.0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1.0
        return x * i

    return g(k) + g(k) + n * x


def draws(x, k):
    @functools.cache
    def g(i):
        return x * DRAWS.normal() * i

    return (g(k) - g(k)) * x


class Shared:
    n = 1.0


class Holder:
    pass


LIVE = Holder()
LIVE.v = 1.0
NUMBER = 1.0


def assigns_to_a_class(x, k):
    @functools.cache
    def g(i):
        return x * Shared.n * i

    before = g(k)
    Shared.n = 3.0
    after = before * g(k)
    Shared.n = 1.0
    return after


def assigns_to_a_module(x, k):
    global NUMBER

    @functools.cache
    def g(i):
        return x * NUMBER * i

    before = g(k)
    NUMBER = 3.0
    after = before * g(k)
    NUMBER = 1.0
    return after


def assigns_to_a_live_object(x, k):
    @functools.cache
    def g(i):
        return x * LIVE.v * i

    before = g(k)
    LIVE.v = 3.0
    after = before * g(k)
    LIVE.v = 1.0
    return after


def assigns_to_the_key(x, k):
    o = Holder()
    o.v = x * k

    @functools.cache
    def g(o):
        return x * o.v

    before = g(o)
    o.v = 3.0
    return before * g(o)


def asked_within_a_try(x, k):
    @functools.cache
    def g(i):
        return [x * i, 1.0]

    try:
        a = g(k)
    finally:
        pass
    a[0] = 1.0
    return g(k)[0] * x


def asked_within_a_with(x, k):
    @functools.cache
    def g(i):
        return [1.0 * i, 1.0]

    with np.errstate(all="ignore"):
        a = g(k)
    a[0] = 1.5
    return g(k)[0] * x


def written_by_a_recursive_function(x, k):
    @functools.cache
    def g(i):
        return np.array([x * i, 1.0])

    def walk(n):
        if n <= 0:
            return x
        a = g(2)
        a[0] += x
        return a[0] * x + walk(n - 1)

    return walk(k + 1)


def writes_into_what_it_gave_itself(x, k):
    @functools.cache
    def g(n):
        if n <= 0:
            return np.array([x])
        b = g(n - 1)
        b[0] *= x
        return b

    return g(k + 1)[0] * g(0)[0]


def counts_by_an_iterator(x, k):
    numbers = itertools.count(1)

    @functools.cache
    def g(name):
        return next(numbers)

    return x * g("a") + x**2 * g("b") + x**3 * g("a") * k


def takes_the_items_of_an_iterator(x, k):
    items = iter([1.0, 2.0, 3.0])

    @functools.cache
    def g(name):
        return next(items)

    return x * g("a") + x**2 * g("b") + x**3 * g("a") * k


def gives_an_iterator(x, k):
    @functools.cache
    def g(i):
        return map(lambda v: v * x, [1.0, 2.0])

    return sum(g(k)) + x * sum(g(k))


REFUSED = (
    *(assigns_to_a_class, assigns_to_a_module, assigns_to_a_live_object, assigns_to_the_key, asked_within_a_try),
    *(asked_within_a_with, written_by_a_recursive_function, writes_into_what_it_gave_itself, counts_by_an_iterator),
    *(takes_the_items_of_an_iterator, gives_an_iterator),
    *(writes_into_a_list_that_was_given, writes_into_a_dict_that_was_given, writes_into_an_array_that_was_given),
    *(writes_into_an_array_that_is_read, writes_into_a_list_that_is_read, writes_by_a_helper, binds_a_variable_again),
    *(binds_it_after_the_function, writes_into_a_module, counts_its_calls, counts_in_an_array, counts_in_a_variable),
    draws,
)


@pytest.mark.parametrize("f", REFUSED)
def test_what_the_cache_would_tell_is_refused(f):
    assert right_or_refused(f, __file__)
