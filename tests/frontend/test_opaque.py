"""Code that is not followed runs as it is written."""

import gast
import pytest

from adcompile.frontend.lower import lower_function
from adcompile.frontend.opaque import make_opaque
from adcompile.ir import ops
from adcompile.ir.nodes import Attempt, OpaqueCode
from adcompile.ir.walk import statements_of
from tests.frontend.checking import check, name_of
from tests.frontend.language import foreign


@pytest.mark.parametrize("fn, args, kwargs", foreign.CALLS, ids=name_of)
def test_means_what_python_means(fn, args, kwargs):
    check(fn, args, kwargs)


def opaque(text, inputs, outputs, exits=(), returns=False):
    nodes = gast.parse(text).body
    return make_opaque(nodes, inputs, outputs, dict(exits), returns, {}, "test", "", None)


def test_unbound_names_go_in_and_come_out_as_undefined():
    code = opaque("if a: b = 1", ["a", "b"], ["b", "a"])
    assert code(True, ops.UNDEFINED) == (1, True)
    assert code(False, ops.UNDEFINED) == (ops.UNDEFINED, False)
    assert code(False, 5) == (5, False)


def test_returns_lead():
    code = opaque("if a: return a + 1", ["a"], ["a"], returns=True)
    assert code(1) == (True, 2, ops.UNDEFINED)
    assert code(0) == (False, None, 0)


def test_exits_of_the_loop_around():
    text = "for i in a:\n  if i: break\nelse:\n  break\nif i > 1: continue"
    code = opaque(text, ["a"], ["i", "_broke"], {"break": "_broke", "continue": "_continued"})
    assert code([0]) == (0, True)
    assert code([1]) == (1, False)


def test_what_is_known_of_it():
    statements = list(statements_of(lower_function(foreign.try_except).body))
    attempt = next(s for s in statements if isinstance(s, Attempt))
    code = attempt.opaque.fn.value
    assert isinstance(code, OpaqueCode)
    assert (code.feature, code.returns, code.inputs, set(code.outputs)) == ("try", True, ("text",), {"value", "kind"})
    assert code.place.line == attempt.place.line
    statements = statements_of(lower_function(foreign.with_blocks).body)
    assert [s.opaque.fn.value.feature for s in statements if isinstance(s, Attempt)] == ["with"]
