"""Arrays that the caller of a kernel makes for it: memory of NumPy's own, zero at no cost or in large pages, and the
caller's when it comes back."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from adcompile.backend.native.values import DTYPES, ArrayOf, native_of
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, Var
from adcompile.ir.types import Array, Type

Lengths = dict[Var, str]

ZEROS = "(zeros({n}.shape, {n}.dtype) if {n}.flags.c_contiguous else zeros_like({n}))"
"""`np.zeros_like` takes most of a microsecond, `np.zeros` a fifth of that."""


def prepared(body: Block, params: Sequence[Var], types: Mapping[Var, Type]) -> dict[Var, str]:
    """The arrays that a kernel makes on every path, each as an expression of parameters, `{0}` the first of them:
    zeros like one, or memory of lengths that parameters have."""
    number = {p: k for k, p in enumerate(params) if isinstance(types.get(p), Array)}
    out: dict[Var, str] = {}
    shapes: dict[Var, str] = {}
    lengths: Lengths = {}
    tuples: dict[Var, list[str]] = {}
    for s in body.statements:
        if not isinstance(s, Call) or not isinstance(s.fn, Const) or s.kwargs or not s.args:
            continue
        fn, first = s.fn.value, s.args[0]
        second = s.args[-1].value if len(s.args) == 2 and isinstance(s.args[-1], Const) else None
        if fn is np.zeros_like and len(s.args) == 1 and first in number:
            out[s.result] = ZEROS.format(n=f"{{{number[first]}}}")
        elif fn is getattr and first in number and second == "shape":
            shapes[s.result] = f"{{{number[first]}}}.shape"
        elif fn is operator.getitem and first in shapes and type(second) is int:
            lengths[s.result] = f"{shapes[first]}[{second}]"
        elif fn is ops.build_tuple and all(a in lengths or isinstance(a, Const) for a in s.args):
            tuples[s.result] = [lengths[a] if isinstance(a, Var) else repr(a.value) for a in s.args]
        elif fn is np.empty and first in tuples:
            native = native_of(types[s.result])
            if isinstance(native, ArrayOf):
                sizes = "".join(f"{n}, " for n in tuples[first])
                out[s.result] = f"np.empty(({sizes}), {DTYPES[native.code]})"
    return out
