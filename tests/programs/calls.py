"""Calls of user functions: positional, keyword, starred, default, recursive data, methods, partial."""

import functools
import math
import operator

import numpy as np


def _square(a):
    return a * a


def _weighted(a, b, weight=0.5, *, shift=0.0):
    return weight * a + (1.0 - weight) * b + shift


def _sum_all(*values, **named):
    total = 0.0
    for v in values:
        total = total + v
    for key in named:
        total = total + named[key] * len(key)
    return total


def _two_results(a):
    return math.sin(a), math.cos(a)


def call_twice(x):
    return _square(x) + _square(_square(x) + 1.0)


def call_keywords(x, y):
    return _weighted(b=x, a=y) * _weighted(x, y, shift=x, weight=0.3)


def call_starred(x, y):
    pair = (x, y)
    options = {"weight": x, "shift": y * y}
    return _weighted(*pair, **options)


def call_variadic(x, y):
    return _sum_all(x, y, x * y, a=x, bcd=y) + _sum_all()


def call_two_results(x):
    s, c = _two_results(x)
    return s * c + s


def positional_only(x, /, y, *, z=2.0):
    return x * y**z


def default_is_active_elsewhere(x):
    def shifted(a, by=x):
        return a * by

    return shifted(2.0) + shifted(x, by=3.0)


def variadic_entry(*xs):
    total = 1.0
    for v in xs:
        total = total * v
    return total


class _Model:
    """Read only: its weights are data of the module."""

    bias = 0.25

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x * x + self.bias

    def __getitem__(self, key):
        return self.weight * key

    @property
    def doubled(self):
        return 2.0 * self.weight

    @staticmethod
    def static(x):
        return x**3

    @classmethod
    def with_bias(cls, x):
        return x * cls.bias

    def method(self, x):
        return self(x) * self.doubled


class _Child(_Model):
    def method(self, x):
        return super().method(x) + x


_MODEL = _Model(1.5)
_CHILD = _Child(0.8)


def call_method(x):
    return _MODEL.method(x) + _MODEL(x)


def call_inherited(x):
    return _CHILD.method(x)


def call_static_and_class_method(x):
    return _Model.static(x) + _Model.with_bias(x)


def call_getitem(x):
    return _MODEL[x] * x


def call_partial(x, y):
    halfway = functools.partial(_weighted, y, shift=x)
    return halfway(x, weight=0.2)


def call_operator_module(x, y):
    return operator.mul(operator.add(x, y), operator.neg(operator.truediv(x, y)))


def call_partial_of_partial(x):
    f = functools.partial(_weighted, x)
    g = functools.partial(f, weight=0.9)
    return g(2.0) * g(x * x)


def _logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


@_logged
def _decorated(x):
    return x * math.sin(x)


def call_decorated(x):
    return _decorated(x) + _decorated(x=x * x)


@functools.lru_cache(maxsize=None)
def _binomial(n, k):
    return math.comb(n, k)


def call_cached_inert(x):
    s = 0.0
    for k in range(4):
        s += _binomial(3, k) * x**k
    return s


def _polynomial(x, coefficients):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


def call_with_list(x):
    return _polynomial(x, [1.0, x, 2.0]) + _polynomial(2.0, (x, x * x))


def call_with_array(x):
    return _polynomial(1.3, x) * _polynomial(x[0], x)


def numpy_through_alias(x):
    f = np.exp
    return f(x) * (lambda a: a * f(-a * a))(x)


SAMPLES = {
    "call_twice": [(0.7,)],
    "call_keywords": [(0.7, -1.2)],
    "call_starred": [(0.7, -1.2)],
    "call_variadic": [(0.7, -1.2)],
    "call_two_results": [(0.7,)],
    "positional_only": [(0.7, 1.2)],
    "default_is_active_elsewhere": [(0.7,)],
    "variadic_entry": [(0.7, 1.2, -0.4), (0.7,)],
    "call_method": [(0.7,)],
    "call_inherited": [(0.7,)],
    "call_static_and_class_method": [(0.7,)],
    "call_getitem": [(0.7,)],
    "call_partial": [(0.7, 1.2)],
    "call_operator_module": [(0.7, 1.2)],
    "call_partial_of_partial": [(0.7,)],
    "call_decorated": [(0.7,)],
    "call_cached_inert": [(0.7,)],
    "call_with_list": [(0.7,)],
    "call_with_array": [(np.array([0.5, -1.0, 0.3]),)],
    "numpy_through_alias": [(0.7,)],
}
