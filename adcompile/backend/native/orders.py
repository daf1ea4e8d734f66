"""What kernels call: orders of numbers, and places among them.

Where NumPy leaves an order open (of equal numbers, unless it sorts stably), and of what is no number, kernels are left.
"""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np

from adcompile.backend.native.helper import helper
from adcompile.runtime.native import Fault

NEAR = 8
"""How far NumPy looks for the next place in a table before it looks at all of it."""


FEW = 16
"""Numbers that are sorted by putting each into its place, without memory for merging."""


@helper
def few_in_order(a):
    """The places of a few numbers in their order, which is stable."""
    n = a.shape[0]
    out = np.empty(n, np.int64)
    for k in range(n):
        j = k
        while j > 0 and a[out[j - 1]] > a[k]:
            out[j] = out[j - 1]
            j -= 1
        out[j] = k
    return out


@helper
def sorted_numbers(a):
    """`np.sort(a)` of a vector."""
    for v in a:
        if v != v:
            raise Fault
    return a[few_in_order(a)] if a.shape[0] <= FEW else np.sort(a.copy())


@helper
def median_of(a):
    """`np.median(a)` of a vector that is not empty."""
    n = a.shape[0]
    if n == 0:
        raise Fault
    ranked = sorted_numbers(a)
    if n % 2:
        return ranked[n // 2]
    middle = (ranked[n // 2 - 1] + ranked[n // 2]) / 2.0
    if middle != middle:
        raise Fault
    return middle


@helper
def order_of(a, stable):
    """`np.argsort(a)` of a vector."""
    out = few_in_order(a) if a.shape[0] <= FEW else np.argsort(a.copy(), kind="mergesort")
    for k in range(1, a.shape[0]):
        before, v = a[out[k - 1]], a[out[k]]
        if not (before < v or stable and before == v):
            raise Fault
    return out


@helper
def sort_order(items, reverse, dtype):
    """The positions of numbers in the order in which `sorted` returns them, which is stable."""
    n = len(items)
    a = np.empty(n, dtype)
    for k in range(n):
        a[n - 1 - k if reverse else k] = items[k]
    order, out = order_of(a, True), [0]
    out.pop()
    for k in range(n):
        out.append(n - 1 - order[n - 1 - k] if reverse else order[k])
    return out


@helper
def is_before(a, b):
    """Whether NumPy sorts `a` in front of `b`: nan comes last."""
    return a < b or b != b and a == a


@helper
def place_in(a, v, right):
    """`np.searchsorted(a, v)` of a number."""
    low, high = 0, a.shape[0]
    while low < high:
        middle = low + ((high - low) >> 1)
        if (not is_before(v, a[middle])) if right else is_before(a[middle], v):
            low = middle + 1
        else:
            high = middle
    return low


@helper
def places_in(a, values, right):
    """`np.searchsorted(a, values)` of a vector."""
    for k in range(1, a.shape[0]):
        if is_before(a[k], a[k - 1]):
            raise Fault  # what NumPy gives depends on the value before
    out = np.empty(values.shape[0], np.int64)
    for k in range(values.shape[0]):
        out[k] = place_in(a, values[k], right)
    return out


@helper
def nonzero(a):
    """The places of the elements of a vector that are not zero."""
    count = 0
    for v in a:
        if v != 0:
            count += 1
    out = np.empty(count, np.int64)
    count = 0
    for k in range(a.shape[0]):
        if a[k] != 0:
            out[count] = k
            count += 1
    return out


@helper
def cells(a):
    """The rows and columns of the elements of a matrix that are not zero."""
    count = 0
    for v in a.flat:
        if v != 0:
            count += 1
    out = np.empty((count, 2), np.int64)
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                out[count, 0], out[count, 1] = i, j
                count += 1
    return out


@helper
def interval(x, table, guess):
    """Where NumPy finds a number in a table to interpolate in: -1 in front of it, its length behind it."""
    n = table.shape[0]
    if x > table[n - 1]:
        return n
    if x < table[0]:
        return -1
    low, high = 0, n
    if n > 4:
        guess = max(min(guess, n - 3), 1)
        if x < table[guess]:
            if x >= table[guess - 1]:
                return guess - 1
            high = guess - 1
            if guess > NEAR and x >= table[guess - NEAR]:
                low = guess - NEAR
        else:
            if x < table[guess + 1]:
                return guess
            if x < table[guess + 2]:
                return guess + 1
            low = guess + 2
            if guess < n - NEAR - 1 and x < table[guess + NEAR]:
                high = guess + NEAR
    while low < high:
        middle = low + ((high - low) >> 1)
        if x >= table[middle]:
            low = middle + 1
        else:
            high = middle
    return low - 1


@helper
def between(x, table, values, j):
    """The value at a number that lies in the interval `j` of a table, in NumPy's steps."""
    n = table.shape[0]
    if j < 0:
        return values[0]
    if j >= n - 1:
        return values[n - 1]
    if table[j] == x:
        return values[j]
    slope = (values[j + 1] - values[j]) / (table[j + 1] - table[j])
    y = slope * (x - table[j]) + values[j]
    if y != y:
        y = slope * (x - table[j + 1]) + values[j + 1]
        if y != y and values[j] == values[j + 1]:
            y = values[j]
    return y


@helper
def interpolated(x, table, values):
    """`np.interp(x, table, values)` of a number."""
    if table.shape[0] == 0 or table.shape[0] != values.shape[0]:
        raise Fault
    if table.shape[0] == 1:
        return values[0]
    return x if x != x else between(x, table, values, interval(x, table, 0))


@helper
def all_interpolated(xs, table, values):
    """`np.interp(xs, table, values)` of a vector."""
    if table.shape[0] == 0 or table.shape[0] != values.shape[0]:
        raise Fault
    out, j = np.empty(xs.shape[0]), 0
    for k in range(xs.shape[0]):
        if table.shape[0] == 1:
            out[k] = values[0]
        elif xs[k] != xs[k]:
            out[k] = xs[k]
        else:
            j = interval(xs[k], table, j)
            out[k] = between(xs[k], table, values, j)
    return out
