import functools
import inspect
import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import NotDifferentiable
from adcompile.frontend.source import synthesise
from adcompile.targets import Target, arity, bind, innermost, positions, resolve


def f(x, y=2.0, *, k=3.0):
    return x * y * k


def only(a, /, b, c=5):
    return a


def more(a, *rest, **settings):
    return a


class Thing:
    def method(self, x):
        return x

    def __call__(self, x):
        return x


def test_resolve():
    thing = Thing()
    assert resolve(f).function is f
    assert resolve(thing.method).leading == (thing,) == resolve(thing).leading
    p = resolve(functools.partial(functools.partial(f, 1.0), y=4.0))
    assert (p.function, p.leading, p.keywords) == (f, (1.0,), {"y": 4.0})
    assert innermost(resolve(ad.grad(ad.grad(f))).function) is f
    assert resolve(ad.grad(thing.method)).leading == (thing,)
    assert resolve(math.sin).function is resolve(math.sin).function
    assert resolve(math.sin).function(0.0) == 0.0
    with pytest.raises(NotDifferentiable, match="is not a function"):
        resolve(3)


def test_bind():
    bound = bind(Target(f), (1.0,), {})
    assert (bound.args, bound.filled, bound.names) == ((1.0, 2.0), {1}, ())
    bound = bind(Target(f), (), {"y": 4.0, "x": 1.0, "k": 5.0})
    assert (bound.args, bound.filled, bound.names, bound.values) == ((1.0, 4.0), set(), ("k",), (5.0,))
    bound = bind(Target(only, (1,), {"c": 2}), (3,), {})
    assert bound.args == (1, 3, 2)
    bound = bind(Target(more), (1, 2, 3), {"k": 4})
    assert (bound.args, bound.names) == ((1, 2, 3), ("k",))
    bound = bind(Target(lambda x, /, **k: x), (1.0,), {"x": 2.0})
    assert (bound.args, bound.names, bound.values) == ((1.0,), ("x",), (2.0,))


@pytest.mark.parametrize(
    "function, args, kwargs",
    [(f, (), {}), (f, (1, 2, 3), {}), (f, (1,), {"z": 1}), (f, (1,), {"x": 1}), (only, (), {"a": 1, "b": 2})],
)
def test_calls_that_do_not_bind_raise_type_errors(function, args, kwargs):
    with pytest.raises(TypeError):
        bind(Target(function), args, kwargs)
    with pytest.raises(TypeError):
        function(*args, **kwargs)


def test_arity():
    assert arity(Target(only)) == 3
    assert arity(Target(f)) == arity(Target(more)) == arity(Target(only, (1,))) == -1


def test_positions():
    assert positions(("y", 0, -1), Target(f)) == (1, 0, -1)
    assert positions("x", Target(f)) == 0
    assert positions(0, Target(only, (1,))) == 1
    assert positions(np.int64(1), Target(f)) == 1
    assert positions("k", Target(f)) == "k"
    with pytest.raises(NotDifferentiable, match="these names: x, y, k"):
        positions("z", Target(f))
    with pytest.raises(TypeError, match="argnums"):
        positions(True, Target(f))


def test_synthesised_functions_show_their_source():
    made = synthesise("double", "x", ["return k * x"], {"k": 2.0})
    assert made(3.0) == 6.0
    assert inspect.getsource(made) == "def double(x):\n    return k * x\n"
    assert ad.grad(made)(3.0) == 2.0
