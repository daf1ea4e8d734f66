"""What a specialisation is asked for, and what its calls run: the generated function, and what users expect of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.boundary import (
    ALONE,
    any_complex,
    apart,
    conj,
    gathered,
    getrefcount,
    project,
    project_array,
    project_scalar,
)
from adcompile.errors import AdcompileError, place_of
from adcompile.frozen import frozen
from adcompile.refusals import spaces_at
from adcompile.runtime.settings import Backend
from adcompile.runtime.shadows import check_places
from adcompile.targets import innermost


@frozen
class Plan:
    """What is asked of a function; `argnums` are positions, None: whatever has a tangent."""

    transform: str  # "grad", "value_and_grad", "vjp", "jvp", or one that is a function of its own
    argnums: Any
    has_aux: bool = False
    restore: bool = True  # reverse mode: what is written is put back
    closure: bool = False  # gradients by what the function has captured, too
    mutated: bool = False  # jvp: the tangents of the arguments after the call, too
    backend: Backend | None = None  # what runs it; None: what is set
    budget: int | None = None  # bytes that loops may keep; None: what they need

    def from_start(self, count: int) -> Plan:
        """The plan for a call with so many arguments by position: without positions from the end."""
        at = self.positions
        if not any(isinstance(i, int) and i < 0 for i in at):
            return self
        at = tuple(i + count if isinstance(i, int) and -count <= i < 0 else i for i in at)
        return replace(self, argnums=at if isinstance(self.argnums, tuple) else at[0])

    @property
    def positions(self) -> tuple[Any, ...]:
        """What is asked for, always a tuple."""
        return self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)

    @property
    def names(self) -> tuple[str, ...]:
        """The keyword-only parameters among what is asked for."""
        return tuple(i for i in self.positions if isinstance(i, str))


@frozen(eq=False)
class Made:
    """A specialisation: what the pipeline gave, and the positions it is the derivative for."""

    derived: Any
    wrt: tuple[int, ...]
    invoke: Callable[..., Any]
    unfollowed: AdcompileError | None = None  # split: why its pullback takes no cotangents of the arguments after it

    @property
    def direct(self) -> bool:
        """Whether the generated function takes the arguments alone, and nothing has to be looked at before."""
        return not self.derived.has_cells and not self.derived.inplace


def invoker(derived: Any) -> Callable[..., Any]:
    """`invoke(fun, args, tangents)`: the generated function, with the cells of this `fun`."""
    call, captured, inplace = derived.call, derived.captured, derived.inplace

    def invoke(fun: Any, args: tuple[Any, ...], extra: tuple[Any, ...] = ()) -> Any:
        return call(*args, *captured(fun), *extra)

    def checked(fun: Any, args: tuple[Any, ...], extra: tuple[Any, ...] = ()) -> Any:
        given = (*args, *captured(fun))
        for i in inplace:
            if i < len(given) and type(given[i]) is np.ndarray:
                check_places(given[i])
        return call(*given, *extra)

    return checked if inplace else invoke


def located(run: Callable[..., Any], derived: Any, fun: Any) -> Callable[..., Any]:
    """`run`; where it compares arguments, or asks what memory they share, its errors have the place of the function,
    whose file is read only then."""
    if not derived.refuses and not derived.inplace:
        return run

    def call(*args: Any) -> Any:
        try:
            return run(*args)
        except AdcompileError as error:
            if error.place is not None:
                raise
            raise error.at(place_of(innermost(fun))) from None

    return call


def function_run(made: Made, has_aux: bool) -> Callable[..., Any]:
    """`run(fun, args)` for a transform whose result the generated function gives as it is."""
    invoke = made.invoke

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        raw = [invoke(fun, args)]
        if not has_aux:
            return apart(raw, 0, set())
        pair = list(raw.pop())
        return apart(pair, 0, set()), pair[1]

    return run


def gradient_run(made: Made, plan: Plan, example: tuple[Any, ...]) -> Callable[..., Any]:
    """`run(fun, args)`: call the generated function and project what it gives."""
    single = not isinstance(plan.argnums, tuple)
    if single and plan.transform == "grad" and not plan.has_aux and not plan.closure:
        quick = _quick_run(made, example[made.wrt[0]])
        if quick is not None:
            return quick
    if not plan.has_aux and not plan.closure:
        several = _quick_runs(made, plan, [example[i] for i in made.wrt])
        if several is not None:
            return several
    value, aux, wrt, invoke = plan.transform == "value_and_grad", plan.has_aux, made.wrt, made.invoke
    bare = single and not plan.closure

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        spaces = spaces_at(fun, [args[i] for i in wrt])  # before the function writes into them
        by_cells = _captured_spaces(made, fun)
        raw = invoke(fun, args)
        head: Any = None
        if value:
            head, raw = raw
        elif aux:
            raw, head = raw
        raw = (raw,) if bare else raw
        seen: set[int] = set()
        raw = gathered(conjugated(raw), [*spaces, *[space for _, space in by_cells]])
        grads = tuple([project(raw, k, space, seen) for k, space in enumerate(spaces)])
        out = grads[0] if single else grads
        if plan.closure:
            captured = {name: project(raw, k, space, seen) for k, (name, space) in enumerate(by_cells, len(wrt))}
            out = ({name: g for name, g in captured.items() if g is not None}, out)
        if value:
            return head, out
        return (out, head) if aux else out

    return run


def _captured_spaces(made: Made, fun: Any) -> list[tuple[str, Any]]:
    """The names and spaces of the captured values whose gradients stand behind the others."""
    at: tuple[int, ...] = made.derived.by_cells
    if not at:
        return []
    plain = innermost(fun)
    names, cells = plain.__code__.co_freevars, plain.__closure__ or ()
    return list(zip([names[i] for i in at], spaces_at(fun, [cells[i].cell_contents for i in at])))


def _quick_run(made: Made, example: Any) -> Callable[..., Any] | None:
    """One real scalar or array and nothing else asked for: the path with the least overhead."""
    cls: type = type(example)
    call, invoke, i = made.derived.call, made.invoke, made.wrt[0]
    direct = made.direct
    if cls is np.ndarray:
        array, dtype = np.ndarray, example.dtype
        if dtype.kind == "c":
            return None

        def run_array(fun: Any, args: tuple[Any, ...]) -> Any:
            g = call(*args) if direct else invoke(fun, args)
            # new memory that nobody else holds: what `own` would return, for less
            if g.__class__ is array and g.dtype is dtype and g.base is None and getrefcount(g) < ALONE:
                if g.shape == args[i].shape:
                    return g
            raw = (g,)
            del g
            return project_array(raw, 0, args[i])

        return run_array
    if not tangents.is_number_space(cls) or isinstance(example, (complex, np.complexfloating)):
        return None

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        g = call(*args) if direct else invoke(fun, args)
        return g if g.__class__ is cls else project_scalar(g, cls)

    return run


def _quick_runs(made: Made, plan: Plan, examples: Sequence[Any]) -> Callable[..., Any] | None:
    """Real scalars and arrays, whose gradients are asked for together or with the value: what they are is known, and
    there is nothing to conjugate."""
    classes = [type(x) for x in examples]
    if not all(_is_real(x) for x in examples):
        return None
    single, value, invoke = not isinstance(plan.argnums, tuple), plan.transform == "value_and_grad", made.invoke
    if not single and not value and np.ndarray not in classes:
        return _numbers_run(made, tuple(classes))
    at = list(zip(range(len(classes)), classes, made.wrt))

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        raw = invoke(fun, args)
        head: Any = None
        if value:
            head, raw = raw
        raw = (raw,) if single else raw
        seen: set[int] = set()
        grads: list[Any] = []
        for k, cls, i in at:
            if cls is np.ndarray:
                g = project_array(raw, k, args[i])
                g = g.copy() if id(g) in seen else g
                seen.add(id(g))
            else:
                g = raw[k]
                g = g if g.__class__ is cls else project_scalar(g, cls)
            grads.append(g)
        out = grads[0] if single else tuple(grads)
        return (head, out) if value else out

    return run


def _numbers_run(made: Made, classes: tuple[type, ...]) -> Callable[..., Any]:
    """Real scalars and nothing else asked for: one comparison says whether the gradients have their classes."""
    call, invoke, direct = made.derived.call, made.invoke, made.direct

    def run(fun: Any, args: tuple[Any, ...]) -> Any:
        raw = call(*args) if direct else invoke(fun, args)
        if tuple(map(type, raw)) == classes:
            return raw
        return tuple([g if g.__class__ is cls else project_scalar(g, cls) for g, cls in zip(raw, classes)])

    return run


def _is_real(x: Any) -> bool:
    """Whether the gradient by `x` is a real number or an array of them."""
    if type(x) is np.ndarray:
        return bool(x.dtype.kind == "f")
    return tangents.is_number_space(type(x)) and not isinstance(x, (complex, np.complexfloating))


def conjugated(raw: tuple[Any, ...]) -> tuple[Any, ...]:
    """User gradients of complex values are the conjugates of cotangents."""
    return tuple([conj(raw[k]) if any_complex(raw[k]) else raw[k] for k in range(len(raw))])
