"""Objects by the names that a reader knows, or bound in the namespace under names of their own."""

import builtins

import numpy as np
import pytest

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Const,
    GlobalRef,
    Var,
)
from tests import stress
from tests.backend.printing import body_of, call, function, program


def test_objects_are_bound():
    marker, other = object(), object()
    pair = call(ops.build_tuple, Const(marker), Const(other), Const(marker))
    emitted = emit(program(function("f", [Var("object")], [pair], pair.result)))
    assert "return object_1, object_2, object_1" in emitted.source
    assert load(emitted)(0) == (marker, other, marker)


def test_locals_do_not_hide_what_the_text_uses():
    total = call(np.sum, Var("np"), name="sum")
    np_ = total.args[0]
    again = call(builtins.sum, total.result, name="len")
    size = call(len, again.result)
    source = body_of(total, again, size, params=(np_,))
    assert "def f(np_1):" in source and "np.sum(np_1)" in source


def test_globals_are_read_live():
    namespace = {"__name__": "nowhere", "K": 1}
    get = call(ops.load_global, Const(GlobalRef(namespace, "K")), name="K")
    run = load(emit(program(function("f", [], [get], get.result))))
    assert run() == 1
    namespace["K"] = 2
    assert run() == 2
    del namespace["K"]
    with pytest.raises(NameError, match="name 'K' is not defined"):
        run()


def test_importable_globals_print_as_attributes():
    get = call(ops.load_global, Const(GlobalRef(vars(stress), "STATEMENTS")), name="STATEMENTS")
    emitted = emit(program(function("f", [], [get], get.result)))
    assert emitted.source.startswith("import tests.stress as stress\n") and "return stress.STATEMENTS" in emitted.source
    assert load(emitted)() is stress.STATEMENTS
