"""What runs a derivative is imported where it is asked for."""

import os
import subprocess
import sys

SCRIPT = """
import sys
import adcompile as ad
assert ad.grad(lambda x: x * x)(2.0) == 4.0
loaded = {name for name in sys.modules if name.startswith(("adcompile.nests", "adcompile.backend.native"))}
assert loaded == {f"adcompile.backend.native{name}" for name in ("", ".choice", ".notes")}, loaded
"""


def test_kernels_are_not_imported_for_numpy(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    subprocess.run([sys.executable, script], check=True, env={**os.environ, "ADCOMPILE_BACKEND": "numpy"})
