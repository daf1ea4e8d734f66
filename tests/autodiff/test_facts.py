"""Activity passes through memory: what is written in carries derivatives to all that read it."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1, 0.45])


def through_a_second_name(x):
    a = np.zeros(4)
    b = a
    b[0] = x[1] ** 2
    return np.sum(a * x)


def through_a_view_made_before(x):
    a = np.zeros((2, 2))
    row = a[1]
    a[1, 0] = x[0] * x[1]
    return np.sum(row**2)


def through_a_loop(x):
    a = np.zeros(4)
    total = 0.0
    for i in range(4):
        total += np.sum(a) * x[i]  # the first time around nothing is in it
        a[i] = x[i]
    return total


def inert_beside_active(x):
    table = np.zeros(4)
    for i in range(4):
        table[i] = i * 0.5
    y = x * table
    table[0] = 7.0
    return np.sum(y * y)


def constants_over_active(x):
    a = x * 2.0
    a[1:] = 3.0
    return np.sum(a**2)


def whole_numbers(x):
    n = np.zeros(4, int)
    n[:2] = np.floor(x[:2] * 3)
    n[2] = int(x[2] * 10)
    return np.sum(x * n)


@pytest.mark.parametrize(
    "f",
    [through_a_second_name, through_a_view_made_before, through_a_loop, inert_beside_active, constants_over_active],
)
def test_memory_carries_derivatives(f):
    ad.check_grads(f, (X,), order=2)


def test_whole_numbers_have_no_derivative():
    assert np.array_equal(ad.grad(whole_numbers)(X), [0.0, 2.0, 11.0, 0.0])


def cut(x):
    n = np.zeros(4, int)
    n[0] = x[0]
    return n[0] * x[1]


def added_and_cut(x):
    n = np.zeros(4, np.int64)
    np.add(n, x, out=n, casting="unsafe")
    return np.sum(n * x)


def written_by_the_unknown(x):
    y = x * 1.0
    np.ndarray.byteswap(y, True)
    return np.sum(y)


@pytest.mark.parametrize("f", [cut, added_and_cut, written_by_the_unknown])
def test_what_a_derivative_would_lose_is_refused(f):
    for run in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (X,)), lambda: ad.vjp(f, X)):
        with pytest.raises(ad.Unsupported) as caught:
            run()
        assert caught.value.place is not None and caught.value.remedy


def test_writes_that_no_result_reads_have_no_adjoint():
    def f(x):
        log = np.zeros(4)
        log[0] = x[0] ** 2
        return np.sum(x * x)

    assert np.array_equal(ad.grad(f)(X), 2.0 * X)
    assert "_bar[" not in ad.source(ad.grad(f), X)


def stopped_and_written(x):
    y = x * 1.0
    y *= ad.stop_gradient(y)
    return np.sum(y)


def stopped_view(x):
    y = x * 1.0
    tail = ad.stop_gradient(y)[1:]
    y[:-1] *= tail
    y[1:] += tail * y[:-1]
    return np.sum(y * y)


def of_copies(x):
    """`stopped_view` with constants in the place of what is stopped."""
    y = x * 1.0
    y[:-1] *= X[1:]
    y[1:] += np.append(X[1:-1] * X[2:], X[-1]) * y[:-1]
    return np.sum(y * y)


def test_what_is_stopped_is_memory_that_is_written():
    for g in (ad.grad, ad.jacfwd):
        assert np.allclose(g(stopped_and_written)(X), X)
        assert np.allclose(g(stopped_view)(X), g(of_copies)(X))

    def into_it(x):
        y = x * 1.0
        z = ad.stop_gradient(y)
        z *= 2.0
        return np.sum(y)

    for g in (ad.grad, ad.jacfwd):
        with pytest.raises(ad.Unsupported, match="stop_gradient gave"):
            g(into_it)(X)


def test_what_arrays_of_other_dtypes_are_said_to_do():
    def stored(dtype):
        def f(x):
            r = np.zeros(2, dtype)
            r[0] = x[0]
            return x[0] * 2.0

        return f

    fields = [("a", float), ("b", float)]
    for dtype, said in ((int, "cuts them"), ("U8", "not followed"), (fields, r"records \(a, b\)")):
        with pytest.raises(ad.Unsupported, match=rf"test_facts\.py:\d+:\d+: .*{said}"):
            ad.grad(stored(dtype))(np.array([1.0, 2.0]))


def test_attributes_that_arrays_do_not_have():
    for read in (lambda x: x.absent, lambda x: x[0].absent):
        with pytest.raises(AttributeError) as primal:
            read(np.ones(2))
        with pytest.raises(AttributeError) as derivative:
            ad.grad(read)(np.ones(2))
        assert str(primal.value) == str(derivative.value)
