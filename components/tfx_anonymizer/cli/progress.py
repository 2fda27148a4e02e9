"""Progress bars on standard error: over the steps of a command, and over pieces of work that are alike."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

B = TypeVar("B", bound="_Bar")


class _Bar:
    """A bar while its block lasts; nothing if quiet or if standard error is no terminal."""

    def __init__(self, name: str, total: int, *more: ProgressColumn, quiet: bool) -> None:
        console = Console(stderr=True)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(*columns, TimeElapsedColumn(), *more, console=console, transient=True)
        # Where it is not shown it is not started: stopping it would print an empty line.
        self._shown = console.is_terminal and not quiet
        self._task = self._progress.add_task(name, total=total)

    def __enter__(self: B) -> B:
        if self._shown:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._progress.stop()


class Steps(_Bar):
    """Shows which step a command is at.

    Example:
        >>> with Steps(total=2, quiet=True) as step:
        ...     step("reading")
        ...     step("writing")
    """

    def __init__(self, total: int, *, quiet: bool) -> None:
        super().__init__("", total, quiet=quiet)
        self._begun = 0

    def __call__(self, name: str) -> None:
        """Begins the next step."""
        self._progress.update(self._task, description=name, completed=self._begun)
        self._begun += 1


class Pieces(_Bar):
    """Shows how many of many pieces are done, and the time left.

    Example:
        >>> with Pieces("releases", total=12, quiet=True) as done:
        ...     done(3)
    """

    def __init__(self, name: str, total: int, *, quiet: bool) -> None:
        super().__init__(name, total, TextColumn("left:"), TimeRemainingColumn(), quiet=quiet)

    def __call__(self, finished: int) -> None:
        """Says how many are done by now."""
        self._progress.update(self._task, completed=finished)
