"""Loops of which LLVM is told that their iterations share no memory: the right ones, and what they compute."""

import numpy as np
import pytest

import adcompile as ad

numba = pytest.importorskip("numba")
from adcompile.backend.native import support as nt  # noqa: E402
from tests.kernels import agree, agree_pulled, text_of  # noqa: E402
from tests.programs import few_rows  # noqa: E402


def compiled(function, *args):
    """LLVM's text of a function, as Numba lowers it."""
    made = numba.njit(error_model="numpy")(function)
    made(*args)
    return next(iter(made.inspect_llvm().values()))


def said(x, y):
    for i in range(len(x)):
        nt.independent()
        y[i] = x[i] * 2.0 + 1.0
    nt.interleave()


def one_of_two(x, y):
    for i in range(len(x)):
        nt.independent()
        y[i] = x[i] * 2.0 + 1.0
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i]
    nt.interleave()


def both_of_two(x, y):
    for i in range(len(x)):
        nt.independent()
        y[i] = x[i] * 2.0 + 1.0
    for i in range(len(x)):
        nt.independent()
        x[i] = y[i] * 3.0
    nt.interleave()


def unsaid(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2.0 + 1.0
    nt.interleave()


@pytest.mark.parametrize("function, count", [(said, 1), (one_of_two, 1), (both_of_two, 2), (unsaid, 0)])
def test_each_loop_that_says_so_has_accesses_of_its_own(function, count):
    x = np.linspace(0.0, 1.0, 37)
    text = compiled(function, x, np.empty_like(x))
    assert sum("llvm.loop.parallel_accesses" in line for line in text.splitlines()) == count
    assert sum("distinct !{}" in line.replace(" }", "}") for line in text.splitlines()) == count


def many(a, b, c, d, e, f, g, h):
    p = a * b + c
    q = d * e + f
    r = g * h + p
    s = p * q * r
    return np.sum(s * p + q * r * a - b * s * c + d * q + e * f * g * h)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 31, 100])
def test_loops_with_many_arrays(size):
    rng = np.random.default_rng(size)
    agree(many, *(rng.random(size) for _ in range(8)))


def test_they_stand_in_one_loop_that_says_so():
    rng = np.random.default_rng(0)
    text = text_of(many, *(rng.random(5) for _ in range(8)))
    assert text.count("for ") == 1 and text.count("nt.independent()") == 1


def shifted(x, y):
    x[1:] += y[:-1] * 2.0
    y[:-1] *= x[1:]
    return np.sum(x * y)


def views(by, count):
    whole = np.random.default_rng(by).random(40)
    return (whole[: 40 - by], whole[by:]) * (count // 2)


@pytest.mark.parametrize("function, count", [(many, 8), (shifted, 2)])
@pytest.mark.parametrize("by", [0, 1, 2, 5])
def test_arrays_of_the_caller_that_share_memory(function, count, by):
    """Whoever hands over views of one array gets what NumPy gives."""
    wrt = tuple(range(count))
    args, its = views(by, count), views(by, count)
    wanted = ad.value_and_grad(function, argnums=wrt, backend="numpy")(*args)
    found = ad.value_and_grad(function, argnums=wrt, backend="numba")(*its)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-13)
    for a, b in zip((*found[1], *its), (*wanted[1], *args)):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def carried(x):
    for k in range(1, len(x)):
        x[k] = x[k] + 0.5 * x[k - 1]
    return np.sum(x * x)


def test_a_loop_whose_iterations_follow_from_each_other_says_nothing():
    text = text_of(carried, np.linspace(0.0, 1.0, 9))
    loops = text.split("for ")[1:]
    assert all("nt.independent()" not in loop or "+ 0.5" not in loop for loop in loops)
    agree(carried, np.linspace(0.0, 1.0, 9))


@pytest.mark.parametrize("name", few_rows.SAMPLES)
def test_few_rows(name):
    f, args = getattr(few_rows, name), few_rows.SAMPLES[name][0]
    agree(f, *args)
    agree_pulled(f, *args)


def test_stacked_rows_under_another_name_are_not_taken_for_others():
    text = text_of(few_rows.rows_named_and_written, *few_rows.SAMPLES["rows_named_and_written"][0])
    assert "nt.disjoint(table" not in text, "which would never hold"
