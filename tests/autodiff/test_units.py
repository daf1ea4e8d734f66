"""What a pass uses up; the Jacobians made of passes are tested in test_jacobians."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.builder import Builder
from adcompile.analysis.infer import run_function
from adcompile.autodiff.units import each, spent
from adcompile.frontend.lower import lower_function
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, For
from adcompile.ir.types import array_type
from adcompile.pipeline import new_context
from tests.programs import lists_grown_after


def statements_of(f, x):
    b = Builder(new_context())
    argument = b.new("x", array_type(x))
    run_function(b, lower_function(f), [argument], [])
    return b, argument


def pushes(x):
    squares = x * x
    items = []
    for k in range(len(x)):
        items.append(squares[k])
    return items


def writes(x):
    y = np.zeros(3)
    y[0] = x[0]
    return y


def test_lists_that_grow_are_made_again_and_nothing_else():
    b, _ = statements_of(pushes, np.ones(3))
    again = spent(b.context, b.statements)
    made = [s.fn.value for s in again if isinstance(s, Call) and isinstance(s.fn, Const)]
    assert ops.build_list in made and operator.mul not in made


def test_all_is_made_again_where_arrays_are_written_into():
    b, _ = statements_of(writes, np.ones(3))
    assert spent(b.context, b.statements) == set(b.statements)


def test_one_element_needs_no_loop():
    b, x = statements_of(pushes, np.ones(3))
    (only,) = each(b, b.call(np.sum, x), "adjoint", "y_bar", lambda c, unit: [unit])
    assert isinstance(only, Const) and only.value == 1.0
    (rows,) = each(b, x, "adjoint", "y_bar", lambda c, unit: [unit])
    assert isinstance(b.statements[-1], For) and rows is b.statements[-1].results[0]


def near_pairs(x):
    near = [[] for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(i):
            if abs(x[i] - x[j]) < 1.0:
                near[i].append(j)
    energy = 0.0
    for i, row in enumerate(near):
        for j in row:
            energy += x[i] * x[j]
    return energy


def test_lists_that_are_filled_in_code_that_is_copied():
    np.testing.assert_array_equal(
        ad.hessian(near_pairs)(np.array([0.1, 0.5, 2.0])), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    )


@pytest.mark.parametrize("f", lists_grown_after.PROGRAMS)
@pytest.mark.parametrize("second", [ad.hessian, lambda f: ad.jacfwd(ad.grad(f)), lambda f: ad.jacrev(ad.jacfwd(f))])
def test_lists_are_made_again_for_every_column(f, second):
    """Also those of which something was popped."""
    x = lists_grown_after.X
    columns = [(ad.grad(f)(x + 1e-6 * e) - ad.grad(f)(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]
    assert np.allclose(second(f)(x), np.array(columns).T, rtol=1e-5, atol=1e-5)
