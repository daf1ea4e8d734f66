"""Calls of slow functions for rare arguments, from loops that stay vectorised.

A branch around a call keeps LLVM from vectorising a loop. So the call is made always, and marked with vector
variants of the callee, which the vectoriser takes instead (LLVM's attribute `vector-function-abi-variant`). A
variant tests whether any of its elements is beyond the limit and returns at once if none is; otherwise it
goes through them one by one. Where a vectoriser does not know the attribute, it leaves the loop scalar.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types

from adcompile.runtime.vecmath.intrinsics import DOUBLE, made_of

WIDTHS = (2, 4, 8, 16)

SCALAR = """
define linkonce_odr double @{name}(double %x) #0 {{
  %size = call double @llvm.fabs.f64(double %x)
  %beyond = fcmp ogt double %size, {limit}
  br i1 %beyond, label %slow, label %fast, !prof !0
slow:
  %place = alloca double
  %error = alloca ptr
  store double %x, ptr %place
  %status = call i32 @{function}(ptr %place, ptr %error, double %x)
  %value = load double, ptr %place
  ret double %value
fast:
  ret double %x
}}
declare double @llvm.fabs.f64(double)
declare i32 @{function}(ptr, ptr, double)
"""

# The test and the loop are two functions: the test alone needs few registers, and saves none.
VECTOR = """
define linkonce_odr {convention} {v} @{name}_{n}({v} %x) #1 {{
  %size = call {v} @llvm.fabs.v{n}f64({v} %x)
  %beyond = fcmp ogt {v} %size, {limits}
  %bits = bitcast <{n} x i1> %beyond to i{n}
  %any = icmp ne i{n} %bits, 0
  br i1 %any, label %slow, label %fast, !prof !0
slow:
  %result = tail call {convention} {v} @{name}_each_{n}({v} %x)
  ret {v} %result
fast:
  ret {v} %x
}}
define linkonce_odr {convention} {v} @{name}_each_{n}({v} %x) #2 {{
start:
  br label %loop
loop:
  %i = phi i32 [0, %start], [%next, %loop]
  %so_far = phi {v} [%x, %start], [%more, %loop]
  %element = extractelement {v} %x, i32 %i
  %value = call double @{name}(double %element)
  %more = insertelement {v} %so_far, double %value, i32 %i
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, {n}
  br i1 %end, label %done, label %loop
done:
  ret {v} %more
}}
declare {v} @llvm.fabs.v{n}f64({v})
"""

# The variants are named by strings alone: the list of what is used keeps them from being dropped.
REST = """
@llvm.compiler.used = appending global [{count} x ptr] [{used}], section "llvm.metadata"
attributes #0 = {{ noinline nounwind readnone willreturn "vector-function-abi-variant"="{variants}" }}
attributes #1 = {{ noinline nounwind readnone willreturn }}
attributes #2 = {{ noinline nounwind readnone willreturn cold minsize optsize }}
!0 = !{{!"branch_weights", i32 1, i32 100000}}
"""


def convention() -> str:
    """How variants are called: on x86 by the convention that keeps the upper half of the vector registers.

    The loop's constants stay in them. Vectorisers before LLVM 22 are not known to take it over to the call.
    """
    kept = llvm.get_process_triple().startswith("x86_64") and llvm.llvm_version_info >= (22,)
    return "intel_ocl_bicc" if kept else "ccc"


def module_text(name: str, function: str, limit: float) -> str:
    """LLVM's text of the scalar function `name`, which calls `function` beyond the limit, and its variants."""
    constant = f"{limit:e}"
    text = SCALAR.format(name=name, function=function, limit=constant)
    for n in WIDTHS:
        limits = "<" + ", ".join([f"double {constant}"] * n) + ">"
        text += VECTOR.format(name=name, n=n, v=f"<{n} x double>", limits=limits, convention=convention())
    return text + REST.format(
        count=len(WIDTHS),
        used=", ".join(f"ptr @{name}_{n}" for n in WIDTHS),
        variants=",".join(f"_ZGV_LLVM_N{n}v_{name}({name}_{n})" for n in WIDTHS),
    )


def rare(name: str, function: Callable[..., Any], limit: float) -> Callable[..., Any]:
    """`function(x)` where |x| > limit, and x where not (and for nan), for compiled code.

    `function` takes a float64 and gives one, raises nothing and has no effects; Numba compiles it out of
    line when first needed. `name` is the symbol of the linker, and `limit` a float with few digits.
    """
    symbol = f"adcompile_{name}"

    @functools.cache
    def library(codegen: Any) -> Any:
        dispatcher: Any = numba.njit(error_model="numpy")(function)
        signature = (types.float64,)
        dispatcher.compile(signature)
        compiled = dispatcher.overloads[signature]
        module = llvm.parse_assembly(module_text(symbol, f'"{compiled.fndesc.mangled_name}"', limit))
        module.verify()
        made = codegen.create_library(symbol)
        made.add_linking_library(compiled.library)
        made.add_llvm_module(module)
        made.finalize()
        return made

    def emit(context: Any, builder: Any, x: Any) -> Any:
        context.active_code_library.add_linking_library(library(context.codegen()))
        kind = ir.FunctionType(DOUBLE, [DOUBLE])
        callee = builder.module.globals.get(symbol) or ir.Function(builder.module, kind, symbol)
        return builder.call(callee, [x])

    return made_of([types.float64], types.float64, emit)
