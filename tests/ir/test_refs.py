"""References of programs to what stands outside."""

from adcompile.ir import nodes, refs


def test_an_owner_is_found_in_its_namespace():
    ref = refs.OwnerSpace.of(dict)
    assert ref.namespace[ref.name] is dict
    assert isinstance(ref.namespace, refs.OwnerSpace)


def test_references_are_themselves():
    space = {"K": 1}
    assert refs.GlobalRef(space, "K") != refs.GlobalRef(space, "K")
    assert nodes.GlobalRef is refs.GlobalRef and nodes.OwnerSpace is refs.OwnerSpace
