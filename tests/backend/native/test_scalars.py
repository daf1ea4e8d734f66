"""Numbers in kernels: the semantics of Python and NumPy, exceptions included."""

import math

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, agree_pushed, stays, text_of
from tests.programs import recurrences


def elementary(x, y):
    return math.sin(x) * np.exp(y) + math.sqrt(x) / (1.0 + y * y) + abs(x - y) ** 1.5 + max(x, y) - min(x, 2 * y)


def reciprocal(x):
    return 1.0 / x


def roots(x):
    return math.sqrt(x) + math.log(x)


def growing(x):
    return math.exp(x) + x**2


def powers(x, n):
    s = 0.0
    for k in range(n):
        s += x**k + x ** (k + 0.5)
    return s


def in_single(x):
    y = x * 2.0
    if y > 0.1:
        y = y * x + 1
    return np.sin(y) / 3


def counted(x, n):
    k = 3**n  # leaves int64 for large n
    return x * (k % 7) + x * (k // 5 % 2)


def test_functions_and_operators():
    agree(elementary, 1.5, 0.5)
    agree(elementary, np.float64(1.5), 0.5)


@pytest.mark.parametrize("x", [2.0, 0.0, -0.0, math.inf])
def test_division_by_zero_is_python_s(x):
    agree(reciprocal, x)


@pytest.mark.parametrize("x", [4.0, 0.0, -1.0, math.inf, math.nan])
def test_math_raises_what_it_raises(x):
    agree(roots, x)


@pytest.mark.parametrize("x", [1.0, 800.0, 1e200, -math.inf])
def test_overflow_is_python_s(x):
    agree(growing, x)


def test_numpy_s_numbers_do_not_raise():
    agree(reciprocal, np.float64(0.0))
    assert "divisor" not in text_of(reciprocal, np.float64(2.0))
    assert "nt.finite" in text_of(roots, 2.0)


@pytest.mark.parametrize("x", [1.5, 0.0, -2.0])
def test_powers(x):
    agree(powers, x, 4)


def test_single_precision_stays():
    agree(in_single, np.float32(0.3))
    assert "np.float32(2.0)" in text_of(in_single, np.float32(0.3))


@pytest.mark.parametrize("n", [2, 39, 40, 41, 100])
def test_integers_have_no_bound(n):
    agree(counted, 1.5, n)


def flags(x):
    return x + (x == 0) + 2.0 * (x > 1.0)


@pytest.mark.parametrize("x", [0.0, 0.5, 2.0, np.float32(2.0)])
def test_bools_are_numbers(x):
    agree(flags, x)


def negative_of_what_is_an_integer_first(x):
    s, c = 0, 0.0
    for k in range(2):
        c = c + math.copysign(1.0, -s) * x[k]
        if k > 0:
            s = s + x[k]
    return c


def product_of_what_is_an_integer_first(x):
    s, c = 0, 0.0
    for k in range(3):
        c = c + math.copysign(1.0, s * -2) * x[k]
        if k > 0:
            s = s + x[k]
    return c


def items_that_are_integers_first(x):
    items, c = [0] * 3, 0.0
    for k in range(2):
        items[k] = x[k]
        c = c + math.atan2(0.0, -items[2]) * x[k]
    return c


@pytest.mark.parametrize(
    "f", [negative_of_what_is_an_integer_first, product_of_what_is_an_integer_first, items_that_are_integers_first]
)
def test_integers_have_no_negative_zero(f):
    agree(f, np.array([0.3, -0.7, 1.1]))
    agree_pushed(f, np.array([0.3, -0.7, 1.1]))


@pytest.mark.parametrize("name", recurrences.SAMPLES)
def test_cotangents_are_handed_on_as_it_is_written(name):
    """Numbers that an iteration makes of each other in many steps: no difference is multiplied out."""
    for args in recurrences.SAMPLES[name]:
        stays(getattr(recurrences, name), *args)


@pytest.mark.parametrize("stiff", [1e6, 1e9, 1e12])
def test_differences_of_cotangents_come_before_what_they_are_multiplied_by(stiff):
    stays(recurrences.held_by_a_spring, 0.5, 0.5, 0.3, 0.4, stiff, 40)


def test_equal_cotangents_stay_equal():
    """No sum of products with them rounds otherwise for one of them than for the other."""
    pytest.importorskip("numba")
    gradient = ad.grad(recurrences.what_one_loses_the_other_gains, (0, 1, 2, 3), backend="numba")
    for ill in (1e-6, 1e-12, 1e-15):
        assert gradient(1.0, ill, 3.0, 0.3, 200) == (1.0, 1.0, 0.0, 0.0)


def test_what_is_too_small_for_a_number_is_not_in_between():
    stays(recurrences.small_and_large_by_turns, 1e-200, 1e180, 1e-180, 40)
