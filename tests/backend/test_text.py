"""Text from gast: it parses back to the same tree, with comments, in every version of Python alike."""

import ast

import gast
import pytest

from adcompile.backend.text import comment, to_source

SOURCES = [
    "a = -b ** 2 + (-c) ** -d",
    "a = (b + c) * d - (e - f)",
    "a = b if c else d",
    "a = not (b and c or d)",
    "a = b < c <= d",
    "x[1:2, ::3, ...] += y[()]",
    "x[:, None] = (a,)",
    "for i, (a, b) in c:\n    pass",
    "(y,) = f(*a, b=c, **d)",
    "a, b = (b, a)",
    "a = f'{b!r:>{c}} {{}} {d[\"k\"]}'",
    "a = 'it\\'s \"so\" \\n \\\\'",
    "a = {1: 2, **b}",
    "a = lambda x, /, y, *z, k=1, **kw: x",
    "while True:\n    if a:\n        break\n    elif (b := c):\n        continue\n    else:\n        raise A from B",
    "def f(a, /, b, *, c=1):\n    return",
    "a = 1e+300 * 2j - 0.1",
    "try:\n    a = 1\nexcept (A, B) as e:\n    b = 2\nelse:\n    c = 3\nfinally:\n    d = 4",
    "with a as b, c:\n    d = 1",
    "match a:\n    case [1, b]:\n        c = 2\n    case _:\n        c = 3",
    "a = b[c](d)(e).f",
    "a = (yield_ := 3) + 1",
    "a = [x for x in y if z]",
    "a = (1.0).real + (5).real",
]


@pytest.mark.parametrize("source", SOURCES)
def test_round_trip(source):
    tree = gast.parse(source)
    assert ast.dump(ast.parse(to_source(tree))) == ast.dump(ast.parse(source))


def test_lines_are_not_wrapped_and_strings_stay_on_theirs():
    long = "f(" + ", ".join(f"argument_{i}" for i in range(30)) + ", 'x\\ny')"
    assert to_source(gast.parse(long)) == long + "\n"


def test_comments():
    tree = gast.parse("def f(x):\n    return x")
    tree.body[0].body.insert(0, comment("# it's x  # \\n"))
    tree.body.insert(0, comment("# top"))
    assert to_source(tree, ["import math"]) == (
        "import math\n\n\n# top\n\n\ndef f(x):\n    # it's x  # \\n\n    return x\n"
    )


def test_numbers_print_as_repr():
    assert to_source(gast.parse("a = 1e22 + 0.1 + 2j + 10**20")) == "a = 1e+22 + 0.1 + 2j + 10 ** 20\n"
