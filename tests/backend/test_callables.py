"""Objects by the names that a reader knows, or bound in the namespace under names of their own."""

import builtins
import importlib
import runpy
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import adcompile as ad
from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.cli import main
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


@pytest.mark.parametrize("name", ["my-model", "class", "2d", "parts.lambda"])
def test_modules_whose_names_are_no_identifiers(name, tmp_path, monkeypatch):
    path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
    path.parent.mkdir(exist_ok=True)
    text = "TABLE = {'a': 2.0}\ndef scaled(x):\n    return x * TABLE['a']\ndef f(x):\n    return x * scaled(x)\n"
    path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for part in {name, name.partition(".")[0]}:
        monkeypatch.setitem(sys.modules, part, None)  # so that it is gone behind the test
        del sys.modules[part]
    module = importlib.import_module(name)
    assert ad.grad(module.f)(3.0) == 12.0
    module.TABLE["a"] = 5.0
    assert ad.grad(module.f)(3.0) == 30.0
    made = CliRunner().invoke(main, ["build", f"{name}:f", "--signature", "float", "-o", str(tmp_path / "made.py")])
    assert made.exit_code == 0, made.output
    derived = runpy.run_path(str(tmp_path / "made.py"))
    assert derived["f_grad"](3.0) == 30.0
