"""numpy.random: draws, which have the type that size and dtype tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.ir.types import FLOAT, INT, UNKNOWN, Array, Dim, Instance, Known, Scalar, TupleT, Type, scalar, widen
from adcompile.rules.kinds import constant
from adcompile.rules.numpy.constant import present, without_rule
from adcompile.rules.typing import Typing, always

SOURCES = (np.random, np.random.RandomState, np.random.Generator)


def parameter(args: list[Type], kwargs: dict[str, Type], position: int, name: str) -> Type:
    """What is given for a parameter of a draw; None where nothing is."""
    return args[position] if position < len(args) else kwargs.get(name, Known(None))


def sized(size: Type, kind: Any, item: Type) -> Type:
    """The type of a draw: an array of this kind, or an `item` where no size is given."""
    dims = size_dims(size)
    return UNKNOWN if dims is None else Array(np.dtype(kind), dims) if size != Known(None) else item


def size_dims(size: Type) -> tuple[Dim, ...] | None:
    match size:
        case Known(None):
            return ()
        case Known(int()):
            return (_dim_of(size),)
        case Known(tuple() as shape):
            return tuple(_dim_of(Known(n)) for n in shape)
        case TupleT(items):
            return tuple(_dim_of(item) for item in items)
        case _:
            return ("any",) if size == INT else None


def _dim_of(t: Type) -> Dim:
    return "any" if not isinstance(t, Known) else "one" if t.value == 1 else "many"


def draw_type(kind: type, first: int, count: int) -> Typing:
    """The typing of a random draw with `count` parameters from argument `first` on, then its shape:
    parameters that are arrays give a shape that only running would tell."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        others = [*args[first : first + count], *(t for k, t in kwargs.items() if k != "size")]
        if len(args) > first + count + 1 or not all(t in DOUBLE or t in SINGLE or is_number(t) for t in others):
            return UNKNOWN  # an array of another dtype, or of a shape that only running would tell
        dtype = np.float32 if kwargs.get("dtype") in SINGLE else kind
        return sized(parameter(args, kwargs, first + count, "size"), dtype, scalar(kind))

    return typing


SINGLE = (Known(np.float32), Known(np.dtype(np.float32)))
DOUBLE = (Known(np.float64), Known(float), Known(np.dtype(float)))


def is_number(t: Type) -> bool:
    return isinstance(widen(t), Scalar)


def shape_arguments_type(first: int) -> Typing:
    """The typing of `np.random.rand(d0, d1, …)`, whose shape begins at argument `first`."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        return Array(np.dtype(float), tuple(_dim_of(t) for t in args[first:])) if args[first:] else FLOAT

    return typing


def integers_type(first: int, item: Type) -> Typing:
    """The typing of whole numbers between bounds, the first of which is argument `first`."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        bounds = [*args[first : first + 2], *(t for k, t in kwargs.items() if k in ("low", "high"))]
        if len(args) > first + 3 or "dtype" in kwargs or not all(is_number(a) or a == Known(None) for a in bounds):
            return UNKNOWN
        return sized(parameter(args, kwargs, first + 2, "size"), int, item)

    return typing


def choice_type(first: int) -> Typing:
    """The typing of a choice of items of an array, or of the numbers below argument `first`."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        pool = widen(parameter(args, kwargs, first, "a"))
        size = parameter(args, kwargs, first + 1, "size")
        if pool == INT:
            return sized(size, int, INT)
        if not isinstance(pool, Array) or pool.dims is None or len(pool.dims) != 1 or "axis" in kwargs:
            return UNKNOWN
        return sized(size, pool.dtype, scalar(pool.dtype.type))

    return typing


def permutation_type(first: int) -> Typing:
    """The typing of a permutation of an array, or of the numbers below argument `first`."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        pool = widen(parameter(args, kwargs, first, "x"))
        if pool == INT:
            return Array(np.dtype(int), ("any",))
        return pool if isinstance(pool, Array) and pool.dims else UNKNOWN

    return typing


_FIRST = "random random_sample standard_normal standard_exponential standard_cauchy"
_SECOND = "exponential poisson rayleigh pareto weibull power chisquare standard_gamma standard_t geometric logseries"
_THIRD = "normal uniform gamma beta gumbel laplace logistic lognormal vonmises wald f binomial negative_binomial"
SHIFTED = "normal uniform laplace logistic gumbel lognormal exponential rayleigh gamma".split()
"""Draws with derivatives: `rules/numpy/draws.py`."""
_WHOLE = ("poisson", "geometric", "logseries", "binomial", "negative_binomial")

for source in SOURCES:
    owner = 0 if source is np.random else 1  # of methods, the generator is the first argument
    for place, names in enumerate((_FIRST, _SECOND, _THIRD)):
        for name in names.split():
            if source is np.random and name in SHIFTED:
                continue  # a method of the generator that the module has, which is found by its function
            # a draw moves with its parameters: where they carry derivatives, zero would be wrong
            listed, outcome = (constant, int) if name in _WHOLE else (without_rule, float)
            listed(*present(source, name), typing=draw_type(outcome, owner, place), pure=False)
    constant(*present(source, "rand randn"), typing=shape_arguments_type(owner), pure=False)
    constant(*present(source, "randint"), typing=integers_type(owner, INT), pure=False)
    constant(*present(source, "integers"), typing=integers_type(owner, scalar(np.int64)), pure=False)
    without_rule(*present(source, "permuted multivariate_normal dirichlet triangular"), pure=False)
    constant(*present(source, "multinomial"), pure=False)
    constant(*present(source, "seed"), typing=always(Known(None)), pure=False)
constant(np.random.default_rng, typing=always(Instance(np.random.Generator)), pure=False)
constant(np.random.RandomState, typing=always(Instance(np.random.RandomState)), pure=False)
