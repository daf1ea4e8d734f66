"""Lotka–Volterra by the classical Runge–Kutta method, 1000 steps on Python floats.

The sum of the final state is differentiated with respect to the initial state and the four rates.
"""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def rk4(x, y, a, b, c, d, steps, h):
    """x' = a x - b x y, y' = c x y - d y."""
    for _ in range(steps):
        k1x = a * x - b * x * y
        k1y = c * x * y - d * y
        x2 = x + 0.5 * h * k1x
        y2 = y + 0.5 * h * k1y
        k2x = a * x2 - b * x2 * y2
        k2y = c * x2 * y2 - d * y2
        x3 = x + 0.5 * h * k2x
        y3 = y + 0.5 * h * k2y
        k3x = a * x3 - b * x3 * y3
        k3y = c * x3 * y3 - d * y3
        x4 = x + h * k3x
        y4 = y + h * k3y
        k4x = a * x4 - b * x4 * y4
        k4y = c * x4 * y4 - d * y4
        x = x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
        y = y + h / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
    return x + y


def by_hand(x, y, a, b, c, d, steps, h):
    """Keeps the state of each step, and computes its stages again on the way back."""
    xs, ys = [0.0] * steps, [0.0] * steps
    states(xs, ys, x, y, a, b, c, d, h)
    return back(xs, ys, a, b, c, d, h)


def loops(x, y, a, b, c, d, steps, h):
    xs, ys = np.empty(steps), np.empty(steps)
    states(xs, ys, x, y, a, b, c, d, h)
    return back(xs, ys, a, b, c, d, h)


def states(xs, ys, x, y, a, b, c, d, h):
    half, sixth = 0.5 * h, h / 6.0
    for i in range(len(xs)):
        xs[i] = x
        ys[i] = y
        k1x, k1y = a * x - b * x * y, c * x * y - d * y
        x2, y2 = x + half * k1x, y + half * k1y
        k2x, k2y = a * x2 - b * x2 * y2, c * x2 * y2 - d * y2
        x3, y3 = x + half * k2x, y + half * k2y
        k3x, k3y = a * x3 - b * x3 * y3, c * x3 * y3 - d * y3
        x4, y4 = x + h * k3x, y + h * k3y
        k4x, k4y = a * x4 - b * x4 * y4, c * x4 * y4 - d * y4
        x = x + sixth * (k1x + 2.0 * (k2x + k3x) + k4x)
        y = y + sixth * (k1y + 2.0 * (k2y + k3y) + k4y)


def back(xs, ys, a, b, c, d, h):
    half, sixth = 0.5 * h, h / 6.0
    u = v = 1.0
    a_bar = b_bar = c_bar = d_bar = 0.0
    for i in range(len(xs) - 1, -1, -1):
        x, y = xs[i], ys[i]
        x2 = x + half * (a * x - b * x * y)
        y2 = y + half * (c * x * y - d * y)
        x3 = x + half * (a * x2 - b * x2 * y2)
        y3 = y + half * (c * x2 * y2 - d * y2)
        x4 = x + h * (a * x3 - b * x3 * y3)
        y4 = y + h * (c * x3 * y3 - d * y3)
        # stage by stage: p and q are the cotangents of kx and ky, r and s those of the stage's state
        p, q = sixth * u, sixth * v
        w = c * q - b * p
        r, s = a * p + y4 * w, x4 * w - d * q
        xy = x4 * y4
        a_bar += x4 * p
        b_bar -= xy * p
        c_bar += xy * q
        d_bar -= y4 * q
        new_u, new_v = u + r, v + s
        p, q = 2.0 * sixth * u + h * r, 2.0 * sixth * v + h * s
        w = c * q - b * p
        r, s = a * p + y3 * w, x3 * w - d * q
        xy = x3 * y3
        a_bar += x3 * p
        b_bar -= xy * p
        c_bar += xy * q
        d_bar -= y3 * q
        new_u += r
        new_v += s
        p, q = 2.0 * sixth * u + half * r, 2.0 * sixth * v + half * s
        w = c * q - b * p
        r, s = a * p + y2 * w, x2 * w - d * q
        xy = x2 * y2
        a_bar += x2 * p
        b_bar -= xy * p
        c_bar += xy * q
        d_bar -= y2 * q
        new_u += r
        new_v += s
        p, q = sixth * u + half * r, sixth * v + half * s
        w = c * q - b * p
        xy = x * y
        a_bar += x * p
        b_bar -= xy * p
        c_bar += xy * q
        d_bar -= y * q
        u, v = new_u + a * p + y * w, new_v + x * w - d * q
    return u, v, a_bar, b_bar, c_bar, d_bar


def with_scan() -> Run:
    jax = importlib.import_module("jax")

    def rk4_scan(x, y, a, b, c, d, steps, h):
        def rates(x, y):
            return a * x - b * x * y, c * x * y - d * y

        def step(state, _):
            x, y = state
            k1x, k1y = rates(x, y)
            k2x, k2y = rates(x + 0.5 * h * k1x, y + 0.5 * h * k1y)
            k3x, k3y = rates(x + 0.5 * h * k2x, y + 0.5 * h * k2y)
            k4x, k4y = rates(x + h * k3x, y + h * k3y)
            x = x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
            y = y + h / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
            return (x, y), None

        (x, y), _ = jax.lax.scan(jax.checkpoint(step), (x, y), None, length=steps)
        return x + y

    return rk4_scan


def workload(steps: int = 1000) -> Workload:
    args = (1.2, 0.8, 1.1, 0.4, 0.1, 0.4, steps, 0.01)
    return Workload("rk4_scalar", rk4, args, (0, 1, 2, 3, 4, 5), by_hand, loops, jax=with_scan, static=(6,))
