"""A stack on which deep nests are walked."""

from __future__ import annotations

import contextvars
import gc
import importlib
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:  # imported where something is derived
    from queue import SimpleQueue

STACK_BYTES = 512 * 1024 * 1024  # address space; only what is touched becomes memory
RECURSION_LIMIT = 400_000

_inside = threading.local()
_lock = threading.Lock()
_running = 0
_normal_limit = 0
_collects = True


def large_stack(fn: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """`fn(*args, **kwargs)` with room for recursion hundreds of thousands deep.

    Runs in a thread of its own with the caller's context variables, directly if it is already in
    one. Exceptions come through.
    """
    if getattr(_inside, "value", False):
        return fn(*args, **kwargs)
    context = contextvars.copy_context()
    outcome: list[Any] = []
    asked: SimpleQueue[Callable[[], None] | None] = _queue()

    def run() -> None:
        _inside.value, _inside.asked = True, asked
        try:
            outcome.append(context.run(fn, *args, **kwargs))
        except BaseException as error:  # handed to the caller below
            outcome.extend((None, error))
        finally:
            asked.put(None)

    _enter()
    try:
        thread = _start(run)
        while (task := asked.get()) is not None:
            task()
        thread.join()
    finally:
        _leave()
    for variable in context:
        if variable.get(None) is not context[variable]:
            variable.set(context[variable])
    if len(outcome) == 2:
        raise outcome[1]
    return outcome[0]


def in_caller(fn: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """`fn(*args, **kwargs)` in the thread that waits for `large_stack`: where code runs that is not
    the compiler's. It may import, and that thread may be importing the very module."""
    if not getattr(_inside, "value", False):
        return fn(*args, **kwargs)
    answer: SimpleQueue[tuple[Any, BaseException | None]] = _queue()

    def task() -> None:
        try:
            answer.put((fn(*args, **kwargs), None))
        except BaseException as error:  # handed to the compiler below
            answer.put((None, error))

    _inside.asked.put(task)
    value, error = answer.get()
    if error is not None:
        raise error
    return value


def _queue() -> SimpleQueue[Any]:
    return importlib.import_module("queue").SimpleQueue()


def _start(run: Callable[[], None]) -> threading.Thread:
    with _lock:  # the size of new stacks is a setting of the whole process
        before = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=run, name="adcompile", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def _enter() -> None:
    global _running, _normal_limit, _collects
    with _lock:
        if _running == 0:
            _collects = gc.isenabled()
            gc.disable()  # nothing the compiler makes is garbage yet; looking through it again and again is quadratic
            _normal_limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(RECURSION_LIMIT, _normal_limit))
        _running += 1


def _leave() -> None:
    global _running
    with _lock:
        _running -= 1
        if _running == 0 and sys.getrecursionlimit() == RECURSION_LIMIT:
            sys.setrecursionlimit(_normal_limit)
        if _running == 0 and _collects:
            gc.enable()
