"""Products of four square matrices with a nonlinear function between them."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Workload


def matmul_chain(A, B, C, D):
    return np.sum(np.tanh(A @ B) @ C @ D)


def by_hand(A, B, C, D):
    """The sum makes the last product one with vectors."""
    T = np.tanh(A @ B)
    TC = T @ C
    ones = np.ones(A.shape[0])
    D_bar = np.broadcast_to((ones @ TC)[:, None], D.shape).copy()
    TC_bar = np.broadcast_to(D @ np.ones(D.shape[1]), TC.shape)
    C_bar = T.T @ TC_bar
    T_bar = TC_bar @ C.T
    T *= T
    np.subtract(1.0, T, out=T)
    T_bar *= T
    return T_bar @ B.T, A.T @ T_bar, C_bar, D_bar


def workload(n: int = 512) -> Workload:
    rng = np.random.default_rng(11)
    args = tuple(rng.standard_normal((n, n)) / np.sqrt(n) for _ in range(4))
    return Workload("matmul_chain", matmul_chain, args, (0, 1, 2, 3), by_hand)
