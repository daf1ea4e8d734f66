"""The numba backend: parts of a program printed as kernels in Numba's language, compiled, and called from the rest."""
