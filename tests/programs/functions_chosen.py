"""Functions that depend on the path: called, compared, asked, handed on, called with splats."""

import operator

import numpy as np

TABLE = {"sin": np.sin, "cos": np.cos, "exp": np.exp}
BINARY = {"+": operator.add, "*": operator.mul, "sin": np.sin}


def _chosen(k):
    return np.sin if k == 0 else np.cos if k == 1 else np.exp


def _total(*items):
    return sum(items)


def _product(*items):
    out = 1.0
    for item in items:
        out = out * item
    return out


class _Law:
    def __init__(self, rate):
        self.rate = rate

    def decay(self, t):
        return np.exp(-self.rate * t)

    def growth(self, t):
        return np.exp(self.rate * t)


SLOW, FAST = _Law(0.5), _Law(2.0)


def one_of_three(x, k):
    f = np.sin if k == 0 else np.cos if k == 1 else np.exp
    return f(x[0]) * TABLE["sin cos exp".split()[k]](x[1])


def one_of_three_in_a_loop(x, turn):
    for i in range(20):
        f = _chosen(0)
        if i == turn:
            f = np.exp
        elif i > 7:
            f = np.cos
        elif i > 3:
            f = np.tanh
        x = f(x)
    return x[0] * x[1]


def chosen_before_a_loop(x, k):
    f = _chosen(k)
    for i in range(20):
        if i == 7:
            f = np.tanh
        x = f(x) + 0.1 * x
    return np.sum(x)


def chosen_is_asked(x, k):
    f = _chosen(k)
    factor = 2.0 if f is np.sin else 3.0 if f == np.cos else 4.0
    if f is not None and callable(f):
        factor = factor * len(f.__name__)
    return x[0] * factor * {np.sin: 1.0, np.cos: 2.0, np.exp: 3.0}[f] * len(str([f, f]))


def chosen_or_none(x, k):
    f = _chosen(k) if k < 2 else None
    return f(x[0]) if f is not None else x[0] * x[1]


def chosen_of_chosen(x, k):
    f = _chosen(k)
    g = f if k < 1 else np.tanh
    h = g if k < 2 else f
    return f(x[0]) + g(x[1]) * h(x[0])


def chosen_is_handed_on(x, k):
    functions = [_chosen(k), _chosen(k + 1)]
    out = 0.0
    for f in functions:
        out += sum(map(f, x))
    return out


def chosen_methods(x, k):
    law = SLOW.decay if k == 0 else SLOW.growth if k == 1 else FAST.decay
    other = law if k < 2 else FAST.growth
    return law(x[0]) * other(x[1])


def chosen_with_splat(x, k):
    f = _total if k == 0 else _product
    items = [v * v for v in x if v > 0]
    return f(*items) + f(*x)


def expression_tree(x, tree):
    if isinstance(tree, int):
        return x[tree]
    return BINARY[tree[0]](*[expression_tree(x, part) for part in tree[1:]])


def _point():
    return np.array([0.4, 1.3])


TREE = ("+", ("*", 0, 1), ("sin", ("*", 1, ("+", 0, 1))))
class _Steps:
    def longer(self, v):
        return v * v * v

    def shorter(self, v):
        return v * 2.0


def methods_of_ufuncs_and_objects_chosen(x, k):
    """Bound methods are made anew at each access: they are equal, and not the same."""
    steps = _Steps()
    f = np.add.reduce if k > 1 else np.multiply.reduce
    g = np.add.outer if k > 0 else np.multiply.outer
    h = steps.longer
    for i in range(k):
        h = steps.shorter if i else steps.longer
    named = {"sum": np.add.reduce, "product": np.multiply.reduce}["sum" if k == 1 else "product"]
    return f(x) + np.sum(g(x, x) ** 2) * h(x[0]) + named(x)


class _Gain:
    def __init__(self, gain):
        self.gain = gain

    def of(self, z):
        return z * self.gain


_DOUBLE, _TRIPLE = _Gain(2.0), _Gain(3.0)


def method_of_one_of_two_objects(x, k):
    f = _DOUBLE.of if k > 1 else _TRIPLE.of
    return f(x) * x


def method_of_one_of_two_made_here(x, k):
    a, b = _Gain(2.0 * x), _Gain(x * x)
    f = a.of
    if k > 1:
        f = b.of
    return f(x)


def method_of_one_of_two_arrays(x, k):
    v, w = np.array([1.0, 2.0]), np.array([x, 4.0])
    dot = v.dot if k > 1 else w.dot
    return dot(np.array([x, x * x]))


def method_of_one_of_two_lists(x, k):
    v, w = [x, 2.0], [3.0]
    put = v.append if k > 1 else w.append
    put(x * x)
    return sum(v) + 3.0 * sum(w)


def two_functions_swapped(x, k):
    f, g = np.sin, np.cos
    for _ in range(k):
        x = f(x) + 0.1 * g(x)
        f, g = g, f
    return np.sum(x)


def _one_stage(x, h):
    return x + h * np.sin(x)


def _two_stages(x, h):
    return x + h * np.sin(x + 0.5 * h * np.sin(x))


def method_switched_on_the_way(x, k):
    step = _one_stage
    for _ in range(k):
        y = step(x, 0.1)
        if np.max(y - x) > 0.085:
            step = _two_stages
        x = y
    return np.sum(x)


def chosen_while_it_runs(x, k):
    functions = [np.sin, np.cos, np.tanh]
    f = functions[k % 3]
    while k < 9:
        x = f(x) * 0.7
        f = functions[0] if f is functions[1] else functions[1]
        k += 2
    return np.sum(x)


def functions_in_a_pair(x, k):
    pair = (np.sin, np.cos)
    for i in range(5):
        x = pair[0](x)
        if i == k:
            pair = (pair[1], np.tanh)
    return np.sum(x)


def first_chosen_on_the_way(x, k):
    for i in range(5):
        if i == 0:
            f = np.sin
        elif i == k:
            f = np.cos
        x = f(x)
    return np.sum(x)


SAMPLES = {
    **{
        name: [(np.array([0.4, 1.3]), k) for k in (1, 2, 7)]
        for name in (
            "two_functions_swapped",
            "method_switched_on_the_way",
            "chosen_while_it_runs",
            "functions_in_a_pair",
            "first_chosen_on_the_way",
        )
    },
    "methods_of_ufuncs_and_objects_chosen": [(_point(), k) for k in range(3)],
    "one_of_three": [(_point(), k) for k in range(3)],
    "one_of_three_in_a_loop": [(_point(), 5)],
    "chosen_before_a_loop": [(_point(), 1)],
    "chosen_is_asked": [(_point(), k) for k in range(3)],
    "chosen_or_none": [(_point(), 0), (_point(), 2)],
    "chosen_of_chosen": [(_point(), k) for k in range(3)],
    "chosen_is_handed_on": [(_point(), 0), (_point(), 1)],
    "chosen_methods": [(_point(), k) for k in range(3)],
    "chosen_with_splat": [(_point(), 0), (_point(), 1)],
    "expression_tree": [(_point(), TREE)],
    "method_of_one_of_two_objects": [(0.7, 2), (0.7, 0)],
    "method_of_one_of_two_made_here": [(0.7, 2), (0.7, 0)],
    "method_of_one_of_two_arrays": [(0.7, 2), (0.7, 0)],
    "method_of_one_of_two_lists": [(0.7, 2), (0.7, 0)],
}
