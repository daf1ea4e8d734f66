import pytest

from adcompile.cli.check import check
from adcompile.cli.locate import locate
from adcompile.errors import SourceError, Unsupported

WRONG = """
import adcompile as ad
from adcompile import rules


def twice(x):
    return x + x


@rules.frule(twice)
def _(x, x_dot):
    return x + x, 3.0 * x_dot


def f(x):
    return twice(x)
"""


def test_right_and_wrong(folder):
    assert check(locate("model.py:typed"), "0.5", 2)[0]
    (folder / "wrong.py").write_text(WRONG)
    ok, text = check(locate("wrong.py:f"), "0.5", 1)
    assert not ok and "tangent" in text


def test_what_the_function_raises_is_located(folder):
    with pytest.raises(SourceError, match=r"model\.py:49:5: failing at .* raised ValueError: no 0.5"):
        check(locate("model.py:failing"), "0.5", 1)
    with pytest.raises(Unsupported, match=r"model\.py:57:"):
        check(locate("model.py:refused"), "0.5", 1)
