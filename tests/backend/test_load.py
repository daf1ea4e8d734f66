"""Loaded text: seen by tracebacks and inspect, gone when the function is gone."""

import gc
import importlib
import inspect
import linecache
import operator
import os
import subprocess
import sys
import threading
import traceback

import pytest

import adcompile as ad
from adcompile.backend.emit import Emitted, emit
from adcompile.backend.load import code_of, load
from adcompile.frontend.source import synthesise
from adcompile.ir.nodes import Var
from tests.backend.printing import call, function, program


def divider():
    x = Var("x")
    inverse = call(operator.truediv, 1, x)
    return emit(program(function("inverse", [x], [inverse], inverse.result)))


@pytest.mark.parametrize("compiled", [False, True], ids=["text", "compiled"])
def test_source_is_seen(compiled):
    f = load(divider(), "inverse grad", code_of(divider().source, "of another process") if compiled else None)
    assert f.__code__.co_filename.startswith("<adcompile inverse grad ")
    assert inspect.getsource(f) == "def inverse(x):\n    return 1 / x\n"
    linecache.checkcache()
    try:
        f(0)
    except ZeroDivisionError as error:
        assert "return 1 / x" in "".join(traceback.format_tb(error.__traceback__))


def test_names_are_unique_and_stable():
    a, b = load(divider(), "two of a name"), load(divider(), "two of a name")
    assert a.__code__.co_filename == "<adcompile two of a name 1>"
    assert b.__code__.co_filename == "<adcompile two of a name 2>"


def test_text_goes_with_its_function():
    f = load(divider(), "short-lived")
    name = f.__code__.co_filename
    assert name in linecache.cache
    del f
    gc.collect()
    assert name not in linecache.cache


def test_threads():
    out = []
    threads = [threading.Thread(target=lambda: out.append(load(divider(), "threaded"))) for _ in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({f.__code__.co_filename for f in out}) == 20
    assert all(f(2) == 0.5 for f in out)


def test_faulty_text_leaves_nothing_behind():
    before = set(linecache.cache)
    try:
        load(Emitted("def f(:\n", {}, "f"))
    except SyntaxError:
        pass
    assert set(linecache.cache) - before == set()


def test_derivatives_are_taken_while_a_module_is_imported(tmp_path):
    """The text imports that module, the function another of the package: in the thread that imports."""
    package = tmp_path / "package_with_gradients"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import adcompile as ad\n\nK = 2.0\n\n\ndef f(x):\n    from package_with_gradients.part import helper\n"
        "    from . import other\n\n    return helper(x) * K + other.h(x)\n\n\nG = ad.grad(f)(3.0)\n"
    )
    (package / "part.py").write_text(
        "import adcompile as ad\n\nC = 5.0\n\n\ndef helper(x):\n    return x * x * C\n\n\nD = ad.grad(helper)(1.0)\n"
    )
    (package / "other.py").write_text("def h(x):\n    return x\n")
    command = "import package_with_gradients as p; print(p.G, p.part.D)"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120, env=environment()
    )
    assert done.stdout == "61.0 10.0\n", done.stderr


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def test_what_is_bound_is_not_imported_instead(tmp_path, monkeypatch):
    """`pkg.core` is the function that the package has under this name, not the module that it is from."""
    (tmp_path / "pkg_of_core").mkdir()
    (tmp_path / "pkg_of_core" / "__init__.py").write_text("from .core import core\n")
    (tmp_path / "pkg_of_core" / "core.py").write_text("K = 2.0\ndef core(x):\n    return x * x * K\n")
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("pkg_of_core")
    assert ad.grad(package.core)(0.5) == 2.0


def test_what_is_nested_deeper_than_python_takes_is_refused_with_its_place():
    f = synthesise(
        "nested",
        "x",
        ["if " + " or ".join(f"x == {k}.5" for k in range(120)) + ":", "    x *= 2.0", "return x * x"],
        {},
    )
    with pytest.raises(ad.Unsupported, match="too many levels") as caught:
        ad.grad(f)(3.0)
    assert caught.value.place is not None and caught.value.remedy
    assert (
        ad.grad(
            synthesise(
                "chosen", "x", ["if any([x == k + 0.5 for k in range(120)]):", "    x *= 2.0", "return x * x"], {}
            )
        )(3.0)
        == 6.0
    )
