"""Shadows mirror memory through views, branches, loops, lists, and what comes from outside."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1, 0.45])
A = np.linspace(0.2, 1.7, 12).reshape(3, 4)

VIEWS = {
    "slice": lambda a: a[1:],
    "transposed": lambda a: a.T,
    "row": lambda a: a[-1],
    "new axis": lambda a: a[:, None, 1],
    "ravel": lambda a: a.ravel(),
    "reshape": lambda a: a.reshape(2, 6),
    "reshape of transposed": lambda a: a.T.reshape(6, 2),
    "swapped, squeezed": lambda a: np.squeeze(np.swapaxes(a, 0, 1)[None]),
    "diagonal by steps": lambda a: a.reshape(-1)[::5],
    "flipped": lambda a: np.flip(a, 1),
    "rotated": lambda a: np.rot90(a),
    "moved": lambda a: np.moveaxis(a, 0, -1),
    "expanded": lambda a: np.expand_dims(a, 0),
    "asarray": lambda a: np.asarray(a),
    "contiguous": lambda a: np.ascontiguousarray(a.T),
    "real": lambda a: np.real(a),
    "of a view of a view": lambda a: a[1:].T[::-1][1:, 0],
    "copy": lambda a: a.copy(),
    "mask": lambda a: a[a > 0.9],
    "flattened": lambda a: a.flatten(),
}


def written_through(view):
    def f(a):
        b = a * 2.0
        v = view(b)
        v *= 3.0
        v[0] = v[-1] * 0.5
        b[1, 1] = b[0, 0] ** 2
        return np.sum(b**2) + np.sum(v**3)

    return f


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("name", VIEWS)
def test_views(name, layout):
    f = written_through(VIEWS[name])
    a = np.array(A, order=layout)

    def at(step):
        b = np.empty_like(a)  # what is a view depends on the layout
        b[...] = a + step
        return f(b)

    d, h = np.cos(np.arange(12.0)).reshape(3, 4), 1e-5
    slope = (8 * (at(h * d) - at(-h * d)) - (at(2 * h * d) - at(-2 * h * d))) / (12 * h)
    assert np.sum(ad.grad(f)(a) * d) == pytest.approx(slope, rel=1e-8)
    assert ad.jvp(f, (a,), (d,))[1] == pytest.approx(slope, rel=1e-8)
    assert ad.vjp(f, a)[1](1.0)[0].flags.writeable


def two_branches(x):
    a, b = x * 1.0, x * 2.0
    if x[0] > 0:
        c, d = a, b[1:]
    else:
        c, d = b, a[1:]
    c[1] = d[0] * x[3]
    d *= x[1:]
    return np.sum(a * b)


def carried(x):
    a, v = x * 1.0, x * 2.0
    for i in range(4):
        v[i] += a[i - 1]
        a, v = v, a[::-1]
    return np.sum(a * v)


def left_early(x):
    a = x * 1.0
    row = a
    for i in range(4):
        if a[i] > 1.0:
            break
        row = a[i:]
        row *= 1.5
    row[0] = a[0] ** 2
    return np.sum(a**2)


def in_lists(x):
    rows = [x * k for k in range(20)]
    for r in rows:
        r[0] = r[1] ** 2
    last = rows[3]
    last *= x
    return sum(np.sum(r**2) for r in rows)


def never_entered(x):
    a = x * 1.0
    for _ in range(len(x) - 4):
        a = a * 2.0
        a[0] = 1.0
    a[1:] *= a[0]
    return np.sum(a**2)


@pytest.mark.parametrize("f", [two_branches, carried, left_early, in_lists, never_entered], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, -X], ids=["plus", "minus"])
def test_names(f, x):
    ad.check_grads(f, (x,), order=2)


OUTSIDE = np.ones((2, 4))
PART = OUTSIDE[1]


def from_outside(x):
    OUTSIDE[...] = 1.0
    PART[:] = x
    OUTSIDE[:, 1] *= x[0]
    return np.sum(OUTSIDE**2) + np.sum(PART**3)


def test_memory_from_outside():
    before = OUTSIDE.copy()
    g = ad.grad(from_outside)(X)
    assert np.array_equal(OUTSIDE, before)
    h = 1e-6
    found = [(from_outside(X + h * e) - from_outside(X - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(g, found, rtol=1e-7)
    hessian = ad.jvp(ad.grad(from_outside), (X,), (np.ones(4),))[1]
    assert np.allclose(hessian, ad.grad(lambda x: np.sum(ad.grad(from_outside)(x)))(X))
    step = (ad.grad(from_outside)(X + h) - ad.grad(from_outside)(X - h)) / (2 * h)
    np.testing.assert_allclose(hessian, step, rtol=1e-6)


def other_bits(x):
    a = x * 1.0
    v = a.view(np.int64)
    v[0] = 3
    return np.sum(a)


def several_views(x):
    a, b = x * 1.0, x * 2.0
    c, d = np.atleast_1d(a, b)
    d[0] = d[1] ** 2
    c *= 2
    return np.sum(a * b)


@pytest.mark.parametrize("f", [other_bits, several_views], ids=lambda f: f.__name__)
def test_views_without_a_shadow_are_right_or_refused(f):
    try:
        g = ad.grad(f)(X)
    except ad.Unsupported as error:
        assert error.place is not None and error.remedy
        return
    h = 1e-6
    np.testing.assert_allclose(g, [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(4)], rtol=1e-6)
