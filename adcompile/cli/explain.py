"""What the compiler makes of each call of a function, and why it keeps what it keeps."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gast

from adcompile import pipeline
from adcompile.analysis.activity import Activity, Useful, Varied
from adcompile.analysis.mutation import Aliases, writes_into
from adcompile.cli.stages import Asked, derive_split, positions
from adcompile.errors import Place, place_of
from adcompile.frontend.source import source_of
from adcompile.frozen import frozen
from adcompile.inspection import Kept, kept_of
from adcompile.ir.nodes import Call, Const, Function, OpaqueCode, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import differentiable
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.rules.registry import lookup

PIECEWISE = "piecewise constant: the derivative is 0 here"
ABSENT = "settled while compiling: no code"
_OWN = str(Path(__file__).parent.parent)


@frozen
class Row:
    """One call in the source: where, its text, and what becomes of it."""

    place: Place
    text: str
    what: str


def explain(asked: Asked) -> str:
    """A report: every call of the function and of those followed from it, then what is kept."""
    call = asked.call
    wrt = positions(asked, call)
    function = asked.located.function
    made = large_stack(pipeline.specialise, function, pipeline.Request("primal"), call.types, call.kwtypes)
    meanings = _meanings(made.program, wrt)
    own = {(f.name, f.place.file) for f in made.program.functions.values() if f.place is not None}
    for followed, places in made.followed.items():
        if not _is_theirs(followed):
            continue
        home = followed.place if isinstance(followed, Function) else place_of(followed)
        separate = home is not None and (name_of(followed), home.file) in own
        at = f"{Path(home.file).name}:{home.line}" if home else "without source"
        for place in places:
            if place is not None:
                what = "derived: it has a derivative of its own" if separate else "inlined: its source is followed"
                meanings.setdefault(_key(place), f"{what} ({at})")
    lines: list[str] = []
    for followed in made.followed:
        if _is_theirs(followed) and not isinstance(followed, Function):
            lines += _section(followed, list(_rows(followed, meanings)))
    lines.append("kept for the way back, beside the arguments:")
    lines += [f"  {_kept(k)}" for k in kept_of(derive_split(asked))] or ["  nothing"]
    return "\n".join(lines) + "\n"


def name_of(function: Any) -> str:
    return function.name if isinstance(function, Function) else function.__name__


def _is_theirs(function: Any) -> bool:
    if isinstance(function, Function):
        return function.place is not None and not function.place.file.startswith(_OWN)
    return (function.__module__ or "").split(".")[0] != "adcompile"


_Key = tuple[str, int, int, int, int]


def _key(place: Place) -> _Key:
    return place.file, place.line, place.column, place.end_line, place.end_column


def _section(function: Any, rows: list[Row]) -> Iterator[str]:
    code = function.__code__
    yield f"{function.__qualname__} ({Path(code.co_filename).name}:{code.co_firstlineno})"
    width = min(40, max((len(r.text) for r in rows), default=0))
    for r in rows:
        yield f"  {r.place.line:>4}:{r.place.column + 1:<3} {r.text:<{width}}  {r.what}"
    if not rows:
        yield "  calls nothing"
    yield ""


def _kept(k: Kept) -> str:
    what = k.name if k.place is None else f"{k.name} = {_quote(k.place)}"
    read = f"; for the derivative of {' and of '.join(map(_quote, k.readers))}" if k.readers else ""
    return f"{what}: {k.why}{read}"


def _quote(place: Place) -> str:
    return f"`{_text(place)}` ({Path(place.file).name}:{place.line})"


def _text(place: Place) -> str:
    line = linecache.getline(place.file, place.line).rstrip("\n").encode()
    if place.end_line != place.line:
        return line[place.column :].decode(errors="replace").strip() + " …"
    return line[place.column : place.end_column].decode(errors="replace")


def _rows(function: Any, meanings: dict[_Key, str]) -> Iterator[Row]:
    """The calls in a function's source, and its `//`, in the order of the text."""
    source = source_of(function)
    found: list[Row] = []
    stack: list[Any] = list(source.node.body) if isinstance(source.node.body, list) else [source.node.body]
    while stack:
        node = stack.pop()
        is_floor = isinstance(node, (gast.BinOp, gast.AugAssign)) and isinstance(node.op, (gast.FloorDiv, gast.Mod))
        if isinstance(node, gast.Call) or is_floor:
            place = Place(source.file, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            what = meanings.get(_key(place), ABSENT)
            if not is_floor or what == PIECEWISE:
                found.append(Row(place, _text(place), what))
        stack.extend(gast.iter_child_nodes(node))
    return iter(sorted(found, key=lambda r: (r.place.line, r.place.column, -r.place.end_column)))


def _meanings(program: Program, wrt: tuple[int, ...]) -> dict[_Key, str]:
    """By place: what becomes of the call there."""
    out: dict[_Key, str] = {}
    for ref, function in program.functions.items():
        own = ref is program.entry
        inputs = [function.params[i] for i in wrt] if own else [p for p in function.params if _float(p, program)]
        facts = _activity(function, program, inputs)
        for s in statements_of(function.body):
            if isinstance(s, Call) and s.place is not None:
                what = _meaning(s, facts, program)
                if what:
                    out[_key(s.place)] = what
    return out


def _activity(function: Function, program: Program, inputs: list[Var]) -> Activity:
    """What carries derivatives, through memory that is written in place as well: what shares it does together."""
    types = program.types
    calls = [s for s in statements_of(function.body) if isinstance(s, Call)]
    aliases = Aliases(types, function.body)
    definition = {s.result: s for s in calls}
    roots = {v: aliases.root(v) for v in (*function.params, *types) if differentiable(types[v])}
    written = [(s, {aliases.root(a) for a in writes_into(s, types, definition)} - {None}) for s in calls]
    written = [(s, places) for s, places in written if places]
    varied, useful = Varied(types), Useful(types)
    varied.vars.update(inputs)
    for facts in (varied, useful):
        before = -1
        while len(facts.vars) != before:
            before = len(facts.vars)
            facts.run(function.body)
            held = {roots.get(v) for v in useful.vars}
            for s, places in written:
                if facts is varied and any(map(varied.has, atoms_of(s))):
                    varied.vars.update(v for v, root in roots.items() if root in places)
                elif facts is useful and places & held:
                    useful.vars.update(v for v in atoms_of(s) if v in roots)
                    useful.vars.update(v for v, root in roots.items() if root in places)
    active = varied.vars & useful.vars
    stores = {s.result for s, places in written if places & {roots.get(v) for v in active}}
    return Activity(frozenset(varied.vars), frozenset(active | stores))


def _float(var: Var, program: Program) -> bool:
    return differentiable(program.types[var])


def _meaning(s: Call, facts: Activity, program: Program) -> str:
    """What becomes of a call; "" for what is no call in the source."""
    fn = s.fn.value if isinstance(s.fn, Const) else None
    active = s.result in facts.active
    if isinstance(fn, FunctionRef):
        return "derived: it has a derivative of its own" if active else "called: no derivative passes it"
    if isinstance(fn, OpaqueCode):
        return f"inert: runs as it is written ({fn.feature})"
    if fn is None and active:
        return "dynamic: its derivative is looked up when the code runs"
    rule = lookup(fn)
    if rule is None:
        return "" if getattr(fn, "__module__", None) == "adcompile.ir.ops" else "inert: called as it is"
    varied = any(isinstance(a, Var) and a in facts.varied for a in s.args)
    if rule.kind == "constant":
        return PIECEWISE if varied and _is_number(s.result, program) else "inert: no derivative passes it"
    if not active:
        return "inert: no derivative passes it"
    return f"rule: {rule.kind}, inlined"


def _is_number(var: Var, program: Program) -> bool:
    t = program.types[var]
    name = type(t).__name__
    kinds = getattr(t, "kinds", frozenset({bool}))
    return name == "Array" or name == "Scalar" and kinds != frozenset({bool})
