"""gast to source text; the only module that knows astor. Where it is not installed, `ast.unparse` prints.

Comments travel as placeholder statements, which become comments once the text is there. The text
does not depend on the version of Python.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import gast

has_astor = True
if TYPE_CHECKING:
    import astor
    from astor.code_gen import SourceGenerator
else:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # astor names nodes that newer Pythons call deprecated
            import astor
            from astor.code_gen import SourceGenerator
    except ImportError:  # then the standard library prints
        has_astor, SourceGenerator = False, object

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
            bare = isinstance(node.elts[0], ast.Slice)  # an index, `x[1:,]`: brackets would end the slice
            self.write("" if bare else "(")
            self.comma_list(node.elts, True)
            self.write("" if bare else ")")
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


def _by_astor(node: ast.AST) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return astor.to_source(
            node, pretty_string=_pretty_string, pretty_source="".join, source_generator_class=_Generator
        )


printer: Callable[[ast.AST], str] = _by_astor if has_astor else ast.unparse


def to_source(tree: gast.AST, header: Sequence[str] = ()) -> str:
    """The text of a module of gast nodes, after the lines of `header`."""
    text = printer(ast.fix_missing_locations(gast.gast_to_ast(tree)))
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        if re.match(r"def |class |@", line) and lines and not lines[-1].startswith("@"):
            while lines and not lines[-1]:
                lines.pop()
            lines += ["", ""] if lines else []
        lines += wrapped(_line(line))
    top = "\n".join(header)
    return (top + "\n\n\n" if top else "") + "\n".join(lines) + "\n"


def _line(line: str) -> str:
    found = _COMMENT.match(line)
    if found is None:
        return line.rstrip()
    return found.group(1) + ast.literal_eval(found.group(2))


# -- long lines ---------------------------------------------------------------------------------

_LOOSE = frozenset("+ - * / @ // % == != < > <= >= and or not if else in is".split())
_TARGETS = re.compile(r"^( *)([\w.]+(?:, [\w.]+)+) = (.*)$")
_RUNNING = re.compile(r"^( *)for ([\w.]+(?:, [\w.]+)+) in (.*):$")
_BARE = re.compile(r"^( *)((?:return|if|elif|while)\b|[\w.\[\], ]+? [-+*/@%&|^]?=(?!=)|(?=\S)) ?(.*?)(:?)$")


def wrapped(line: str) -> list[str]:
    """The line, broken inside brackets where it is longer than MAX_LINE; brackets are put around an
    expression that has none to break in."""
    if len(line) <= MAX_LINE or line.lstrip().startswith("#"):
        return [line]
    for attempt in (line, _bracketed(line), _targets_bracketed(line)):
        lines = _broken(attempt) if attempt else []
        if lines:
            return lines
    return [line]


def _bracketed(line: str) -> str:
    found = _BARE.match(line)
    if found is None or not found.group(3):
        return ""
    indent, head, expression, colon = found.groups()
    if not head and (_TARGETS.match(line) or indented_for(line)):
        return ""
    return f"{indent}{head} ({expression}){colon}" if head else f"{indent}({expression})"


def _targets_bracketed(line: str) -> str:
    """`(a, b, …) = value`, and `for (a, b, …) in value:`."""
    found, running = _TARGETS.match(line), _RUNNING.match(line)
    if running is not None:
        return "{}for ({}) in {}:".format(*running.groups())
    return "" if found is None else "{}({}) = {}".format(*found.groups())


def indented_for(line: str) -> bool:
    return line.lstrip().startswith("for ")


def _broken(line: str) -> list[str]:
    """The line in pieces that fit, greedily, each broken as far out as possible; [] if none do."""
    indent = len(line) - len(line.lstrip())
    deeper = indent + (8 if line.rstrip().endswith(":") else 4)
    places = _places(line)
    out, start, lead = [], indent, indent
    while lead + len(line) - start > MAX_LINE:
        room = start + MAX_LINE - lead
        fitting = [(depth, at) for at, depth in places if start < at <= room]
        if not fitting:
            return []
        outermost = min(depth for depth, _ in fitting)
        at = max(at for depth, at in fitting if depth == outermost)
        out.append(" " * lead + line[start:at].rstrip())
        start, lead = at, deeper
        while line[start] == " ":
            start += 1
    return [*out, " " * lead + line[start:]]


def _places(line: str) -> list[tuple[int, int]]:
    """Where the line may be broken, and how many brackets deep."""
    found: list[tuple[int, int]] = []
    depth = 0
    indent = len(line) - len(line.lstrip())
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line.lstrip() + "\n").readline))
    except (tokenize.TokenError, IndentationError):
        tokens = []  # the head of a block, which alone is no code
    for token in tokens:
        if token.start[0] != 1 or token.end[0] != 1:
            break
        text = token.string
        if text in ("(", "[", "{"):
            depth += 1
            found.append((token.end[1] + indent, depth))
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == "," and depth:
            found.append((token.end[1] + indent, depth))
        elif text in _LOOSE and depth and line[token.start[1] + indent - 1] == " ":
            found.append((token.start[1] + indent, depth + 1))
    return found
