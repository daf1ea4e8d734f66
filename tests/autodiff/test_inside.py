"""What a block defines at any depth is told by a range of numbers."""

from adcompile.autodiff.inside import Numbering
from adcompile.frontend.lower import lower_function
from adcompile.ir.walk import all_blocks, defined


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
