"""Calls that read their argument as it lies in memory: the tangent may lie in another way, and is read as the value is.

They are linear, so the function itself, of a tangent that lies as the value does, says what is right.
"""

import itertools

import numpy as np
import pytest

import adcompile as ad
from adcompile.runtime import memory_axes

X = np.arange(1.0, 25.0).reshape(2, 3, 4)
LAYOUTS = {
    "rows": X,
    "columns": np.asfortranarray(X),
    "axes": np.ascontiguousarray(X.transpose(1, 2, 0)).transpose(2, 0, 1),
    "strided": np.asfortranarray(np.repeat(X, 2, 0))[::2],
    "turned": np.asfortranarray(X)[:, ::-1],
    "no_elements": np.asfortranarray(X)[:, :0],
}
READING = {
    "ravel_k": lambda x: x.ravel("K"),
    "ravel_a": lambda x: np.ravel(x, order="A"),
    "by_name": lambda x: np.ravel(a=x, order="K"),
    "flatten_k": lambda x: x.flatten("K"),
    "flatten_a": lambda x: x.flatten(order="A"),
    "reshape": lambda x: np.reshape(x, (-1, 2), order="A"),
    "method_reshape": lambda x: x.reshape(4, -1, order="A"),
    "method_reshape_tuple": lambda x: x.reshape((2, -1), order="A"),
    "copied": lambda x: np.copy(x, order="K").ravel("A"),
    "transposed": lambda x: x.T.ravel("K"),
    "added": lambda x: (x + np.ones(x.shape)).ravel("K") - 1.0,
    "order_chosen": lambda x: x.ravel("K" if x.ndim > 2 else "C"),
}


def laid_as(x, values):
    out = np.empty_like(x) if x.flags.c_contiguous or x.flags.f_contiguous else x.copy(order="K")
    if not (x.flags.c_contiguous or x.flags.f_contiguous):  # not in one piece, as x is not
        out = np.lib.stride_tricks.as_strided(np.empty(4 * x.size + 64)[2 * x.size :], x.shape, x.strides)
    out[...] = values
    return out


def tangents(x):
    t = np.cos(np.arange(x.size)).reshape(x.shape)
    yield t
    yield np.asfortranarray(t)
    yield np.ascontiguousarray(t[::-1])[::-1]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", READING)
def test_the_tangent_is_read_as_the_value_is(name, layout):
    f, x = READING[name], LAYOUTS[layout]
    for t in tangents(x):
        value, dot = ad.jvp(f, (x,), (t,))
        assert np.array_equal(value, f(x))
        assert np.allclose(dot, f(laid_as(x, t)))
        batch = ad.jvp_batched(f, (x,), (np.stack([t, 2.0 * t]),))[1]
        assert np.allclose(batch, np.stack([dot, 2.0 * dot]))
        assert np.allclose(ad.jvp(lambda x: ad.jvp(lambda x: f(x) ** 2, (x,), (t,))[1], (x,), (t,))[1], 2.0 * dot**2)


def test_a_flattened_tangent_has_memory_of_its_own():
    def f(x):
        y = x.flatten("K")
        y[0] = 0.0
        return y

    x, t = np.asfortranarray(X), X.copy()
    dot = ad.jvp(f, (x,), (t,))[1]
    assert dot[0] == 0.0
    assert np.array_equal(t, X)


@pytest.mark.parametrize("name", READING)
def test_reverse_mode_refuses(name):
    with pytest.raises(ad.NotDifferentiable, match="memory layout"):
        ad.grad(lambda x: np.sum(READING[name](x) ** 2))(X)


def test_axes_are_those_that_numpy_goes_along():
    base = np.arange(81.0).reshape(3, 3, 3, 3)
    cuts = [slice(None), slice(None, None, 2), slice(None, None, -1), slice(0, 1), 1]
    for axes, cut in itertools.product(itertools.permutations(range(4)), itertools.product(cuts, repeat=4)):
        a = base.transpose(axes)[cut]
        for order in "KA":
            assert np.array_equal(np.transpose(a, memory_axes(a, order)).ravel(), a.ravel(order))
    wide = np.broadcast_to(np.arange(3.0)[:, None], (2, 3, 4))
    for axes in itertools.permutations(range(3)):
        a = wide.transpose(axes)
        assert np.array_equal(np.transpose(a, memory_axes(a, "K")).ravel(), a.ravel("K"))


VIEWING = {
    "view": lambda r: r.view(complex),
    "single": lambda r: r.astype(np.float32).view(np.complex64),
    "parts": lambda r: (r * 1j).view(float),
    "added": lambda r: np.add(np.asfortranarray(r), np.ones(r.shape)).view(complex) - (1 + 1j),
    "same": lambda r: r.view(),
}


@pytest.mark.parametrize("name", VIEWING)
def test_views_of_tangents_that_lie_otherwise(name):
    f, r = VIEWING[name], np.arange(8.0).reshape(2, 4)
    t = np.sin(r)
    for laid in (t, np.asfortranarray(t), t[::-1]):
        dot = ad.jvp(f, (r,), (laid,))[1]
        assert np.allclose(dot, f(np.ascontiguousarray(laid)))
        assert np.allclose(ad.jvp_batched(f, (r,), (np.stack([laid, laid]),))[1], dot)
