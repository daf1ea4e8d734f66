"""scipy.optimize: roots, fixed points and minima, by the equations that they solve.

The solver runs as the user calls it, and gives constants. What it has found is then the solution of an equation,
`rt.solution(found, residual)`: an argument moves it where the residual is made of that, be it captured or in `args`.
Brackets and starts choose among solutions, and have no derivative.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy import optimize

from adcompile import runtime as rt
from adcompile.rules.kinds import overlay
from adcompile.rules.numpy.constant import present, without_rule

DEFAULTS = {name: p.default for name, p in inspect.signature(optimize.brentq).parameters.items()}
CONSTRAINED = "a minimum under constraints; write Lagrange's equations, and solve them with scipy.optimize.root"
LOSS = "a fit by least_squares with bounds or a loss; use minimize for what it minimizes"
BOUNDED = "a minimum between bounds by this method; use method='L-BFGS-B', which stops at a bound itself"


def applied(f: Any, x: Any, args: Any, pair: Any = False) -> Any:
    """f(x) with further arguments, as SciPy takes them; of `pair`, value and derivative, the value."""
    y = f(x, *args) if isinstance(args, tuple) else f(x, args)
    return y[0] if pair is True else y


def fitted(y: Any, x: Any) -> Any:
    """What a system gives for its unknowns, in their shape."""
    return np.reshape(np.array(y), np.shape(x))


# -- functions of one number, and of several element by element ---------------------------------


def bracketing(solver: Any) -> Any:
    def root(
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = DEFAULTS["xtol"],
        rtol: Any = DEFAULTS["rtol"],
        maxiter: Any = DEFAULTS["maxiter"],
        full_output: Any = False,
        disp: Any = True,
    ) -> Any:
        f = rt.capturing(f)

        def residual(x: Any) -> Any:
            return applied(f, x, args)

        found = rt.solve(solver, f, a, b, args, xtol, rtol, maxiter, full_output, disp)
        return with_told(found, full_output, residual)

    return root


def with_told(found: Any, full_output: Any, residual: Any) -> Any:
    """A root, beside what the solver tells where it is asked to."""
    if not full_output:
        return rt.solution(float(found), residual)
    x = rt.solution(float(found[0]), residual)
    return x, rt.beside(found[1], x)


for _solver in (optimize.brentq, optimize.brenth, optimize.ridder, optimize.bisect):
    overlay(_solver)(bracketing(_solver))


@overlay(optimize.toms748)
def toms748(
    f: Any,
    a: Any,
    b: Any,
    args: Any = (),
    k: Any = 1,
    xtol: Any = DEFAULTS["xtol"],
    rtol: Any = DEFAULTS["rtol"],
    maxiter: Any = DEFAULTS["maxiter"],
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    f = rt.capturing(f)

    def residual(x: Any) -> Any:
        return applied(f, x, args)

    found = rt.solve(optimize.toms748, f, a, b, args, k, xtol, rtol, maxiter, full_output, disp)
    return with_told(found, full_output, residual)


@overlay(optimize.newton)
def newton(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: Any = 1.48e-8,
    maxiter: Any = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: Any = 0.0,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    func = rt.capturing(func)

    def residual(x: Any) -> Any:
        return applied(func, x, args)

    found = rt.solve(optimize.newton, func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, full_output, disp)
    if not full_output:
        return rt.solution(rt.shaped(found, x0), residual)
    x = rt.solution(rt.shaped(found[0], x0), residual)
    return x, *rt.beside(found[1:], x)


@overlay(optimize.root_scalar)
def root_scalar(
    f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None, *settings: Any, **named: Any
) -> Any:
    f = rt.capturing(f)

    def residual(x: Any) -> Any:
        return applied(f, x, args, fprime)

    told = rt.solve(optimize.root_scalar, f, args, method, bracket, fprime, *settings, **named)
    x = rt.solution(float(told.root), residual)
    return rt.Root(x, residual(x), told)


@overlay(optimize.fixed_point)
def fixed_point(func: Any, x0: Any, args: Any = (), *settings: Any, **named: Any) -> Any:
    func = rt.capturing(func)

    def residual(x: Any) -> Any:
        return fitted(applied(func, x, args), x) - x

    return rt.solution(rt.arrayed(rt.solve(optimize.fixed_point, func, x0, args, *settings, **named), x0), residual)


# -- systems ------------------------------------------------------------------------------------


@overlay(optimize.fsolve)
def fsolve(func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, **named: Any) -> Any:
    func = rt.capturing(func)

    def residual(x: Any) -> Any:
        return fitted(applied(func, x, args), x)

    found = rt.solve(optimize.fsolve, func, x0, args, fprime, full_output, **named)
    if full_output:
        x = rt.solution(rt.vector(found[0]), residual)
        return x, rt.beside(found[1], x), found[2], found[3]
    return rt.solution(rt.vector(found), residual)


@overlay(optimize.root)
def root(
    fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, *settings: Any, **named: Any
) -> Any:
    fun = rt.capturing(fun)

    def residual(x: Any) -> Any:
        return fitted(applied(fun, x, args, jac), x)

    told = rt.solve(optimize.root, fun, x0, args, method, jac, *settings, **named)
    found = rt.vector(told.x) if np.ndim(x0) < 2 or method in ("hybr", "lm") else rt.arrayed(told.x, x0)
    x = rt.solution(found, residual)
    return rt.Optimum(x, residual(x), told)


# -- minima: the gradient is zero ---------------------------------------------------------------


@overlay(optimize.minimize)
def minimize(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    *settings: Any,
    **named: Any,
) -> Any:
    fun = rt.capturing(fun)

    def objective(x: Any) -> Any:
        return np.sum(applied(fun, x, args, jac))

    def residual(x: Any) -> Any:
        return rt.slope(objective, x)

    def residual_between(x: Any) -> Any:
        """At a bound, the bound is the equation."""
        lower, upper = limits(x, bounds)
        return np.where(x <= lower, x - lower, np.where(x >= upper, x - upper, rt.slope(objective, x)))

    given = (method, jac, hess, hessp, bounds, constraints)
    told = rt.solve(optimize.minimize, fun, x0, args, *given, *settings, **named)
    found = rt.vector(told.x)
    if not isinstance(constraints, (tuple, list)) or len(constraints) > 0:
        x = rt.beside(found, (objective, constraints), CONSTRAINED)
    elif bounds is None:
        x = rt.solution(found, residual)
    elif method is None or method == "L-BFGS-B":
        x = rt.solution(found, residual_between)
    else:
        x = rt.beside(found, (objective, bounds), BOUNDED)
    return rt.Optimum(x, objective(x), told)


def limits(x: Any, bounds: Any) -> Any:
    """The lower and upper bounds of `minimize`: pairs, in which None stands for no bound, or an object of SciPy's."""
    if not isinstance(bounds, (tuple, list)):
        return rt.limits(x, bounds)
    lower = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds])
    return lower, np.array([np.inf if pair[1] is None else pair[1] for pair in bounds])


@overlay(optimize.minimize_scalar)
def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), *settings: Any, **named: Any
) -> Any:
    fun = rt.capturing(fun)

    def objective(x: Any) -> Any:
        return applied(fun, x, args)

    def residual(x: Any) -> Any:
        if bounds is not None:
            rt.inside(x, bounds[0], bounds[1])
        return rt.slope(objective, x)

    told = rt.solve(optimize.minimize_scalar, fun, bracket, bounds, args, *settings, **named)
    x = rt.solution(rt.shaped(told.x, 1.0), residual)
    return rt.Optimum(x, objective(x), told)


@overlay(optimize.least_squares)
def least_squares(
    fun: Any,
    x0: Any,
    jac: Any = "2-point",
    bounds: Any = None,
    method: Any = "trf",
    *settings: Any,
    loss: Any = "linear",
    args: Any = (),
    kwargs: Any = None,
    **named: Any,
) -> Any:
    fun, kwargs = rt.capturing(fun), {} if kwargs is None else kwargs

    def errors(x: Any) -> Any:
        return np.array(fun(x, *args, **kwargs))

    def residual(x: Any) -> Any:
        return rt.slope(lambda u: 0.5 * np.sum(errors(u) ** 2), x)

    within = (-np.inf, np.inf) if bounds is None else bounds
    given = (jac, within, method, *settings)
    told = rt.solve(optimize.least_squares, fun, x0, *given, loss=loss, args=args, kwargs=kwargs, **named)
    found = rt.vector(told.x)
    if bounds is not None or loss != "linear" or len(settings) > 4:
        x = rt.beside(found, (fun, args, kwargs), LOSS)
    else:
        x = rt.solution(found, residual)
    return rt.Optimum(x, errors(x), told)


# -- what has no derivative ---------------------------------------------------------------------

without_rule(
    *present(
        optimize,
        "fmin fmin_powell fmin_cg fmin_bfgs fmin_ncg fmin_l_bfgs_b fmin_tnc fmin_cobyla fmin_slsqp fminbound brent "
        "golden basinhopping brute differential_evolution dual_annealing shgo direct",
    ),
    remedy="use scipy.optimize.minimize or minimize_scalar, from the minimum that this finds: theirs have derivatives",
)
without_rule(
    *present(
        optimize, "broyden1 broyden2 anderson linearmixing diagbroyden excitingmixing newton_krylov"
    ),
    remedy="use scipy.optimize.root, whose roots have derivatives",
)
without_rule(
    *present(optimize, "leastsq curve_fit nnls lsq_linear isotonic_regression"),
    remedy="use scipy.optimize.least_squares, whose minima have derivatives; or write the normal equations in NumPy",
)
without_rule(
    *present(optimize, "linprog milp quadratic_assignment"),
    remedy="write the equations of the constraints that hold at the solution, and solve them with np.linalg.solve",
)
