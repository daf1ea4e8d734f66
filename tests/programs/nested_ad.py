"""Derivatives inside differentiated functions."""

import math

import numpy as np

import adcompile as ad


def _cubic(x):
    return x**3 + 2.0 * x


def inner_grad(x):
    return ad.grad(_cubic)(x) * x


def inner_second_derivative(x):
    return ad.grad(ad.grad(_cubic))(x) + x


def perturbation_confusion(x):
    return x * ad.grad(lambda y: x + y)(1.0)


def perturbation_confusion_product(x):
    return ad.grad(lambda y: x * y * y)(x) * x


def inner_value_and_grad(x):
    value, slope = ad.value_and_grad(math.sin)(x)
    return value * slope


def inner_jvp(x):
    value, tangent = ad.jvp(lambda t: t * math.exp(t), (x,), (x * x,))
    return value + tangent


def inner_vjp(x):
    value, pullback = ad.vjp(lambda t: np.sin(t) * t, x)
    (bar,) = pullback(value)
    return np.sum(bar * x)


def newton_with_inner_grad(a):
    def f(t):
        return t * t * t + t - a

    t = a
    for _ in range(4):
        t = t - f(t) / ad.grad(f)(t)
    return t


def gradient_penalty(w, x):
    def net(v):
        return np.sum(np.tanh(w * v))

    g = ad.grad(net)(x)
    return net(x) + np.sum(g**2)


def hessian_vector_norm(x):
    def f(v):
        return np.sum(v**4) + v[0] * v[1]

    return np.sum(ad.hvp(f, (x,), (np.ones(2),)) ** 2)


def hamiltonian_step(q, p):
    def energy(q, p):
        return 0.5 * p * p + 1.0 - math.cos(q)

    dq, dp = ad.grad(energy, argnums=(0, 1))(q, p)
    return energy(q + 0.1 * dp, p - 0.1 * dq)


def stopped(x):
    return x * ad.stop_gradient(x * 1.0) + x


def pullback_of_a_loop(w, x):
    """The pullback inside reads what the loop has kept, which is kept once more for the outer one."""

    def rotated(y):
        for k in range(len(w)):
            y = np.sin(y) * w[k]
        return y

    y, pullback = ad.vjp(rotated, x)
    return np.sum(pullback(x)[0] * y)


def gradient_of_loops_in_loops(w, x):
    def waves(y):
        r = y
        for k in range(len(w)):
            for j in range(k + 1):
                r = np.cos(r * y) * w[j]
        return np.sum(r)

    g = ad.grad(waves)(x)
    return np.sum(g * g)


SAMPLES = {
    "inner_grad": [(0.7,)],
    "inner_second_derivative": [(0.7,)],
    "perturbation_confusion": [(0.7,)],
    "perturbation_confusion_product": [(0.7,)],
    "inner_value_and_grad": [(0.7,)],
    "inner_jvp": [(0.7,)],
    "inner_vjp": [(np.array([0.5, -0.7]),)],
    "newton_with_inner_grad": [(1.3,)],
    "gradient_penalty": [(0.8, np.array([0.5, -0.7]))],
    "hessian_vector_norm": [(np.array([0.5, -0.7]),)],
    "hamiltonian_step": [(0.7, -0.3)],
    "pullback_of_a_loop": [(np.array([0.9, -0.6, 1.2]), np.array([0.4, 0.7, -0.3, 0.5]))],
    "gradient_of_loops_in_loops": [(np.array([0.9, -0.6, 1.2]), np.array([0.4, 0.7]))],
}
