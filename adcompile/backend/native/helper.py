"""How functions that kernels call are compiled."""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from numba import njit, types


def helper(function, **options):
    """A function for kernels: no check of divisions, put in place of its calls by LLVM."""
    return once(njit(error_model="numpy", inline="never", **options)(function))


def once(made):
    """A Numba function that is compiled once for all numbers that are written out among its arguments: Numba would
    compile it anew for each of them, which LLVM does where it is of use."""
    template = made.get_call_template

    def of_types(args, kws):
        return template([types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()})

    made.get_call_template = of_types
    return made
