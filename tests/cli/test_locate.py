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
        ("binary.py:f", "binary.py:1:1: importing binary failed: "),  # SyntaxError, in Python 3.10 ValueError
        ("ends.py:f", "ends.py:1:1: importing ends failed: SystemExit: 3"),
        ("other.py:f", "other.py:2:1: importing other failed: other.Stop: now"),
        ("./script:f", "script:1:1: script is no name of a Python module"),
        ("a.b.py:f", "a.b.py:1:1: a.b.py is no name of a Python module"),
        ("made.py:f", "made.py:1:1: made.py:f is no Python function but a partial"),
    ],
)
def test_what_is_not_there(folder, target, message):
    (folder / "random.py").write_text("def f(x): return x\n")
    (folder / "broken.py").write_text("def f(x:\n")
    (folder / "needs.py").write_text("\nimport nothing_of_that_name\n")
    (folder / "binary.py").write_bytes(b"f = 1\0\n")
    (folder / "ends.py").write_text("import sys; sys.exit(3)\n")
    (folder / "other.py").write_text("class Stop(BaseException): pass\nraise Stop('now')\n")
    (folder / "made.py").write_text("import functools\n\n\nf = functools.partial(pow, exp=2)\n")
    for name in ("script", "a.b.py"):
        (folder / name).write_text("def f(x): return x\n")
    with pytest.raises(SourceError) as caught:
        locate(target)
    assert message in str(caught.value)


def test_under_numpys_dispatch_and_a_cache(folder):
    assert locate("numpy:trapezoid").function.__name__ == "trapezoid"
    (folder / "cached.py").write_text("import functools\n\n\n@functools.lru_cache\ndef f(x):\n    return x * x\n")
    assert locate("cached.py:f", folder).function(2.0) == 4.0


def test_what_is_bound_to_an_object(folder):
    (folder / "bound.py").write_text(
        "import functools\n\n\nclass Model:\n    k = 2.0\n\n    def loss(self, x):\n        return self.k * x\n\n"
        "    @classmethod\n    def of(cls, x):\n        return cls.k * x\n\n"
        "    def __call__(self, x):\n        return x\n\n\n"
        "model = Model()\nhalf = functools.partial(Model.loss, model)\n"
    )
    for name in ("model.loss", "half", "Model.of", "model"):
        found = locate(f"bound.py:{name}")
        assert len(found.leading) == 1 and found.callable(3.0) == (3.0 if name == "model" else 6.0)
    assert locate("bound.py:Model.loss").leading == ()
