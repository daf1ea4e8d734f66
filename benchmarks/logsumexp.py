"""log(sum(exp(x))) of one long vector, shifted by its maximum as everybody writes it."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Workload


def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def by_hand(x):
    """The softmax, in one buffer."""
    e = x - np.max(x)
    np.exp(e, out=e)
    e /= np.sum(e)
    return e


def workload(n: int = 1_000_000) -> Workload:
    x = np.random.default_rng(0).standard_normal(n)
    return Workload("logsumexp", logsumexp, (x,), 0, by_hand)
