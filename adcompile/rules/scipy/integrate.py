"""scipy.integrate: integrals of functions of one number, by what they capture and by their limits."""

from __future__ import annotations

from typing import Any

from scipy import integrate

from adcompile import runtime as rt
from adcompile.rules.kinds import overlay
from adcompile.rules.numpy.constant import present, without_rule

WEIGHTED = "a weighted or complex integral; write the weight into the integrand, and integrate the parts of complex ones"


@overlay(integrate.quad)
def quad(
    func: Any,
    a: Any,
    b: Any,
    args: Any = (),
    full_output: Any = 0,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
    weight: Any = None,
    wvar: Any = None,
    wopts: Any = None,
    maxp1: Any = 50,
    limlst: Any = 50,
    complex_func: Any = False,
) -> Any:
    func = rt.plain(func)

    def integrand(s: Any) -> Any:
        return func(s, *args) if isinstance(args, tuple) else func(s, args)

    given = (full_output, epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1, limlst, complex_func)
    found = rt.solve(integrate.quad, func, a, b, args, *given)
    if weight is not None or complex_func:
        y = rt.beside(found[0], (func, a, b, args), WEIGHTED)
    else:
        y = rt.integrated(float(found[0]), integrand, a, b, (epsabs, epsrel, points))
    if full_output:
        return y, rt.beside(found[1], y), found[2]
    return y, rt.beside(found[1], y)


without_rule(
    *present(integrate, "dblquad tplquad nquad quad_vec fixed_quad qmc_quad cubature tanhsinh nsum"),
    remedy="use scipy.integrate.quad, or write a quadrature in NumPy: np.polynomial.legendre.leggauss gives its points",
)
without_rule(
    *present(integrate, "solve_bvp ode complex_ode RK23 RK45 DOP853 Radau BDF LSODA"),
    remedy="write the steps of a Runge-Kutta method in a loop in NumPy",
)
