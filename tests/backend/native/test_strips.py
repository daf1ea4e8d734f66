"""Elementary functions of loops, computed for a strip of iterations at once: what they give, and that they do."""

import math
import re

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.strips import SHORT, SOME, WIDTH
from tests.kernels import agree, agree_pulled, agree_pushed, parts_of, stays
from tests.programs import functions_in_loops

X, W = functions_in_loops.SAMPLES["weighted_exponentials"][0]
APART = (
    "functions_of_elements_before",
    "functions_of_what_was_written",
    "functions_of_views",
    "elements_met_twice",
    "breaks_off",
)
TOGETHER = [name for name in functions_in_loops.SAMPLES if name not in APART]


def strips_in(f, *args, value=False):
    """How many loops of a gradient go in strips."""
    kernels = parts_of(f, *args, value=value).kernels.values()
    return sum(len(re.findall(r"lanes\w* = np.zeros", kernel.source)) for kernel in kernels)


@pytest.mark.parametrize("name", TOGETHER)
def test_functions_are_computed_together(name):
    f = getattr(functions_in_loops, name)
    assert strips_in(f, X, W) > 0
    stays(f, X, W)
    agree_pulled(f, X, W)
    agree_pushed(f, X, W)


@pytest.mark.parametrize(
    "many",
    [0, 1, SOME - 1, SOME, SHORT.start - 1, SHORT.start, WIDTH - 1, WIDTH, WIDTH + 1, SHORT.stop - 1, SHORT.stop, 200],
)
def test_any_number_of_iterations(many):
    x, w = np.linspace(0.2, 1.5, many), np.linspace(0.9, 1.3, many)
    for name in ("exponentials_that_fade", "small_layers", "functions_in_lists"):
        stays(getattr(functions_in_loops, name), x, w)


def scaled_until_too_large(x, w):
    total = 0.0
    for i in range(len(x)):
        w[i] = 2.0 * w[i]
        total += math.exp(x[i])
    return total


def scaled_until_negative(x, w):
    total = 0.0
    for i in range(len(x)):
        w[i] = 2.0 * w[i]
        total += math.log(x[i]) * w[i]
    return total


def read_past_the_end(x, w):
    total = 0.0
    for i in range(len(x) + 1):
        w[i] = 2.0 * w[i]
        total += math.exp(x[i])
    return total


@pytest.mark.parametrize(
    ("f", "k", "wrong", "error"),
    [
        (scaled_until_too_large, 20, 1000.0, OverflowError),
        (scaled_until_negative, 20, -1.0, ValueError),
        (read_past_the_end, 0, 0.1, IndexError),
    ],
)
def test_errors_are_those_of_the_function(f, k, wrong, error):
    """The same error, and what the function has written before it is written."""
    pytest.importorskip("numba")
    x = X.copy()
    x[k] = wrong
    mine, its = W.copy(), W.copy()
    with pytest.raises(error) as raised:
        f(x, its)
    with pytest.raises(error, match=re.escape(str(raised.value))):
        ad.value_and_grad(f, argnums=(0, 1), backend="numba")(x, mine)
    np.testing.assert_array_equal(mine, its)


def with_numpys_functions(x, w):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(-x[i]) * w[i] + np.log(w[i]) + np.tanh(x[i] * w[i])
    return total


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 800.0, 0.0])
def test_numpys_functions_give_what_is_not_finite(value):
    x, w = X.copy(), W.copy()
    x[5], w[7] = value, abs(value)
    with np.errstate(all="ignore"):
        stays(with_numpys_functions, x, w)


def of_integers(n, w):
    total = 0.0
    for i in range(n):
        total += math.exp(-i) * w[i] + math.cos(i * w[i])
    return total


def test_functions_of_integers():
    stays(lambda w: of_integers(30, w), W)
    assert strips_in(lambda w: of_integers(30, w), W) > 0


def rewritten(x, w):
    total = 0.0
    for i in range(len(x)):
        total += math.exp(-x[i])
        w[i] = total
    return total * w[0]


@pytest.mark.parametrize("shift", [0, 1])
def test_arguments_that_share_memory(shift):
    """What the loop writes may be what it reads next."""
    pytest.importorskip("numba")
    given = np.linspace(0.2, 1.1, 40)

    def shared(a):
        return rewritten(a[: 40 - shift], a[shift:])

    found = {backend: ad.value_and_grad(shared, backend=backend)(given.copy()) for backend in ("numpy", "numba")}
    np.testing.assert_allclose(found["numba"][0], shared(given.copy()), rtol=1e-12)
    np.testing.assert_allclose(found["numba"][1], found["numpy"][1], rtol=1e-10)


def test_curvature():
    pytest.importorskip("numba")
    f = functions_in_loops.functions_of_functions
    by = {b: ad.jvp(ad.grad(f, backend=b), (X, W), (np.ones_like(X), W), backend=b)[1] for b in ("numpy", "numba")}
    np.testing.assert_allclose(by["numba"], by["numpy"], rtol=1e-10)


LONG = np.linspace(0.2, 1.5, 3 * WIDTH + 5)


def over_an_array(x):
    total = 0.0
    for v in x:
        total += math.exp(-v) * v
    return total


def by_number(x):
    total = 0.0
    for i in range(len(x)):
        total += math.exp(-x[i]) * i
    return total


def by_threes(x):
    total = 0.0
    for i in range(2, len(x), 3):
        total += math.exp(-x[i]) * i
    return total


def from_its_end(x):
    total = 0.0
    for i in range(len(x) - 1, 0, -2):
        total += math.exp(-x[i]) * i
    return total


@pytest.mark.parametrize("f", [over_an_array, by_number, by_threes, from_its_end])
def test_numbers_of_iterations(f):
    assert strips_in(f, LONG) > 0
    for many in (0, 1, 2, 3, WIDTH, WIDTH + 1, len(LONG)):
        agree(f, LONG[:many])
    stays(f, LONG)


def a_few(x):
    total = 0.0
    for i in range(5):
        total += math.exp(-x[i]) * i
    return total


def by_any(x, n):
    total = 0.0
    for i in range(0, len(x), n):
        total += math.exp(-x[i]) * i
    return total


def test_loops_that_are_short_or_go_by_unknown_steps_stay_as_they_are():
    assert strips_in(a_few, LONG) == strips_in(by_any, LONG, 2) == 0
