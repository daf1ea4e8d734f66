"""Names that source binds for certain, and those that it unbinds."""

import gast
import pytest

from adcompile.frontend.definite import bound_first, bound_surely, deleted_inside
from adcompile.frontend.scopes import Scopes


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1; b, c = 2, 3", "abc"),
        ("a = 1; del a", ""),
        ("if t:\n a = b = 1\nelse:\n a = 2", "a"),
        ("if t:\n a = 1\nelse:\n raise KeyError", "a"),
        ("for a in t:\n b = 1", ""),
        ("while t:\n a = 1", ""),
        ("with t as a:\n b = 1", ""),
        ("try:\n a = b = 1\nexcept KeyError:\n a = 2", "a"),
        ("try:\n a = 1\nexcept KeyError:\n return", "a"),
        ("try:\n a = 1\nexcept KeyError as a:\n pass", ""),
        ("try:\n a = 1\nexcept KeyError:\n pass\nfinally:\n b = 1", "b"),
        ("try:\n a = 1\nexcept KeyError:\n a = 2\nelse:\n b = 1", "a"),
        ("a = 1\nif t:\n del a", ""),
    ],
)
def test_bound_surely(text, names):
    assert bound_surely(gast.parse(text).body, Scopes()) == set(names)


def test_deleted_inside():
    text = "del a, (b, c)\nif t:\n del d, e[0]\ntry:\n pass\nexcept KeyError as f:\n pass"
    assert set("abcdf") <= deleted_inside(gast.parse(text)) <= set("abcdef")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(a):\n b = 1\n def g():\n  return a + b + c\n c = 2", "ab"),
        ("def f():\n if t:\n  a = 1\n else:\n  a = b = 2\n g = lambda: a + b", "a"),
        ("def f():\n a = [h() for h in t]\n b = (lambda: b)()\n c = c + 1", "a"),
    ],
)
def test_bound_first(text, names):
    (node,) = gast.parse(text).body
    assert bound_first("abc", node, Scopes()) == set(names)
