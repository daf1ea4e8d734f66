"""Derivatives are those of the running code: edited files, reloaded modules, lambdas of one line."""

import functools
import importlib
import sys

import pytest

import adcompile as ad
from adcompile.errors import SourceError


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text):
        (tmp_path / "stale_module.py").write_text(text)

    yield write
    sys.modules.pop("stale_module", None)


def test_a_file_edited_after_import_is_refused(written):
    written("def f(x):\n    return x * x\n")
    f = importlib.import_module("stale_module").f
    written("def f(x):\n    return x * x * x  # edited\n")
    for derivative in (lambda: ad.grad(f)(2.0), lambda: ad.jvp(f, (2.0,), (1.0,)), lambda: ad.vjp(f, 2.0)):
        with pytest.raises(SourceError, match=r"stale_module.py(.|\n)*reload"):
            derivative()


def test_what_was_derived_before_the_edit_stays_right(written):
    written("def f(x):\n    return x * x\n")
    f = importlib.import_module("stale_module").f
    g = ad.grad(f)
    assert g(2.0) == 4.0
    written("def f(x):\n    return x * x * x  # edited\n")
    assert g(2.0) == 4.0 and f(2.0) == 4.0


def test_a_reloaded_module(written):
    written("def f(x):\n    return x * x\n")
    module = importlib.import_module("stale_module")
    old = ad.grad(module.f)
    assert old(2.0) == 4.0
    written("# longer now\ndef f(x):\n    return x * x * x\n")
    importlib.reload(module)
    assert ad.grad(module.f)(2.0) == 12.0
    assert old(2.0) == 4.0


def test_a_helper_that_is_edited(written):
    written("def helper(x):\n    return x * x\n")
    helper = importlib.import_module("stale_module").helper
    written("def helper(x):\n    return x * x * x * x\n")

    def f(x):
        return helper(x) * 2.0

    with pytest.raises((SourceError, ad.AdcompileError)):
        ad.grad(f)(2.0)


def test_two_lambdas_of_one_line():
    square, cube = (lambda x: x * x), (lambda x: x * x * x)
    assert (ad.grad(square)(2.0), ad.grad(cube)(2.0)) == (4.0, 12.0)
    first, second = (lambda x: 3.0 * x), (lambda x: 3.0 * x)
    assert (ad.grad(first)(2.0), ad.grad(second)(2.0)) == (3.0, 3.0)


def test_rebinding_a_helper():
    def twice(x):
        return 2.0 * x

    def thrice(x):
        return 3.0 * x

    for helper, slope in ((twice, 2.0), (thrice, 3.0), (twice, 2.0)):
        globals()["_helper"] = helper
        assert ad.grad(_uses_helper)(1.0) == slope


def _uses_helper(x):
    return _helper(x)  # noqa: F821


def squared(x):
    return x * x


def cubed(x):
    return x * x * x


class Holder:
    def __init__(self):
        self.fn = squared

    def method(self, x):
        return squared(x)

    def __call__(self, x):
        return squared(x)


cached, bound, table, holder = functools.lru_cache(squared), functools.partial(squared), [squared], Holder()


def captures(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)

    return inner


wrapped = captures(squared)
REACHED = {
    "itself": squared,
    "by name": lambda x: squared(x),
    "in a cache": lambda x: cached(x),
    "partial": lambda x: bound(x),
    "in a list": lambda x: table[0](x),
    "in an attribute": lambda x: holder.fn(x),
    "in a method": lambda x: holder.method(x),
    "in a callable object": holder,
    "in a cell": captures(squared),
    "in a wrapper": lambda x: wrapped(x),
    "as a default": lambda x, fn=squared: fn(x),
    "by map": lambda x: sum(map(squared, [x])),
    "as an argument": lambda x, fn: fn(x),
    "in a derivative": lambda x: ad.jvp(squared, (x,), (1.0,))[0],
}


@pytest.mark.parametrize("how", REACHED)
def test_code_that_is_replaced_in_place(how):
    # as tools that reload modules do, which give the old functions the code of the new ones
    g, args = ad.grad(REACHED[how]), (2.0, squared) if how == "as an argument" else (2.0,)
    own = squared.__code__
    assert g(*args) == 4.0
    squared.__code__ = cubed.__code__
    cached.cache_clear()  # it holds what the old code gave
    try:
        assert g(*args) == 12.0
        assert ad.value_and_grad(REACHED[how])(*args)[0] == 8.0
    finally:
        squared.__code__ = own
        cached.cache_clear()
    assert g(*args) == 4.0


def test_parameters_that_change_places_in_place():
    def f(x, y):
        return x * y * y

    def other(y, x):
        return x * y * y

    g = ad.grad(f, argnums="y")
    assert g(3.0, 2.0) == 12.0
    f.__code__ = other.__code__
    assert g(3.0, 2.0) == 2.0 * 3.0 * 2.0
    assert g(1.0, 2.0) == 4.0


def test_the_call_of_a_class_that_is_patched():
    class Model:
        def __call__(self, x):
            return x * x

    g = ad.grad(Model())
    assert g(2.0) == 4.0
    Model.__call__ = lambda self, x: x * x * x
    assert g(2.0) == 12.0
