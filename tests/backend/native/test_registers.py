import pytest

numba = pytest.importorskip("numba")
from adcompile.backend.native import registers  # noqa: E402


def test_kernels_take_the_whole_where_it_is_as_fast():
    @numba.njit
    def kernel(x):
        registers.whole_registers()
        return x + 1.0

    assert kernel(1.0) == 2.0
    (text,) = kernel.inspect_llvm().values()
    assert (registers.WHOLE in text) == registers.takes_all(kernel.targetctx.codegen().magic_tuple()[2])


def test_which_processors():
    assert registers.takes_all("+avx2,+avx512f,+avx512vbmi2") and not registers.takes_all("+avx2,-avx512vbmi2")
    assert not registers.takes_all("+avx2,+avx512f,+avx512vl") and not registers.takes_all("")
