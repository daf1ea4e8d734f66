"""What can be set, for the whole process: which rules there are, if they are checked, and what runs derivatives."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from typing import Any, Literal

from adcompile.frozen import frozen

Context = Literal["minimal", "default"]
CONTEXTS: tuple[Context, ...] = ("minimal", "default")
"""Which rules there are: those without which a function has no derivative, or those for speed too."""


Backend = Literal["numpy", "numba", "auto"]
BACKENDS: tuple[Backend, ...] = ("numpy", "numba", "auto")
"""What runs derivatives: NumPy; compiled kernels wherever there can be; or these where they are worth it."""


Elementary = Literal["vectorised", "libm"]
ELEMENTARY: tuple[Elementary, ...] = ("vectorised", "libm")
"""Whose elementary functions kernels call: our own, of which loops become vector instructions; or the C library's."""


@frozen
class Settings:
    """`context`: "default" uses every rule; "minimal" leaves out the rules of functions whose own
    source can be differentiated instead. `debug`: derivatives check their rules as they run.
    `backend`: what runs them. `elementary`: whose elementary functions kernels call."""

    context: Context = "default"
    debug: bool = False
    backend: Backend = "numpy"
    elementary: Elementary = "vectorised"


def known_backend(name: Any) -> Backend:
    """The name of a backend; raises ValueError for what is none."""
    if name not in BACKENDS:
        raise ValueError(f"backend is {' or '.join(map(repr, BACKENDS))}, not {name!r}")
    return name


current = Settings(
    debug=os.environ.get("ADCOMPILE_DEBUG") == "1",
    backend=known_backend(os.environ.get("ADCOMPILE_BACKEND") or "numpy"),
)
"""Equal settings are one object: what is made under some is compared with them by identity."""
_known = {current: current}


def config(**changes: Any) -> Changed:
    """Set what is named, at once and for all threads; as a context manager, for its block alone.

        ad.config(context="minimal")
        with ad.config(context="minimal"): …

    `context`: "default", or "minimal": rules that are there for speed alone are not used, and what
    they are for is derived from its source.
    `debug`: False, or True: derivatives check at each rule what it gives (shape, dtype, structure,
    finite numbers), and the memory that mirrors the arrays that are written; what is wrong raises
    RuleError, which names the rule and the place in your source. The environment variable
    ADCOMPILE_DEBUG=1 sets it from the start.
    `backend`: "numpy"; "numba": loops are compiled, and what cannot be is named in a NativeWarning;
    or "auto": so, where Numba is installed, without a word. ADCOMPILE_BACKEND sets it from the start.

    `elementary`: "vectorised", or "libm": kernels call the C library's exp, log, sin and so on, which err by less
    than one unit in the last place, not two, and are slower.

    Raises TypeError for other names and ValueError for other values. For each combination of
    settings derivatives have code of their own, made when they are first called.
    """
    global current
    known = [field.name for field in fields(Settings)]
    for name in changes:
        if name not in known:
            raise TypeError(f"config() takes {', '.join(known)}, not {name!r}")
    if changes.get("context", "default") not in CONTEXTS:
        raise ValueError(f"context is {' or '.join(map(repr, CONTEXTS))}, not {changes['context']!r}")
    if not isinstance(changes.get("debug", False), bool):
        raise ValueError(f"debug is True or False, not {changes['debug']!r}")
    known_backend(changes.get("backend", "numpy"))
    if changes.get("elementary", "libm") not in ELEMENTARY:
        raise ValueError(f"elementary is {' or '.join(map(repr, ELEMENTARY))}, not {changes['elementary']!r}")
    before, wanted = current, replace(current, **changes)
    current = _known.setdefault(wanted, wanted)
    return Changed(before)


class Changed:
    """Puts the settings back at the end of a `with` block."""

    def __init__(self, before: Settings) -> None:
        self.before = before

    def __enter__(self) -> Settings:
        return current

    def __exit__(self, *_: object) -> None:
        global current
        current = self.before
