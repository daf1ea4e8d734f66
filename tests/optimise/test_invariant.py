"""What all turns of a loop compute alike is computed in front of it, once; and only that."""

import ast
import warnings

import numpy as np
import pytest

import adcompile as ad
from tests.programs import loop_invariants as programs

V, W, M = programs.V, programs.W, programs.M


def inside(function, *args, argnums=0):
    """The text of the loops of the gradient, and what stands beside them."""
    tree = ast.parse(ad.source(ad.grad(function, argnums=argnums), *args))
    body = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name.endswith("_grad")).body
    loops = [s for s in body if isinstance(s, (ast.For, ast.While))]
    return "\n".join(map(ast.unparse, loops)), "\n".join(ast.unparse(s) for s in body if s not in loops)


def test_views_and_functions_of_arguments_move_and_are_not_kept():
    loops, beside = inside(programs.read_in_all_turns, V, W, M, 3, argnums=(0, 1, 2))
    for text in ("np.exp(0.1 * p)", "np.outer(p, p)", "A.T"):
        assert text in beside and text not in loops
    assert loops.count(".append(") == 3  # x, the sine and what it is taken of; neither c, B nor A.T


def test_out_of_several_loops():
    loops, beside = inside(programs.in_the_outer_loop, V, W, W, 2, argnums=(0, 1))
    assert "np.tanh(x)" in loops and "np.tanh(x)" not in beside
    assert "np.exp(p * q)" in loops  # their shapes may not fit: that stays where it is
    loops, beside = inside(doubly, V, W, 2, argnums=(0, 1))
    assert "np.exp(p)" in beside and "np.exp(p)" not in loops


def doubly(x, p, n):
    for _ in range(n):
        for _ in range(n):
            x = np.sin(x * np.exp(p))
    return np.sum(x)


@pytest.mark.parametrize("name", ["written_in_a_turn", "handed_on_and_written"])
def test_what_somebody_has_stays(name):
    loops, _ = inside(getattr(programs, name), V, W, 3, argnums=(0, 1))
    assert "np.exp(p)" in loops


def test_what_is_written_is_read_in_each_turn():
    loops, _ = inside(programs.of_what_is_written, V, W, 3, argnums=(0, 1))
    assert "np.exp(" in loops


def test_what_may_warn_stays():
    """A loop without turns divides by nothing."""
    p = np.array([0.0, 1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x_bar, p_bar = ad.grad(programs.no_turn_divides, argnums=(0, 1))(V, p, 0)
    assert np.array_equal(x_bar, 2.0 * V) and not p_bar.any()


def test_what_may_raise_stays():
    """The shapes do not fit, and nobody asks them to: `range(0)`."""

    def f(x, A, n):
        for _ in range(n):
            x = x + 0.1 * (A @ A) @ x + A[3]
        return np.sum(x)

    x_bar, A_bar = ad.grad(f, argnums=(0, 1))(V, np.ones((2, 5)), 0)
    assert np.array_equal(x_bar, np.ones(3)) and not A_bar.any()
    ad.check_grads(f, (V, np.ones((4, 4))[:, :4], 0))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_in_pullbacks_and_forward(n):
    f = programs.read_in_all_turns
    x, p, A = V, W, M
    ad.check_grads(lambda x, p, A: f(x, p, A, n), (x, p, A))
