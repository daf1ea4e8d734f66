"""Primals, tangents, results and cotangents in one memory, or in memory that overlaps.

What is passed in is not modified, what comes out is right, writable, and shares memory with
nothing that was passed in, with no other result, and with no second run.
"""

import itertools

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import leaves

N = 4


def identity(x):
    return x


def view(x):
    return x[::-1]


def doubled(x):
    return x * 2.0


def product(x, y):
    return x * y


def quotient(x, y):
    return x / y + x


def both(x, y):
    return x, y


def twice(x):
    return x, x


def parts(x):
    return x[:2], x[2:], x.reshape(2, 2)


def transposed(x):
    return x.reshape(2, 2).T


def sums(x, y):
    return {"sum": x + y, "first": x, "all": np.sum(x * y)}


def looped(x, y):
    for _ in range(3):
        x = x * y + x
    return x


FUNCTIONS = [identity, view, doubled, product, quotient, both, twice, parts, transposed, sums, looped]


def memory():
    return np.linspace(0.5, 1.7, 2 * N)


def layouts(count):
    """Ways in which `count` arrays of N elements may lie: apart, identical, shifted, reversed."""
    starts = [[0] * count, [i % 2 for i in range(count)], [i % (N + 1) for i in range(count)]]
    for shift in starts:
        yield lambda m, shift=shift: [m[s : s + N] for s in shift]
    yield lambda m: [m[:N] if i % 2 else m[:N][::-1] for i in range(count)]
    yield lambda m: [m[i : i + 2 * N - 1 : 2][:N] if i < 2 else m[:N] for i in range(count)]


def apart(arrays):
    return [a.copy() for a in arrays]


def arrays_of(*values):
    return [leaf for v in values for leaf in leaves(v) if isinstance(leaf, np.ndarray)]


def independent(results, inputs):
    """No result shares memory with an input or with another result; all can be written."""
    for r in results:
        assert r.flags.writeable
        assert not any(np.shares_memory(r, i) for i in inputs)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(results, 2))


def equal(a, b):
    assert len(leaves(a)) == len(leaves(b))
    for x, y in zip(leaves(a), leaves(b)):
        np.testing.assert_allclose(x, y, rtol=1e-14)


def seed_for(value, array):
    """A cotangent of the structure of `value`, all of whose leaves lie in `array`."""
    if isinstance(value, tuple):
        return tuple(seed_for(v, array) for v in value)
    if isinstance(value, dict):
        return {k: seed_for(v, array) for k, v in value.items()}
    return array[: np.size(value)].reshape(np.shape(value)) if np.ndim(value) else 1.5


def arity(f):
    return f.__code__.co_argcount


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("layout", range(5))
def test_primals_and_tangents_in_one_memory(f, layout):
    n = arity(f)
    place = list(layouts(2 * n))[layout]
    shared, before = place(memory()), place(memory())
    primals, tangents = tuple(shared[:n]), tuple(shared[n:])
    value, tangent = ad.jvp(f, primals, tangents)
    equal(shared, before)
    clean = apart(before)
    expected = ad.jvp(f, tuple(clean[:n]), tuple(clean[n:]))
    equal(value, expected[0])
    equal(tangent, expected[1])
    independent(arrays_of(tangent), [*shared, *arrays_of(value)])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("layout", range(5))
def test_primals_and_cotangents_in_one_memory(f, layout):
    n = arity(f)
    place = list(layouts(n + 1))[layout]
    shared, before = place(memory()), place(memory())
    primals = tuple(shared[:n])
    value, pullback = ad.vjp(f, *primals)
    bars = pullback(seed_for(value, shared[n]))
    equal(shared, before)
    clean = apart(before)
    clean_value, clean_pullback = ad.vjp(f, *clean[:n])
    equal(value, clean_value)
    equal(bars, clean_pullback(seed_for(clean_value, clean[n])))
    independent(arrays_of(bars), [*shared, *arrays_of(value)])
    again = pullback(seed_for(value, shared[n]))
    equal(again, bars)
    independent(arrays_of(bars, again), shared)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_result_is_its_own_cotangent(f):
    args = memory()[:N], memory()[1 : N + 1]
    args = args[: arity(f)]
    value, pullback = ad.vjp(f, *args)
    copied = ad.tangents.copy(value)
    bars = pullback(value)
    equal(value, copied)
    equal(bars, pullback(copied))
    independent(arrays_of(bars), [*args, *arrays_of(value)])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_result_is_the_tangent_of_the_next_call(f):
    args = (memory()[:N], memory()[1 : N + 1])[: arity(f)]
    value, tangent = ad.jvp(f, args, args)
    for leaf in arrays_of(value, tangent):
        if leaf.shape == (N,):
            seeds = (leaf,) * arity(f)
            before = leaf.copy()
            got = ad.jvp(f, seeds, seeds)[1]
            equal(leaf, before)
            equal(got, ad.jvp(f, tuple(apart(seeds)), tuple(apart(seeds)))[1])
            independent(arrays_of(got), [leaf])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_writing_into_results_changes_nothing(f):
    """What comes out of one run can be overwritten without any effect on the next."""
    args = (memory()[:N], memory()[1 : N + 1])[: arity(f)]
    value, pullback = ad.vjp(f, *args)
    seed = ad.tangents.copy(value)
    first = pullback(seed)
    expected = ad.tangents.copy(first)
    for array in arrays_of(first):
        array[...] = np.nan
    equal(pullback(seed), expected)
    equal(args, (memory()[:N], memory()[1 : N + 1])[: arity(f)])


@pytest.mark.parametrize("f", [product, quotient, looped], ids=lambda f: f.__name__)
def test_one_array_for_two_arguments(f):
    x = memory()[:N]
    apart_x, apart_y = ad.vjp(f, x.copy(), x.copy())[1](np.ones(N))
    bars = ad.vjp(f, x, x)[1](np.ones(N))
    equal(bars, (apart_x, apart_y))
    independent(arrays_of(bars), [x])
    overlapping = ad.vjp(f, memory()[:N], memory()[1 : N + 1])[1](np.ones(N))
    m = memory()
    equal(ad.vjp(f, m[:N], m[1 : N + 1])[1](np.ones(N)), overlapping)


# -- what the pullback reads is the value at the call -------------------------------------------


def cubes(x):
    return np.sum(x * x * x)


def two_reads(x, y):
    return np.sum(np.sin(x) * y + x / y)


def iterated(x):
    for _ in range(3):
        x = np.sin(x) * x
    return np.sum(x)


def captured(array):
    return lambda x: np.sum(x * array)


@pytest.mark.parametrize("f", [cubes, two_reads, iterated], ids=lambda f: f.__name__)
def test_arguments_overwritten_before_the_pullback(f):
    args = (memory()[:N], memory()[1 : N + 1])[: arity(f)]
    expected = ad.vjp(f, *[a.copy() for a in args])[1](1.0)
    value, pullback = ad.vjp(f, *args)
    for a in args:
        a += 1.0
    equal(pullback(1.0), expected)
    for a in args:
        a *= 0.0
    equal(pullback(1.0), expected)


def test_captured_data_overwritten_before_the_pullback():
    array = memory()[:N]
    f = captured(array)
    _, pullback = ad.vjp(f, np.ones(N))
    expected = array.copy()
    array += 1.0
    equal(pullback(1.0)[0], expected)
    equal(ad.grad(f)(np.ones(N)), array)  # the next call reads what is there now


def test_linearize_after_arguments_are_overwritten():
    x = memory()[:N]
    value, push = ad.linearize(cubes, x)
    expected = 3.0 * np.sum(memory()[:N] ** 2)
    x += 1.0
    assert push(np.ones(N)) == pytest.approx(expected, rel=1e-14)


def test_gradients_of_products_are_copies():
    a, b = memory()[:N], memory()[N:]

    def f(a, b):
        return np.sum(a * b)

    da, db = ad.grad(f, (0, 1))(a, b)
    assert np.array_equal(da, b) and np.array_equal(db, a)
    independent([da, db], [a, b])
    da += 1.0
    assert np.array_equal(b, memory()[N:])
