"""`try` as branches on its way: the statements, and when they would not be the same."""

import ast

import gast
import pytest

from adcompile.frontend.ways import Question, asking, bound_late, by_its_way, leaves_plainly, speaks_plainly

TRY = """
try:
    y = f(x)
except ValueError:
    y = 0
except (KeyError, TypeError) as e:
    y = 1
else:
    z = 2
finally:
    w = 3
"""


def parsed(source):
    return gast.parse(source).body[0]


def test_branches():
    asked, choice = by_its_way(parsed(TRY), "way")
    assert isinstance(asked, Question) and asked.name == "way"
    assert choice.test.comparators[0].value == 0 and len(choice.body) == 3
    (inner,) = choice.orelse
    assert inner.test.comparators[0].value == 1 and len(inner.body) == 2
    assert len(inner.orelse) == 3  # the name of the exception, the handler, and what is done at last


@pytest.mark.parametrize(
    ("body", "late"),
    [
        ("y = f(x)", set()),
        ("y += f(x)", set()),
        ("y: int = f(x)", set()),
        ("y = f(x)\n    break", set()),
        ("y = f(x)\n    z = f(y)", {"y"}),
        ("y = 1\n    y = f(x)", {"y"}),
        ("y = (z := x) + f(x)", {"z"}),
        ("y, z = f(x)", {"y", "z"}),
        ("for y in x:\n        f(y)", {"y"}),
        ("del y", None),
    ],
)
def test_names_that_are_bound_before_it_may_raise(body, late):
    s = parsed(f"while x:\n  try:\n    {body}\n  except E: pass").body[0]
    binds = {n.id for n in gast.walk(s) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    assert bound_late(s.body, binds) == late


@pytest.mark.parametrize(
    ("handler", "plain"),
    [("pass", True), ("raise", False), ("raise V from e", True), ("y = e", False), ("f(str(e))", False)],
)
def test_handlers(handler, plain):
    s = parsed(f"try:\n    y = f(x)\nexcept ValueError as e:\n    {handler}")
    assert speaks_plainly(s.handlers[0]) == plain


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("if x: break", True),
        ("for i in x: break", True),
        ("for i in x: pass\n    else: break", False),
        ("match x:\n      case 1: break", False),
    ],
)
def test_what_leaves_a_loop_around(body, plain):
    s = parsed(f"while x:\n  try:\n    {body}\n  except E: pass").body[0]
    assert leaves_plainly(s.body) == plain


@pytest.mark.parametrize(("x", "way"), [(1, 0), (-1, 1), ("k", 2)])
def test_the_way_that_it_goes(x, way):
    def f(x):
        if x == -1:
            raise ValueError
        if x == "k":
            raise KeyError

    nodes = asking(parsed(TRY), "way", ["x"], ["y"])
    code = compile(gast_module(nodes), "<way>", "exec")
    names = {"f": f, "x": x}
    exec(code, names)
    assert names["way"] == way and "w" not in names and "y" not in names


def test_what_nothing_catches_comes_through_behind_finally():
    def f(x):
        raise ArithmeticError

    names = {"f": f, "x": 1}
    with pytest.raises(ArithmeticError):
        exec(compile(gast_module(asking(parsed(TRY), "way", ["x"], ["y"])), "<way>", "exec"), names)
    assert names["w"] == 3


def gast_module(nodes):
    return ast.fix_missing_locations(gast.gast_to_ast(gast.Module(nodes, [])))
