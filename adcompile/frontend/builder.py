"""The state of lowering one function: statements so far and what each name means now."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from dataclasses import field
from types import CodeType
from typing import Any, TypeVar

from adcompile.errors import Place, Unsupported
from adcompile.frontend.items import display_name
from adcompile.frontend.scopes import Scope, Scopes
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, GlobalRef, If, Statement, Var, Yield

T = TypeVar("T")
UNBOUND, TRUE, FALSE = Const(ops.UNDEFINED), Const(True), Const(False)


@frozen(eq=False)
class Unit:
    """What a function shares with those nested in it."""

    file: str
    namespace: dict[str, Any]
    scopes: Scopes
    code: CodeType
    lowered: dict[Any, Function] = field(default_factory=dict[Any, Function])  # nested functions, each once


def flag_of(name: str) -> str:
    """Under which name a function has what tells whether the variable `name` is bound that it shares with others."""
    return f"{name}%bound"


def place_of(file: str, node: Any) -> Place | None:
    """Where a gast node stands; None for nodes that stand nowhere."""
    line = getattr(node, "lineno", None)
    if line is None:
        return None
    end_line, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    column = node.col_offset
    return Place(
        file, line, column, line if end_line is None else end_line, column if end_column is None else end_column
    )


class Builder:
    """Emits statements; binds names, undoing what a branch bound when the branch is done."""

    def __init__(self, unit: Unit, scope: Scope, captured: Sequence[str]) -> None:
        self.unit, self.scope = unit, scope
        self.statements: list[Statement] = []
        self.env: dict[str, Atom] = {}
        self.trail: list[tuple[str, Atom | None]] = []
        self.captured = tuple(captured)
        self.local = scope.bound | set(captured)
        self.shared: frozenset[str] = frozenset()  # names whose value is in a variable of their own
        self.outside = scope.globals  # names of the module that the function assigns
        self.loose: set[Atom] = {UNBOUND}  # values that some path may leave unbound

    def place(self, node: Any) -> Place | None:
        return place_of(self.unit.file, node)

    # Statements

    def call(
        self,
        fn: Atom | Callable[..., Any],
        *args: Atom,
        node: Any,
        hint: str = "t",
        kwargs: tuple[tuple[str, Atom], ...] = (),
    ) -> Var:
        place = self.place(node)
        result = Var(hint, place)
        fn = fn if isinstance(fn, (Var, Const)) else Const(fn)
        self.statements.append(Call(result, fn, args, kwargs, place))
        return result

    def refuse(self, node: Any, message: str, remedy: str, hint: str = "t") -> Var:
        """Emits what raises Unsupported when it is reached."""
        return self.call(ops.unsupported, Const(Unsupported(message, self.place(node), remedy)), node=node, hint=hint)

    def scoped(self, fn: Callable[[], T]) -> tuple[tuple[Statement, ...], T]:
        """Runs `fn` on a statement list of its own; bindings made by it are undone after."""
        statements, trail = self.statements, self.trail
        self.statements, self.trail = [], []
        value = fn()
        for name, before in reversed(self.trail):
            if before is None:
                del self.env[name]
            else:
                self.env[name] = before
        inner = tuple(self.statements)
        self.statements, self.trail = statements, trail
        return inner, value

    # Names

    def bind(self, name: str, atom: Atom) -> None:
        self.trail.append((name, self.env.get(name)))
        self.env[name] = atom

    def value_of(self, name: str) -> Atom:
        """The value of a local name now; UNBOUND if it has none."""
        return self.env.get(name, UNBOUND)

    def load(self, name: str, node: Any) -> Atom:
        free = Const(name not in self.scope.bound)
        if name in self.shared and name in self.env:
            if flag_of(name) in self.env:
                flag = self.call(ops.read_variable, self.env[flag_of(name)], node=node, hint=f"{name}_bound")
                self.call(ops.read, Const(None), Const(name), free, flag, node=node)
            return self.call(ops.read_variable, self.env[name], node=node, hint=name)
        if name not in self.outside and (name in self.env or name in self.local):
            value = self.value_of(name)
            if value in self.loose:
                self.call(ops.read, value, Const(name), free, node=node)
            return value
        ref = GlobalRef(self.unit.namespace, name, self.place(node))
        return self.call(ops.load_global, Const(ref), node=node, hint=name)

    def assign(self, name: str, atom: Atom, node: Any) -> None:
        if name in self.outside:
            self.assign_outside(name, atom, node)
        elif name in self.shared and name in self.env:
            self.call(ops.write_variable, self.env[name], atom, node=node)
            self.flag(name, TRUE, node)
        elif name in self.scope.nonlocals:
            self.refuse_assigned(name, node)
        else:
            self.bind(name, atom)

    def flag(self, name: str, bound: Const, node: Any) -> None:
        """Note that a variable that several functions share is bound now, or not any more."""
        if flag_of(name) in self.env:
            self.call(ops.write_variable, self.env[flag_of(name)], bound, node=node)

    def delete(self, name: str, node: Any) -> None:
        if name in self.outside or name in self.scope.nonlocals and name not in self.env:
            self.assign(name, UNBOUND, node)
            return
        self.load(name, node)
        if name in self.shared and name in self.env:
            self.flag(name, FALSE, node)
        elif name in self.scope.nonlocals:
            self.refuse_assigned(name, node)
        else:
            gone = self.call(ops.deleted, node=node, hint=name)
            self.loose.add(gone)
            self.bind(name, gone)

    def assign_outside(self, name: str, atom: Atom, node: Any) -> None:
        """A name of the module, which is an attribute of it."""
        found = sys.modules.get(str(self.unit.namespace.get("__name__")))
        if atom is UNBOUND or found is None or vars(found) is not self.unit.namespace:
            self.refuse_assigned(name, node)
        else:
            self.call(ops.assign_global, Const(found), Const(name), atom, node=node)

    def refuse_assigned(self, name: str, node: Any) -> None:
        kind = "global" if name in self.scope.globals else "nonlocal"
        message = f"{name!r} is {kind}, and assigning to it is not followed"
        self.refuse(node, message, "Return the value instead, and let the caller assign it.")

    def is_builtin(self, node: Any, name: str) -> bool:
        """Whether a callee is the name of a builtin that nothing shadows."""
        return (
            getattr(node, "id", None) == name
            and name not in self.local
            and name not in self.env
            and name not in self.unit.namespace
            and hasattr(builtins, name)
        )

    # Joins

    def loosen(self, results: Sequence[Var], *sources: Sequence[Atom]) -> None:
        """Note which results are unbound where one of their sources is."""
        for row in zip(results, *sources):
            if any(a in self.loose for a in row[1:]):
                self.loose.add(row[0])

    def choice(
        self,
        test: Atom,
        then: Callable[[], Atom],
        orelse: Callable[[], Atom],
        names: Sequence[str],
        node: Any,
        hint: str,
    ) -> Atom:
        """An If with one value; `names` are those that either branch may rebind."""

        def arm(value: Callable[[], Atom]) -> tuple[Atom, ...]:
            return (value(), *(self.value_of(name) for name in names))

        then_statements, then_values = self.scoped(lambda: arm(then))
        else_statements, else_values = self.scoped(lambda: arm(orelse))
        place = self.place(node)
        results = (Var(hint, place), *(Var(display_name(name), place) for name in names))
        self.loosen(results, then_values, else_values)
        blocks = (Block((), then_statements, Yield(then_values)), Block((), else_statements, Yield(else_values)))
        self.statements.append(If(results, test, *blocks, place))
        for name, var in zip(names, results[1:]):
            self.bind(name, var)
        return results[0]


LowerNested = Callable[
    [Unit, Any, str, Sequence[str], dict[str, Any], "frozenset[str]", "frozenset[str]"], Function
]
