"""Fields that go on in time, in place or not, of whose parts and neighbours several values are computed at once."""

import numpy as np


def upwind(u, c, steps):
    for _ in range(steps):
        v = u[1:-1]
        u[1:-1] = v - c * v * np.where(v > 0.0, v - u[:-2], u[2:] - v)
    return np.sum(u * u)


def upwind_of_copies(u, c, steps):
    u = u * 1.0
    for _ in range(steps):
        old = u.copy()
        u[1:-1] = old[1:-1] - c * old[1:-1] * np.where(old[1:-1] > 0.0, old[1:-1] - old[:-2], old[2:] - old[1:-1])
    return np.sum(u * u)


def upwind_of_new_arrays(u, c, steps):
    for _ in range(steps):
        v = u[1:-1]
        inner = v - c * v * np.where(v > 0.0, v - u[:-2], u[2:] - v)
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def limited_slopes(u, c, steps):
    """Slopes that are limited by the smaller of both sides; the comparison is far from its edge."""
    for _ in range(steps):
        left, right = u[1:-1] - u[:-2], u[2:] - u[1:-1]
        slope = np.where(left * right > 0.0, np.minimum(np.abs(left), np.abs(right)) * left, 0.3 * right)
        u[1:-1] += c * slope * (left + right)
    return np.sum(u**3)


def two_fields(u, v, c):
    """The second field goes on with what the first one has become."""
    for _ in range(3):
        a, b = u[1:-1], v[1:-1]
        u[1:-1] = a + c * (a - u[:-2]) * (u[2:] - a) * b * (b - a)
        a, b = u[1:-1], v[1:-1]
        v[1:-1] = b + c * (b - v[:-2]) * (v[2:] - b) * a * (b + a)
    return np.sum(u * v)


def squared_differences(q, c):
    """Two axes, and a part of a field that is written before the rest is read."""
    for _ in range(2):
        across, along = q[1:, :-1] - q[:-1, :-1], q[:-1, 1:] - q[:-1, :-1]
        q[:-1, :-1] += c * across * along * (across - along)
        q[0] *= 1.0 + c * q[1, 0]
        down, up = q[1:] - q[:-1], q[1:] + q[:-1]
        q[1:] -= c * down * up * np.maximum(down, up)
    return np.sum(q * q)


def written_on_the_way(u, c):
    """What is computed of the field is computed before and behind a write."""
    for _ in range(3):
        left = u[1:-1] - u[:-2]
        u[0] = left[0] * 1.5
        right = u[2:] - u[1:-1]
        u[1:-1] = u[1:-1] + c * left * right * (left - right) * u[:-2]
    return np.sum(u * u)


def parts_that_move(u, c):
    """Parts that are less than all of the field, and others in every turn."""
    for k in range(1, 3):
        a, b = u[k : k + 3], u[k + 1 : k + 4]
        u[k : k + 3] = a + c * (a - b) * (a + b) * (2.0 * a - b)
    return np.sum(u * u)


def turned_round(u, c):
    for _ in range(3):
        back = u[::-1]
        s, d = u + back, u - 2.0 * back
        u[:] = u + c * s * d * (s - d)
    return np.sum(u * u)


def written_by_a_part(u, c, steps):
    """The field is written by the name of a part of it."""
    inner, before, behind = u[1:-1], u[:-2], u[2:]
    for _ in range(steps):
        slope, curve = behind - before, behind + before
        inner += c * slope * curve * np.where(slope > curve, slope, curve)
    return np.sum(u * u)


def kept_in_a_list(u, c):
    """What is kept for later is asked for as well."""
    seen = []
    for _ in range(3):
        slope = u[1:] - u[:-1]
        seen.append(slope)
        u[1:] = u[1:] + c * slope * (u[1:] + u[:-1]) * slope
    return np.sum(u * u) + sum(np.sum(s * s * s) for s in seen)


def steps_within_steps(u, c):
    for _ in range(2):
        for _ in range(2):
            v = u[1:-1]
            u[1:-1] = v + c * (v - u[:-2]) * (u[2:] - v) * (u[2:] + v)
        u *= 1.1
    return np.sum(u * u)


def on_some_turns(u, c):
    for k in range(4):
        v = u[1:-1]
        left, right = v - u[:-2], u[2:] - v
        if k % 2 == 0:
            u[1:-1] = v + c * left * right * (left + 2.0 * right)
        else:
            u[:-2] = u[:-2] - c * left * right * (left - right)
    return np.sum(u * u)


U, V = np.array([0.4, -0.9, 0.7, 1.3, -0.2, 0.5]), np.array([-0.3, 0.8, 1.1, -0.6, 0.9, 0.2])
Q = np.array([[0.4, -0.9, 0.7], [1.3, -0.2, 0.5], [0.8, 0.3, -0.6]])
SAMPLES = {
    "upwind": [(U, 0.2, 3), (U[:2], 0.2, 2), (U, 0.2, 0)],
    "upwind_of_copies": [(U, 0.2, 3)],
    "upwind_of_new_arrays": [(U, 0.2, 3)],
    "limited_slopes": [(U, 0.1, 2)],
    "two_fields": [(U, V, 0.1)],
    "squared_differences": [(Q, 0.1)],
    "written_on_the_way": [(U, 0.1)],
    "parts_that_move": [(U, 0.2)],
    "turned_round": [(U, 0.1)],
    "written_by_a_part": [(U, 0.1, 3)],
    "kept_in_a_list": [(U, 0.1)],
    "steps_within_steps": [(U, 0.1)],
    "on_some_turns": [(U, 0.1)],
}
