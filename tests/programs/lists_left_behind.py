"""Lists of which an earlier state matters to the derivative: read, and grown, shortened or written into afterwards."""

import heapq
from heapq import heappop, heappush

import numpy as np


def grown_after_reading(x, s):
    h = []
    for v in x:
        h.append(v * s)
    first, n = h[0], len(h)
    while len(h) < n + 2:
        h.append(1.0)
    return first * len(h)


def pairs_grown_after_reading(x, s):
    h = []
    for v in x:
        h.append((v * s, 1))
    first, n = h[1], len(h)
    while len(h) < n + 2:
        h.append((1.0, 1))
    return first[0] * len(h)


def grown_in_every_round(x, s, n):
    h, t = [v * s for v in x], 0.0
    for k in range(n):
        t = t + h[k] ** 2
        h.append(1.0)
        h.append(t)
    return t * len(h)


def grown_in_the_only_round(x, s, n):
    """Such a loop carries nothing."""
    h, g = [v * s for v in x], []
    total = sum(v * v for v in h)
    for k in range(n):
        h.append(7.0)
        for _ in range(2):
            g.append(k)
            h.append(s)
            break
        if len(h) > 50:
            raise ValueError("too many")
        break
    while n > 0:
        h.pop()
        if len(h) > 50:
            raise ValueError("too many")
        break
    return total


def rotated_after_reading(x, s):
    h = []
    for v in x:
        h.append((v * s, 1))
    first, last = h[0], h.pop()
    if len(h) > 0:
        k = 0
        while k < len(h) - 1:
            h[k] = h[k + 1]
            k += 1
        h[k] = last
    return first[0] * 2 + h[0][0] * h[-1][0]


def shortened_on_one_path(x, s):
    h = [v * s for v in x]
    f = h[1]
    if s > 0.5:
        h.pop()
        h[0] = f * f
    return f * h[0] * len(h)


def smallest_of_a_heap(x, s):
    h = []
    for i in range(3):
        heappush(h, (x[i] * s, i))
    a, i = heappop(h)
    b, j = heappop(h)
    return a * 2 + b * b + i + 3 * j


def best_two(x, s):
    h = []
    for v in x:
        heappush(h, v * s)
        if len(h) > 2:
            heappop(h)
    return h[0] * 2 + h[1]


def heap_replaced(x, s):
    h = [x[0], x[1], x[2]]
    heapq.heapify(h)
    a, b, c = heapq.heapreplace(h, x[3] * s), heapq.heappushpop(h, s), heapq.heappushpop(h, x[0] * 5)
    return a + 2 * b + 3 * c + sum((i + 1) * v for i, v in enumerate(h))


def shortest_path(w, s):
    edges = {0: [(1, 0), (2, 1)], 1: [(2, 2), (3, 3)], 2: [(3, 1)], 3: []}
    dist, h = [0.0, 1e9, 1e9, 1e9], [(0.0, 0)]
    while h:
        d, u = heappop(h)
        if d > dist[u]:
            continue
        for v, e in edges[u]:
            there = d + w[e] * s
            if there < dist[v]:
                dist[v] = there
                heappush(h, (there, v))
    return dist[3] ** 2 + dist[2]


def heap_of_numbers_alone(x, s):
    h = [3, 1, 2]
    heapq.heapify(h)
    heappush(h, 0)
    return x[heappop(h) + heappop(h)] * s


_X = np.array([0.9, 0.7, 1.3, 0.2])
_PLAIN = [(_X, 0.8)]
SAMPLES = {
    "grown_after_reading": _PLAIN,
    "pairs_grown_after_reading": _PLAIN,
    "grown_in_every_round": [(_X, 0.8, 3)],
    "grown_in_the_only_round": [(_X, 0.8, 3), (_X, 0.8, 0)],
    "rotated_after_reading": _PLAIN,
    "shortened_on_one_path": [(_X, 0.8), (_X, 0.3)],
    "smallest_of_a_heap": _PLAIN,
    "best_two": _PLAIN,
    "heap_replaced": _PLAIN,
    "shortest_path": _PLAIN,
    "heap_of_numbers_alone": _PLAIN,
}
