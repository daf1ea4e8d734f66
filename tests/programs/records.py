"""Lists of tuples and of lists that are chosen at run time, sorted, compared, put together and taken apart."""

import numpy as np


def record_by_number(records, i):
    return records[i][0] ** 2 * records[0][1]


def records_in_a_loop(records):
    total = 0.0
    for i in range(len(records)):
        total += records[i][0] * records[i][1]
    return total


def records_sorted(records):
    points = sorted(records)
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        area += (x1 - x0) * (y0 + y1) / 2.0
    return area


def records_sorted_twice(records):
    return sorted(records)[0][0] ** 2 * sorted(records, key=lambda r: r[1])[1][1]


def lists_sorted(a, b):
    rows = [[a, b], [a * b, 0.5], [b, a]]
    return sorted(rows)[0][0] ** 2 * sorted(rows, reverse=True)[0][1]


def greatest_record(a, b):
    return max((a, 1.0), (b, 2.0))[0] * min([(a, b), (b, a), (a * b, a)])[1]


def greatest_of_enumerate(x):
    i, v = max(enumerate(x), key=lambda pair: pair[1])
    w, j = min((w, j) for j, w in enumerate(x))
    return v**2 * i + w**3 * j


def greatest_of_zip(x, y):
    return max(zip(x, y))[1] + min(zip(x, y), key=lambda pair: pair[1])[0] ** 2


def number_of_the_greatest(x):
    i = max(range(len(x)), key=lambda k: x[k])
    j = min(range(3), key=x.__getitem__)
    return x[i] ** 2 * x[j]


def extremes_without_key(x):
    return max(x, key=None) * min(x[0], x[1], key=None)


RECORDS = [(1.0, 2.0), (0.5, 1.2), (3.0, -1.0)]
X, Y = np.array([0.3, 1.7, 1.2]), np.array([1.0, -0.5, 0.4])
class Halved:
    """Its attributes are deleted by methods."""

    def __init__(self, v):
        self.v = v

    @property
    def half(self):
        return self.v / 2.0

    @half.deleter
    def half(self):
        self.v = self.half


class Counting(Halved):
    def __delattr__(self, name):
        object.__setattr__(self, "gone", getattr(self, "gone", 0) + 1)
        super().__delattr__(name)


class Squared:
    def __get__(self, owner, cls=None):
        return owner.raw**2

    def __set__(self, owner, value):
        owner.raw = value

    def __delete__(self, owner):
        owner.raw = owner.raw * 3.0


class Described:
    value = Squared()


def attributes_deleted_by_methods(x):
    first, second, third = Halved(x), Counting(x**2), Described()
    third.value = x
    del first.half, second.half, third.value
    delattr(second, "half")
    y = first.v * second.v * third.value
    del first.v
    first.v = y + 1.0
    return first.half * second.gone


SAMPLES = {
    "record_by_number": [(RECORDS, 1)],
    "records_in_a_loop": [(RECORDS,)],
    "records_sorted": [(RECORDS,)],
    "records_sorted_twice": [(RECORDS,)],
    "lists_sorted": [(1.2, 0.4)],
    "greatest_record": [(0.3, 0.8)],
    "greatest_of_enumerate": [(X,)],
    "greatest_of_zip": [(X, Y)],
    "number_of_the_greatest": [(X,)],
    "extremes_without_key": [(X,)],
    "attributes_deleted_by_methods": [(0.7,)],
}
