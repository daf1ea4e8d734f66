"""Elements that arrays name, read and written in loops of kernels."""

import numpy as np
import pytest

from tests.kernels import agree, text_of, wholly

X, Y = np.array([0.4, -1.2, 0.7, 2.1, -0.3]), np.array([1.5, -0.2, 0.8])
A = np.linspace(-1.0, 1.3, 15).reshape(5, 3)
PLACES, APART = np.array([1, -1, 1]), np.array([2, -5, 3])


def gathered(x, y, places):
    s = 0.0
    for k in range(3):
        z = x[places] * (k + 1.0)
        s += np.sum(z * z * y)
    return s


def rows_gathered(a, y, places):
    s = 0.0
    for k in range(3):
        rows = a[places] - a[k]
        s += np.sum(rows * rows * y)
    return s


def permuted(x, y, places):
    for _ in range(3):
        y = np.sin(x[places]) * y[::-1]
        x = x * 0.9
    return np.sum(y)


def put(x, y, places):
    s = 0.0
    for k in range(2):
        z = x * (k + 1.0)
        z[places] = z[places] * y
        z[places] += y
        s += np.sum(z * z)
    return s


def numbers_put(x, y, places):
    s = 0.0
    for k in range(2):
        z = x * y[k]
        z[places] = y[1]
        z[places] += 0.5
        z[places] *= 2.0
        s += np.sum(z * x)
    return s


def rows_put(a, y, places):
    s = 0.0
    for k in range(2):
        b = a * y
        b[places] = y * (k + 2.0)
        s += np.sum(b * b)
    return s


def negative_ones_cut(x, y, places):
    s = 0.0
    for k in range(3):
        z = x * (k - 1.2)
        z[z < 0.0] = 0.1
        s += np.sum(z * z)
    return s * y[0]


def positive_ones_alone(x, y, places):
    s = 0.0
    for k in range(3):
        z = x * (k - 1.2)
        w = z[z > 0.0]
        s += np.sum(w * w) * y[k]
    return s


def added_where(x, y, places):
    s = 0.0
    for k in range(3):
        z = x * y[k]
        z[x > 0.0] += x[x > 0.0]
        s += np.sum(z * z)
    return s


VECTORS = [gathered, permuted, put, numbers_put, negative_ones_cut, positive_ones_alone, added_where]


@pytest.mark.parametrize("function", VECTORS)
def test_elements(function):
    places = APART if function in (put, numbers_put) else PLACES
    wholly(function, X, Y, places)
    agree(function, X[::-1], -Y, places[::-1].copy())


def some_rows_put(a, y, places):
    s = 0.0
    for k in range(2):
        b = a * y
        b[places] = b[places] * (k + 2.0)
        b[places] += a[places]
        s += np.sum(b * b)
    return s


@pytest.mark.parametrize("function", [rows_gathered, some_rows_put])
def test_rows(function):
    wholly(function, A, Y, APART)
    agree(function, A[::-1], Y, APART)
    agree(function, A, Y, PLACES)
    agree(rows_put, A, Y, APART)


@pytest.mark.parametrize("function", VECTORS[:-3])
@pytest.mark.parametrize("places", [[1, 5, 0], [-6, 0, 1], [0, 1], [0, 1, 2, 3], []], ids=str)
def test_places_that_are_not_there(function, places):
    agree(function, X, Y, np.array(places, np.int64))


@pytest.mark.parametrize("function", [put, numbers_put])
def test_places_that_come_twice(function):
    agree(function, X, Y, PLACES)


def test_loops_are_kernels():
    for function in (gathered, permuted, negative_ones_cut, positive_ones_alone):
        text_of(function, X, Y, PLACES)


def test_no_number_and_another_type():
    agree(gathered, np.array([np.nan, np.inf, 1.0, -np.inf, 0.0]), Y, PLACES)
    agree(gathered, X.astype(np.float32), Y, PLACES)
    agree(gathered, X, Y, PLACES.astype(np.int32))


def mask_of_another_length(x, y, mask):
    s = 0.0
    for _ in range(2):
        s += np.sum(x[mask] * 2.0)
    return s


def test_masks():
    for mask in (X > 0, X > 5, Y > 0, np.ones(6, bool)):
        agree(mask_of_another_length, X, Y, mask)


SMALL = np.array([0, 2, 3, 2], np.int32)
STARTS, COLUMNS = np.array([0, 2, 3, 5, 6], np.int32), np.array([1, 3, 0, 2, 3, 1], np.int32)
VALUES, V = np.linspace(0.3, 1.4, 6), np.linspace(-0.5, 0.8, 4)


def product_of_rows_in_turn(values, columns, starts, v):
    y = np.zeros(len(v))
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            y[i] += values[j] * v[columns[j]]
    return np.sum(y * y)


def product_of_parts(values, columns, starts, v):
    y = np.zeros(len(v))
    for i in range(len(starts) - 1):
        a, b = starts[i], starts[i + 1]
        y[i] = np.dot(values[a:b], v[columns[a:b]])
    return np.sum(y * y)


def added_at_small_places(x, places, n):
    s = 0.0
    for k in range(n):
        x[places] += 0.5 * x[k]
        np.add.at(x, places, 0.1)
        s += np.sum(x[places] ** 2) * x[places[k]]
        if places[k] > 1:
            s += x[k]
    for i in places:
        s += x[i] ** 2
    return s


def arithmetic_of_small_integers(x, places, n):
    s = 0.0
    for k in range(n):
        s += x[k] * (places[k] * 1000000)
    return s


def written_small_integers(x, places, n):
    counts = np.zeros(4, np.int32)
    for k in range(n):
        counts[k] = places[k]
        counts += 1
    return np.sum(x[counts[:n] % 4] * x[0])


def test_places_as_libraries_have_them():
    wholly(product_of_rows_in_turn, VALUES, COLUMNS, STARTS, V)
    wholly(product_of_parts, VALUES, COLUMNS, STARTS, V)
    wholly(added_at_small_places, X, SMALL, 3)
    agree(added_at_small_places, X, np.array([0, 7], np.int32), 2)
    for places in (SMALL, np.array([5000, 3000, 2], np.int32)):
        agree(arithmetic_of_small_integers, X, places, 3)
    agree(written_small_integers, X, SMALL, 3)
