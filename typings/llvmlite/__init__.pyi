# What of llvmlite is used: it comes with Numba, and has no types of its own.
