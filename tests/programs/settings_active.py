"""Settings that carry derivatives, given by keyword: bounds, initial values, what stands for nan, ranges, means."""

import numpy as np

LOW = np.array([0.0, 1.0, 5.0])
HOLES = np.array([np.nan, 1.0, np.inf, -np.inf])


def clipped_by_keywords(x):
    return np.sum(np.clip(x, min=x[2] * 2.0, max=x[0] * 1.2) ** 2) + np.sum(np.clip(LOW, min=x[2], max=x[1]) ** 3)


def clipped_by_one_keyword(x):
    return np.sum(np.clip(LOW, max=x[1]) ** 2) * np.sum(np.clip(x, min=x[2] * 2.0) ** 3)


def reduced_from_initial(x):
    return np.add.reduce(x, initial=x[0] * x[1]) ** 2 * np.multiply.reduce(x, initial=x[2])


def holes_filled(x):
    y = np.nan_to_num(HOLES * x[1], nan=x[0], posinf=x[1] * x[2], neginf=x[2])
    return np.sum(y**2) + np.sum(np.nan_to_num(HOLES, True, x[2], 1.0, 2.0) ** 3)


def parts_filled(x):
    """What is finite of a complex number stays."""
    z = HOLES[:3] + 1j * x
    other = np.nan_to_num(1j * z, True, x[2], x[1], -3.0)
    return np.sum(np.abs(np.nan_to_num(z, posinf=1.0)) ** 2) + np.sum(np.real(other) ** 3 + np.imag(other) ** 2)


def edges_of_a_range(x):
    return np.sum(np.histogram(LOW, bins=3, range=(x[2], x[1]))[1] ** 3)


def about_a_mean(x):
    y = np.where(x > 2.0, np.nan, x)
    return np.nanvar(y, mean=x[2]) * np.nanstd(y, mean=x[0]) + np.var(x, mean=x[1])


def fewer_degrees_of_freedom(x):
    y = np.outer(x, np.sin(x))
    total = np.std(y, ddof=x[2]) * np.var(x, correction=x[0]) + np.sum(y.var(axis=0, ddof=x[2]) * y.std(1, ddof=x[2]))
    return total * np.nanstd(y, ddof=x[0]) * np.nanvar(y, ddof=x[2])


X = np.array([1.17, 2.21, 0.37])
SAMPLES = {
    name: [(X,)]
    for name in (
        "clipped_by_keywords",
        "clipped_by_one_keyword",
        "reduced_from_initial",
        "holes_filled",
        "parts_filled",
        "edges_of_a_range",
        "about_a_mean",
        "fewer_degrees_of_freedom",
    )
}
