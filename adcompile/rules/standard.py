"""Python's standard library, where it is met beside numbers: logs, warnings, bisection, choices by heaps, draws."""

from __future__ import annotations

import bisect
import heapq
import logging
import random
import warnings
from typing import Any

from adcompile.ir.types import FLOAT, INT, UNKNOWN, Instance, Known, Scalar, Type, scalar, widen
from adcompile.rules.kinds import constant, overlay
from adcompile.rules.registry import Rule, register
from adcompile.rules.typing import Typing, always

NONE = always(Known(None))

constant(bisect.bisect_left, bisect.bisect_right, typing=always(INT))


@overlay(heapq.nsmallest)
def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """What the documentation of `heapq` says that it is."""
    return sorted(iterable, key=key)[: max(n, 0)]


@overlay(heapq.nlargest)
def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


# -- what is said: a message may be of values that carry derivatives -----------------------------

_LEVELS = "debug info warning error exception critical log"
constant(*(getattr(logging, name) for name in _LEVELS.split()), typing=NONE, pure=False)
constant(logging.getLogger, typing=always(Instance(logging.Logger)), pure=False)
constant(warnings.warn, typing=NONE, pure=False)

# -- draws: they move with their parameters, so that zero would be wrong -------------------------

_FLOATS = (
    "uniform triangular normalvariate gauss lognormvariate expovariate vonmisesvariate gammavariate betavariate "
    "paretovariate weibullvariate"
)


def of_numbers(kinds: Scalar, result: Type) -> Typing:
    """The typing of draws: of numbers of Python's their result is one."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        given = [widen(t) for t in (*args[1:], *kwargs.values())]
        return result if all(isinstance(t, Scalar) and t.kinds <= kinds.kinds for t in given) else UNKNOWN

    return typing


for name in _FLOATS.split():
    typing = of_numbers(scalar(int, float), FLOAT)
    register(getattr(random.Random, name), Rule("primitive", typing=typing, pure=False))
constant(random.Random.random, typing=always(FLOAT), pure=False)
for name in ("randint", "randrange", "getrandbits"):
    constant(getattr(random.Random, name), typing=of_numbers(scalar(int), INT), pure=False)
constant(random.Random.seed, typing=NONE, pure=False)
