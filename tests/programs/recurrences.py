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


def fourth_order(x, y, a, b, c, n):
    """The classical Runge-Kutta method: hares and foxes."""
    h = 0.02
    for _ in range(n):
        k1, l1 = a * x - b * x * y, b * x * y - c * y
        xm, ym = x + 0.5 * h * k1, y + 0.5 * h * l1
        k2, l2 = a * xm - b * xm * ym, b * xm * ym - c * ym
        xm, ym = x + 0.5 * h * k2, y + 0.5 * h * l2
        k3, l3 = a * xm - b * xm * ym, b * xm * ym - c * ym
        xm, ym = x + h * k3, y + h * l3
        k4, l4 = a * xm - b * xm * ym, b * xm * ym - c * ym
        x, y = x + h / 6 * (k1 + 2 * (k2 + k3) + k4), y + h / 6 * (l1 + 2 * (l2 + l3) + l4)
    return x + y


def fourth_order_pushed(f, x, v, k):
    """Pushed by data, by as much as there is to push: what is read belongs to the Jacobian, and has a cotangent."""
    h = 0.03
    for i in range(len(f)):
        k1, l1 = v, f[i] * x - k * x * x * x
        xm, vm = x + 0.5 * h * k1, v + 0.5 * h * l1
        k2, l2 = vm, f[i] * xm - k * xm * xm * xm
        xm, vm = x + 0.5 * h * k2, v + 0.5 * h * l2
        k3, l3 = vm, f[i] * xm - k * xm * xm * xm
        xm, vm = x + h * k3, v + h * l3
        k4, l4 = vm, f[i] * xm - k * xm * xm * xm
        x, v = x + h / 6 * (k1 + 2 * (k2 + k3) + k4), v + h / 6 * (l1 + 2 * (l2 + l3) + l4)
    return x * v


def fourth_order_held(z, x, y, a):
    """Held against data at each step: what an iteration adds whatever comes to it."""
    h, loss = 0.05, 0.0
    for i in range(len(z)):
        k1, l1 = a * y, -x * x * x
        xm, ym = x + 0.5 * h * k1, y + 0.5 * h * l1
        k2, l2 = a * ym, -xm * xm * xm
        xm, ym = x + 0.5 * h * k2, y + 0.5 * h * l2
        k3, l3 = a * ym, -xm * xm * xm
        xm, ym = x + h * k3, y + h * l3
        k4, l4 = a * ym, -xm * xm * xm
        x, y = x + h / 6 * (k1 + 2 * (k2 + k3) + k4), y + h / 6 * (l1 + 2 * (l2 + l3) + l4)
        loss += x * z[i] + 0.01 * i * y
    return loss


def fourth_order_of_one(x, r, n):
    """One number alone, and what it comes to."""
    h, most = 0.1, 0.0
    for _ in range(n):
        k1 = r * x * (1.0 - x)
        xm = x + 0.5 * h * k1
        k2 = r * xm * (1.0 - xm)
        xm = x + 0.5 * h * k2
        k3 = r * xm * (1.0 - xm)
        xm = x + h * k3
        x = x + h / 6 * (k1 + 2 * (k2 + k3) + r * xm * (1.0 - xm))
        most += x
    return most


def fourth_order_on_a_spring(x, y, k, n):
    """Two that a spring holds together: their difference comes before what it is multiplied by."""
    h = 1e-3
    for _ in range(n):
        d1 = k * (x - y)
        k1, l1 = x - d1, d1 - 0.5 * y
        xm, ym = x + 0.5 * h * k1, y + 0.5 * h * l1
        d2 = k * (xm - ym)
        k2, l2 = xm - d2, d2 - 0.5 * ym
        xm, ym = x + 0.5 * h * k2, y + 0.5 * h * l2
        d3 = k * (xm - ym)
        k3, l3 = xm - d3, d3 - 0.5 * ym
        xm, ym = x + h * k3, y + h * l3
        d4 = k * (xm - ym)
        k4, l4 = xm - d4, d4 - 0.5 * ym
        x, y = x + h / 6 * (k1 + 2 * (k2 + k3) + k4), y + h / 6 * (l1 + 2 * (l2 + l3) + l4)
    return x + y


def fourth_order_of_a_pendulum(q, p, g, n):
    """Functions of what is known in front of the chain."""
    h = 0.03
    for _ in range(n):
        k1, l1 = p, -g * math.sin(q)
        qm, pm = q + 0.5 * h * k1, p + 0.5 * h * l1
        k2, l2 = pm, -g * math.sin(qm)
        qm, pm = q + 0.5 * h * k2, p + 0.5 * h * l2
        k3, l3 = pm, -g * math.sin(qm)
        qm, pm = q + h * k3, p + h * l3
        k4, l4 = pm, -g * math.sin(qm)
        q, p = q + h / 6 * (k1 + 2 * (k2 + k3) + k4), p + h / 6 * (l1 + 2 * (l2 + l3) + l4)
    return q * q + p


def what_one_loses_the_other_gains(s, i, beta, gamma, n):
    """An epidemic by the classical Runge-Kutta method: the sum stays, as its cotangents are equal, bit for bit. What
    makes them differ by a rounding is wrong by far later: the few who are ill become many."""
    h = 0.1
    for _ in range(n):
        f1 = beta * s * i - gamma * i
        sm, im = s - 0.5 * h * f1, i + 0.5 * h * f1
        f2 = beta * sm * im - gamma * im
        sm, im = s - 0.5 * h * f2, i + 0.5 * h * f2
        f3 = beta * sm * im - gamma * im
        sm, im = s - h * f3, i + h * f3
        f = h / 6 * (f1 + 2 * (f2 + f3) + (beta * sm * im - gamma * im))
        s, i = s - f, i + f
    return s + i


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
    "fourth_order": [(1.2, 0.8, 1.1, 0.4, 0.7, 200), (1.2, 0.8, 1.1, 0.4, 0.7, 2)],
    "fourth_order_pushed": [(_DATA, 0.5, 0.1, 1.2)],
    "fourth_order_held": [(_DATA, 0.9, 0.6, 1.1)],
    "fourth_order_of_one": [(0.1, 1.3, 70)],
    "fourth_order_on_a_spring": [(0.5, 0.3, 20.0, 70)],
    "fourth_order_of_a_pendulum": [(0.5, 0.3, 9.0, 70)],
    "what_one_loses_the_other_gains": [(0.9, 0.01, 1.2, 0.3, 20)],
    "into_rows": [(_DATA, 0.5, 0.1, 1.2, 0.05)],
}
