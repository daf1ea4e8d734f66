"""Learn here: what goes into a derivative module that is generated ahead of time.

This file knows nothing of adcompile. `README.md` tells how `model_grad.py` is made from it.
"""

import numpy as np


def loss(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The mean logistic loss of labels y in {-1, 1}, with a small ridge penalty."""
    margin = y * (x @ w)
    return np.mean(np.logaddexp(0.0, -margin)) + 0.01 * np.sum(w**2)
