"""What the elementary functions are written with: fused products, bit patterns, selection, polynomials.

Each is one LLVM instruction or a short straight line of them, without branches, so that loops over
functions made of them vectorise. Bit patterns are int64 throughout: Numba makes float64 of int64 with uint64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

DOUBLE = ir.DoubleType()
BITS = ir.IntType(64)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled by Numba, and always inlined where compiled code calls it.

    Division follows NumPy, as Python's check would be a branch; no fast-math flags, as they would undo the
    compensated sums.
    """
    return numba.njit(error_model="numpy", forceinline=True)(function)


def made_of(parameters: Sequence[Any], result: Any, emit: Callable[..., Any]) -> Callable[..., Any]:
    """A function for compiled code: `emit(context, builder, *arguments)` gives its LLVM value."""
    signature = result(*parameters)

    def codegen(context: Any, builder: Any, _: Any, arguments: Sequence[Any]) -> Any:
        return emit(context, builder, *arguments)

    def one(typing_context: Any, a: Any) -> Any:
        return signature, codegen

    def two(typing_context: Any, a: Any, b: Any) -> Any:
        return signature, codegen

    def three(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
        return signature, codegen

    # `intrinsic` reads the number of parameters off what it is given
    return intrinsic((one, two, three)[len(parameters) - 1])


def has_fma(context: Any) -> bool:
    """Whether the processor that is compiled for multiplies and adds with one rounding."""
    triple, _, features = context.codegen().magic_tuple()
    return not triple.startswith(("x86", "i386", "i686")) or "+fma" in features.split(",")


def called(builder: Any, name: str, *arguments: Any) -> Any:
    """A call of LLVM's intrinsic of that name on float64."""
    kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(arguments))
    name = f"llvm.{name}.f64"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def split(builder: Any, a: Any) -> tuple[Any, Any]:
    """a as a sum of two halves of 26 bits (Veltkamp)."""
    scaled = builder.fmul(a, DOUBLE(134217729.0))
    high = builder.fsub(scaled, builder.fsub(scaled, a))
    return high, builder.fsub(a, high)


def emit_fma(context: Any, builder: Any, a: Any, b: Any, c: Any) -> Any:
    if has_fma(context):
        return called(builder, "fma", a, b, c)
    # Dekker: the product is rounded, and its error found from products of halves
    product = builder.fmul(a, b)
    (a1, a2), (b1, b2) = split(builder, a), split(builder, b)
    error = builder.fsub(builder.fmul(a1, b1), product)
    for x, y in ((a1, b2), (a2, b1), (a2, b2)):
        error = builder.fadd(error, builder.fmul(x, y))
    return builder.fadd(builder.fadd(product, c), error)


fma = made_of([types.float64] * 3, types.float64, emit_fma)
"""a * b + c for residuals, where c nearly cancels the product: exact but for one rounding, on every processor."""

muladd = made_of([types.float64] * 3, types.float64, lambda _, b, *args: called(b, "fmuladd", *args))
"""a * b + c with one rounding or two, whichever is faster."""

floor = made_of([types.float64], types.float64, lambda _, b, x: called(b, "floor", x))
sqrt = made_of([types.float64], types.float64, lambda _, b, x: called(b, "sqrt", x))
fabs = made_of([types.float64], types.float64, lambda _, b, x: called(b, "fabs", x))
copysign = made_of([types.float64] * 2, types.float64, lambda _, b, x, s: called(b, "copysign", x, s))

select = made_of([types.boolean, types.float64, types.float64], types.float64, lambda _, b, *args: b.select(*args))
"""`a if condition else b` where both are computed."""

bits = made_of([types.float64], types.int64, lambda _, b, x: b.bitcast(x, BITS))
from_bits = made_of([types.int64], types.float64, lambda _, b, x: b.bitcast(x, DOUBLE))
shift_right = made_of([types.int64] * 2, types.int64, lambda _, b, x, n: b.lshr(x, n))
"""The bits moved down, zeros from above: AVX2 has no other shift of 64 bits."""


def polynomial(coefficients: Sequence[float]) -> Callable[..., Any]:
    """The polynomial with these coefficients of 1, t, t², … as a function for compiled code.

    By Horner's rule: the fewest operations, and the smallest error; the loops around it supply what the
    processor does meanwhile.
    """

    def emit(_: Any, builder: Any, t: Any) -> Any:
        value = DOUBLE(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = called(builder, "fmuladd", value, t, DOUBLE(coefficient))
        return value

    return made_of([types.float64], types.float64, emit)


@inlined
def refined(y, b):
    """1 / y from b with a relative error of a thousandth or so: its fourth power or so remains."""
    e = fma(-y, b, 1.0)
    b = muladd(b, muladd(e, e, e), b)
    return muladd(b, fma(-y, b, 1.0), b)


@inlined
def reciprocal(y):
    """1 / y for positive y far from the ends of the range, right to a unit in the last place.

    A division keeps a processor busy for as long as thirty products. The difference of the bits is a first
    inverse to 5 in a hundred (the constant is the one of the least error), three steps of Newton's kind do the rest.
    """
    b = from_bits(0x7FDE6237EE357400 - bits(y))
    e = fma(-y, b, 1.0)
    return refined(y, muladd(b, muladd(e, e, e), b))


@inlined
def fast_sum(a, b):
    """a + b, and what its rounding lost, exactly where |a| ≥ |b| (Dekker)."""
    total = a + b
    return total, (a - total) + b


@inlined
def exact_sum(a, b):
    """a + b, and what its rounding lost, exactly (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@inlined
def quotient(n, n_low, d, d_low):
    """(n + n_low) / (d + d_low), where the second parts are small corrections: one division, one rounding.

    d and n / d are to be far from overflow and underflow.
    """
    inverse = 1.0 / d
    q = n * inverse
    return q + inverse * (fma(-q, d, n) + muladd(-q, d_low, n_low))
