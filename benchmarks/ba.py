"""ADBench's bundle adjustment: the errors of points seen by cameras, with radial distortion.

All residuals at once: each has a camera of 11 numbers (rotation, centre, focal length, principal
point, two distortions), a point and a weight of its own. What is wanted is the Jacobian of each
residual's two errors with respect to these 15 numbers. No rotation is zero.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.harness import Workload


def rotate(rotation, X):
    theta = np.sqrt(np.sum(rotation * rotation, axis=0))
    w = rotation / theta
    cosine, sine = np.cos(theta), np.sin(theta)
    along = np.sum(w * X, axis=0) * (1.0 - cosine)
    across = np.stack((w[1] * X[2] - w[2] * X[1], w[2] * X[0] - w[0] * X[2], w[0] * X[1] - w[1] * X[0]))
    return X * cosine + across * sine + w * along


def project(cameras, X):
    seen = rotate(cameras[0:3], X - cameras[3:6])
    flat = seen[0:2] / seen[2]
    squares = np.sum(flat * flat, axis=0)
    distorted = flat * (1.0 + cameras[9] * squares + cameras[10] * squares * squares)
    return distorted * cameras[6] + cameras[7:9]


def reprojection(cameras, X, weights, features):
    return weights * (project(cameras, X) - features)


def loops(cameras, X, weights, features):
    n = len(weights)
    cameras_0, cameras_1 = np.empty((11, n)), np.empty((11, n))
    X_0, X_1, weights_0, weights_1 = np.empty((3, n)), np.empty((3, n)), np.empty(n), np.empty(n)
    for k in range(n):
        a, b, c = cameras[0, k], cameras[1, k], cameras[2, k]
        x, y, z = X[0, k] - cameras[3, k], X[1, k] - cameras[4, k], X[2, k] - cameras[5, k]
        theta = math.sqrt(a * a + b * b + c * c)
        cosine, sine, inverse = math.cos(theta), math.sin(theta), 1.0 / theta
        u, v, w = a * inverse, b * inverse, c * inverse
        dot = u * x + v * y + w * z
        along = dot * (1.0 - cosine)
        e, f, g = v * z - w * y, w * x - u * z, u * y - v * x
        s_0 = x * cosine + e * sine + u * along
        s_1 = y * cosine + f * sine + v * along
        s_2 = z * cosine + g * sine + w * along
        p_0, p_1 = s_0 / s_2, s_1 / s_2
        squares = p_0 * p_0 + p_1 * p_1
        stretch = 1.0 + cameras[9, k] * squares + cameras[10, k] * squares * squares
        for row in range(2):
            cameras_bar, X_bar, weights_bar = (cameras_0, X_0, weights_0) if row == 0 else (cameras_1, X_1, weights_1)
            here = p_0 if row == 0 else p_1
            bar = weights[k]
            weights_bar[k] = here * stretch * cameras[6, k] + cameras[7 + row, k] - features[row, k]
            cameras_bar[6, k] = bar * here * stretch
            cameras_bar[7, k] = bar if row == 0 else 0.0
            cameras_bar[8, k] = bar if row == 1 else 0.0
            bar *= cameras[6, k]
            stretch_bar = bar * here
            cameras_bar[9, k] = stretch_bar * squares
            cameras_bar[10, k] = stretch_bar * squares * squares
            twice = 2.0 * stretch_bar * (cameras[9, k] + 2.0 * cameras[10, k] * squares)
            q_0 = twice * p_0 + (bar * stretch if row == 0 else 0.0)
            q_1 = twice * p_1 + (bar * stretch if row == 1 else 0.0)
            t_0, t_1, t_2 = q_0 / s_2, q_1 / s_2, -(q_0 * p_0 + q_1 * p_1) / s_2
            along_bar = t_0 * u + t_1 * v + t_2 * w
            cosine_bar = t_0 * x + t_1 * y + t_2 * z - along_bar * dot
            sine_bar = t_0 * e + t_1 * f + t_2 * g
            dot_bar = along_bar * (1.0 - cosine)
            e_bar, f_bar, g_bar = sine * t_0, sine * t_1, sine * t_2
            u_bar = along * t_0 + dot_bar * x + y * g_bar - z * f_bar
            v_bar = along * t_1 + dot_bar * y + z * e_bar - x * g_bar
            w_bar = along * t_2 + dot_bar * z + x * f_bar - y * e_bar
            x_bar = cosine * t_0 + dot_bar * u + w * f_bar - v * g_bar
            y_bar = cosine * t_1 + dot_bar * v + u * g_bar - w * e_bar
            z_bar = cosine * t_2 + dot_bar * w + v * e_bar - u * f_bar
            inverse_bar = u_bar * a + v_bar * b + w_bar * c
            theta_bar = cosine * sine_bar - sine * cosine_bar - inverse * inverse * inverse_bar
            cameras_bar[0, k] = inverse * u_bar + theta_bar * u
            cameras_bar[1, k] = inverse * v_bar + theta_bar * v
            cameras_bar[2, k] = inverse * w_bar + theta_bar * w
            cameras_bar[3, k], cameras_bar[4, k], cameras_bar[5, k] = -x_bar, -y_bar, -z_bar
            X_bar[0, k], X_bar[1, k], X_bar[2, k] = x_bar, y_bar, z_bar
    return (cameras_0, X_0, weights_0), (cameras_1, X_1, weights_1)


def workload(n: int = 10_000) -> Workload:
    rng = np.random.default_rng(6)
    cameras = np.concatenate(
        (
            0.3 * rng.standard_normal((3, n)),
            0.1 * rng.standard_normal((3, n)),
            rng.uniform(0.8, 1.2, (1, n)),
            0.1 * rng.standard_normal((2, n)),
            0.05 * rng.standard_normal((2, n)),
        )
    )
    X = np.stack((rng.uniform(-1.0, 1.0, n), rng.uniform(-1.0, 1.0, n), rng.uniform(3.0, 5.0, n)))
    args = (cameras, X, rng.uniform(0.5, 1.5, n), rng.standard_normal((2, n)))
    return Workload("ba", reprojection, args, (0, 1, 2), loops=loops, rows=2)
