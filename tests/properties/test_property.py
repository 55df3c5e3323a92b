"""What a world's modules declare is collected by name."""

from types import ModuleType

import pytest

from properties.language.property import collect_properties
from properties.worlds import toy


def test_two_properties_of_one_name_are_refused() -> None:
    """The error names it; a property that a module only imports is not the module's."""
    importer = ModuleType("importer")
    vars(importer).update({**vars(toy), "__name__": "importer"})
    name = next(iter(collect_properties(toy)))
    assert collect_properties(toy, importer) == collect_properties(toy)
    with pytest.raises(ValueError, match=f"two properties are called {name}"):
        collect_properties(toy, toy)
