"""Errors say what, where (with the line and a caret) and what to write instead."""

import copy
import linecache
import pickle

import pytest

from adcompile import errors
from adcompile.errors import AdcompileError, Place, excerpt, place_of

LINE = "    y = f(x) + größe(x)"


@pytest.fixture
def file():
    name = "<test_errors>"
    linecache.cache[name] = (0, None, ["def g(x):\n", LINE + "\n"], name)
    yield name
    del linecache.cache[name]


def place(file, text):
    """The place of a stretch of LINE, in bytes as `ast` counts."""
    start = len(LINE[: LINE.index(text)].encode())
    return Place(file, 2, start, 2, start + len(text.encode()))


@pytest.mark.parametrize("text", ["f(x)", "größe(x)", "y"])
def test_the_caret_stands_under_the_place(file, text):
    shown, carets = excerpt(place(file, text)).splitlines()
    assert shown.strip() == LINE.strip()
    assert shown[carets.index("^") : carets.rindex("^") + 1] == text


def test_a_place_over_several_lines_is_marked_to_the_end(file):
    carets = excerpt(Place(file, 2, 4, 3, 1)).splitlines()[1]
    assert carets.count("^") == len(LINE.strip())


def test_without_text_there_is_no_excerpt():
    assert excerpt(Place("<nowhere>", 1, 0, 1, 1)) == ""
    assert str(AdcompileError("broken", Place("<nowhere>", 3, 4, 3, 5))) == "<nowhere>:3:5: broken"


def test_message_place_and_remedy(file):
    error = errors.Unsupported("cannot", place(file, "f(x)"), "write g(x)")
    head, line, carets, remedy = str(error).splitlines()
    assert head == f"{file}:2:9: cannot"
    assert line.strip() == LINE.strip()
    assert set(carets.strip()) == {"^"}
    assert remedy.strip() == "write g(x)"


@pytest.mark.parametrize("cls", [AdcompileError, *AdcompileError.__subclasses__()], ids=lambda c: c.__name__)
def test_copies_keep_everything(cls):
    error = cls("cannot", Place("a.py", 1, 0, 1, 1), "write")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is cls
        assert (twin.message, twin.place, twin.remedy, str(twin)) == (
            error.message,
            error.place,
            error.remedy,
            str(error),
        )


def test_place_of_a_function():
    found = place_of(test_place_of_a_function)
    assert found.file == __file__
    assert "def test_place_of_a_function" in linecache.getline(found.file, found.line)
    assert place_of(len) is None


def test_what_users_catch():
    assert issubclass(errors.NotDifferentiable, TypeError)
    assert issubclass(errors.SignatureMismatch, TypeError)
    assert all(issubclass(cls, AdcompileError) for cls in AdcompileError.__subclasses__())


def test_the_text_of_the_command_line_is_not_quoted_for_what_exec_makes(monkeypatch):
    text = "import sys\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, [text], "<string>"))
    place = Place("<string>", 1, 0, 1, 5)
    assert str(AdcompileError("what", place)) == "<string>:1:1: what"
