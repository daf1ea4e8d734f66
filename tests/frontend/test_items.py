"""Names that no source can have, and which items leave a loop."""

from adcompile.frontend.items import Branch, Facts, Leave, Seq, SetFlag, display_name, identifier, is_flag, leaves


def test_names_of_flags():
    assert (is_flag("%broke%3"), display_name("%broke%3"), identifier("%broke%3")) == (True, "broke", "_broke_3")
    assert (is_flag("x"), display_name("x"), identifier("x")) == (False, "x", "x")


def test_leaves():
    empty = Seq((), Facts(), False)
    leaving = Seq((Leave(True),), Facts(kills=None), True)
    assert leaves(Leave(False))
    assert leaves(Branch(None, empty, leaving, None, Facts()))
    assert not leaves(Branch(None, empty, empty, None, Facts()))
    assert not leaves(SetFlag("%f%1", True, None, Facts()))
