"""The stack on which deep nests are walked."""

import contextvars
import sys
import threading

import pytest

from adcompile.ir.stack import in_caller, large_stack


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def test_large_stack_recurses_deeply_and_puts_the_limit_back():
    before = sys.getrecursionlimit()
    assert large_stack(depth, 50_000) == 50_000
    assert large_stack(large_stack, depth, 20_000) == 20_000
    assert sys.getrecursionlimit() == before


def test_large_stack_hands_on_exceptions():
    with pytest.raises(ZeroDivisionError):
        large_stack(lambda: 1 / 0)


def test_large_stack_keeps_context_variables():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(1)

    def inside():
        seen = variable.get()
        variable.set(2)
        return seen

    assert large_stack(inside) == 1
    assert variable.get() == 2


def test_what_is_not_the_compilers_runs_where_it_was_called():
    def names():
        return threading.current_thread().name, in_caller(lambda: threading.current_thread().name)

    own = threading.current_thread().name
    assert large_stack(names) == ("adcompile", own)
    assert large_stack(lambda: in_caller(large_stack, lambda: in_caller(names))) == (own, own)
    assert in_caller(lambda: threading.current_thread().name) == own
    with pytest.raises(ZeroDivisionError):
        large_stack(in_caller, lambda: 1 / 0)


def test_large_stacks_in_several_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(large_stack(depth, 5_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [5_000] * 4
