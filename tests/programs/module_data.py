"""Numbers, arrays, functions and objects of the module, read when the call runs."""

import functools
import math
import types
from dataclasses import dataclass, field

import numpy as np

RATE = 0.7
STEPS = 3
ENABLED = True
NAME = "sine"
WEIGHTS = np.array([0.2, 0.5, -0.4])
MATRIX = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])
LAYERS = [(MATRIX, np.array([0.1, 0.2])), (MATRIX.T, WEIGHTS)]
CONSTANTS = {"g": 9.81, "c": (1.0, 2.0)}
BOUNDS = (-1.0, 2.0)
NOTHING = None


@dataclass
class Settings:
    scale: float = 1.5
    table: np.ndarray = field(default_factory=lambda: np.array([1.0, -2.0, 0.5]))

    def apply(self, x):
        return self.scale * x * x


class Nested:
    def __init__(self):
        self.settings = Settings()
        self.factor = 3


SETTINGS = Settings()
NESTED = Nested()
SPACE = types.SimpleNamespace(alpha=0.3, inner=types.SimpleNamespace(beta=2.0))


def global_number(x):
    return RATE * x * x


def global_integer(x):
    y = x
    for _ in range(STEPS):
        y = y * x + STEPS
    return y


def global_flag_and_string(x):
    if ENABLED and NAME == "sine" and NOTHING is None:
        return math.sin(x)
    return x


def global_array(x):
    return np.sum(WEIGHTS * x**2)


def global_matrix(x):
    return np.sum(np.tanh(MATRIX @ x))


def global_list_of_pairs(x):
    for w, b in LAYERS:
        x = np.tanh(w @ x + b)
    return np.sum(x)


def global_dict(x):
    return CONSTANTS["g"] * x + CONSTANTS["c"][1] * x * x


def global_tuple_bounds(x):
    low, high = BOUNDS
    return (x - low) * (high - x)


def object_attributes(x):
    return SETTINGS.scale * x + np.sum(SETTINGS.table * x)


def object_method(x):
    return SETTINGS.apply(x) + SETTINGS.apply(2.0)


def nested_attributes(x):
    return NESTED.settings.scale * x**NESTED.factor + SPACE.alpha * x * SPACE.inner.beta


def getattr_by_name(x):
    return getattr(SETTINGS, "scale") * x + getattr(SETTINGS, "missing", 2.0) * x * x


def module_attribute(x):
    return np.pi * x + math.e * x**2


def object_argument_inert_array(x, table=WEIGHTS):
    return np.sum(table * x)


def global_function_table(x):
    return _TABLE[NAME](x) * x


_TABLE = {"sine": math.sin, "cosine": math.cos}

@functools.lru_cache(maxsize=None)
def _grid(n):
    return np.linspace(0.5, 2.0, n)


@functools.cache
def _tables(n):
    return _grid(n), n, {"ones": np.ones(n), "settings": Settings()}


def cached_array(x):
    return np.sum(_grid(3) * x * x) + np.dot(x, _grid(3)) ** 2 + np.sum(x / _grid(3))


def cached_structure(x):
    grid, n, rest = _tables(3)
    y = np.sum(rest["ones"] * x**n * grid) * rest["settings"].scale
    for weight in _grid(n):
        y += weight * x[0] ** 2
    return y


def cached_work_array(x):
    _work(3)[:] = x * x
    _work(3)[1:] *= _grid(2)
    return _work(3) @ x


@functools.lru_cache(maxsize=None)
def _work(n):
    return np.zeros(n)


SAMPLES = {
    "global_number": [(0.7,)],
    "global_integer": [(0.7,)],
    "global_flag_and_string": [(0.7,)],
    "global_array": [(np.array([0.5, -0.7, 1.2]),), (0.7,)],
    "global_matrix": [(np.array([0.5, -0.7, 1.2]),)],
    "global_list_of_pairs": [(np.array([0.5, -0.7, 1.2]),)],
    "global_dict": [(0.7,)],
    "global_tuple_bounds": [(0.7,)],
    "object_attributes": [(0.7,)],
    "object_method": [(0.7,)],
    "nested_attributes": [(0.7,)],
    "getattr_by_name": [(0.7,)],
    "module_attribute": [(0.7,)],
    "object_argument_inert_array": [(np.array([0.5, -0.7, 1.2]),)],
    "global_function_table": [(0.7,)],
    "cached_array": [(np.array([0.5, -0.7, 1.2]),)],
    "cached_structure": [(np.array([0.5, -0.7, 1.2]),)],
    "cached_work_array": [(np.array([0.5, -0.7, 1.2]),)],
}
