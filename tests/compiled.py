"""Functions as the compiler runs them, without a derivative: the specialised program against the function itself."""

from __future__ import annotations

import numpy as np

import adcompile as ad
from adcompile import pipeline
from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request
from tests.checks import bits


def specialised(f, *args, kind="primal"):
    """The typed program of `f` for arguments like these, not optimised."""
    wrt = () if kind == "primal" else tuple(i for i, a in enumerate(args) if isinstance(a, (float, np.ndarray)))
    return pipeline.specialise(f, Request(kind, wrt), tuple(map(type_of, args))).program


def same_value(f, *args):
    """Compile `f` itself; its value, type and bits must be the function's. The derived program."""
    made = pipeline.derive(f, Request("primal"), tuple(map(type_of, args)))
    assert bits(made.call(*args)) == bits(f(*args))
    return made


def same_error(f, *args, message=True):
    """What the compiled function raises is what the function raises; without `message`, its class is."""
    made = pipeline.derive(f, Request("primal"), tuple(map(type_of, args)))
    raised = []
    for run in (f, made.call):
        try:
            raised.append(bits(run(*args)))
        except Exception as error:
            raised.append((type(error), str(error) if message else ""))
    assert raised[0] == raised[1]
    assert isinstance(raised[0][0], type) and issubclass(raised[0][0], Exception), "nothing was raised"


def check(f, *args, order=1):
    """Value and derivatives in both modes, against the function."""
    same_value(f, *args)
    ad.check_grads(f, args, order=order)
