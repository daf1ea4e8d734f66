"""Functions of the IR as `def` statements."""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import gast

from adcompile.backend import literals
from adcompile.backend.callables import BUILTINS, GETTER_TYPES, METHOD_TYPES, Globals, known_path, load
from adcompile.backend.fold import end_values
from adcompile.backend.indices import spread_indices
from adcompile.backend.names import name_values
from adcompile.backend.printer import Printer
from adcompile.backend.purity import callee
from adcompile.backend.reuse import fold_and_reuse
from adcompile.backend.undefined import is_undefined, stand_ins
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Attempt, Block, Call, Const, Function, GlobalRef, OpaqueCode, Statement, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Instance, Type
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, statements_of
from adcompile.runtime.plain import Shared

SYNTAX = frozenset({"np", "math", "rt", "operator", "ops", "slice", "range", "complex", "set"})
"""Global names that the text of constants and calls may use anywhere."""
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def define(
    function: Function, name: str, types: Mapping[Var, Type], scope: Globals, functions: Mapping[FunctionRef, str]
) -> list[Any]:
    """The `def` of a function with positional parameters, after the helpers it needs."""
    function, types = spread_indices(function, types)
    if not types:  # as written, by no specialiser
        function = Unwrapped(set(), ()).function(function)
    definer = _definer(function, types, scope, functions)
    params = [definer.parameter(p) for p in (*function.params, *function.captured)]
    arguments = gast.arguments(params, [], None, [], [], None, [])
    definition = definer.definition(function, name, arguments)
    return [*definer.helpers, definition]


def _definer(
    function: Function,
    types: Mapping[Var, Type],
    scope: Globals,
    functions: Mapping[FunctionRef, str],
    known: Mapping[Var, str] | None = None,
    outer: Sequence[Var] = (),
) -> Definer:
    folding, reused = fold_and_reuse(function, types)
    reserved = SYNTAX | frozenset(_global_names(function.body, scope, functions))
    names = name_values(function, folding, reused, reserved, outer)
    definer = Definer(folding, {**names, **(known or {})}, types, scope, functions)
    definer.reused = reused
    definer.variables = {s.result for s in statements_of(function.body) if _makes_variable(s)}
    definer.stand_ins = stand_ins(function, folding, names)
    definer.foreign = bool(definer.stand_ins.made) and any(
        isinstance(s, Call) and isinstance(callee(s), OpaqueCode) for s in statements_of(function.body)
    )
    return definer


class Definer(Printer):
    """Prints one function; nested functions become helpers that are defined before it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.helpers: list[Any] = []
        self.makers: dict[tuple[Any, ...], str] = {}
        self.variables: set[Var] = set()
        """What is an ops.Variable when the code runs: those that a function which is run as written makes."""

    def parameter(self, var: Var) -> gast.Name:
        return gast.Name(self.names[var], gast.Param(), None, None)

    def definition(self, function: Function, name: str, arguments: Any) -> gast.FunctionDef:
        body: list[Any] = []
        self.block(function.body, body, None)
        return gast.FunctionDef(name, arguments, body or [gast.Pass()], [], None, None, [])

    # Nested functions

    def nested(self, function: Function, args: Sequence[Atom]) -> Any:
        """`make_g(s)`: a helper takes what the function captures, and makes the function."""
        cells = [cell for cell in args[2:] if not is_undefined(cell)]
        settings = [atom for atom in args[:2] if not self._is_empty(atom)]
        kinds = [(is_undefined(cell), isinstance(cell, Var) and cell in self.variables) for cell in args[2:]]
        key = (function, *kinds, *(self._is_empty(atom) for atom in args[:2]))
        maker = self.makers.get(key)
        if maker is None:
            maker = self.makers[key] = self._maker(function, args)
        return literals.call(load(maker), *self.atoms([*cells, *settings]))

    def _is_empty(self, atom: Atom) -> bool:
        made = self.folded(atom, ops.build_tuple, ops.build_dict)
        return made is not None and not made.args or isinstance(atom, Const) and atom.value in ((), {})

    def _maker(self, function: Function, args: Sequence[Atom]) -> str:
        """Define the function that makes a nested function; it is defined once for what it is given."""
        cells = list(zip(function.captured, args[2:]))
        own = {var for var, cell in cells if is_undefined(cell) and var.name == function.name}
        name = "function" if function.name == "<lambda>" else function.name
        given = [var for var, cell in cells if not is_undefined(cell)]
        if any(var.name == name for var in given):  # its own name means something else by the time it runs
            name = f"first_{name}"
        variables = {var for var, cell in cells if isinstance(cell, Var) and cell in self.variables}
        held = Instance(Shared)
        shared = {var: held for var, cell in cells if isinstance(cell, Var) and self.types.get(cell) == held}
        function = Unwrapped(set(given) - variables, shared).function(function)
        inner = _definer(function, shared, self.scope, self.functions, dict.fromkeys(own, name), given)
        inner.variables |= variables
        definition = inner.definition(function, name, _arguments(function, inner))
        params = [inner.parameter(var) for var in given]
        body: list[Any] = [definition]
        for atom, field in zip(args[:2], ("__defaults__", "__kwdefaults__")):
            if not self._is_empty(atom):
                params.append(gast.Name(field[2:-2], gast.Param(), None, None))
                target = gast.Attribute(load(name), field, gast.Store())
                body.append(gast.Assign([target], load(field[2:-2]), None))
        body.append(gast.Return(load(name)))
        maker = self.scope.unique(f"make_{name}")
        arguments = gast.arguments(params, [], None, [], [], None, [])
        self.helpers += [*inner.helpers, gast.FunctionDef(maker, arguments, body, [], None, None, [])]
        return maker


class Unwrapped(Rewriter):
    """A function that is run as written, with each `try` and `with` in it: reads the variables whose values it has
    captured, which nobody assigns to any more, and those that a recursive function assigns to; what it deletes is
    unbound."""

    def __init__(self, values: set[Var], shared: Container[Var]) -> None:
        self.values, self.shared = values, shared
        self.read: dict[Var, Atom] = {}

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body))

    def atom(self, atom: Atom) -> Atom:
        return self.read.get(atom, atom) if isinstance(atom, Var) else atom

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        if not isinstance(s, Attempt):
            return super().statement(s)
        parts = [
            Call(r, Const(operator.getitem), (s.opaque.result, Const(i)), (), s.place) for i, r in enumerate(s.results)
        ]
        return (*super().statement(s.opaque), *parts)

    def call(self, call: Call) -> tuple[Statement, ...]:
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if fn is ops.deleted:
            self.read[call.result] = Const(ops.UNDEFINED)
            return ()
        if fn is ops.read_variable and call.args[0] in self.values:
            if call.args[0] in self.shared:
                return (Call(call.result, Const(operator.getitem), (call.args[0], Const("value"))),)
            self.read[call.result] = call.args[0]
            return ()
        return (call,)


def _makes_variable(s: Statement) -> TypeGuard[Call]:
    return isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is ops.make_variable


def _arguments(function: Function, definer: Definer) -> gast.arguments:
    """The parameters of a nested function, by their kinds; defaults are set on the function."""
    signature = function.signature
    params = [definer.parameter(var) for var in function.params]
    positional, rest = params[: len(signature.positional)], params[len(signature.positional) :]
    vararg = rest.pop(0) if signature.vararg is not None else None
    kwarg = rest.pop() if signature.kwarg is not None else None
    leading = signature.positional_only
    return gast.arguments(positional[leading:], positional[:leading], vararg, rest, [None] * len(rest), kwarg, [])


def _global_names(body: Block, scope: Globals, functions: Mapping[FunctionRef, str]) -> Iterator[str]:
    """The global names that a function body refers to: its locals must be called something else."""
    for block in all_blocks(body):
        for statement in block.statements:
            for atom in atoms_of(statement):
                yield from _names_in(atom, scope, functions)
        for atom in end_values(block.end):
            yield from _names_in(atom, scope, functions)


def _names_in(atom: Atom, scope: Globals, functions: Mapping[FunctionRef, str]) -> Iterator[str]:
    if not isinstance(atom, Const) or isinstance(atom.value, (*PLAIN, *METHOD_TYPES, *GETTER_TYPES, Function)):
        return
    value = atom.value
    if isinstance(value, FunctionRef):
        yield functions[value]
    elif isinstance(value, GlobalRef):
        yield value.name if value.name in BUILTINS else _root(scope.global_name(value))
    elif isinstance(value, OpaqueCode):
        yield scope.bind(value.run, value.name)
    elif isinstance(value, (tuple, slice)):
        for item in value if isinstance(value, tuple) else (value.start, value.stop, value.step):
            yield from _names_in(Const(item), scope, functions)
    else:
        path = known_path(value)
        yield path.split(".")[0] if path is not None else _root(literals.literal(value, scope))


def _root(node: Any) -> str:
    while not isinstance(node, gast.Name):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node.id
