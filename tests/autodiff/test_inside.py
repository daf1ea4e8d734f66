"""What a block defines at any depth is told by a range of numbers."""

from adcompile.analysis.unrolled import telling
from adcompile.autodiff.inside import Numbering
from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import For
from adcompile.ir.walk import all_blocks, defined, statements_of
from tests.programs.left_twice import passed_or_left


def nested(x, n):
    s = x
    for i in range(n):
        if s > i:
            y = s * x
            while y > 1.0:
                y = y / 2.0
        else:
            y = s + x
        s = s + y
    return s


def test_agrees_with_the_walk():
    body = lower_function(nested).body
    everything = defined(body)
    numbering = Numbering()
    for block in all_blocks(body):
        inside = numbering.inside(block)
        assert {v for v in everything if v in inside} == defined(block)


def test_blocks_apart():
    body = lower_function(nested).body
    numbering = Numbering()
    inner = [b for b in all_blocks(body) if b is not body]
    for block in inner[::-1]:  # asked from the inside out: each is numbered when it is met
        assert all(v in numbering.inside(block) for v in block.params)
    assert "x" not in numbering.inside(body)


def test_rebuilt_blocks():
    (loop,) = (s for s in statements_of(lower_function(passed_or_left).body) if isinstance(s, For))
    numbering = Numbering()
    numbering.inside(loop.body)
    block = telling(loop.body, loop.body.params[1:])
    numbering.rebuilt(block)
    everything = defined(block) | {*loop.body.params}
    for inner in all_blocks(block):
        assert {v for v in everything if v in numbering.inside(inner)} == defined(inner)
    assert all(v in numbering.inside(loop.body) for v in defined(block)), "around it they are inside, too"
