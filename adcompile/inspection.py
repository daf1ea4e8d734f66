"""Looking inside a derivative: the source that runs, and what is kept for the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.views import fn_of
from adcompile.api import Derivative, grad
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Return, Var
from adcompile.ir.program import Program
from adcompile.ir.types import ListT, RangeT, Scalar, Seq, TupleT, Type
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.products import split_of


@frozen
class Kept:
    """A value of the function that its pullback reads: its name, what it is, where it comes from
    and why it is kept."""

    name: str
    type: Type
    place: Place | None
    why: str
    readers: tuple[Place, ...] = ()
    """Where the function does that whose derivative reads it."""

    def __str__(self) -> str:
        at = f" ({self.place})" if self.place else ""
        return f"{self.name}: {self.why}{at}"


def source(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The Python source that runs for a derivative at these arguments; of a plain function, that
    of its gradient."""
    derivative = fun if isinstance(fun, Derivative) else grad(fun)
    entry, _ = derivative.specialise(args, kwargs)
    return entry.made.derived.source


def saved(fun: Callable[..., Any], *args: Any) -> tuple[Kept, ...]:
    """What reverse mode keeps of a run of `fun(*args)` beyond the arguments themselves and the
    ranges of loops. The function is compiled, not run."""
    return kept_of(split_of(fun, args).whole().program)


def kept_of(program: Program) -> tuple[Kept, ...]:
    """What the pullback of a split program is handed."""
    entry = program.functions[program.entry]
    if not isinstance(entry.body.end, Return):
        return ()  # it raises whatever it is given
    made = {s.result: s for s in entry.body.statements if isinstance(s, Call)}
    result = made.get(entry.body.end.value) if isinstance(entry.body.end.value, Var) else None
    kept = made.get(result.args[-1]) if result is not None and isinstance(result.args[-1], Var) else None
    readers = _readers(program)
    out: list[Kept] = []
    for k, atom in enumerate(kept.args if kept is not None else ()):
        outlined = isinstance(atom, Var) and atom in made and fn_of(made[atom]) is rt.outline  # a shape, no memory
        if isinstance(atom, Var) and atom not in entry.params and not outlined:
            t = program.types[atom]
            if not isinstance(t, RangeT):
                out.append(Kept(atom.name, t, atom.place, _why(t), readers.get(k, ())))
    return tuple(out)


def _readers(program: Program) -> dict[int, tuple[Place, ...]]:
    """By index into what the pullback is handed: the places of the statements that read it."""
    name = f"{program.entry.name}_pullback"
    pullback = next((f for ref, f in program.functions.items() if ref.name == name), None)
    if pullback is None:
        return {}
    index: dict[Var, int] = {}
    whole: set[Atom] = {pullback.params[0]}
    found: dict[int, dict[Place, None]] = {}
    for s in statements_of(pullback.body):
        if isinstance(s, Call) and s.args[:1] and s.args[0] in whole:  # the tuple is taken apart
            at = s.args[1] if len(s.args) == 2 else None
            if isinstance(s.fn, Const) and s.fn.value is ops.unpack:
                whole.add(s.result)
            elif isinstance(at, Const):
                index[s.result] = at.value
            continue
        for atom in atoms_of(s):
            if isinstance(atom, Var) and atom in index and s.place is not None:
                found.setdefault(index[atom], {})[s.place] = None
    return {k: tuple(places) for k, places in found.items()}


def _why(t: Type) -> str:
    if isinstance(t, (Seq, ListT)):
        return "one value an iteration, which the loop back reads"
    if isinstance(t, Scalar) and t.kinds <= {bool, int}:
        return "which way the function went, which the pullback retraces"
    if isinstance(t, TupleT):
        return "what a function that is called keeps"
    return "an adjoint reads it, and it cannot be read again"
