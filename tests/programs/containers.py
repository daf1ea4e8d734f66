"""Tuples, lists, dicts and named tuples as arguments, results and temporaries; nothing is written into."""

import math
from typing import NamedTuple

import numpy as np


class Point(NamedTuple):
    x: float
    y: float

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)


def tuple_argument(pair):
    return pair[0] * pair[1] ** 2


def list_argument(xs):
    s = 0.0
    for v in xs:
        s += v * v
    return s * xs[0]


def dict_argument(p):
    return p["w"] * p["b"] + p["w"] ** 2


def nested_argument(p):
    (w, b), scale = p["layers"], p["scale"]
    return np.sum(np.tanh(w * scale + b))


def mixed_with_integers_and_strings(p):
    y = p["x"] ** p["power"]
    return math.sin(y) if p["kind"] == "sin" else y


def tuple_result(x):
    return x * x, math.sin(x)


def dict_result(x):
    return {"square": x * x, "sum": np.sum(x)}


def list_result(x):
    return [x, x * 2.0, 3.0]


def nested_result(x, y):
    return {"a": (x * y, [y, x]), "b": np.array([x, y])}


def result_with_inert_parts(x):
    return x * x, "label", 3, None


def tuple_temporary(x):
    t = (x, x * x)
    u = t + (2.0 * x,)
    return u[0] * u[-1] + t[1] + sum(u)


def list_temporary(x):
    ys = [x, x * x]
    zs = ys + [1.0] + ys
    return zs[3] * zs[1] + len(zs) * zs[0]


def dict_temporary(x):
    d = {"a": x, "b": x * x}
    e = {**d, "c": d["a"] * d["b"]}
    return e["c"] + e.get("b") + e.get("missing", 2.0) * x


def dict_of_functions_of(x):
    d = dict(one=x, two=x * x)
    return sum(v * v for v in d.values()) + sum(len(k) for k in d)


def membership_tests(p):
    y = p["x"]
    if "bias" in p:
        y = y + p["bias"]
    if "missing" not in p:
        y = y * 2.0
    return y


def named_tuple_argument(p):
    return p.x * p.y**2 + p.norm()


def named_tuple_temporary(x, y):
    p = Point(x * y, y=x)
    q = p._replace(x=p.x + 1.0)
    return q.norm() * p[0]


def long_list_argument(xs):
    s = 0.0
    for i in range(len(xs)):
        s += xs[i] ** 2 * (i % 3)
    return s


def list_of_arrays(ws, x):
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x)


def list_of_pairs(layers, x):
    for w, b in layers:
        x = np.sin(x * w + b)
    return x


def conditional_containers(x):
    pair = (x, 2.0 * x) if x > 0 else (x * x, x)
    return pair[0] * pair[1]


def container_carried_by_loop(x):
    state = (x, 1.0)
    for _ in range(4):
        state = (state[0] * 0.5 + state[1], state[0] * state[1])
    return state[0] + state[1]


def slice_of_tuple(x):
    t = (x, x * x, x**3, 1.0)
    return sum(t[1:3]) + t[::-1][1]


def tuple_compare_and_len(t):
    return sum(t) if len(t) == 2 else t[0]


def zip_and_dict(x):
    d = dict(zip(("a", "b"), (x, x * x)))
    return d["a"] * d["b"]


def pairs_that_nest(v):
    nested = None
    for i in range(len(v)):
        nested = (v[i], nested)
    total = 0.5
    while nested is not None:
        item, nested = nested
        total = total + item * item * total
    return total


def pairs_taken_apart(v):
    nested = 1.0
    for item in v:
        nested = [item, nested]
    first, (second, rest) = nested
    return first * second * second + rest[0] * nested[1][1][0]


def tuples_augmented(x):
    """What has no method of its own for it is bound anew."""
    grown, held, pair = (), {"t": (x[0],)}, Point(x[1], x[2])
    for i in range(3):
        grown += (x[i] ** 2,)
    first = grown
    grown *= 2
    held["t"] += (x[1], grown[4])
    pair += first
    if x[0] > 0:
        first += pair
    else:
        first += held["t"]
    return grown[3] * held["t"][2] + len(first) * first[4] * pair[2] + len(grown) * x[0]


def tuples_augmented_in_a_loop(x, n):
    rows, seen = (), (x[0],)
    for i in range(n):
        rows += (x * i,)
        seen += (x[i] ** 2,)
    return np.sum(rows[-1] * rows[1]) + seen[-1] * seen[0] * len(seen)


SAMPLES = {
    "pairs_that_nest": [(np.array([0.5, -0.7, 1.2]),)],
    "pairs_taken_apart": [(np.array([0.5, -0.7, 1.2]),)],
    "tuple_argument": [((0.4, 1.3),)],
    "list_argument": [([0.4, 1.3, -0.2],), ([0.4],)],
    "dict_argument": [({"w": 0.4, "b": 1.3},)],
    "nested_argument": [({"layers": (np.array([0.4, 1.3]), np.array([0.1, -0.2])), "scale": 0.7},)],
    "mixed_with_integers_and_strings": [({"x": 0.4, "power": 3, "kind": "sin"},), ({"x": 0.4, "power": 2, "kind": "id"},)],
    "tuple_result": [(0.4,)],
    "dict_result": [(np.array([0.4, 1.3]),)],
    "list_result": [(0.4,)],
    "nested_result": [(0.4, 1.3)],
    "result_with_inert_parts": [(0.4,)],
    "tuple_temporary": [(0.4,)],
    "list_temporary": [(0.4,)],
    "dict_temporary": [(0.4,)],
    "dict_of_functions_of": [(0.4,)],
    "membership_tests": [({"x": 0.4, "bias": 1.3},), ({"x": 0.4},)],
    "named_tuple_argument": [(Point(0.4, 1.3),)],
    "named_tuple_temporary": [(0.4, 1.3)],
    "long_list_argument": [([0.1 * i for i in range(20)],)],
    "list_of_arrays": [([np.array([[0.5, 1.0], [-0.3, 0.8]]), np.array([[0.2, -0.4]])], np.array([0.3, -0.4]))],
    "list_of_pairs": [([(0.4, 1.3), (0.2, -0.7)], 0.9)],
    "conditional_containers": [(0.4,), (-0.4,)],
    "container_carried_by_loop": [(0.4,)],
    "slice_of_tuple": [(0.4,)],
    "tuple_compare_and_len": [((0.4, 1.3),)],
    "zip_and_dict": [(0.4,)],
    "tuples_augmented": [(np.array([0.5, 1.2, -0.7]),), (np.array([-0.5, 1.2, -0.7]),)],
    "tuples_augmented_in_a_loop": [(np.array([0.5, 1.2, -0.7]), 3)],
}
