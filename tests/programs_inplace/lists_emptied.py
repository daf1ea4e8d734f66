"""Lists of the caller, in objects and dicts too, of which items are only taken: in the end they may be empty, and hold
nothing that has a tangent, where others of their type do."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class _Queue:
    items: list
    weight: float


def drained(x, items):
    s = 0.0
    while items:
        s += items.pop() * x[0]
    return s


def drained_on_some_paths(x, items):
    s = 0.0
    for v in x:
        if items:
            s += items.pop() * v
    return s


def drained_of_arrays(x, items):
    s = 0.0
    while items:
        s += np.sum(items.pop() * x)
    return s


def drained_of_pairs(x, items):
    s = 0.0
    while items:
        a, b = items.pop()
        s += a * x[0] + b**2
    return s


def drained_rows(x, d):
    s = 0.0
    for row in d["rows"]:
        while row:
            s += row.pop() * x[0]
    return s


def drained_queue(x, queue):
    s = x[0]
    while queue.items:
        s = s * queue.items.pop(0) + x[1]
    return s * queue.weight


def drained_queue_in_a_dict(x, d):
    s = x[0]
    while d["queue"].items:
        s = s * d["queue"].items.pop(0) + x[1]
    return s * d["queue"].weight


def moved_from_list_to_list(x, d):
    while d["from"]:
        d["to"].append(d["from"].pop(0) * x[0])
    return sum(d["to"])


def a_whole_number_is_left(x, items):
    s = 0.0
    while len(items) > 1:
        s += items.pop() * x[0]
    return s + items[0]


_X = np.array([0.3, 0.9])
_TWO = [(_X, [2.0, 3.0])]
SAMPLES = {
    "drained": _TWO,
    "drained_on_some_paths": _TWO,
    "drained_of_arrays": [(_X, [np.array([1.0, 2.0]), np.array([3.0, 2.5])])],
    "drained_of_pairs": [(_X, [(1.0, 2.0), (1.2, 2.2)])],
    "drained_rows": [(_X, {"rows": [[2.0, 2.5], [], [1.5]]})],
    "drained_queue": [(_X, _Queue([1.5, 2.5], 1.7))],
    "drained_queue_in_a_dict": [(_X, {"queue": _Queue([1.5, 2.5], 1.7)})],
    "moved_from_list_to_list": [(_X, {"from": [2.0, 3.0], "to": [1.0]})],
    "a_whole_number_is_left": [(_X, [2, 2.5, 1.5])],
}
