"""Which helpers may refuse a call of a derivative: they compare arguments, or ask what memory these share."""

from __future__ import annotations

from adcompile.runtime.checkpoints import run_budgeted
from adcompile.runtime.overlap import check_elements, check_masked, check_parts, check_some
from adcompile.runtime.plain import check_array, check_filled, check_real
from adcompile.runtime.state import different, ends_among_first, holds_no_memory_of, holds_none, none_of, one_length

REFUSING = (
    *(different, none_of, holds_none, ends_among_first, one_length, run_budgeted, holds_no_memory_of),
    *(check_array, check_filled, check_real, check_elements, check_masked, check_parts, check_some),
)
"""What may refuse a call of the derivative when it runs."""
