"""Lowered functions mean what Python means: value, type, exception, printed output."""

import contextlib
import copy
import io
import types

import numpy as np
import pytest

from adcompile.frontend.lower import lower_function
from adcompile.ir.show import show
from adcompile.ir.verify import verify
from tests.frontend import language
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
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return f"{type(value).__name__}({', '.join(map(describe, value))})"
    return f"{type(value).__name__}:{value!r}"


@pytest.mark.parametrize("fn, args, kwargs", language.CALLS, ids=lambda v: getattr(v, "__name__", None))
def test_means_what_python_means(fn, args, kwargs):
    verify(lower_function(fn))
    assert outcome(lambda *a, **k: interpret(fn, *a, **k), *args, **kwargs) == outcome(fn, *args, **kwargs), show(
        lower_function(fn)
    )
