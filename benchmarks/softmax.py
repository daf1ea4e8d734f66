"""NPBench's softmax over the last of four axes; a weighted sum of it is differentiated."""

from __future__ import annotations

import importlib
import math

import numpy as np

from benchmarks.harness import Run, Workload


def softmax(x):
    top = np.max(x, axis=-1, keepdims=True)
    powers = np.exp(x - top)
    return powers / np.sum(powers, axis=-1, keepdims=True)


def weighted(x, W):
    return np.sum(W * softmax(x))


def by_hand(x, W):
    s = x - np.max(x, axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= np.sum(s, axis=-1, keepdims=True)
    t = W - np.einsum("...i,...i->...", W, s)[..., None]
    t *= s
    return t


def loops(x, W):
    out = np.empty_like(x)
    a, b, c, n = x.shape
    for i in range(a):
        for j in range(b):
            for k in range(c):
                row, weights, bar = x[i, j, k], W[i, j, k], out[i, j, k]
                top = row[0]
                for q in range(n):
                    top = max(top, row[q])
                total = inner = 0.0
                for q in range(n):
                    bar[q] = math.exp(row[q] - top)
                    total += bar[q]
                    inner += weights[q] * bar[q]
                inner /= total
                for q in range(n):
                    bar[q] = bar[q] / total * (weights[q] - inner)
    return out


def of_library() -> Run:
    jax = importlib.import_module("jax")
    return lambda x, W: jax.numpy.sum(W * jax.nn.softmax(x, axis=-1))


def workload(n: int = 128, batch: int = 16) -> Workload:
    rng = np.random.default_rng(9)
    x, W = rng.standard_normal((batch, batch, n, n)), rng.standard_normal((batch, batch, n, n))
    return Workload("softmax", weighted, (x, W), 0, by_hand, loops, jax=of_library)
