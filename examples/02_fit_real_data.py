"""Learn here: hand the gradient and the Hessian of your own loss to scipy.optimize, on real measurements.

The data are the reaction rates of an enzyme treated with puromycin: M. A. Treloar, "Effects of Puromycin on
Galactosyltransferase in Golgi Membranes", M.Sc. thesis, University of Toronto, 1974; printed in Bates and Watts,
"Nonlinear Regression Analysis and Its Applications", 1988, whose estimates are Vmax = 212.7 and K = 0.0641.
It needs SciPy: `pip install -e ".[test]"`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompile as ad

CONCENTRATION = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.10, 1.10])  # ppm
RATE = np.array([76.0, 47.0, 97.0, 107.0, 123.0, 139.0, 159.0, 152.0, 191.0, 201.0, 207.0, 200.0])  # counts/min²


def michaelis_menten(concentration, vmax, k):
    return vmax * concentration / (k + concentration)


def loss(log_parameters):
    """The sum of squares; logarithms keep both parameters positive and of like size."""
    vmax, k = np.exp(log_parameters)
    return np.sum((RATE - michaelis_menten(CONCENTRATION, vmax, k)) ** 2)


def main():
    start = np.log([100.0, 0.5])
    fit = minimize(ad.value_and_grad(loss), start, jac=True, hess=ad.hessian(loss), method="trust-exact")
    vmax, k = np.exp(fit.x)
    print(f"Vmax = {vmax:.1f} counts/min²   K = {k:.4f} ppm   residual sum of squares = {fit.fun:.1f}")
    print(f"{fit.nit} iterations, {fit.nfev} values, {fit.njev} gradients, {fit.nhev} Hessians")
    assert abs(vmax - 212.7) < 0.1
    assert abs(k - 0.0641) < 0.0001

    # The curvature at the minimum gives standard errors of the logarithms, which are relative errors.
    variance = fit.fun / (len(RATE) - 2)
    relative = np.sqrt(np.diag(2.0 * variance * np.linalg.inv(ad.hessian(loss)(fit.x))))
    print(f"standard errors: Vmax ± {relative[0] * vmax:.1f}   K ± {relative[1] * k:.4f}")


if __name__ == "__main__":
    main()
