"""Plain functions that write in place, as users write them: kept and collected as those of tests/programs."""

from __future__ import annotations

from typing import Any

from tests import programs
from tests.programs import Program


def modules() -> list[Any]:
    return programs.modules(__name__, __path__)


def collect(topic: str | None = None) -> list[Program]:
    """All programs, or those of one file, in the order of file and sample."""
    return programs.samples(modules(), topic)
