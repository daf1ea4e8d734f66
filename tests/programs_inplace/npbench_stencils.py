"""Stencils and time steps, in place as numerical codes write them."""

import numpy as np


def _grid(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)


def jacobi_1d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a) + np.sum(b)


def jacobi_2d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * b)


def seidel_2d(steps, a):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1]
            a[i, 1:-1] += a[i + 1, 2:]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0
    return np.sum(a**2)


def gauss_seidel_elements(u, f, steps):
    n, m = u.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return np.sum(u * np.sin(u))


def heat_3d(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
            + a[1:-1, 1:-1, 1:-1]
        )
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (b[2:, 1:-1, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1])
            + 0.125 * (b[1:-1, 2:, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, :-2, 1:-1])
            + 0.125 * (b[1:-1, 1:-1, 2:] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, 1:-1, :-2])
            + b[1:-1, 1:-1, 1:-1]
        )
    return np.sum(a**3)


def fdtd_2d(steps, ex, ey, hz, fict):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz**2) + np.sum(ex * ey)


def _sweep(u, v, p, q, alpha, beta):
    """One half step of `adi`, along the rows of v from the columns of u."""
    n = u.shape[0]
    gamma = -0.5 * alpha
    v[0, 1:-1] = 1.0
    p[1:-1, 0] = 0.0
    q[1:-1, 0] = v[0, 1:-1]
    for j in range(1, n - 1):
        p[1:-1, j] = -gamma / (gamma * p[1:-1, j - 1] + beta)
        q[1:-1, j] = (0.5 * alpha * (u[j, :-2] + u[j, 2:]) + (1.0 - alpha) * u[j, 1:-1] - gamma * q[1:-1, j - 1]) / (
            gamma * p[1:-1, j - 1] + beta
        )
    v[-1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]


def adi(steps, u, alpha):
    v = np.empty(u.shape, dtype=u.dtype)
    p = np.empty(u.shape, dtype=u.dtype)
    q = np.empty(u.shape, dtype=u.dtype)
    v[:] = 0.5
    beta = 1.0 + alpha
    for _ in range(steps):
        _sweep(u.T, v, p, q, alpha, beta)
        _sweep(v.T, u, p, q, alpha, beta)
    return np.sum(u * u)


def burgers_branch_per_cell(u, nu, steps):
    n = u.shape[0]
    new = np.empty_like(u)
    for _ in range(steps):
        for i in range(1, n - 1):
            if u[i] > 0.0:
                advection = u[i] * (u[i] - u[i - 1])
            else:
                advection = u[i] * (u[i + 1] - u[i])
            new[i] = u[i] - 0.1 * advection + nu * 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        new[0] = new[n - 2]
        new[n - 1] = new[1]
        u, new = new, u
    return np.sum(u**2)


def lattice_boltzmann(f, relaxation, steps):
    """Three populations on a line: collide, then stream by rolling in place."""
    for _ in range(steps):
        density = f.sum(axis=0)
        velocity = (f[1] - f[2]) / density
        equilibrium = np.empty_like(f)
        equilibrium[0] = density * (1.0 - velocity**2) * 2.0 / 3.0
        equilibrium[1] = density * (1.0 + 3.0 * velocity + velocity**2) / 6.0
        equilibrium[2] = density * (1.0 - 3.0 * velocity + velocity**2) / 6.0
        f += relaxation * (equilibrium - f)
        f[1] = np.roll(f[1], 1)
        f[2, :] = np.roll(f[2], -1)
    return np.sum(f[1] * f[2]) + np.sum(f[0] ** 2)


def wave_double_buffer(u, c, steps):
    """Two buffers, taking turns."""
    buffers = np.zeros((2, u.shape[0]))
    buffers[0] = u
    buffers[1] = u
    for t in range(steps):
        old, new = buffers[t % 2], buffers[(t + 1) % 2]
        new[1:-1] = 2.0 * old[1:-1] - new[1:-1] + c * c * (old[2:] - 2.0 * old[1:-1] + old[:-2])
    return np.sum(buffers[steps % 2] ** 2) + buffers[0, 2] * buffers[1, 3]


def shallow_water(h, hu, g):
    dt = 0.05
    for _ in range(3):
        flux_h = hu.copy()
        flux_hu = hu**2 / h + 0.5 * g * h**2
        h[1:-1] -= dt * 0.5 * (flux_h[2:] - flux_h[:-2])
        hu[1:-1] -= dt * 0.5 * (flux_hu[2:] - flux_hu[:-2])
        h[0], h[-1] = h[1], h[-2]
        hu[0] = -hu[1]
        hu[-1] = -hu[-2]
    return np.sum(h * h) + np.sum(np.abs(hu))


def multigrid_smooth(u, f):
    """Red-black relaxation with steps of two."""
    for _ in range(2):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
    residual = np.zeros_like(u)
    residual[1:-1] = f[1:-1] - (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return residual @ residual


SAMPLES = {
    "jacobi_1d": [(4, _grid(7), _grid(7, seed=1))],
    "jacobi_2d": [(3, _grid(5, 5), _grid(5, 5, seed=1)), (1, _grid(4, 4), _grid(4, 4, seed=1))],
    "seidel_2d": [(2, _grid(5, 5))],
    "gauss_seidel_elements": [(_grid(4, 5), _grid(4, 5, seed=1), 2)],
    "heat_3d": [(2, _grid(4, 5, 4), _grid(4, 5, 4, seed=1))],
    "fdtd_2d": [(3, _grid(4, 5), _grid(4, 5, seed=1), _grid(4, 5, seed=2), _grid(3, seed=3))],
    "adi": [(2, _grid(5, 5), 0.4)],
    "burgers_branch_per_cell": [(np.array([0.6, -0.4, 0.9, 0.3, -0.7, 0.5]), 0.2, 3)],
    "lattice_boltzmann": [(_grid(3, 6), 0.6, 3)],
    "wave_double_buffer": [(_grid(7), 0.4, 4), (_grid(5), 0.4, 3)],
    "shallow_water": [(_grid(6), 0.1 * _grid(6, seed=1), 1.3)],
    "multigrid_smooth": [(_grid(9), _grid(9, seed=1))],
}
