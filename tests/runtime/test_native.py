"""What kernels raise."""

import pytest

from adcompile.runtime.native import Fault


def test_a_fault_is_no_error_of_the_user():
    assert issubclass(Fault, Exception) and not issubclass(Fault, (ArithmeticError, LookupError, ValueError))
    with pytest.raises(Fault):
        raise Fault
