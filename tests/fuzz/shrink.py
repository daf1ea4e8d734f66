"""Smaller programs that fail in the same way.

Edits of the syntax tree are tried one after the other, large ones first: functions, statements,
blocks without their head, arguments, sizes, expressions replaced by their parts and by constants.
An edit stays if the program still runs and fails with the same verdict.
"""

from __future__ import annotations

import ast
import copy
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.program import Program, runs

BODIES = ("body", "orelse", "finalbody")
PROTECTED = ("main", "arguments", "state", "total", "sample")
FIXED = ("state", "total", "sample")  # as they are, so that the whole program can be checked again


def shrink(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The smallest program found in that time for which `fails` holds."""
    until = time.monotonic() + seconds
    seen = {program.source}
    changed = True
    while changed:
        changed = False
        for edits in (_statements, _flatten, _parameters, _sizes, _expressions):
            at = 0  # after an edit that stays, go on where it was found
            candidates = edits(program.source)
            while time.monotonic() < until:
                source = next(candidates, None)
                if source is None:
                    break
                at += 1
                if source in seen or len(source) > len(program.source) + 8:
                    continue
                seen.add(source)
                smaller = replace(program, source=source)
                if runs(smaller) and fails(smaller):
                    program, changed = smaller, True
                    at = max(0, at - 1)
                    candidates = itertools.islice(edits(source), at, None)
    return program


def _text(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _blocks(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """The places of lists of statements, outer ones first."""
    return [
        (node, name)
        for node in _walk(tree)
        for name in BODIES
        if isinstance(getattr(node, name, None), list) and getattr(node, name)
    ]


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of functions that are not changed."""
    todo = [tree]
    while todo:
        node = todo.pop(0)
        yield node
        todo += [c for c in ast.iter_child_nodes(node) if getattr(c, "name", None) not in FIXED]


def _spots(tree: ast.AST) -> list[ast.expr]:
    """Expressions that are values, the names of what is called aside."""
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return [
        n
        for n in _walk(tree)
        if isinstance(n, ast.expr)
        and not isinstance(n, (ast.Constant, ast.Slice))
        and isinstance(getattr(n, "ctx", None), (type(None), ast.Load))
        and id(n) not in called
    ]


def _kept(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in PROTECTED


def _statements(source: str) -> Iterator[str]:
    """Runs of statements left out, half of a block first, then fewer; late ones first."""
    tree = ast.parse(source)
    for at in range(len(_blocks(tree))):
        node, name = _blocks(tree)[at]
        count = len(getattr(node, name))
        width = max(1, count // 2)
        while True:
            for start in range(count - width, -1, -max(1, width)):
                edited = copy.deepcopy(tree)
                place, _ = _blocks(edited)[at]
                body = getattr(place, name)
                if any(_kept(s) for s in body[start : start + width]):
                    continue
                del body[start : start + width]
                if not body and name == "body":
                    body.append(ast.Pass())
                yield _text(edited)
            if width == 1:
                break
            width //= 2


def _flatten(source: str) -> Iterator[str]:
    """A block without its head: one branch of an if, the body of a loop once."""
    tree = ast.parse(source)
    for at in range(len(_blocks(tree))):
        node, name = _blocks(tree)[at]
        for i, s in enumerate(getattr(node, name)):
            for part in ("body", "orelse") if isinstance(s, (ast.If, ast.For, ast.While)) else ():
                if not getattr(s, part):
                    continue
                edited = copy.deepcopy(tree)
                place, _ = _blocks(edited)[at]
                body = getattr(place, name)
                inner = getattr(body[i], part)
                if isinstance(s, ast.For) and part == "body":
                    first = ast.parse(f"next(iter({ast.unparse(s.iter)}))", mode="eval").body
                    inner = [ast.Assign([s.target], ast.Constant(0) if _is_range(s.iter) else first), *inner]
                body[i : i + 1] = inner
                yield _text(edited)


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


def _parameters(source: str) -> Iterator[str]:
    """An argument of main left out, in `total` and `arguments` as well."""
    count = len(_functions(ast.parse(source))["main"].args.args)
    for k in range(count - 1, -1, -1) if count > 1 else ():
        tree = ast.parse(source)
        found = _functions(tree)
        for name in ("main", "total"):
            del found[name].args.args[k]
        for node in ast.walk(found["total"]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "main":
                del node.args[k]
        last = found["arguments"].body[-1]
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple) and k < len(last.value.elts):
            del last.value.elts[k]
            yield _text(tree)


def _sizes(source: str) -> Iterator[str]:
    for k in (0, 1):
        tree = ast.parse(source)
        default = _functions(tree)["arguments"].args.defaults[k]
        assert isinstance(default, ast.Constant)
        for smaller in range(1, default.value):
            default.value = smaller
            yield _text(tree)


def _expressions(source: str) -> Iterator[str]:
    """An expression by one of its parts, or by a constant."""
    for at, spot in enumerate(_spots(ast.parse(source))):
        parts = [c for c in ast.iter_child_nodes(spot) if isinstance(c, ast.expr) and not isinstance(c, ast.Slice)]
        if isinstance(spot, (ast.List, ast.Tuple)) and len(parts) > 1:
            parts = []  # containers lose items, not their form
        for new in (*parts, ast.Constant(0.5), ast.Constant(2)):
            if isinstance(spot, ast.Name) and not isinstance(new, ast.Constant):
                continue
            yield _replaced(source, at, new)
        if isinstance(spot, (ast.List, ast.Tuple)) and len(spot.elts) > 1:
            for k in range(len(spot.elts)):
                yield _replaced(source, at, type(spot)([e for i, e in enumerate(spot.elts) if i != k], ast.Load()))


def _replaced(source: str, at: int, new: ast.expr) -> str:
    tree = ast.parse(source)
    target = _spots(tree)[at]
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if value is target:
                setattr(node, field, new)
                return _text(tree)
            if isinstance(value, list) and any(v is target for v in value):
                value[:] = [new if v is target else v for v in value]
                return _text(tree)
    return source
