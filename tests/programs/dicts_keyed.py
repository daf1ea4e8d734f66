"""Dicts whose keys are met when the code runs, and that hold values with derivatives."""

import collections
from dataclasses import dataclass

import numpy as np


def grouped(x):
    best = {}
    for v in x:
        sign = "up" if v > 0 else "down"
        best[sign] = best.get(sign, 0.0) + v * v
    return best["up"] * best.get("down", 1.0)


def positions_filtered(x):
    squares = {i: v * v for i, v in enumerate(x) if v > 0}
    return sum(squares.values()) + sum(k * v for k, v in squares.items())


def banded(x):
    matrix = {}
    for i in range(len(x)):
        matrix[i, i] = x[i]
        if i:
            matrix[i, i - 1] = matrix[i - 1, i] = x[i] * x[i - 1]
    y = np.zeros(len(x))
    for (i, j), v in matrix.items():
        y[i] += v * x[j]
    return np.sum(y**2)


def rows_of_a_table(x):
    rows = {}
    for i in range(len(x)):
        rows[i] = x[i] * np.ones(3)
    for k, row in rows.items():
        row[1:] *= x[k]
    for k in rows:
        rows[k][0] += x[0] * rows[k][1]
    return sum(np.sum(row**2) for row in rows.values())


def normalised(weights, names):
    table = dict(zip(names, weights))
    total = sum(table.values())
    for name in table:
        table[name] /= total
    for name, value in table.items():
        table[name] = value * value + table[names[0]]
    return sum(table[name] * (k + 1) for k, name in enumerate(names))


def forgotten(x):
    table = {}
    for i, v in enumerate(x):
        table[i // 2, i] = v
    for i, v in enumerate(x):
        if v < 0:
            del table[i // 2, i]
    kept = table.pop((0, 0)) * len(table) + table.pop((7, 7), 2.0)
    total = 0.0
    for (a, _), v in table.items():
        total = total * v + a * v + kept * v**2
    last, value = table.popitem()
    return total * value + last[1]


def memo_of_a_path(x, n):
    memo = {0: x[0], 1: x[1]}
    for k in range(2, n):
        if k not in memo:
            memo[k] = memo[k - 1] * x[k % len(x)] + memo[k - 2]
    return memo[n - 1] * memo[n - 3]


def counted_from_a_default(x, names):
    totals = collections.defaultdict(float)
    for name, v in zip(names, x):
        totals[name] += v * v
    copied = dict(totals)
    copied[names[0]] = copied[names[0]] * 2.0
    return sum(totals.values()) * copied[names[0]] + totals["none"]


def merged_and_set(x, names):
    first = {name: v for name, v in zip(names, x)}
    second = {**first, "extra": x[0] * x[1]}
    second.update({names[0]: x[1] ** 2}, last=x[2])
    third = first | {"extra": 3.0 * x[2]}
    third.setdefault("extra", x[0])
    third.setdefault("new", x[0])
    return sum(second.values()) * third["extra"] + sum(v * v for v in third.values())


def from_keys(x, names):
    sums = dict.fromkeys(names, 0.0)
    for name, v in zip(names, x):
        sums[name] = sums[name] + v * v
    top = max(sums, key=lambda name: sums[name])
    return sums[top] * sum(v for _, v in sorted(sums.items()))


def states_of_a_queue(x, graph):
    distance = {0: x[0] * 0.0}
    todo = [0]
    while todo:
        node = todo.pop(0)
        for other, edge in graph[node]:
            length = distance[node] + x[edge] ** 2
            if other not in distance:
                distance[other] = length
                todo.append(other)
            elif length < distance[other]:
                distance[other] = length
    return sum(distance[k] * (k + 1) for k in distance)


@dataclass(frozen=True)
class Place:
    row: int
    name: str = "p"


class Label:
    def __init__(self, text):
        self.text = text

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return self.text == other.text


Pair = collections.namedtuple("Pair", "first second")


def keys_of_every_kind(x):
    here, sentinel = Place(1), object()
    table = {here: x[0], Place(2): x[1], sentinel: x[2], None: x[3], True: x[0] * 2.0}
    sets = {frozenset([1, 2]): x[0], np.float64(1.5): x[1], Pair(1, 2): x[2], Label("a"): x[3]}
    table[Place(1)] *= sets[frozenset([2, 1])]
    sets[Label("a")] += table[sentinel] * sets[1.5]
    total = sets[1, 2] * table[None] + table[1]
    for key, value in table.items():
        total += value * (2.0 if key == here else 0.5)
    return total * sets[Label("a")] + sum(sets.values()) * (3.0 if here in table and Place(5) not in table else 1.0)


def keys_made_in_a_loop(x):
    links = {frozenset([i, i + 1]): x[i] for i in range(3)}
    links[frozenset([0, 1])] += links[frozenset([3, 2])] * x[3]
    return sum(v * v for v in links.values())


_X = np.array([0.6, -0.7, 1.2, 0.5])
_NAMES = ["a", "b", "a", "c"]

def layers_read_at_an_index(x):
    x = x * 1.0
    caches = [(1, x), (2, x * 3.0)]
    total = 0.0
    for layer in range(2):
        for other in reversed(range(2)):
            total += caches[layer][1][0] * caches[other][1][1] * (layer + 2 * other)
    x *= 2.0
    return np.sum(x) * total


def keys_of_layers_backwards(x):
    x = x * 1.0
    caches = [(1, x), (2, x * 3.0)]
    grads = {}
    for layer in reversed(range(len(caches))):
        grads["d%d" % (layer + 1)] = caches[layer][1]
    x *= 2.0
    return x @ grads["d1"] + np.sum(grads["d2"])


def many_named_arrays_gone_through(params):
    """More than a loop is unrolled for: the values of a dict that is passed in, as a norm is taken of them."""
    norm = np.sqrt(sum(np.sum(p**2) for p in params.values()))
    joined = np.concatenate([np.tensordot(p, p, axes=(range(1), np.array([0]))) * np.tile(p, range(1, 2)) for p in params.values()])
    total = 0.0
    for p in params.values():
        total += np.max(p) / norm
    return total + np.sum(joined)


def merged_as_they_grow(x, n):
    """`{**table, …}` of dicts whose keys are met when the code runs."""
    table = {}
    for i in range(n + 1):
        table[i] = x * i
    more = {**table, 1: x, **{0: 2.0}}
    more[7] = x * x
    for i in range(n):
        more = {**more, 7: more[7] * x}
    other = {-1: x, **{k + 10: v for k, v in table.items()}}
    return sum(v * (k + 1) for k, v in more.items()) + sum(table.values()) + other[-1] * sum(other.values())


def keys_on_some_paths(x, n):
    sums, counts, last = collections.defaultdict(float), collections.Counter(), {}
    for i in range(n):
        sums["all"] += x * i
        if i % 2:
            sums["odd"] += x * x
            last["odd"] = last.get("odd", 0.5) * x + i
        counts["a" if i > 1 else "b"] += x * 0.5
    return sums["all"] + sums["odd"] * 2.0 + sums["none"] + counts["a"] * counts["b"] + last.get("odd", x)


def got_under_a_met_key(x, n):
    table = {0: x, 1: x * x, "two": np.ones(2) * x}
    found = table.get(n)
    rest = table.get("two" if n > 1 else "one", 3.0 * x) * table.get(n + 1, 0.5)
    return np.sum(rest) + (x if found is None else found * 3.0)


SAMPLES = {
    "keys_on_some_paths": [(0.7, 0), (0.7, 1), (0.7, 4)],
    "got_under_a_met_key": [(0.7, 0), (0.7, 1), (0.7, 5)],
    "merged_as_they_grow": [(0.7, n) for n in range(4)],
    "many_named_arrays_gone_through": [({f"layer{k}": np.array([0.3 + 0.1 * k, 0.5 - 0.02 * k]) for k in range(18)},)],
    "layers_read_at_an_index": [(np.array([1.2, -0.7]),)],
    "keys_of_layers_backwards": [(np.array([1.2, -0.7]),)],
    "grouped": [(_X,)],
    "positions_filtered": [(_X,)],
    "banded": [(_X,)],
    "rows_of_a_table": [(_X,)],
    "normalised": [(_X[:3] + 2.0, ["p", "q", "r"])],
    "forgotten": [(_X,)],
    "memo_of_a_path": [(_X, 9)],
    "counted_from_a_default": [(_X, _NAMES)],
    "merged_and_set": [(_X[:3], ["p", "q", "r"])],
    "from_keys": [(_X, _NAMES)],
    "keys_of_every_kind": [(_X,)],
    "keys_made_in_a_loop": [(_X,)],
    "states_of_a_queue": [(_X, [[(1, 0), (2, 1)], [(3, 2)], [(3, 3)], []])],
}
