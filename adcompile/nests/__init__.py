"""Array statements as loop nests: a pass from IR to IR, for backends that compile loops.

    region   array statements that follow each other       (`nests/region`, `nests/elementwise`)
    unroll   axes of two to four, written out              (`nests/unroll`, `nests/unread`)
    plan     which of them go into which loops             (`nests/plan`, `nests/dependence`, `nests/zeroed`)
    align    loops set side by side, some turns apart      (`nests/align`)
    writing  loops, elements, scalars                      (`nests/write`)

Lengths are symbolic keys (`nests/keys`, `nests/extents`), slices an offset and a step in the loops
(`nests/views`). What cannot be proved is tested at run time, in front of the loops (`nests/frames`).
"""

from adcompile.nests.lower import Lowered as Lowered
from adcompile.nests.lower import lowered as lowered
from adcompile.nests.lower import nests as nests
