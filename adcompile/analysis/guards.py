"""What derivatives rely on of classes, functions and modules of the user's, who may change it."""

from __future__ import annotations

import types as python_types
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.library import is_of_user
from adcompile.ir import ops
from adcompile.ir.abstract import is_installed
from adcompile.ir.types import Known, Type


def guard_absent(b: Builder, owner: Any, attribute: str) -> None:
    """A class, function or module of the user's without an attribute may get it."""
    module = isinstance(owner, python_types.ModuleType) and not is_installed(owner)
    if module or is_of_user(owner):
        for home in owner.__mro__ if isinstance(owner, type) else (owner,):
            if module or is_of_user(home):
                b.context.guard_type(b.context.owner(home), (attribute,), Known(ops.UNDEFINED))


def guard_class(b: Builder, cls: type, attribute: str, t: Type) -> None:
    """What a class of the user's says of its objects, of type `t`: functions above all may be replaced, or be said
    by a class below it."""
    for home in cls.__mro__:
        if attribute in vars(home):
            break
        if is_of_user(home):
            b.context.guard_type(b.context.owner(home), (attribute,), Known(ops.UNDEFINED))
    else:
        return
    if is_of_user(home) and isinstance(t, Known):
        b.context.guard_type(b.context.owner(home), ("__dict__", ("item", attribute)), t)
