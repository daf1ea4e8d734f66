"""Powers of Python's numbers, which are complex where the base is negative and the exponent is no whole number.

Their type says float, so that loops over numbers stay what they are in Python. Where nothing proves that the base is
not negative, the power is asked when the code runs, and a complex one is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.views import fn_of
from adcompile.autodiff.dynamic import at
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Known, Scalar

POWERS: tuple[Any, ...] = (operator.pow, operator.ipow, pow)
NEVER_NEGATIVE: tuple[Any, ...] = (
    abs, operator.abs, len, math.fabs, math.exp, math.sqrt, math.hypot, math.cosh, math.dist, np.exp, np.sqrt,
)  # fmt: skip
OF_SUCH: tuple[Any, ...] = (
    operator.add, operator.iadd, operator.mul, operator.imul, operator.truediv, operator.itruediv, min, float, math.pow,
    *POWERS,
)  # fmt: skip
"""Not negative where no operand is."""
DEEPEST = 8


def of_power(context: Context, s: Call) -> list[Statement]:
    """The check that stands behind a power which its type takes for a float, and may be complex."""
    if fn_of(s) not in POWERS or len(s.args) != 2 or s.role != "primal":
        return []
    b = Builder(context, s.role, place=s.place)
    if not may_be_complex(context, s):
        return []
    b.emit(rt.check_real, (at(s.place), s.result), Known(None), (), "", s.place)
    return b.statements


def may_be_complex(context: Context, s: Call) -> bool:
    b = Builder(context)
    base, exponent = (kinds_of(b, a) for a in s.args)
    told = kinds_of(b, s.result)
    if float not in exponent or not base & {int, float} or complex in told or float not in told:
        return False
    power = s.args[1]
    if isinstance(power, Const) and float(power.value).is_integer():
        return False
    return not is_never_negative(context.definition, s.args[0])


def kinds_of(b: Builder, atom: Atom) -> frozenset[type]:
    t = b.type(atom)
    return t.kinds if isinstance(t, Scalar) else frozenset({type(t.value)}) if isinstance(t, Known) else frozenset()


def is_never_negative(definition: Mapping[Var, Call], atom: Atom, depth: int = 0) -> bool:
    if isinstance(atom, Const):
        return isinstance(atom.value, (int, float)) and atom.value >= 0.0
    made = definition.get(atom)
    if made is None or depth > DEEPEST:
        return False
    fn, args = fn_of(made), made.args
    if fn in NEVER_NEGATIVE:
        return True
    if fn in (operator.mul, operator.imul) and args[0] is args[1]:
        return True
    if fn in POWERS and len(args) == 2 and isinstance(args[1], Const) and args[1].value in (2, 4):
        return True
    if fn is max:
        return any(is_never_negative(definition, a, depth + 1) for a in args)
    return fn in OF_SUCH and all(is_never_negative(definition, a, depth + 1) for a in args)
