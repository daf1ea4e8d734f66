"""Integers of Python in kernels, which have no bound: what does not fit into a word leaves the kernel."""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np

from adcompile.backend.native.helper import helper
from adcompile.runtime.native import Fault


@helper
def add(a, b):
    r = a + b
    if (a ^ r) & (b ^ r) < 0:
        raise Fault
    return r


@helper
def sub(a, b):
    r = a - b
    if (a ^ b) & (a ^ r) < 0:
        raise Fault
    return r


@helper
def mul(a, b):
    if abs(float(a)) * abs(float(b)) > 4.0e18:
        raise Fault
    return a * b


@helper
def floordiv(a, b):
    if b == 0 or b == -1:
        raise Fault
    return a // b


@helper
def mod(a, b):
    if b == 0 or b == -1:
        raise Fault
    return a % b


@helper
def power(a, n):
    """`a ** n` for integers that stay ones."""
    if n < 0:
        raise Fault
    r = 1
    for _ in range(n):
        if abs(float(a)) * abs(float(r)) > 4.0e18:
            raise Fault
        r *= a
    return r


@helper
def whole(x):
    """`int(x)`."""
    if not abs(x) < 4.0e18:
        raise Fault
    return np.int64(x)


# -- functions of `math` ---------------------------------------------------------------------------


@helper
def comb(n, k):
    """`math.comb(n, k)`."""
    if n < 0 or k < 0:
        raise Fault
    if k > n:
        return 0
    r = 1
    for i in range(min(k, n - k)):
        r = mul(r, n - i) // (i + 1)
    return r


@helper
def perm(n, k):
    """`math.perm(n, k)`."""
    if n < 0 or k < 0:
        raise Fault
    if k > n:
        return 0
    r = 1
    for i in range(k):
        r = mul(r, n - i)
    return r


@helper
def factorial(n):
    return perm(n, n)


@helper
def gcd(a, b):
    if abs(float(a)) > 4.0e18 or abs(float(b)) > 4.0e18:
        raise Fault
    a, b = abs(a), abs(b)
    while b != 0:
        a, b = b, a % b
    return a
