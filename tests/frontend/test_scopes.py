"""Scopes agree with CPython's compiler."""

import gast
import pytest

from adcompile.frontend.scopes import Scopes, nested_functions

TEXTS = [
    "def f(a, *b, c=3, **e):\n  x = a\n  y: int = z\n  for i, (j, k) in q: pass\n  return w",
    "def f():\n  def g(): return x + y\n  x = 1\n  return g",
    "def f():\n  def g():\n    nonlocal x\n    x = h\n  x = 1\n  return lambda v: v + x + z",
    "def f():\n  global K\n  K = 1\n  return [K for i in range(3) if (m := i) for j in i], {n: 1 for n in m}",
    "def f():\n  import a.b, c as d\n  from e import g as h\n  with x as y, z: pass\n  del q\n  return a",
    "def f():\n  try: pass\n  except E as e: r = 1\n  match s:\n    case [t, *u] as z: pass\n    case {'k': v}: pass",
    "def f():\n  x += 1\n  (a, *b), c[d] = e.g = h\n  class C(B):\n    m = n\n  return (i for i in j)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_names_are_those_of_the_compiler(text):
    namespace = {}
    exec(text, namespace)
    code = namespace["f"].__code__
    scope = Scopes().of(gast.parse(text).body[0])
    inner = {name for const in code.co_consts if hasattr(const, "co_varnames") for name in const.co_varnames}
    inner |= set("ijn")  # from Python 3.12 on comprehensions are part of the function
    assert set(code.co_varnames + code.co_cellvars) - inner <= scope.bound
    assert scope.bound <= set(code.co_varnames + code.co_cellvars)
    assert set(scope.params) == set(code.co_varnames[: len(scope.params)])


def test_free_names_of_nested_functions():
    tree = gast.parse("def f(a):\n  b = 1\n  def g(c): return a + b + c + d\n  return [lambda e: e + b for e in a]")
    scopes = Scopes()
    free = [scopes.of(node).free for node in nested_functions(tree.body[0].body)]
    assert free == [("a", "b", "d"), ("b",)]
    assert scopes.of(tree.body[0]).free == ("d",)
