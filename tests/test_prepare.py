"""Derivatives that keep their arrays: the same bits as without, whatever becomes of results and arguments."""

import threading

import numpy as np
import pytest

import adcompile as ad

X, Y = np.linspace(0.1, 1.0, 6), np.linspace(2.0, 3.0, 6)


def chain(x, y):
    u = np.exp(-x * y) + x / y
    return np.sum(u * np.sin(u))


def both(g, *args, **settings):
    """The gradient as without, asked for three times, at other arguments in between."""
    prepared = ad.prepare(g, *args)
    first = prepared(*args)
    other = tuple(a * 1.5 if isinstance(a, (float, np.ndarray)) else a for a in args)
    expected = g(*args)
    np.testing.assert_equal(prepared(*other), g(*other))
    np.testing.assert_equal(prepared(*args, **settings), expected)
    np.testing.assert_equal(first, expected)  # what was handed out stays
    return prepared


def test_the_same_bits_from_the_same_arrays():
    g = both(ad.grad(chain, (0, 1)), X, Y)
    assert g.source.count("out=spare[") == len(g._slots) > 10
    assert g.nbytes < len(g._slots) * X.nbytes / 2  # one array serves several
    before = g.nbytes
    g(X, Y)
    assert g.nbytes == before


def test_what_is_lent_is_written_over():
    g = ad.prepare(ad.grad(chain, (0, 1)), X, Y)
    g(X, Y)
    lent = g(X, Y, copy=False)
    again = g(X + 1.0, Y, copy=False)
    assert all(a is b for a, b in zip(lent, again))
    assert not any(np.shares_memory(a, b) for a in lent for b in (X, Y))
    np.testing.assert_equal(lent, ad.grad(chain, (0, 1))(X + 1.0, Y))


def test_what_is_lent_may_be_an_argument():
    g, plain = ad.prepare(ad.grad(lambda x, w: chain(x, w["y"])), X, {"y": Y}), ad.grad(chain)
    for give in (lambda a: (a, {"y": Y}), lambda a: (a[::-1], {"y": Y}), lambda a: (X, {"y": a})):
        g(X, {"y": Y})
        x, w = give(g(X, {"y": Y}, copy=False))
        np.testing.assert_equal(g(x, w), plain(x.copy(), w["y"].copy()))


def test_gradients_go_into_arrays_of_the_caller():
    g, plain = ad.prepare(ad.value_and_grad(chain, (0, 1)), X, Y), ad.grad(chain, (0, 1))(X, Y)
    mine = np.full(6, np.nan)
    value, (a, b) = g(X, Y, out=(mine, None))
    assert a is mine and value == chain(X, Y)
    np.testing.assert_equal((a, b), plain)
    g(Y, X)
    np.testing.assert_equal((a, b), plain)
    single = ad.prepare(ad.grad(chain), X, Y)
    assert single(X, Y, out=mine) is mine


def test_arrays_that_do_not_fit_are_refused():
    g = ad.prepare(ad.grad(chain, (0, 1)), X, Y)
    with pytest.raises(TypeError, match=r"out\[1\] must be a float64 array of shape \(6,\)"):
        g(X, Y, out=(None, np.empty(5)))
    with pytest.raises(TypeError, match="a tuple with 2 entries"):
        g(X, Y, out=np.empty(6))
    with pytest.raises(ValueError, match="share memory"):
        g(X, Y, out=(both_ends := np.empty(6), both_ends))
    with pytest.raises(TypeError, match="this gradient is no array, but a float"):
        ad.prepare(ad.grad(lambda x: x * x), 2.0)(2.0, out=np.empty(1))


def test_other_shapes_layouts_and_types():
    def f(x, y):
        return np.sum(np.sum(x * y, axis=0) ** 2)

    a, b = np.arange(6.0).reshape(2, 3), np.arange(6.0, 12.0).reshape(2, 3)
    g, plain = ad.prepare(ad.grad(f), a, b), ad.grad(f)
    for x, y in ((a, b), (a.T, b.T), (np.asfortranarray(a), b), (a[:1], b), (a.astype("f4"), b.astype("f4")), (a, 2.0)):
        for _ in range(2):
            np.testing.assert_equal(g(x, y), plain(x, y))
            assert g(x, y).dtype == x.dtype


def test_shapes_that_depend_on_values_are_no_part_of_it():
    def f(x, n):
        head = x[:n] * 2.0
        chosen = x[x > 0.5] * 3.0
        return np.sum(np.exp(head)) + np.sum(np.exp(chosen)) + np.sum(np.sin(np.zeros(n) + x[0]))

    g, plain = ad.prepare(ad.grad(f), X, 3), ad.grad(f)
    for n in (3, 1, 6, 0):
        np.testing.assert_equal(g(X, n), plain(X, n))
        np.testing.assert_equal(g(X[::-1] * 0.9, n), plain(X[::-1] * 0.9, n))


def test_loops_that_keep_arrays():
    def f(x, y):
        steps = []
        for k in range(4):
            x = np.sin(x * y) + k * np.cos(x)
            steps.append(x * 2.0)
        return np.sum(steps[0] * steps[3] + x)

    both(ad.grad(f, (0, 1)), X, Y)


def test_what_somebody_holds_is_new_at_each_call():
    seen = []
    note = ad.rules.non_differentiable(lambda y: seen.append(y))

    def f(x):
        y = x * 2.0
        note(y)
        return np.sum(np.exp(y))

    g = ad.prepare(ad.grad(f), X)
    g(X), g(X + 1.0)
    np.testing.assert_equal(seen[-2:], [X * 2.0, (X + 1.0) * 2.0])

    def with_aux(x):
        y = np.exp(x * 2.0)
        return np.sum(y), y[1:]

    h = both(ad.grad(with_aux, has_aux=True), X, copy=False)
    _, aux = h(X)
    kept = aux.copy()
    h(X + 1.0)
    np.testing.assert_equal(aux, kept)


def test_calls_from_several_threads():
    inner = ad.prepare(ad.grad(chain), X, Y)
    expected = ad.grad(chain)(X, Y)
    results = []

    def work():
        for _ in range(20):
            results.append(np.array_equal(inner(X, Y), expected))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [True] * 40


inner = ad.prepare(ad.grad(chain), X, Y)


def test_code_that_calls_one_is_differentiated():
    def f(x):
        return np.sum(inner(x, Y, copy=False) ** 2)

    np.testing.assert_equal(ad.grad(f)(X), ad.grad(lambda x: np.sum(ad.grad(chain)(x, Y) ** 2))(X))
    np.testing.assert_equal(ad.jacobian(inner)(X, Y), ad.jacobian(ad.grad(chain))(X, Y))
    with pytest.raises(ad.Unsupported, match="out= of a prepared"):
        ad.grad(lambda x: np.sum(inner(x, Y, out=x)))(X)


def test_a_callback_that_calls_it_again():
    def f(x):
        y = np.exp(x * x)
        return np.sum(y * y) + again(x)

    def again(x):
        if depth:
            return 0.0
        depth.append(1)
        g(X + 1.0)
        return 0.0

    depth = []
    again = ad.rules.non_differentiable(again)
    g = ad.prepare(ad.grad(f), X)
    np.testing.assert_equal(g(X), ad.grad(f)(X))
    assert depth == [1]


def test_what_the_function_reads_may_change():
    scale = {"by": np.full(6, 2.0)}

    def f(x, w):
        return np.sum(np.exp(x * w["a"]) * scale["by"])

    g, w = ad.prepare(f, X, {"a": Y}), {"a": Y}
    g(X, w)
    scale["by"] = np.full((1, 6), 3.0)
    np.testing.assert_equal(g(X, w), ad.grad(f)(X, w))
    assert repr(g).startswith("prepare(grad(")


def test_native_gradients_lie_in_one_array():
    pytest.importorskip("numba")

    def product(x, y):
        return np.sum(x * x / y)

    g = ad.prepare(ad.grad(product, backend="numba"), X, Y)
    expected = ad.grad(product, backend="numba")(X, Y)
    first = g(X, Y)
    assert g.nbytes == X.nbytes
    g(X + 1.0, Y)
    np.testing.assert_equal(first, expected)
    np.testing.assert_equal(g(X, Y, copy=False), expected)
    assert g(X, Y, copy=False) is g(X, Y, copy=False)
