"""Typed errors: what they say, and that they survive a trip between processes."""

import pickle

import pytest

from tfx_anonymizer import errors

ALL = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.AnonymizerError)]


def test_every_error_has_the_base_class():
    assert len(ALL) == 9
    assert all(issubclass(c, ValueError) for c in ALL)


def test_message_has_all_parts_on_one_line():
    error = errors.PolicyError("k is\ntoo small", got=1, allowed="2 or\tmore", hint="try 50")
    assert str(error) == "k is too small; got: 1; allowed: 2 or more. Hint: try 50"


@pytest.mark.parametrize("kind", ALL)
def test_errors_survive_pickling(kind):
    error = kind("column 'a'", got=3, hint="look")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)


def test_unknown_column_suggests_the_closest_name():
    error = errors.unknown_column("agee", "quasi_identifiers", ["age", "sex", "page"])
    assert "did you mean 'age'" in str(error)
    assert isinstance(error, errors.ColumnError)


def test_unknown_column_lists_at_most_twenty_names():
    error = errors.unknown_column("x", "label", [f"c{i:03}" for i in range(500)])
    assert "c019, …" in str(error)
    assert "c020" not in str(error)
