"""Functions with a cache, which is emptied and filled between two calls of a derivative."""

import functools

import numpy as np
import pytest

import adcompile as ad

SCALE, CALLS = {0: 2.0}, []


@functools.lru_cache(None)
def number(n):
    CALLS.append(n)
    return n * SCALE[0]


@functools.cache
def array(n, power=1):
    return np.arange(1.0, n + 1) ** power * SCALE[0], "name", {"w": SCALE[0]}


@functools.lru_cache(maxsize=0)
def uncached(n):
    return n * SCALE[0]


@functools.cache
def sometimes(n):
    if SCALE[0] > 4.0:
        raise ValueError("too large")
    return n * SCALE[0]


def or_one(x):
    try:
        w = sometimes(3)
    except ValueError:
        w = 1.0
    return x * w


class Table:
    @functools.lru_cache  # noqa: B019  of one object
    def at(self, n):
        return n * SCALE[0]


TABLE = Table()


@pytest.mark.parametrize(
    ("f", "cache"),
    [
        (lambda x: x * number(3), number),
        (lambda x: x * array(3, power=2)[0][1], array),
        (lambda x: x * array(2)[2]["w"], array),
        (lambda x: x * uncached(3), uncached),
        (or_one, sometimes),
        (lambda x: x * TABLE.at(3), Table.at),
    ],
    ids=["number", "array", "dict", "maxsize=0", "raises", "method"],
)
def test_what_a_cache_has_is_what_counts(monkeypatch, f, cache):
    cache.cache_clear()
    g = ad.value_and_grad(f)
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    monkeypatch.setitem(SCALE, 0, 5.0)
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    cache.cache_clear()
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)
    monkeypatch.undo()
    cache.cache_clear()
    assert g(1.5) == (f(1.5), f(1.5) / 1.5)


def test_a_cache_that_was_emptied_runs_its_function_once():
    number.cache_clear()
    g = ad.grad(lambda x: x * number(7))
    g(1.5)
    number.cache_clear()
    CALLS.clear()
    g(1.5), g(2.5)
    assert CALLS == [7]


def test_a_cache_is_not_emptied_inside():
    def f(x):
        number.cache_clear()
        return x * number(3)

    with pytest.raises(ad.AdcompileError, match="emptied inside"):
        ad.grad(f)(1.5)


def test_a_cache_is_not_asked_about_itself_inside():
    def f(x, n):
        before = number.cache_info().hits
        return x * (number(n) + number.cache_info().hits - before)

    with pytest.raises(ad.AdcompileError, match="how often a cache was asked"):
        ad.grad(f)(1.5, 3)


COUNT = [0]


@functools.lru_cache
def scaled_number(n):
    return n * SCALE[0]


@functools.lru_cache
def scaled_list(n):
    return [i * SCALE[0] for i in range(n)]


@functools.lru_cache
def scaled_rows(n):
    return {"a": (np.arange(n) * SCALE[0], n)}


@functools.lru_cache
def counted(n):
    COUNT[0] += 1
    return n * 2.0


@pytest.mark.parametrize(
    ("f", "cache"),
    [
        (lambda x, n: x * scaled_number(n), scaled_number),
        (lambda x, n: x * sum([scaled_number(i) for i in range(n)]), scaled_number),
        (lambda x, n: x * scaled_number(x) ** 0, scaled_number),
        (lambda x, n: x * sum(scaled_list(n)), scaled_list),
        (lambda x, n: x * np.sum(scaled_rows(n)["a"][0]), scaled_rows),
    ],
)
def test_caches_of_numbers_met_when_the_code_runs(monkeypatch, f, cache):
    cache.cache_clear()
    for k in (1, 4):
        value, gradient = ad.value_and_grad(f)(1.5, k)
        assert value == f(1.5, k)
        np.testing.assert_allclose(gradient, f(1.5, k) / 1.5)
    monkeypatch.setitem(SCALE, 0, 5.0)
    with pytest.raises(ad.AdcompileError, match="holds something else than its source"):
        ad.grad(f)(1.5, 4)
    cache.cache_clear()
    np.testing.assert_allclose(ad.grad(f)(1.5, 4), f(1.5, 4) / 1.5)
    cache.cache_clear()


def test_a_cached_function_that_writes_is_refused():
    with pytest.raises(ad.AdcompileError, match=r"counted.* writes into something"):
        ad.grad(lambda x, n: x * counted(n))(1.5, 4)


class Number:
    def __init__(self, v):
        self.v = v


@functools.cache
def numbered(i):
    return Number(float(i))


@functools.cache
def listed(i):
    return [float(i)]


@functools.cache
def arrayed(i):
    return np.ones(2) * i, 3.0


@functools.cache
def of_number(n):
    return n.v * 2.0


def object_of_a_cache(x, k):
    numbered(k).v += 7.0
    return x * numbered(k).v


def list_of_a_cache(x, k):
    listed(k).append(3.0)
    return x * sum(listed(k))


def array_of_a_cache(x, k):
    arrayed(k)[0][0] += 7.0
    return x * np.sum(arrayed(k)[0])


def view_of_a_cache(x, k):
    column = arrayed(k)[0].reshape(2, 1)
    column *= 2.0
    return x * np.sum(arrayed(k)[0])


def active_in_a_cache(x, k):
    arrayed(k)[0][0] = x
    return x * np.sum(arrayed(k)[0])


def one_and_the_same(x, k):
    return x * (2.0 if arrayed(k)[0] is arrayed(k)[0] and numbered(k) is numbered(k) else 3.0)


def another_attribute(x, k):
    n = Number(x * k)
    before = of_number(n)
    n.v = 3.0
    return before + of_number(n)


HANDED_OUT = [object_of_a_cache, list_of_a_cache, array_of_a_cache, view_of_a_cache, active_in_a_cache]


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("f", [*HANDED_OUT, one_and_the_same, another_attribute])
def test_what_a_cache_gives_is_what_others_have(f, filled):
    """The derivative comes first, or after a call that filled the cache; either writes into what it holds."""
    for k in (1, 2):
        for derivative in (lambda: ad.value_and_grad(f)(1.5, k), lambda: ad.jvp(f, (1.5, k), (1.0, None))):
            empty(filled, k)
            value = f(1.5, k)
            empty(filled, k)
            slope = (f(1.5 + 1e-6, k) - value) / 1e-6
            empty(filled, k)
            try:
                found = derivative()
            except ad.AdcompileError as refused:
                assert f is not one_and_the_same and refused.message
            else:
                assert found[0] == value and abs(found[1] - slope) < 1e-4


def empty(filled, k):
    for cached in (numbered, listed, arrayed, of_number):
        cached.cache_clear()
    if filled:
        numbered(k), listed(k), arrayed(k)


@functools.lru_cache(None)
def rows(n):
    return np.arange(1.0, n + 1)


@functools.cache
def pairs(n):
    return rows(n), [np.ones(n)]


@functools.cache
def behind_the_first(n):
    return rows(n)[1:]


def undone(a, b, x):
    a *= 2.0
    total = np.sum(b * x)
    a /= 2.0
    return total


WRITES = [
    lambda x, k: undone(rows(k), rows(3), x),
    lambda x, k: undone(rows(3), rows(k), x),
    lambda x, k: undone(rows(k), rows(k + 0), x),
    lambda x, k: undone(pairs(k)[0], rows(3), x),
    lambda x, k: undone(pairs(k)[1][0], pairs(3)[1][0], x),
    lambda x, k: undone(rows(k)[1:], behind_the_first(k), x),
    lambda x, k: undone(behind_the_first(k), rows(k)[1:], x),
]


@pytest.mark.parametrize("number", range(len(WRITES)))
def test_what_a_cache_gives_when_the_code_runs_is_not_written_into(number):
    """What two calls give may be one array, whether or not it is put back."""
    f = WRITES[number]
    for derive in (lambda: ad.grad(f)(1.5, 3), lambda: ad.jvp(f, (1.5, 3), (1.0, None))[1]):
        for cache in (rows, pairs, behind_the_first):
            cache.cache_clear()
        slope = f(2.5, 3) - f(1.5, 3)
        try:
            assert np.isclose(derive(), slope)
        except ad.AdcompileError as refused:
            assert refused.place.file == __file__ and refused.remedy
