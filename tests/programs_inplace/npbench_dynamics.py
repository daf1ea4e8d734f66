"""Integrators, filters and particles that write into preallocated arrays."""

import numpy as np

_WORK = np.empty(4)
_HISTORY = np.zeros((3, 3))


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def verlet_preallocated(x0, v0, k, steps):
    n = x0.shape[0]
    x = np.empty((steps + 1, n))
    v = np.empty((steps + 1, n))
    x[0] = x0
    v[0] = v0
    h = 0.1
    acceleration = -k * x[0]
    for t in range(steps):
        x[t + 1] = x[t] + h * v[t] + 0.5 * h * h * acceleration
        new = -k * x[t + 1] - 0.1 * x[t + 1] ** 3
        v[t + 1] = v[t] + 0.5 * h * (acceleration + new)
        acceleration = new
    return np.sum(x[-1] ** 2) + np.sum(v[steps // 2] * v[-1])


def verlet_in_place(x, v, k, steps):
    h = 0.1
    a = np.empty_like(x)
    np.multiply(x, -k, out=a)
    for _ in range(steps):
        v += 0.5 * h * a
        x += h * v
        np.multiply(x, -k, out=a)
        v += 0.5 * h * a
    return 0.5 * np.sum(v**2) + 0.5 * np.sum(k * x**2)


def n_body_forces(pos, mass):
    n = pos.shape[0]
    force = np.zeros_like(pos)
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[j] - pos[i]
            r2 = d @ d + 0.1
            f = mass[i] * mass[j] * d / r2**1.5
            force[i] += f
            force[j] -= f
    return np.sum(force**2)


def kalman_into_p(f, q, r, h, zs):
    """A Kalman filter that keeps state and covariance in two arrays."""
    n = f.shape[0]
    x = np.zeros(n)
    p = np.eye(n)
    total = 0.0
    for z in zs:
        x[:] = f @ x
        p[:] = f @ p @ f.T
        p[np.diag_indices(n)] += q
        y = z - h @ x
        s = h @ p @ h + r
        gain = p @ h / s
        x += gain * y
        p -= np.outer(gain, h @ p)
        total += y * y / s + np.log(s)
    return total


def runge_kutta_stages(y, rate):
    k = np.zeros((4, y.shape[0]))
    nodes = [0.0, 0.5, 0.5, 1.0]
    h = 0.2
    for _ in range(2):
        for s in range(4):
            stage = y + (h * nodes[s]) * k[s - 1] if s else y
            k[s] = rate * np.sin(stage)
        y += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
    return np.sum(y * y)


def histogram_add_at(weights, bins):
    h = np.zeros(4)
    np.add.at(h, bins, weights**2)
    return np.sum(h**2) + h[1] * h[2]


def deposit_particles(x, charge):
    """Each particle shares its charge between two neighbouring cells."""
    grid = np.zeros(6)
    cell = np.floor(x).astype(int)
    fraction = x - cell
    np.add.at(grid, cell, charge * (1.0 - fraction))
    np.add.at(grid, cell + 1, charge * fraction)
    grid[1:-1] = 0.25 * grid[:-2] + 0.5 * grid[1:-1] + 0.25 * grid[2:]
    return np.sum(grid**2)


def exponential_moving_average(x, alpha):
    for i in range(1, len(x)):
        x[i] = alpha * x[i] + (1.0 - alpha) * x[i - 1]
    return np.sum(x[1:] * x[:-1])


def iir_filter(b, a, x):
    y = np.zeros_like(x)
    for n in range(len(x)):
        y[n] = b[0] * x[n]
        if n >= 1:
            y[n] += b[1] * x[n - 1] - a[0] * y[n - 1]
        if n >= 2:
            y[n] -= a[1] * y[n - 2]
    return np.sum(y**2)


def module_work_buffer(x):
    """A buffer of the module, written before it is read."""
    _WORK[:] = x
    _WORK[1:] += _WORK[:-1]
    _WORK[:] = np.sin(_WORK)
    return np.sum(_WORK * x)


def module_buffer_by_rows(a, b):
    for i in range(3):
        _HISTORY[i] = a * b[i]
        if i > 0:
            _HISTORY[i] += 0.5 * _HISTORY[i - 1]
    return np.sum(_HISTORY**2)


def adam_steps(w, x, y):
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, 4):
        gradient = 2.0 * x.T @ (x @ w - y)
        m *= 0.9
        m += 0.1 * gradient
        v *= 0.99
        v += 0.01 * gradient**2
        w -= 0.05 * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.99**t)) + 1e-3)
    return np.sum((x @ w - y) ** 2)


def until_converged(x, target):
    """Writes in a while loop that is left by break."""
    count = 0
    while True:
        x += 0.5 * (target / x - x)
        count += 1
        if np.max(np.abs(x * x - target)) < 1e-9 or count > 30:
            break
        x[0] = x[0] * 1.0
    return np.sum(x)


def random_walk_reflected(x, steps):
    for s in range(steps.shape[0]):
        x += steps[s]
        for i in range(x.shape[0]):
            if x[i] > 1.0:
                x[i] = 2.0 - x[i]
            elif x[i] < 0.0:
                x[i] = -x[i]
    return np.sum(x * np.arange(1.0, x.shape[0] + 1.0))


SAMPLES = {
    "verlet_preallocated": [(_some(3), _some(3, seed=1), 0.7, 4)],
    "verlet_in_place": [(_some(3), _some(3, seed=1), 0.7, 4)],
    "n_body_forces": [(_some(3, 2), _some(3, seed=1))],
    "kalman_into_p": [
        (np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([0.05, 0.02]), 0.3, np.array([1.0, 0.4]), [0.4, 0.6, 0.3])
    ],
    "runge_kutta_stages": [(_some(3), 0.8)],
    "histogram_add_at": [(_some(6), np.array([1, 2, 1, 3, 1, 0]))],
    "deposit_particles": [(np.array([0.3, 2.6, 2.2, 4.1]), _some(4))],
    "exponential_moving_average": [(_some(5), 0.3)],
    "iir_filter": [(_some(2), 0.5 * _some(2, seed=1), _some(5, seed=2))],
    "module_work_buffer": [(_some(4),)],
    "module_buffer_by_rows": [(_some(3), _some(3, seed=1))],
    "adam_steps": [(_some(2), _some(4, 2, seed=1), _some(4, seed=2))],
    "until_converged": [(np.array([1.5, 0.8]), np.array([2.0, 0.5]))],
    "random_walk_reflected": [(np.array([0.4, 0.7]), np.array([[0.5, -0.9], [0.3, 0.6], [-0.1, 0.35]]))],
}
