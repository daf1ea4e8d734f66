"""The source found is the source that runs, or there is an error that says what to do."""

import colorsys
import functools
import importlib
import linecache
import marshal
import sys
import textwrap

import gast
import pytest

from adcompile.errors import SourceError
from adcompile.frontend.lower import lower_function
from adcompile.frontend.source import constant_set, source_of
from tests.interpret import interpret

pair = (lambda x: x + 1), (lambda x: x * 1)
same = (lambda x: x + 1), (lambda x: x + 1)
# fmt: off
table = {"a": lambda x: x
                 + 2, "b": lambda x, y=3: x * y}
# fmt: on


def decorate(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args) + 100

    return wrapper


@decorate
@decorate
def decorated(x):
    """Doc."""
    return x + 1


class Private:
    __hidden = 5

    def __secret(self, __arg=2):
        return self.__hidden + __arg

    def method(self):
        return self.__secret(__arg=3) if True else Private.__nothing

    class _Inner:
        def deep(self):
            self.__v = 1
            return self.__v

    def with_super(self):
        return super().__init__()


def enclosing(k):
    class Local:
        def method(self, x):
            def inner(y):
                return x + y + k

            return inner

    return Local().method(1), lambda z: (lambda w: w + k)(z)


def text_of(source):
    lines = linecache.getlines(source.file)
    node = source.node
    rows = lines[node.lineno - 1 : node.end_lineno]
    rows[-1] = rows[-1].encode()[: node.end_col_offset].decode()
    rows[0] = rows[0].encode()[node.col_offset :].decode()
    return "".join(rows)


def test_lambdas_of_one_line_are_told_apart():
    assert [text_of(source_of(f)) for f in pair] == ["lambda x: x + 1", "lambda x: x * 1"]
    assert [interpret(f, 5) for f in pair] == [6, 5]


def test_equal_lambdas_of_one_line():
    columns = [source_of(f).node.col_offset for f in same]
    assert columns[0] < columns[1] or sys.version_info < (3, 11)
    assert [interpret(f, 5) for f in same] == [6, 6]


def test_lambdas_over_several_lines():
    assert text_of(source_of(table["a"])).startswith("lambda x: x\n")
    assert interpret(table["b"], 4) == 12


def test_decorated_functions_are_their_wrappers():
    assert source_of(decorated).node.name == "wrapper"
    assert interpret(decorated, 1) == 202
    inner = decorated.__wrapped__.__wrapped__
    assert source_of(inner).node.name == "decorated"
    assert text_of(source_of(inner)).startswith("def decorated(x):")


def test_class_private_names():
    assert interpret(Private.method, Private()) == 8
    assert interpret(Private()._Private__secret) == 7
    assert interpret(Private._Inner().deep) == 1
    assert interpret(Private().with_super) is None


def test_nested_functions():
    inner, outer_lambda = enclosing(10)
    assert source_of(inner).freevars == ("k", "x")
    assert interpret(inner, 2) == 13
    assert interpret(outer_lambda, 2) == 12


def test_places_are_those_of_the_file():
    source = source_of(Private.method)
    lines = linecache.getlines(__file__)
    attribute = source.node.body[0].value.body.func
    assert lines[attribute.lineno - 1][attribute.col_offset :].startswith("self.__secret")
    assert source.file == __file__


def test_executed_text_with_a_linecache_entry():
    text = "from __future__ import annotations\ndef f(x: Missing):\n    return [x, x]\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    namespace = {}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert interpret(namespace["f"], 1) == [1, 1]


def test_no_source():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    with pytest.raises(SourceError, match=r"the source of f cannot be had(.|\n)*file"):
        source_of(namespace["f"])
    for thing in (len, print, functools.partial(pow, 2), 3):
        with pytest.raises(SourceError, match="not a Python function"):
            source_of(thing)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module, imports it, and lets a test write it again."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited_module.py"

    def write(text):
        path.write_text(textwrap.dedent(text))
        return path

    yield write
    sys.modules.pop("edited_module", None)


@pytest.mark.parametrize(
    "edited",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return x - 1\n",
        "\ndef f(x):\n    return x + 1\n",
        "def g(x):\n    return x + 1\n",
        "def f(x):\n    return y + 1\n",
        "def f(x):\n    return x + 1.0\n",
        "def f(x, z=1):\n    return x + 1\n",
        "def f(x:\n",
        "",
    ],
)
def test_an_edited_file_is_refused(module, edited):
    module("def f(x):\n    return x + 1\n")
    f = importlib.import_module("edited_module").f
    module(edited + "#" * 100)
    with pytest.raises(SourceError, match="edited_module"):
        lower_function(f)


def test_a_reloaded_module(module):
    module("def f(x):\n    return x + 1\n")
    loaded = importlib.import_module("edited_module")
    old = loaded.f
    assert interpret(old, 1) == 2
    module("# longer now\ndef f(x):\n    return x + 222\n")
    importlib.reload(loaded)
    assert interpret(loaded.f, 1) == 223
    assert interpret(old, 1) == 2  # known already


def test_an_edit_elsewhere_in_the_file_is_no_matter(module):
    module("def f(x):\n    return x + 1\ndef g(): return 1\n")
    f = importlib.import_module("edited_module").f
    module("def f(x):\n    return x + 1\ndef g(): return 2222\n")
    assert interpret(f, 1) == 2


def test_lowering_is_cached():
    assert lower_function(decorated) is lower_function(decorated)
    assert isinstance(source_of(decorated).node, gast.FunctionDef)


def test_assertions_rewritten_by_pytest():
    def checked(x):
        assert x > 0, "positive"
        return x

    assert interpret(checked, 1) == 1
    with pytest.raises(AssertionError, match="positive"):
        interpret(checked, -1)


def test_installed_packages():
    assert interpret(colorsys.rgb_to_hsv, 0.2, 0.4, 0.6) == colorsys.rgb_to_hsv(0.2, 0.4, 0.6)
    assert interpret(textwrap.dedent, "  a\n  b") == "a\nb"


def sets_of(text, iterated):
    """The constant that is found for a display, and the code that it is in."""
    display = gast.parse(text).body[0].value
    code = compile(f"for k in {text}: pass" if iterated else f"s = {text}", "sets.py", "exec")
    return constant_set(display, marshal.loads(marshal.dumps(code)), iterated), code


@pytest.mark.parametrize("text, iterated", [
    ("{8, 0}", True), ("{16, 8, 0}", True), ("{16, 8, 0}", False), ("{'a', 'b', 'c'}", False), ("{1.5, None}", True),
    ("{-8, 2 * 4, (1, 'a')}", False),
])  # fmt: skip
def test_constants_made_of_sets_are_those_of_the_code(text, iterated):
    found, code = sets_of(text, iterated)
    assert type(found) is frozenset and found in code.co_consts
    read = marshal.loads(marshal.dumps(code))
    display = gast.parse(text).body[0].value
    assert any(constant_set(display, read, iterated) is c for c in read.co_consts)


@pytest.mark.parametrize("text, iterated", [
    ("{8, 0}", False), ("{8}", True), ("{1, 2, 3}", True), ("{1, 2, x}", True), ("{f(1), 8, 0}", False),
    ("{*(16, 8), 0}", False),
])  # fmt: skip
def test_sets_filled_item_by_item_are_no_constants(text, iterated):
    assert sets_of(text, iterated)[0] is None


# fmt: off
NESTED = lambda x: (lambda y: (lambda z: z * y))(x)
# fmt: on


def test_lambdas_within_lambdas_of_one_line():
    """Before Python 3.11 code holds the names of the functions in it, with those of the functions around."""
    whole = lambda: (lambda x: (lambda y: (lambda z: z * y))(x))
    assert text_of(source_of(NESTED(2.0))) == text_of(source_of(whole()(2.0))) == "lambda z: z * y"
    assert text_of(source_of(whole())) == "lambda x: (lambda y: (lambda z: z * y))(x)"
