"""Searches: `next` of a generator, loops over mixed items that end early, zips that are strict, and lists of an
array's numbers."""

import numpy as np


class _Spring:
    def __init__(self, rest, stiff):
        self.rest, self.stiff = rest, stiff

    def energy(self, u):
        return 0.5 * self.stiff * (u - self.rest) ** 2


def first_above(x, limit):
    return next(v * v for v in x if v > limit) * x[0]


def first_or_else(x, limit):
    return next((v * v for v in x if v > limit), x[1]) * x[0]


def first_or_none(x, limit):
    found = next((v for v in [u * u for u in x] if v > limit), None)
    return x[0] * x[1] if found is None else found * x[2]


def first_of_pairs(x, limit):
    return next(x[i] * x[j] for i in range(3) for j in range(i) if x[i] * x[j] > limit)


def first_of_objects(x, limit):
    springs = [_Spring(v, 2.0 * v) for v in x]
    chosen = next(s for s in springs if s.stiff > limit)
    return sum(s.energy(x[0]) for s in springs) * chosen.energy(x[2])


def first_row_is_written(x, limit):
    rows = [x * k for k in range(1, 4)]
    row = next((r for r in rows if r[0] > limit), rows[0])
    row[1] = x[2] ** 3
    return sum(r @ r for r in rows)


def first_names_hide_ours(x, limit):
    v = x[0] * x[1]
    found = next(v for v in x if v > limit)
    return v * found


def first_default_reads_ours(x, limit):
    v = x[0] * x[1]
    return next((v for v in x if v > 10.0 * limit + 10.0), v) * x[2]


def first_key_of_a_dict(x, limit):
    table = {"a": x[0], "b": x[1:], "c": x[0] * x[2]}
    name = next(k for k, v in table.items() if np.sum(v) > limit)
    return np.sum(table[name]) * len(name) * x[1]


def mixed_until(x, limit):
    s = x[0]
    for name, v in {"one": x[0], "all": x, "two": 2.0}.items():
        s = s * np.sum(v) + len(name)
        if s > limit:
            break
    else:
        s = s * x[1]
    return s


def mixed_that_returns(x, limit):
    for name, v in zip(("one", "all", "two"), (x[0], x, [x[1], x[2]])):
        t = np.sum(v)
        if t > limit:
            return t * len(name) * x[2]
    return x[0]


def mixed_with_lists(x, limit):
    kept = []
    for k, v in enumerate([x[0], x * x, (x[1], x[2])]):
        entry = [np.sum(v) * k]
        entry.append(x[1])
        entry[0] = entry[0] * x[0]
        kept.append(entry)
        if entry[0] > limit:
            break
    return sum(sum(entry) for entry in kept) * len(kept)


def mixed_in_a_loop(x, limit):
    s = 0.0
    for i in range(4):
        for k, v in {"a": x[0], "b": x[1:]}.items():
            t = np.sum(v) * i
            if k == "a" and t < limit:
                continue
            s = s + t * x[2]
            if t > limit:
                break
        s = s * 0.9
    return s


def mixed_in_mixed(x, limit):
    s = x[0]
    for u in (x[1], x):
        for v in (1.5, x[:2], [x[2]]):
            s = s * 0.5 + np.sum(u) * np.sum(v)
            if s > limit:
                break
        if s > 2.0 * limit:
            break
    return s


def mixed_values_are_written(x, limit):
    table = {"a": x[0], "b": x[1:]}
    for k, v in table.items():
        table[k] = v * x[2]
        if np.sum(table[k]) > limit:
            break
    return table["a"] + np.sum(table["b"])


def strict_lists(x, limit):
    left, right = [v * v for v in x if v < limit + 10.0], [np.sin(v) for v in x]
    return sum(u * v for u, v in zip(left, right, strict=True))


def strict_with_names(x, limit):
    s = 0.0
    for name, v in zip(("a", "bb", "ccc"), x, strict=True):
        s += len(name) * v * v
    return s


def strict_of_filled_lists(x, limit):
    left, right = [], []
    for v in x:
        left.append(v * x)
        right.append(v)
    return sum(np.sum(u) * v for u, v in zip(left, right, strict=True))


def listed_then_written(x, limit):
    y = np.zeros(3)
    y[0], y[1] = x[0] * x[1], x[2]
    items = y.tolist()
    y[0] = x[1]
    items[1] = items[1] * x[0]
    items.append(x[2])
    return sum(items) * np.sum(y)


def rows_listed_while_written(x, limit):
    y = np.outer(x, x)
    y[1, 1] = x[0]
    s = 0.0
    for a, b, c in y.tolist():
        y[0, 0] += b
        s += a * b + c
    return s * np.sum(y)


X = np.array([0.4, 0.7, 1.1])
SAMPLES = {
    f.__name__: [(X, 0.6), (X, 0.2)]
    for f in (
        first_above, first_or_else, first_or_none, first_of_pairs, first_of_objects, first_row_is_written,
        first_names_hide_ours, first_default_reads_ours, first_key_of_a_dict, mixed_until, mixed_that_returns,
        mixed_with_lists, mixed_in_a_loop, mixed_in_mixed, mixed_values_are_written, strict_lists, strict_with_names,
        strict_of_filled_lists, listed_then_written, rows_listed_while_written,
    )
}  # fmt: skip
