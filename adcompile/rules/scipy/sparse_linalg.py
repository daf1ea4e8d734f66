"""scipy.sparse.linalg: sparse linear systems."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import linalg

from adcompile.rules.kinds import vjps


@vjps(linalg.spsolve, wrt=(1,))
def spsolve(y_bar: Any, y: Any, A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """By the right-hand side."""
    b_bar: Any = linalg.spsolve(A.conj().T.tocsc(), y_bar, permc_spec, use_umfpack)
    return None, np.reshape(b_bar, b.shape)
