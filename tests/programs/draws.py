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


def chosen_elements(x):
    rng = np.random.default_rng(9)
    some = rng.choice(x, 4) * np.arange(4.0) + rng.choice(x, (2, 4), replace=False, p=None)
    weighted = rng.choice(x, 3, p=np.arange(1.0, 9.0) / 36.0, shuffle=False)
    rows = rng.choice(x.reshape(2, 4), 3, axis=1) * rng.normal(x[0], 1.0)
    return np.sum(some**2) + np.sum(weighted) * rng.choice(x) + np.sum(rows**2) * x[rng.choice(8, 2)].sum()


def permuted_elements(x):
    rng = np.random.default_rng(10)
    rows = rng.permutation(x.reshape(2, 4), axis=1) * rng.permutation(x.reshape(4, 2)).T
    return np.sum(rng.permutation(x) * np.arange(8.0)) + np.sum(rows**2 * rng.permutation(4)) * rng.uniform(0.0, x[0])


def shuffled_elements(x):
    rng = np.random.default_rng(11)
    y, rows, order, places = x.copy(), x.reshape(4, 2) * 2.0, list(range(8)), np.arange(8)
    rng.shuffle(y)
    rng.shuffle(rows)
    rng.shuffle(rows.T[:, 1:], axis=1)
    rng.shuffle(order)
    rng.shuffle(places)
    total = np.sum(y * np.arange(8.0)) + np.sum(rows[:, 0] ** 3 * rows[:, 1]) + np.sum(x[order[:3]] * x[places[:3]])
    for k in order:
        total = total * 0.5 + x[k] ** 2
    return total * rng.uniform()


def shuffled_by_the_module(x):
    np.random.seed(12)
    y = x.copy()
    np.random.shuffle(y[::2])
    total = np.sum(y * np.arange(8.0)) * np.random.choice(x)
    batch = np.random.RandomState(3).choice(x, 3)
    return total + np.sum(np.random.permutation(x)[:3] * batch) * np.random.uniform()


def batches(w, data):
    rng = np.random.default_rng(13)
    for _ in range(2):
        for k in rng.permutation(3):
            w = w - 0.1 * (w * data[k] - 1.0) * rng.choice(data[k])
    return np.sum(w**2)


_EIGHT = np.array([0.3, 1.2, -0.7, 2.0, 0.1, -1.5, 0.8, 1.1])
SAMPLES = {
    "chosen_elements": [(_EIGHT,)],
    "permuted_elements": [(_EIGHT,)],
    "shuffled_elements": [(_EIGHT,)],
    "shuffled_by_the_module": [(_EIGHT,)],
    "batches": [(_V, np.arange(9.0).reshape(3, 3) / 9.0)],
    "noise_of_two_parameters": [(_V, 0.4)],
    "noise_by_keywords": [(_V, 0.6)],
    "draws_between": [(np.array([0.3, -0.5]), 1.4)],
    "draws_above_zero": [(0.3, _POSITIVE)],
    "draws_of_the_module": [(_V, 0.8)],
    "draws_of_the_old_generator": [(_V, 0.7)],
}
