"""Python's integers in kernels."""

import math

import numpy as np
import pytest

pytest.importorskip("numba")

from adcompile.backend.native import integers as nt
from adcompile.runtime.native import Fault
from tests.kernels import agree, wholly

WORDS = [0, 1, -1, 7, -7, 2**31, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod"])
def test_integers_are_right_or_leave(name):
    plain = {
        "add": int.__add__,
        "sub": int.__sub__,
        "mul": int.__mul__,
        "floordiv": int.__floordiv__,
        "mod": int.__mod__,
    }
    for a in WORDS:
        for b in WORDS:
            try:
                got = getattr(nt, name)(a, b)
            except Fault:
                small = abs(a) < 2**31 and abs(b) < 2**31 and not (name in ("floordiv", "mod") and b in (0, -1))
                assert not small
                continue
            assert got == plain[name](a, b)


def test_powers_of_integers():
    assert [nt.power(3, n) for n in range(5)] == [1, 3, 9, 27, 81]
    for a, n in ((3, 60), (2, -1)):
        with pytest.raises(Fault):
            nt.power(a, n)


@pytest.mark.parametrize("name", ["comb", "perm", "gcd"])
def test_functions_of_two_integers_are_right_or_leave(name):
    for a in (*range(-3, 30), 61, 62, 10**6):
        for b in (*range(-3, 30), 61, 10**6):
            try:
                got = getattr(nt, name)(a, b)
            except Fault:
                assert name != "gcd" and (min(a, b) < 0 or getattr(math, name)(a, b) > 2**56)
                continue
            assert got == getattr(math, name)(a, b)


def test_factorials():
    assert [nt.factorial(n) for n in range(20)] == [math.factorial(n) for n in range(20)]
    for n in (-1, 25):
        with pytest.raises(Fault):
            nt.factorial(n)


def bernstein(x, coefficients):
    """A polynomial by its coefficients in Bernstein's basis."""
    n, s = len(coefficients) - 1, 0.0
    for k in range(n + 1):
        s += coefficients[k] * math.comb(n, k) * x**k * (1.0 - x) ** (n - k)
    return s


def series(x, n):
    s = 0.0
    for k in range(n):
        s += x**k / math.factorial(k) + math.gcd(k, 6) * math.perm(n, k) * x * 1e-3
    return s


def of_what_is_negative(x, n):
    s = 0.0
    for k in range(3):
        s += math.comb(n, k) * x + math.factorial(n + k)
    return s


def test_functions_of_integers():
    coefficients = np.array([0.3, -0.7, 1.1, 0.4, 2.0])
    wholly(bernstein, 0.3, coefficients)
    wholly(series, 0.7, 9)
    agree(series, 0.7, 30)  # beyond a word
    assert agree(of_what_is_negative, 0.7, -2) is ValueError
