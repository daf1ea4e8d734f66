"""Functions that are known only when the code runs: elements of tables at run-time positions,
attributes, methods of values of unknown type."""

import math

import numpy as np


def _twice(x):
    return 2.0 * x


def _squared(x, by=1.0):
    return by * x * x


def _halves(x):
    return 0.5 * x, x - 0.25


class Layer:
    def __init__(self, activations, scale):
        self.activations, self.scale = activations, scale
        self.by_name = {"tanh": np.tanh, "sin": np.sin, "lin": _twice}


layer = Layer([np.tanh, np.sin, _squared], 0.8)
actions = [np.sin, _twice, _squared, np.cos]
split = {"halves": _halves}
settings = {"power": 2.5, "weights": [1.0, 2.0, 0.5]}


def picked(x, which):
    return actions[which](x) * x


def picked_in_a_loop(x, choice):
    for i in choice:
        x = actions[i](x) + 0.1
    return x


def picked_layers(x, w, choice):
    for i in choice:
        x = layer.activations[i](w @ x) * layer.scale
    return np.sum(x * x)


def picked_by_name(x, names):
    y = 1.0
    for name in names:
        y = y * layer.by_name[name](x)
    return y


def picked_with_keywords(x, scale, which):
    return actions[which](x, by=scale) * x


def picked_parts(x, key):
    a, b = split[key](x)
    return a * b + split[key](b)[0]


def picked_in_a_branch(x, which, flag):
    f = actions[which] if flag else layer.activations[which]
    return np.sum(f(x) * x)


def picked_until(x, choice):
    k = 0
    while x < 3.0 and k < 6:
        x = actions[choice[k % len(choice)]](x) + 1.0
        if x > 2.5:
            break
        k += 1
    return x


def method_of_an_unknown_value(x, which):
    y = actions[which](x)
    return y.sum() + (y * y).reshape(-1, 1).T[0, 1]


def attribute_of_an_unknown_value(x, which):
    y = actions[which](np.outer(x, x))
    return np.sum(y.T[0] * x) + y.real.mean(axis=0)[1]


def element_of_an_unknown_value(x, which):
    y = actions[which](x)
    return y[0] * y[1:][0] + np.sum(y[::-1] * x)


def unknown_numbers(x, key):
    return x ** settings[key] + math.sin(x) * settings[key]


I = np.array([0, 2, 1])
X = np.array([0.3, 0.7, 1.1])
W = np.array([[0.5, -0.2, 0.1], [0.3, 0.4, -0.6], [0.1, 0.2, 0.7]])


class _Solver:
    order = 1

    def __init__(self, x):
        self.x = x

    def step(self, z):
        return z * 2.0 + self.order


class _Cached:
    def __init__(self):
        self.extra = 1.0

    def cached(self, z):
        if not hasattr(self, "_last"):
            self._last = z * 2.0
        return self._last


class _Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


def attributes_that_some_paths_leave_out(x, k):
    """What an object has by itself depends on the path: it is asked for, and hides what its class says."""
    solver, late, slotted = _Solver(x), _Cached(), _Slotted(x)
    if k > 1:
        solver.extra = x * 3.0
        solver.order = 5
        slotted.b = x * x
    for i in range(k):
        late.cached(i + 1)
        if i == 1:
            del late.extra
    total = solver.extra if hasattr(solver, "extra") else x * x
    total = total * (late._last if hasattr(late, "_last") else 1.0)
    total = total + (slotted.b if hasattr(slotted, "b") else slotted.a)
    return total * (2.0 if hasattr(late, "extra") else 3.0) + solver.step(x)


def method_that_an_attribute_hides_on_one_path(x, k):
    solver, late = _Solver(1.0), _Solver(1.0)
    if k > 1:
        solver.step = math.floor
    for _ in range(k):
        late.step = len
    return x * solver.step(1.5) + x**2 * callable(late.step) * (3 if late.step is len else 2)


def later_objects_have_more(x, k):
    """A list that grows, of objects and dicts: those that are made later have an attribute or key more."""
    solvers, tables = [_Solver(x)], [{"a": x}]
    for i in range(k):
        solver = _Solver(solvers[-1].x * 0.5)
        if i % 2:
            solver.extra = solvers[-1].x * x
        solvers.append(solver)
        tables.append({"a": tables[-1]["a"] * 0.5, "before": tables[0]["a"]})
    total = sum(s.extra if hasattr(s, "extra") else s.x for s in solvers)
    return total * solvers[0].x + tables[-1]["a"] * tables[0]["a"]


SAMPLES = {
    "later_objects_have_more": [(0.7, k) for k in (0, 1, 3)],
    "attributes_that_some_paths_leave_out": [(0.7, k) for k in range(4)],
    "method_that_an_attribute_hides_on_one_path": [(0.7, k) for k in range(3)],
    "picked": [(0.4, 2), (X, 0), (X, 1)],
    "picked_in_a_loop": [(0.4, I), (X, I), (0.4, I[:0])],
    "picked_layers": [(X, W, I)],
    "picked_by_name": [(0.4, ["tanh", "lin", "sin", "lin"])],
    "picked_with_keywords": [(0.4, 1.5, 2)],
    "picked_parts": [(0.4, "halves")],
    "picked_in_a_branch": [(X, 1, True), (X, 0, False)],
    "picked_until": [(0.4, I)],
    "method_of_an_unknown_value": [(X, 0)],
    "attribute_of_an_unknown_value": [(X, 2)],
    "element_of_an_unknown_value": [(X, 0)],
    "unknown_numbers": [(1.3, "power")],
}
