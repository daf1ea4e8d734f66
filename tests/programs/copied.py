"""copy.copy and copy.deepcopy of arrays, numbers, and of what holds them."""

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np


@dataclass
class State:
    a: np.ndarray
    k: float


@dataclass
class Whole:
    head: State
    parts: list
    table: dict
    pair: tuple


def shallow_array(x):
    y = copy.copy(x)
    y[0] = 2.0 * x[1]
    return np.sum(y * y) + np.sum(x)


def deep_array(x):
    y = copy.deepcopy(x)
    y[1:] *= y[0]
    return np.sum(y * x) + y.__copy__()[0]


def kept_best(x):
    best, s = copy.copy(x), 0.0
    for i in range(3):
        trial = copy.deepcopy(best)
        trial[i] *= 2.0
        if np.sum(trial) > np.sum(best):
            best = copy.copy(trial)
        s += np.sum(best**2)
    return s


def tuples(x):
    shared, apart = copy.copy((x * 1.0, x[0])), copy.deepcopy((x, x[1], (x * 2.0,)))
    apart[0][0] = 3.0 * x[1]
    shared[0][1] = 0.5
    return np.sum(apart[0] * apart[2][0]) * apart[1] + np.sum(shared[0]) * shared[1]


def numbers(x):
    return copy.copy(x[0]) * copy.deepcopy(x[1]) + copy.deepcopy(2.0) * x[2]


def objects(s):
    shallow, deep = copy.copy(s), copy.deepcopy(s)
    deep.a *= 2.0
    shallow.k = 3.0 * deep.a[0]
    return np.sum(shallow.a * deep.a) * s.k * shallow.k


def long_list(x):
    kept = [x * i for i in range(20)]
    made = copy.deepcopy(kept)
    made[3][0] = 5.0 * x[1]
    kept[4] *= 2.0
    return sum(np.sum(v * v) for v in kept) + sum(np.sum(v * x) for v in made)


def long_list_passed_in(items):
    made = copy.deepcopy(items)
    made[3][0] = 5.0 * items[0][1]
    return sum(np.sum(v * v) for v in items) + sum(np.sum(v * v * v) for v in made)


def as_dicts(x):
    whole = Whole(State(x, x[0]), [State(x * x, x[1]), x[2]], {"k": State(x, 2.0)}, (State(x + 1.0, x[2]), 1))
    d = dataclasses.asdict(whole)
    d["head"]["a"][0] = 7.0 * x[1]
    d["table"]["m"] = x[0]
    return d["head"]["k"] * d["parts"][0]["k"] * d["table"]["k"]["a"][1] * d["pair"][0]["a"][2] + np.sum(
        d["head"]["a"] * whole.head.a
    )


def as_tuples(s):
    a, k = dataclasses.astuple(s)
    a[1] = 3.0 * k
    return np.sum(a * s.a) * k


X = np.array([1.0, -0.5, 1.5])
class Deep:
    """Says itself what its deep copy is, with what is copied beside it."""

    def __init__(self, held, factor):
        self.held, self.factor = held, factor

    def __deepcopy__(self, memo):
        return Deep(copy.deepcopy(self.held, memo), self.factor * 3.0)


def deep_copies_by_a_method(x):
    items = [x[0], x[1]]
    first = Deep(items, x[2])
    second, others = copy.deepcopy([first, items])
    others[0] = x[1] ** 2
    third = copy.deepcopy({"k": (second, 1.0)})["k"][0]
    third.held.append(x[0])
    return second.held[0] * second.factor * items[0] + third.factor * len(third.held) * len(second.held)


def one_array_by_two_names(x):
    w = x * 2.0
    same = w
    same *= x
    taken = np.asarray(np.sin(same, out=same))
    first, second, third = copy.deepcopy([w, same, taken])
    first[0] = x[1] ** 2
    return np.sum(second * third) * np.sum(w)


SAMPLES = {
    "one_array_by_two_names": [(np.array([1.2, -0.7, 2.1]),)],
    "shallow_array": [(X,)],
    "deep_array": [(X,)],
    "kept_best": [(X,)],
    "tuples": [(X,)],
    "numbers": [(X,)],
    "objects": [(State(X, 0.7),)],
    "long_list": [(X,)],
    "long_list_passed_in": [([X * i for i in range(20)],)],
    "as_dicts": [(X,)],
    "as_tuples": [(State(X, 0.7),)],
    "deep_copies_by_a_method": [(np.array([0.5, 1.2, -0.7]),)],
}
