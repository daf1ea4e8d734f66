"""Whether a function means lowered and interpreted what it means run by Python."""

import contextlib
import copy
import io
import types

import numpy as np

from adcompile.frontend.lower import lower_function
from adcompile.ir.show import show
from adcompile.ir.verify import verify
from tests.interpret import interpret


def outcome(call, *args, **kwargs):
    """What a call does, as text that tells all values apart."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            value = describe(call(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
        except Exception as error:
            text = "" if isinstance(error, (UnboundLocalError, TypeError)) else str(error)
            cause = type(error.__cause__).__name__, type(error.__context__).__name__ if error.__cause__ else ""
            value = f"{type(error).__name__}: {text} {cause}"
    return value, printed.getvalue()


def describe(value):
    if isinstance(value, types.FunctionType):
        return describe(value())
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {value.tolist()})"
    if type(value) in (tuple, list):
        return f"{type(value).__name__}({', '.join(map(describe, value))})"
    return f"{type(value).__name__}:{value!r}"


def check(fn, args, kwargs):
    """The same value, type, exception and printed output."""
    function = lower_function(fn)
    verify(function)
    expected = outcome(fn, *args, **kwargs)
    assert outcome(lambda *a, **k: interpret(fn, *a, **k), *args, **kwargs) == expected, show(function)


def name_of(value):
    return getattr(value, "__name__", None)
