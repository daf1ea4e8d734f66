import numpy as np
import pytest

from adcompile.errors import NotDifferentiable, SignatureMismatch
from adcompile.runtime.ahead import UNDEFINED, Origin, accept, as_written, gradient, is_array, spell, tangent


def test_arrays_by_dtype_rank_and_ones():
    assert is_array(np.ones((2, 3)), "float64[:,:]") and is_array(np.ones((0, 3)), "float64[:,:]")
    assert is_array(np.ones((1, 3)), "float64[1,:]") and is_array(np.ones((), "f4"), "float32[()]")
    for other in (np.ones((1, 3)), np.ones(3), np.ones((2, 3), "f4"), 1.0, np.ma.ones((2, 3)), np.ones((2, 3), ">f8")):
        assert not is_array(other, "float64[:,:]")


def test_types_as_text():
    values = (1.0, 2, True, None, "a", np.float32(1), np.ones((2, 1)), (1,), [1.0, (2,)], {"k": np.ones(())})
    texts = "float", "int", "bool", "None", "'a'", "float32", "float64[:,1]", "(int,)", "[float, (int,)]"
    assert tuple(map(spell, values)) == (*texts, "{'k': float64[()]}")


def test_gradients_leave_with_the_types_of_their_arguments():
    x = np.ones(2)
    g = gradient(np.broadcast_to(2.0, 2), x)
    assert g.flags.writeable and g.dtype == np.float64
    assert gradient(x, x) is not x
    assert gradient(np.float64(2.0), 1.0) == 2.0 and type(gradient(np.float64(2.0), 1.0)) is float
    assert gradient(1.0 + 2.0j, 1.0j) == 1.0 - 2.0j
    assert tangent(1.0 + 2.0j, 1.0j) == 1.0 + 2.0j
    first, second = gradient((g, g), (x, x))
    assert not np.shares_memory(first, second)
    assert gradient({"a": None, "b": (1.0, None)}, {"a": 1.0, "b": (2.0, 3)}) == {"a": 0.0, "b": (1.0, None)}
    assert gradient([None], [3]) is None


def test_tangents_enter_checked_and_copied():
    x = np.ones(2, "f4")
    given = np.ones(2)
    taken = accept(given, x, "x_dot")
    assert taken.dtype == np.float32 and not np.shares_memory(taken, given)
    assert accept(None, 2.0, "x_dot") == 0.0 and accept(5.0, 2, "n_dot") is None
    assert accept((1, [2.0]), (1.0, [2.0]), "t") == (1.0, [2.0])
    for wrong, of in ((np.ones(3), x), (1.0, x), (1j, 2.0), ((1.0,), (1.0, 2.0))):
        with pytest.raises(NotDifferentiable, match="x_dot"):
            accept(wrong, of, "x_dot")


def test_mismatch(tmp_path):
    (tmp_path / "model.py").write_text("\n\ndef f(x):\n    return x\n")
    origin = Origin("f_grad", str(tmp_path / "made.py"), "model.py", ((3, 0), (3, 9)), ("float",))
    error = origin.mismatch({"a": 1})
    assert isinstance(error, SignatureMismatch) and isinstance(error, TypeError)
    assert f"{tmp_path / 'model.py'}:3:1" in str(error) and "def f(x):\n    ^^^^^^^^^" in str(error)
    assert "add --signature \"{'a': int}\" to the command at the top of made.py" in str(error)


def test_statements_as_written():
    text = "def __maker(__undefined):\n  def run(n):\n    return (n is __undefined, np.pi)\n  return run"
    module = type(np)("some")
    module.np = np
    assert as_written(module, text)(UNDEFINED) == (True, np.pi)
