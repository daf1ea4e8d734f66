"""Statements that are not followed, made into a function that runs them as they are written."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, ClassVar

import gast

from adcompile.errors import Place
from adcompile.frontend.scopes import FUNCTIONS
from adcompile.ir import ops
from adcompile.ir.nodes import OpaqueCode

_UNDEFINED = "__undefined"
_PREFIX = "__out_"
_BOUND = "__bound_"


def make_opaque(
    nodes: Sequence[Any],
    inputs: Sequence[str],
    outputs: Sequence[str],
    exits: dict[str, str],
    returns: bool,
    namespace: dict[str, Any],
    feature: str,
    remedy: str,
    place: Place | None,
    unsure: Sequence[str] = (),
    unbound: Sequence[str] = (),
    kind: type[OpaqueCode] = OpaqueCode,
) -> OpaqueCode:
    """The OpaqueCode for statements, or a `kind` of it; it is compiled when first called.

    `unsure`: the inputs that may be unbound; behind all inputs the code is given whether each of these is bound.
    `unbound`: names of the function that are not, which are not those of its module.
    `exits`: "break" and "continue" of a loop around → the outputs that say whether they ran.
    """
    name = f"{feature}_{place.line if place else 0}"
    asked = {n: f"{_BOUND}{n}" for n in unsure}
    inputs = (*inputs, *asked.values())
    run = Runner(
        name, list(nodes), inputs, asked, tuple(unbound), tuple(outputs), exits, returns, namespace,
        place.file if place else "<opaque>",
    )  # fmt: skip
    return kind(
        name, list(nodes), inputs, tuple(outputs), returns, namespace, feature, remedy, place, run
    )


@dataclass(slots=True, eq=False)
class Runner:
    BY_IDENTITY: ClassVar[bool] = True  # a program may depend on this very one

    name: str
    nodes: list[Any]
    inputs: tuple[str, ...]
    asked: dict[str, str]
    unbound: tuple[str, ...]
    outputs: tuple[str, ...]
    exits: dict[str, str]
    returns: bool
    namespace: dict[str, Any]
    file: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    function: Callable[..., tuple[Any, ...]] | None = None
    code: OpaqueCode | None = None  # which it runs, as generated code calls it

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        if self.function is None:
            with self.lock:
                if self.function is None:
                    self.function = self._compile()
        return self.function(*values)

    def text(self) -> str:
        """The source of a function that, given UNDEFINED, makes the one that runs the statements."""
        return ast.unparse(self._tree())

    def compiled(self) -> CodeType:
        return compile(self._tree(), self.file, "exec", dont_inherit=True)

    def _compile(self) -> Callable[..., tuple[Any, ...]]:
        local: dict[str, Any] = {}
        exec(self.compiled(), self.namespace, local)
        return local["__maker"](ops.UNDEFINED)

    def _tree(self) -> ast.Module:
        body = gast.gast_to_ast(gast.Module(body=self.nodes, type_ignores=[])).body
        if self.returns:
            returns = _Returns([name in self.exits.values() for name in self.outputs])
            body = [returns.visit(s) for s in body]
        if self.exits:
            body = [_Exits(self.exits).visit(s) for s in body]
        scaffold = ast.parse(self._scaffold())
        block = _placeholder(scaffold)
        at = next(i for i, s in enumerate(block) if isinstance(s, ast.Pass))
        block[at : at + 1] = body
        return ast.fix_missing_locations(scaffold)

    def _scaffold(self) -> str:
        """The text around the statements, which replace `pass`. The names are made unbound that
        are not bound, and given back as UNDEFINED where they are unbound at the end."""
        names = tuple(dict.fromkeys(self.outputs))
        lines = [f"def __maker({_UNDEFINED}):", f"  def {self.name}({', '.join(self.inputs)}):"]
        declared = sorted(_globals(self.nodes))
        if declared:
            lines.append(f"    global {', '.join(declared)}")
        for name in (n for n in self.inputs if n not in self.asked.values()):
            test = f"not {self.asked[name]}" if name in self.asked else f"{name} is {_UNDEFINED}"
            lines += [f"    if {test}:", f"      del {name}"]
        lines += [f"    if False: {name} = None" for name in self.unbound if name not in declared]
        lines += [f"    {flag} = False" for flag in self.exits.values()]
        # break and continue of the loop around leave a loop of one iteration
        lines += ["    for __once in (0,):", "      pass"] if self.exits else ["    pass"]
        for i, name in enumerate(names):
            lines += ["    try:", f"      {_PREFIX}{i} = {name}"]
            lines += ["    except NameError:", f"      {_PREFIX}{i} = {_UNDEFINED}"]
        out = "".join(f"{_PREFIX}{names.index(name)}, " for name in self.outputs)
        lead = "False, None, " if self.returns else ""
        lines += [f"    return ({lead}{out})", f"  return {self.name}"]
        return "\n".join(lines)


def _globals(nodes: Sequence[Any]) -> set[str]:
    out: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Global):
            out.update(node.names)
        if not isinstance(node, FUNCTIONS):
            stack.extend(gast.iter_child_nodes(node))
    return out


def _placeholder(tree: ast.AST) -> list[ast.stmt]:
    """The block that holds the scaffold's `pass`."""
    return next(
        block
        for node in ast.walk(tree)
        for block in [getattr(node, "body", [])]
        if any(isinstance(s, ast.Pass) for s in block)
    )


class _OwnScope(ast.NodeTransformer):
    """Leaves nested functions and classes alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node


class _Returns(_OwnScope):
    """`return v` → `return (True, v, UNDEFINED, …)`; outputs that are flags are False."""

    def __init__(self, flags: Sequence[bool]) -> None:
        self.flags = flags

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = ast.Constant(None) if node.value is None else node.value
        filler = [ast.Constant(False) if flag else ast.Name(_UNDEFINED, ast.Load()) for flag in self.flags]
        return ast.copy_location(ast.Return(ast.Tuple([ast.Constant(True), value, *filler], ast.Load())), node)


class _Exits(_OwnScope):
    """`break` and `continue` of the loop around → the setting of a flag, and a break."""

    def __init__(self, exits: dict[str, str]) -> None:
        self.exits = exits

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return self._leave("break", node)

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return self._leave("continue", node)

    def _leave(self, kind: str, node: ast.stmt) -> list[ast.stmt]:
        flag = ast.Assign([ast.Name(self.exits[kind], ast.Store())], ast.Constant(True))
        return [ast.copy_location(s, node) for s in (flag, ast.Break())]

    def visit_For(self, node: ast.For) -> ast.For:
        return self._inner_loop(node)

    def visit_While(self, node: ast.While) -> ast.While:
        return self._inner_loop(node)

    def _inner_loop(self, node: Any) -> Any:
        """A loop inside has exits of its own, but for those in its else."""
        orelse: list[ast.stmt] = []
        for statement in node.orelse:
            new = self.visit(statement)
            orelse += new if isinstance(new, list) else [new]
        node.orelse = orelse
        return node
