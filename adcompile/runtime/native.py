"""What kernels of the numba backend raise: known to the run time, which does not import Numba."""

from __future__ import annotations


class Fault(Exception):
    """A kernel has met what Python or NumPy raise for, or what machine numbers cannot hold: the same
    code runs again on NumPy."""
