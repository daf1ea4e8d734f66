"""NPBench's durbin: the Yule–Walker equations by Durbin's recursion."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y * y)


def by_hand(r):
    n = len(r)
    y = np.empty(n)
    kept = np.zeros((n, n))
    alphas, betas = np.empty(n), np.ones(n)
    alphas[0] = y[0] = -r[0]
    for k in range(1, n):
        betas[k] = betas[k - 1] * (1.0 - alphas[k - 1] ** 2)
        alphas[k] = -(r[k] + np.dot(r[:k][::-1], y[:k])) / betas[k]
        kept[k, :k] = y[:k]
        y[:k] += alphas[k] * y[:k][::-1]
        y[k] = alphas[k]
    y_bar, r_bar = 2.0 * y, np.zeros(n)
    alpha_bar = beta_bar = 0.0
    for k in range(n - 1, 0, -1):
        before, t = kept[k, :k], y_bar[:k]
        alpha_bar += y_bar[k] + t @ before[::-1]
        v = -alpha_bar / betas[k]
        beta_bar += v * alphas[k]
        r_bar[k] += v
        r_bar[:k] += v * before[::-1]
        y_bar[:k] = t + alphas[k] * t[::-1] + v * r[:k][::-1]
        alpha_bar = -2.0 * beta_bar * betas[k - 1] * alphas[k - 1]
        beta_bar *= 1.0 - alphas[k - 1] ** 2
    r_bar[0] -= alpha_bar + y_bar[0]
    return r_bar


def loops(r):
    n = len(r)
    kept = np.zeros((n, n))  # row k: y as it is before step k
    alphas, betas = np.empty(n), np.ones(n)
    alphas[0] = -r[0]
    kept[1 % n, 0] = -r[0]
    y = np.empty(n)
    y[0] = -r[0]
    for k in range(1, n):
        betas[k] = betas[k - 1] * (1.0 - alphas[k - 1] * alphas[k - 1])
        s = r[k]
        for i in range(k):
            s += r[k - 1 - i] * kept[k, i]
        alpha = -s / betas[k]
        alphas[k] = alpha
        for i in range(k):
            y[i] = kept[k, i] + alpha * kept[k, k - 1 - i]
        y[k] = alpha
        if k + 1 < n:
            for i in range(k + 1):
                kept[k + 1, i] = y[i]
    y_bar, r_bar, t = 2.0 * y, np.zeros(n), np.empty(n)
    alpha_bar = beta_bar = 0.0
    for k in range(n - 1, 0, -1):
        alpha_bar += y_bar[k]
        for i in range(k):
            alpha_bar += y_bar[i] * kept[k, k - 1 - i]
        v = -alpha_bar / betas[k]
        beta_bar += v * alphas[k]
        r_bar[k] += v
        for i in range(k):
            t[i] = y_bar[i]
        for i in range(k):
            r_bar[i] += v * kept[k, k - 1 - i]
            y_bar[i] = t[i] + alphas[k] * t[k - 1 - i] + v * r[k - 1 - i]
        alpha_bar = -2.0 * beta_bar * betas[k - 1] * alphas[k - 1]
        beta_bar *= 1.0 - alphas[k - 1] * alphas[k - 1]
    r_bar[0] -= alpha_bar + y_bar[0]
    return r_bar


def with_scan() -> Run:
    """For JAX: whole arrays with zeros behind the part that is in use; what is flipped is cut from
    the flipped whole where it begins."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def durbin_scan(r):
        n = r.shape[0]
        zeros = np.zeros_like(r)
        backwards = np.concatenate([r[::-1], zeros])

        def step(state, k):
            y, alpha, beta = state
            beta = beta * (1.0 - alpha * alpha)
            flipped = lax.dynamic_slice(backwards, (n - k,), (n,))
            alpha = -(r[k] + np.dot(flipped, y)) / beta
            y = y + alpha * lax.dynamic_slice(np.concatenate([y[::-1], zeros]), (n - k,), (n,))
            return (y.at[k].set(alpha), alpha, beta), None

        start = (zeros.at[0].set(-r[0]), -r[0], np.ones((), r.dtype))
        (y, _, _), _ = lax.scan(step, start, np.arange(1, n))
        return np.sum(y * y)

    return durbin_scan


def workload(n: int = 1000) -> Workload:
    # a positive definite sequence: NPBench's own, n + 1 - k, loses all digits
    k = np.arange(n, dtype=np.float64)
    r = 0.5 / (1.0 + k) ** 1.5 * np.cos(0.3 * k)
    return Workload("durbin", durbin, (r,), 0, by_hand, loops, jax=with_scan)
