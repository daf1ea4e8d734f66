"""Values that may be None: numbers, arrays, tuples and attributes, and tests that tell which."""

import numpy as np


def _square_above(v, limit):
    return v * v if v > limit else None


def _bracketed(v, limit):
    if v > limit:
        return None
    low, high = v, v + 1.0
    for _ in range(4):
        middle = 0.5 * (low + high)
        if middle * middle > 2.0:
            high = middle
        else:
            low = middle
    return low * high


def left_early(x, limit):
    total = x[0]
    for v in x:
        r = _square_above(v, limit)
        if r is None:
            continue
        total += r * total
    for v in x:
        r = _square_above(v, limit - 0.4)
        if r is None:
            break
        total -= r
    return total


def clipped(x, limit, limited):
    high = -limit if limited else None
    total = 0.0
    for v in x:
        u = v
        if high is not None and u > high:
            u = high
        total += u * v
    return total


class Controller:
    def __init__(self, high, low=None):
        self.high, self.low = high, low
        self.sum, self.last = 0.0, None

    def step(self, u):
        self.sum += u
        if self.high is not None and self.sum > self.high:
            self.sum = self.high
        if self.low is not None and self.sum < self.low:
            self.sum = self.low
        change = 0.0 if self.last is None else u - self.last
        self.last = u
        return self.sum + change * change


def attributes_or_none(x, limit):
    control = Controller(2 * limit if limit > 0.5 else None, limit if limit < 0.5 else None)
    total = 0.0
    for v in x:
        total += control.step(v) * v
    return total if control.last is None else total * control.last


def tuples_or_none(x, limit):
    def found(v):
        return (v * v, v + 1.0, 2) if v > limit else None

    total = 0.0
    for v in x:
        r = found(v)
        if r:
            total += r[0] * r[1] * r[2]
        if r is not None:
            a, b, _ = r
            total += a / b
    return total


def best_of_some(x, limit):
    best, where = None, None
    for i, v in enumerate(x):
        if v > limit and (best is None or v * v > best):
            best, where = v * v, i
    if best is None:
        return np.sum(x**2)
    return best**2 * x[where]


def best_of_a_while(x, n):
    best = None
    k = 0
    while k < n:
        u = np.sin(2.0 * x[k])
        if not (best is not None and u <= best):
            best = u
        k += 1
    return best * x[0] if best is not None else x[1] ** 3


def _scaled(v, scale=None, offset=None):
    if scale is None:
        scale = 2.0
    if offset is not None:
        v = v + offset
    return v * scale


def default_arguments(x, limit):
    total = 0.0
    for v in x:
        total += _scaled(v, v * v if v > limit else None) * _scaled(v, offset=None if v > limit else v**3)
    return total


def handed_on_or_none(x, limit):
    def outer(v):
        r = _square_above(v, limit)
        return None if r is None else np.exp(-r)

    total = x[0]
    for v in x:
        q = outer(v)
        if q is not None:
            total += q * total
        else:
            total -= v
    return total


def from_dicts(x, keys):
    squares = {i: v * v for i, v in zip(range(3), x)}
    total = 0.0
    for k in keys:
        r = squares.get(k)
        if r is not None:
            total += r * x[0]
        if r is None:
            total -= x[1] ** 2
    return total


def two_at_once(x, limit):
    before, total = None, 0.0
    for v in x:
        here = _square_above(v, limit)
        if before is not None and here is not None:
            total += before * here
        elif here is not None:
            total += here
        elif before is None:
            total -= v**3
        before = here
    return total


def optional_kept_in_a_list(x, limit):
    values = [_square_above(v, limit) for v in x]
    total = x[0]
    for r in values:
        if r is None:
            break
        total += r * r
    return total


def named_tests(x, limit):
    total = 0.0
    for v in x:
        r = _square_above(v, limit)
        there = r is not None
        if there:
            total += r
        missing = not there
        if not missing and r > 1.0:
            total += r * r
        if r is None or r < 2.0:
            total += v
        else:
            total += r**3
        if (again := _square_above(v, 1.0)) is not None:
            total += again * total
        total += _square_above(v, limit + 0.1) or 0.25
    return total


def loops_within(x, limit):
    total = 0.0
    for v in x:
        r = _bracketed(v, limit)
        if r is None:
            total += v
            continue
        while r > 2.0:
            r = r * 0.5
        for u in x:
            total += r * u
    return total


def captured_array(x, limit):
    mask = x**2 if limit > 0.5 else None

    def masked(z):
        return z * mask if mask is not None else z

    total = 0.0
    for k in range(3):
        total += np.sum(masked(x * k))
    return total + np.sum(masked(x) ** 2)


def used_without_a_test(x, limit):
    squares = []
    for v in x:
        squares.append(_square_above(v, limit))
    total, largest = 1.0, None
    for i in range(len(x)):
        if x[i] > limit:
            total += squares[i] * total
            largest = squares[i] if largest is None else largest
            total -= largest / 3.0
    return total


_X = np.array([1.3, 0.7, 2.1])

def whole_or_none_before_a_loop(x, start, n):
    a, b, c = (None, 1, np.arange(3)) if start > 1.0 else (2, None, True) if start > 0.0 else (np.int64(3), False, None)
    for _ in range(n):
        a = x if a is None else a * x
        b = np.sin(x) if b is None else np.cos(b) + x * 0.5
        if c is None:
            c = x[0] * x
        elif start < 5.0:
            c = c * x - 1.0
    while n > 0 and a is not None:
        n -= 1
        a = a / 2 + abs(a) * x
    return np.sum((0.0 if a is None else a) * x) + (0.0 if b is None else np.sum(b) * np.sum(c * x))


def whole_or_none_in_a_list(x, start):
    items = [None if start > 1.0 else 2, 3 if start > 1.0 else None, x]
    for i in range(2):
        if items[i] is None:
            items[i] = x
        else:
            items[i] = items[i] * x + items[2]
    return np.sum(items[0] * items[1])


def number_none_or_array(x, limit):
    r = None if x[2] > limit else x[0]
    if r is None:
        r = x
    elif x[0] > 0:
        r = r * x
    return np.sum(r * x)


SAMPLES = {
    "whole_or_none_before_a_loop": [(_X, 2.0, 2), (_X, 0.5, 3), (_X, -1.0, 1), (_X, 9.0, 0)],
    "whole_or_none_in_a_list": [(_X, 2.0), (_X, 0.5)],
    "number_none_or_array": [(_X[:3], 9.0), (_X[:3], -9.0)],
    "left_early": [(_X, 1.0), (_X, 0.0), (_X, 9.0)],
    "clipped": [(_X, -0.9, True), (_X, -0.9, False)],
    "attributes_or_none": [(_X, 0.9), (_X, 0.1)],
    "tuples_or_none": [(_X, 1.0), (_X, 9.0)],
    "best_of_some": [(_X, 1.0), (_X, 9.0)],
    "best_of_a_while": [(_X, 3), (_X, 0)],
    "default_arguments": [(_X, 1.0), (_X, 9.0)],
    "handed_on_or_none": [(_X, 1.0), (_X, 9.0)],
    "from_dicts": [(_X, [0, 5, 1]), (_X, [7])],
    "two_at_once": [(_X, 1.0), (_X, 9.0), (_X, 0.0)],
    "optional_kept_in_a_list": [(_X, 1.0), (_X, 0.0)],
    "used_without_a_test": [(_X, 1.0), (_X, 9.0)],
    "named_tests": [(_X, 1.0), (_X, 9.0)],
    "loops_within": [(_X, 1.0), (_X, 9.0)],
    "captured_array": [(_X, 1.0), (_X, 0.0)],
}
