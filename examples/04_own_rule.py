"""Learn here: give a function of your own a derivative, where adcompile should not look inside or cannot.

A rule is only the mathematics. Forward mode, reverse mode and second derivatives follow from it.
"""

import numpy as np

import adcompile as ad
from adcompile import rules


def lambert_w(x):
    """The principal branch of W(x) · exp(W(x)) = x, elementwise for x ≥ 0, by Halley's method."""
    w = np.log1p(x)
    for _ in range(40):
        e = np.exp(w)
        f = w * e - x
        w = w - f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0))
    return w


@rules.elementwise(lambert_w)
def _lambert_w(y, x):
    """From y · exp(y) = x: one line instead of 40 differentiated iterations. `y` is the result."""
    return 1.0 / (x + np.exp(y))


def log_determinant(a):
    """log |a| of a positive definite matrix (n, n)."""
    return 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(a))))


@rules.vjp(log_determinant)
def _log_determinant(y_bar, y, a):
    """Takes the cotangent of the result, returns that of the argument; forward mode is its transpose."""
    return y_bar * np.linalg.inv(a).T


def energy(t):
    """Uses both functions, as if they were part of NumPy."""
    a = np.array([[2.0, 0.3], [0.3, 1.0]]) + np.outer(t, t)
    return np.sum(lambert_w(t * t) * t) + log_determinant(a)


def main():
    t = np.array([0.8, 1.7])
    ad.check_grads(energy, (t,), order=2)
    print("gradient:", ad.grad(energy)(t))
    print("Hessian:")
    print(ad.hessian(energy)(t))
    print("\nThe rules stand in the generated source as if written there by hand:\n")
    print(ad.source(ad.grad(energy), t))


if __name__ == "__main__":
    main()
