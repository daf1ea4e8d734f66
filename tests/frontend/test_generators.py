"""Generator expressions as generator functions."""

import ast

import gast
import pytest

from adcompile.frontend.generators import made_functions


def parsed(source):
    return gast.parse("def f(x, y):\n" + "\n".join("    " + s for s in source.splitlines())).body[0]


def made(source):
    return made_functions(parsed(source))


def text(node):
    return ast.unparse(gast.gast_to_ast(gast.Module([node], [])))


def run(source, *args):
    """What a function gives, as it is written and as it is made."""
    out = []
    for node in (made(source), parsed(source)):
        names = {}
        exec(text(node), names)
        out.append(names["f"](*args))
    return out


@pytest.mark.parametrize(
    "source",
    [
        "g = (v * y for v in x if v > 1 if v < 9)\ny = 5\nreturn [v for v in g]",
        "g = ((v, w) for v in x for w in (y, v) if w > 1)\nx = None\nreturn [v for v in g]",
        "out = []\nfor v in (v + 1 for v in x):\n    out.append(v)\nelse:\n    out += iter(y for _ in x)\nreturn out",
        "genexpr = items = 2\nreturn [v for v in iter(v * genexpr * items for v in x)]",
        "return [v for v in iter(w + 1 for w in (v * 2 for v in x))]",
        "def g(n):\n    return iter(v * n for v in x)\nreturn [v for v in g(y)]",
        "k = 0\nwhile k < 3 and next(iter(v > k for v in x)):\n    k += 1\nreturn k",
        "if y:\n    return [0]\nelif y == 0:\n    return [v for v in iter(v for v in x)]",
    ],
)
def test_it_means_the_same(source):
    assert "genexpr" in text(made(source))
    for y in (0, 3):
        one, two = run(source, [3, 4, 5], y)
        assert one == two


@pytest.mark.parametrize(
    "source",
    [
        "return sum(v for v in x)",
        "return max(v for v in x if v)",
        "return list(enumerate(v for v in x))",
        "return next((v for v in x), None)",
        "a, b = (v for v in x)",
        "return [*(v for v in x)]",
        "return y.join(v for v in x)",
        "return lambda: iter(v for v in x)",  # which may read its parameters
        "return [iter(v for v in w) for w in x]",
        "return iter(k := v for v in x)",
        "class A:\n    g = (v for v in x)",
    ],
)
def test_what_stays_as_it_is(source):
    assert "genexpr" not in text(made(source))


def test_the_source_is_left_alone():
    node = gast.parse("def f(x):\n    return iter(v for v in x)").body[0]
    before = gast.dump(node)
    assert made_functions(node) is not node and gast.dump(node) == before
    plain = gast.parse("def f(x):\n    return [v for v in x]").body[0]
    assert made_functions(plain) is plain


def test_new_nodes_know_their_lines():
    node = made("y = 1\ng = (v for v in x\n     if v)")
    assert {n.lineno for n in gast.walk(node.body[1]) if hasattr(n, "lineno")} == {3, 4}
