"""gast to source text; the only module that knows astor.

Comments travel as placeholder statements, which become comments once the text is there. The text
does not depend on the version of Python.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Sequence
from typing import Any

import gast

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # astor names nodes that newer Pythons call deprecated
    import astor
    from astor.code_gen import SourceGenerator

MAX_LINE = 120
_MARK = "__comment__"
_COMMENT = re.compile(rf"^( *){_MARK}\((.*)\)$")


def comment(text: str) -> Any:
    """A statement that `to_source` prints as the comment `text`."""
    name = gast.Name(_MARK, gast.Load(), None, None)
    return gast.Expr(gast.Call(name, [gast.Constant(text, None)], []))


class _Generator(SourceGenerator):
    """astor's printer, made to agree with itself over versions of Python and to know newer syntax."""

    def visit_Tuple(self, node: Any) -> None:
        if len(node.elts) == 1:
            self.write("(")
            self.comma_list(node.elts, True)
            self.write(")")
        else:
            super().visit_Tuple(node)

    def visit_JoinedStr(self, node: Any) -> None:
        self.write(ast.unparse(node))

    def visit_Match(self, node: Any) -> None:
        text = textwrap.indent(ast.unparse(node), self.indent_with * self.indentation)
        self.newline()
        self.write(text.lstrip())

    visit_TryStar = visit_Match

    def _handle_numeric_constant(self, value: Any) -> None:
        self.write(repr(value))


def _pretty_string(text: str, *_: Any, **__: Any) -> str:
    return repr(text)


def to_source(tree: gast.AST, header: Sequence[str] = ()) -> str:
    """The text of a module of gast nodes, after the lines of `header`."""
    node = gast.gast_to_ast(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        text = astor.to_source(
            node, pretty_string=_pretty_string, pretty_source="".join, source_generator_class=_Generator
        )
    lines = [_line(line) for line in text.strip("\n").split("\n")]
    top = "\n".join(header)
    return (top + "\n\n\n" if top else "") + "\n".join(lines) + "\n"


def _line(line: str) -> str:
    found = _COMMENT.match(line)
    if found is None:
        return line.rstrip()
    return found.group(1) + ast.literal_eval(found.group(2))
