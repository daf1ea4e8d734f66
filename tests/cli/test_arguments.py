import numpy as np
import pytest

from adcompile.cli.arguments import call_types
from adcompile.cli.locate import locate
from adcompile.errors import AdcompileError


def text(name, signature=None, example=None):
    return call_types(locate(f"model.py:{name}"), signature, example).text


def test_where_types_come_from(folder):
    assert text("loss", "float64[:], float64[:,:], float64[:]") == "float64[:], float64[:,:], float64[:]"
    assert text("loss", None, "np.ones(3), np.ones((2, 3)), np.ones(2)") == "float64[:], float64[:,:], float64[:]"
    assert text("loss", None, "TABLE, np.ones((1, 3)), SCALE") == "float64[:], float64[1,:], float"
    assert text("typed") == "float, int"
    assert text("typed", "float") == "float"


def test_defaults_come_by_value(folder):
    call = call_types(locate("model.py:typed"), "float", None)
    assert call.types[1].value == 3 and call.given == 1


def test_annotations_that_say_it_all(folder):
    (folder / "annotated.py").write_text(
        "from typing import Annotated\nimport numpy as np\n\n\n"
        'def f(a: Annotated[np.ndarray, "float32[:]"], b: np.float64, *, c: complex):\n    return b\n'
    )
    call = call_types(locate("annotated.py:f"), None, None)
    assert call.text == "float32[:], float64, complex" and call.kwtypes[0][0] == "c"
    assert call.types[0].dtype == np.float32


@pytest.mark.parametrize(
    "name, signature, example, message",
    [
        ("loss", None, None, "argument 'w' of loss() is not known: it has no annotation"),
        ("loss", "float64[:]", None, "gives 1 of 3"),
        ("typed", "float, int, int", None, "gives 3 of 2"),
        ("typed", "float[3]", None, "a dimension is : or 1"),
        ("typed", None, "nothing", "NameError"),
        ("typed", None, "1.0 +", "SyntaxError"),
    ],
)
def test_refusals_name_the_function(folder, name, signature, example, message):
    with pytest.raises(AdcompileError) as caught:
        text(name, signature, example)
    assert message in str(caught.value) and "model.py:" in str(caught.value)
