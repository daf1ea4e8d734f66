"""Attributes that classes compute: once, above what a class in front of them says, or where there is none else."""

import functools
import math


class _Base:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def energy(self):
        return self.x[0] ** 2


class _Above(_Base):
    @functools.cached_property
    def energy(self):
        return super().energy * 2


class _Beside(_Base):
    @property
    def twice(self):
        return super().energy * 2 + self.energy


class _Plain(_Base):
    @property
    def energy(self):
        return super().energy * 3


def cached_above_cached(x):
    return _Above(x).energy * x[1] + _Beside(x).twice + _Plain(x).energy


class _Falls:
    """What a property has not got, `__getattr__` gives."""

    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return 3.0

    @property
    def none(self):
        raise AttributeError("none")

    @functools.cached_property
    def nor(self):
        return self._missing

    @property
    def some(self):
        return self.x[1] * self.other


def properties_without_an_answer(x):
    a = _Falls(x)
    told = hasattr(a, "none") + hasattr(a, "nor") + hasattr(a, "_nothing")
    return a.none * x[0] * told + getattr(a, "nor", 1.0) * x[1] + getattr(a, "_other", x[0]) * a.some


def the_same_nan_is_found(x):
    nan = float("nan")
    found = (nan in (1.0, nan)) + (math.nan in [math.nan])
    return x[0] * found + (x[1] if nan in {nan: 1} else 0.0)


SAMPLES = {
    "cached_above_cached": [([1.5, 2.0],)],
    "properties_without_an_answer": [([1.5, 2.0],)],
    "the_same_nan_is_found": [([1.5, 2.0],)],
}
