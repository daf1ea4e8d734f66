"""Derivatives inside the function whose results are written in place: they share memory with nothing."""

import numpy as np

import adcompile as ad

_X = np.array([1.2, -0.7, 2.1])


def gradient_scaled(w):
    g = ad.grad(lambda u: u @ w)(w)
    g *= 2.0
    return g @ w


def gradients_of_a_pullback_scaled(w):
    b = w * 3.0
    _, pullback = ad.vjp(lambda u, v: u @ v, w, b)
    g, h = pullback(1.0)
    g *= 2.0
    h *= 3.0
    return g @ w + b @ w


def value_is_an_argument(w):
    def doubled(u):
        u *= 2.0
        return u

    a = w * 1.0
    y, _ = ad.vjp(doubled, a)
    y *= 3.0
    return y @ a


def tangent_scaled(w):
    b = w * 1.0
    y, t = ad.jvp(lambda u: u, (b,), (w,))
    t *= 2.0
    return t @ w + y @ y


def gradient_within_a_dict(w):
    a = {"q": w * 1.0}
    g = ad.grad(lambda d: d["q"] @ w)(a)
    a["q"] = g["q"]
    a["q"] *= 2.0
    return a["q"] @ w


def gradient_reduced(w):
    v, g = ad.value_and_grad(lambda u: u @ w)(w)
    g -= w * w
    return v + g @ w


def elementwise_gradient_scaled(w):
    g = ad.elementwise_grad(lambda u: u * w)(w)
    g *= w
    return g @ w


def descent(w, n):
    p = w * 1.0
    for _ in range(n):
        g = ad.grad(lambda u: u @ w + np.sum(u**2))(p)
        g *= 0.1
        p -= g
    return p @ w


def _first_becomes(u, v):
    u[0] = v[1] ** 2
    return u @ v


def one_array_given_twice(w):
    a = w * 1.0
    g, h = ad.grad(_first_becomes, argnums=(0, 1))(a, a)
    g *= w
    h[0] = w[1]
    return g @ h


def one_array_given_twice_to_a_pullback(w):
    a = w * 1.0
    _, pullback = ad.vjp(_first_becomes, a, a)
    g, h = pullback(1.0)
    g *= w
    return g @ h


def one_argument_asked_for_twice(w):
    a = w * 1.0
    g, h = ad.grad(_first_becomes, argnums=(0, 0))(a, w)
    g *= w
    return g @ h


def rows_of_a_jacobian_scaled(w):
    jacobian = ad.jacrev(lambda u: u * w)(w)
    jacobian[0] *= w
    return np.sum(jacobian @ w)


def _real_part_written(a):
    b = np.real(a)
    b[1] = 3.0 * a[2] * a[0]
    return a @ a


def _conjugate_written(a):
    b = a * 1.0
    c = np.conj(b)
    c[1] = 3.0 * a[2] * a[0]
    return b @ b + c @ c


def jacobians_of_writes_into_parts(w):
    total = 0.0
    for f in (_real_part_written, _conjugate_written):
        for hessian in (ad.hessian(f), ad.jacrev(ad.jacrev(f)), ad.jacfwd(ad.jacfwd(f))):
            total = total + w @ hessian(w * 1.0) @ w
    return total


SAMPLES = {
    "gradient_scaled": [(_X,)],
    "gradients_of_a_pullback_scaled": [(_X,)],
    "value_is_an_argument": [(_X,)],
    "tangent_scaled": [(_X,)],
    "gradient_within_a_dict": [(_X,)],
    "gradient_reduced": [(_X,)],
    "elementwise_gradient_scaled": [(_X,)],
    "descent": [(_X, 3)],
    "one_array_given_twice": [(_X,)],
    "one_array_given_twice_to_a_pullback": [(_X,)],
    "one_argument_asked_for_twice": [(_X,)],
    "rows_of_a_jacobian_scaled": [(_X,)],
    "jacobians_of_writes_into_parts": [(_X,)],
}
