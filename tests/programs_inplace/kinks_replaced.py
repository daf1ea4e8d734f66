"""Values whose derivative is infinite, which a later write replaces."""

import numpy as np


def logarithms_by_mask(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    y[x < 0.5] = 0.0
    return np.sum(y)


def reciprocals_by_element(x):
    y = np.empty_like(x)
    with np.errstate(all="ignore"):
        y[:] = 1.0 / x
    y[0] = x[1]
    return np.sum(y * y)


def roots_by_putmask(x):
    with np.errstate(all="ignore"):
        y = np.sqrt(x)
    np.putmask(y, x < 0.3, 1.0)
    return np.sum(y**2)


def element_by_element(x):
    y = np.zeros(3)
    with np.errstate(all="ignore"):
        for i in range(3):
            y[i] = np.log(x[i])
    y[0] = 0.0
    return np.sum(y)


def through_out(x):
    y = x.copy()
    with np.errstate(all="ignore"):
        np.log(y, out=y)
    y[0] = 3.0
    return np.sum(y * y)


def quotients(x):
    with np.errstate(all="ignore"):
        y = x / x
    y[0] = 3.0
    z = y * x
    return np.sum(z * z)


def through_views(x):
    y = np.zeros((2, 3))
    top = y[0]
    with np.errstate(all="ignore"):
        top[:] = np.log(x) + np.sqrt(x)
    y[:, 0] = 2.0
    return np.sum(y * y)


def copied_over(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    np.copyto(y, 2.0 * x, where=x < 0.5)
    for i in range(3):
        if x[i] < 0.3:
            y[i] = x[i] * 3.0
    return np.sum(y)


_X = np.array([0.0, 1.0, 2.0])
SAMPLES = {
    name: [(_X,)]
    for name in (
        "logarithms_by_mask",
        "reciprocals_by_element",
        "roots_by_putmask",
        "element_by_element",
        "through_out",
        "quotients",
        "through_views",
        "copied_over",
    )
}
