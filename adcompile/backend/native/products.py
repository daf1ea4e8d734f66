"""Products of vectors and matrices in kernels, and linear systems.

A product that stands alone stays with NumPy, whose BLAS has nothing to gain here. In a loop it is what the loop's
other statements wait for, and between two loops one of them would have to hand what it keeps to the other: small ones
are loops of the kernel, large ones Numba's `np.dot`, which calls SciPy's BLAS. Without SciPy such loops stay in Python.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile.backend.native.making import Making
from adcompile.backend.native.values import ArrayOf, Number
from adcompile.ir.nodes import Call, For, Statement, Var, While

NAMES = {(1, 1): "dot", (2, 2): "product", (2, 1): "times_vector", (1, 2): "vector_times"}
"""The helpers in `support`, by the ranks of what is multiplied."""
OTHERS: dict[Any, tuple[tuple[int, int], ...]] = {np.vdot: ((1, 1),), np.inner: ((1, 1), (2, 1))}
"""Of these functions the ranks at which they are products."""


def is_loop(s: Statement) -> bool:
    return isinstance(s, (For, While))


def between_loops(statements: Sequence[Statement]) -> frozenset[Var]:
    """The results of the calls between the first and the last loop of a block."""
    loops = [k for k, s in enumerate(statements) if is_loop(s)] or [0]
    return frozenset(s.result for s in statements[loops[0] : loops[-1]] if isinstance(s, Call))


@functools.cache
def has_blas() -> bool:
    return importlib.util.find_spec("scipy") is not None


class Products(Making):
    """Prints products."""

    loops: list[For | While]

    def has_place(self, call: Call) -> bool:
        """Whether a product or a system may be computed in the kernel."""
        return (bool(self.loops) or call.result in self.hints.between) and has_blas()

    def product(self, call: Call) -> bool:
        """`a @ b`, `np.dot(a, b)`."""
        if len(call.args) != 2 or call.kwargs:
            return False
        ranks = self.rank(call.args[0]), self.rank(call.args[1])
        if ranks not in OTHERS.get(self.callee(call), NAMES) or ranks != (1, 1) and not self.has_place(call):
            return False
        result: Any = self.result_type(call)
        wanted = Number(result.code) if ranks == (1, 1) else ArrayOf(result.code, sum(ranks) - 2)
        if result != wanted or result.code not in ("f8", "f4"):
            return False
        if any(self.native_type(a) != ArrayOf(result.code, rank) for a, rank in zip(call.args, ranks)):
            return False
        self.faults = True
        text = f"nt.{NAMES[ranks]}({self.atom(call.args[0])}, {self.atom(call.args[1])})"
        if ranks == (1, 1):
            self.define(call.result, result, text)
        else:
            self.make(call.result, result, text)
        return True

    def solved(self, call: Call) -> bool:
        """`np.linalg.solve(a, b)`, `np.linalg.inv(a)`, by SciPy's LAPACK; singular matrices raise on NumPy."""
        if call.kwargs or not self.has_place(call):
            return False
        result: Any = self.result_type(call)
        wanted = [ArrayOf("f8", 2), *([result] if len(call.args) == 2 else [])]
        if [self.native_type(a) for a in call.args] != wanted or result not in (ArrayOf("f8", 1), ArrayOf("f8", 2)):
            return False
        self.faults = True
        args = ", ".join(f"nt.in_line({self.atom(a)})" for a in call.args)
        text = f"np.linalg.{'solve' if len(call.args) == 2 else 'inv'}({args})"
        # LAPACK's matrices lie column by column, NumPy's do not
        self.make(call.result, result, text if result == ArrayOf("f8", 1) else f"np.ascontiguousarray({text})")
        return True

    def determined(self, call: Call) -> bool:
        """`np.linalg.det(a)`, and the cofactors that its derivative has; those of singular matrices NumPy finds."""
        if len(call.args) != 1 or call.kwargs or not self.has_place(call):
            return False
        result = self.result_type(call)
        if self.native_type(call.args[0]) != ArrayOf("f8", 2) or result not in (Number("f8"), ArrayOf("f8", 2)):
            return False
        self.faults = True
        a = f"nt.in_line({self.atom(call.args[0])})"
        if isinstance(result, Number):
            self.define(call.result, result, f"np.linalg.det({a})")
        else:
            self.make(call.result, result, f"nt.cofactors({a})")
        return True
