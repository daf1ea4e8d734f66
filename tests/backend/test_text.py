"""Text from gast: it parses back to the same tree, with comments, in every version of Python alike."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

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


def test_strings_stay_on_their_line():
    source = f"f({', '.join(f'argument_{k}' for k in range(40))}, 'x\\ny')\n"
    lines = to_source(gast.parse(source)).split("\n")
    assert max(map(len, lines)) <= 120 and lines[-2].endswith("'x\\ny')")


def test_comments():
    tree = gast.parse("def f(x):\n    return x")
    tree.body[0].body.insert(0, comment("# it's x  # \\n"))
    tree.body.insert(0, comment("# top"))
    assert to_source(tree, ["import math"]) == (
        "import math\n\n\n# top\n\n\ndef f(x):\n    # it's x  # \\n\n    return x\n"
    )


def test_numbers_print_as_repr():
    assert to_source(gast.parse("a = 1e22 + 0.1 + 2j + 10**20")) == "a = 1e+22 + 0.1 + 2j + 10 ** 20\n"


LONG = [
    "x_bar = " + " + ".join(f"alpha_{k} * np.sin(beta_{k})" for k in range(12)),
    "return " + " and ".join(f"value_{k} is not None" for k in range(12)),
    "if " + " or ".join(f"flag_{k}" for k in range(30)) + ":\n    pass",
    "out = f(" + ", ".join(f"argument_{k}" for k in range(20)) + ")[0](1.0).real",
    "a, b[0] = g({'long key number one': [" + ", ".join(map(str, range(60))) + "]}, h(lambda x, y: x if y else x + 1))",
    "x[" + ", ".join(f"i_{k}:j_{k}" for k in range(20)) + "] += 1.0",
    "for a in zip(" + ", ".join(f"sequence_{k}" for k in range(15)) + "):\n    pass",
    "def f(" + ", ".join(f"parameter_{k}=1.0" for k in range(15)) + "):\n    return 0",
    "raise ValueError(f'{a} " + "words " * 10 + "', '" + "x" * 60 + "', " + "b" * 40 + ")",
    "f(" * 8 + ", ".join(f"argument_{k}" for k in range(12)) + ")" * 8,
    "returned, " + ", ".join(f"value_{k}" for k in range(20)) + " = kept",
    "iffy, whiles, " + ", ".join(f"value_{k}" for k in range(20)) + " = kept",
    "a = 'no place to break " + "x" * 120 + "'",
]


@pytest.mark.parametrize("indent", [0, 2])
@pytest.mark.parametrize("source", LONG)
def test_long_lines_are_broken_and_mean_the_same(source, indent):
    for _ in range(indent):
        source = "while a:\n" + "\n".join("    " + line for line in source.split("\n"))
    if source.lstrip("while :\n").startswith("return"):
        source = "def g():\n" + "\n".join("    " + line for line in source.split("\n"))
    text = to_source(gast.parse(source))
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))
    assert "no place" in source or max(map(len, text.split("\n"))) <= 120


BLOCKED = """
import sys
sys.modules["astor"] = None
import ast, json
import numpy as np
import adcompile as ad
from adcompile.backend import text
from adcompile.api import find
from adcompile.runs import Plan
from tests.programs import collect
assert not text.has_astor and text.printer is ast.unparse
found = {}
for p in collect("control_flow")[::5] + collect("arrays_elementwise")[::5] + collect("containers")[::5]:
    try:
        entry = find(p.function, p.fresh(), Plan("vjp", None))[2]
        value, pullback = ad.vjp(p.function, *p.fresh())
        found[p.name] = [entry.made.derived.source, repr(pullback(value))]
    except Exception as error:
        found[p.name] = [type(error).__name__, ""]
print(json.dumps(found))
"""


def test_without_astor_the_standard_library_prints_the_same_code():
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    usual_code = BLOCKED.replace('sys.modules["astor"] = None', "").replace("assert", "# assert")
    commands = [[sys.executable, "-W", "ignore", "-c", code] for code in (BLOCKED, usual_code)]
    run = [subprocess.run(c, capture_output=True, text=True, check=True, cwd=root, env=environment) for c in commands]
    without, usual = (json.loads(done.stdout.splitlines()[-1]) for done in run)
    assert len(usual) > 20 and list(usual) == list(without)
    for name, (source, cotangents) in usual.items():
        assert without[name][1] == cotangents, name
        if cotangents:
            assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(without[name][0])), name
            assert comments(source) == comments(without[name][0])


def comments(source):
    return [line for line in source.split("\n") if line.lstrip().startswith("#")]
