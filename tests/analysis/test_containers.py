"""Writes into lists and dicts, and what Python raises."""

import pytest

import adcompile as ad
from tests.compiled import check, same_error


def every_write(x, n):
    xs = [x * i for i in range(n)]
    xs.insert(1, x)
    xs.insert(-1, 2.0 * x)
    a = xs.pop(2)
    b = xs.pop()
    xs[0:2] = [a, b, a * b]
    del xs[3]
    del xs[:1]
    xs[-1] *= x
    xs += [a]
    xs.extend(v * v for v in (a, b))
    xs.reverse()
    xs.sort(key=lambda v: -v)
    return sum(v * (i + 1) for i, v in enumerate(xs)) + len(xs)


@pytest.mark.parametrize("n", [4, 30])
def test_every_write_into_a_list(n):
    check(every_write, 0.7, n)


def wrong_index(x):
    xs = [x]
    xs[3] = x
    return xs[0]


def pop_from_empty(x):
    xs = [x]
    xs.pop()
    return xs.pop()


def missing_key(x):
    d = {"a": x}
    del d["b"]
    return d["a"]


def not_there(x):
    xs = [1, 2]
    xs.remove(3)
    return x


@pytest.mark.parametrize("f", [wrong_index, pop_from_empty, missing_key, not_there])
def test_errors(f):
    same_error(f, 2.0, message=False)


def removed(x):
    a, b = [x], [x * x]
    held = [a, b, "text"]
    held.remove("text")
    held.remove(a)
    return held[0][0] * len(held)


def popped_items(x):
    d = {"a": x, "b": x * x}
    key, value = d.popitem()
    return value * (2.0 if key == "b" else 1.0) + d.pop("a") + d.pop("c", x) + len(d)


@pytest.mark.parametrize("f", [removed, popped_items])
def test_what_is_taken_out(f):
    check(f, 0.7)


def keys_met_at_run_time(x, n):
    counts = {}
    for i in range(n):
        counts[i % 3] = counts.get(i % 3, 0) + 1
    return x * counts[1]


def test_inert_dicts_run_as_written():
    assert ad.grad(keys_met_at_run_time)(2.0, 30) == 10.0
