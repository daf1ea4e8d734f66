"""The same derivatives by other means: as loop nests that run as Python, and as kernels; beside what NumPy gives.

Loop nests as Python take no compiler, so that many programs can be had; kernels take seconds each.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import adcompile as ad
from adcompile.ir.abstract import type_of
from tests.fuzz import trees
from tests.fuzz.checker import Verdict, general
from tests.fuzz.program import Program, loaded
from tests.nests.lowered import both, check

POINTS = ({"seed": 0}, {"seed": 1000}, {"seed": 2000, "n": 5, "m": 4})
LEFT = ("Leave", "'NoneType' object has no attribute 'shape'")
"""How loops end that leave the work to NumPy: kernels know of values whether they are there, Python finds None."""
KINDS = ("joint", "split", "forward")
BACKENDS = ("numpy", "numba")


def check_loops(program: Program) -> Verdict:
    """The generated program with its array statements as loops, each kind of derivative."""
    return _judged(program, _loops)


def check_kernels(program: Program) -> Verdict:
    """Gradients of the numba backend, joint and by a pullback that is called twice. Every other program without its
    value: kernels that give none may lose a bit of what the function computes."""
    return _judged(program, _kernels)


def _judged(program: Program, run: Callable[[Program, Any], str]) -> Verdict:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with loaded(program) as module:
                differs = run(program, module)
        except ad.AdcompileError as error:
            return Verdict("refused", "native", general(error.message), str(error))
        except (RecursionError, Exception) as error:
            trace = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} in {trace.name}"
            return Verdict("crash", "native", what, "".join(traceback.format_exception(error))[-3000:])
    return Verdict("wrong", "native", "differs from NumPy", differs) if differs else Verdict("right")


def _loops(program: Program, module: Any) -> str:
    for kind in KINDS:
        first = module.arguments(**POINTS[0])
        made = both(module.total, *first, kind=kind)
        if made is None or not made.changed:
            continue
        for point in POINTS:
            args = module.arguments(**point)
            if [type_of(a) for a in args] != [type_of(a) for a in first]:
                continue
            along = trees.direction(args, 7) if kind == "forward" else ()
            given = [d for d in along if d is not None]
            wanted, found = (_run(made, run, module, point, given) for run in (made.plain, made.looped))
            if found in LEFT or isinstance(wanted, str) and found == wanted:
                continue
            try:
                check(found, wanted, 1e-4 if program.coarse else 1e-9)
            except AssertionError as error:
                return f"{kind} at {point}: {error}"
    return ""


def _run(made: Any, run: Any, module: Any, point: Any, along: Sequence[Any]) -> Any:
    """What a derivative gives, and leaves in its arguments; the name of what it raises."""
    args = module.arguments(**point)
    try:
        return made.run(run, (*args, *along)), args
    except Exception as error:
        return str(error) if str(error) in LEFT else type(error).__name__


def _kernels(program: Program, module: Any) -> str:
    wrt = tuple(i for i, a in enumerate(module.arguments()) if trees.has_leaf(a))
    made = ad.grad if program.index % 2 else ad.value_and_grad
    joint = [made(module.total, wrt, backend=b) for b in BACKENDS]
    split = [_pulled(module.total, b) for b in BACKENDS]
    for point in POINTS:
        for plain, native in (joint, split):
            wanted, found = (_outcome(run, module.arguments(**point)) for run in (plain, native))
            if not _alike(wanted, found, 1e-4 if program.coarse else 1e-8):
                return f"{point}: {found} for {wanted}"
    return ""


def _pulled(function: Callable[..., Any], backend: Any) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        value, pullback = ad.vjp(function, *args, backend=backend)
        return value, pullback(type(value)(0.5)), pullback(type(value)(-2.0))

    return run


def _outcome(run: Callable[..., Any], args: Any) -> Any:
    """What a derivative gives, and leaves in its arguments; what it raises, which must be what NumPy raises."""
    try:
        return run(*args), args
    except ad.AdcompileError:
        raise
    except Exception as error:
        return type(error).__name__


def _alike(wanted: Any, found: Any, tolerance: float) -> bool:
    if isinstance(wanted, str) or isinstance(found, str):
        return bool(wanted == found)
    mine, its = dict(trees.leaves(found)), dict(trees.leaves(wanted))
    if list(mine) != list(its) or any(type(mine[p]) is not type(its[p]) for p in its):
        return False
    size = max((float(np.max(np.abs(x), initial=0.0)) for x in its.values() if np.all(np.isfinite(x))), default=0.0)
    return all(
        np.allclose(mine[p], its[p], rtol=tolerance, atol=tolerance * max(1.0, size), equal_nan=True) for p in its
    )
