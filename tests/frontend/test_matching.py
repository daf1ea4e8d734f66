"""`match` as `if`: what Python does with each pattern, on plain values."""

import ast
import itertools

import gast
import pytest

import adcompile as ad
from adcompile.frontend.matching import as_branches, attribute_at, is_sequence, starred, without

CASES = """
match value:
    case 0 | 1.5:
        out = "numbers"
    case True:
        out = "never"
    case [] | ():
        out = "empty"
    case [a] if a:
        out = "true one", a
    case [a, 2]:
        out = "two", a
    case [a, *b, "z"]:
        out = "ends", a, b
    case [*b, {"k": a}]:
        out = "inner", a, b
    case {"k": [a, b], **c}:
        out = "mapping", a, b, c
    case {"k": a} | {"l": a}:
        out = "either", a
    case str(a) | bytes(a):
        out = "text", a
    case complex(real=a, imag=b):
        out = "complex", a, b
    case None:
        out = "none"
    case int() as a if a > 5:
        out = "large", a
    case _:
        out = "other"
"""
VALUES = [
    0, 1.5, 1, True, False, None, 7, 3, [], (), [0], [1], (4,), [4, 2], [1, 2, 3, "z"], ["z", "z"], "z", b"ab",
    [9, {"k": 5}],
    [{"k": 5}], {"k": [1, 2], "m": 3}, {"k": 3}, {"l": 4, "x": 0}, {}, 2j, range(2), range(0), {1, 2}, bytearray(b"q"),
]  # fmt: skip


def names(prefix):
    counter = itertools.count()
    return lambda what: f"{prefix}{what}{next(counter)}"


def as_python(statements):
    """The branches as code; constants that no source can have stand under names."""
    held = {}

    class Named(ast.NodeTransformer):
        def visit_Constant(self, node):
            if callable(node.value):
                name = f"held{len(held)}"
                held[name] = node.value
                return ast.copy_location(ast.Name(name, ast.Load()), node)
            return node

    tree = gast.gast_to_ast(gast.Module(statements, []))
    return compile(ast.fix_missing_locations(Named().visit(tree)), "<branches>", "exec"), held


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_the_case_that_python_takes(value):
    (match,) = gast.parse(CASES).body
    code, held = as_python(as_branches(match, names("_")))
    expected, found = {"value": value}, {"value": value, **held}
    exec(CASES, expected)
    exec(code, found)
    for name in "abc":
        if name in repr(expected["out"]):
            assert expected.get(name) == found.get(name)
    assert expected["out"] == found["out"]


def test_the_subject_is_evaluated_once():
    asked = []
    (match,) = gast.parse("match f():\n    case 1: out = 1\n    case 2: out = 2\n    case _: out = 3").body
    code, held = as_python(as_branches(match, names("_")))
    found = {"f": lambda: asked.append(0) or 2, **held}
    exec(code, found)
    assert found["out"] == 2 and asked == [0]


def test_what_patterns_ask():
    assert is_sequence([1]) and is_sequence(range(2)) and not is_sequence("ab") and not is_sequence({1})
    assert starred((1, 2, 3, 4), 1, 1) == [2, 3]
    assert without({"a": 1, "b": 2}, ("a",)) == {"b": 2}
    assert attribute_at(3, int, 0, 1) == 3
    with pytest.raises(TypeError, match="accepts 0 positional sub-patterns"):
        attribute_at(object(), object, 0, 1)


class Counted:
    def __init__(self, v):
        self._v, self.asked = v, 0

    @property
    def v(self):
        self.asked += 1
        return self._v * self.asked


def computed(x):
    counted = Counted(x)
    match counted:
        case Counted(v=_):
            pass
    return counted.v * counted.asked


def test_attributes_that_are_computed_are_refused():
    with pytest.raises(ad.Unsupported, match="computed when it is read"):
        ad.grad(computed)(2.0)
