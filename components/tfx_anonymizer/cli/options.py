"""Options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tfx_anonymizer.bounds import DIVERSITIES

if TYPE_CHECKING:
    from tfx_anonymizer.policy import AnonymizationPolicy

F = TypeVar("F", bound=Callable[..., Any])


class Names(click.ParamType):  # type: ignore[type-arg]
    """Column names with commas between them, as in a line of a CSV file: `"last, first",age` are two."""

    name = "NAME,NAME,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Splits the text; see `click.ParamType.convert`."""
        if isinstance(value, tuple):
            return value
        rows = list(csv.reader([str(value)], skipinitialspace=True, strict=True))
        return tuple(part.strip() for row in rows for part in row if part.strip())


class Ks(click.ParamType):  # type: ignore[type-arg]
    """Values of k with commas between them."""

    name = "K,K,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Reads the numbers; see `click.ParamType.convert`."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 5,10,50", param, ctx)


class Number(click.ParamType):  # type: ignore[type-arg]
    """An integer where it is one, else a float."""

    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Reads the number; see `click.ParamType.convert`."""
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        return int(number) if number.is_integer() else number


def roles(function: F) -> F:
    """Adds the options that say who is who and what is promised, one k among them."""
    k = click.option("--k", type=int, required=True, help="At least this many rows share each combination of them.")
    return roles_but_k(k(function))


def roles_but_k(function: F) -> F:
    """Adds the options that say who is who and what is promised, all but k."""
    options = [
        click.option("--quasi-identifiers", type=Names(), multiple=True, required=True,
                     help="Columns an outsider may know, such as age,sex,zip. A name that holds a comma stands in "
                     "double quotes. May be given several times."),
        click.option("--sensitive", type=Names(), multiple=True, help="Columns that --l and --t protect."),
        click.option("--l", type=Number(), help="How diverse sensitive values are in each class; see --diversity."),
        click.option("--diversity", type=click.Choice(DIVERSITIES), default="distinct", show_default=True,
                     help="l values or more; an entropy of log l or more; or recursive (c, l)-diversity."),
        click.option("--c", type=float,
                     help="With --diversity recursive: a class's most frequent sensitive value is less than this many "
                     "times as frequent as its l-th and all rarer ones together."),
        click.option("--t", type=float, help="Greatest distance of a class's sensitive distribution, 0 to 1."),
        click.option("--entity-id", help="Column that says whose row it is; --k then counts people instead of rows."),
        click.option("--direct-identifiers", type=Names(), multiple=True,
                     help="Columns such as names: dropped by anonymize, refused by validate."),
        click.option("--delimiter", default=",", show_default=True, help="What separates the cells of a CSV file."),
        click.option("--missing", multiple=True, default=("",),
                     help="A CSV cell that means missing. May be given several times. Default: an empty cell."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def flatten(given: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Joins the values of an option that was given several times."""
    return tuple(name for names in given for name in names)


def policy_of(options: Mapping[str, Any], **others: Any) -> AnonymizationPolicy:
    """Builds the policy that `roles` or `roles_but_k` asked for.

    Args:
        options: The command's options by name.
        **others: Fields that not every command has, or that it means in a way of its own.

    Raises:
        PolicyError: If one is out of range, or two contradict each other.
    """
    from tfx_anonymizer.policy import AnonymizationPolicy

    alone = ("k", "label", "entity_id", "l", "t", "diversity", "c", "max_suppressed")
    fields = {name: options[name] for name in alone if name in options}
    lists = ("quasi_identifiers", "sensitive", "direct_identifiers", "categorical")
    fields |= {name: flatten(options[name]) for name in lists if name in options}
    return AnonymizationPolicy(**{**fields, **others})
