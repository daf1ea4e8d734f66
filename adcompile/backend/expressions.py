"""Calls of the IR as expressions of gast."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from adcompile.backend import literals
from adcompile.backend.callables import GETTER_TYPES, METHOD_TYPES, Globals, attribute, known_path, load
from adcompile.backend.fold import Folding
from adcompile.backend.purity import callee, hashable
from adcompile.backend.undefined import is_undefined
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Function, GlobalRef, If, OpaqueCode, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, Instance, Known, Scalar, Type

BINARY: dict[Any, Any] = {
    operator.add: gast.Add,
    operator.sub: gast.Sub,
    operator.mul: gast.Mult,
    operator.truediv: gast.Div,
    operator.floordiv: gast.FloorDiv,
    operator.mod: gast.Mod,
    operator.pow: gast.Pow,
    operator.matmul: gast.MatMult,
    operator.lshift: gast.LShift,
    operator.rshift: gast.RShift,
    operator.and_: gast.BitAnd,
    operator.or_: gast.BitOr,
    operator.xor: gast.BitXor,
}
COMPARE: dict[Any, Any] = {
    operator.lt: gast.Lt,
    operator.le: gast.LtE,
    operator.eq: gast.Eq,
    operator.ne: gast.NotEq,
    operator.ge: gast.GtE,
    operator.gt: gast.Gt,
    operator.is_: gast.Is,
    operator.is_not: gast.IsNot,
}
UNARY: dict[Any, Any] = {
    operator.neg: gast.USub,
    operator.pos: gast.UAdd,
    operator.invert: gast.Invert,
    operator.inv: gast.Invert,
    operator.not_: gast.Not,
}
_OPPOSITE = {gast.Is: gast.IsNot, gast.IsNot: gast.Is, gast.In: gast.NotIn, gast.NotIn: gast.In}
_NUMBER_OPPOSITE = {gast.Eq: gast.NotEq, gast.NotEq: gast.Eq}
NUMBERS = (bool, int, float, complex)
CONVERSIONS = {"": -1, "r": 114, "s": 115, "a": 97}


def is_name(text: Any) -> bool:
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)


class Expressions:
    """Expressions of one function, given the names of its values."""

    def __init__(
        self,
        folding: Folding,
        names: Mapping[Var, str],
        types: Mapping[Var, Type],
        scope: Globals,
        functions: Mapping[FunctionRef, str],
    ) -> None:
        self.folding, self.names, self.types = folding, names, types
        self.scope, self.functions = scope, functions

    def atom(self, atom: Atom) -> Any:
        if isinstance(atom, Const):
            return self.const(atom.value)
        inside = self.folding.inlined.get(atom)
        if inside is None:
            return load(self.names[atom])
        return self.call(inside) if isinstance(inside, Call) else self.conditional(inside)

    def const(self, value: Any) -> Any:
        if isinstance(value, FunctionRef):
            return load(self.functions[value])
        if isinstance(value, OpaqueCode):
            return load(self.scope.bind(value.run, value.name))
        return literals.literal(value, self.scope)

    def atoms(self, atoms: Sequence[Atom]) -> list[Any]:
        return [self.atom(a) for a in atoms]

    def folded(self, atom: Atom, *fns: Callable[..., Any]) -> Call | None:
        """The call of one of `fns` that `atom` stands for, if it is printed in place."""
        inside = self.folding.inlined.get(atom) if isinstance(atom, Var) else None
        if isinstance(inside, Call) and any(callee(inside) is fn for fn in fns):
            return inside
        return None

    # Calls

    def call(self, call: Call) -> Any:
        if not isinstance(call.fn, Const):
            return self._plain(self.atom(call.fn), call)
        fn, args = call.fn.value, call.args
        known = hashable(fn)
        if not call.kwargs and known:
            if len(args) == 2 and fn in BINARY:
                return gast.BinOp(self.atom(args[0]), BINARY[fn](), self.atom(args[1]))
            if fn is operator.is_not and is_undefined(args[1]):  # which is no name in text that is read again
                return literals.call(self.const(ops.present), self.atom(args[0]))
            if len(args) == 2 and fn in COMPARE:
                return gast.Compare(self.atom(args[0]), [COMPARE[fn]()], [self.atom(args[1])])
            if len(args) == 1 and fn in UNARY:
                return self.negated(args[0]) if fn is operator.not_ else gast.UnaryOp(UNARY[fn](), self.atom(args[0]))
            form = _FORMS.get(fn) if fn is not np.expand_dims or call.role != "primal" else None
            node = form(self, args) if form is not None else None
            if node is not None:
                return node
            if isinstance(fn, GETTER_TYPES) and len(args) == 1:
                return attribute(self.atom(args[0]), fn.__name__)
        if isinstance(fn, METHOD_TYPES) and args and is_name(fn.__name__) and self._means(args[0], fn):
            return self._plain(attribute(self.atom(args[0]), fn.__name__), call, args[1:])
        return self._plain(self.const(fn), call)

    def _means(self, owner: Atom, fn: Any) -> bool:
        """Whether `owner.method` is this method: a subclass may have its own of the name."""
        t = Known(owner.value) if isinstance(owner, Const) else self.types.get(owner)
        cls = type(t.value) if isinstance(t, Known) else t.cls if isinstance(t, Instance) else None
        return cls is None or getattr(cls, fn.__name__, None) is fn

    def _plain(self, fn: Any, call: Call, args: Sequence[Atom] | None = None) -> Any:
        keywords: list[Any] = []
        odd: list[tuple[str, Atom]] = []
        for name, value in call.kwargs:
            if is_name(name):
                keywords.append(gast.keyword(name, self._class_of(value) if name == "dtype" else self.atom(value)))
            else:
                odd.append((name, value))
        if odd:
            keys = [literals.constant(name) for name, _ in odd]
            keywords.append(gast.keyword(None, gast.Dict(keys, [self.atom(v) for _, v in odd])))
        return gast.Call(fn, self._given(call, call.args if args is None else args), keywords)

    def _given(self, call: Call, args: Sequence[Atom]) -> list[Any]:
        """The arguments; NumPy's functions take `np.float64` for the dtype of that name."""
        fn = callee(call)
        takes_class = isinstance(fn, METHOD_TYPES) or (known_path(fn) or "").startswith("np.")
        return [self._class_of(a) if takes_class else self.atom(a) for a in args]

    def _class_of(self, atom: Atom) -> Any:
        value = atom.value if isinstance(atom, Const) else None
        if isinstance(value, np.dtype) and value.isbuiltin == 1 and value.isnative:
            return self.const(value.type)
        return self.atom(atom)

    # Conditions

    def conditional(self, statement: If) -> Any:
        """`a and b`, `a or b`, `a if t else b`."""
        then, orelse = statement.then.end, statement.orelse.end
        assert isinstance(then, Yield) and isinstance(orelse, Yield)
        test = self.atom(statement.test)
        if orelse.values[0] is statement.test:
            return _joined(gast.And, test, self.atom(then.values[0]))
        if then.values[0] is statement.test:
            return _joined(gast.Or, test, self.atom(orelse.values[0]))
        return gast.IfExp(test, self.atom(then.values[0]), self.atom(orelse.values[0]))

    def negated(self, test: Atom) -> Any:
        """`not test`, in the way one writes it."""
        node = self.atom(test)
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            opposite = _OPPOSITE.get(type(node.ops[0]))
            inside = self.folding.inlined.get(test) if isinstance(test, Var) else None
            if opposite is None and isinstance(inside, Call) and all(map(self._is_number, inside.args)):
                opposite = _NUMBER_OPPOSITE.get(type(node.ops[0]))
            if opposite is not None:
                return gast.Compare(node.left, [opposite()], node.comparators)
        return gast.UnaryOp(gast.Not(), node)

    def _is_number(self, atom: Atom) -> bool:
        """A scalar, so that `!=` is the opposite of `==`."""
        t = Known(atom.value) if isinstance(atom, Const) else self.types.get(atom)
        return isinstance(t, Scalar) or isinstance(t, Known) and isinstance(t.value, (int, float, str, type(None)))

    # Forms of syntax

    def index(self, atom: Atom) -> Any:
        """What stands between the brackets of a subscript."""
        made = self.folded(atom, slice)
        if made is not None and not made.kwargs and 1 <= len(made.args) <= 3:
            parts = [Const(None), *made.args] if len(made.args) == 1 else list(made.args)
            return gast.Slice(*[self._bound(p) for p in parts], *[None] * (3 - len(parts)))
        made = self.folded(atom, ops.build_tuple)
        if made is not None and made.args:
            return literals.tuple_([self.index(item) for item in made.args])
        return self.const_index(atom.value) if isinstance(atom, Const) else self.atom(atom)

    def const_index(self, value: Any) -> Any:
        if type(value) is slice:
            return gast.Slice(*[None if p is None else self.const(p) for p in (value.start, value.stop, value.step)])
        if type(value) is tuple and value:
            return literals.tuple_([self.const_index(item) for item in value])
        return self.const(value)

    def _bound(self, atom: Atom) -> Any:
        return None if isinstance(atom, Const) and atom.value is None else self.atom(atom)

    def subscript(self, container: Atom, index: Atom, context: Any = None) -> Any:
        return gast.Subscript(self.atom(container), self.index(index), context or gast.Load())

    def items(self, atom: Atom, build: Any, concat: Any) -> list[Any] | None:
        """The parts of a display, if `atom` is one that is printed in place."""
        made = self.folded(atom, build)
        if made is not None:
            return self.atoms(made.args)
        made = self.folded(atom, concat)
        return self._spread(made.args) if made is not None else None

    def _spread(self, parts: Sequence[Atom]) -> list[Any]:
        out: list[Any] = []
        for part in parts:
            made = self.folded(part, ops.build_tuple, ops.build_list)
            if made is not None:
                out.extend(self.atoms(made.args))
            elif isinstance(part, Const) and type(part.value) is tuple:
                out.extend(map(self.const, part.value))
            else:
                out.append(gast.Starred(self.atom(part), gast.Load()))
        return out

    def form_global(self, args: Sequence[Atom]) -> Any:
        ref = args[0].value if isinstance(args[0], Const) else None
        return self.scope.global_name(ref) if isinstance(ref, GlobalRef) else None

    def form_getattr(self, args: Sequence[Atom]) -> Any:
        name = args[1].value if len(args) == 2 and isinstance(args[1], Const) else None
        return attribute(self.atom(args[0]), name) if isinstance(name, str) and is_name(name) else None

    def form_contains(self, args: Sequence[Atom]) -> Any:
        return gast.Compare(self.atom(args[1]), [gast.In()], [self.atom(args[0])])

    def form_tuple(self, args: Sequence[Atom]) -> Any:
        return literals.tuple_(self.atoms(args))

    def form_list(self, args: Sequence[Atom]) -> Any:
        return gast.List(self.atoms(args), gast.Load())

    def form_set(self, args: Sequence[Atom]) -> Any:
        return gast.Set(self.atoms(args)) if args else literals.call(load("set"))

    def form_dict(self, args: Sequence[Atom]) -> Any:
        return gast.Dict(self.atoms(args[::2]), self.atoms(args[1::2]))

    def form_merge(self, args: Sequence[Atom]) -> Any:
        keys: list[Any] = []
        values: list[Any] = []
        for part in args:
            made = self.folded(part, ops.build_dict)
            if made is not None:
                keys += self.atoms(made.args[::2])
                values += self.atoms(made.args[1::2])
            else:
                keys.append(None)
                values.append(self.atom(part))
        return gast.Dict(keys, values)

    def form_list_concat(self, args: Sequence[Atom]) -> Any:
        return gast.List(self._spread(args), gast.Load())

    def form_tuple_concat(self, args: Sequence[Atom]) -> Any:
        return literals.tuple_(self._spread(args))

    def form_apply(self, args: Sequence[Atom]) -> Any:
        if len(args) != 3:
            return None
        fn = self.atom(args[0])
        keywords: list[Any] = []
        if not (isinstance(args[2], Const) and args[2].value == {}):
            keywords = self._keywords(args[2])
        return gast.Call(fn, self._arguments(args[1]), keywords)

    def _arguments(self, args: Atom) -> list[Any]:
        items = self.items(args, ops.build_tuple, ops.tuple_concat)
        return self._spread([args]) if items is None else items

    def _keywords(self, kwargs: Atom) -> list[Any]:
        merged = self.folded(kwargs, ops.dict_merge)
        out: list[Any] = []
        for part in merged.args if merged is not None else (kwargs,):
            made = self.folded(part, ops.build_dict)
            pairs = list(zip(made.args[::2], made.args[1::2])) if made is not None else []
            if made is not None and all(isinstance(k, Const) and is_name(k.value) for k, _ in pairs):
                out += [gast.keyword(k.value, self.atom(v)) for k, v in pairs if isinstance(k, Const)]
            else:
                out.append(gast.keyword(None, self.atom(part)))
        return out

    def form_string(self, parts: Sequence[Atom]) -> Any:
        values: list[Any] = []
        for part in parts:
            if isinstance(part, Const) and isinstance(part.value, str):
                values.append(literals.constant(part.value))
                continue
            made = self.folded(part, ops.format_value)
            node = self._formatted(made) if made is not None else None
            values.append(node or gast.FormattedValue(self.atom(part), -1, None))
        return gast.JoinedStr(values)

    def _formatted(self, call: Call) -> Any:
        value, conversion, spec = call.args
        if not isinstance(conversion, Const):
            return None
        inner = self.folded(spec, ops.build_string)
        if isinstance(spec, Const):
            text = gast.JoinedStr([literals.constant(spec.value)]) if spec.value else None
        elif inner is not None:
            text = self.form_string(inner.args)
        else:
            text = gast.JoinedStr([gast.FormattedValue(self.atom(spec), -1, None)])
        return gast.FormattedValue(self.atom(value), CONVERSIONS[conversion.value], text)

    def form_identity(self, args: Sequence[Atom]) -> Any:
        return self.atom(args[0])

    def form_getitem(self, args: Sequence[Atom]) -> Any:
        """None for an item of a number: what branches that are not taken ask for, and Python warns of `1.0[i]`."""
        number = isinstance(args[0], Const) and isinstance(args[0].value, NUMBERS)
        return self.subscript(args[0], args[1]) if len(args) == 2 and not number else None

    def nested(self, function: Function, args: Sequence[Atom]) -> Any:
        """A function made at run time from values that it captures."""
        raise NotImplementedError

    def form_make_function(self, args: Sequence[Atom]) -> Any:
        function = args[0].value if isinstance(args[0], Const) else None
        return self.nested(function, args[1:]) if isinstance(function, Function) else None

    def form_slice(self, args: Sequence[Atom]) -> Any:
        """`slice(None)`, `slice(1, None)`."""
        if len(args) == 3 and self._bound(args[2]) is None:
            args = args[1:2] if self._bound(args[0]) is None else args[:2]
        return literals.call(load("slice"), *self.atoms(args))

    def form_expand(self, args: Sequence[Atom]) -> Any:
        """`x[:, None]` for `np.expand_dims(x, 1)`."""
        x, axis = args
        t = self.types.get(x) if isinstance(x, Var) else None
        if not isinstance(t, Array) or not t.dims or not isinstance(axis, Const) or type(axis.value) is not int:
            return None
        place = axis.value + (len(t.dims) + 1 if axis.value < 0 else 0)
        full = gast.Slice(None, None, None)
        index = [*[full] * place, literals.constant(None)]
        return gast.Subscript(self.atom(x), index[0] if place == 0 else literals.tuple_(index), gast.Load())

    def form_pop(self, args: Sequence[Atom]) -> Any:
        """Where the pair is not taken apart: the list and what leaves it."""
        items = self.atom(args[0])
        return literals.tuple_([items, literals.call(attribute(self.atom(args[0]), "pop"))])


_FORMS: dict[Any, Callable[[Expressions, Sequence[Atom]], Any]] = {
    operator.getitem: Expressions.form_getitem,
    operator.contains: Expressions.form_contains,
    getattr: Expressions.form_getattr,
    ops.load_global: Expressions.form_global,
    ops.build_tuple: Expressions.form_tuple,
    ops.build_list: Expressions.form_list,
    ops.build_set: Expressions.form_set,
    ops.build_dict: Expressions.form_dict,
    ops.dict_merge: Expressions.form_merge,
    ops.list_concat: Expressions.form_list_concat,
    ops.tuple_concat: Expressions.form_tuple_concat,
    ops.apply: Expressions.form_apply,
    ops.build_string: Expressions.form_string,
    ops.identity: Expressions.form_identity,
    slice: Expressions.form_slice,
    np.expand_dims: Expressions.form_expand,
    ops.pop: Expressions.form_pop,
    ops.make_function: Expressions.form_make_function,
}


def _joined(op: type, left: Any, right: Any) -> Any:
    """`left op right`, one BoolOp for a chain that associates as Python's does."""
    if isinstance(right, gast.BoolOp) and isinstance(right.op, op):
        return gast.BoolOp(op(), [left, *right.values])
    return gast.BoolOp(op(), [left, right])
