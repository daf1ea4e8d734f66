"""What code that is run as written may write into: its own variables, globals, and what helpers reach.

A scan of names without regard to order: a name is written if anything that may share memory with
it is stored into, or is handed to a function that is not known to leave it alone. Functions with
source are looked into.
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import gast
import numpy as np

from adcompile.errors import SourceError
from adcompile.frontend.scopes import parameters
from adcompile.frontend.source import source_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, GlobalRef, OpaqueCode, Var
from adcompile.ir.types import Closure, Type

Positions = Callable[[Any], "tuple[int, ...] | None"]
"""Which arguments a callable writes into; None: nothing is known of it."""

MUTATING = frozenset(
    "append extend insert pop remove clear sort reverse update setdefault popitem add discard fill put itemset".split()
)
HARMLESS = frozenset(
    name for cls in (str, bytes, int, float, complex, list, dict, tuple, set, range, np.ndarray) for name in dir(cls)
) - (MUTATING | {"sort", "put", "fill", "partition", "resize", "setfield", "setflags", "__setitem__", "__iadd__"})
"""Methods of these names are taken for those of builtin types, which leave their owner alone."""
LOGGING = frozenset("debug info warning error exception critical log isEnabledFor".split())
QUIET = frozenset({"logging", "warnings", "traceback", "time", "sys"})
"""Modules whose functions write into none of their arguments."""
DEPTH = 24
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass
class Stores:
    """`names` of the code's own variables; other memory as the constants that stand for it. `placed`: into what of
    these names things are put, or taken out of, and nothing else happens to it: attributes, and None for items."""

    names: set[str] = field(default_factory=set[str])
    outside: list[Const] = field(default_factory=list[Const])
    placed: dict[str, set[str | None]] = field(default_factory=dict[str, "set[str | None]"])


def stored_atoms(
    call: Call, code: OpaqueCode, types: Mapping[Var, Type], definition: Mapping[Var, Call], positions: Positions
) -> tuple[Atom, ...]:
    """The values whose memory a call of opaque code may write; of a closure those it captured."""
    stores = stores_of(code, positions)
    out: list[Atom] = list(stores.outside)
    todo: list[Atom] = [a for name, a in zip(code.inputs, call.args) if name in stores.names]
    while todo:
        atom = todo.pop()
        made = definition.get(atom) if isinstance(atom, Var) and isinstance(types[atom], Closure) else None
        if made is not None and isinstance(made.fn, Const) and made.fn.value is ops.make_function:
            todo += made.args[1:]
        elif isinstance(atom, Const) and isinstance(atom.value, FunctionType):
            out += [Const(cell.cell_contents) for cell in atom.value.__closure__ or () if not is_empty(cell)]
        else:
            out.append(atom)
    return tuple(out)


def is_empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading it is the test
    except ValueError:
        return True
    return False


@functools.lru_cache(1024)
def stores_of(code: OpaqueCode, positions: Positions) -> Stores:
    scan = _Scan(code.namespace, set(code.inputs) | _bound(code.code), positions, ())
    scan.run(code.code)
    return scan.stores()


def _bound(nodes: Sequence[Any]) -> set[str]:
    """The names that any scope in these nodes binds."""
    out: set[str] = set()
    for node in _walk(nodes):
        match node:
            case gast.Name(ctx=gast.Store() | gast.Param()):
                out.add(node.id)
            case gast.FunctionDef() | gast.ClassDef():
                out.add(node.name)
            case gast.ExceptHandler(name=gast.Name(id=name)):
                out.add(name)
            case gast.alias():
                out.add((node.asname or node.name).partition(".")[0])
            case _:
                pass
    return out - {name for node in _walk(nodes) if isinstance(node, gast.Global) for name in node.names}


def _walk(nodes: Sequence[Any]) -> list[Any]:
    out, stack = list[Any](), list(nodes)
    while stack:
        node = stack.pop()
        out.append(node)
        stack.extend(gast.iter_child_nodes(node))
    return out


class _Scan:
    """The names written in one body, whose local names are `local`."""

    def __init__(
        self, namespace: dict[str, Any], local: set[str], positions: Positions, inside: tuple[Any, ...]
    ) -> None:
        self.namespace, self.local, self.positions, self.inside = namespace, local, positions, inside
        self.written: set[str] = set()
        self.deep: set[str] = set()  # of these also what they hold
        self.placed: dict[str, set[str | None]] = {}
        self.filled: set[str] = set()  # written in other ways than by putting something in
        self.shared: list[set[str]] = []
        self.kept: list[set[str]] = []  # what was put into a slot of what
        self.outside: list[Const] = []

    def stores(self) -> Stores:
        changed = True
        while changed:
            before = len(self.written)
            for group in self.shared:
                if group & self.written:
                    self.written |= group
                if group & self.deep:
                    self.deep |= group
            for group in self.kept:
                if group & self.deep:
                    self.deep |= group
                    self.written |= group
            changed = len(self.written) != before
        refs = [Const(GlobalRef(self.namespace, n)) for n in sorted(self.written - self.local) if n in self.namespace]
        unsure = self.filled.union(self.deep, *self.shared)
        placed = {name: kinds for name, kinds in self.placed.items() if name not in unsure}
        return Stores(self.written & self.local, [*self.outside, *refs], placed)

    def run(self, nodes: Sequence[Any]) -> None:
        for node in _walk(nodes):
            match node:
                case gast.Subscript(ctx=gast.Store() | gast.Del()) | gast.Attribute(ctx=gast.Store() | gast.Del()):
                    self.place(node)
                case gast.AugAssign(target=target):
                    self.filled |= self.roots(target)
                    if isinstance(target, gast.Name):
                        self.written.add(target.id)
                case gast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.share(target, value)
                case gast.AnnAssign(target=target, value=value) | gast.NamedExpr(target=target, value=value):
                    if value is not None:
                        self.share(target, value)
                case gast.For(target=target, iter=value) | gast.comprehension(target=target, iter=value):
                    self.share(target, value)
                case gast.withitem(context_expr=value, optional_vars=target) if target is not None:
                    self.share(target, value)
                case gast.Call():
                    self.call(node)
                case gast.Global(names=names):
                    self.fill(set(names))
                case _:
                    pass

    def place(self, node: Any) -> None:
        """Something is put into a slot, or taken out."""
        names = self.roots(node.value)
        self.written |= names
        if isinstance(node.value, (gast.Subscript, gast.Attribute)):
            self.deep |= names
        elif isinstance(node.value, gast.Name):
            self.placed.setdefault(node.value.id, set()).add(getattr(node, "attr", None))
        else:
            self.filled |= names

    def fill(self, names: set[str]) -> None:
        self.written |= names
        self.filled |= names

    def share(self, target: Any, value: Any) -> None:
        names = self.roots(target) | self.roots(value)
        slot = isinstance(target, (gast.Subscript, gast.Attribute))
        if len(names) > 1:
            (self.kept if slot else self.shared).append(names)

    def roots(self, node: Any) -> set[str]:
        """The names whose objects an expression may give, or give parts of."""
        match node:
            case gast.Name(id=name):
                return {name}
            case gast.Attribute(value=value) | gast.Subscript(value=value) | gast.Starred(value=value):
                return self.roots(value)
            case gast.BinOp() | gast.UnaryOp() | gast.Compare() | gast.JoinedStr() | gast.Constant() | None:
                return set()
            case gast.Call(func=func, args=args, keywords=keywords):
                owner = self.roots(func) if isinstance(func, gast.Attribute) else set[str]()
                return owner.union(*map(self.roots, args), *(self.roots(k.value) for k in keywords))
            case gast.Lambda() | gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                return {n.id for n in _walk([node]) if isinstance(n, gast.Name)}
            case _:
                return set[str]().union(*map(self.roots, gast.iter_child_nodes(node)))

    def write(self, *nodes: Any) -> None:
        """Somebody may write into these values and what they hold."""
        for node in nodes:
            self.fill(self.roots(node))
            self.deep |= self.roots(node)

    # -- calls ------------------------------------------------------------------------------

    def call(self, node: gast.Call) -> None:
        known, fn = self.resolve(node.func)
        given = [*node.args, *(k.value for k in node.keywords)]
        for keyword in node.keywords:
            if keyword.arg in ("out", "file"):
                self.write(keyword.value)
        if known:
            self.known(fn, node)
        elif isinstance(node.func, gast.Attribute):
            owner = self.roots(node.func.value)
            if node.func.attr in MUTATING:
                self.fill(owner)
                self.kept.append(owner.union(*map(self.roots, given)))
            elif node.func.attr not in HARMLESS | LOGGING:
                self.write(node.func.value, *given)
        else:
            self.write(node.func, *given)

    def resolve(self, node: Any) -> tuple[bool, Any]:
        """Whether it is known what an expression means, and what."""
        match node:
            case gast.Name(id=name) if name not in self.local:
                found = name in self.namespace or hasattr(builtins, name)
                return found, self.namespace.get(name, getattr(builtins, name, None))
            case gast.Attribute(value=value, attr=attr):
                known, owner = self.resolve(value)
                fixed = known and (isinstance(owner, (ModuleType, type)) or attr in vars(type(owner)))
                return (True, getattr(owner, attr)) if fixed and hasattr(owner, attr) else (False, None)
            case _:
                return False, None

    def known(self, fn: Any, node: gast.Call) -> None:
        """A call of a callable that is known."""
        home = str(getattr(fn, "__module__", None) or "").partition(".")[0]
        owner = getattr(fn, "__self__", None)
        if home in QUIET or type(owner).__module__.partition(".")[0] in QUIET or is_plain_class(fn):
            return
        if isinstance(fn, MethodType):
            self.method(fn.__func__, fn.__self__, node)
            return
        if isinstance(fn, type) and isinstance(fn.__init__, FunctionType):
            self.method(fn.__init__, None, node)
            return
        if isinstance(fn, BuiltinFunctionType) and owner is not None and not isinstance(owner, ModuleType):
            if fn.__name__ in MUTATING:
                self.write(node.func)
            return
        positions = self.positions(fn)
        inner = fn if isinstance(fn, FunctionType) else getattr(fn, "_implementation", None)
        if positions is None and isinstance(inner, FunctionType):
            self.function(inner, node, 0)
        else:
            self.arguments(node, positions)

    def arguments(self, node: gast.Call, positions: tuple[int, ...] | None) -> None:
        for i, arg in enumerate(node.args):
            if positions is None or i in positions or isinstance(arg, gast.Starred) and positions:
                self.write(arg)
        if positions is None:
            for keyword in node.keywords:
                self.write(keyword.value)

    def method(self, fn: Any, owner: Any, node: gast.Call) -> None:
        if not isinstance(fn, FunctionType):
            self.arguments(node, None)
        elif self.function(fn, node, 1) and owner is not None:
            self.outside.append(Const(owner))

    def function(self, fn: FunctionType, node: gast.Call, skip: int) -> bool:
        """Look into a function; the first `skip` parameters are bound already. Whether it may
        write into the first parameter."""
        found = function_stores(fn, self.positions, self.inside)
        if found is None:
            self.arguments(node, None)
            return True
        names, stores = found
        self.outside += stores.outside
        order = [n for n, kind in names.items() if kind in BY_POSITION][skip:]
        splat = False
        for i, arg in enumerate(node.args):
            splat = splat or isinstance(arg, gast.Starred)
            into = set(names) if splat or i >= len(order) else {order[i]}
            if into & stores.names:
                self.write(arg)
        for keyword in node.keywords:
            into = {keyword.arg} if keyword.arg in names else set(names)
            if into & stores.names:
                self.write(keyword.value)
        return bool(skip) and next(iter(names), None) in stores.names


def is_plain_class(fn: Any) -> bool:
    """Classes whose making writes into nothing: exceptions, numbers, text, types of NumPy."""
    plain = (BaseException, str, bytes, int, float, complex, bool, tuple, list, dict, set, frozenset, range, np.generic)
    return isinstance(fn, type) and (issubclass(fn, plain) or fn in (type, object, np.dtype, np.errstate))


def function_stores(
    fn: FunctionType, positions: Positions, inside: tuple[Any, ...]
) -> tuple[dict[str, Any], Stores] | None:
    """The parameters of a function, and what it may write into; None where that is not known."""
    if fn.__code__ in inside:  # what it writes is found by the look that is going on
        return {}, Stores()
    if len(inside) >= DEPTH:
        return None
    try:
        node = source_of(fn).node
    except SourceError:
        return None
    kinds: dict[str, Any] = {}
    args = node.args
    for group, kind in (
        (args.posonlyargs, inspect.Parameter.POSITIONAL_ONLY),
        (args.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ([args.vararg] if args.vararg else [], inspect.Parameter.VAR_POSITIONAL),
        (args.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
        ([args.kwarg] if args.kwarg else [], inspect.Parameter.VAR_KEYWORD),
    ):
        kinds.update((p.id, kind) for p in group)
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    local = {p.id for p in parameters(args)} | _bound(body) | set(cells)
    scan = _Scan(fn.__globals__, local, positions, (*inside, fn.__code__))
    scan.run(body)
    stores = scan.stores()
    held = [Const(cell.cell_contents) for name, cell in cells.items() if name in stores.names and not is_empty(cell)]
    return kinds, Stores(stores.names, [*stores.outside, *held])


__all__ = ["Positions", "function_stores", "stored_atoms", "stores_of"]
