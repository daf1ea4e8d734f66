"""Optimised programs as a module that works without the compiler.

The module imports numpy and `adcompile.runtime`; modules of the user and of libraries only where
the derivative reads their live data or calls their functions. One public function takes the
primal's arguments, tests their types against those the module was built for, and calls the
generated function of that signature.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import types as pytypes
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import gast

from adcompile.backend.assumed import facts
from adcompile.backend.callables import Globals, identifier, importing
from adcompile.backend.define import define
from adcompile.backend.text import to_source, wrapped
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.program import Program
from adcompile.ir.signature import spell
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, DictT, Known, ListT, Scalar, Seq, TupleT, Type

WIDTH = 120
_OPS = re.compile(r"\bops\.(\w+)")


@frozen
class Parameter:
    """A parameter of the public function; `default` is Python text, "" for none."""

    name: str
    keyword_only: bool = False
    positional_only: bool = False
    default: str = ""


@frozen(eq=False)
class Public:
    """The function that the module offers. `kind`: gradients in one body, value and gradients,
    or the value and its tangent (with a parameter for the tangent of each of `wrt`)."""

    name: str
    doc: str
    params: tuple[Parameter, ...]
    wrt: tuple[int, ...]
    single: bool
    kind: Literal["grad", "value_and_grad", "jvp"]
    origin: tuple[Any, ...]  # path, line, column, end column


@frozen(eq=False)
class Version:
    """One signature: the types of all parameters, and the program made for them."""

    types: tuple[Type, ...]
    given: int
    program: Program

    @property
    def text(self) -> str:
        return ", ".join(map(spell, self.types[: self.given]))


def module_text(
    header: Sequence[str], public: Public, versions: Sequence[Version], functions: Sequence[Any] = ()
) -> str:
    """The text of the module; `functions` are those whose source went in. Raises Unsupported where
    the derivative needs an object that no import gives."""
    return large_stack(_module_text, header, public, versions, functions)


def _module_text(
    header: Sequence[str], public: Public, versions: Sequence[Version], functions: Sequence[Any]
) -> str:
    scope = Globals()
    for name in (public.name, "_ahead", "_ORIGIN", "_ASSUMED"):
        scope.unique(name)
    body: list[Any] = []
    entries: list[str] = []
    for version in versions:
        program = version.program
        refs = [program.entry, *(ref for ref in program.functions if ref is not program.entry)]
        names = {ref: scope.unique("_" + (program.functions[ref].name or ref.name).lstrip("_")) for ref in refs}
        for ref in [*refs[1:], program.entry]:
            body += define(program.functions[ref], names[ref], program.types, scope, names)
        entries.append(names[program.entry])
    text = to_source(gast.Module(body, []))
    assumed = facts([v.program for v in versions], functions, _home)
    lines = _public(public, versions, entries, scope, bool(assumed))
    function = "\n".join(part for line in lines for part in wrapped(line))
    bound = list(_bindings(scope))
    text, copied = _without_ops(text, scope)
    bound = [*scope.header(), *bound]
    imports = [line for line in bound if line.startswith(("import ", "from "))]
    ours = [line for line in imports if line.startswith("from adcompile")]
    imports = [line for line in imports if line not in ours]
    imports.sort(key=_import_order)
    imports += ["", *sorted({*ours, "from adcompile.runtime import ahead as _ahead"})]
    rest = [line for line in bound if not line.startswith(("import ", "from "))]
    parts = ["\n".join([*header, "", *imports]).replace("\n\n\n", "\n\n")]
    parts.append("\n".join([*rest, *_origin(public, versions), *_assumed(assumed)]) + "\n")
    return "\n\n".join(["\n\n".join(parts), *copied, text, function]) + "\n"


def _import_order(line: str) -> tuple[int, bool, str]:
    root = re.split(r"[ .]", line)[1]
    group = 0 if root in sys.stdlib_module_names else 1 if root == "numpy" else 2
    return group, line.startswith("from"), line


def _without_ops(text: str, scope: Globals) -> tuple[str, list[str]]:
    """The text with functions of the IR, which belong to the compiler, under private names; and
    copies of these functions."""
    if scope.imports.pop("ops", None) is None:
        return text, []
    used = sorted(set(_OPS.findall(text)) - {"UNDEFINED", "present"})  # which _ahead has
    names = {name: scope.unique(f"_{name}") for name in used}
    text = _OPS.sub(lambda m: names.get(m.group(1), f"_ahead.{m.group(1)}"), text)
    return text, [_copy(getattr(ops, name), names[name]) for name in used]


def _copy(function: Any, name: str) -> str:
    tree = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.name, tree.returns = name, None
    for arg in (*tree.args.args, *(a for a in (tree.args.vararg,) if a)):
        arg.annotation = None
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node.annotation = ast.Name("object", ast.Load())
    return ast.unparse(tree) + "\n"


# -- the public function ------------------------------------------------------------------------


def _origin(public: Public, versions: Sequence[Version]) -> Iterator[str]:
    path, line, column, end_column = public.origin
    yield "_ORIGIN = _ahead.Origin("
    yield f'    "{public.name}",'
    yield "    __file__,"
    yield f"    {quoted(path)},"
    yield f"    (({line}, {column}), ({line}, {end_column})),"
    yield "    built_for=("
    yield from (f"        {quoted(v.text)}," for v in versions)
    yield "    ),"
    yield ")"


def _assumed(found: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    if found:
        yield "_ASSUMED = _ahead.Assumed("
        yield "    _ORIGIN,"
        yield "    ("
        yield from (f"        ({', '.join(map(quoted, fact))})," for fact in found)
        yield "    ),"
        yield ")"


def quoted(text: str) -> str:
    """A string literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _public(
    public: Public, versions: Sequence[Version], entries: Sequence[str], scope: Globals, assumes: bool
) -> Iterator[str]:
    names = [p.name for p in public.params]
    dots = {i: _fresh(f"{names[i]}_dot", names) for i in public.wrt} if public.kind == "jvp" else {}
    out = _fresh("out", [*names, *dots.values()])
    yield f"def {public.name}({', '.join(_parameters(public.params, list(dots.values())))}):"
    yield f'    """{public.doc}"""'
    if assumes:
        yield "    _ASSUMED.check()"
    for version, entry in zip(versions, entries):
        tests = [t for name, type_ in zip(names, version.types) for t in _tests(name, type_, scope)]
        yield from _condition(tests)
        args = [*names, *(f"_ahead.accept({dot}, {names[i]}, {quoted(dot)})" for i, dot in dots.items())]
        yield from _result(public, f"{entry}({', '.join(args)})", out)
    yield f"    raise _ORIGIN.mismatch({', '.join(names)})"


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return identifier(name)


def _parameters(params: Sequence[Parameter], dots: Sequence[str]) -> Iterator[str]:
    """As the primal has them; tangents stand behind the positional ones, and then all without
    default."""
    last = max((i for i, p in enumerate(params) if p.positional_only), default=-1)
    placed = False
    for i, p in enumerate(params):
        if p.keyword_only and not placed:
            placed = True
            yield from [*dots, "*"]
        yield p.name + (f"={p.default}" if p.default and not dots else "")
        if i == last:
            yield "/"
    if not placed:
        yield from dots


def _condition(tests: list[str]) -> Iterator[str]:
    line = f"    if {' and '.join(tests) or 'True'}:"
    if len(line) <= WIDTH:
        yield line
        return
    yield "    if ("
    yield f"        {tests[0]}"
    yield from (f"        and {test}" for test in tests[1:])
    yield "    ):"


def _result(public: Public, call: str, out: str) -> Iterator[str]:
    names = [public.params[i].name for i in public.wrt]
    if public.kind == "jvp":
        yield f"        {out} = {call}"
        yield f"        return {out}[0], _ahead.tangent({out}[1], {out}[0])"
        return
    source = call if public.kind == "grad" else f"{out}[1]"
    if public.single:
        result = f"_ahead.gradient({source}[0], {names[0]})"
    else:
        result = f"_ahead.gradient({source}, ({', '.join(names)}{',' if len(names) == 1 else ''}))"
    if public.kind == "value_and_grad":
        yield f"        {out} = {call}"
        result = f"{out}[0], {result}"
    yield f"        return {result}"


def _tests(name: str, t: Type, scope: Globals) -> Iterator[str]:
    """Python that tells whether the value `name` has this type, as the compiler takes it."""
    match t:
        case Array():
            yield f"_ahead.is_array({name}, {quoted(spell(t))})"
        case Scalar(kinds) if len(kinds) == 1:
            (kind,) = kinds
            yield f"type({name}) is {scope.path(kind)}"
        case Known(value):
            if value is None or isinstance(value, bool):
                yield f"{name} is {value!r}"
            else:
                yield f"type({name}) is {type(value).__name__}"
                yield f"{name} == {quoted(value) if isinstance(value, str) else value}"
        case TupleT(items) | ListT(items):
            yield f"type({name}) is {'tuple' if isinstance(t, TupleT) else 'list'}"
            yield f"len({name}) == {len(items)}"
            for i, item in enumerate(items):
                yield from _tests(f"{name}[{i}]", item, scope)
        case DictT(keys, values):
            yield f"type({name}) is dict"
            yield f"list({name}) == {list(keys)!r}"
            for key, value in zip(keys, values):
                yield from _tests(f"{name}[{key!r}]", value, scope)
        case Seq(item, cls):
            yield f"type({name}) is {cls.__name__}"
            yield f"all({' and '.join(_tests('item', item, scope))} for item in {name})"
        case _:
            spell(t)  # says what is wrong with it


# -- objects that the text refers to ------------------------------------------------------------


def _bindings(scope: Globals) -> Iterator[str]:
    """Statements that bind what the generated functions refer to by a global name."""
    for name, value in scope.namespace.items():
        if name in scope.imports:
            continue
        if hasattr(value, "text") and hasattr(value, "namespace"):  # statements that run as written
            yield from _as_written(name, value, scope)
            continue
        home = _home(value)
        if home is None:
            raise _nameless(name, value)
        module, path = home
        first, *rest = path.split(".")
        if not rest:
            yield importing(module, name, first)
        else:
            owner = scope.unique(f"_{first}")
            yield importing(module, owner, first)
            yield f"{name} = {'.'.join([owner, *rest])}"


def _as_written(name: str, value: Any, scope: Globals) -> Iterator[str]:
    module = value.namespace.get("__name__")
    found = sys.modules.get(module) if isinstance(module, str) else None
    if found is None or found.__dict__ is not value.namespace:
        raise _nameless(name, value)
    owner = scope.unique(f"_{identifier(module.rpartition('.')[2])}")
    yield importing(module, owner)
    text = value.text().strip("\n")
    yield f"{name} = _ahead.as_written("
    yield f"    {owner},"
    if "\\" in text or '"""' in text:
        yield from (f"    {quoted(line + chr(10))}" for line in text.split("\n"))
    else:
        yield f'    """\n{text}\n""",'
    yield ")"


def _nameless(name: str, value: Any) -> Unsupported:
    place = getattr(value, "place", None)
    return Unsupported(
        f"the derivative refers to {name}, a {type(value).__name__} that no import gives",
        place if isinstance(place, Place) else None,
        "pass it as an argument, or define it at the top of a module",
    )


def _home(value: Any) -> tuple[str, str] | None:
    """The module and the path in it by which an object can be imported."""
    path = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(path, str) or "<" in path:
        return _held(value)
    module = getattr(value, "__module__", None)
    candidates = [module] if isinstance(module, str) else []
    candidates += sorted(m for m in sys.modules if not any(p.startswith("_") for p in m.split(".")))
    for candidate in candidates:
        found = sys.modules.get(candidate)
        if isinstance(found, pytypes.ModuleType) and _at(found, path) is value:
            return candidate, path
    return None


def _held(value: Any) -> tuple[str, str] | None:
    """The module of a library that holds an object, such as `scipy.stats.norm`: the one of its class or, rather, one
    of the packages around that."""
    parts = type(value).__module__.split(".")
    for module in (".".join(parts[: k + 1]) for k in range(len(parts))):
        for name, held in vars(sys.modules[module]).items() if module in sys.modules else ():
            if held is value:
                return module, name
    return None


def _at(owner: Any, path: str) -> Any:
    for part in path.split("."):
        owner = vars(owner).get(part) if isinstance(owner, pytypes.ModuleType) else getattr(owner, part, None)
        if owner is None:
            return None
    return owner


__all__ = ["Parameter", "Public", "Version", "module_text"]
