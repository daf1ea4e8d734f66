"""Functions that are written in Python, and whose source can be differentiated as it stands.

Their rules are there for speed and for short derivatives: they belong to the context "default",
and `ad.config(context="minimal")` follows the source.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.rules.registry import belongs

NAMES: dict[Any, str] = {
    np: "append array_split atleast_1d atleast_2d atleast_3d cov diag dsplit fliplr flipud full full_like hsplit "
    "logspace outer polyadd polyder polysub polyval split stack tril triu vander vsplit",
    np.fft: "fft2 fftn ifft2 ifftn fftshift ifftshift",
}

for _module, _listed in NAMES.items():
    for _name in _listed.split():
        belongs(getattr(_module, _name), "default")
