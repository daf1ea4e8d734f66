"""Arrays of integers beside those that carry derivatives, in what a function gives as a whole."""

import numpy as np


def of_a_mesh(x):
    parts = np.meshgrid(x, np.arange(3))
    return np.sum(np.stack(parts) ** 2)


def broadcast_together(x):
    both = np.broadcast_arrays(x, np.arange(2)[:, None])
    return np.sum(np.array(both) * np.concatenate(both)[0])


SAMPLES = {
    "of_a_mesh": [(np.array([0.3, 0.8]),)],
    "broadcast_together": [(np.array([0.3, 0.8, 1.2]),)],
}
