"""NumPy functions without a derivative: comparisons, inspection, selection of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.ir.types import BOOL, FLOAT, INT, UNKNOWN, Array, Dim, Instance, Known, TupleT, Type, widen
from adcompile.rules.kinds import constant
from adcompile.rules.registry import Rule, register, remedies
from adcompile.rules.typing import Typing, always, broadcasting


def present(owner: Any, names: str) -> list[Any]:
    """The attributes of these names that this version of NumPy has."""
    return [getattr(owner, name) for name in names.split() if hasattr(owner, name)]


def without_rule(*fns: Any, typing: Typing | None = None, pure: bool = True, remedy: str = "") -> None:
    """Functions that are run as they are, and refused where their arguments carry derivatives."""
    for fn in fns:
        remedies.update({fn: remedy} if remedy else {})
        register(fn, Rule("primitive", typing=typing, pure=pure))


# -- elementwise ---------------------------------------------------------------------------------

for ufunc in present(
    np,
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not "
    "isfinite isinf isnan isnat signbit sign floor ceil trunc rint spacing floor_divide "
    "bitwise_and bitwise_or bitwise_xor bitwise_not invert left_shift right_shift gcd lcm bitwise_count",
):
    constant(ufunc, typing=broadcasting(ufunc), total=ufunc.nin == 1)

constant(*present(np, "isposinf isneginf iscomplex isreal fix isclose"))
constant(*present(np, "round around round_"), np.ndarray.round, np.generic.round)

# -- the whole array -----------------------------------------------------------------------------

_METHODS = "all any argmax argmin argsort argpartition nonzero searchsorted tolist tobytes"
constant(*present(np, "all any"), np.ndarray.all, np.ndarray.any, np.generic.all, np.generic.any, total=True)
constant(*present(np, "argmax argmin nanargmax nanargmin argsort argpartition lexsort argwhere"))
constant(*present(np, "nonzero flatnonzero count_nonzero searchsorted digitize bincount isin in1d"))
# Their values are those of the argument: no derivative yet, but one that is not zero.
without_rule(*present(np, "unique_values unique_counts unique_all unique_inverse histogram_bin_edges"))
without_rule(*present(np, "intersect1d setdiff1d setxor1d"))
constant(*present(np, "array_equal array_equiv allclose may_share_memory shares_memory"), typing=always(BOOL))
constant(*present(np.ndarray, _METHODS.removesuffix(" tolist tobytes").removeprefix("all any ")))
constant(*present(np.generic, "argmax argmin argsort nonzero searchsorted"))
constant(np.ndarray.tobytes)
constant(*present(np, "zeros_like ones_like empty_like"), total=True)
constant(*present(np, "zeros ones empty eye identity tri indices tril_indices triu_indices diag_indices mask_indices"))
constant(*present(np, "tril_indices_from triu_indices_from diag_indices_from unravel_index ravel_multi_index"))
constant(np.linalg.matrix_rank)
without_rule(*present(np, "hamming hanning bartlett blackman"))  # a number of points may be a float

# -- inspection: the result on stand-ins is the result -------------------------------------------

constant(
    *present(
        np,
        "iterable result_type ndim isscalar issubdtype can_cast dtype finfo iinfo iscomplexobj isrealobj "
        "promote_types min_scalar_type common_type isdtype mintypecode broadcast_shapes",
    ),
    by_value=True,
)
constant(np.ndarray.ndim, np.ndarray.dtype, np.ndarray.itemsize, np.generic.ndim, np.generic.dtype, by_value=True)
constant(np.generic.itemsize, by_value=True)


def rank_of(t: Type) -> tuple[Dim, ...] | None:
    wide = widen(t)
    return wide.dims if isinstance(wide, Array) else () if wide == FLOAT or hasattr(wide, "kinds") else None


def shape_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `x.shape`: dimensions that are one are known, the others are not."""
    dims = rank_of(args[0])
    if dims is None:
        return UNKNOWN
    return TupleT(tuple(Known(1) if d == "one" else INT for d in dims))


def size_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `x.size`."""
    dims = rank_of(args[0])
    return Known(1) if len(args) == 1 and dims is not None and all(d == "one" for d in dims) else INT


constant(np.shape, np.ndarray.shape, np.generic.shape, typing=shape_type, total=True)
constant(np.size, np.ndarray.size, np.generic.size, typing=size_type, total=True)
constant(np.ndarray.strides, np.ndarray.nbytes, np.ndarray.flags, np.ndarray.__len__)

# -- text ----------------------------------------------------------------------------------------

constant(*present(np, "array2string array_repr array_str format_float_positional"), typing=always(Instance(str)))

# Their bounds may carry derivatives, which would not be zero.
without_rule(type(np.ogrid).__mro__[1].__getitem__)

# -- effects: never run at compile time ----------------------------------------------------------

constant(np.seterr, np.geterr, np.set_printoptions, pure=False)
constant(np.save, np.savez, np.savez_compressed, np.savetxt, pure=False)  # into a file, which analysis/detached follows
without_rule(np.load, np.loadtxt, np.genfromtxt, np.fromfile, pure=False)
