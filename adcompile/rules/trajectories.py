"""The rules of `adcompile.runtime.trajectories`: the derivative of a solution of a differential equation solves one."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import Array
from adcompile.rules.kinds import constant
from adcompile.rules.registry import Rule, register
from adcompile.rules.typing import always

PATH = Array(np.dtype(np.float64), ("any", "any"))


def pushed_system(fun: Any, dots: Any, which: Any) -> Any:
    """The equation of the unknowns and of one tangent of them, behind them."""

    def system(z: Any, t: Any) -> Any:
        n = np.size(z) // 2
        y = z[:n]
        return np.concatenate((fun(y, t), rt.push_along(fun, y, t, z[n:], dots, which)))

    return system


def sensitivities(fun: Any, n: Any, by_start: Any, which: Any) -> Any:
    """The equation of n unknowns and of their derivatives, by the start, if asked for, and by what `fun` captured."""

    def system(z: Any, t: Any) -> Any:
        y, derivatives = z[:n], np.reshape(z[n:], (n, -1))
        matrix = rt.jacobian_along(fun, y, t, which)
        direct = matrix[:, n:]
        if by_start:
            direct = np.concatenate((np.zeros((n, n)), direct), axis=1)
        return np.concatenate((fun(y, t), np.ravel(matrix[:, :n] @ derivatives + direct)))

    return system


constant(rt.rows, typing=always(PATH))
register(rt.followed_path, Rule("trajectory", body=sensitivities, typing=always(PATH)))
register(rt.path, Rule("trajectory", body=sensitivities, typing=always(PATH)))
