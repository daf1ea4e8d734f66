"""What iterators over the elements of an array raise, and what is refused of them."""

import numpy as np
import pytest

import adcompile as ad

A = np.array([[0.75, 0.28], [0.78, 1.06]])


def stored(img):
    for x in np.nditer(img):
        x[...] = 2.0 * x
    return np.sum(img)


def added(img):
    for x in np.nditer(img):
        y = x
        y += 1.0
    return np.sum(img)


@pytest.mark.parametrize("f", [stored, added])
def test_elements_are_read_only_unless_flags_say_otherwise(f):
    with pytest.raises(ValueError, match="read-only"):
        ad.grad(f)(A.copy())
    with pytest.raises(ValueError, match="read-only"):
        ad.jvp(f, (A.copy(),), (A,))


def summed(img):
    s = 0.0
    for x in np.nditer(img):
        s += x * x
    return s


def test_nothing_to_go_through_raises_as_in_numpy():
    with pytest.raises(ValueError, match="zero-sized"):
        ad.grad(summed)(np.zeros((0, 2)))


def told_where_it_is(img):
    s = 0.0
    steps = np.nditer(img)
    for x in steps:
        s += x * steps.iterindex
    return s


def told_its_element(img):
    s = 0.0
    steps = np.nditer(img)
    for _ in steps:
        s += steps[0]
    return s


def told_after_some(img):
    steps = np.ndenumerate(img)
    _, first = next(steps)
    return first * steps.iter.index


def gone_through_twice(img):
    steps = np.ndenumerate(img)
    return sum(v for _, v in steps) + sum(v for _, v in steps)


def of_two_arrays(img):
    s = 0.0
    for x, y in np.nditer([img, img.T]):
        s += x * y
    return s


def with_indices(img):
    s = 0.0
    steps = np.nditer(img, flags=["multi_index"])
    for x in steps:
        s += x * steps.multi_index[0]
    return s


@pytest.mark.parametrize(
    "f", [told_where_it_is, told_its_element, told_after_some, gone_through_twice, of_two_arrays, with_indices]
)
def test_refused_with_a_place(f):
    with pytest.raises(ad.Unsupported, match=r"test_elements\.py:\d+"):
        ad.grad(f)(A)


def test_a_loop_over_elements_reads_indices():
    source = ad.source(summed_up, A)
    assert "np.ndindex(img.shape)" in source and "ndenumerate" not in source


def summed_up(img):
    s = 0.0
    for (i, _), v in np.ndenumerate(img):
        s += v * v * i
    return s
