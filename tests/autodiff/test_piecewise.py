"""Containers that the reverse reads of branches and loops are kept part by part."""

import re

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.rules.registry import unregister

X = np.array([[1.3, 0.7], [0.7, 2.2]])
ALONG = np.array([[0.2, -0.4], [-0.4, 0.5]])


def in_branch(x):
    y = x
    if x[0, 0] > 0:
        y = np.linalg.svd(x)[1]
    return np.sum(y**2)


def in_some_turns(x):
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        s = s + np.sum(np.linalg.eigh(x * (k + 1))[0] ** 2)
    return s


def in_steps(x):
    s = 0.0
    for k in ad.checkpointed_range(3, snaps=1):
        if k != 1:
            s = s + np.sum(np.linalg.eigh(x * (k + 1))[0] ** 2)
    return s


def product_of_differences(f):
    """The second derivative along a direction, of differences of the gradient."""
    g, h = ad.grad(f), 1e-5
    return (g(X + h * ALONG) - g(X - h * ALONG)) / (2 * h)


@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [in_branch, in_some_turns, in_steps])
def test_second_derivatives(f, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    g, wanted = ad.grad(f, backend=backend), product_of_differences(f)
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(g(x) * ALONG), backend=backend)(X), wanted, atol=1e-6)
    np.testing.assert_allclose(ad.jvp(g, (X,), (ALONG,), backend=backend)[1], wanted, atol=1e-6)
    np.testing.assert_allclose(np.tensordot(ad.jacrev(g, backend=backend)(X), ALONG, 2), wanted, atol=1e-6)


def test_what_is_kept_are_the_parts_that_are_read():
    code = ad.source(ad.grad(in_some_turns), X)
    kept = [line.strip() for line in code.splitlines() if ".append(t" in line]
    assert len(kept) == 2 and "_kept[k]\n" in code
    assert not re.search(r"\bt(_\d)?\[\d\]", code.partition("reversed")[2]), "the reverse reads the parts themselves"


@pytest.fixture
def pair():
    def pair(x):
        return np.sin(x), {"e": np.exp(x), "n": 3}

    @rules.vjp(pair)
    def body(c, y, x):
        return (c[0] * np.cos(x) + c[1]["e"] * y[1]["e"],)

    yield pair
    unregister(pair)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_containers_in_results_of_rules(pair, k):
    def f(x):
        s = 0.0
        for i in range(3):
            if i != k:
                y = pair(x * (i + 1) * 0.3)
                s = s + np.sum(y[0] * y[1]["e"]) * y[1]["n"]
            x = x * 1.1
        return s

    wanted = product_of_differences(f)
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(ad.grad(f)(x) * ALONG))(X), wanted, atol=1e-5)
    np.testing.assert_allclose(ad.jvp(ad.grad(f), (X,), (ALONG,))[1], wanted, atol=1e-5)
