import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.cli import STAGES
from adcompile.cli.locate import locate
from adcompile.cli.stages import Asked, stage
from adcompile.errors import NotDifferentiable

SIGNATURE = "float64[:], float64[:,:], float64[:]"
MARKS = {
    "source": "def loss(w, x, y):",
    "gast": "FunctionDef(",
    "ir": "operator.matmul(x, w)",
    "typed": "w: float64[:]",
    "facts": "x: float64[:,:] (inert)",
    "forward": "w_dot: float64[:]",
    "reverse": "function loss_grad(",
    "optimised": "function loss_grad(",
    "python": "def loss_grad(w, x, y):",
}


def test_the_choices_are_the_pipelines():
    assert STAGES == pipeline.STAGES == tuple(MARKS)


@pytest.mark.parametrize("name", STAGES)
def test_every_stage(folder, name):
    asked = Asked(locate("model.py:loss"), SIGNATURE)
    assert MARKS[name] in stage(asked, name)
    assert stage(asked, name) == stage(asked, name)


def test_forward_and_argnums(folder):
    assert "loss_jvp(w, x, y, w_dot)" in stage(Asked(locate("model.py:loss"), SIGNATURE, forward=True), "python")
    assert "y_dot" in stage(Asked(locate("model.py:loss"), SIGNATURE, argnums=("y",)), "forward")
    assert "x_dot" in stage(Asked(locate("model.py:loss"), SIGNATURE, argnums=("1",)), "forward")


@pytest.mark.parametrize("argnums, message", [("z", "no positional parameter 'z'"), ("n", "'n' of typed() has no")])
def test_argnums_that_do_not_fit(folder, argnums, message):
    with pytest.raises(NotDifferentiable, match=r"model\.py:18") as caught:
        stage(Asked(locate("model.py:typed"), argnums=(argnums,)), "python")
    assert message in str(caught.value)


def test_reverse_of_what_is_no_scalar_is_value_and_pullback(folder):
    (folder / "field.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.sin(x), {'y': x * x}\n")
    asked = Asked(locate("field.py:f"), "float64[:]")
    assert "function f_vjp_pullback(" in stage(asked, "reverse")
    assert "def f_vjp_pullback(kept, y_bar):" in stage(asked, "python")


def test_what_is_shown_is_what_runs(folder):
    located = locate("model.py:loss")
    args = (np.ones(2), np.ones((3, 2)), np.ones(3))
    shown = stage(Asked(located, SIGNATURE), "python").replace("return (w_bar,)", "return w_bar")
    assert shown.split("return")[0] == ad.source(ad.grad(located.function), *args).split("return")[0]
