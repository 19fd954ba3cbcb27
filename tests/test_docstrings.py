"""Every public name has a numpydoc docstring with an example."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import sklearn_reclink
from sklearn_reclink.linkers import ALL_LINKERS

# The rooms that users import from; the others serve these.
ROOMS = (
    "sklearn_reclink",
    "sklearn_reclink.capacity",
    "sklearn_reclink.datasets",
    "sklearn_reclink.inspection",
    "sklearn_reclink.linkers",
    "sklearn_reclink.masking",
    "sklearn_reclink.metrics",
    "sklearn_reclink.model_selection",
    "sklearn_reclink.auditing",
)
SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", flags=re.MULTILINE)
PARAMETER = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .+)?$", flags=re.MULTILINE)


def public_objects():
    """Classes and functions by their public name, each once."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(value, f"{room}.{name}")
    return {name: value for value, name in found.items()}


PUBLIC = public_objects()
METHODS = {
    f"{name}.{attribute}": getattr(value, attribute)
    for name, value in PUBLIC.items()
    if inspect.isclass(value)
    for attribute in dir(value)
    if not attribute.startswith("_")
    and inspect.isroutine(getattr(value, attribute))
    and callable(getattr(value, attribute))  # cached properties are routines since Python 3.13
    and getattr(getattr(value, attribute), "__module__", "").startswith("sklearn_reclink")
}


def sections(value):
    """Text of each section of a docstring, the opening under ''."""
    parts = SECTION.split(inspect.getdoc(value) or "")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def parameters(value):
    return {
        name for name in inspect.signature(value).parameters if name not in ("self", "args", "cls")
    }


def documented(text):
    names = PARAMETER.findall(text)
    return {name.strip().lstrip("*") for entry in names for name in entry.split(",")}


def test_there_are_public_names():
    assert len(PUBLIC) > 50
    assert METHODS


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_opens_with_a_summary(name):
    assert sections(PUBLIC[name])[""].strip()


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example(name):
    assert ">>>" in sections(PUBLIC[name]).get("Examples", "")


@pytest.mark.parametrize("name", [name for name in PUBLIC if parameters(PUBLIC[name])])
def test_parameters_are_those_of_the_signature(name):
    value, text = PUBLIC[name], sections(PUBLIC[name])
    # a record that functions return has attributes instead
    described = text.get("Parameters") or (text["Attributes"] if inspect.isclass(value) else "")
    missing = parameters(value) - documented(described)
    assert not missing


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isfunction(v)])
def test_function_says_what_it_returns(name):
    value = PUBLIC[name]
    if inspect.signature(value).return_annotation not in ("None", None):
        assert "Returns" in sections(value)


@pytest.mark.parametrize("name", METHODS)
def test_method_has_a_summary_and_its_parameters(name):
    method = METHODS[name]
    text = sections(method)
    assert text[""].strip()
    described = documented(text.get("Parameters", ""))
    assert not parameters(method) - described


def test_every_public_name_is_in_the_reference():
    page = Path(sklearn_reclink.__file__).parents[1] / "docs" / "api" / "index.rst"
    listed = {line.strip().split(".")[-1] for line in page.read_text(encoding="utf-8").split("\n")}
    assert not {name.split(".")[-1] for name in PUBLIC} - listed


@pytest.mark.parametrize("linker", ALL_LINKERS, ids=lambda linker: linker.__name__)
def test_every_fitted_attribute_and_parameter_of_a_linker_is_documented(linker, frames):
    X, Y = frames
    fitted = linker().fit(X, Y.where(Y != Y.iloc[0, 0]))  # one value is missing
    documented = set(re.findall(r"^([a-z]\w*) : ", inspect.getdoc(linker), re.MULTILINE))
    attributes = {name for name in vars(fitted) if name.endswith("_") and name[0] != "_"}
    assert attributes | set(fitted.get_params()) == documented
