"""Whether complex numbers may come up at all: where they may, the cotangent of a value whose type is not known is made
real, when the code runs, where the value is.

Most programs hold none. Then no cotangent is complex either, and nothing is asked.
"""

from __future__ import annotations

import operator
from itertools import islice
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.ir.nodes import Call, Const
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Maybe, Type, Unknown, is_complex

PLAIN = ("builtins", "operator", "math", "itertools", "functools", "collections", "numpy", "adcompile")
"""Packages whose functions give real numbers for real ones, but for those that follow."""
MODULES = ("numpy.fft", "numpy.lib.scimath", "adcompile.runtime.calls", "adcompile.runtime.dynamic")
FUNCTIONS = (complex, np.roots, np.linalg.eig, np.linalg.eigvals, np.ndarray.astype, np.ndarray.view)
POWERS = (operator.pow, operator.ipow, pow)  # of a negative number of Python
CLASSES = (complex, np.complexfloating)


def is_unknown(t: Type) -> bool:
    return is_unknown(t.type) if isinstance(t, Maybe) else isinstance(t, Unknown)


def may_arise(b: Builder) -> bool:
    """Whether one of the values so far is complex, or may be: by its type, made of a constant, or by a function that
    makes complex numbers of real ones."""
    context = b.context
    if not context.complexes:
        types, calls = context.searched
        found = any(is_complex(t) and not is_unknown(t) for t in islice(context.types.values(), types, None))
        found = found or any(_makes_complex(b, call) for call in islice(context.definition.values(), calls, None))
        context.complexes, context.searched = found, (len(context.types), len(context.definition))
    return context.complexes


def _makes_complex(b: Builder, call: Call) -> bool:
    if call.role != "primal":
        return False
    given = (*call.args, *(v for _, v in call.kwargs))
    if any(isinstance(a, Const) and _is_complex_constant(a.value) for a in given):
        return True
    return is_unknown(b.type(call.result)) and not _keeps_real(call)


def _is_complex_constant(value: Any) -> bool:
    """A number, an array, or what stands for a dtype."""
    if isinstance(value, type):
        return issubclass(value, CLASSES)
    if isinstance(value, str):
        return value.lstrip("<>=|").startswith(("c", "F", "D", "G"))
    dtype = value if isinstance(value, np.dtype) else getattr(value, "dtype", None)
    return isinstance(value, CLASSES) or isinstance(dtype, np.dtype) and dtype.kind == "c"


def _keeps_real(call: Call) -> bool:
    if not isinstance(call.fn, Const):
        return False  # chosen when the code runs
    fn = call.fn.value
    if isinstance(fn, FunctionRef):
        return True  # what it does is among the statements
    if any(fn is f for f in POWERS):
        given = (*call.args, *(v for _, v in call.kwargs))
        return isinstance(given[-1], Const) and isinstance(given[-1].value, int)
    module = getattr(fn, "__module__", None) or "builtins"  # methods of built-in classes name none
    return module.lstrip("_").split(".")[0] in PLAIN and module not in MODULES and not any(fn is f for f in FUNCTIONS)
