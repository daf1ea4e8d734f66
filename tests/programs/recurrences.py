"""Loops that hand on a few numbers, each of which is made of the others in many steps, as simulations do."""

import math

import numpy as np


def two_stages(x, y, mu, dt, n):
    """The midpoint rule for van der Pol's oscillator."""
    for _ in range(n):
        kx, ky = y, mu * (1.0 - x * x) * y - x
        xm, ym = x + 0.5 * dt * kx, y + 0.5 * dt * ky
        x, y = x + dt * ym, y + dt * (mu * (1.0 - xm * xm) * ym - xm)
    return x * y + x


def half_steps(x, v, k, c, dt, n):
    """Positions and speeds by turns: what an iteration makes last is what the next one begins with."""
    for _ in range(n):
        v = v - 0.5 * dt * (k * x * x * x + c * v)
        x = x + dt * v
        v = v - 0.5 * dt * (k * x * x * x + c * v)
        x = x - 0.01 * dt * x * v
    return x + v * v


def pushed_by_data(f, x, v, k, m, dt):
    """What is read from an array at each step has a cotangent at each step."""
    for i in range(len(f)):
        a = (f[i] - k * x * x - 0.1 * v) / m
        xm, vm = x + 0.5 * dt * v, v + 0.5 * dt * a
        am = (f[i] - k * xm * xm - 0.1 * vm) / m
        x, v = x + dt * vm, v + dt * am
    return x + v


def held_against_data(z, x, y, a, b, dt):
    """Sums of squares at each step: what is handed on is added to by what is not."""
    loss = 0.0
    for i in range(len(z)):
        kx, ky = a * x - b * x * y, b * x * y - y
        xm, ym = x + 0.5 * dt * kx, y + 0.5 * dt * ky
        x, y = x + dt * (a * xm - b * xm * ym), y + dt * (b * xm * ym - ym)
        loss += (x - z[i]) ** 2 + 0.1 * i * y
    return loss


def from_the_end(z, x, y, a, dt):
    """A loop that counts down: the way back counts up."""
    for i in range(len(z) - 1, -1, -1):
        kx, ky = a * y, -a * x * x + z[i] * y
        xm, ym = x + 0.5 * dt * kx, y + 0.5 * dt * ky
        kx, ky = a * ym, -a * xm * xm + z[i] * ym
        xm, ym = x + 0.75 * dt * kx, y + 0.75 * dt * ky
        x, y = x + dt * (a * ym), y + dt * (z[i] * ym - a * xm * xm)
    return x * x + y


def by_threes(x, y, a, dt, n):
    for i in range(2, n, 3):
        kx, ky = a * y * i * 0.01, -a * x * x
        xm, ym = x + 0.5 * dt * kx, y + 0.5 * dt * ky
        kx, ky = a * ym * i * 0.01, -a * xm * xm
        x, y = x + dt * kx, y + dt * ky
    return x * x + y


def steps_in_steps(u, a, dt, n):
    """A short simulation for each element."""
    total = 0.0
    for x in u:
        y = 0.3 * x
        for _ in range(n):
            kx, ky = a * y, -a * x * x
            xm, ym = x + 0.5 * dt * kx, y + 0.5 * dt * ky
            kx, ky = a * ym, -a * xm * xm
            xm, ym = x + 0.75 * dt * kx, y + 0.75 * dt * ky
            x, y = x + dt * a * ym, y - dt * a * xm * xm
        total += x * y
    return total


def swinging(p, q, g, l, dt, n):
    """Functions in the chain: their derivatives are known in front of it."""
    for _ in range(n):
        p = p - 0.5 * dt * g / l * math.sin(q)
        q = q + dt * p / l - 0.01 * dt * p * q
        p = p - 0.5 * dt * g / l * math.sin(q) - 0.01 * dt * p * p
    return p + q


def with_averages(x, a, b, n):
    """What is divided by comes out of the chain as well."""
    y = x * x
    for _ in range(n):
        s = x + y
        u = a * x / s - b * y / (1.0 + s)
        w = b * x / (2.0 + s) - a * y / s
        x, y = x + 0.05 * (u + 0.5 * w) * x, y + 0.05 * (w - 0.5 * u) * y
    return x + 2.0 * y


def into_rows(f, x, v, k, dt):
    """Cotangents of several arrays, at places that are computed."""
    n = len(f) // 2
    for i in range(n):
        a = f[2 * i] - k * x * x + f[2 * i + 1] * v
        xm, vm = x + 0.5 * dt * v, v + 0.5 * dt * a
        am = f[2 * i] - k * xm * xm + f[2 * i + 1] * vm
        xm, vm = x + 0.5 * dt * vm, v + 0.5 * dt * am
        am = f[2 * i] - k * xm * xm + f[2 * i + 1] * vm
        x, v = x + dt * vm, v + dt * am
    return x + v


def held_by_a_spring(x, y, p, q, k, n):
    """Cotangents that differ little, multiplied by what is large: their difference comes first."""
    for _ in range(n):
        d = k * (x - y)
        p, q = p + d + 0.1 * x, q - d + 0.2 * y
        xm, ym = x + 0.003 * (p + q) * (1.0 + 0.1 * x), y + 0.003 * (p + q) * (1.0 + 0.1 * y)
        d = k * (xm - ym)
        p, q = p + d + 0.1 * xm, q - d + 0.2 * ym
        x, y = xm + 0.003 * (p + q) * (1.0 + 0.1 * xm), ym + 0.003 * (p + q) * (1.0 + 0.1 * ym)
    return p + q


def small_and_large_by_turns(x, a, b, n):
    """Products of an iteration's derivatives are too small for a number, those with the cotangent are not."""
    for _ in range(n):
        u = x * b * 1.5
        u = u * b * 1.5
        u = u * a / 1.5
        x = u * a / 1.5
    return x * 1e150


_RNG = np.random.default_rng(77)
_DATA = _RNG.uniform(-0.5, 1.0, 77)

SAMPLES = {
    "two_stages": [(0.7, 0.4, 1.1, 0.03, 70), (0.7, 0.4, 1.1, 0.03, 3)],
    "half_steps": [(0.6, 0.2, 1.5, 0.1, 0.05, 70), (0.6, 0.2, 1.5, 0.1, 0.05, 1)],
    "pushed_by_data": [(_DATA, 0.5, 0.1, 1.2, 1.7, 0.05)],
    "held_against_data": [(_DATA, 0.9, 0.6, 1.1, 0.8, 0.05)],
    "from_the_end": [(_DATA, 0.5, 0.3, 1.1, 0.05)],
    "by_threes": [(0.5, 0.3, 1.1, 0.04, 200)],
    "steps_in_steps": [(_DATA[:9], 1.1, 0.05, 40)],
    "swinging": [(0.3, 0.5, 9.0, 1.3, 0.03, 70)],
    "with_averages": [(0.8, 0.7, 0.4, 70)],
    "held_by_a_spring": [(0.5, 0.5, 0.3, 0.4, 1e5, 70)],
    "small_and_large_by_turns": [(0.7, 1.0, 1.0, 40)],
    "into_rows": [(_DATA, 0.5, 0.1, 1.2, 0.05)],
}
