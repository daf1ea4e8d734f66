"""The names that generated code reads from the runtime."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adcompile.runtime as rt

NAMES = sorted(n for n in dir(rt) if not n.startswith("_") and inspect.isfunction(getattr(rt, n)))


@pytest.mark.parametrize("name", NAMES)
def test_helpers_say_what_they_do(name):
    helper = getattr(rt, name)
    assert helper.__module__.startswith("adcompile.runtime")
    assert helper.__name__ == name


def test_type_checkers_are_told_where_helpers_are():
    tree = ast.parse(Path(rt.__file__).read_text(encoding="utf-8"))
    told = {
        alias.name: imported.module.rpartition(".")[2]
        for imported in ast.walk(tree)
        if isinstance(imported, ast.ImportFrom) and imported.module.startswith("adcompile.runtime.")
        for alias in imported.names
    }
    assert told.pop("shadows") == "shadows", "once the module is imported, its name means the module"
    assert told == rt._HOME and not set(told) & set(told.values())


def test_the_compiler_is_not_loaded():
    code = (
        "import sys, adcompile.runtime\n"
        "print([m for m in sys.modules if m.startswith(('adcompile.', 'gast', 'astor', 'click'))"
        " and not m.startswith(('adcompile.runtime', 'adcompile.collecting', 'adcompile.errors', 'adcompile.frozen'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert out.stdout.strip() == "[]"


def test_helpers_leave_their_arguments_alone():
    g, x = np.arange(6.0).reshape(2, 3), np.ones(3)
    for helper in (rt.unbroadcast, rt.own, rt.broadcast_like):
        helper(g if helper is rt.unbroadcast else x, x)
    assert g.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert x.tolist() == [1.0, 1.0, 1.0]
