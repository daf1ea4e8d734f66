"""What is refused, word for word: file:line:column, the line with a caret, and what to write instead.

To accept a change: ADCOMPILE_UPDATE_GOLDEN=1 pytest tests/test_golden_refusals.py; then read what changed.
"""

import importlib
import re
import sys
from pathlib import Path

import pytest

from adcompile.errors import AdcompileError
from tests.golden import refused

HERE = Path(__file__).parent


def message(error):
    """The full message with paths relative to this directory."""
    return f"{type(error).__name__}\n{str(error).replace(str(HERE) + '/', '')}\n"


def complete(text):
    """Place, line, caret and remedy are all there."""
    _, head, line, caret, *remedy = text.rstrip("\n").split("\n")
    assert re.match(r"\S+:\d+:\d+: \S", head), head
    assert line.startswith("    ") and set(caret.strip()) == {"^"}
    assert remedy and all(r.startswith("  ") for r in remedy)
    column = int(head.split(":")[2])
    source = (HERE / head.split(":")[0]).read_text().splitlines()[int(head.split(":")[1]) - 1]
    assert source.strip() == line.strip()
    assert source[column - 1 :].startswith(line[caret.index("^") :][:1])


@pytest.mark.parametrize("name", [n for n in refused.CALLS if n != "no_source"])
def test_refusal(golden, name):
    with pytest.raises(AdcompileError) as caught:
        refused.CALLS[name]()
    text = message(caught.value)
    complete(text)
    golden(f"refusals/{name}.txt", text)


def test_a_function_without_source(golden):
    with pytest.raises(AdcompileError) as caught:
        refused.CALLS["no_source"]()
    golden("refusals/no_source.txt", message(caught.value))


def test_refusals_in_forward_mode_name_the_same_place():
    primals = {
        "active_try": 2.0,
        "text_round_trip": 2.0,
        "iterator_twice": refused.V,
        "c_function_without_rule": refused.V,
    }
    for name, x in primals.items():
        with pytest.raises(AdcompileError) as backward:
            refused.CALLS[name]()
        with pytest.raises(AdcompileError) as forward:
            refused.ad.jvp(getattr(refused, name), (x,), (x,))
        assert forward.value.place == backward.value.place


def test_source_edited_since_import(golden, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited_since_import.py"
    path.write_text("def f(x):\n    return x * x\n")
    f = importlib.import_module("edited_since_import").f
    path.write_text("def f(x):\n    return x * x * x  # edited\n")
    with pytest.raises(AdcompileError) as caught:
        refused.ad.grad(f)(2.0)
    golden("refusals/edited_since_import.txt", message(caught.value).replace(str(tmp_path) + "/", ""))
    sys.modules.pop("edited_since_import")


def test_every_golden_has_its_test():
    made = {p.stem for p in (HERE / "golden" / "refusals").glob("*.txt")}
    assert made == {*refused.CALLS, "edited_since_import"}
    assert len(made) >= 20
