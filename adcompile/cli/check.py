"""A gradient check from the command line."""

from __future__ import annotations

from adcompile.cli.arguments import evaluate
from adcompile.cli.locate import Located, describe, place_in
from adcompile.errors import AdcompileError, SourceError, place_of
from adcompile.testing import CheckFailure, check_grads


def check(located: Located, at: str, order: int) -> tuple[bool, str]:
    """Whether the derivatives of a function agree with its differences at these arguments, and
    one line about it. Raises AdcompileError where the function cannot be differentiated or run."""
    args = evaluate(located, at, "--at")
    name = located.name
    try:
        check_grads(located.callable, args, order=order)
    except CheckFailure as failure:
        return False, f"{name} at ({at}): {failure}"
    except AdcompileError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's function raises at these arguments
        place = place_in(error) or place_of(located.function)
        raise SourceError(f"{name} at ({at}) raised {describe(error)}", place) from error
    modes = "forward and reverse mode"
    return True, f"{name} at ({at}): {modes} agree with differences" + (f" up to order {order}" if order > 1 else "")
