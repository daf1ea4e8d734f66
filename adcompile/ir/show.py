"""IR as text: short, stable, for people."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from adcompile.ir.nodes import (
    Atom,
    Attempt,
    Block,
    Break,
    Call,
    Const,
    Continue,
    End,
    For,
    Function,
    GlobalRef,
    If,
    OpaqueCode,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import (
    Array,
    Choice,
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    Method,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
)


def show(shown: Function | Program, notes: Mapping[Var, str] | None = None) -> str:
    """The text of a function or program. Names are the user's, with a counter where one name
    has several values; the same input gives the same text. `notes` stand behind the type of
    values where they are defined."""
    return large_stack(_Printer(notes or {}).whole, shown)


class _Printer:
    def __init__(self, notes: Mapping[Var, str]) -> None:
        self.notes = notes
        self.lines: list[str] = []
        self.names: dict[Var, str] = {}
        self.counts: dict[str, int] = {}
        self.types: Any = {}

    def whole(self, shown: Function | Program) -> str:
        if isinstance(shown, Program):
            self.types = shown.types
            for guard in shown.guards:
                self.lines.append(f"guard {guard.ref.name} is {_value(guard.value)}")
            for ref, function in shown.functions.items():
                self.names, self.counts = {}, {}
                self.function(function, ref.name, 0)
        else:
            self.function(shown, shown.name, 0)
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def function(self, function: Function, name: str, depth: int) -> None:
        params = ", ".join(self.parameters(function))
        captured = f" captures ({', '.join(self.define(v) for v in function.captured)})" if function.captured else ""
        self.line(depth, f"function {name}({params}){captured}:")
        self.block(function.body, depth + 1)

    def parameters(self, function: Function) -> list[str]:
        names, s = [self.define(p) for p in function.params], function.signature
        if len(names) != len(s.positional) + len(s.keyword_only) + bool(s.vararg) + bool(s.kwarg):
            return names
        out = names[: len(s.positional)]
        rest = names[len(s.positional) :]
        if s.positional_only:
            out.insert(s.positional_only, "/")
        if s.vararg is not None:
            out.append("*" + rest.pop(0))
        elif s.keyword_only:
            out.append("*")
        if s.kwarg is not None:
            rest[-1] = "**" + rest[-1]
        return out + rest

    def define(self, var: Var) -> str:
        name = self.name(var)
        note = f" ({self.notes[var]})" if var in self.notes else ""
        return f"{name}: {show_type(self.types[var])}{note}" if var in self.types else name

    def name(self, var: Var) -> str:
        if var not in self.names:
            count = self.counts.get(var.name, 0)
            self.counts[var.name] = count + 1
            self.names[var] = var.name if count == 0 else f"{var.name}#{count}"
        return self.names[var]

    def atom(self, atom: Atom) -> str:
        return self.name(atom) if isinstance(atom, Var) else _value(atom.value)

    def atoms(self, atoms: tuple[Atom, ...]) -> str:
        return ", ".join(map(self.atom, atoms))

    def block(self, block: Block, depth: int) -> None:
        for statement in block.statements:
            self.statement(statement, depth)
        self.end(block.end, depth)

    def statement(self, s: Statement, depth: int) -> None:
        match s:
            case Call():
                self.call(s, depth)
            case If():
                test = self.atom(s.test)
                results = self.results(s.results)
                self.line(depth, f"{results}if {test}:")
                self.block(s.then, depth + 1)
                self.line(depth, "else:")
                self.block(s.orelse, depth + 1)
            case For():
                iterable = self.atom(s.iterable)
                carried = self.carried(s.body.params[1:], s.init)
                element = self.define(s.body.params[0])
                self.line(depth, f"{self.results(s.results)}for {element} in {iterable}{carried}:")
                self.block(s.body, depth + 1)
            case While():
                carried = self.carried(s.body.params, s.init)
                self.line(depth, f"{self.results(s.results)}while{carried}:")
                self.block(s.body, depth + 1)
            case Attempt():
                self.line(depth, f"{self.results(s.results)}try:")
                self.block(s.body, depth + 1)
                if s.ways is not None:
                    self.line(depth, "by its way:")
                    self.block(s.ways.branches, depth + 1)
                self.line(depth, "as written:")
                self.call(s.opaque, depth + 1)

    def results(self, results: tuple[Var, ...]) -> str:
        return f"{', '.join(map(self.define, results))} = " if results else ""

    def carried(self, params: tuple[Var, ...], init: tuple[Atom, ...]) -> str:
        pairs = [f"{self.define(param)} = {self.atom(value)}" for param, value in zip(params, init)]
        return f" with {', '.join(pairs)}" if pairs else ""

    def call(self, s: Call, depth: int) -> None:
        args = [*map(self.atom, s.args), *(f"{name}={self.atom(value)}" for name, value in s.kwargs)]
        inner = [atom.value for atom in s.args if isinstance(atom, Const) and isinstance(atom.value, Function)]
        fn = self.atom(s.fn)
        self.line(depth, f"{self.define(s.result)} = {fn}({', '.join(args)})")
        for function in inner:
            self.function(function, function.name, depth + 1)

    def end(self, end: End, depth: int) -> None:
        match end:
            case Yield() | Continue() | Break():
                word = type(end).__name__.lower()
                if end.values or not isinstance(end, Yield):
                    self.line(depth, f"{word} {self.atoms(end.values)}".rstrip())
            case Return():
                self.line(depth, f"return {self.atom(end.value)}")
            case Raise():
                exception = "" if end.exception is None else f" {self.atom(end.exception)}"
                cause = "" if end.cause is None else f" from {self.atom(end.cause)}"
                self.line(depth, f"raise{exception}{cause}")
            case Unreachable():
                pass


def _value(value: Any) -> str:
    match value:
        case GlobalRef():
            return f"@{value.name}"
        case Function() | FunctionRef():
            return f"<{value.name}>"
        case OpaqueCode():
            return f"<{value.name}: {', '.join(value.inputs)} -> {', '.join(value.outputs)}>"
        case ModuleType():
            return value.__name__
        case BaseException():
            return f"<{type(value).__name__}>"
        case _:
            pass
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is None:
        text = repr(value)
        return text if " at 0x" not in text else f"<{type(value).__name__}>"
    module = getattr(value, "__module__", None)
    module = {"_operator": "operator", "adcompile.ir.ops": "ops", "builtins": None}.get(module or "builtins", module)
    return name if module is None else f"{module}.{name}"


def show_type(t: Type) -> str:
    """A type as text: `float64[:,1]`, `float | float64`, `= 3` for a known value; a dimension
    is `:` (not one), `1` or `?`."""
    match t:
        case Known(value):
            return f"= {_value(value)}"
        case Scalar(kinds):
            return " | ".join(sorted(kind.__name__ for kind in kinds))
        case Array(dtype, dims):
            marks = {"one": "1", "many": ":", "any": "?"}
            return f"{dtype}[{'...' if dims is None else ','.join(marks[d] for d in dims)}]"
        case TupleT(items, cls):
            return f"{'' if cls is tuple else cls.__name__}({', '.join(map(show_type, items))})"
        case ListT(items):
            return f"[{', '.join(map(show_type, items))}]"
        case DictT(keys, values):
            return f"{{{', '.join(f'{k!r}: {show_type(v)}' for k, v in zip(keys, values))}}}"
        case Seq(item, cls):
            return f"({show_type(item)}, ...)" if cls is tuple else f"[{show_type(item)}, ...]"
        case SliceT(parts):
            return f"slice({', '.join(map(show_type, parts))})"
        case IterT(kind, parts):
            return f"{kind}({', '.join(map(show_type, parts))})"
        case RangeT():
            return "range"
        case Closure(function):
            return f"function {function.name}"
        case Choice(options):
            return f"one of {', '.join(_value(option.value) for option in options)}"
        case Method(function):
            return f"method {_value(function)}"
        case Instance(cls):
            return cls.__name__
        case Maybe(inner):
            return f"maybe {show_type(inner)}"
        case _:
            return type(t).__name__.lower()
