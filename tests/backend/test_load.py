"""Loaded text: seen by tracebacks and inspect, gone when the function is gone."""

import gc
import inspect
import linecache
import operator
import threading
import traceback

from adcompile.backend.emit import Emitted, emit
from adcompile.backend.load import load
from adcompile.ir.nodes import Var
from tests.backend.printing import call, function, program


def divider():
    x = Var("x")
    inverse = call(operator.truediv, 1, x)
    return emit(program(function("inverse", [x], [inverse], inverse.result)))


def test_source_is_seen():
    f = load(divider(), "inverse grad")
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
