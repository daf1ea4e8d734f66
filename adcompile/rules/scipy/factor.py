"""scipy.linalg: eigenvalues, singular values and factors, by the rules of numpy.linalg."""

from __future__ import annotations

from typing import Any

from scipy import linalg

from adcompile import runtime as rt
from adcompile.rules.kinds import vjps
from adcompile.rules.numpy import factor as plain
from adcompile.rules.numpy import linalg as spectral


@vjps(linalg.eigh, wrt=(0,))
def eigh(
    y_bar: Any, y: Any, a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False,
    subset_by_index: Any = None, subset_by_value: Any = None, **settings: Any,
) -> Any:  # fmt: skip
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        return rt.no_derivative("scipy.linalg.eigh of two matrices, or of some eigenvalues alone")
    if eigvals_only:
        return spectral.eigvalsh(y_bar, y, a, "L" if lower else "U")
    return spectral.eigh(y_bar, y, a, "L" if lower else "U")


@vjps(linalg.eigvalsh, wrt=(0,))
def eigvalsh(
    y_bar: Any, y: Any, a: Any, b: Any = None, *, lower: Any = True,
    subset_by_index: Any = None, subset_by_value: Any = None, **settings: Any,
) -> Any:  # fmt: skip
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        return rt.no_derivative("scipy.linalg.eigvalsh of two matrices, or of some eigenvalues alone")
    return spectral.eigvalsh(y_bar, y, a, "L" if lower else "U")


@vjps(linalg.svd, wrt=(0,))
def svd(y_bar: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True, **settings: Any) -> Any:
    return plain.svd(y_bar, y, a, full_matrices, compute_uv)


@vjps(linalg.svdvals, wrt=(0,))
def svdvals(y_bar: Any, y: Any, a: Any, **settings: Any) -> Any:
    return plain.svdvals(y_bar, y, a)


@vjps(linalg.pinv, wrt=(0,))
def pinv(
    y_bar: Any, y: Any, a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, **settings: Any
) -> Any:
    if return_rank:
        return rt.no_derivative("scipy.linalg.pinv with return_rank; use np.linalg.matrix_rank beside it")
    if atol is None and rtol is None:
        return spectral.pinv_bar(y_bar, y, a)
    return spectral.cut_pinv_bar(y_bar, y, a)


@vjps(linalg.qr, wrt=(0,))
def qr(
    y_bar: Any, y: Any, a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full",
    pivoting: Any = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    if pivoting or mode == "r" or mode == "raw":
        return rt.no_derivative("scipy.linalg.qr with pivoting, or without Q; use mode='economic'")
    return plain.qr(y_bar, y, a, "complete" if mode == "full" else "reduced")
