"""Ranges, tuples and shapes, which are printed where they are used."""

import itertools

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, by_differences, on_numpy, parts_of, stays, text_of, wholly
from tests.programs import made_in_branches

A = np.array([[0.5, 1.5, -0.7], [1.0, 0.2, 0.4]])


def through_shapes(a):
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(0, m, 2):
            p = (a[i, j], i + 1)
            s = s * 0.5 + p[0] ** p[1]
    return s


def countdown(x, n):
    s = x
    for k in range(n, 0, -3):
        s = s * s / k + x
    return s


def test_tuples_and_shapes():
    text = text_of(through_shapes, A)
    assert "shape[0]" in text and "(t, " not in text
    agree(through_shapes, A)


def test_steps():
    for n in (7, 1, 0, -2):
        agree(countdown, 0.5, n)


def summed_on_one_path(a, m, n):
    """The range that the way back goes through is made in a branch."""
    b = m @ a
    s = 0.0
    if n > 2:
        for k in range(n):
            s = s * 0.5 + a[k % 3] * b[0]
    else:
        s = a[0]
    return s * np.sum(m @ b)


def largest_or(a, c):
    return max(a, default=c) * max((v * v for v in a if v > 0.9), default=c)


def test_ranges_by_several_ways():
    m = np.arange(9.0).reshape(3, 3) / 9
    for n in (0, 2, 3, 7):
        agree(summed_on_one_path, A[0], m, n)
    for a in (A[0], A[1] - 5.0, A[1, :0]):
        agree(largest_or, a, 2.0)
    for f, args in ((summed_on_one_path, (A[0], m, 3)), (largest_or, (A[0], 2.0))):
        parts = parts_of(f, *args)
        assert parts.kernels and not parts.notes, [str(n) for n in parts.notes]


def kept_shapes(a):
    shapes = [a[k:].shape for k in range(3)]
    s = np.sum(on_numpy(a[0]))
    for n, m in shapes:
        s += a[n - 1, 0] * m
    return s


def test_shapes_in_lists():
    agree(kept_shapes, np.arange(6.0).reshape(3, 2))
    agree(kept_shapes, A)


def sliced(x, n):
    return sum(v * v for v in itertools.islice(x, 1, None, 2)) + sum(itertools.islice(x, n))


def read_by_number(x, n):
    steps, s = range(1, len(x), 2), 0.0
    for k in range(n):
        s += x[steps[k - 1]] * (k + 1)
    return s


def test_iterators_over_parts():
    x = np.array([0.5, -0.7, 1.2, 0.4])
    for n in (0, 2, 9):
        wholly(sliced, x, n)
    assert agree(sliced, x, -1) is ValueError


def test_items_of_ranges():
    x = np.array([0.5, -0.7, 1.2, 0.4])
    wholly(read_by_number, x, 3)
    assert agree(read_by_number, x, 4) is IndexError


def items_from_the_end(x, k):
    numbers = range(1, 4)
    s = 0.0
    for _ in range(2):
        s += x[numbers[-k]] ** 2
    return s


def items_backwards(x, k):
    numbers, s = range(len(x) - 1, -1, -k), 0.0
    for i in range(2):
        s += x[numbers[-1 - i]] * x[i] * numbers[-k]
    return s


def items_by_negative_numbers(x, k):
    numbers, s = range(len(x)), 0.0
    for j in range(-len(x), 0, k):
        s += x[numbers[j]] ** 2 * numbers[j]
    return s


@pytest.mark.parametrize("f", [items_from_the_end, items_backwards, items_by_negative_numbers])
def test_items_of_ranges_from_their_end(f):
    stays(f, np.array([0.3, -0.7, 1.1, 0.5]), 1)
    by_differences(f, np.array([0.3, -0.7, 1.1, 0.5]), 1)


def by_steps(x, h):
    s = x[0]
    for i in range(0, len(x), h):
        s = s * 0.5 + x[i] * x[i]
    for k in range(h):
        s = s * (x[k], 2.0 * x[k], x[0] * x[1])[k - 2]
    return s


@pytest.mark.parametrize("h", [1, 2, 5, -1])
def test_steps_that_are_known_when_the_code_runs(h):
    wholly(by_steps, np.arange(1.0, 5.0), 1)
    agree(by_steps, np.arange(1.0, 5.0), min(h, 3))


def test_a_step_of_zero_raises_as_in_python():
    pytest.importorskip("numba")
    with pytest.raises(ValueError, match="must not be zero"):
        ad.grad(by_steps, backend="numba")(np.arange(1.0, 5.0), 0)


@pytest.mark.parametrize("name", made_in_branches.SAMPLES)
def test_what_branches_make_is_made_again_in_kernels(name):
    """Nothing of it is kept as a value that no kernel can hold."""
    for given in made_in_branches.SAMPLES[name]:
        wholly(getattr(made_in_branches, name), *given)


def as_many_turns_as_a_test(x):
    s = 0.0
    for i in range(len(x)):
        for _ in range(x[i] > 0.5):
            s += x[i] * x[i]
    return s


def part_from_a_test_on(x):
    s = 0.0
    for i in range(len(x)):
        s += np.sum(x[x[i] > 0.5 :]) * x[i]
    return s


@pytest.mark.parametrize("f", [as_many_turns_as_a_test, part_from_a_test_on])
def test_a_truth_value_of_numpy_is_no_whole_number(f):
    assert agree(f, np.array([0.2, 0.7, 1.3])) is TypeError
