"""Lists of one item type: sorted, transposed, filled from None, objects that are only read, zip_longest."""

import itertools
from collections import namedtuple
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

Corner = namedtuple("Corner", "x y")


class Agent:
    def __init__(self, wealth):
        self.wealth = wealth

    def __lt__(self, other):
        return self.wealth < other.wealth


@dataclass(order=True)
class Stage:
    x: float
    v: float


class Body:
    def __init__(self, x, v, name="body", steps=1):
        self.x, self.v, self.name, self.steps = x, v, name, steps

    def energy(self):
        return np.sum(self.v**2) / 2 * self.steps + np.sum(self.x**3)

    def moved(self, dt):
        return Body(self.x + dt * self.v, self.v - dt * self.x, self.name, self.steps + 1)


class Series:
    def __init__(self, c):
        self.c = c

    def __add__(self, other):
        return Series([a + b for a, b in itertools.zip_longest(self.c, other.c, fillvalue=0.0)])

    def __call__(self, z):
        return sum(c * z**k for k, c in enumerate(self.c))


# -- sorted -------------------------------------------------------------------------------------


def sorted_zip(x):
    s = 0.0
    for k, i in sorted(zip(x, [1, 2, 3])):
        s += k * i
    return s


def sorted_objects_by_key(x):
    made = [Agent(x[0] * 2), Agent(x[1] ** 2), Agent(x[2])]
    return sorted(made, key=lambda a: a.wealth)[0].wealth + sorted(made)[1].wealth ** 2


def sorted_objects_in_place(x):
    made = [Stage(a, a * a) for a in x]
    made.sort()
    made.sort(key=lambda s: -s.v)
    return made[0].v + 3 * made[1].x * made[2].v


def sorted_hull(x):
    hull = sorted([Corner(a, a * a + 1) for a in x], key=lambda p: (-p.x, p.y))
    s = 0.0
    for p, q in zip(hull, hull[1:] + hull[:1]):
        s += p.x * q.y - 2 * q.x * p.y
    return s


def sorted_rows_reversed(m):
    s = 0.0
    for k, (a, b) in enumerate(reversed(sorted(map(tuple, m.tolist())))):
        s += a * b * (k + 1)
    return s


def sorted_ties_stay_in_order(x):
    """Equal keys: the order of the items decides what is picked."""
    pairs = sorted([(1, x[0]), (0, x[1]), (1, x[2] ** 2), (0, x[0] * x[1])], key=itemgetter(0))
    down = sorted(pairs, key=itemgetter(0), reverse=True)
    return sum(v * (k + 1) for k, (_, v) in enumerate(pairs)) + down[0][1] * down[3][1]


def sorted_enumerated(x):
    best = sorted(enumerate(x), key=lambda t: t[1], reverse=True)[:2]
    return sum(v * (i + 1) for i, v in best)


# -- transposed ---------------------------------------------------------------------------------


def transposed_trajectory(x):
    path = [(x[0], x[1])]
    for _ in range(len(x)):
        a, v = path[-1]
        path.append((a + 0.1 * v, v - 0.1 * a))
    xs, vs = zip(*path)
    s = 0.0
    for a in xs:
        s += a**2
    return s + sum(v * (i + 1) for i, v in enumerate(vs))


def transposed_array(m):
    s = 0.0
    for a, b in zip(*m):
        s += a * b
    first = list(zip(*m.tolist()))[0]
    return s * sum(first)


def transposed_while_written(m):
    m = m * 1
    s = 0.0
    for a, b in zip(*m):
        s += a * b
        m[0, 2] = s
    return s


def transposed_points(m):
    xs, ys = zip(*m.T)
    cols = [np.array(c) for c in zip(*[x * np.array(xs) for x in m])]
    return sum(xs) * sum(ys) + sum(c @ c for c in cols)


def iterator_unpacked(x):
    a, b, c = map(lambda v: v * v, x)
    (_, p), (_, q), (k, r) = enumerate(x)
    return a * b + c * p + q * r * k


# -- filled from None ---------------------------------------------------------------------------


def gains_filled_backwards(x):
    n = len(x)
    ks, gains = [None] * n, [None] * n
    value = np.eye(3) * x[0]
    for t in range(n - 1, -1, -1):
        gains[t] = value @ value * x[t]
        ks[t] = value @ x
        value = value + gains[t] * 0.1
    z, cost = x, 0.0
    for t in range(n):
        z = z + 0.1 * (ks[t] + gains[t] @ z)
        cost += z @ z
    return cost


def pairs_filled_from_none(x):
    n = len(x)
    kept = [None for _ in range(n)]
    for t in range(n):
        kept[t] = (x * t, x[t])
    s = 0.0
    for t in range(n):
        a, b = kept[t]
        s += a @ x * b
    return s


def filled_from_none_and_written(x):
    n = len(x)
    rows = [None] * n
    for t in range(n):
        rows[t] = x * t
    for t in range(n):
        rows[t][0] = x[1]
    return sum(np.sum(a**2) for a in rows)


# -- objects that are only read -----------------------------------------------------------------


def states_in_a_list(x):
    states = [Stage(x[0], x[1])]
    for k in range(len(x)):
        states.append(Stage(states[-1].x * 0.5 + x[k], states[-1].v + states[-1].x))
    return states[-1].x * states[-1].v + sum(s.x * s.v for s in states)


def bodies_made_anew(x):
    bodies = [Body(x * i, x + i) for i in range(len(x))]
    for _ in range(len(x)):
        bodies = [Body(p.x + 0.1 * p.v, p.v - 0.1 * p.x, p.name, p.steps) for p in bodies]
    for _ in range(2):
        bodies = [p.moved(0.1) for p in bodies]
    return sum(p.energy() for p in bodies)


def forces_between_objects(x):
    bodies = [Body(a, a * a) for a in x]
    s = sum((p.x - q.x) ** 2 * p.v for p in bodies for q in bodies)
    best = max(bodies, key=lambda p: p.x)
    return s * best.v + bodies[int(np.argmin(x))].x


def objects_in_objects(x):
    held = [Body([a, a * a], (a, {"k": Agent(a**3)})) for a in x]
    return sum(p.x[0] * p.x[1] + p.v[0] * p.v[1]["k"].wealth for p in held)


# -- zip_longest --------------------------------------------------------------------------------


def longest_of_lists(x):
    p, q = Series(list(x)), Series([v * v for v in x[1:]])
    s = 0.0
    for a, b in itertools.zip_longest(x, x[:1]):
        s += a if b is None else a * b
    return (p + q)(x[0]) + s


_X = np.array([0.5, -0.7, 0.3])
_M = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])
SAMPLES = {
    "sorted_zip": [(_X,), (np.array([0.1, 0.2, 0.3]),)],
    "sorted_objects_by_key": [(_X,)],
    "sorted_objects_in_place": [(_X,)],
    "sorted_hull": [(_X,)],
    "sorted_rows_reversed": [(_M.T,)],
    "sorted_ties_stay_in_order": [(_X,)],
    "sorted_enumerated": [(_X,)],
    "transposed_trajectory": [(_X,)],
    "transposed_array": [(_M,)],
    "transposed_while_written": [(_M,)],
    "transposed_points": [(_M,)],
    "iterator_unpacked": [(_X,)],
    "gains_filled_backwards": [(_X,)],
    "pairs_filled_from_none": [(_X,)],
    "filled_from_none_and_written": [(_X,)],
    "states_in_a_list": [(_X,)],
    "bodies_made_anew": [(_X,)],
    "forces_between_objects": [(_X,)],
    "objects_in_objects": [(_X,)],
    "longest_of_lists": [(_X,)],
}
