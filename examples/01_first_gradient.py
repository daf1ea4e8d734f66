"""Learn here: take the gradient of a plain NumPy function, and read the source that computes it.

Run it with `python examples/01_first_gradient.py`; it needs nothing but adcompile itself.
"""

import numpy as np

import adcompile as ad


def loss(w, x, y):
    """Half the squared error of a saturating model, over the observations that are present."""
    total = 0.0
    for i in range(len(y)):
        if y[i] < 0.0:  # negative means missing
            continue
        r = np.tanh(x[i] @ w) - y[i]
        total += 0.5 * r**2
    return total


def main():
    x = np.array([[0.2, 1.0], [0.7, -0.4], [-1.1, 0.3], [0.5, 0.5]])
    y = np.array([0.6, 0.1, -1.0, 0.4])
    w = np.array([0.3, 0.5])

    value, gradient = ad.value_and_grad(loss)(w, x, y)
    print("loss     ", value)
    print("gradient ", gradient)

    step = 1e-6
    for i in range(len(w)):
        e = step * np.eye(len(w))[i]
        difference = (loss(w + e, x, y) - loss(w - e, x, y)) / (2 * step)
        print(f"difference quotient for w[{i}]: {difference:.9f}")
        assert abs(difference - gradient[i]) < 1e-8

    print("\nThe generated source:\n")
    print(ad.source(ad.grad(loss), w, x, y))


if __name__ == "__main__":
    main()
