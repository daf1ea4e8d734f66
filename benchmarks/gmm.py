"""The Gaussian mixture model of ADBench: log-likelihood with a Wishart prior, d=20, k=25, n=1000.

The inverse covariance of a component is given by the logarithms of the diagonal of a triangular
factor and its entries below, column by column. Differentiated: weights, means and factors.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.harness import Workload


def log_gamma_distrib(a, p):
    return 0.25 * p * (p - 1) * math.log(math.pi) + sum(math.lgamma(a + 0.5 * (1 - j)) for j in range(1, p + 1))


def below_diagonal(d):
    """Where the entries below the diagonal lie in a row of icf (0, a place to mask, elsewhere)."""
    where = np.zeros((d, d), dtype=np.intp)
    below = np.zeros((d, d))
    place = d
    for column in range(d):
        for row in range(column + 1, d):
            where[row, column] = place
            below[row, column] = 1.0
            place += 1
    return where, below


def gmm_objective(alphas, means, icf, x, where, below, gamma, m, log_gamma):
    k, d = means.shape
    n = x.shape[0]
    log_diagonal = icf[:, :d]
    diagonal = np.exp(log_diagonal)
    sum_log = np.sum(log_diagonal, axis=1)
    factors = icf[:, where] * below

    centred = x - means[:, None, :]
    scaled = diagonal[:, None, :] * centred + centred @ np.swapaxes(factors, 1, 2)
    inner = (alphas + sum_log)[:, None] - 0.5 * np.sum(scaled * scaled, axis=2)
    top = np.max(inner, axis=0)
    likelihood = np.sum(top + np.log(np.sum(np.exp(inner - top), axis=0)))
    highest = np.max(alphas)
    weights = highest + np.log(np.sum(np.exp(alphas - highest)))

    free = d + m + 1
    squares = np.sum(diagonal * diagonal) + np.sum(icf[:, d:] ** 2)
    constant = free * d * (np.log(gamma) - 0.5 * np.log(2.0)) - log_gamma
    prior = 0.5 * gamma * gamma * squares - m * np.sum(sum_log) - k * constant
    return -0.5 * n * d * np.log(2.0 * np.pi) + likelihood - n * weights + prior


def by_hand(alphas, means, icf, x, where, below, gamma, m, log_gamma):
    d = means.shape[1]
    n = x.shape[0]
    diagonal = np.exp(icf[:, :d])
    factors = icf[:, where] * below
    # the diagonal joins the factor, so that both products are one
    factors[:, np.arange(d), np.arange(d)] = diagonal
    centred = x - means[:, None, :]
    scaled = centred @ np.swapaxes(factors, 1, 2)
    inner = np.einsum("knd,knd->kn", scaled, scaled)
    inner *= -0.5
    inner += (alphas + np.sum(icf[:, :d], axis=1))[:, None]
    inner -= np.max(inner, axis=0)
    np.exp(inner, out=inner)
    inner /= np.sum(inner, axis=0)

    weights = np.exp(alphas - np.max(alphas))
    mass = np.sum(inner, axis=1)
    alphas_bar = mass - n * (weights / np.sum(weights))
    scaled *= inner[:, :, None]
    factors_bar = scaled.transpose(0, 2, 1) @ centred  # up to its sign
    means_bar = (np.sum(scaled, axis=1)[:, None, :] @ factors)[:, 0]
    icf_bar = np.empty_like(icf)
    on = np.einsum("kdd->kd", factors_bar)
    icf_bar[:, :d] = gamma * gamma * diagonal * diagonal - diagonal * on + (mass - m)[:, None]
    rows, columns = np.nonzero(below)
    icf_bar[:, where[rows, columns]] = -factors_bar[:, rows, columns]
    icf_bar[:, d:] += gamma * gamma * icf[:, d:]
    return alphas_bar, means_bar, icf_bar


def workload(n: int = 1000, d: int = 20, k: int = 25) -> Workload:
    rng = np.random.default_rng(1)
    where, below = below_diagonal(d)
    gamma, m = 1.0, 0
    args = (
        rng.standard_normal(k),
        rng.standard_normal((k, d)),
        0.3 * rng.standard_normal((k, d + d * (d - 1) // 2)),
        rng.standard_normal((n, d)),
        where,
        below,
        gamma,
        m,
        log_gamma_distrib(0.5 * (d + m + 1), d),
    )
    return Workload("gmm", gmm_objective, args, (0, 1, 2), by_hand)
