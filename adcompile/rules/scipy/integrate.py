"""scipy.integrate: integrals of functions of one number, by what they capture and by their limits, and differential
equations, by what they capture and by their start."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from adcompile import runtime as rt
from adcompile.rules.kinds import overlay
from adcompile.rules.numpy.constant import present, without_rule

EVENTS = "a solution with events; solve up to a fixed time, and find the event with scipy.optimize.brentq"
TIMES = "the times of a solution; scale the time: solve dy/ds = T·f(y, s·T) for s between fixed numbers"
WEIGHTED = "a weighted or complex integral; write the weight into the integrand, and integrate parts of complex ones"


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
    func = rt.capturing(func)

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


# -- differential equations ---------------------------------------------------------------------


def unknowns(y0: Any) -> Any:
    return np.reshape(np.array(y0), (-1,)) * 1.0


@overlay(integrate.odeint)
def odeint(
    func: Any,
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Any = None,
    col_deriv: Any = 0,
    full_output: Any = 0,
    ml: Any = None,
    mu: Any = None,
    rtol: Any = None,
    atol: Any = None,
    *settings: Any,
    tfirst: Any = False,
    mxstep: Any = 0,
    **named: Any,
) -> Any:
    func = rt.capturing(func)

    def equation(y: Any, s: Any) -> Any:
        slope = func(s, y, *args) if tfirst else func(y, s, *args)
        return np.reshape(np.array(slope), np.shape(y)) * 1.0

    given = (args, Dfun, col_deriv, full_output, ml, mu, rtol, atol, *settings)
    found = rt.solve(integrate.odeint, func, y0, t, *given, tfirst=tfirst, mxstep=mxstep, **named)
    limits = ("odeint", rtol, atol, mxstep)
    if full_output:
        y = rt.followed_path(rt.rows(found[0]), equation, unknowns(y0), t, t, limits)
        return y, rt.beside(found[1], y)
    return rt.followed_path(rt.rows(found), equation, unknowns(y0), t, t, limits)


@overlay(integrate.solve_ivp)
def solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: Any = False,
    events: Any = None,
    vectorized: Any = False,
    args: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    max_step: Any = np.inf,
    **options: Any,
) -> Any:
    """The times that the solver chooses are constants where the span of time is one."""
    fun = rt.capturing(fun)

    def equation(y: Any, s: Any) -> Any:
        slope = fun(s, y) if args is None else fun(s, y, *args)
        return np.reshape(np.array(slope), np.shape(y)) * 1.0

    given = (method, t_eval, dense_output, events, vectorized, args)
    named = {"rtol": rtol, "atol": atol, "max_step": max_step, **options}
    told = rt.solve(integrate.solve_ivp, fun, t_span, y0, *given, **named)
    times, found = rt.beside(rt.vector(told.t), (t_span, t_eval), TIMES), rt.rows(told.y)
    if events is None:
        limits = (method, rtol, atol, max_step)
        y = rt.followed_path(found.T, equation, unknowns(y0), t_span, times, limits).T
    else:
        y = rt.beside(found, (fun, y0, t_span, args), EVENTS)
    return rt.Trajectory(y, times, told)


without_rule(
    *present(integrate, "dblquad tplquad nquad quad_vec fixed_quad qmc_quad cubature tanhsinh nsum"),
    remedy="use scipy.integrate.quad, or write a quadrature in NumPy: np.polynomial.legendre.leggauss gives its points",
)
without_rule(
    *present(integrate, "solve_bvp ode complex_ode RK23 RK45 DOP853 Radau BDF LSODA"),
    remedy="write the steps of a Runge-Kutta method in a loop in NumPy",
)
