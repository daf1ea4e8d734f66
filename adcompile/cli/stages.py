"""The text of every stage of the compiler for one function: what `adcompile show` prints."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from typing import Any

import gast

from adcompile import pipeline
from adcompile.analysis.activity import Activity, activity
from adcompile.backend.emit import emit
from adcompile.cli.arguments import Call, call_types, parameters
from adcompile.cli.locate import Located
from adcompile.errors import NotDifferentiable, place_of
from adcompile.frontend.lower import lower_function
from adcompile.frontend.source import source_of
from adcompile.frozen import frozen
from adcompile.inspection import kept_of
from adcompile.ir.nodes import Var
from adcompile.ir.program import Program
from adcompile.ir.show import show
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, DictT, ListT, Seq, TupleT, differentiable
from adcompile.refusals import refuse_self_reference


@frozen
class Asked:
    """A function and what is asked of it; `argnums` are positions, or None: the first that has
    a derivative."""

    located: Located
    signature: str | None = None
    example: str | None = None
    argnums: tuple[str, ...] = ()
    forward: bool = False

    @property
    def call(self) -> Call:
        return call_types(self.located, self.signature, self.example)


def positions(asked: Asked, call: Call) -> tuple[int, ...]:
    """The positions of the arguments to differentiate by. Raises NotDifferentiable."""
    function, bound = asked.located.function, len(asked.located.leading)
    names = [p.name for p in parameters(function)][bound : len(call.types)]
    for name in asked.argnums:
        if name not in names and not (name.isdecimal() and int(name) < len(names)):
            remedy = f"--argnums takes positions or these names: {', '.join(names)}"
            raise NotDifferentiable(
                f"{function.__name__}() has no positional parameter {name!r}", place_of(function), remedy
            )
    found = tuple(bound + (names.index(n) if n in names else int(n)) for n in asked.argnums)
    if not found:
        found = tuple(i for i, t in enumerate(call.types) if i >= bound and differentiable(t))[:1] or (bound,)
    for i in found:
        if i >= bound + len(names) or not differentiable(call.types[i]):
            what = f"argument {names[i - bound]!r} of {function.__name__}()" if names else f"{function.__name__}()"
            remedy = "name another one with --argnums, or give it a float type in --signature"
            raise NotDifferentiable(f"{what} has no derivative", place_of(function), remedy)
    return found


def stage(asked: Asked, name: str) -> str:
    """The text of a stage, one of pipeline.STAGES. Raises AdcompileError with a place."""
    return _TEXTS[name](asked).rstrip("\n") + "\n"


def made_of(asked: Asked, kind: pipeline.Kind) -> pipeline.Made:
    """What specialisation makes of a request, before it is optimised."""
    call = asked.call
    wrt = () if kind == "primal" else positions(asked, call)
    refuse_self_reference(asked.located.function)
    request = pipeline.Request(kind, wrt)
    return large_stack(pipeline.specialise, asked.located.function, request, call.types, call.kwtypes)


def program_of(asked: Asked, kind: pipeline.Kind) -> Program:
    return made_of(asked, kind).program


def finished(asked: Asked, kind: pipeline.Kind) -> Program:
    """The program that is printed and loaded."""
    return large_stack(pipeline.finish, made_of(asked, kind))[0]


def reverse_kind(asked: Asked) -> pipeline.Kind:
    """A gradient in one body; of what is no scalar, value and pullback."""
    result = made_of(asked, "primal").result
    whole = isinstance(result, (TupleT, ListT, DictT, Seq)) or isinstance(result, Array) and result.dims != ()
    return "split" if whole and differentiable(result) else "joint"


def derivative_kind(asked: Asked) -> pipeline.Kind:
    return "forward" if asked.forward else reverse_kind(asked)


def text_of(asked: Asked) -> str:
    """The source of a function as it stands in its file."""
    function = asked.located.function
    node = source_of(function).node
    return source_text(function.__code__.co_filename, node)


def source_text(file: str, node: Any) -> str:
    """The lines of a definition, decorators included, without the indentation around it."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    lines = linecache.getlines(file)[first - 1 : node.end_lineno]
    return textwrap.dedent("".join(lines))


def _gast(asked: Asked) -> str:
    return large_stack(gast.dump, source_of(asked.located.function).node, indent=2)


def _ir(asked: Asked) -> str:
    return show(lower_function(asked.located.function))


def _facts(asked: Asked) -> str:
    """The typed IR with what is known of each value, and what reverse mode keeps."""
    program = program_of(asked, "primal")
    call = asked.call
    entry = program.functions[program.entry]
    notes: dict[Var, str] = {}
    for function in program.functions.values():
        inputs = [function.params[i] for i in positions(asked, call)] if function is entry else list(function.params)
        notes.update(_notes(activity(function, program.types, inputs), program))
    kept = kept_of(derive_split(asked))
    lines = [f"#   {k}" for k in kept] or ["#   nothing but arguments"]
    return show(program, notes) + "\n\n# kept for the way back\n" + "\n".join(lines)


def _notes(facts: Activity, program: Program) -> dict[Var, str]:
    return {
        v: "active" if v in facts.active else "varied, not useful" if v in facts.varied else "inert"
        for v in program.types
    }


def derive_split(asked: Asked) -> Program:
    """The program of value and pullback, optimised."""
    return finished(asked, "split")


_TEXTS: dict[str, Callable[[Asked], str]] = {
    "source": text_of,
    "gast": _gast,
    "ir": _ir,
    "typed": lambda asked: show(program_of(asked, "primal")),
    "facts": _facts,
    "forward": lambda asked: show(program_of(asked, "forward")),
    "reverse": lambda asked: show(program_of(asked, reverse_kind(asked))),
    "optimised": lambda asked: show(finished(asked, derivative_kind(asked))),
    "python": lambda asked: emit(finished(asked, derivative_kind(asked))).source,
}
assert tuple(_TEXTS) == pipeline.STAGES
