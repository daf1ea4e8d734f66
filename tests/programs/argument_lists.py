"""Calls with splats of what has no known length, names for the elements of arrays, generators that are taken whole."""

import collections
import math

import numpy as np

NAMES = ("rate", "scale", "shift")
Decay = collections.namedtuple("Decay", "rate scale shift")


def _decay(t, rate, scale, shift=1.0):
    return scale * np.exp(-rate * t) + shift


def splat_of_an_array(theta, t):
    return np.sum(_decay(t, *theta) ** 2)


def splat_behind_others(theta, x):
    def spring(x, k, *rest, damping=0.5):
        return k * x * x + sum(r * x for r in rest) * damping

    return spring(x, *theta) + spring(x, *theta, damping=theta[0])


def splat_into_varargs(theta):
    def product(*parts):
        first, *others = parts
        return first * sum(others) + parts[-1] ** 2

    return product(*theta)


def splat_before_others(theta):
    def weighted(a, b, c, weight):
        return weight * (a * b + c)

    return weighted(*theta, theta[1])


def splat_of_a_list_of_unknown_length(x):
    powers = [v**2 for v in x]
    return _decay(0.5, *powers)


def extremes_of_a_splat(theta):
    return max(*theta) * min(*theta) + np.hypot(*theta[:2])


def namedtuple_of_an_array(theta):
    p, q = Decay(*theta), Decay._make(theta)
    return p.rate * q.scale + p._asdict()["shift"] ** 2


def dict_of_names_and_elements(theta):
    p = dict(zip(NAMES, theta))
    return p["rate"] * p["scale"] + p["shift"] ** 3


def comprehension_of_names(theta):
    p = {name: value**2 for name, value in zip(NAMES, theta)}
    return p["rate"] * p["scale"] + p["shift"]


def names_in_a_loop(theta):
    p = dict.fromkeys(NAMES, 1.0)
    for i, (name, value) in enumerate(zip(NAMES, theta)):
        p[name] += i * value**2
    return p["rate"] * p["scale"] + p["shift"]


def written_while_names_are_read(theta):
    theta = theta * 1.0
    total = {}
    for name, value in zip(NAMES, theta):
        theta[2] = theta[2] * value
        total[name] = value
    return total["shift"] + theta[2] * total["rate"]


def many_functions(x):
    total = 0.0
    for f in (
        math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh, math.exp,
        math.expm1, math.log, math.log2, math.log10, math.log1p, math.sqrt, math.erf, math.erfc, math.gamma,
    ):  # fmt: skip
        total += f(x)
    return total


def generator_that_is_unpacked(x):
    a, b = (v * v for v in (x, x + 1.0))
    return a * b


def generator_as_arguments(x):
    def combine(a, b, c=1.0):
        return a * b + c

    return combine(*(v * x for v in (x, 2.0, x + 1.0)))


def generator_in_a_display(x):
    items = [x, *(v**2 for v in (x, 2.0 * x))]
    return items[0] * items[1] + items[2]


def generator_that_is_counted(x):
    pairs = list(enumerate(math.sin(k * x) for k in range(4)))
    return sum(i * v for i, v in pairs)


def splat_of_shapes(x):
    """Into a function of NumPy's that is no rule's to follow."""
    shapes = []
    for k in range(len(x)):
        shapes.append(x[k:, None][:1].shape)
    return np.sum(x**2) * len(np.broadcast_shapes(*shapes))


THETA = np.array([0.7, 1.3, 0.4])
SAMPLES = {
    "splat_of_shapes": [(THETA,)],
    "splat_of_an_array": [(THETA, np.array([0.5, 1.5])), (THETA[:2], np.array([0.5, 1.5]))],
    "splat_behind_others": [(THETA, 0.8), (THETA[:1], 0.8)],
    "splat_into_varargs": [(THETA,)],
    "splat_before_others": [(THETA,)],
    "splat_of_a_list_of_unknown_length": [(THETA,)],
    "extremes_of_a_splat": [(THETA,)],
    "namedtuple_of_an_array": [(THETA,)],
    "dict_of_names_and_elements": [(THETA,)],
    "comprehension_of_names": [(THETA,), (np.append(THETA, 2.0),)],
    "names_in_a_loop": [(THETA,)],
    "written_while_names_are_read": [(THETA,)],
    "many_functions": [(0.4,)],
    "generator_that_is_unpacked": [(0.7,)],
    "generator_as_arguments": [(0.7,)],
    "generator_in_a_display": [(0.7,)],
    "generator_that_is_counted": [(0.7,)],
}
