"""Programs as they are and with loop nests, run as plain Python and compared."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.ir.abstract import type_of
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.verify import verify_program
from adcompile.nests import nests
from adcompile.nests.elementwise import FUNCTIONS
from adcompile.pipeline import Request, finish, specialise
from adcompile.runtime.loops import Leave
from tests.checks import active


@dataclass(frozen=True)
class Both:
    """`plain` and `looped` are the function before and after; `text` is the latter's."""

    plain: Any
    looped: Any
    text: str
    program: Program
    changed: bool

    def agree(self, *args: Any, tolerance: float = 1e-12) -> bool:
        """Whether both give the same and leave the same in the arguments; False if the lowered one leaves.

        Raises AssertionError where they differ.
        """
        mine, its = copy.deepcopy(args), copy.deepcopy(args)
        try:
            wanted = self.run(self.plain, mine)
        except Exception as error:
            try:
                self.run(self.looped, its)
            except Exception as other:
                assert isinstance(other, (Leave, type(error))), other
                return False
            raise AssertionError(f"{error!r} was not raised") from error
        try:
            found = self.run(self.looped, its)
        except Leave:
            return False
        except AttributeError as error:
            if "'NoneType' object has no attribute 'shape'" not in str(error):
                raise
            return False  # of a value that is not there kernels know that, and Python finds None
        check(found, wanted, tolerance)
        check(its, mine, tolerance)
        return True

    def run(self, function: Any, args: Any) -> Any:
        """What the function gives; of a split derivative, its values and what the pullback gives."""
        result = function(*args)
        pullback = function.__globals__.get(f"{function.__name__}_pullback")
        if pullback is None:
            return result
        *values, kept = result
        y = values[0]
        if isinstance(y, np.ndarray) and y.dtype.kind in "fc":
            return copy.deepcopy(values), pullback(kept, np.ones_like(y))
        return (values, pullback(kept, type(y)(1.0))) if isinstance(y, (float, np.floating)) else values


def both(function: Any, *args: Any, kind: Any = "joint", functions: Any = FUNCTIONS) -> Both | None:
    """The derivative of a function at arguments like these; None if it has values of cells."""
    wrt = active(args)
    return large_stack(_both, function, args, Request(kind, wrt), functions)


def _both(function: Any, args: Any, request: Request, functions: Any) -> Both | None:
    made = specialise(function, request, tuple(map(type_of, args)))
    if made.cells:
        return None
    program = finish(made)[0]
    new = nests(program, functions)
    verify_program(new, "as loop nests")
    before, after = emit(program), emit(new)
    return Both(load(before), load(after), after.source, new, before.source != after.source)


def numbers(value: Any) -> list[Any]:
    """The arrays and inexact numbers that a value holds."""
    if isinstance(value, (tuple, list)):
        return [n for item in value for n in numbers(item)]
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers(item)]
    return [value] if isinstance(value, (np.ndarray, float, complex, np.number)) else []


def check(found: Any, wanted: Any, tolerance: float) -> None:
    """The same classes, dtypes and shapes, and numbers that differ by rounding."""
    mine, its = numbers(found), numbers(wanted)
    assert len(mine) == len(its)
    for a, b in zip(mine, its):
        assert type(a) is type(b)
        x, y = np.asarray(a), np.asarray(b)
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        rough = tolerance if x.dtype in (np.float64, np.complex128) else max(tolerance, 1e-5)
        size = np.max(np.abs(y), initial=1.0, where=np.isfinite(y)) if y.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(x, y, rtol=0, atol=rough * size)
