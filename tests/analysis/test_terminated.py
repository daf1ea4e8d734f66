"""Blocks that end before their last statement."""

import pytest

from adcompile.analysis.terminated import Terminated, demand, going_on, run_primal
from adcompile.ir import ops
from adcompile.ir.nodes import Const, Raise, Unreachable, Yield


def test_what_the_primal_raises_is_raised_where_it_is_reached():
    assert run_primal(lambda: 2 + 3, None) == 5
    with pytest.raises(Terminated) as stop:
        run_primal(lambda: 1 / 0, None)
    assert isinstance(stop.value.end, Raise) and isinstance(stop.value.end.exception, Const)
    assert isinstance(stop.value.end.exception.value, ZeroDivisionError)


def test_a_block_that_is_to_come_to_its_end():
    item = Const(1.0)
    assert going_on(Yield((item,))) == [item]
    with pytest.raises(Terminated):
        going_on(Unreachable())


def test_a_name_that_no_path_has_bound():
    item = Const(1.0)
    assert demand(item) is item
    with pytest.raises(Terminated) as stop:
        demand(Const(ops.UNDEFINED))
    assert isinstance(stop.value.end, Raise)
