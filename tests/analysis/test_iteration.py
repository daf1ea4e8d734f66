"""What loops run over."""

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check


def elements(xs):
    total = 0.0
    for i, x in enumerate(xs):
        total = total + x * x * (i + 1)
    return total


def rows(a):
    total = 0.0
    for row in a:
        total = total + np.sum(row) * row[0]
    return total


def pairs(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total = total + x * y * y
    return total


def backwards(xs):
    total = 1.0
    for x in reversed(xs):
        total = total * 0.5 + x
    return total


def entries(d):
    total = 0.0
    for key, value in d.items():
        total = total + value * len(key)
    return total + sum(d.values()) * len(d.keys())


def strided(x, n):
    total = 0.0
    for i in range(n, -n, -2):
        total = total + x * i * i
    return total


def indices(a):
    total = 0.0
    for i in np.ndindex(2, 3):
        total = total + a[i] ** 2
    return total


SEQUENCES = [[], [0.5], [0.5, 1.5, -2.0], list(np.linspace(-1.0, 1.0, 30))]


@pytest.mark.parametrize("f", [elements, backwards])
@pytest.mark.parametrize("xs", SEQUENCES, ids=len)
def test_sequences(f, xs):
    if xs:
        check(f, xs)
    check(f, np.array(xs))


def test_arrays_by_rows():
    check(rows, np.arange(6.0).reshape(3, 2))


def test_zip_stops_at_the_shorter():
    check(pairs, np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25]))
    check(pairs, [1.0, 2.0, 3.0], (0.5, 0.25))


def test_dictionaries():
    check(entries, {"a": 0.5, "long": 1.5})


@pytest.mark.parametrize("n", [0, 1, 4])
def test_ranges(n):
    check(strided, 0.5, n)


def test_ndindex():
    check(indices, np.arange(6.0).reshape(2, 3))


def beside_a_list(x, n):
    total = 0.0
    table = {0: [x], 1: (x, x[0])}
    for k, part in enumerate(zip([3.0, 4.0], table[n])):
        total = total + k * np.sum(part[1])
    return total


def test_what_is_gone_through_without_structure_is_refused_where_it_stands():
    x, line = np.array([1.2, -0.7]), beside_a_list.__code__.co_firstlineno + 3
    for call in (lambda: ad.grad(beside_a_list)(x, 1), lambda: ad.jvp(beside_a_list, (x, 1), (x, None))):
        with pytest.raises(ad.AdcompileError, match="iterable") as caught:
            call()
        assert caught.value.place.line == line


HELD = range(3)


def over_a_range_of_the_module(x):
    for k in HELD:
        x = x * (1.5 + k)
    return x


def test_a_range_that_a_module_holds():
    check(over_a_range_of_the_module, 0.7)
