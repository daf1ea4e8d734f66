"""How functions that kernels call are compiled."""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from numba import njit


def helper(function, **options):
    """A function for kernels: no check of divisions, put in place of its calls by LLVM."""
    return njit(error_model="numpy", inline="never", **options)(function)
