"""Local lists and dicts are rebound where nothing else names them, and only there."""

import pytest

from adcompile.frontend.lower import lower_function
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from tests.frontend.checking import check, name_of
from tests.frontend.language import containers

FUNCTIONAL = {ops.push, ops.pop, ops.list_set, ops.list_concat}


@pytest.mark.parametrize("fn, args, kwargs", containers.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)


@pytest.mark.parametrize(
    "fn, functional",
    [
        (containers.list_building, True),
        (containers.rows, True),
        (containers.stack, True),
        (containers.dict_building, True),
        (containers.list_used_while_building, True),
        (containers.shared_row, False),
        (containers.aliased_list, False),
        (containers.list_in_closure, False),
        (containers.mutating_what_is_iterated, False),
        (containers.container_escapes_then_mutates, False),
    ],
    ids=name_of,
)
def test_which_are_rebound(fn, functional):
    calls = [s for s in statements_of(lower_function(fn).body) if isinstance(s, Call)]
    used = {s.fn.value for s in calls if isinstance(s.fn, Const)}
    inner = [s for s in calls if s.result.name in ("append", "extend", "pop")]
    if functional:
        assert used & FUNCTIONAL and not inner
    elif fn is containers.shared_row:
        assert sum(s.result.name == "append" for s in inner) == 1  # the row's; the table is rebound
    else:
        assert inner or fn is containers.list_in_closure
        assert not used & FUNCTIONAL
