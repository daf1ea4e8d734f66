"""Lists that a loop fills, and that grow, shrink or are written into behind it."""

import collections
import heapq

import numpy as np


def appended(x):
    items = [v * v for v in x]
    items.append(x[0])
    return items[-1] ** 2


def in_a_deque(x):
    last = collections.deque(maxlen=3)
    for v in x:
        last.append(v**3)
    last.append(last[0])
    return sum(last)


def added_in_place(x):
    items = [v * v for v in x]
    items += [x[0] * x[1]]
    return sum(v * v for v in items)


def appended_of_its_own(x):
    items = []
    for v in x:
        items.append(v * v)
    items.append(items[-1] * items[0])
    return items[-1] ** 2 + items[1]


def trajectory(x):
    states = [x]
    for _ in range(3):
        states.append(np.sin(states[-1]) * x)
    states.append(states[-1] ** 2)
    return np.sum(states[-1] * states[1])


def popped_and_put(x):
    items = [v * v for v in x]
    items.pop()
    items.append(x[1] ** 3)
    items[0] = x[2] * x[3]
    return items[-1] * items[0]


def inserted(x):
    items = [v * v for v in x]
    items.insert(0, x[1] ** 3)
    return items[0] * items[1] * items[-1]


def heaped(x):
    heap = []
    for v in x:
        heapq.heappush(heap, v * v)
    heapq.heappush(heap, x[0] ** 3)
    return heap[0] * heapq.heappop(heap) * heap[1]


def extended(x):
    items = [v * v for v in x]
    items.extend([v**3 for v in x])
    return sum(a * b for a, b in zip(items, items[1:]))


def under_two_names(x):
    items = [v * v for v in x]
    others = items
    others.append(x[1] ** 3)
    return sum(items) ** 2


def table_of_rows(x):
    table = [x * v for v in x]
    table[1] += x**3
    table.append(table[1] * x)
    return np.sum(table[-1] * table[0])


X = np.array([0.7, 1.3, -0.4, 2.1])
PROGRAMS = (
    appended, in_a_deque, added_in_place, appended_of_its_own, trajectory, popped_and_put, inserted, heaped, extended,
    under_two_names, table_of_rows,
)  # fmt: skip
SAMPLES = {f.__name__: [(X,)] for f in PROGRAMS}
