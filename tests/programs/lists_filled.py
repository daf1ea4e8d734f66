"""Lists of lists, dicts of lists and sets that are filled as the code runs with what carries no derivative."""

from collections import defaultdict

import numpy as np


def _close(x, reach):
    near = [[] for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if abs(x[i] - x[j]) < reach:
                near[i].append(j)
    return near


def _total(x, near):
    energy = 0.0
    for i, row in enumerate(near):
        for j in row:
            energy += x[i] * x[j] * len(row)
    return energy


def neighbours_in_lists(x):
    near = _close(x, 0.5)
    forces = np.zeros_like(x)
    for i in range(len(x)):
        for j in near[i]:
            forces[i] += x[i] - x[j]
            forces[j] -= x[i] - x[j]
    return _total(x + 0.1 * forces, near)


def rebuilt_after_reads(x, steps):
    energy = 0.0
    near = _close(x, 0.3)
    for step in range(steps):
        if step % 2:
            near = _close(x, 0.2 * step)
        energy += _total(x, near)
        x = x * 1.1
        for row in near:
            row.clear()
    return energy


def other_names(x):
    near = _close(x, 0.9)
    first = near[0]
    first.append(0)
    near[1], near[2] = near[2], [len(x) - 1]
    near.append(first)
    first.append(1)
    rest = [row[:] for row in near]
    rest[0].append(2)
    return _total(x, near[:3]) + sum(x[j] ** 2 for row in rest for j in row)


def shorter_and_longer(x):
    rows = [[] for _ in range(len(x))]
    for i in range(len(x)):
        rows[i].extend(range(len(x)))
        del rows[i][0]
        rows[i].insert(0, i)
        rows[i] += [i, 0]
        rows[i].sort()
    energy = 0.0
    for i, row in enumerate(rows):
        for k, j in enumerate(reversed(row)):
            if j == 2 and k > 1:
                break
            energy += x[i] * x[j]
        while len(row) > 1:
            energy += x[row.pop()] ** 2 * max(row) * row.count(0)
    return energy


def read_before_it_is_filled(x):
    rows = [[] for _ in range(len(x))]
    energy = 0.0
    for step in range(3):
        for i, row in enumerate(rows):
            for j, weight in row:
                energy += x[i] * x[j] * weight
        if step:
            energy += x[rows[0][0][0]]
        for i in range(len(x)):
            rows[i].append(((2 * i) % len(x), step + 1))
    return energy


def captured(x):
    rows = [[] for _ in range(len(x))]

    def link(i, j):
        rows[i].append(j)

    def linked(i):
        return rows[i]

    for i in range(len(x) - 1):
        link(i, i + 1) if x[i] > x[i + 1] else link(i + 1, i)
    return sum(x[i] ** 2 * x[j] for i in range(len(x)) for j in linked(i))


def breadth_first(x):
    links = [[] for _ in range(len(x))]
    for i in range(len(x) - 1):
        links[i].append(i + 1)
        links[i + 1].append(i)
    waiting, seen, result = [[0]], {0}, x[0]
    while waiting[0]:
        here = waiting[0].pop(0)
        for there in links[here]:
            if there not in seen:
                seen.add(there)
                waiting[0].append(there)
                result = result + x[here] * x[there] * len(seen)
    return result


def cells(x):
    found = {}
    for i in range(len(x)):
        found.setdefault((int(x[i] * 3), i % 2), []).append(i)
    energy = 0.0
    for (a, b), here in found.items():
        for step in (-1, 0, 1):
            for j in found.get((a + step, b), []):
                for i in here:
                    energy += x[i] * x[j] * (a + b + 1)
    for key in sorted(found):
        energy = 0.5 * energy + x[found[key][-1]]
    return energy


def sets_by_default(x):
    near = defaultdict(set)
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j and abs(x[i] - x[j]) < 0.6:
                near[i].add(j)
    energy = 0.0
    for i, others in near.items():
        for j in sorted(others & near[0]):
            energy += x[i] * x[j] ** 2
        for j in sorted(others):
            energy += x[i] * x[j]
    return energy


def a_set_that_grows(x):
    found = {0, 1}
    for i in range(len(x)):
        found.add(i)
    return x[0] ** 2 * x[2] if 2 in found else x[0]


def tests_of_what_grows(x):
    rows, found, table = [[] for _ in range(len(x))], set(), {}
    result = x[1]
    for i in range(len(x)):
        if rows[0] and x[0] > 0.1:
            result = result * x[0] ** 2
        if found:
            result = result + x[i] ** 2
        if table:
            result = result * x[1] * table[0]
        for j in rows[1]:
            result += x[j] * rows[1][0]
            rows[1][0] += 1
        table[i // 2] = i + 1
        found.add(i)
        rows[i % 2].append(i)
    return result


class Grid:
    def __init__(self, n):
        self.cells = [[] for _ in range(n)]
        self.where = {}

    def add(self, k, i):
        self.cells[k % len(self.cells)].append(i)
        self.where[i] = k

    def beside(self, i):
        return self.cells[self.where[i] % len(self.cells)]


def in_an_object(x):
    grid = Grid(3)
    for i in range(len(x)):
        grid.add(int(x[i] * 5), i)
    energy = 0.0
    for i in range(len(x)):
        for j in grid.beside(i):
            if j > i:
                energy += (x[i] - x[j]) ** 2 + x[j]
    return energy


def written_beside_lists_of_floats(x):
    """The lists that are written into hold whole numbers: those of floats are not among them."""
    places, powers = [], []
    for i in range(len(x)):
        row, column = [], []
        for j in range(len(x)):
            row.append(x[i] ** (j + 1))
            column.append((i + j) % len(x))
        powers.append(row)
        places.append(column)
    places[int(x[0] * 3)][1] = 2
    places[2].append(places[1][1])
    total = 0.0
    for i in range(len(x)):
        for k in places[i]:
            total += powers[k][i] * x[k]
    return total


def read_from_the_end(x, k):
    x, items, s = x * 1.0, [], 0.0
    for i in range(len(x)):
        items.append(x[i] * x[0])
        x[i] *= items[-1]
        s += items[i - k] * x[i] + items[-1]
    return s * items[-k]


def masks_gone_through(x, w):
    masks = []
    s = x * 1.0
    for k in range(len(w)):
        mask = s > 0.0
        masks.append(mask)
        s = np.where(mask, s * w[k], np.cos(s))
    total = 0.0
    for mask in masks:
        total += np.sum(np.where(mask, s, x))
    return total


_X = np.array([0.62, 0.77, 1.31, 0.5, 0.98])

SAMPLES = {
    "masks_gone_through": [(np.array([0.3, -0.2, 0.5]), np.array([0.5, -0.2]))],
    "neighbours_in_lists": [(_X,), (_X[:3],)],
    "rebuilt_after_reads": [(_X, 4)],
    "other_names": [(_X,)],
    "shorter_and_longer": [(_X,)],
    "read_before_it_is_filled": [(_X,)],
    "captured": [(_X,)],
    "breadth_first": [(_X,)],
    "cells": [(_X,)],
    "sets_by_default": [(_X,)],
    "a_set_that_grows": [(_X,)],
    "tests_of_what_grows": [(_X,)],
    "written_beside_lists_of_floats": [(_X,), (_X[1:],)],
    "in_an_object": [(_X,)],
    "read_from_the_end": [(_X, 0), (_X, 1)],
}
