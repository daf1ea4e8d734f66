"""Expressions to calls."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from adcompile.frontend.builder import UNBOUND, Builder, LowerNested, Unit, flag_of
from adcompile.frontend.captures import Captures
from adcompile.frontend.scopes import Scope
from adcompile.frontend.source import constant_set
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const

BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}
IN_PLACE: dict[type, Callable[..., Any]] = {
    gast.Add: operator.iadd,
    gast.Sub: operator.isub,
    gast.Mult: operator.imul,
    gast.Div: operator.itruediv,
    gast.FloorDiv: operator.ifloordiv,
    gast.Mod: operator.imod,
    gast.Pow: operator.ipow,
    gast.MatMult: operator.imatmul,
    gast.BitAnd: operator.iand,
    gast.BitOr: operator.ior,
    gast.BitXor: operator.ixor,
    gast.LShift: operator.ilshift,
    gast.RShift: operator.irshift,
}
UNARY: dict[type, Callable[..., Any]] = {
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Not: operator.not_,
    gast.Invert: operator.invert,
}
COMPARE: dict[type, Callable[..., Any]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Is: operator.is_,
    gast.IsNot: operator.is_not,
}
CONSUMERS = frozenset({"sum", "min", "max", "list", "tuple", "sorted", "set", "frozenset", "dict", "any", "all"})
"""Builtins that take everything an iterable gives before they return."""
CONSUMING_ATTRIBUTES = frozenset({"join", "fsum", "prod", "sumprod", "fromiter", "extend", "update"})
"""Methods, and functions of math and numpy, that do."""
_SUMPROD = (math.sumprod,) if sys.version_info >= (3, 12) else ()
CONSUMING_FUNCTIONS: tuple[Any, ...] = (math.fsum, math.prod, *_SUMPROD, functools.reduce)
"""Functions that do, under whatever name a module has them."""


class Expressions(Builder):
    """Lowers expressions. Operands are evaluated in Python's order."""

    def __init__(
        self,
        unit: Unit,
        scope: Scope,
        captured: Sequence[str],
        captures: Captures,
        late: dict[str, Any],
        lower_nested: LowerNested,
    ) -> None:
        super().__init__(unit, scope, captured)
        self.captures, self.late, self.lower_nested = captures, late, lower_nested
        self.binds_inside = scope.walrus

    def rebound(self, *nodes: Any) -> tuple[str, ...]:
        """The names that evaluating these expressions may rebind."""
        if not self.binds_inside:
            return ()
        return tuple(self.unit.scopes.names(nodes).binds)

    def expr(self, node: Any, hint: str = "t") -> Atom:
        """The value of an expression; `hint` names it if the expression has no name itself."""
        match node:
            case gast.Constant():
                return Const(node.value)
            case gast.Name():
                if node.id in self.late and node.id not in self.env:
                    return self.function(self.late[node.id], node.id)
                return self.load(node.id, node)
            case gast.BinOp():
                left = self.expr(node.left)
                return self.call(BINARY[type(node.op)], left, self.expr(node.right), node=node, hint=hint)
            case gast.UnaryOp():
                return self._unary(node, hint)
            case gast.BoolOp():
                return self._bool(node, hint)
            case gast.Compare():
                return self._compare(node, hint)
            case gast.IfExp():
                test = self.test(node.test)
                names = self.rebound(node.body, node.orelse)
                arms = (lambda: self.expr(node.body, hint), lambda: self.expr(node.orelse, hint))
                return self.choice(test, *arms, names, node, hint)
            case gast.Call():
                return self._call(node, hint)
            case gast.Attribute():
                return self.call(getattr, self.expr(node.value), Const(node.attr), node=node, hint=node.attr)
            case gast.Subscript():
                container = self.expr(node.value)
                return self.call(operator.getitem, container, self.expr(node.slice), node=node, hint=hint)
            case gast.Slice():
                parts = [Const(None) if p is None else self.expr(p) for p in (node.lower, node.upper, node.step)]
                return self.call(slice, *parts, node=node, hint="s")
            case gast.Tuple() | gast.List() | gast.Set():
                return self._display(node, hint)
            case gast.Dict():
                return self._dict(node, hint)
            case gast.JoinedStr():
                return self.call(ops.build_string, *map(self._string_part, node.values), node=node, hint=hint)
            case gast.FormattedValue():
                return self._string_part(node)
            case gast.NamedExpr():
                value = self.expr(node.value, node.target.id)
                self.assign(node.target.id, value, node)
                return value
            case gast.Lambda():
                return self.function(node, "<lambda>" if hint == "t" else hint)
            case gast.ListComp() | gast.SetComp() | gast.DictComp():
                return self.comprehension(node, hint)
            case gast.GeneratorExp():
                return self.refuse(
                    node, "this generator expression is not followed", "Write a list: [...] in place of (...).", hint
                )
            case _:
                what = {"YieldFrom": "yield from"}.get(type(node).__name__, type(node).__name__.lower())
                return self.refuse(node, f"{what} is not followed", "Move it out of the function.", hint)

    def comprehension(self, node: Any, hint: str) -> Atom:
        raise NotImplementedError

    def drained(self, node: Any, hint: str = "t") -> Atom:
        """The value of what is gone through at once, to its end: a generator is a list there."""
        if isinstance(node, gast.GeneratorExp):
            return self.comprehension(node, hint)
        match node:
            case gast.Call(func=gast.Name(), args=[gast.GeneratorExp() as items], keywords=[]):
                if self.is_builtin(node.func, "enumerate"):
                    return self.call(enumerate, self.comprehension(items, "t"), node=node, hint=hint)
            case _:
                pass
        return self.expr(node, hint)

    def gone_through(self, node: Any, hint: str = "t") -> Atom:
        """The value of what a loop or comprehension goes through: Python makes a constant of a set display there."""
        made = constant_set(node, self.unit.code, True) if isinstance(node, gast.Set) else None
        return self.expr(node, hint) if made is None else Const(made)

    def any_all(self, node: Any, wanted: bool, hint: str) -> Atom:
        raise NotImplementedError

    def first_of(self, node: Any, default: Sequence[Any], hint: str) -> Atom:
        raise NotImplementedError

    # Operators

    def _unary(self, node: gast.UnaryOp, hint: str) -> Atom:
        operand = node.operand
        if isinstance(operand, gast.Constant) and type(operand.value) in (int, float, complex):
            if isinstance(node.op, gast.USub):
                return Const(-operand.value)
            if isinstance(node.op, gast.UAdd):
                return Const(operand.value)
        value = self.test(operand) if isinstance(node.op, gast.Not) else self.expr(operand)
        return self.call(UNARY[type(node.op)], value, node=node, hint=hint)

    def test(self, node: Any, hint: str = "t") -> Atom:
        """An expression of which only the truth is asked: `a and b` is then no choice between the values of both."""
        if isinstance(node, gast.BoolOp):
            return self._short_circuit(self._truth(node.values[0], hint), node, 1, self._truth, hint)
        return self.expr(node, hint)

    def _truth(self, node: Any, hint: str = "t") -> Atom:
        value = self.test(node, hint)
        if isinstance(node, (gast.BoolOp, gast.Compare, gast.Constant)) or _is_not(node):
            return value
        return self.call(ops.truth, value, node=node, hint=hint)

    def _bool(self, node: gast.BoolOp, hint: str) -> Atom:
        return self._short_circuit(self.expr(node.values[0]), node, 1, self.expr, hint)

    def _short_circuit(
        self, first: Atom, node: gast.BoolOp, index: int, operand: Callable[[Any, str], Atom], hint: str
    ) -> Atom:
        names = self.rebound(*node.values[index:])
        is_and = isinstance(node.op, gast.And)

        def rest() -> Atom:
            value = operand(node.values[index], hint)
            if index + 1 == len(node.values):
                return value
            return self._short_circuit(value, node, index + 1, operand, hint)

        arms = (rest, lambda: first) if is_and else (lambda: first, rest)
        return self.choice(first, *arms, names, node, hint)

    def _compare(self, node: gast.Compare, hint: str) -> Atom:
        return self._compare_from(self.expr(node.left), node, 0, hint)

    def _compare_from(self, left: Atom, node: gast.Compare, index: int, hint: str) -> Atom:
        right, op = self._compared(node, index), node.ops[index]
        if isinstance(op, (gast.In, gast.NotIn)):
            value = self.call(operator.contains, right, left, node=node, hint=hint)
            if isinstance(op, gast.NotIn):
                value = self.call(operator.not_, value, node=node, hint=hint)
        else:
            value = self.call(COMPARE[type(op)], left, right, node=node, hint=hint)
        if index + 1 == len(node.ops):
            return value
        names = self.rebound(*node.comparators[index + 1 :])
        return self.choice(
            value, lambda: self._compare_from(right, node, index + 1, hint), lambda: value, names, node, hint
        )

    def _compared(self, node: gast.Compare, index: int) -> Atom:
        """An operand; of a set display that is only looked into, the order of the items does not matter."""
        operand, op = node.comparators[index], node.ops[index]
        looked_into = isinstance(operand, gast.Set) and isinstance(op, (gast.In, gast.NotIn)) and len(node.ops) == 1
        if looked_into and not any(isinstance(item, gast.Starred) for item in operand.elts):
            return self.call(ops.build_set, *map(self.expr, operand.elts), node=operand)
        return self.expr(operand)

    # Displays

    def _display(self, node: Any, hint: str) -> Atom:
        if isinstance(node, gast.Set):
            return self._set(node, hint)
        if any(isinstance(item, gast.Starred) for item in node.elts):
            concat = ops.tuple_concat if isinstance(node, gast.Tuple) else ops.list_concat
            return self._concat(concat, node.elts, node, hint)
        build = ops.build_tuple if isinstance(node, gast.Tuple) else ops.build_list
        return self.call(build, *map(self.expr, node.elts), node=node, hint=hint)

    def _set(self, node: gast.Set, hint: str) -> Atom:
        """A set filled as Python fills it, on which the order of its items depends."""
        made = constant_set(node, self.unit.code, False)
        if made is not None:
            return self.call(set, Const(made), node=node, hint=hint)
        if not any(isinstance(item, gast.Starred) for item in node.elts):
            return self.call(ops.build_set, *map(self.expr, node.elts), node=node, hint=hint)
        first, *others = node.elts
        begun = isinstance(first, gast.Starred)
        whole = self.call(set, *([self.drained(first.value)] if begun else ()), node=node, hint=hint)
        for item in others if begun else node.elts:
            starred = isinstance(item, gast.Starred)
            put = self.call(getattr, whole, Const("update" if starred else "add"), node=item)
            self.call(put, self.drained(item.value) if starred else self.expr(item), node=item)
        return whole

    def _concat(self, concat: Callable[..., Any], items: Sequence[Any], node: Any, hint: str) -> Atom:
        """One tuple or list of items some of which are starred."""
        parts: list[Atom] = []
        run: list[Atom] = []

        def close() -> None:
            if run:
                parts.append(self.call(ops.build_tuple, *run, node=node))
                run.clear()

        for item in items:
            if isinstance(item, gast.Starred):
                close()
                value = self.drained(item.value)
                # what is starred is iterated now, before what follows is evaluated
                parts.append(value if item is items[-1] else self.call(ops.tuple_concat, value, node=item))
            else:
                run.append(self.expr(item))
        close()
        return self.call(concat, *parts, node=node, hint=hint)

    def _dict(self, node: gast.Dict, hint: str) -> Atom:
        pairs: list[tuple[Atom | None, Atom]] = []
        for k, (key, value) in enumerate(zip(node.keys, node.values)):
            later = [e for e in (*node.keys[k + 1 :], *node.values[k + 1 :]) if e is not None]
            pairs.append((self.expr(key), self.expr(value)) if key is not None else (None, self._spread(value, later)))
        return self._merge_dicts(ops.dict_merge, pairs, node, hint)

    def _spread(self, value: Any, later: Sequence[Any]) -> Atom:
        """A dict that is read before what follows is evaluated, which may write into it."""
        given = self.expr(value)
        calls = any(not isinstance(e, (gast.Constant, gast.Name)) for e in later)
        return self.call(ops.dict_merge, given, node=value) if calls else given

    def _merge_dicts(
        self, merge: Callable[..., Any], pairs: Sequence[tuple[Atom | None, Atom]], node: Any, hint: str
    ) -> Atom:
        """A dict of these pairs; a pair without a key is a dict to be merged in."""
        parts: list[Atom] = []
        run: list[Atom] = []
        for key, value in pairs:
            if key is not None:
                run += [key, value]
                continue
            if run:
                parts.append(self.call(ops.build_dict, *run, node=node))
            parts.append(value)
            run = []
        if not parts:
            return self.call(ops.build_dict, *run, node=node, hint=hint)
        if run:
            parts.append(self.call(ops.build_dict, *run, node=node))
        return self.call(merge, *parts, node=node, hint=hint)

    def _string_part(self, part: Any) -> Atom:
        if isinstance(part, gast.Constant):
            return Const(part.value)
        if not isinstance(part, gast.FormattedValue):
            return self.expr(part)
        value = self.expr(part.value)
        conversion = "" if part.conversion in (-1, None) else chr(part.conversion)
        spec = Const("") if part.format_spec is None else self.expr(part.format_spec)
        return self.call(ops.format_value, value, Const(conversion), spec, node=part)

    # Calls

    def _call(self, node: gast.Call, hint: str) -> Atom:
        special = self._special_call(node, hint)
        if special is not None:
            return special
        fn = self.expr(node.func)
        if any(isinstance(a, gast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            return self._splat(fn, node, hint)
        args = [self._argument(arg, node) for arg in node.args]
        kwargs = tuple((k.arg, self.expr(k.value)) for k in node.keywords)
        return self.call(fn, *args, node=node, hint=hint, kwargs=kwargs)

    def _splat(self, fn: Atom, node: gast.Call, hint: str) -> Atom:
        starred = any(isinstance(a, gast.Starred) for a in node.args)
        args = (
            self._concat(ops.arguments, node.args, node, "t")
            if starred
            else self.call(ops.build_tuple, *map(self.expr, node.args), node=node)
        )
        values = [k.value for k in node.keywords]
        pairs = [
            (Const(word.arg), self.expr(word.value)) if word.arg is not None
            else (None, self._spread(word.value, values[k + 1 :]))
            for k, word in enumerate(node.keywords)
        ]  # fmt: skip
        kwargs = self._merge_dicts(ops.kwargs_merge, pairs, node, "t")
        return self.call(ops.apply, fn, args, kwargs, node=node, hint=hint)

    def _special_call(self, node: gast.Call, hint: str) -> Atom | None:
        match node:
            case gast.Call(func=gast.Name(id="any" | "all" as name), args=[gast.GeneratorExp()], keywords=[]):
                if self.is_builtin(node.func, name):
                    return self.any_all(node.args[0], name == "any", hint)
            case gast.Call(func=gast.Name(), args=[gast.GeneratorExp() as items, *default], keywords=[]):
                if self.is_builtin(node.func, "next") and _plain(default):
                    return self.first_of(items, default, hint)
            case gast.Call(func=gast.Name(id="super"), args=[], keywords=[]) if "__class__" in self.env:
                first = self.env[self.scope.params[0]] if self.scope.params else UNBOUND
                return self.call(self.expr(node.func), self.env["__class__"], first, node=node, hint=hint)
            case _:
                pass
        return None

    def _argument(self, arg: Any, node: gast.Call) -> Atom:
        drained = self._consumes(node.func) and not self._seen_growing(node.func, arg)
        return self.drained(arg) if drained else self.expr(arg)

    def _seen_growing(self, fn: Any, arg: Any) -> bool:
        """Whether a generator reads the list that its items go into one by one."""
        if not isinstance(fn, gast.Attribute) or not isinstance(arg, gast.GeneratorExp):
            return False
        read = self.unit.scopes.names([arg]).reads
        return any(n.id in read for n in gast.walk(fn.value) if isinstance(n, gast.Name) and n.id in self.local)

    def _consumes(self, fn: Any) -> bool:
        if isinstance(fn, gast.Attribute):
            return fn.attr in CONSUMING_ATTRIBUTES
        if not isinstance(fn, gast.Name):
            return False
        meant = None if fn.id in self.local or fn.id in self.env else self.unit.namespace.get(fn.id)
        return any(meant is f for f in CONSUMING_FUNCTIONS) or fn.id in CONSUMERS and self.is_builtin(fn, fn.id)

    # Functions

    def late_among(self, names: Iterable[str]) -> list[Any]:
        """The definitions of these late functions and of the late ones they use."""
        found: dict[str, None] = {}
        stack = list(names)
        while stack:
            name = stack.pop()
            if name in self.late and name not in found:
                found[name] = None
                stack.extend(self.unit.scopes.of(self.late[name]).free)
        return [self.late[name] for name in self.late if name in found]

    def function(self, node: Any, name: str) -> Atom:
        """A lambda or nested def: its defaults now, and the captured values."""
        args = node.args
        defaults = self.call(ops.build_tuple, *[self.expr(d) for d in args.defaults], node=node)
        kwpairs = [(Const(p.id), self.expr(d)) for p, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None]
        kwdefaults = self.call(ops.build_dict, *[atom for pair in kwpairs for atom in pair], node=node)
        free = self.captures.free_of(node, self.late)
        free = [n for n in free if n == name or n in self.local or n in self.env]
        own = name if self.captures.is_own(node, name) else None
        for captured in free:
            known = captured == own or self.late.get(name) is node or captured in self.shared
            problem = None if known else self.captures.problem(node, captured)
            if problem is not None:
                return self.refuse(node, problem, "Pass the value as an argument with a default: def f(x, k=k).", name)
        cells = [UNBOUND if n == own else self.value_of(n) for n in free]
        loose = frozenset(n for n, cell in zip(free, cells) if cell in self.loose and n != own)
        for n in [n for n in free if n in self.shared and flag_of(n) in self.env]:
            free.append(flag_of(n))
            cells.append(self.env[flag_of(n)])
        key = (node, name, tuple(free), frozenset(self.late), loose)
        if key not in self.unit.lowered:
            self.unit.lowered[key] = self.lower_nested(
                self.unit, node, name, free, self.late, self.shared & set(free), loose
            )
        flags = [self.call(ops.bound_of, c, node=node, hint=f"{n}_bound") for n, c in zip(free, cells) if n in loose]
        cells += flags
        function = Const(self.unit.lowered[key])
        return self.call(ops.make_function, function, defaults, kwdefaults, *cells, node=node, hint=name)


def _plain(default: Sequence[Any]) -> bool:
    return len(default) < 2 and not any(isinstance(d, gast.Starred) for d in default)


def _is_not(node: Any) -> bool:
    return isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)
