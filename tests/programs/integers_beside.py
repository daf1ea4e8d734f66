"""Arrays of integers beside those that carry derivatives, in what a function gives as a whole."""

import numpy as np


def of_a_mesh(x):
    parts = np.meshgrid(x, np.arange(3))
    return np.sum(np.stack(parts) ** 2)


def of_a_tuple(x):
    parts = np.meshgrid(np.arange(2), x, indexing="ij")
    return np.sum(np.array(parts)[0] * np.concatenate(parts)[2:])


SAMPLES = {
    "of_a_mesh": [(np.array([0.3, 0.8]),)],
    "of_a_tuple": [(np.array([0.3, 0.8, 1.2]),)],
}
