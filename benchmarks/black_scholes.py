"""The prices of European calls by Black and Scholes: their sum, by spot, strike, maturity and volatility."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf

from benchmarks.harness import Workload


def cdf(x):
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0)))


def black_scholes(S, K, T, sigma, rate):
    spread = sigma * np.sqrt(T)
    d1 = (np.log(S / K) + (rate + 0.5 * sigma * sigma) * T) / spread
    d2 = d1 - spread
    return np.sum(S * cdf(d1) - K * np.exp(-rate * T) * cdf(d2))


def by_hand(S, K, T, sigma, rate):
    """The greeks."""
    root = np.sqrt(T)
    spread = sigma * root
    d1 = (np.log(S / K) + (rate + 0.5 * sigma * sigma) * T) / spread
    delta = cdf(d1)
    discounted = np.exp(-rate * T) * cdf(d1 - spread)
    density = S * np.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    return delta, -discounted, density * (0.5 * sigma) / root + rate * K * discounted, density * root


def loops(S, K, T, sigma, rate):
    n = len(S)
    S_bar, K_bar, T_bar, sigma_bar = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    half = math.sqrt(0.5)
    for i in range(n):
        root = math.sqrt(T[i])
        spread = sigma[i] * root
        d1 = (math.log(S[i] / K[i]) + (rate + 0.5 * sigma[i] * sigma[i]) * T[i]) / spread
        S_bar[i] = 0.5 * (1.0 + math.erf(d1 * half))
        discounted = math.exp(-rate * T[i]) * 0.5 * (1.0 + math.erf((d1 - spread) * half))
        density = S[i] * math.exp(-0.5 * d1 * d1) * (half / math.sqrt(math.pi))
        K_bar[i] = -discounted
        T_bar[i] = density * 0.5 * sigma[i] / root + rate * K[i] * discounted
        sigma_bar[i] = density * root
    return S_bar, K_bar, T_bar, sigma_bar


def workload(n: int = 1_000_000) -> Workload:
    rng = np.random.default_rng(8)
    args = (
        rng.uniform(50.0, 150.0, n),
        rng.uniform(50.0, 150.0, n),
        rng.uniform(0.1, 2.0, n),
        rng.uniform(0.1, 0.5, n),
    )
    return Workload("black_scholes", black_scholes, (*args, 0.03), (0, 1, 2, 3), by_hand, loops)
