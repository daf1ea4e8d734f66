import numpy as np
import pytest

from adcompile.cli.arguments import call_types
from adcompile.cli.locate import locate
from adcompile.errors import AdcompileError
from adcompile.ir.types import Known, ObjectT, Scalar


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


def test_containers_and_defaults_in_annotations(folder):
    (folder / "annotated.py").write_text(
        "import typing\nimport numpy as np\n\n\n"
        "def f(a: tuple[float, int], b: typing.List[float], c: tuple[bool, ...], d: tuple[float, list[int]]):\n"
        "    return a[0]\n\n\n"
        "def g(x: float, kind: str = 'a', w: typing.Optional[float] = 2.0, v: np.ndarray = None):\n    return x\n"
    )
    text = "(float, int), [float, ...], (bool, ...), (float, [int, ...])"
    assert call_types(locate("annotated.py:f"), None, None).text == text
    call = call_types(locate("annotated.py:g"), None, None)
    assert call.text == "float" and [str(t) for t in call.types[1:]] == [
        str(t) for t in (Known("a"), Scalar(frozenset({float})), Known(None))
    ]


def test_objects_in_an_example(folder):
    (folder / "objects.py").write_text(
        "class P:\n    def __init__(self, a):\n        self.a = a\n\n"
        "    def f(self, x):\n        return self.a * x\n\n\np = P(2.0)\n"
    )
    by_class = call_types(locate("objects.py:P.f"), None, "P(2.0), 3.0")
    by_object = call_types(locate("objects.py:p.f"), None, "3.0")
    assert by_class.types == by_object.types and isinstance(by_class.types[0], ObjectT)
    with pytest.raises(AdcompileError, match="takes x: the example gives 2 of 1"):
        call_types(locate("objects.py:p.f"), None, "P(2.0), 3.0")


@pytest.mark.parametrize(
    "text, message",
    [("float64[:", "the annotation of 'x': cannot read"), ("float, int", "the annotation of 'x' names 2 types")],
)
def test_annotations_that_cannot_be_read(folder, text, message):
    (folder / "wrong.py").write_text(
        f"from typing import Annotated\n\n\ndef f(x: Annotated[float, {text!r}]):\n    return x\n"
    )
    with pytest.raises(AdcompileError, match=message) as caught:
        call_types(locate("wrong.py:f"), None, None)
    assert "wrong.py:4:1" in str(caught.value)


@pytest.mark.parametrize(
    "name, signature, example, message",
    [
        ("loss", None, None, "argument 'w' of loss() is not known: it has no annotation"),
        ("loss", "float64[:]", None, "gives 1 of 3"),
        ("typed", "float, int, int", None, "gives 3 of 2"),
        ("typed", "float[3]", None, "a dimension is : or 1"),
        ("typed", None, "nothing", "NameError"),
        ("typed", None, "1.0 +", "SyntaxError"),
        ("typed", None, "exit()", "SystemExit"),
    ],
)
def test_refusals_name_the_function(folder, name, signature, example, message):
    with pytest.raises(AdcompileError) as caught:
        text(name, signature, example)
    assert message in str(caught.value) and "model.py:" in str(caught.value)
