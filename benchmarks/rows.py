"""The rows of the table: which workloads there are, at which sizes, and what they took where they were
first measured.

`published` are milliseconds of one call on one core with AVX-512, for the function itself and for
adjoints written by hand: only their quotient is used, as the reference that no adjoint of ours sets.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.harness import Workload


@dataclass(frozen=True)
class Published:
    primal: float
    numba: float | None = None
    numpy: float | None = None

    @property
    def hand(self) -> float | None:
        """The best adjoint written by hand, in times of the function."""
        known = [t for t in (self.numba, self.numpy) if t is not None]
        return min(known) / self.primal if known and self.primal else None


@dataclass(frozen=True)
class Row:
    """`make`: the function of the file that builds the workload; its first argument is the size.

    `small` is for tests, `growing` are the sizes at which time is compared with size. `blas` rows
    are bound by products of matrices and by single long functions, and stand apart in means.
    """

    name: str
    full: int
    small: int
    growing: tuple[int, int, int]
    published: Published | None
    file: str = ""
    make: str = "workload"
    unit: str = "ms"
    blas: bool = False
    counts: str = "n"

    def builder(self) -> Callable[[int], Workload]:
        return getattr(importlib.import_module(f"benchmarks.{self.file or self.name}"), self.make)

    def workload(self, size: int | None = None) -> Workload:
        return self.builder()(self.full if size is None else size)


ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        Row("rk4_scalar", 1000, 20, (100, 1000, 10_000), Published(0.64, 0.039), counts="steps"),
        Row("kepler", 1000, 7, (100, 1000, 10_000), Published(1.5, 0.22), counts="elements"),
        Row("jacobi_1d", 3200, 8, (320, 3200, 32_000), Published(7.2, 2.6), counts="points"),
        Row("jacobi_2d", 150, 6, (30, 90, 300), Published(5.2, 2.2, 13.5), counts="points a side"),
        Row("seidel_2d", 50, 6, (10, 30, 100), Published(7.2, 0.24, 15.2), counts="points a side"),
        Row("heat_3d", 25, 5, (9, 18, 40), Published(4.7, 1.7), counts="points a side"),
        Row("fdtd_2d", 200, 6, (20, 60, 200), Published(3.9, 2.6), counts="points a side"),
        Row("cholesky", 100, 5, (12, 38, 120), Published(6.8, 0.18), counts="rows"),
        Row("trisolv", 2000, 6, (20, 200, 2000), Published(3.8, 4.2, 16.4), counts="rows"),
        Row("durbin", 1000, 7, (20, 200, 2000), Published(4.4, 1.5), counts="numbers"),
        Row("burgers_1d", 500, 9, (50, 500, 5000), Published(4.3, 0.53), counts="cells"),
        Row("lstm", 1024, 6, (32, 320, 3200), Published(32.0, 1.85), counts="characters"),
        Row("ba", 10_000, 5, (300, 3000, 30_000), Published(0.48, 0.70), counts="residuals"),
        Row("elem_chain", 1_000_000, 9, (10_000, 100_000, 1_000_000), Published(13.0, 6.0), counts="elements"),
        Row("black_scholes", 1_000_000, 9, (10_000, 100_000, 1_000_000), Published(31.0, 54.0, 49.0), counts="options"),
        Row("softmax", 128, 5, (13, 41, 128), Published(31.0, 38.0, 40.0), counts="elements a row"),
        Row("logsumexp", 1_000_000, 50, (10_000, 100_000, 1_000_000), Published(1.7, 5.4, 2.2), blas=True),
        Row("gmm", 1000, 7, (100, 1000, 10_000), Published(2.9, 12.0, 3.6), counts="points"),
        Row("mlp", 1024, 6, (64, 256, 1024), Published(10.7, None, 27.0), blas=True, counts="cells a layer"),
        Row("matmul_chain", 512, 5, (64, 180, 512), Published(16.7, None, 44.0), blas=True, counts="rows"),
        Row("call_scalar", 1, 1, (1, 1, 1), None, "call_overhead", "scalar_workload", "µs", counts="numbers"),
        Row("call_vector", 10, 3, (10, 100, 1000), None, "call_overhead", "vector_workload", "µs", counts="numbers"),
    )
}
