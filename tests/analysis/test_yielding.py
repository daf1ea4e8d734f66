"""Generators: how far they run, in which order with who takes their items, and what is refused."""

import functools
import itertools
import types

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits

X = np.array([0.4, 0.7, 1.1])
SAID = []


def said(x, what="made"):
    for k, v in enumerate(x):
        SAID.append((what, k))
        yield v * v
    SAID.append((what, "end"))


def in_a_loop(x):
    s = 0.0
    for v in said(x):
        SAID.append("loop")
        s += v
    return s


def left(x):
    for v in said(x):
        if v > 0.4:
            break
    return v


def found(x):
    return next(v for v in said(x) if v > 0.4)


def zipped_behind_the_shorter(x):
    return sum(u * v for u, v in zip(x[:2], said(x)))


def zipped_before_the_shorter(x):
    return sum(u * v for u, v in zip(said(x), x[:2]))


def zipped_with_nothing(x):
    return x[0] + sum(u * v for u, v in zip(x[:0], said(x)))


def cut(x):
    s = 0.0
    for v in itertools.islice(said(x), 2):
        SAID.append("loop")
        s += v
    return s


def cut_to_nothing(x):
    return x[0] + sum(itertools.islice(said(x), 0))


def numbered(x):
    s = 0.0
    for k, v in enumerate(said(x), 1):
        if k == 2:
            break
        s += k * v
    return s


def mapped(x):
    def twice(v):
        SAID.append("mapped")
        return 2.0 * v

    s = 0.0
    for v in map(twice, said(x)):
        SAID.append("loop")
        s += v
    return s


def one_in_the_other(x):
    s = 0.0
    for v in said(x):
        for w in said(x[:2], "inner"):
            s += v * w
    return s


def not_asked(x):
    said(x)
    return x[0]


def any_of(x):
    return x[0] * any(v > 0.4 for v in said(x))


def from_others(x):
    def both():
        yield from said(x[:1], "first")
        SAID.append("between")
        yield from said(x, "second")

    for k, v in enumerate(both()):  # noqa: B007  which is read behind the loop
        if k == 2:
            break
    return v


def late_names(x):
    t = x[0]

    def scaled():
        for v in x:
            yield v * t

    items = scaled()
    t = x[1]
    return sum(items)


def names_that_the_loop_binds(x):
    t, n, s = x[0], 0, 0.0

    def scaled():
        for v in x:
            yield v * t * n

    for v in scaled():
        t = x[2]
        n += 1
        s += v
    return s


def names_of_a_function_between(x):
    t = x[0]

    def make():
        def scaled():
            for v in x:
                yield v * t

        return scaled()

    items = make()
    t = x[1]
    return sum(items)


def one_of_several(x):
    return next(said(x)) * x[1]


def one_that_would_raise_later(x):
    def logs():
        for v in (x[1], -x[0]):
            yield np.log(v) if v > 0.0 else 1 / 0

    return next(logs()) * x[2]


def reduced(x):
    def add(p, q):
        SAID.append("add")
        return p + q

    return functools.reduce(add, said(x), x[0])


def extended_by_what_it_reads(x):
    items = [x[0]]

    def more():
        for v in x:
            yield v * items[-1] * len(items)

    items.extend(more())
    return sum(items)


def zipped_with_what_it_writes(x):
    a = x.copy()

    def writes():
        for k in range(3):
            a[k] *= 10.0
            yield x[k]

    s = 0.0
    for u, v in zip(a, writes()):
        s += u * v
    return s


def unpacked(x):
    a, b, c = said(x)
    return a * b * c


TURNS = [
    late_names, names_that_the_loop_binds, names_of_a_function_between, one_of_several, one_that_would_raise_later,
    reduced, extended_by_what_it_reads, zipped_with_what_it_writes, unpacked,
    in_a_loop, left, found, zipped_behind_the_shorter, zipped_before_the_shorter, zipped_with_nothing, cut,
    cut_to_nothing, numbered, mapped, one_in_the_other, not_asked, any_of, from_others,
]  # fmt: skip


@pytest.mark.parametrize("f", TURNS, ids=lambda f: f.__name__)
def test_generators_run_as_far_as_they_are_asked_and_take_turns(f):
    SAID.clear()
    value = f(X)
    order = list(SAID)
    for run in (ad.value_and_grad(f), lambda x: ad.jvp(f, (x,), (x,))):
        SAID.clear()
        assert bits(run(X)[0]) == bits(value)
        assert order == SAID
    slope = (f(X * (1.0 + 1e-6)) - f(X * (1.0 - 1e-6))) / 2e-6
    assert ad.grad(f)(X) @ X == pytest.approx(slope, rel=1e-6)


def sent(x):
    items = said(x)
    next(items)
    return items.send(1.0)


def runs_itself(x):
    def down(n):
        yield x[n]
        if n > 0:
            yield from down(n - 1)

    return sum(down(2))


def in_a_try(x):
    def guarded():
        try:
            yield x[0]
        finally:
            SAID.append("closed")

    return sum(guarded())


def without_end(x):
    y = x[0]
    while True:
        yield y
        y = y * 0.5


def without_end_taken_by_one(x):
    items = without_end(x)
    return next(items) + next(items)


def taken_twice(x):
    items = said(x)
    return sum(items) + sum(items)


def on_a_path(x):
    items = said(x) if x[0] > 0.0 else said(x[1:])
    return sum(items)


def by_code_that_is_not_followed(x):
    return x[0] * len(str(np.array(said(x)))) + float(np.vectorize(lambda g: next(g), otypes=[float])(said(x)))


@pytest.mark.parametrize(
    "f",
    [
        sent, runs_itself, in_a_try, without_end_taken_by_one, taken_twice, on_a_path, by_code_that_is_not_followed
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_is_refused(f):
    with pytest.raises(ad.AdcompileError) as caught:
        ad.grad(f)(X)
    assert "test_yielding.py" in str(caught.value) or caught.value.place is not None


def raises_in_the_generator(x):
    def few():
        yield x[0]
        raise KeyError("generator")

    s = 0.0
    for v in few():
        s += v
    return s


def raises_in_the_loop(x):
    for v in said(x):
        if v > 0.4:
            raise KeyError("loop")
    return v


def binds_nothing(x):
    for v in said(x[:0]):
        last = v
    return last


def wrong_arguments(x):
    return sum(said(x, "a", "b"))


@pytest.mark.parametrize("f", [raises_in_the_generator, raises_in_the_loop, binds_nothing, wrong_arguments])
def test_what_raises(f):
    with pytest.raises(Exception) as primal:
        f(X)
    for run in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (X,))):
        with pytest.raises(type(primal.value)):
            run()


def test_a_generator_is_one():
    def f(x):
        return sum(said(x)) if isinstance(said(x), types.GeneratorType) else 0.0

    assert ad.grad(f)(X) == pytest.approx(2 * X)
