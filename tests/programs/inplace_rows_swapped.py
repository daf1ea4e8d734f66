"""Rows and columns named by lists and arrays of places: exchanged, written, and read where these places change."""

import numpy as np


def eliminated_by_the_largest(a):
    n, total = len(a), 0.0
    for k in range(n - 1):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
    for k in range(n):
        total += np.log(np.abs(a[k, k]))
    return total


def parts_of_rows_exchanged(a):
    n = len(a)
    for k in range(n - 1):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, p], k:] = a[[p, k], k:]
        a[k + 1 :, k:] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k:])
    return np.sum(np.log(np.abs(np.diag(a))))


def columns_exchanged(a):
    total = 0.0
    for k in range(3):
        a[:, [k, k + 1]] = a[:, [k + 1, k]] * 1.1
        a[1:, [0, k]] += 0.5
        total += np.sum(a[1:3, [0, k]] ** 2)
        a[[k, 3], :2] *= np.sin(a[[3, 0], 2:])
    return total + np.sum(a * a)


def places_that_change(a):
    """The places are written between two uses, and the list that names some is, too."""
    places, named, total = np.array([0, 1]), [1, 2], 0.0
    for k in range(3):
        total += np.sum(a[places, k:] ** 2) * (k + 1.0) + np.sum(np.cos(a[named]))
        a[places, :2] *= 1.5
        places[0] = k + 1
        named[1] = k
        a[:, named] = a[:, named] ** 2
    return total + np.sum(a)


def one_place_twice(a):
    """Of two values for one place the last one stays."""
    for k in range(3):
        a[[k, k]] = a[[0, 3]] * 2.0
        a[:, [k, 1, k]] = np.sin(a[:, [0, 2, 3]])
        a[[k, k]] += a[[1, 2]]
    return np.sum(a * a)


def lists_of_truth_values(a):
    keep = [True, False, True, True]
    for k in range(2):
        a[keep] = a[keep] * 1.1
        a[[0, -1]] = a[[True, False, False, True]] ** 2
    return np.sum(a[[0, 1]] * a[[-1, 2]]) + np.sum(a[:, [True, False, True, False]])


def elements_named_by_two_arrays(a):
    """Rows and columns of elements, some of which come twice; the arrays change on the way."""
    rows, columns, total = np.array([0, 2, 2, -1]), np.array([1, 1, 1, 3]), 0.0
    for k in range(3):
        total += np.sum(a[rows, columns] ** 2) * (k + 1.0)
        a[rows, columns] += 0.5 * a[columns, rows]
        np.add.at(a, (rows, columns), a[0])
        a[[0, k], [k, 3]] *= a[[1, 2], [-1, 0]]
        rows[0] = k
        columns = columns[::-1].copy()
        a[columns, rows] = a[rows, rows] * 0.9
    return total + np.sum(a * a)


_A = np.random.default_rng(17).uniform(0.3, 1.2, (4, 4))

SAMPLES = {
    "eliminated_by_the_largest": [(_A,)],
    "parts_of_rows_exchanged": [(_A,)],
    "columns_exchanged": [(_A,)],
    "places_that_change": [(_A,)],
    "one_place_twice": [(_A,)],
    "lists_of_truth_values": [(_A,)],
    "elements_named_by_two_arrays": [(_A,)],
}
