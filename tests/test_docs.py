"""The documents run, and the map in docs/architecture.md is the tree."""

from __future__ import annotations

import os
import re

import pytest

import adcompile as ad
from adcompile import errors, pipeline
from tests.documents import ROOT, rendered

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_examples_print_what_the_document_says(path, monkeypatch):
    if re.search(r"^import numba$", path.read_text(encoding="utf-8"), re.MULTILINE):
        pytest.importorskip("numba")
    monkeypatch.chdir(ROOT)
    new = rendered(path)
    if os.environ.get("ADCOMPILE_UPDATE_GOLDEN"):
        path.write_text(new, encoding="utf-8")
    assert new == path.read_text(encoding="utf-8"), "ADCOMPILE_UPDATE_GOLDEN=1 writes the documents anew"


def test_architecture_names_every_file():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w/.]+)` \|", text, re.MULTILINE)
    assert len(named) == len(set(named))
    files = {p.relative_to(ROOT).as_posix() for p in (ROOT / "adcompile").rglob("*.py") if p.stat().st_size}
    files |= {p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md")}
    missing, gone = sorted(files - set(named)), sorted(n for n in named if not (ROOT / n).exists())
    assert (missing, gone) == ([], []), "give each new file its line in docs/architecture.md"


def test_architecture_names_every_stage():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\d+\. \*\*(\w+)\*\*", text, re.MULTILINE) == list(pipeline.STAGES)


def test_errors_names_every_class():
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert set(re.findall(r"^## `(\w+)`", text, re.MULTILINE)) == classes


def test_ir_quotes_the_grammar():
    text = (ROOT / "docs" / "ir.md").read_text(encoding="utf-8")
    grammar = (ROOT / "adcompile" / "ir" / "nodes.py").read_text(encoding="utf-8").split("\n\n")[1]
    assert "\n".join(line.strip() for line in grammar.splitlines()) in "\n".join(
        line.strip() for line in text.splitlines()
    )


def test_documents_and_readme_name_only_public_names_that_exist():
    for path in DOCUMENTS:
        for name in re.findall(r"`ad\.(\w+)", path.read_text(encoding="utf-8")):
            assert hasattr(ad, name), f"{path.name}: ad.{name}"
