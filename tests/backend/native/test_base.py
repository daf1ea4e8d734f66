"""The state of a kernel that is printed: names, constants, conversions, memory."""

import numpy as np
import pytest

from adcompile.backend.native.base import Base
from adcompile.backend.native.values import ArrayOf, NotNative
from adcompile.ir.nodes import Const, Var
from adcompile.ir.types import FLOAT, INT


def test_names_are_given_once():
    base = Base({})
    names = [base.fresh(n) for n in ("k", "k", "k_1", "lambda", "np", "k", "max")]
    assert len(set(names)) == len(names) and "np" not in names and "max" not in names


@pytest.mark.parametrize(
    "value",
    [0.1, -0.0, float("inf"), float("-inf"), 2, -7, True, np.float32(0.1), np.float32("-inf"), 1 + 2j, complex("inf")],
)
def test_constants_are_themselves(value):
    text = Base({}).constant(value)
    again = eval(text, {"np": np})
    assert again == value and type(again) is type(value) and str(again) == str(value)


def test_constants_that_no_machine_number_holds():
    with pytest.raises(NotNative, match="integer"):
        Base({}).constant(2**70)


def test_conversions():
    i, x = Var("i"), Var("x")
    base = Base({i: INT, x: FLOAT})
    base.names.update({i: "i", x: "x"})
    base.bits[i] = 10
    assert base.cast(x, "f8") == "x" and base.cast(i, "f8") == "float(i)" and not base.lines
    base.bits[i] = 60
    base.cast(i, "f8")
    assert "Fault" in base.lines[-1]
    assert base.cast(Const(2), "f8") == "2.0" and base.cast(Const(True), "i8") == "1"


def test_memory_that_may_be_shared():
    a, b, c = Var("a"), Var("b"), Var("c")
    base = Base({})
    base.native.update({a: ArrayOf("f8", 1), b: ArrayOf("f8", 1), c: ArrayOf("f8", 1)})
    base.shares(a, b)
    base.writes(b)
    assert base.written_among([a, c]) == [a]
