"""Python's library beside numbers: logs, warnings, bisection, draws, enumerations, deques, heaps; np.random's draws."""

import bisect
import enum
import heapq
import logging
import random
import warnings
from collections import defaultdict, deque

import numpy as np

LOG = logging.getLogger("tests.programs.standard_library")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False
LEVELS = [(0.0, 1.0), (0.5, 1.7), (1.0, 2.2), (2.0, 2.4)]


def values_are_logged(x):
    y = x * 2.0
    LOG.debug("y is %s", y)
    y[0] = x[1]
    LOG.warning("first %s of %r", y[0], y)
    logging.getLogger(LOG.name).error(f"sum {y.sum()}")
    if LOG.isEnabledFor(logging.CRITICAL):
        y = y * x
    with_text = "never"
    if y[0] > 1e6:
        warnings.warn(f"{with_text}: {y[0]}", stacklevel=2)
    return y[0] * y[1]


def interpolated_by_bisection(t):
    k = bisect.bisect_right([place for place, _ in LEVELS], t) - 1
    (a, low), (b, high) = LEVELS[k], LEVELS[k + 1]
    return low + (high - low) * (t - a) / (b - a)


def draws_of_python(x):
    random.seed(3)
    total = 0.0
    for _ in range(20):
        total = total * random.random() + x[random.randint(0, 1)] * random.gauss(0.0, 1.0)
    return total * random.uniform(1, 2)


def draws_by_position(x):
    """A spread of two is no size, and a size behind two parameters is one."""
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(20):
        total += x[0] * rng.normal(0, 2)
        total *= rng.random()
    noise = rng.normal(0.0, 1.0, 2) + rng.uniform(0, 1, size=(3, 2)).sum(axis=0)
    single = rng.random(2, dtype=np.float32)
    old = np.random.RandomState(1)
    return total + np.sum(x * noise) + x[0] * old.uniform(0, 1) + np.sum(x * single) * old.rand()


def draws_of_indices(x):
    rng = np.random.default_rng(0)
    order = rng.permutation(len(x))
    some = rng.choice(len(x), size=3)
    k = rng.integers(0, 2)
    total = x[k] * rng.choice(5)
    for part in np.array_split(order, 2):
        total += np.prod(x[part])
    weights = np.abs(x) / np.sum(np.abs(x))
    if weights[0] < 0.9:
        places = np.searchsorted(np.cumsum(weights), (np.arange(4) + rng.random()) / 4)
        x = x[np.minimum(places, 1)]
    x *= 2.0
    return total + np.sum(x[some % 2]) * rng.choice(np.array([1.0, 2.0]))


class Phase(enum.Enum):
    SOLID = 0
    LIQUID = 1

    @property
    def density(self):
        return {Phase.SOLID: 2.0, Phase.LIQUID: 0.6}[self]


class Planet(enum.Enum):
    MERCURY = (3.3, 2.4)
    EARTH = (59.8, 6.4)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    def gravity(self):
        return 6.7 * self.mass / self.radius**2


def members_by_branch(x, planet):
    total = 0.0
    for v in x:
        phase = Phase.SOLID if v < 1.0 else Phase.LIQUID
        total += phase.density * v * v + phase.value
        there = planet if v < 1.0 else Planet.EARTH
        total += there.gravity() * v + there.mass
        if phase is Phase.LIQUID:
            total -= {"EARTH": 1.0, "MERCURY": 2.0}[there.name] * v
    return total + sum(v * p.radius for v, p in zip(x, Planet))


def curvature_pairs(x):
    """Two loops of L-BFGS over the last few steps."""
    places, slopes = deque(maxlen=3), deque(maxlen=3)
    g = x * 3.0 + x**3
    for k in range(5):
        q = g.copy()
        kept = []
        for s, y in zip(reversed(places), reversed(slopes)):
            a = s.dot(q) / y.dot(s)
            q -= a * y
            kept.append(a)
        for s, y, a in zip(places, slopes, reversed(kept)):
            q += s * (a - y.dot(q) / y.dot(s))
        step = -0.1 * (k + 1) * q
        x = x + step
        new = x * 3.0 + x**3
        places.append(step)
        slopes.append(new - g)
        g = new
    return np.sum(x**2) + x[0]


def merged_counts(x):
    counts = defaultdict(float)
    for name, v in zip(["a", "b"], x):
        counts[name] += v * v
        counts["all"] += v
    merged = {"a": 1.0, "rest": x[0]}
    merged.update(counts)
    return merged["a"] * merged["all"] + merged["rest"]


def _point():
    return np.array([0.4, 1.3])


def few_of_many(x):
    """The smallest and the largest, by `heapq`."""
    least = heapq.nsmallest(2, [v * v for v in x])
    pairs = dict(heapq.nlargest(2, enumerate(x), key=lambda p: -p[1]))
    return least[0] * 3.0 + least[1] + sum(i * v for i, v in pairs.items()) + sum(heapq.nlargest(1, (v * 2 for v in x)))


def ordered_by(x, key=None, backwards=False):
    """No key by its name, and a key that may be none when the code runs."""
    items = list(x)
    items.sort(key=key, reverse=backwards)
    late = None if len(x) > 2 else abs
    return sorted(x, key=key)[0] * items[0] + sorted(x, key=late)[1] + max(items, key=key) * min(x[0], x[1], key=key)


def limits_of_numbers(x):
    eps = np.finfo(x.dtype).eps
    total = 0.0
    for v in x:
        total += v * v / (abs(v) + np.finfo(float).tiny + eps)
    return total + np.iinfo(np.int8).max * np.sum(np.maximum(x, np.finfo(float).eps))


SAMPLES = {
    "few_of_many": [(np.array([0.7, -0.4, 1.3]),)],
    "ordered_by": [(np.array([0.7, -0.4, 1.3]),), (np.array([0.7, -1.2]),), (np.array([0.7, -1.2]), abs, True)],
    "limits_of_numbers": [(np.array([0.7, -0.4, 1.3]),)],
    "values_are_logged": [(_point(),)],
    "interpolated_by_bisection": [(0.7,), (1.2,)],
    "draws_of_python": [(_point(),)],
    "draws_by_position": [(_point(),)],
    "draws_of_indices": [(_point(),)],
    "members_by_branch": [(_point(), Planet.MERCURY)],
    "curvature_pairs": [(_point(),)],
    "merged_counts": [(_point(),)],
}
