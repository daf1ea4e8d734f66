"""Products with matrices that repeat a row: what they give, and that no matrices are multiplied for it."""

import itertools
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.ir.nodes import Call
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from tests.checks import passes
from tests.kernels import active

RNG = np.random.default_rng(48)
A, B, C = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5)), RNG.normal(size=(5, 2))


def total(a, b):
    return np.sum(a @ b)


def mean(a, b):
    return np.mean(a @ b)


def chain(a, b, c):
    return np.sum(np.tanh(a @ b) @ c)


def of_columns(a, b):
    return np.sum(np.sin(np.sum(a @ b, axis=0)))


def of_rows(a, b):
    return np.sum(np.sin(np.mean(a @ b, axis=1, keepdims=True)))


def through_a_vector(a, b, c):
    return np.sum((a @ b) @ c[:, 0])


def turned(a, b):
    return np.sum(2.0 * (b.T @ a.T))


def beside_others(a, b):
    p = a @ b
    return np.sum(p) + np.sum(p * p)


def each_twice(a, b, c):
    return np.sum((a @ b @ c) + (a @ b @ c) * 3.0)


def outer_products(a, b):
    return np.sum(np.outer(a[0], b[:, 0]) @ b)


PAIRS = [total, mean, of_columns, of_rows, turned, beside_others, outer_products]
TRIPLES = [chain, through_a_vector, each_twice]
CASES = [*((f, (A, B)) for f in PAIRS), *((f, (A, B, C)) for f in TRIPLES)]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients(f, args):
    ad.check_grads(f, args, order=2)
    where = tuple(range(len(args)))
    found = ad.grad(f, where)(*args)
    with passes(()):
        plain = ad.grad(f, where)(*args)
    for a, b, x in zip(found, plain, args):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        assert a.flags.c_contiguous or f is turned
        assert a.flags.writeable and a.base is None and not np.shares_memory(a, x)


def products_in(f, *args):
    """How many pairs of matrices the gradient multiplies."""
    wrt, types = active(args)
    program = pipeline.derive(f, pipeline.Request("joint", wrt, backend="numpy"), types).program
    calls = [s for g in program.functions.values() for s in statements_of(g.body) if isinstance(s, Call)]
    return sum(called(s) is operator.matmul and len(program.types[s.result].dims) == 2 for s in calls)


def four(a, b, c, d):
    return np.sum(np.tanh(a @ b) @ c @ d)


def test_no_matrices_are_multiplied():
    for f in (total, mean, turned):
        assert products_in(f, A, B) == 0


def test_those_of_a_chain_are_of_vectors_but_three():
    """`a @ b`, and the two products that its cotangent is in; of four matrices one more."""
    assert products_in(chain, A, B, C) == 3
    assert products_in(four, A, B, C, RNG.normal(size=(2, 3))) == 4


def rooted(a, b):
    return np.sum(np.sqrt(np.sum(a @ b, axis=1))) + np.sum(np.sqrt(np.sum(a @ b, axis=0)))


def test_sums_of_nothing_are_zero_times_whatever():
    with np.errstate(divide="ignore", invalid="ignore"):
        a_bar, b_bar = ad.grad(rooted, (0, 1))(np.ones((3, 4)), np.ones((4, 0)))
    assert np.array_equal(a_bar, np.zeros((3, 4))) and b_bar.shape == (4, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        a_bar, b_bar = ad.grad(rooted, (0, 1))(np.ones((3, 0)), np.ones((0, 4)))
    assert a_bar.shape == (3, 0) and b_bar.shape == (0, 4)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_long_sums_keep_their_precision(dtype):
    a, b = np.ones((5000, 2), dtype), np.ones((2, 3), dtype)
    for f in (total, mean):
        with passes(()):
            plain = ad.grad(f, (0, 1))(a, b)
        for x, y in zip(ad.grad(f, (0, 1))(a, b), plain):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(("n", "m", "k"), list(itertools.product([0, 1, 3], repeat=3)))
def test_lengths_of_none_and_one(n, m, k):
    a, b = np.ones((n, m)), np.full((m, k), 2.0)
    for f in (total, of_columns, turned):
        with passes(()):
            plain = ad.grad(f, (0, 1))(a, b)
        for x, y in zip(ad.grad(f, (0, 1))(a, b), plain):
            assert x.shape == y.shape
            np.testing.assert_allclose(x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.longdouble])
def test_other_precisions(dtype):
    a, b, c = (x.astype(dtype) for x in (A, B, C))
    for f, args in ((total, (a, b)), (of_columns, (a, b)), (chain, (a, b, c))):
        real = (lambda *v, f=f: np.real(f(*v))) if dtype is np.complex128 else f
        found = ad.grad(real, tuple(range(len(args))))(*args)
        with passes(()):
            plain = ad.grad(real, tuple(range(len(args))))(*args)
        for x, y in zip(found, plain):
            assert x.dtype == y.dtype == dtype
            np.testing.assert_allclose(x, y, rtol=1e-5 if dtype is np.float32 else 1e-12)


def test_two_precisions_stay_products():
    found = ad.grad(total, (0, 1))(A.astype(np.float32), B)
    with passes(()):
        plain = ad.grad(total, (0, 1))(A.astype(np.float32), B)
    for x, y in zip(found, plain):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-6)


@pytest.mark.parametrize(("a", "b"), [((3, 1), (5, 2)), ((3, 4), (1, 2)), ((1, 1), (3, 3)), ((0, 2), (3, 0))])
def test_lengths_that_do_not_fit_raise_as_before(a, b):
    for f in (total, of_columns, mean):
        with pytest.raises(ValueError, match="matmul"):
            ad.grad(f, (0, 1))(np.ones(a), np.ones(b))
    with pytest.raises(ValueError, match="matmul"):
        ad.grad(chain, (0, 1, 2))(A, B, np.ones((4, 2)))


def written_between(a, b):
    """The row is written into after it has been read."""
    p = a @ b
    row = np.sum(p, axis=0)
    loss = np.sum(row**2)
    row[:] = 0.0
    return loss + np.sum((a @ b) * 0.5)


def test_what_is_written_later():
    ad.check_grads(written_between, (A, B), order=1)


def test_results_may_be_written_and_share_nothing():
    a_bar, b_bar = ad.grad(total, (0, 1))(A, B)
    a_bar[0, 0] = 7.0
    assert a_bar[1, 0] != 7.0 and not np.shares_memory(a_bar, b_bar)


@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed, tmp_path):
    rng = np.random.default_rng(seed)
    ends = ["np.sum({})", "np.mean({})", "np.sum(np.sin(np.sum({}, axis=0)))", "np.sum(np.mean({}, axis=1) * 2.0)"]
    middles = ["({} @ {})", "np.tanh({}) @ {}", "({} + 1.0) @ {}", "(2.0 * {}) @ {}", "({}).T.T @ {}"]
    body = "a"
    for name in "bcd"[: rng.integers(1, 4)]:
        body = str(rng.choice(middles)).format(body, name)
    end = str(rng.choice(ends)).format(body)
    path, scope = tmp_path / "chains.py", {"np": np}
    path.write_text(f"def f(a, b, c, d):\n    return {end} + 0.0 * np.sum(b) + np.sum(c * c) + np.sum(d)\n")
    exec(compile(path.read_text(), str(path), "exec"), scope)
    args = [rng.normal(size=(3, 3)) for _ in range(4)]
    with passes(()):
        plain = ad.grad(scope["f"], (0, 1, 2, 3))(*args)
    for x, y in zip(ad.grad(scope["f"], (0, 1, 2, 3))(*args), plain):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
