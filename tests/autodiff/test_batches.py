"""The transforms that carry several tangents at once: types of what is passed, and the code of columns."""

import numpy as np

import adcompile as ad
from adcompile.autodiff.batches import given_type
from adcompile.ir.types import FLOAT, INT, Array, DictT, ListT, TupleT

X = np.array([1.0, 2.0, 3.0])


def test_types_of_batches():
    many = Array(np.dtype(np.float32), ("many",))
    assert given_type(many) == Array(np.dtype(np.float32), ("any", "many"))
    assert given_type(FLOAT) == Array(np.dtype(float), ("any",))
    assert given_type(TupleT((FLOAT, INT))) == TupleT((Array(np.dtype(float), ("any",)), INT))
    assert given_type(ListT((many,))) == ListT((Array(np.dtype(np.float32), ("any", "many")),))
    assert given_type(DictT(("n",), (INT,))) == DictT(("n",), (INT,))


def test_columns_of_several_results_and_arguments():
    def f(x, s):
        return x * s, np.sum(x) * s

    (dx, ds), (tx, ts) = ad.jacfwd(f, argnums=(0, 1))(X, 2.0)
    assert np.array_equal(dx, 2.0 * np.eye(3)) and np.array_equal(ds, X)
    assert np.array_equal(tx, [2.0, 2.0, 2.0]) and ts == 6.0


def test_what_cannot_be_carried_at_once_has_a_loop_over_columns():
    def f(x):
        rows = [x * float(i) for i in range(20)]
        rows[3][0] = x[1]
        return rows[3] * rows[4]

    expected = [ad.jvp(f, (X,), (unit,))[1] for unit in np.eye(3)]
    assert np.array_equal(ad.jacfwd(f)(X).T, expected)
