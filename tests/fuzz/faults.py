"""Errors planted in the compiler: a fuzzer that does not find them finds nothing.

Each fault changes one named function of adcompile, in a process of its own; programs are checked
until one fails that does not fail without the fault. `__code__` is exchanged rather than the
function, so that tables and other modules that hold the function see the change too; `original`
is the function as it was.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import api, boundary
from adcompile import runtime as rt
from adcompile.analysis import activity, views
from adcompile.autodiff import adjoint, cotangents, forward, keep, loops, reverse, state, writes
from adcompile.ir.nodes import Break, Call, Const, If, Var
from adcompile.ir.types import Scalar
from adcompile.optimise import cse, effects
from adcompile.rules import registry
from adcompile.runtime import arrays, memory
from tests.fuzz.checker import Verdict
from tests.fuzz.program import generate
from tests.fuzz.runner import judge, run

FAULTS: dict[str, Callable[[], None]] = {}
MEANT: dict[str, tuple[str, ...]] = {}
"""Constructs, one of which a program needs for a fault to show; the search passes over the others."""


def fault(*needs: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def enter(install: Callable[[], None]) -> Callable[[], None]:
        FAULTS[install.__name__], MEANT[install.__name__] = install, needs
        return install

    return enter


def recode(function: Any, broken: Any) -> None:
    """Let a function run the code of another; the names in it are those of its own module, and
    `original` and the names that follow as default arguments of `broken`."""
    space = function.__globals__
    space["original"] = types.FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    space["original"].__kwdefaults__ = function.__kwdefaults__
    function.__code__ = broken.__code__


def rerule(fn: Any, **changes: Any) -> None:
    rule = registry.lookup(fn)
    assert rule is not None
    registry.register(fn, replace(rule, **changes))


def original(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("stands for the function that is exchanged")


# -- adjoints of calls --------------------------------------------------------------------------


@fault()
def no_unbroadcast() -> None:
    def broken(b, g, arg, call, name=""):
        return g

    recode(adjoint.unbroadcast, broken)


@fault()
def dimensions_of_one_not_summed() -> None:
    def broken(b, t, yt, arg, call):
        return list(range(len(yt.dims) - len(t.dims))), False

    recode(adjoint.broadcast_axes, broken)


@fault()
def unbroadcast_at_run_time_takes_one_row() -> None:
    def broken(g, x):
        return original(g, x) if np.ndim(g) <= np.ndim(x) else g[0]

    recode(arrays.unbroadcast, broken)


@fault()
def contribution_replaces_the_one_before() -> None:
    def broken(b, x, y, like):
        return y

    recode(cotangents.add_values, broken)


@fault()
def wrong_sign() -> None:
    def subtract(y, a, b):
        return 1.0, 1.0

    rerule(operator.sub, body=subtract)


@fault()
def wrong_partial() -> None:
    def divide(y, a, b):
        return 1.0 / b, -y

    rerule(operator.truediv, body=divide)


@fault("matmul", "dot")
def matmul_not_transposed() -> None:
    def matmul(y_bar, y, a, b):
        if a.ndim == 1 and b.ndim == 1:
            return y_bar * b, y_bar * a
        if a.ndim == 2 and b.ndim == 1:
            return np.outer(b, y_bar).T, a.T @ y_bar * 1.0
        if a.ndim == 1 and b.ndim == 2:
            return b @ y_bar, np.outer(a, y_bar)
        return y_bar @ b.T, np.abs(a).T @ y_bar

    rerule(operator.matmul, body=matmul)


@fault("cumsum")
def cumsum_not_flipped() -> None:
    def cumsum(y_bar, y, a, *, axis=None, dtype=None, out=None):
        return np.cumsum(y_bar, axis=axis)

    rerule(np.cumsum, body=cumsum)


@fault("complex_number", "complex_array")
def no_conjugate() -> None:
    def broken(b, p, g, name=""):
        return b.call(operator.mul, p, g, name=name)

    recode(adjoint.times, broken)


@fault("fancy_read", "row_read", "comprehension")
def repeated_positions_count_once() -> None:
    def broken(buffer, index, value):
        buffer[index] += value
        return buffer

    recode(arrays.accumulate, broken)


@fault()
def derivative_of_a_helper_has_the_wrong_sign() -> None:
    def broadcast_like(y_bar, y, g, *, x):
        return -rt.unbroadcast(y_bar, g)

    rerule(rt.broadcast_like, body=broadcast_like)


# -- control flow -------------------------------------------------------------------------------


@fault()
def kept_value_of_the_iteration_before() -> None:
    def read(self, head, source, number, v):
        if isinstance(source, Var) and source.name.endswith("_kept"):
            number = self.compute(head, operator.sub, number, Const(1))
        return original(self, head, source, number, v)

    swap(keep.Keeper, "read", read)


def swap(cls: type, name: str, broken: Any) -> None:
    """Exchange a method; `original` is what it was."""
    globals()["original"] = getattr(cls, name)
    setattr(cls, name, broken)


@fault("if", "if_else", "elif", "break", "continue", "conditional_expression")
def kept_predicate_of_the_last_iteration() -> None:
    def read(self, head, source, number, v):
        t = self.context.types[v]
        if isinstance(t, Scalar) and t.kinds <= {bool, np.bool_}:
            number = Const(-1)
        return original(self, head, source, number, v)

    swap(keep.Keeper, "read", read)


@fault("accumulate", "for_range", "while", "nested_loops", "for_items")
def loops_not_reversed() -> None:
    def source(self, *args):
        make = original(self, *args)

        def made(b):
            out = make(b)
            call = b.context.definition[out]
            return call.args[0] if call.fn.value is reversed else out

        return made

    swap(keep.Keeper, "source", source)


@fault()
def branches_exchanged() -> None:
    def join_branches(self, s, sides, cot, tail=False):
        out = original(self, s, sides, cot, tail)
        last = cot.builder.statements[-1] if cot.builder.statements else None
        if isinstance(last, If) and last.test is s.test:
            cot.builder.statements[-1] = replace(last, then=last.orelse, orelse=last.then)
        return out

    swap(reverse.Sweep, "join_branches", join_branches)


@fault("break", "return_in_loop", "for_else")
def exits_count_for_nothing() -> None:
    def is_plain_exit(self, block):
        return isinstance(block.end, Break)

    swap(loops.LoopReversal, "is_plain_exit", is_plain_exit)


@fault()
def loops_forget_what_came_before() -> None:
    def start(self, b, v, in_place):
        return cotangents.zero(b, v)

    swap(loops.LoopReversal, "start", start)


@fault("while", "break")
def trips_counted_once() -> None:
    def counted(self, statements, param):
        more = original(self, statements, param)
        call = statements[0]
        statements[0] = Call(call.result, Const(operator.or_), call.args, (), call.place, call.role)
        self.context.definition[more] = statements[0]
        return more

    swap(keep.Keeper, "counted", counted)


@fault("for_range", "while", "for_items", "nested_loops", "accumulate")
def activity_sees_one_round_of_a_loop() -> None:
    def loop(self, s):
        size = self.size
        self.size = lambda: 0
        original(self, s)
        self.size = size

    swap(activity.Varied, "loop", loop)


# -- forward mode -------------------------------------------------------------------------------


@fault()
def forward_takes_the_first_term() -> None:
    def broken(self, s, rule):
        found = []
        dot = self.array_dot

        def once(arg):
            d = None if found else dot(arg)
            if d is not None:
                found.append(d)
            return d

        self.array_dot = once
        try:
            return original(self, s, rule)
        finally:
            del self.array_dot

    recode(forward.Forward.elementwise, broken)


@fault()
def forward_carries_zeros() -> None:
    def value_dot(self, atom, into):
        return self.zero(atom)

    swap(forward.Forward, "value_dot", value_dot)


# -- memory -------------------------------------------------------------------------------------


@fault()
def arguments_not_restored() -> None:
    swap(state.State, "restore", lambda self, b: None)


@fault()
def overwritten_cotangent_stays() -> None:
    def broken(b, target, index, value):
        return (
            b.emit(rt.snapshot, (target,), b.type(target))
            if value is None
            else copied(  # noqa: F821
                b, b.call(operator.getitem, target, index)
            )
        )

    recode(writes.taken, broken)


@fault()
def constants_written_do_not_cut() -> None:
    def broken(b, w, target, cot, active):
        if any_active(b, w.value, active):  # noqa: F821
            original(b, w, target, cot, active)

    recode(writes.store, broken)


@fault()
def views_taken_for_copies() -> None:
    def broken(s, types):
        return fn_of(s) is not operator.getitem and original(s, types)  # noqa: F821

    recode(views.may_share, broken)


@fault("same_array_twice", "overlapping_arguments")
def aliased_arguments_taken_apart() -> None:
    def broken(arrays):
        return [[a] for a in {id(a): a for a in arrays}.values()]

    recode(sys.modules["adcompile.runtime.shadows"].groups_of, broken)


@fault()
def no_copy_of_what_is_written_later() -> None:
    swap(reverse.Sweep, "snapshots", lambda self, s, call, cot: ([], call))


@fault()
def shadows_are_assigned_not_added_to() -> None:
    def add_shadow(self, atom, g):
        self.builder.call(operator.setitem, self.shadow[atom], Const(Ellipsis), g)

    swap(cotangents.Cotangents, "add_shadow", add_shadow)


@fault("set_fancy")
def every_write_stays() -> None:
    def broken(buffer, index, value):
        return np.ones(np.shape(buffer[index]), bool)

    recode(memory.last_writes, broken)


@fault()
def shadows_kept_for_the_second_call() -> None:
    def broken(held):
        return held.values

    recode(memory.released, broken)


@fault()
def result_shares_what_is_restored() -> None:
    def broken(b, value, state):
        return value

    recode(state.detached, broken)


@fault()
def writes_taken_for_pure() -> None:
    swap(effects.Effects, "pure", lambda self, call: True)


@fault()
def equal_reads_merged_across_writes() -> None:
    swap(cse._Values if hasattr(cse, "_Values") else _class_of(cse), "_read_at", lambda self, call: None)


def _class_of(module: Any) -> type:
    """The class of a module that has the method meant."""
    return next(c for c in vars(module).values() if isinstance(c, type) and "_read_at" in vars(c))


# -- the boundary -------------------------------------------------------------------------------


@fault("float32_argument", "float32")
def dtype_lost() -> None:
    def broken(raw, i, primal):
        return np.array(raw[i], np.float64) if np.shape(raw[i]) == primal.shape else original(raw, i, primal)

    recode(boundary.project_array, broken)


@fault()
def gradients_not_owned() -> None:
    def broken(raw, i):
        return True

    recode(boundary.is_owned, broken)


@fault()
def pullback_keeps_the_user_s_arrays() -> None:
    def broken(raw, i, memo=None):
        return raw[i]

    recode(boundary.own_tree, broken)


HELD = (api,)
"""Modules whose names for what is exchanged were bound before."""


# -- the search ---------------------------------------------------------------------------------


STEP = 100
"""Programs a worker goes through at most: one that hangs costs no more than its limit."""


def attempt(name: str, seed: int, first: int, last: int, names: frozenset[str]) -> tuple[int, Verdict] | None:
    """The first program of a range that fails with a fault planted."""
    FAULTS[name]()
    for index in range(first, last):
        if MEANT[name] and not set(MEANT[name]) & set(generate(seed, index, names).used):
            continue
        _, verdict, _ = judge(seed, index, names)
        if verdict.failed:
            return index, verdict
    return None


def sound(seed: int, index: int, names: frozenset[str]) -> bool:
    return not judge(seed, index, names)[1].failed


def found(
    name: str, seed: int, programs: int, names: frozenset[str], limit: float = 600.0
) -> tuple[int, Verdict] | None:
    """The first program that fails with the fault and does not without."""
    first = 0
    while first < programs:
        last = min(first + STEP, programs)
        died = (first, Verdict("slow", reason="no verdict in time, or the process died"))
        result = next(run(attempt, [(name, seed, first, last, names)], limit, lambda *_, died=died: died))
        if result is None:
            first = last
            continue
        index, verdict = result
        if next(run(sound, [(seed, index, names)], limit, lambda *_: False)):
            return index, verdict
        first = index + 1
    return None


def plants(name: str) -> bool:
    """Whether what a fault changes is still there."""
    FAULTS[name]()
    return True


def search(wanted: Sequence[str], seed: int, programs: int, names: frozenset[str]) -> int:
    """Plant each fault in turn, and say which program found it."""
    missed = 0
    for name in wanted or FAULTS:
        if not next(run(plants, [(name,)], 60.0, lambda *_: False)):
            missed += 1
            print(f"{name:50} cannot be planted: the code that it changes has moved", flush=True)
            continue
        result = found(name, seed, programs, names)
        if result is None:
            missed += 1
            print(f"{name:50} NOT FOUND in {programs} programs", flush=True)
        else:
            index, verdict = result
            print(f"{name:50} program {index}: {verdict.kind} {verdict.stage}: {verdict.reason}", flush=True)
    print(f"{len(wanted or FAULTS) - missed} of {len(wanted or FAULTS)} faults found")
    return int(missed > 0)
