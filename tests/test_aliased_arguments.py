"""Arguments that share memory with each other, with globals, cells and attributes, with writes and without.

Where memory is only read, cotangents are independent. Where it may be written, there is one total
cotangent for the memory, and every argument gets its part of it: the derivative is that of the
function of the memory, which differences of that function show.
"""

import itertools

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits

N = 3
M = np.array([0.5, 1.5, 0.8, 1.1, 0.4])
GLOBAL = np.array([1.0, 2.0, 3.0])


def first_becomes(a, b):
    a[0] = b[1] ** 2
    return np.sum(a * b)


def both_written(a, b):
    a *= b
    b[1:] += a[:-1]
    return np.sum(a * b * b)


def shifted(a, b):
    s = np.sum(b * b)
    a[1:] = a[:-1] * b[0]
    return s + np.sum(a * b)


def in_a_loop(a, b):
    for i in range(len(a)):
        a[i] = b[i - 1] * a[i] + 0.1
        b[i] *= 1.5
    return np.sum(a) * np.sum(b)


def views_written(a, b):
    v, w = a[1:], b[::-1]
    v += w[:-1] ** 2
    w[0] = v[0]
    return np.sum(a * b)


def swapped(a, b):
    a, b = b, a
    a[0] = 2.0 * b[2]
    return np.sum(a * b * b)


WRITING = [first_becomes, both_written, shifted, in_a_loop, views_written, swapped]

LAYOUTS = {
    "same": lambda m: (m[:N], m[:N]),
    "one object": lambda m: (lambda a: (a, a))(m[:N]),
    "shifted": lambda m: (m[:N], m[1 : N + 1]),
    "touching": lambda m: (m[:N], m[2:]),
    "reversed": lambda m: (m[:N], m[:N][::-1]),
    "strided": lambda m: (m[::2], m[:N]),
    "apart": lambda m: (m[:2].repeat(2)[:N] * 1.0, m[2:]),
}


def slopes(f, layout, m):
    """The derivative by the memory, by differences."""

    def at(step):
        moved = m + step
        return f(*layout(moved))

    h, found = 1e-5, []
    for e in np.eye(len(m)):
        found.append((8 * (at(h * e) - at(-h * e)) - (at(2 * h * e) - at(-2 * h * e))) / (12 * h))
    return np.array(found)


def parts_of(layout, g):
    return layout(g)


def shared(args):
    return np.shares_memory(*args)


@pytest.mark.parametrize("name", [n for n in LAYOUTS if n != "apart"])
@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_one_total_cotangent(f, name):
    layout, m = LAYOUTS[name], M.copy()
    expected = layout(slopes(f, layout, M))
    args = layout(m)
    bars = ad.grad(f, (0, 1))(*args)
    assert bits(m) == bits(M), "not as before the call"
    for bar, part in zip(bars, expected):
        np.testing.assert_allclose(bar, part, rtol=1e-8, atol=1e-9)
    assert not any(np.shares_memory(p, q) for p, q in itertools.combinations((*bars, m), 2))
    for i in (0, 1):
        np.testing.assert_allclose(ad.grad(f, i)(*args), expected[i], rtol=1e-8, atol=1e-9)

    value, pullback = ad.vjp(f, *args)
    left = M.copy()
    assert value == f(*layout(left)) and bits(m) == bits(left)
    for _ in range(2):
        for bar, part in zip(pullback(1.0), expected):
            np.testing.assert_allclose(bar, part, rtol=1e-8, atol=1e-9)
        m[:] = M


@pytest.mark.parametrize("name", [n for n in LAYOUTS if n != "apart"])
@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_one_tangent(f, name):
    layout, m, d = LAYOUTS[name], M.copy(), np.cos(np.arange(5.0))
    left = M.copy()
    expected = f(*layout(left))
    value, tangent = ad.jvp(f, layout(m), layout(d.copy()))
    assert value == expected and bits(m) == bits(left)
    touched = layout(np.arange(5.0))  # elements of the memory that no argument holds do not count
    inside = np.isin(np.arange(5.0), np.concatenate(touched))
    assert tangent == pytest.approx(slopes(f, layout, M) @ (d * inside), rel=1e-8)


@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["same", "shifted", "reversed"])
def test_second_derivatives_of_shared_memory(f, name):
    layout, d = LAYOUTS[name], np.cos(np.arange(5.0))

    def along(m):
        return np.sum(ad.grad(of_memory)(m) * d)

    def of_memory(m):
        return f(*layout(m))

    h = 1e-5
    found = [(along(M + h * e) - along(M - h * e)) / (2 * h) for e in np.eye(5)]
    np.testing.assert_allclose(ad.jvp(ad.grad(of_memory), (M.copy(),), (d,))[1], found, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ad.grad(along)(M.copy()), found, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_arguments_apart_have_cotangents_of_their_own(f):
    a, b = M[:N].copy(), M[2:].copy()
    bars = ad.grad(f, (0, 1))(a, b)
    h = 1e-6
    for i, bar in enumerate(bars):
        for k in range(N):

            def at(step, i=i, k=k):
                args = [a.copy(), b.copy()]
                args[i][k] += step
                return f(*args)

            assert bar[k] == pytest.approx((at(h) - at(-h)) / (2 * h), rel=1e-6, abs=1e-8)


def test_memory_that_is_read_only_has_independent_cotangents():
    a = M[:N].copy()
    f = lambda x, y: np.sum(x * y * y)
    together, separate = ad.grad(f, (0, 1))(a, a), ad.grad(f, (0, 1))(a, a.copy())
    for x, y in zip(together, separate):
        assert np.array_equal(x, y)


def test_different_tangents_of_one_memory_are_an_error():
    a = M[:N].copy()
    try:
        _, tangent = ad.jvp(first_becomes, (a, a), (np.ones(N), np.zeros(N)))
    except ValueError as error:
        assert "tangents" in str(error)
        return
    raise AssertionError(tangent)


# -- memory that is not only an argument's --------------------------------------------------------


def writes_the_global(x):
    GLOBAL[0] = x[1] ** 2
    return np.sum(GLOBAL * x)


def writes_the_argument(x):
    x[0] = GLOBAL[1] ** 2
    return np.sum(GLOBAL * x)


@pytest.mark.parametrize("f", [writes_the_global, writes_the_argument])
def test_an_argument_that_is_a_global(f):
    before = GLOBAL.copy()
    h, found = 1e-6, []
    try:
        for e in np.eye(3):
            values = []
            for step in (h, -h):
                GLOBAL[:] = before + step * e
                values.append(f(GLOBAL))
            found.append((values[0] - values[1]) / (2 * h))
        GLOBAL[:] = before
        np.testing.assert_allclose(ad.grad(f)(GLOBAL), found, rtol=1e-7)
        assert bits(GLOBAL) == bits(before)
        _, tangent = ad.jvp(f, (GLOBAL,), (np.ones(3),))
        assert tangent == pytest.approx(np.sum(found), rel=1e-7)
    finally:
        GLOBAL[:] = before


def test_an_argument_that_is_captured():
    cell = M[:N].copy()

    def f(x):
        cell[0] = x[1] ** 2
        return np.sum(cell * x)

    def of_memory(m):
        x = m.copy()
        x[0] = x[1] ** 2
        return np.sum(x * x)

    np.testing.assert_allclose(ad.grad(f)(cell), ad.grad(of_memory)(M[:N].copy()), rtol=1e-12)
    assert np.array_equal(cell, M[:N])
    np.testing.assert_allclose(ad.grad(f)(M[:N].copy()), [4 * 0 + cell[1] ** 2, 2 * 1.5 * 0.5 + 1.5, 0.8], rtol=1e-12)


class Holder:
    def __init__(self, buffer):
        self.buffer = buffer


def test_an_argument_that_is_an_attribute():
    holder = Holder(M[:N].copy())

    def f(x):
        holder.buffer[0] = x[1] ** 2
        return np.sum(holder.buffer * x)

    try:
        g = ad.grad(f)(holder.buffer)
    except ad.Unsupported as error:
        assert error.place is not None and error.remedy
        return
    x = M[:N]
    np.testing.assert_allclose(g, [0.0, 4 * x[1] ** 3 + 2 * x[1], 2 * x[2]], rtol=1e-12)
    assert np.array_equal(holder.buffer, x)


def test_arguments_in_containers():
    def f(pair, x):
        pair[0][0] = x[1] ** 2
        return np.sum(pair[0] * x) + np.sum(pair[1])

    m = M[:N].copy()
    try:
        (first, second), g = ad.grad(f, (0, 1))((m, m[1:]), m)
    except ad.Unsupported as error:
        assert error.place is not None and error.remedy
        return
    total = np.array([0.0, 4 * m[1] ** 3 + 2 * m[1] + 1.0, 2 * m[2] + 1.0])
    np.testing.assert_allclose(first, total, rtol=1e-12)
    np.testing.assert_allclose(second, total[1:], rtol=1e-12)
    np.testing.assert_allclose(g, total, rtol=1e-12)


class Named(np.ndarray):
    """A subclass: its methods may do anything."""


@pytest.mark.parametrize("make", [lambda a: a.view(Named), np.ma.masked_array])
def test_subclasses_are_refused_where_they_carry_derivatives(make):
    with pytest.raises((TypeError, ad.AdcompileError)) as caught:
        ad.grad(lambda a: np.sum(a * 2.0))(make(M.copy()))
    assert str(caught.value)


def test_subclasses_that_share_memory_with_an_argument():
    m = M[:N].copy()
    named = m.view(Named)

    def f(x, other):
        x[0] = x[1] ** 2
        return np.sum(x * x) + float(other[2])

    try:
        g = ad.grad(f)(m, named)
    except (TypeError, ad.AdcompileError) as error:
        assert str(error)
        return
    assert np.array_equal(m, M[:N])
    x = M[:N]
    np.testing.assert_allclose(g[:2], [0.0, 4 * x[1] ** 3 + 2 * x[1]], rtol=1e-12)


def test_complex_and_its_parts():
    z = M[:N] + 1j * M[2:]

    def f(z, r):
        r[0] = 2.0
        return np.sum(np.abs(z) ** 2) + np.sum(r**3)

    found = ad.grad(f, 1)(z, z.real)
    expected = [0.0, 2 * M[1] + 3 * M[1] ** 2, 2 * M[2] + 3 * M[2] ** 2]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_one_memory_under_two_dtypes_is_refused():
    m = np.arange(4.0) + 1.0

    def f(a, b):
        a[0] = 3.0
        return np.sum(a) + np.sum(b)

    with pytest.raises((ValueError, ad.AdcompileError), match="dtype"):
        ad.grad(f, (0, 1))(m, m.view(np.float32))


@pytest.mark.parametrize("derive", [
    lambda f, w: ad.grad(f)(w), lambda f, w: ad.jvp(f, (w,), (w,)), ad.vjp, lambda f, w: ad.hessian(f)(w),
])  # fmt: skip
def test_an_argument_that_shares_memory_with_itself_is_read_but_not_written(derive):
    def reads(w):
        return np.sum(w[1] * w[0, 0])

    def writes(w):
        w[1] *= w[0, 0]
        return np.sum(w)

    w = np.lib.stride_tricks.as_strided(np.arange(1.0, 6.0), (3, 3), (8, 8))
    derive(reads, w)
    with pytest.raises(ad.Unsupported, match=r"\.py:\d+:\d+: memory that an array shows at several places"):
        derive(writes, w)
    assert np.array_equal(w.ravel()[[0, 1, 2, 5, 8]], np.arange(1.0, 6.0))


WORK = np.zeros(2)


def written_beside(a, b, c):
    c[:] = a * b
    return np.sum(c * a)


def written_in_the_module(a, b, c):
    WORK[:] = a * b
    return np.sum(WORK * a + c)


def views_are_read(a, b, c):
    c[:1] = b[1:] * a[::-1][:1]
    return np.sum(c * a[::-1] * b)


def read_in_a_loop(a, b, c):
    for i in range(len(a)):
        left, right = (a, b) if i % 2 else (b, a)
        c[i] = left[i] * np.sum(right) * c[i - 1]
    return np.sum(c * a)


@pytest.fixture(params=[False, True], ids=["", "debug"])
def debug(request):
    ad.config(debug=request.param)
    yield
    ad.config(debug=False)


@pytest.mark.parametrize("f", [written_beside, written_in_the_module, views_are_read, read_in_a_loop])
def test_what_is_only_read_is_independent_though_something_else_is_written(f, debug):
    x, c = np.array([1.5, 2.0]), np.array([0.3, 0.4])
    for found, expected in zip(ad.grad(f, (0, 1, 2))(x, x, c), ad.grad(f, (0, 1, 2))(x, x.copy(), c)):
        np.testing.assert_array_equal(found, expected)
    for tangents in ((np.ones(2), None, None), (np.ones(2), 3 * np.ones(2), c), (None, np.ones(2), None)):
        assert ad.jvp(f, (x, x, c.copy()), tangents) == ad.jvp(f, (x, x.copy(), c.copy()), tangents)
    for found, expected in zip(ad.jacfwd(f, (0, 1))(x, x, c.copy()), ad.jacfwd(f, (0, 1))(x, x.copy(), c.copy())):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    m = np.arange(1.0, 4.0)
    pairs = ad.grad(f, (0, 1))(m[:2], m[1:], c), ad.grad(f, (0, 1))(m[:2].copy(), m[1:].copy(), c)
    np.testing.assert_array_equal(*pairs)


@pytest.mark.parametrize("f", [written_beside, views_are_read, read_in_a_loop])
def test_an_array_that_overlaps_what_is_written_has_one_whole_derivative(f, debug):
    x = np.array([1.5, 2.0])
    a_bar, b_bar, c_bar = ad.grad(f, (0, 1, 2))(x, x, x)

    def of_one(x):
        return f(x, x, x)

    np.testing.assert_allclose(a_bar, ad.grad(of_one)(x), rtol=1e-13)
    assert np.array_equal(a_bar, b_bar) and np.array_equal(a_bar, c_bar)
