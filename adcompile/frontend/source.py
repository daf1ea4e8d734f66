"""The source of a function that is running, checked against its code."""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

import gast

from adcompile.errors import Place, SourceError, place_of
from adcompile.frozen import frozen
from adcompile.ir.stack import large_stack

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
SYNTHESISED = "__adcompile__"
"""The module name of functions that we write around callables."""
_FUTURE = 0x1FF0000  # the code flags that `from __future__ import` sets


@frozen(eq=False)
class Source:
    """A function's definition: `node` is a gast FunctionDef or Lambda with the lines and columns
    of the file, class-private names spelt out; `freevars` as in the code."""

    node: Any
    file: str
    namespace: dict[str, Any] = field(repr=False)
    freevars: tuple[str, ...]
    code: CodeType


_Found = tuple[Defined, tuple[ast.AST, ...]]
"""A definition and the functions and classes around it, from the outside in."""


@frozen(eq=False)
class _File:
    lines: list[str]
    tree: ast.AST
    imported: tuple[str, ...]  # by the module itself: CPython compiles their attributes differently
    functions: dict[int, list[_Found]]  # by first line
    lambdas: dict[int, list[_Found]]  # filled when one is asked for


_files: dict[str, _File] = {}
_found: dict[int, tuple[weakref.ref[CodeType], _Found]] = {}


def source_of(fn: Any) -> Source:
    """The source of a Python function, lambda or method.

    Decorators are not undone: a decorated name is whatever the decorator returned. Raises
    SourceError if `fn` is not a Python function, or its text cannot be had or has changed.
    """
    fn = getattr(fn, "__func__", fn)
    if not isinstance(fn, FunctionType):
        raise SourceError(f"{fn!r} is not a Python function", None, "Give a function written in Python.")
    return large_stack(_source_of, fn)


def _source_of(fn: FunctionType) -> Source:
    code = fn.__code__
    key = id(code)
    known = _found.get(key)
    if known is None or known[0]() is not code:
        known = (weakref.ref(code, lambda _: _found.pop(key, None)), _find(fn))
        _found[key] = known
    node, around = known[1]
    converted = gast.ast_to_gast(node)
    private = _class_around(around)
    if private is not None:
        _mangle(converted, private)
    return Source(converted, code.co_filename, fn.__globals__, code.co_freevars, code)


def _find(fn: FunctionType) -> _Found:
    """The definition of `fn` and the classes and functions around it."""
    code = fn.__code__
    problem: SourceError | None = None
    for fresh in (False, True):  # the text as first read, then as it is now
        if fresh:
            linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, fn.__globals__)
        if not lines:
            raise _unavailable(fn)
        file = _parsed(code.co_filename, lines)
        candidates = _candidates(file, code)
        matching = [c for c in candidates if _is_code_of(c, file, code)]
        if len(matching) > 1:
            matching = [c for c in matching if _same_positions(c, file, code)] or matching
        if matching:
            return matching[0]
        problem = _mismatch(fn, bool(candidates))
    assert problem is not None
    # since Python 3.13 the text of `python -c` goes by the name that all code made by exec has
    raise _unavailable(fn) if code.co_filename == "<string>" else problem


def _unavailable(fn: FunctionType) -> SourceError:
    remedy = "Put it in a file, or in a notebook cell; functions made by exec need an entry in linecache."
    return SourceError(f"the source of {fn.__qualname__} cannot be had", place_of(fn), remedy)


def _mismatch(fn: FunctionType, seen: bool) -> SourceError:
    code = fn.__code__
    line = code.co_firstlineno
    what = "is not what runs" if seen else "is not where it was"
    message = f"the source of {fn.__qualname__} {what}: the file was edited after it was imported"
    return SourceError(
        message, Place(code.co_filename, line, 0, line, 0), "Import the module again (importlib.reload)."
    )


def _parsed(file: str, lines: list[str]) -> _File:
    known = _files.get(file)
    if known is not None and (known.lines is lines or known.lines == lines):
        return known
    try:
        tree = ast.parse("".join(lines), file)
    except SyntaxError as error:
        # IPython keeps its magics out of linecache, so this is an edited file
        place = Place(file, error.lineno or 1, 0, error.lineno or 1, 0)
        raise SourceError(
            f"{file} does not parse: {error.msg}", place, "Mend the file, and import it again."
        ) from error
    parsed = _File(lines, tree, _imported(tree), _by_line(_definitions(tree, False)), {})
    _files[file] = parsed
    return parsed


def _candidates(file: _File, code: CodeType) -> list[_Found]:
    """The definitions that begin where the code does and have its name."""
    if code.co_name == "<lambda>":
        if not file.lambdas:
            file.lambdas.update(_by_line(_definitions(file.tree, True)))
        return file.lambdas.get(code.co_firstlineno, [])
    found = file.functions.get(code.co_firstlineno, [])
    return [f for f in found if getattr(f[0], "name", None) in (code.co_name, _private_tail(code.co_name))]


def _private_tail(name: str) -> str:
    """`__name` for the `_Class__name` that a class makes of it."""
    at = name.find("__", 1)
    return name[at:] if at > 0 else name


def _by_line(found: Iterator[_Found]) -> dict[int, list[_Found]]:
    out: dict[int, list[_Found]] = {}
    for node, around in found:
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        out.setdefault(min([node.lineno, *(d.lineno for d in decorators)]), []).append((node, around))
    return out


def _definitions(tree: ast.AST, lambdas: bool) -> Iterator[_Found]:
    """Every def in the tree, or every lambda, in the order of the text, with the scopes around."""
    stack: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while stack:
        node, around = stack.pop()
        inside = around
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if isinstance(node, ast.Lambda) == lambdas:
                yield node, around
            inside = (*around, node)
        elif isinstance(node, ast.ClassDef):
            inside = (*around, node)
        elif isinstance(node, ast.expr) and not lambdas:
            continue
        body = getattr(node, "body", None)
        own = {id(child) for child in body} if isinstance(body, list) else {id(body)}
        # decorators, defaults and bases are evaluated in the scope around
        children = [(child, inside if id(child) in own else around) for child in ast.iter_child_nodes(node)]
        stack.extend(reversed(children))


def _imported(tree: ast.AST) -> tuple[str, ...]:
    names: dict[str, None] = {}
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.alias):
            names[node.asname or node.name.split(".")[0]] = None
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            stack.extend(ast.iter_child_nodes(node))
    names.pop("*", None)
    return tuple(names)


# Is it the code?

INSIDE = ".<locals>."


def _is_code_of(found: _Found, file: _File, code: CodeType) -> bool:
    ours = _compiled(found, file, code)
    return ours is not None and _equal(ours, code)


def _same_positions(found: _Found, file: _File, code: CodeType) -> bool:
    """Whether the node stands in the very columns that the code came from (Python 3.11 on)."""
    ours = _compiled(found, file, code)
    if ours is None or sys.version_info < (3, 11):
        return False
    return list(ours.co_positions()) == list(code.co_positions())


def _compiled(found: _Found, file: _File, code: CodeType) -> CodeType | None:
    """The code of a definition, compiled in a skeleton of what is around it."""
    node, around = found
    text = [f"import {name}" for name in file.imported]
    free = [name for name in code.co_freevars if name != "__class__"]
    innermost = max((i for i, outer in enumerate(around) if not isinstance(outer, ast.ClassDef)), default=None)
    if free and innermost is None:
        return None  # free variables, and no function around: not this definition
    indent = ""
    for i, outer in enumerate(around):
        name = getattr(outer, "name", "function")
        text.append(f"{indent}class {name}:" if isinstance(outer, ast.ClassDef) else f"{indent}def {name}():")
        indent += " "
        if i == innermost:
            text += [f"{indent}{name} = None" for name in free]
    skeleton = ast.parse("\n".join([*text, f"{indent}pass"]))
    block = skeleton.body
    while isinstance(block[-1], (ast.FunctionDef, ast.ClassDef)):
        block = block[-1].body
    block[-1] = ast.copy_location(ast.Expr(node), node) if isinstance(node, ast.Lambda) else node
    try:
        compiled = compile(skeleton, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except RecursionError:  # Python 3.12 takes deeper nests as text than as a tree
        return _from_text(found, file, code)
    return _nested_code(compiled, len(around), code)


def _from_text(found: _Found, file: _File, code: CodeType) -> CodeType | None:
    """The code of a definition, out of that of its whole file."""
    node, around = found
    text = "".join(file.lines)
    current = compile(text, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    for outer in (*around, node):
        name = getattr(outer, "name", "<lambda>")
        inner = [c for c in current.co_consts if isinstance(c, CodeType)]
        inner = [c for c in inner if c.co_name.endswith(name) and _stands_in(c, outer)]
        if not inner:
            return None
        current = inner[0]
    return current


def _stands_in(code: CodeType, node: Any) -> bool:
    """Whether the code comes from within the node's lines, for lambdas the node's columns."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    if code.co_firstlineno != first or not isinstance(node, ast.Lambda) or sys.version_info < (3, 11):
        return code.co_firstlineno == first
    places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return all(start <= place <= end for place in places if place != (first, 0))


def _nested_code(outer: CodeType, depth: int, wanted: CodeType) -> CodeType | None:
    """The code `depth` functions or classes inside `outer` that begins where `wanted` does."""
    inner = [c for c in outer.co_consts if isinstance(c, CodeType)]
    if depth:
        return _nested_code(inner[-1], depth - 1, wanted) if inner else None
    names = (wanted.co_firstlineno, wanted.co_name)
    return next((c for c in reversed(inner) if (c.co_firstlineno, c.co_name) == names), None)


def _equal(ours: CodeType, theirs: CodeType) -> bool:
    if "@pytest_ar" in theirs.co_names or "@py_builtins" in theirs.co_names:
        # assertions were rewritten, which changes all but the names
        same_names = set(ours.co_names) - {"AssertionError"} <= set(theirs.co_names)
        return same_names and _interface(ours) == _interface(theirs, len(ours.co_varnames))
    return (
        _interface(ours) == _interface(theirs)
        and ours.co_names == theirs.co_names
        and ours.co_cellvars == theirs.co_cellvars
        and len(ours.co_consts) == len(theirs.co_consts)
        and all(map(_equal_consts, ours.co_consts, theirs.co_consts))
        and ours.co_code == theirs.co_code
    )


def _interface(code: CodeType, names: int | None = None) -> tuple[Any, ...]:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    return (code.co_name, *counts, code.co_freevars, code.co_varnames[:names])


def _equal_consts(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _equal(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_equal_consts, a, b))
    if sys.version_info < (3, 11) and isinstance(a, str) and isinstance(b, str) and INSIDE in a and INSIDE in b:
        return a.rpartition(INSIDE)[2] == b.rpartition(INSIDE)[2]  # the name of a function inside, and of those around
    # repr tells 0.0 from -0.0 and 1 from True, and the order of a frozenset may differ
    return type(a) is type(b) and (a == b if isinstance(a, frozenset) else repr(a) == repr(b))


# Sets that are constants

_FOLDED = (
    gast.Constant, gast.Tuple, gast.UnaryOp, gast.BinOp, gast.Subscript, gast.operator, gast.unaryop, gast.expr_context,
)  # fmt: skip
"""What expressions are made of that CPython may evaluate itself."""


def constant_set(node: gast.Set, code: CodeType, iterated: bool) -> frozenset[Any] | None:
    """The constant that CPython makes of a set display within `code`: the set itself (`iterated`: where a loop goes
    through it), or what it is filled from. None where it puts in one item after the other, or all orders are one.

    The order in which a set is gone through depends on that in which it was filled, for such a constant by the
    compiler, or by whoever has read the compiled code from a file: only the code that runs has the right one.
    """
    if not all(isinstance(part, _FOLDED) for item in node.elts for part in gast.walk(item)):
        return None
    tree: Any = gast.gast_to_ast(node)
    if iterated:
        tree = ast.Compare(ast.Constant(0), [ast.In()], [tree])
    compiled = compile(ast.fix_missing_locations(ast.Expression(tree)), code.co_filename, "eval", dont_inherit=True)
    made = next((c for c in compiled.co_consts if isinstance(c, frozenset)), None)
    if made is None or len(made) < 2 or all(type(i) is int and 0 <= i < max(8, len(made)) for i in made):
        return None  # in a table with a place for each of them small numbers stand in their own order
    return next((c for c in _sets_in(code) if c == made and set(map(repr, c)) == set(map(repr, made))), made)


def _sets_in(code: CodeType) -> Iterator[frozenset[Any]]:
    """The sets among the constants of code and of the functions in it."""
    for c in code.co_consts:
        if isinstance(c, frozenset):
            yield c
        elif isinstance(c, CodeType):
            yield from _sets_in(c)


# Class-private names


def _class_around(around: Sequence[ast.AST]) -> str | None:
    for outer in reversed(around):
        if isinstance(outer, ast.ClassDef):
            return outer.name.lstrip("_") or None
    return None


def _mangle(tree: Any, owner: str) -> None:
    """Spells out `__name` as `_Class__name` throughout a function of the class."""

    def mangled(name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and "." not in name
        return f"_{owner}{name}" if private else name

    stack = [tree]
    while stack:
        node = stack.pop()
        match node:
            case gast.Name():
                node.id = mangled(node.id)
            case gast.Attribute():
                node.attr = mangled(node.attr)
            case gast.FunctionDef() | gast.AsyncFunctionDef():
                node.name = mangled(node.name)
            case gast.keyword(arg=str() as arg):
                node.arg = mangled(arg)
            case gast.Global() | gast.Nonlocal():
                node.names = [mangled(n) for n in node.names]
            case gast.ClassDef():
                continue  # it has private names of its own
            case _:
                pass
        stack.extend(gast.iter_child_nodes(node))


_serial = itertools.count(1)


def synthesise(name: str, params: str, body: list[str], names: dict[str, Any]) -> FunctionType:
    """A function of these parameters and statements, `names` its globals, whose source can be
    read like that of any other."""
    text = "".join([f"def {name}({params}):\n", *(f"    {line}\n" for line in body)])
    file = f"<adcompile {name} {next(_serial)}>"
    namespace = {"__name__": SYNTHESISED, **names}
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), namespace)
    made = namespace[name]
    assert isinstance(made, FunctionType)
    return made
