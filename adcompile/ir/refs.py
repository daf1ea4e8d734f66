"""Names of modules, and objects that were met when compiling, as programs refer to them."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from adcompile.errors import Place
from adcompile.frozen import frozen


@frozen(eq=False)
class GlobalRef:
    """A module-level name, read when the statement runs: `namespace[name]`, then builtins."""

    namespace: dict[str, Any] = field(repr=False)
    name: str
    place: Place | None = None


class OwnerSpace(dict[str, Any]):
    """The namespace of a reference to an object that was met when compiling, a class or a function
    above all: it holds that object as `owner`."""

    @classmethod
    def of(cls, value: Any) -> GlobalRef:
        return GlobalRef(cls(owner=value), "owner")
