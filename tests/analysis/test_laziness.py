"""Iterators whose items would be made too early: what is refused, and what is not."""

import functools
import itertools

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.6, -0.7, 1.2, 0.5])


def pairs(x):
    y = list(x)
    total = 0.0
    for a, b in itertools.pairwise(y):
        y[2] = a * b
        total += a * b
    return total


def sums(x):
    y = x.copy()
    total = 0.0
    for v in itertools.accumulate(y, lambda a, b: a * b + 1):
        y[3] = v + y[3]
        total += v
    return total


def products(x):
    y = x.copy()
    total = 0.0
    for a, b in itertools.product(y, y):
        y[3] = a
        total += a * b
    return total


def products_later(x):
    y = x.copy()
    both = itertools.product(y, y)
    y[3] = x[0]
    total = 0.0
    for a, b in both:
        total += a * b
    return total


def chained(x):
    y = x.copy()
    total = 0.0
    for v in itertools.chain(y, x):
        y[2] = v * x[0]
        total += v
    return total


def taken_before(x):
    y = list(x)
    items = iter(y)
    first = next(items)
    y[1] = x[0] * first
    return next(items) * first


@pytest.mark.parametrize("function", [pairs, sums, products, products_later, chained, taken_before])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_is_written_into_too_late_is_refused(function, transform):
    with pytest.raises(ad.AdcompileError, match=r"writes into what its iterator|after the iterator was made") as error:
        if transform == "grad":
            ad.grad(function)(X)
        else:
            ad.jvp(function, (X,), (X,))
    assert "test_laziness.py" in str(error.value)


def elsewhere(x):
    """A loop that writes into other memory, and keeps what the items are made of."""
    out, scale, kept = np.zeros(len(x)), x[0], []
    for k, v in enumerate(itertools.accumulate(map(lambda v: v * scale, x))):
        out[k] = v * v
        kept.append(v)
    for a, b in itertools.product(x, x):
        out[0] += a * b
    for v in itertools.chain(x, kept):
        out[1] += v
    return np.sum(out) * kept[1]


def test_what_is_written_elsewhere_is_not_refused():
    step = 1e-6
    slopes = [(elsewhere(X + step * e) - elsewhere(X - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(ad.grad(elsewhere)(X), slopes, rtol=1e-7)


def writing(v):
    v[0] = v[1] * v[2]
    return np.sum(v)


def first_that_passes(x):
    next(filter(lambda r: writing(r) > 5.0, x))
    return x


def first_of_a_list(x):
    next(filter(lambda r: writing(r) > 5.0, [x[0], x[1]]))
    return x


def slice_of_filtered(x):
    list(itertools.islice(filter(lambda r: writing(r) > 5.0, x), 1))
    return x


def beside_one(x):
    list(zip([1], filter(lambda r: writing(r) > 5.0, x)))
    return x


def second_sum(x):
    sums = itertools.accumulate(x, lambda a, r: a * writing(r))
    next(sums)
    next(sums)
    return x


def what_was_asked(x):
    asked = []
    next(filter(lambda v: asked.append(v) or v > 1.0, x[0]))
    return np.array(asked)


@pytest.mark.parametrize(
    "f", [first_that_passes, first_of_a_list, slice_of_filtered, beside_one, second_sum, what_was_asked]
)
def test_items_that_nobody_asks_for_do_nothing(f):
    x = np.arange(1.0, 10.0).reshape(3, 3) / 2.0
    with pytest.raises(ad.AdcompileError, match="items may be left"):
        ad.jvp(f, (x,), (x.copy(),))


def all_that_pass(x):
    kept = list(filter(lambda r: writing(r) > 4.5, [x[0], x[1], x[2]]))
    return sum(r @ r for r in kept) * np.sum(x)


def first_by_its_value(x):
    return next(filter(lambda r: np.sum(r) > 5.0, x)) @ x[0] + next(filter(lambda v: v > 1.0, [0.5, x[0, 1], x[1, 2]]))


@pytest.mark.parametrize("f", [all_that_pass, first_by_its_value])
def test_what_filter_gives(f):
    x = np.arange(1.0, 10.0).reshape(3, 3) / 2.0 + 0.1
    t, e = np.sin(x), 1e-6
    expected = (f(x + e * t) - f(x - e * t)) / (2.0 * e)
    value, tangent = ad.jvp(f, (x.copy(),), (t,))[:2]
    assert np.isclose(value, f(x.copy())) and np.isclose(tangent, expected)
    assert np.isclose(np.sum(ad.grad(f)(x.copy()) * t), expected)


TURNS = {
    "a map of a map": lambda w, s: sum(list(map(w, list(map(w, s))))) + len(list(map(w, map(w, s)))),
    "zip of two": lambda w, s: len(list(zip(map(w, s), map(w, s)))),
    "a filter of a map": lambda w, s: len(list(filter(w, map(w, s)))),
    "reduce": lambda w, s: functools.reduce(lambda a, v: a + w(v), map(w, s)),
    "max by a key": lambda w, s: max(map(w, s), key=w),
    "accumulate": lambda w, s: list(itertools.accumulate(map(w, s)))[-1],
    "accumulate of enumerate": lambda w, s: len(list(itertools.accumulate(enumerate(map(w, s)), lambda a, b: b))),
    "zip with a shorter one": lambda w, s: sum(v for v, _ in zip(map(w, s), [1, 2])),
    "zip with a shorter range": lambda w, s: sum(v for v, _ in zip(map(w, np.array(s)), range(len(s) - 1))),
    "zip behind a shorter range": lambda w, s: sum(v for _, v in zip(range(len(s) - 1), map(w, np.array(s)))),
    "in": lambda w, s: 2.0 * (2.0 in map(w, s)),
    "any of enumerate": lambda w, s: any(True for _ in enumerate(map(w, s))),
    "unpacked": lambda w, s: (lambda a, *b: a)(*map(w, s)),
    "the first of two": lambda w, s: next(itertools.chain(map(w, s), map(w, s))),
}


@pytest.mark.parametrize("name", TURNS)
def test_iterators_over_iterators_take_turns(name):
    """Right, or refused."""
    go = TURNS[name]

    def f(x):
        y = x * 1.0

        def w(v):
            y[0] = y[0] * 1.3 + v * y[1]
            return v

        return go(w, [1.0, 2.0, 3.0]) + np.sum(y) * y[0]

    x = np.array([1.5, 2.0, 0.7])
    try:
        value, gradient = ad.value_and_grad(f)(x)
    except ad.AdcompileError as error:
        assert error.place is not None and error.remedy
        return
    assert np.isclose(value, f(x))
    np.testing.assert_allclose(gradient, [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)], rtol=1e-5)


def counting(x):
    """A counter, what adds to it, what reads it, and a test that adds to it."""
    n = [0.5]

    def add(v):
        n[0] = n[0] + v
        return v

    def seen(v):
        return v * n[0]

    def adding(v):
        return add(v) > 0.4

    return n, add, seen, adding


def mapped_twice(x):
    n, add, seen, _ = counting(x)
    return sum(map(seen, map(add, [x[0], x[1], x[2]]))) * n[0]


def unpacked(x):
    n, add, seen, _ = counting(x)
    first, *rest = map(seen, map(abs, map(add, [x[0], x[1], x[2]])))
    return first * sum(rest) * n[0]


def into_an_array(x):
    out = np.zeros(3)

    def store(i):
        out[i] = x[i] ** 2
        return i

    return np.prod([*map(lambda i: np.sum(out) * (i + 1), map(store, [0, 1, 2]))])


def one_after_the_other(x):
    n, add, seen, _ = counting(x)
    return sum(itertools.chain(map(seen, [x[0], x[1]]), map(add, [x[1], x[2]]))) * n[0]


def listed_first(x):
    n, add, seen, adding = counting(x)
    return sum(map(seen, list(map(add, [x[0], x[1]])))) + sum(map(abs, filter(adding, [x[2], x[3]]))) * n[0]


@pytest.mark.parametrize("f", [mapped_twice, unpacked, into_an_array, one_after_the_other, listed_first])
def test_what_makes_items_takes_turns(f):
    x = X + 0.3
    step = 1e-6
    slopes = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(4)]
    value, gradient = ad.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ad.jvp(f, (x,), (x,))[1], slopes @ x, rtol=1e-6)


def filtered_between(x):
    n, add, seen, adding = counting(x)
    return sum(map(seen, filter(adding, [x[0], x[1], x[2]])))


def filtered_behind(x):
    n, add, seen, adding = counting(x)
    return sum(filter(adding, map(seen, [x[0], x[1], x[2]])))


def reduced(x):
    n, add, seen, _ = counting(x)
    return functools.reduce(lambda a, b: a * n[0] + b, map(add, [x[0], x[1], x[2]]))


def summed_up(x):
    n, add, seen, _ = counting(x)
    return sum(map(seen, itertools.accumulate(map(add, [x[0], x[1], x[2]]))))


def read_before(x):
    n, add, seen, adding = counting(x)
    items = map(abs, filter(adding, x))
    before = n[0]
    return sum(items) * n[0] + before


def filtered_array(x):
    out = np.zeros(3)

    def store(i):
        out[i] = x[i] ** 2
        return i

    return sum(map(lambda i: np.sum(out) * (i + 1), filter(lambda i: i != 1, map(store, range(3)))))


@pytest.mark.parametrize("f", [filtered_between, filtered_behind, reduced, summed_up, read_before, filtered_array])
def test_what_would_not_take_turns_is_refused(f):
    with pytest.raises(ad.AdcompileError, match=r"an iterator over another one|goes through another one") as error:
        ad.grad(f)(X + 0.3)
    assert "test_laziness.py" in str(error.value)
