"""Functions that users write into their own code to steer differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from adcompile.runtime import checkpoints

Value = TypeVar("Value")
P = ParamSpec("P")


def stop_gradient(x: Value) -> Value:
    """`x` itself, which every derivative takes for a constant."""
    return x


def checkpointed_range(*bounds: int, snaps: int) -> range:
    """`range(*bounds)`, for a loop whose way back keeps the states of `snaps` iterations instead of what
    every iteration computes: the others are run again, as rarely as can be.

        for i in ad.checkpointed_range(n, snaps=100):
            y = step(y)

    With c snapshots and at most r runs of each iteration the loop may have binomial(c + r, c) iterations. The
    gradient is that of a loop over `range`, bit for bit. Raises ValueError for less than one snapshot.
    """
    return checkpoints.checkpointed(range(*bounds), snaps)


save_nothing = "save nothing"
"""Policy of `checkpoint`: all that a call computes is computed again."""
save_all = "save all"
"""Policy of `checkpoint`: what is read on the way back is kept, as without it."""
_ONLY = "save only "


def save_only(*names: str) -> str:
    """Policy of `checkpoint`: the arrays and numbers that the function gives these names are kept, where the
    way back reads them. Raises ValueError for what is no name."""
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no name of a variable")
    return _ONLY + ",".join(names)


def saved_names(policy: str) -> tuple[str, ...] | None:
    """The names that a policy keeps; None: all. Raises ValueError for what is no policy."""
    if policy == save_all:
        return None
    if policy in (save_nothing, _ONLY):
        return ()
    if not policy.startswith(_ONLY):
        raise ValueError(f"{policy!r} is no policy: save_nothing, save_all, or save_only(names)")
    return tuple(policy[len(_ONLY) :].split(","))


def runs_again(policy: str, name: str) -> bool:
    """Whether a call of a checkpointed function is one: always; derivatives tell by this where it begins, and
    how the function is called."""
    return True


def checkpointed_call(fun: Callable[..., Value], policy: str, name: str, /, *args: Any, **kwargs: Any) -> Value:
    """`fun(*args, **kwargs)`, which may run again on the way back."""
    if runs_again(policy, name):
        return fun(*args, **kwargs)
    raise AssertionError("a checkpointed call is always one")


def checkpoint(fun: Callable[P, Value], policy: str = save_nothing) -> Callable[P, Value]:
    """`fun`, of whose calls the way back keeps the arguments only: what its adjoint reads is computed again.

    The gradient is that of `fun`, bit for bit. `policy` says what is kept all the same: `save_nothing`,
    `save_all`, or `save_only("name", …)`. Works as a decorator. Raises ValueError for another policy.
    """
    saved_names(policy)
    called = str(getattr(fun, "__name__", "call"))

    def checkpointed(*args: P.args, **kwargs: P.kwargs) -> Value:
        return checkpointed_call(fun, policy, called, *args, **kwargs)

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(fun, name):
            setattr(checkpointed, name, getattr(fun, name))
    return checkpointed
