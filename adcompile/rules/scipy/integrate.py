"""scipy.integrate: what is refused, and what to write instead."""

from __future__ import annotations

from scipy import integrate

from adcompile.rules.numpy.constant import present, without_rule

without_rule(
    *present(integrate, "dblquad tplquad nquad quad_vec fixed_quad qmc_quad cubature tanhsinh nsum"),
    remedy="use scipy.integrate.quad, or write a quadrature in NumPy: np.polynomial.legendre.leggauss gives its points",
)
without_rule(
    *present(integrate, "solve_bvp ode complex_ode RK23 RK45 DOP853 Radau BDF LSODA"),
    remedy="write the steps of a Runge-Kutta method in a loop in NumPy",
)
