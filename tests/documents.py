"""Documents whose examples run: Markdown with fenced blocks and what they print.

A `python` block runs in the document's own namespace; a `text` block that follows it is what it
prints. A `console` block holds commands of the command line (`$ adcompile …`) and their output.
Blocks run under the document's name and line numbers, so that messages and the comments of
generated code name the line a reader sees.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import shlex
import sys
import types
from pathlib import Path

import click.testing

from adcompile.cli import main
from adcompile.rules import registry

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w*)$")


def rendered(path: Path) -> str:
    """The document with the output of its blocks as it is now."""
    document = Document(path.name)
    before, modules, path_before = dict(registry.others), set(sys.modules), list(sys.path)
    lines = path.read_text(encoding="utf-8").splitlines()
    sys.modules[document.module.__name__] = document.module
    try:
        document.run(lines)
    finally:
        del sys.modules[document.module.__name__]
        sys.path[:] = path_before
        for name in set(sys.modules) - modules:  # the modules of the examples, which others have too
            if str(ROOT / "examples") in str(Path(getattr(sys.modules[name], "__file__", None) or "").resolve()):
                del sys.modules[name]
        linecache.cache.pop(path.name, None)
        for fn in registry.others.keys() - before.keys():  # ours, of libraries that an example has imported, stay
            registry.unregister(fn)
    return "\n".join(document.out) + "\n"


class Document:
    def __init__(self, name: str) -> None:
        self.name = name
        self.module = types.ModuleType(name.removesuffix(".md"))  # dataclasses ask for it by name
        self.out: list[str] = []
        self.code: dict[int, str] = {}  # by line number, from 1

    def run(self, lines: list[str]) -> None:
        at = 0
        printed = None  # by the last python block
        while at < len(lines):
            fence = FENCE.match(lines[at])
            if fence is None:
                self.out.append(lines[at])
                printed = printed if not lines[at] else None
                at += 1
                continue
            end = lines.index("```", at + 1)
            kind, block = fence[1], lines[at + 1 : end]
            self.out.append(lines[at])
            if kind == "python":
                printed = self.python(block)
                self.out += block
            elif kind == "console":
                self.console(block)
            else:
                self.out += block if kind != "text" or printed is None else printed
                printed = None
            self.out.append("```")
            at = end + 1

    def python(self, block: list[str]) -> list[str]:
        first = len(self.out) + 1
        self.code.update({first + i: line for i, line in enumerate(block)})
        whole = [self.code.get(i, "") + "\n" for i in range(1, first + len(block))]
        linecache.cache[self.name] = (0, None, whole, self.name)
        tree = ast.parse("".join(whole), self.name)
        # imports again: whether a name is a module's decides the bytecode of its calls
        tree.body = [s for s in tree.body if s.lineno >= first or isinstance(s, (ast.Import, ast.ImportFrom))]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(tree, self.name, "exec"), vars(self.module))
        return output.getvalue().replace(f"{ROOT}/", "").splitlines()

    def console(self, block: list[str]) -> None:
        for line in block:
            if not line.startswith("$ adcompile "):
                continue
            result = click.testing.CliRunner().invoke(main, shlex.split(line)[2:])
            text = result.output.replace(f"{ROOT}/", "")
            self.out += [line, *(part.rstrip() for part in text.rstrip("\n").split("\n"))]
