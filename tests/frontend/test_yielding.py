"""Generator functions made plain."""

import gast
import pytest

from adcompile.frontend.yielding import CUT, SILENT, YIELD, made_plain


def plain(source, taken=()):
    return made_plain(gast.parse(source).body, taken)


def asks(node):
    return isinstance(node, gast.If) and isinstance(node.test, gast.Call) and node.test.func.id == YIELD


def test_each_yield_asks_whether_to_go_on():
    (asked,) = plain("yield x")
    assert asks(asked) and isinstance(asked.body[0], gast.Return) and asked.test.args[0].id == "x"
    (asked,) = plain("yield")
    assert asks(asked) and asked.test.args[0].value is None


def test_what_is_sent_is_none():
    asked, bound = plain("got = yield x")
    assert asks(asked) and isinstance(bound, gast.Assign) and bound.value.value is None


@pytest.mark.parametrize("source", ["for a in x:\n    yield a", "while x:\n    yield x", "if x:\n    yield x"])
def test_statements_around(source):
    (outer,) = plain(source)
    assert asks(outer.body[0])


def test_items_of_others_have_a_name_of_their_own():
    (loop,) = plain("yield from x", ["item", "item_"])
    assert loop.target.id == "item__" and loop.iter.id == "x" and asks(loop.body[0])


def test_within_a_with_and_a_try_the_loop_may_not_be_left():
    (managed,) = plain("with x:\n    yield x")
    (asked,) = managed.body
    assert asks(asked) and asked.body[0].value.func.id == CUT and isinstance(asked.body[1], gast.Return)
    made, said, asked, last = plain("try:\n    yield x\nfinally:\n    y", ["at_end"])
    assert made.name == said.value.args[0].id == "at_end_" and said.value.func.id == SILENT
    assert asks(asked) and asked.body[0].value.func.id == CUT and last.value.id == made.body[0].value.id == "y"


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    yield x\nexcept ValueError:\n    y",
        "try:\n    yield x\n    return\nfinally:\n    y",
        "f((yield x))",
    ],
)
def test_what_is_left_as_it_is(source):
    (kept,) = before = gast.parse(source).body
    assert made_plain(before, ()) == [kept]


def test_new_nodes_know_their_lines():
    for node in plain("\n\nyield x"):
        assert all(n.lineno == 3 for n in gast.walk(node) if hasattr(n, "lineno"))
