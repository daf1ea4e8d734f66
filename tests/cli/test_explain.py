import pytest

from adcompile.cli.explain import explain
from adcompile.cli.locate import locate
from adcompile.cli.stages import Asked


@pytest.mark.parametrize(
    "name, lines",
    [
        ("typed", ["range(n)   inert: no derivative", "helper(x)  inlined: its source is followed (model.py:9)"]),
        ("typed", ["math.sin(x)  rule: elementwise", "t_kept = `TABLE[i % 3]` (model.py:21): one value an iteration"]),
        ("pieces", ["int(x)         piecewise constant: the derivative is 0", "math.floor(x)  piecewise constant"]),
        ("power", ["power(x, n - 1)  derived: it has a derivative of its own"]),
        ("guarded", ['int("3")']),
        ("outer", ["inner(x)  inlined: its source is followed (model.py:42)", "nothing"]),
    ],
)
def test_what_becomes_of_every_call(folder, name, lines):
    text = explain(Asked(locate(f"model.py:{name}")))
    for line in lines:
        assert line in text, text
