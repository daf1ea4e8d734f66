"""How wide the vector registers are that a kernel computes with."""

# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

WHOLE = '"prefer-vector-width"="512"'
"""LLVM's attribute of a function. Without it LLVM takes half of a register of AVX-512 on Intel's processors, of which
the first slowed down for the whole: a loop of divisions and products takes a seventh to a third longer so."""


def takes_all(features: str) -> bool:
    """Whether a processor with these features of LLVM's, +this,-that, computes with 512 bits as fast as with 256: those
    that have got the second set of bit instructions (Ice Lake, Zen 4 and later) do, Skylake's slow down."""
    return "+avx512vbmi2" in features.split(",")


@intrinsic
def whole_registers(typing_context):
    """Nothing, in a function that is compiled for the whole of the machine's vector registers."""

    def codegen(context, builder, signature, args):
        if takes_all(context.codegen().magic_tuple()[2]):
            builder.function.attributes.update({WHOLE})  # which llvmlite has no name for
        return context.get_dummy_value()

    return types.none(), codegen
