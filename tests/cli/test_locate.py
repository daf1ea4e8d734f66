import pytest

from adcompile.cli.locate import locate
from adcompile.errors import SourceError


def test_by_file_by_module_and_by_attribute(folder):
    assert locate("model.py:loss").function.__name__ == "loss"
    assert locate("model:loss").function is locate("model.py:loss").function
    assert locate(f"{folder}/model.py:Model.square").function.__qualname__ == "Model.square"


def test_in_a_package_under_its_dotted_name(folder):
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "base.py").write_text("def f(x):\n    return x\n")
    (folder / "pack" / "main.py").write_text("from .base import f\n\n\ndef g(x):\n    return f(x)\n")
    found = locate("pack/main.py:g")
    assert found.module.__name__ == "pack.main" and found.function(1) == 1


def test_what_a_decorator_made_a_derivative_of(folder):
    (folder / "made.py").write_text("import adcompile as ad\n\n\n@ad.grad\ndef f(x):\n    return x * x\n")
    assert locate("made.py:f").function(3.0) == 9.0


@pytest.mark.parametrize(
    "target, message",
    [
        ("model.py", "names no function"),
        ("nowhere.py:f", "no file"),
        ("nowhere:f", "No module named 'nowhere'"),
        ("model.py:los", "its functions: helper, loss"),
        ("model.py:Model", "a class"),
        ("model.py:SCALE", "a float"),
        ("random.py:f", "hides a module of Python"),
        ("broken.py:f", "broken.py:1:6: importing broken failed: SyntaxError"),
        ("needs.py:f", "needs.py:2:1: importing needs failed: ModuleNotFoundError"),
    ],
)
def test_what_is_not_there(folder, target, message):
    (folder / "random.py").write_text("def f(x): return x\n")
    (folder / "broken.py").write_text("def f(x:\n")
    (folder / "needs.py").write_text("\nimport nothing_of_that_name\n")
    with pytest.raises(SourceError) as caught:
        locate(target)
    assert message in str(caught.value)


def test_under_numpys_dispatch_and_a_cache(folder):
    assert locate("numpy:trapezoid").function.__name__ == "trapezoid"
    (folder / "cached.py").write_text("import functools\n\n\n@functools.lru_cache\ndef f(x):\n    return x * x\n")
    assert locate("cached.py:f", folder).function(2.0) == 4.0
