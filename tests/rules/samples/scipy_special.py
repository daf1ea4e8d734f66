"""Sample calls of the rules in adcompile/rules/scipy/special.py."""

import numpy as np
from scipy import special

from tests.rules.samples.numbers import positive, real

P, Q = positive(4), positive(4)[::-1].copy()
UNIT = np.array([0.1, 0.35, 0.6, 0.85])
LINE = real(4)
ANYWHERE = "expm1 cosm1 exp2 exp10 erf erfc erfcx ndtr log_ndtr expit log_expit j0 j1 i0 i1 i0e i1e".split()
POSITIVE = "log1p cbrt gamma gammaln rgamma psi loggamma entr y0 y1 k0 k1".split()

SAMPLES = {
    **{getattr(special, name): [((LINE,), {}), ((0.7,), {})] for name in ANYWHERE},
    **{getattr(special, name): [((P,), {}), ((0.7,), {})] for name in POSITIVE},
    **{getattr(special, name): [((UNIT,), {})] for name in "erfinv erfcinv ndtri logit ellipk ellipe".split()},
    **{getattr(special, name): [((P, Q), {})] for name in "beta betaln rel_entr kl_div huber pseudo_huber".split()},
    special.xlogy: [((LINE, P), {}), ((0.5, P), {})],
    special.xlog1py: [((LINE, P), {})],
    special.poch: [((P, Q), {})],
    special.binom: [((P + 3.0, Q), {})],
    special.comb: [((P + 3.0, Q), {}), ((P, 2), {"repetition": True}), ((1.5, 2.5), {})],
    special.factorial: [((P,), {}), ((2.5,), {})],
    special.polygamma: [((1, P), {}), ((np.array([1, 2, 3, 1]), P), {}), ((np.array([[1], [2]]), P), {})],
    special.zeta: [((3, P), {})],
    special.gammainc: [((2, P), {}), ((np.int8(3), P), {})],
    special.gammaincc: [((2, P), {}), ((np.int8(3), P), {})],
    special.betainc: [((2, 3, UNIT), {})],
    special.stdtr: [((4, LINE), {})],
    special.jv: [((np.uint8(0), P), {}), ((2, P), {})],
    special.yv: [((np.uint8(0), P), {}), ((2, P), {})],
    special.yn: [((np.uint8(0), P), {}), ((2, P), {})],
    special.iv: [((np.uint8(0), P), {}), ((2, P), {})],
    special.ive: [((np.uint8(0), LINE), {}), ((2, LINE), {})],
    special.kv: [((np.uint8(0), P), {}), ((2, P), {})],
    special.hyp2f1: [((1, 2, 3, UNIT), {})],
    special.logsumexp: [
        ((LINE,), {}),
        ((real(2, 3),), {"axis": 1}),
        ((real(2, 3),), {"axis": 0, "keepdims": True}),
        ((real(2, 3),), {"b": positive(2, 3)}),
        ((real(2, 3),), {"b": positive(3), "axis": 1}),
    ],
    special.softmax: [((LINE,), {}), ((real(2, 3),), {"axis": 1})],
    special.log_softmax: [((LINE,), {}), ((real(2, 3), 0), {})],
}
