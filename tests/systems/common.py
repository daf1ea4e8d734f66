"""What the tests of both models share."""

import copy

import numpy as np

from adcompile.tangents import add_to_primal, scale

X = np.array([0.3, 0.7, 1.1])


def rng(seed=0):
    return np.random.default_rng(seed)


def slope(f, args, along, h=1e-5):
    """The derivative of everything a call leaves visible: its result and the state of its arguments."""

    def at(k):
        moved = [a if t is None else add_to_primal(a, scale(k, t)) for a, t in zip(copy.deepcopy(args), along)]
        return np.concatenate([np.ravel(f(*moved)), *(np.ravel(m) for m, t in zip(moved, along) if t is not None)])

    return (at(h) - at(-h)) / (2 * h)


def doubled(x):
    return 2.0 * x


def smooth(x, y):
    return np.exp(np.sin(x)) * y + x[::-1]
