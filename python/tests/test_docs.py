"""Everything public has a docstring and type hints."""
import inspect

import pytest

import sodae

OWN = ("__init__", "__call__", "__getitem__")


def functions(thing, name):
    """The functions of a class, or the function itself, with their names."""
    if inspect.isfunction(thing):
        yield name, thing
    elif inspect.isclass(thing):
        for key, x in inspect.getmembers(thing):
            x = x.fget if isinstance(x, property) else getattr(x, "__func__", x)
            if inspect.isfunction(x) and x.__module__.startswith("sodae") and (key in OWN or key[0] != "_"):
                yield f"{name}.{key}", x


@pytest.mark.parametrize("name", sodae.__all__)
def test_public_names_have_docstrings_and_type_hints(name):
    assert getattr(sodae, name).__doc__
    for place, function in functions(getattr(sodae, name), name):
        made = inspect.signature(function)
        bare = [p.name for p in made.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
        assert not bare, f"{place}: {', '.join(bare)}"
        if not place.endswith("__init__"):
            assert function.__doc__, place
            assert made.return_annotation is not made.empty, place
