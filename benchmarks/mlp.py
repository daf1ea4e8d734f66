"""A perceptron of three layers: the cross-entropy of a batch, by all weights and biases."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Workload


def mlp(w1, b1, w2, b2, w3, b3, x, labels):
    h1 = np.maximum(x @ w1 + b1, 0.0)
    h2 = np.maximum(h1 @ w2 + b2, 0.0)
    logits = h2 @ w3 + b3
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def by_hand(w1, b1, w2, b2, w3, b3, x, labels):
    n = len(labels)
    h1 = np.maximum(x @ w1 + b1, 0.0)
    h2 = np.maximum(h1 @ w2 + b2, 0.0)
    p = h2 @ w3 + b3
    p -= np.max(p, axis=1, keepdims=True)
    np.exp(p, out=p)
    p /= np.sum(p, axis=1, keepdims=True)
    p[np.arange(n), labels] -= 1.0
    p /= n
    h2_bar = p @ w3.T
    h2_bar *= h2 > 0.0
    h1_bar = h2_bar @ w2.T
    h1_bar *= h1 > 0.0
    return (
        x.T @ h1_bar,
        np.sum(h1_bar, axis=0),
        h1.T @ h2_bar,
        np.sum(h2_bar, axis=0),
        h2.T @ p,
        np.sum(p, axis=0),
    )


def workload(width: int = 1024, batch: int = 128, inputs: int = 784, classes: int = 10) -> Workload:
    rng = np.random.default_rng(10)

    def layer(n, m):
        return rng.standard_normal((n, m)) / np.sqrt(n), 0.1 * rng.standard_normal(m)

    parameters = (*layer(inputs, width), *layer(width, width), *layer(width, classes))
    args = (*parameters, rng.standard_normal((batch, inputs)), rng.integers(0, classes, batch))
    return Workload("mlp", mlp, args, (0, 1, 2, 3, 4, 5), by_hand)
