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


WRITING = """\
import numpy as np

buffer = np.zeros(3)


def put(y, x):
    y[0] = np.sin(x[0])


def f(x):
    out, other, unread = np.zeros(3), np.zeros(2), np.zeros(2)
    put(out, x)
    rest = out[1:]
    np.exp(x[1:], out=rest)
    buffer[:] = np.cosh(x)
    other[0] = np.cos(2.0)
    unread[1] = np.tan(x[0])
    return np.sum(out) + np.sum(buffer) + np.sum(other)
"""


def test_what_goes_through_memory_is_active(folder):
    (folder / "writing.py").write_text(WRITING)
    text = explain(Asked(locate("writing.py:f"), example="np.array([1.1, 2.2, 3.3])"))
    found = {line.split()[1]: line for line in text.splitlines() if ":" in line and len(line.split()) > 1}
    for call in ("np.sin(x[0])", "np.exp(x[1:],", "np.cosh(x)", "np.sum(out)", "np.sum(buffer)"):
        assert "rule: " in found[call], text
    for call in ("np.cos(2.0)", "np.tan(x[0])", "np.sum(other)"):
        assert "inert: no derivative passes it" in found[call], text
