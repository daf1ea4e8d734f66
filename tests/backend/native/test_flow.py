"""Branches and loops in kernels."""

import math

import numpy as np

import adcompile as ad
from adcompile.backend.native.kernel import supported
from adcompile.ir.nodes import Block, Call, Const, Continue, For, If, Var, Yield
from adcompile.ir.types import RangeT, Scalar
from tests.kernels import agree, agree_pulled, kernels_of, text_of, wholly

A = np.array([0.5, 1.5, -0.7, 2.0])


def newton(a):
    x = a
    while True:
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


def leaves_early(a, limit):
    s = 0.0
    for i in range(len(a)):
        if s > limit:
            break
        if a[i] < 0.0:
            continue
        s = s * 0.5 + a[i] ** 2
    return s


def swapped(x, y, n):
    for _ in range(n):
        x, y = y * math.sin(x), x
    return x * y


def backwards(a):
    s = 0.0
    for i in range(len(a) - 1, -1, -2):
        s = s * a[i] + a[i]
    return s


def rows(a):
    s = 0.0
    for row in a:
        for v in row:
            s += v * v * s + v
    return s


def refuses(x):
    for _ in range(3):
        if x > 2.0:
            raise ValueError("too large")
        x = x * x
    return x


def buffers(a, n):
    u, v = a.copy(), np.zeros_like(a)
    for _ in range(n):
        for i in range(1, len(a) - 1):
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] * u[i + 1])
        u, v = v, u
    return np.sum(u * a)


def test_loops_that_end_by_themselves():
    agree(newton, 2.0)


def test_break_and_continue():
    for limit in (0.1, 100.0):
        agree(leaves_early, A, limit)


def test_names_that_are_swapped():
    agree(swapped, 0.5, 1.5, 3)
    agree(buffers, A, 3)


def test_steps_and_rows():
    agree(backwards, A)
    agree(rows, A.reshape(2, 2))


def test_raise_is_the_function_s():
    agree(refuses, 1.1)
    agree(refuses, 1.9)
    assert "raise nt.Fault" in text_of(refuses, 1.1)


def fixed_point(x):
    """Both ways out of an iteration carry the same on."""
    y, turns = 0.5, 0
    while True:
        turns = turns + 1
        z = math.cos(x * y)
        if abs(z - y) < 1e-12:
            y = z
            break
        else:
            y = z
    return y * turns


def test_endless_loops_carry_out_what_they_have_last():
    agree(fixed_point, 0.8)
    assert kernels_of(fixed_point, 0.8)[0] == 1


def skips(a):
    """A branch that only goes on to the next iteration, of a loop that carries nothing."""
    for k in range(len(a)):
        if a[k] > 0.1:
            a[-1] *= 0.2
            continue
    return np.sum(a)


def test_a_branch_that_only_goes_on():
    agree(skips, A)
    agree(skips, -A)


def test_what_a_refusal_has_cut_short_is_left():
    """A loop in which something is refused must not be taken for the one around what comes after it."""
    n, element, flag = Var("n"), Var("k"), Var("flag")
    types = {n: Scalar(frozenset({int})), element: Scalar(frozenset({int})), flag: Scalar(frozenset({bool}))}
    refused = Call(Var("attribute"), Const(getattr), (Const("text"), Const("title")))
    steps = Var("steps")
    loop = For((), steps, (), Block((element,), (refused,), Continue()))
    on = If((), flag, Block((), (), Continue()), Block((), (), Yield()))
    found = supported((Call(steps, Const(range), (n,)), loop, on), {**types, steps: RangeT()})
    assert set(found) == {1, 2}
    assert "a way out of a loop around" in str(found[2])


def smallest(a):
    """In single precision, from a number that no other is above."""
    m = np.float32(np.inf)
    for k in range(len(a)):
        m = min(m, a[k])
    return m * m


def test_infinity_in_single_precision():
    agree(smallest, A.astype(np.float32))
    assert kernels_of(smallest, A.astype(np.float32))[0] == 1


def orbit(a, b):
    c, z, s = a + 1j * b, 0.0j, 0.0
    for _ in range(4):
        z = z * z + c
        s += abs(z)
    return abs(z) ** 2 + s


def complex_on_some_paths(a, b):
    z = 0.0
    for k in range(4):
        if k > b:
            z = z * z + a * 1j
    return abs(z)


def test_complex_cotangents():
    wholly(orbit, -0.4, 0.3)
    agree_pulled(orbit, -0.4, 0.3)
    h = 1e-6
    wanted = [
        (orbit(-0.4 + h, 0.3) - orbit(-0.4 - h, 0.3)) / (2 * h),
        (orbit(-0.4, 0.3 + h) - orbit(-0.4, 0.3 - h)) / (2 * h),
    ]
    np.testing.assert_allclose(ad.grad(orbit, argnums=(0, 1), backend="numba")(-0.4, 0.3), wanted, rtol=1e-6)
    for b in (-1, 2, 9):
        agree(complex_on_some_paths, 0.7, b)
