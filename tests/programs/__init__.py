"""Plain functions, as users write them, with sample arguments and no test code.

Every module but this one holds functions and `SAMPLES = {name: [args, …]}`. `collect` gives one
Program for each name and args; the arguments of inexact type are the differentiable ones.
"""

from __future__ import annotations

import copy
import os
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Program:
    """`name` is the function's, with a number appended where it has several samples."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]

    def fresh(self) -> tuple[Any, ...]:
        """The arguments, unshared: what a test does to them reaches no other test."""
        return copy.deepcopy(self.args)


def modules(package: str = __name__, path: Iterable[str] = __path__) -> list[Any]:
    names = sorted(info.name for info in pkgutil.iter_modules(path))
    return [importlib.import_module(f"{package}.{name}") for name in names]


def collect(topic: str | None = None) -> list[Program]:
    """All programs, or those of one file, in the order of file and sample."""
    return samples(modules(), topic)


def samples(among: list[Any], topic: str | None = None) -> list[Program]:
    """The programs of these modules, or of the one that is called `topic`."""
    found = []
    for module in among:
        if topic is not None and module.__name__.rpartition(".")[2] != topic:
            continue
        for name, samples in module.SAMPLES.items():
            for i, args in enumerate(samples):
                label = name if len(samples) == 1 else f"{name}-{i}"
                found.append(Program(label, getattr(module, name), args))
    return found


def some(programs, every):
    """Every `every`-th of the programs, or with ADCOMPILE_ALL=1 in the environment all of them."""
    return programs if os.environ.get("ADCOMPILE_ALL") == "1" else programs[::every]
