"""itertools, iter and next, and what else goes through a sequence once."""

import functools
import itertools
import operator

import numpy as np


def chained(x, ys):
    total = 1.0
    for v in itertools.chain(x, ys, x * x):
        total = total * 0.5 + v * v
    return total


def chained_lists(rows):
    return sum(v * v for v in itertools.chain.from_iterable(rows))


def accumulated(x):
    return sum(itertools.accumulate(x)) + sum(itertools.accumulate(x, operator.mul))


def accumulated_from(x, start):
    path = list(itertools.accumulate(x, lambda total, v: total * v + v, initial=start))
    return path[-1] * path[1] + sum(path)


def star_mapped(x, y):
    return sum(itertools.starmap(lambda a, b: a * b * b, zip(x, y)))


def pairs_of_product(x):
    total = 0.0
    for a, b in itertools.product(x, repeat=2):
        total += a * b * b
    return total


def product_of_known(x, y):
    return sum(a * b * (1.0 + a) for a, b in itertools.product((x, y, 2.0), (x, 1.0)))


def combined(x):
    return sum(a * b * b for a, b in itertools.combinations(x, 2))


def neighbours(x):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(x))


def sliced(x):
    return sum(v * v for v in itertools.islice(x, 1, None, 2)) + sum(itertools.islice(x, 2))


def numbered(x):
    total = 0.0
    for i, v in zip(itertools.count(1, 2), x):
        total += i * v * v
    return total


def repeated(x, c):
    total = 0.0
    for a, b in zip(x, itertools.repeat(c)):
        total += a * b
    for v in itertools.repeat(c, 3):
        total = total * v
    return total


def longest(x, y):
    return sum(a * b for a, b in itertools.zip_longest((x, y, x * y), (y, x), fillvalue=3.0))


def first_items(x):
    items = iter(x)
    first = next(items)
    second = next(items)
    return first * second * second + sum(items)


def first_or(x, c):
    return next(iter(x)) * next(iter(()), c)


def mapped_once(x):
    squares = map(lambda v: v * v, x)
    kept = filter(lambda v: v > 0.1, squares)
    return sum(v * w for v, w in zip(kept, x))


def largest_or(x, c):
    return max(x, default=c) * max((v * v for v in x if v > 100.0), default=c)


def position_of_largest(x, y, z):
    items = (x, y, z)
    return items[items.index(max(items))] * (items.index(max(items)) + 1) + x * items.count(x)


def cached_inside(x):
    @functools.lru_cache(maxsize=None)
    def power(n):
        return x if n == 0 else power(n - 1) * x

    @functools.cache
    def scaled(n):
        return x * n

    return power(3) + scaled(2)


def cached_table(x):
    a, total = np.ones(4) * x, 0.0

    @functools.lru_cache(maxsize=None)
    def best(i, room):
        if i == 4:
            return 0.0
        skip = best(i + 1, room)
        return skip if room == 0 else max(skip, best(i + 1, room - 1) + a[i] * (i + x))

    @functools.cache
    def basis(n):
        row = np.zeros(3)
        for i in range(3):
            row[i] = x ** (i + n)
        return row

    for n in range(3):
        total += np.sum(basis(n) * basis(0))
    return total * best(0, 2)


_V = np.array([0.5, -0.7, 1.2])

def all_permutations(x):
    total = 0.0
    for p in itertools.permutations(range(4)):
        term = 1.0
        for i, j in enumerate(p):
            term *= x[j] ** i
        total += term
    for p in itertools.permutations([x[0], x[1], x[2]], r=None):
        total += p[0] * p[1] ** 2 * p[2]
    return total


def neighbours_on_a_torus(x):
    grid = np.outer(x, x)
    steps = (-1, 0, 1)
    around = sum(np.roll(np.roll(grid, i, 0), j, 1) for i in steps for j in steps if (i, j) != (0, 0))
    grid = np.where(around > 2.0, around * grid, grid)
    grid[0, :] = grid[-2, :]
    return np.sum(grid)


def mapped_until_enough(x, y):
    """Loops that may end early over iterators of known items."""
    total = 0.0
    for v in map(lambda v: v * v, [x, y]):
        if total > 1.0:
            break
        total += v
    for v in itertools.starmap(lambda a, b: a * b, [(x, y), (y, y)]):
        total += v
        if total > 1.5:
            break
    for k, v in enumerate(map(np.sin, (x, y, x * y))):
        if k == 2:
            break
        total += v * (k + 1)
    rest = map(lambda v: v**3, [x, y, x + y])
    total += next(rest)
    for v in rest:
        total += v
        if total > 4.0:
            break
    return total if all(map(lambda v: v > 0.0, (x, y, 3.0))) else total * x


def _within(tree, limit):
    if isinstance(tree, dict):
        return any(map(lambda t: _within(t, limit), tree.values()))
    return tree > limit


def asked_of_a_tree(x, y):
    return x * y if _within({"a": x, "b": {"c": y}}, 1.0) else x + y * y


class _Particle:
    def __init__(self, at, speed):
        self.at, self.speed = at, speed


def pairs_that_pull(x, y):
    """Every pair of objects that the loop writes into: it goes through the objects, not through what they hold."""
    bodies = [_Particle(0.0, x), _Particle(1.0, y), _Particle(x * y, 0.5)]
    for _ in range(2):
        for a, b in itertools.combinations(bodies, 2):
            pull = (b.at - a.at) / (1.0 + (b.at - a.at) ** 2)
            a.speed += 0.1 * pull
            b.speed = b.speed - 0.2 * pull
        for a, k in itertools.product(bodies, (1.0, y)):
            a.at += 0.1 * k * a.speed
    return sum(b.at * b.speed for b in bodies)


def pairs_of_rows(x, y):
    """Of lists and arrays that the loop writes into."""
    rows, arrays = [[x, 1.0], [2.0, y], [y, 3.0]], [np.array([x, y]), np.array([y, 2.0])]
    for a, b in itertools.combinations(rows, 2):
        a[0] += b[1]
        b.append(b[0] * a[1])
    for a, b in itertools.permutations(arrays):
        a[0] += b[1]
        b *= a[1]
    return sum(sum(r) for r in rows) + arrays[0] @ arrays[1]


def pairs_of_what_was_there(x, y):
    """The pairs are of the items there were when they were asked for."""
    bodies = [_Particle(x, y), _Particle(y, x * y), _Particle(1.0, x)]
    pairs = itertools.combinations(bodies, 2)
    bodies[0].speed = 3.0 * y
    bodies[1] = _Particle(2.0, x * x)
    bodies.append(_Particle(y * y, 1.0))
    total = 0.0
    for a, b in pairs:
        b.speed += a.speed * b.at
        total += b.speed
    return total * bodies[1].speed + sum(b.speed for b in bodies)


SAMPLES = {
    "pairs_that_pull": [(0.7, 1.3)],
    "pairs_of_rows": [(0.7, 1.3)],
    "pairs_of_what_was_there": [(0.7, 1.3)],
    "mapped_until_enough": [(0.7, 1.3), (1.4, 0.2), (-0.6, 0.9)],
    "asked_of_a_tree": [(0.7, 1.3), (0.4, 0.2)],
    "all_permutations": [(np.array([0.5, 1.2, -0.7, 0.9]),)],
    "neighbours_on_a_torus": [(np.array([0.55, 1.25, -0.7, 0.95]),)],
    "chained": [(_V, [0.3, 0.8])],
    "chained_lists": [([[0.5, 1.5], [0.3]],)],
    "accumulated": [(_V,), ([0.5, 1.5, -0.3],)],
    "accumulated_from": [(_V, 0.7)],
    "star_mapped": [(_V, 2.0 * _V), ([0.5, 1.5], [0.3, 0.2])],
    "pairs_of_product": [(_V,)],
    "product_of_known": [(0.7, 0.3)],
    "combined": [(_V,), ((0.5, -0.7, 1.2),)],
    "neighbours": [(_V,), ([0.5, -0.7, 1.2],)],
    "sliced": [(_V,), ([0.5, -0.7, 1.2],)],
    "numbered": [(_V,)],
    "repeated": [(_V, 0.7)],
    "longest": [(0.7, 0.3)],
    "first_items": [(_V,), ([0.5, -0.7, 1.2],)],
    "first_or": [(_V, 0.7)],
    "mapped_once": [(_V,), ([0.5, -0.7, 1.2],)],
    "largest_or": [(_V, 0.7)],
    "position_of_largest": [(0.5, 0.9, 0.2)],
    "cached_inside": [(0.7,)],
    "cached_table": [(0.7,)],
}
