"""What loops keep, in kernels."""

import math

import numpy as np
import pytest

from tests.kernels import agree, agree_pulled, agree_pushed, parts_of, text_of
from tests.programs import collect

A = np.array([0.5, 1.5, -0.7, 2.0])


def kept_numbers(x, n):
    for _ in range(n):
        x = math.sin(x) * x
    return x


def kept_lists(x, n):
    s = 0.0
    for i in range(n):
        y = x
        k = 0
        while y > 0.1 and k < i:
            y = y * math.cos(y)
            k += 1
        s += y
    return s


def kept_deeper(a):
    s = 0.0
    for i in range(3):
        for j in range(i):
            y = a[j]
            for _ in range(j + 1):
                y = y * y + 0.1
            s += y * a[i]
    return s


def kept_arrays(a):
    b = a * 1.0
    for i in range(3):
        b = b * b + a[i]
    return np.sum(b)


def kept_on_one_path(a):
    s = 0.0
    for i in range(4):
        if a[i] > 0.0:
            s += math.exp(a[i]) * s + 1.0
        else:
            s = s * s
    return s


def test_numbers():
    assert "_words[0], np.float64)" in text_of(kept_numbers, 0.5, 3)
    for n in (0, 1, 20):
        agree(kept_numbers, 0.5, n)


def test_lists_of_lists_are_parts_of_one_array():
    assert "_start" in text_of(kept_lists, 0.9, 5)
    agree(kept_lists, 0.9, 5)
    agree(kept_deeper, A)


def test_arrays():
    agree(kept_arrays, A)


def test_what_is_there_on_one_path():
    agree(kept_on_one_path, A)


def user_s_own_list(x):
    items = [x, x * x]
    for k in range(3):
        items.append(items[k] * x)
    return items[-1]


def test_lists_that_are_read_too_are_lists():
    text = text_of(user_s_own_list, 1.5)
    assert "items = [x, t]" in text and "nt.pushed(" in text
    agree(user_s_own_list, 1.5)


def of_a_list(items, x):
    for k in range(3):
        x = x * items[k]
    return x


def test_lists_from_elsewhere_come_as_arrays():
    items = [0.5 * k for k in range(40)]
    parts = parts_of(of_a_list, items, 1.5)
    assert parts.kernels and not parts.notes
    agree(of_a_list, items, 1.5)
    agree(of_a_list, [0.5, 2, *items], 1.5)


@pytest.mark.parametrize("program", collect("lists_filled"), ids=lambda p: p.name)
def test_lists_in_each_mode(program):
    agree_pushed(program.function, *program.args)
    agree_pulled(program.function, *program.args)
