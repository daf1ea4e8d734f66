"""Control flow becomes trees: no code twice, no path out of the middle."""

import os
import subprocess
import sys

import pytest

from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Block, Break, Call, Continue, For, If, Return, While
from adcompile.ir.walk import all_blocks, statements_of
from tests.frontend.language import control_flow


def calls_named(fn, name):
    return [s for s in statements_of(lower_function(fn).body) if isinstance(s, Call) and s.result.name == name]


def long_tail(x):
    if x > 0:
        if x > 1:
            return 1
        x = x + 1
    tail = x * 2
    return tail


def tail_after_exits(items):
    total = 0
    for i in items:
        if i > 0:
            if i > 5:
                continue
            if i > 4:
                break
            total += 1
        tail = i * 2
        total += tail
    return total


@pytest.mark.parametrize("fn", [long_tail, tail_after_exits])
def test_what_follows_a_conditional_exit_stands_once(fn):
    assert len(calls_named(fn, "tail")) == 1


def early_returns(x):
    if x > 1:
        return x
    if x > 0:
        return -x
    return x * 2


def test_early_returns_need_no_flag():
    body = lower_function(early_returns).body
    assert isinstance(body.end, Return)
    assert all(len(s.results) == 1 for s in statements_of(body) if isinstance(s, If))


def temporaries(items):
    total = 0.0
    for i in items:
        t = i * 2
        if t > 1:
            u = t
        else:
            u = -t
        total += u
    return total


def test_only_what_is_read_later_is_carried():
    (loop,) = [s for s in statements_of(lower_function(temporaries).body) if isinstance(s, For)]
    assert [v.name for v in loop.results] == ["total"]


@pytest.mark.parametrize("fn", dict.fromkeys(fn for fn, _, _ in control_flow.CALLS))
def test_loop_bodies_are_trees(fn):
    def leaves(block: Block):
        last = block.statements[-1] if block.statements else None
        if isinstance(last, If) and not last.results and type(block.end).__name__ == "Unreachable":
            return leaves(last.then) + leaves(last.orelse)
        return [block.end]

    body = lower_function(fn).body
    in_trees = []
    for s in statements_of(body):
        if isinstance(s, (For, While)):
            in_trees += leaves(s.body)
    ends = [b.end for b in all_blocks(body) if isinstance(b.end, (Break, Continue))]
    assert set(map(id, ends)) <= set(map(id, in_trees))


def test_assertions_are_not_there_where_python_leaves_them_out(tmp_path):
    text = "def f(x):\n    y = x * x\n    assert x < 0.0 and (y := 3.0 * x)\n    return y\n"
    (tmp_path / "module.py").write_text(text)
    code = "import module, adcompile as ad\nprint(ad.value_and_grad(module.f)(0.5), module.f(0.5))"
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-O", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "(0.25, 1.0) 0.25\n"
