"""Learn here: use a derivative module like any other; the compiler is not needed any more.

Plain gradient descent on a small classification problem, with the gradient of `model_grad.py`.
"""

import sys

import numpy as np
from model import loss
from model_grad import loss_grad


def main():
    # Two overlapping clouds on a grid, so that nothing is random.
    grid = np.array([[i, j, 1.0] for i in np.linspace(-1.0, 1.0, 5) for j in np.linspace(-1.0, 1.0, 5)])
    y = np.where(grid[:, 0] + 0.5 * grid[:, 1] + 0.3 * np.cos(7.0 * grid[:, 0]) > 0.2, 1.0, -1.0)
    w = np.zeros(3)
    print(f"loss before: {loss(w, grid, y):.6f}")
    for _ in range(500):
        w = w - 1.0 * loss_grad(w, grid, y)
    print(f"loss after:  {loss(w, grid, y):.6f}   weights {np.round(w, 4)}")
    print(f"largest entry of the gradient: {np.max(np.abs(loss_grad(w, grid, y))):.1e}")
    assert np.max(np.abs(loss_grad(w, grid, y))) < 1e-5
    print("compiler imported:", "adcompile.pipeline" in sys.modules)


if __name__ == "__main__":
    main()
