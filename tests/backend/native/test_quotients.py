"""Several quotients by one number become products by its inverse, where only derivatives show it."""

import re

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, text_of

X = np.array([0.3, -1.2, 2.1, 0.0, -0.4])
Y = np.array([1.3, 0.2, -0.7, 0.5, 3.0])


def chained(x, y):
    u = x * y / (1.0 + x * x)
    v = u / (2.0 + y * y + np.exp(x)) - y
    return np.sum(u * v)


def twice_by_a_sum(x, y):
    d = np.abs(x) + (0.5 + np.square(y))
    return np.sum(x / d * (y / d))


def in_a_loop(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        d = 3.0 + x[i] * x[i]
        s += x[i] / d * (y[i] / d)
    return s


@pytest.mark.parametrize("f, divisions", [(chained, 2), (twice_by_a_sum, 1), (in_a_loop, 1)])
def test_gradients_divide_once(f, divisions):
    text = text_of(f, X, Y)
    assert text.count(" / ") == divisions and "inverse" in text
    agree(f, X, Y, value=False)
    ad.check_grads(f, (X, Y), order=1)


def seen_beside(x, y):
    d = 1.0 + x * x
    return np.sum(np.sqrt(y * y / d) + x / d * (y / d))


def test_those_that_nobody_sees_are_products_beside_others():
    text = text_of(seen_beside, X, Y)
    assert text.count(" * inverse") == 5 and text.count(" / ") == 3
    agree(seen_beside, np.array([0.3, -1.2, 2.1, 0.7, -0.4]), Y, value=False)


def by_what_may_be_small(x, y):
    d = x * x
    return np.sum(x / d + y / d)


def by_a_difference(x, y):
    d = 1.0 - x * x
    return np.sum(x / d + y / d)


def compared(x, y):
    d = 1.0 + x * x
    q = x / d
    return np.sum(np.where(q > 0.2, q * y, y / d))


def at_the_end_of_a_root(x, y):
    d = 1.0 + x * x
    q = y * y / d
    return np.sum(np.sqrt(q) + x / d)


def in_what_is_divided_by(x, y):
    d = 1.0 + x * x
    return np.sum(y / (x / d - 0.25) + y / d)


def by_the_end_of_the_range(x, y):
    return np.sum(np.sin(x / 1.7e308) * y + y / 1.7e308)


def of_integers_beside(x, y):
    d = 1.0 + x * x
    return np.sum(np.floor(3.0 * x / d) * y / d)


KEPT = {
    by_what_may_be_small: None, by_a_difference: None, compared: None, by_the_end_of_the_range: None,
    at_the_end_of_a_root: 3, in_what_is_divided_by: 5, of_integers_beside: 2,
}  # fmt: skip
"""How many divisions there are, the inverse among them, or None where all stay."""


@pytest.mark.parametrize("f", KEPT)
def test_others_stay(f):
    """Those that could be infinite or inexact, and those whose last bit may decide on something."""
    x = np.array([0.3, -1.2, 2.1, 0.7, -0.4])
    text = text_of(f, x, Y)
    assert ("inverse" not in text) if KEPT[f] is None else text.count(" / ") == KEPT[f], text
    agree(f, x, Y, value=False)


def test_the_value_keeps_its_bits():
    pytest.importorskip("numba")
    assert "inverse" not in text_of(chained, X, Y, value=True)
    value, grads = ad.value_and_grad(in_a_loop, (0, 1), backend="numba")(X, Y)
    assert value == in_a_loop(X, Y)
    wanted = ad.grad(in_a_loop, (0, 1), backend="numpy")(X, Y)
    np.testing.assert_allclose(grads, wanted, rtol=1e-14, atol=1e-15)


def test_what_is_divided_by_may_be_infinite_or_no_number():
    x, y = np.array([1e200, np.nan, 0.0, -1e308, 1e-320]), np.array([1.0, 2.0, np.inf, 1e300, -1e-310])
    agree(chained, x, y, value=False)


def by_a_constant(x, y):
    return np.sum(np.exp(-x / 1.7) * np.sin(y / np.sqrt(3.0)))


def by_what_stays(x, y, a):
    d = 1.0 + a * a
    return np.sum(np.exp(x / d) * np.sin(y))


@pytest.mark.parametrize("f, args", [(by_a_constant, (X, Y)), (by_what_stays, (X, Y, 0.7))])
def test_one_quotient_by_what_stays_is_a_product_on_its_way_through_smooth_functions(f, args):
    text = text_of(f, *args)
    assert text.count(" / ") == len(re.findall(r"inverse\w* = 1.0 / ", text)) > 0
    agree(f, *args, value=False)
    ad.check_grads(f, args, order=1)


def with_an_edge(x, y):
    return np.sum(np.arccos(x / 3.0) * y)


def with_an_edge_behind_a_sum(x, y):
    q = x / 3.0
    return np.sum(np.sqrt(1.0 - q * q) * y)


def behind_a_smooth_one(x, y):
    return np.sum(np.log(1.0 + np.sin(x / 3.0)) * y)


@pytest.mark.parametrize("f", [with_an_edge, with_an_edge_behind_a_sum, behind_a_smooth_one])
def test_functions_with_edges_get_the_quotient(f):
    assert " / 3.0" in text_of(f, X, Y)
    agree(f, X, Y, value=False)
    at = np.array([3.0, -3.0, 0.1]), np.ones(3)  # where a bit more would be nan
    with np.errstate(all="ignore"):
        agree(f, *at, value=False)


def inner(y):
    s = 0.0
    t = 0.0
    for i in range(y.shape[0]):
        t = t + y[i]
        if t >= 0.0:
            d = t / 49.0 - 1.0
            s += np.sin(d) * d
        else:
            s += t
    return s


def squares(y):
    s = 0.0
    for i in range(y.shape[0]):
        d = y[i] / 49.0 - 1.0
        s += d * d
    return s


def branches_on_an_inner_gradient(x):
    g = ad.grad(inner)(x)
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * (2.0 if g[i] >= 0.0 else 5.0)
    return s + g[0] * x[0]


def root_of_an_inner_gradient(x):
    return np.sum(np.sqrt(ad.grad(squares)(x)) * x)


def gives_an_inner_gradient(x):
    return ad.grad(inner)(x)[0] * 1.0


def slope(t):
    d = t / 49.0 - 1.0
    return d * d


def gives_an_inner_slope(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = ad.grad(slope)(x[i]) + 0.0 * s
    return s


def guarded(x, c):
    r = np.sqrt(x)
    return np.sum(np.where(x > 0.0, r, r * (c / 49.0 - 1.0)))


def guarded_in_a_loop(x, c):
    s = 0.0
    for i in range(x.shape[0]):
        r = np.sqrt(x[i])
        q = c[i] / 49.0 - 1.0
        if x[i] > 0.0:
            s += r
        else:
            s += r * q
    return s


def guarded_behind_memory(x, c):
    r = np.sqrt(x)
    return np.sum(np.where(x >= 0, r, r * r)[::-1] * (c / 49.0 - 1.0))


def guarded_by_twice(x, e):
    d = 1.0 + e * e
    r = np.sqrt(x)
    return np.sum(np.where(x > 0.0, r, r * (e / d - e / d)))


ZEROS = np.array([0.0, 0.0, 2.0])
EXACT = {
    branches_on_an_inner_gradient: (np.array([49.0]),), root_of_an_inner_gradient: (np.array([49.0]),),
    gives_an_inner_gradient: (np.array([49.0]),), gives_an_inner_slope: (np.array([49.0, 49.0]),),
    guarded: (np.zeros(1), np.array([49.0])), guarded_in_a_loop: (ZEROS, np.array([49.0, 1.0, 2.0])),
    guarded_behind_memory: (ZEROS, np.full(3, 49.0)), guarded_by_twice: (ZEROS, np.array([0.3, 1.7, 2.9])),
}  # fmt: skip


@pytest.mark.parametrize("f", EXACT)
@pytest.mark.parametrize("value", [True, False])
def test_what_a_bit_decides_on_wherever_it_has_gone(f, value):
    """Through branches, loops and memory; in the values of a function that differentiates another itself."""
    pytest.importorskip("numba")
    made = ad.value_and_grad if value else ad.grad
    wrt = tuple(range(len(EXACT[f])))
    with np.errstate(all="ignore"):
        wanted, found = (made(f, wrt, backend=b)(*(a.copy() for a in EXACT[f])) for b in ("numpy", "numba"))
    if value:
        assert found[0] == wanted[0]
        wanted, found = wanted[1], found[1]
    for w, g in zip(wanted, found):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-14)
