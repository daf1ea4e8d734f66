"""Statements without control flow: assignments, deletions, definitions, imports."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Sequence
from typing import Any

import gast

from adcompile.frontend.comprehensions import Comprehensions
from adcompile.frontend.expressions import IN_PLACE
from adcompile.frontend.items import display_name
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const


class Statements(Comprehensions):
    """Lowers simple statements."""

    def simple(self, node: Any) -> None:
        """Emits what a statement without control flow does."""
        match node:
            case gast.Expr(value=gast.Constant()):
                pass  # a docstring, or an ellipsis
            case gast.Expr():
                self.expr(node.value)
            case gast.Assign():
                self._assign(node.targets, node.value)
            case gast.AnnAssign():
                if node.value is not None:
                    self._assign([node.target], node.value)
            case gast.AugAssign():
                self._augmented(node)
            case gast.Delete():
                for target in node.targets:
                    self._delete(target)
            case gast.FunctionDef():
                self._definition(node)
            case gast.Import():
                self._import(node)
            case gast.ImportFrom():
                self._import_from(node)
            case _:
                what = type(node).__name__.lower()
                self.refuse(node, f"{what} is not followed", "Move it out of the function.")

    # Assignment

    def _assign(self, targets: Sequence[Any], value: Any) -> None:
        if len(targets) == 1 and _pairs(targets[0], value):
            self._parallel(targets[0], value)
            return
        first = targets[0]
        if len(targets) == 1 and isinstance(first, (gast.Tuple, gast.List)):
            self.unpack(first, self.drained(value))
            return
        atom = self.expr(value, display_name(first.id) if isinstance(first, gast.Name) else "t")
        for target in targets:
            self.unpack(target, atom)

    def _parallel(self, target: Any, value: Any) -> None:
        """`a, b = x, y`: no tuple is made."""
        atoms = self._parts(target, value)
        for part, atom in atoms:
            self.unpack(part, atom)

    def _parts(self, target: Any, value: Any) -> list[tuple[Any, Atom]]:
        if _pairs(target, value):
            return [part for t, v in zip(target.elts, value.elts) for part in self._parts(t, v)]
        return [(target, self.expr(value, target.id if isinstance(target, gast.Name) else "t"))]

    def unpack(self, target: Any, value: Atom) -> None:
        """Stores `value` in a target of any kind."""
        match target:
            case gast.Name():
                self.assign(target.id, value, target)
            case gast.Tuple() | gast.List():
                self._unpack_items(target, value)
            case gast.Subscript():
                container = self.expr(target.value)
                self.call(operator.setitem, container, self.expr(target.slice), value, node=target)
            case gast.Attribute():
                self.call(setattr, self.expr(target.value), Const(target.attr), value, node=target)
            case _:
                self.refuse(target, "this target is not followed", "Assign to a plain name.")

    def _unpack_items(self, target: Any, value: Atom) -> None:
        stars = [i for i, item in enumerate(target.elts) if isinstance(item, gast.Starred)]
        if stars:
            after = len(target.elts) - stars[0] - 1
            items = self.call(ops.unpack_star, value, Const(stars[0]), Const(after), node=target)
        else:
            items = self.call(ops.unpack, value, Const(len(target.elts)), node=target)
        for i, part in enumerate(target.elts):
            part = part.value if isinstance(part, gast.Starred) else part
            hint = part.id if isinstance(part, gast.Name) else "t"
            self.unpack(part, self.call(operator.getitem, items, Const(i), node=part, hint=hint))

    def _augmented(self, node: gast.AugAssign) -> None:
        op = IN_PLACE[type(node.op)]
        match node.target:
            case gast.Name(id=name) as target:
                before = self.load(name, target)
                self.assign(name, self.call(op, before, self.expr(node.value), node=node, hint=name), node)
            case gast.Subscript() as target:
                container = self.expr(target.value)
                index = self.expr(target.slice)
                before = self.call(operator.getitem, container, index, node=target)
                new = self.call(op, before, self.expr(node.value), node=node)
                self.call(operator.setitem, container, index, new, node=node)
            case target:
                owner, attr = self.expr(target.value), Const(target.attr)
                before = self.call(getattr, owner, attr, node=target, hint=target.attr)
                new = self.call(op, before, self.expr(node.value), node=node, hint=target.attr)
                self.call(setattr, owner, attr, new, node=node)

    def _delete(self, target: Any) -> None:
        match target:
            case gast.Name():
                self.delete(target.id, target)
            case gast.Subscript():
                container = self.expr(target.value)
                self.call(operator.delitem, container, self.expr(target.slice), node=target)
            case gast.Attribute():
                self.call(delattr, self.expr(target.value), Const(target.attr), node=target)
            case _:
                for item in target.elts:
                    self._delete(item)

    # Definitions

    def _definition(self, node: Any) -> None:
        if self.late.get(node.name) is node:
            return  # made where it is used
        decorators = [self.expr(d) for d in node.decorator_list]
        fn = self.function(node, node.name)
        for decorator in reversed(decorators):
            fn = self.call(decorator, fn, node=node, hint=node.name)
        self.assign(node.name, fn, node)

    def _import(self, node: gast.Import) -> None:
        for alias in node.names:
            module = self._module(alias.name, node)
            if alias.asname is not None:
                self.assign(alias.asname, module, node)
            else:
                top = alias.name.split(".")[0]
                self.assign(top, module if top == alias.name else self._module(top, node), node)

    def _import_from(self, node: gast.ImportFrom) -> None:
        package = self.unit.namespace.get("__package__")
        name = "." * (node.level or 0) + (node.module or "")
        args = (Const(package),) if node.level else ()
        module = self.call(importlib.import_module, Const(name), *args, node=node, hint="module")
        for alias in node.names:
            value = self.call(ops.import_from, module, Const(alias.name), node=node, hint=alias.name)
            self.assign(alias.asname or alias.name, value, node)

    def _module(self, name: str, node: Any) -> Atom:
        return self.call(importlib.import_module, Const(name), node=node, hint=name.split(".")[-1])


def _pairs(target: Any, value: Any) -> bool:
    """Whether target and value are displays that match item by item."""
    return (
        isinstance(target, (gast.Tuple, gast.List))
        and isinstance(value, (gast.Tuple, gast.List))
        and len(target.elts) == len(value.elts)
        and not any(isinstance(item, gast.Starred) for item in (*target.elts, *value.elts))
    )
