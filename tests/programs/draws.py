"""Random draws that move with their parameters."""

import numpy as np

_V = np.array([0.5, -0.7, 1.2])
_POSITIVE = np.array([0.4, 1.3])


def noise_of_two_parameters(mu, sigma):
    rng = np.random.default_rng(3)
    return np.sum(rng.normal(mu, sigma) ** 2) + rng.normal(mu[0], sigma, size=(2, 2)).sum() ** 2


def noise_by_keywords(mu, sigma):
    rng = np.random.default_rng(4)
    first = rng.normal(scale=sigma, size=3, loc=1.5)
    return np.sum(rng.logistic(loc=mu) * first * rng.gumbel(0.3, scale=sigma) + rng.laplace(mu, sigma))


def draws_between(low, high):
    rng = np.random.default_rng(5)
    return np.sum(rng.uniform(low, high) ** 2) * rng.uniform(-1.0, high)


def draws_above_zero(mu, scale):
    rng = np.random.default_rng(6)
    y = rng.exponential(scale) + rng.rayleigh(scale) * rng.gamma(2.5, scale) + rng.lognormal(mu, scale)
    return np.sum(np.log(y))


def draws_of_the_module(mu, sigma):
    np.random.seed(7)
    total = 0.0
    for m in mu:
        total += np.random.normal(m, sigma) * np.random.uniform(high=sigma) + np.random.exponential(sigma)
    return total * np.random.standard_normal()


def draws_of_the_old_generator(mu, sigma):
    rng = np.random.RandomState(8)
    return np.sum(rng.normal(mu, sigma) * rng.lognormal(mu, sigma, size=3)) + rng.uniform(sigma, 5.0)


SAMPLES = {
    "noise_of_two_parameters": [(_V, 0.4)],
    "noise_by_keywords": [(_V, 0.6)],
    "draws_between": [(np.array([0.3, -0.5]), 1.4)],
    "draws_above_zero": [(0.3, _POSITIVE)],
    "draws_of_the_module": [(_V, 0.8)],
    "draws_of_the_old_generator": [(_V, 0.7)],
}
