"""Cotangents that a rule made without a name are called after what they belong to."""

import numpy as np

import adcompile as ad
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Var
from adcompile.optimise.naming import name_cotangents
from adcompile.pipeline import Request, specialise


def loss(w, x, y):
    r = x @ w - y
    return np.sum(r**2)


ARGS = (np.ones(3), np.ones((4, 3)), np.ones(4))


def test_the_cotangent_of_a_named_value_has_its_name():
    assert "r_bar = 2.0 * r\n" in ad.source(ad.grad(loss), *ARGS)


def test_a_new_name_is_a_new_var_of_the_same_type():
    program = specialise(loss, Request("joint", (0,)), tuple(map(type_of, ARGS))).program
    (function,) = program.functions.values()
    old = function.body.statements[0].result
    named = name_cotangents(program, {old: "fresh"})
    new = named.functions[program.entry].body.statements[0].result
    assert isinstance(new, Var) and new.name == "fresh"
    assert named.types[new] == program.types[old]
    assert name_cotangents(program, {}) is program
