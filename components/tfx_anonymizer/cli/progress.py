"""Progress bars on standard error: over the steps of a command, and over pieces of work that are alike."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Steps:
    """Shows which step a command is at; nothing if quiet or if standard error is no terminal.

    Example:
        >>> with Steps(total=2, quiet=True) as step:
        ...     step("reading")
        ...     step("writing")
    """

    def __init__(self, total: int, *, quiet: bool) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        # Where it is not shown it is not started: stopping it would print an empty line.
        self._shown = console.is_terminal and not quiet
        self._task = self._progress.add_task("", total=total)
        self._begun = 0

    def __enter__(self) -> Steps:
        if self._shown:
            self._progress.start()
        return self

    def __call__(self, name: str) -> None:
        """Begins the next step."""
        self._progress.update(self._task, description=name, completed=self._begun)
        self._begun += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._progress.stop()


class Pieces:
    """Shows how many of many pieces are done, and the time left; nothing if quiet or if standard error is no terminal.

    Example:
        >>> with Pieces("releases", total=12, quiet=True) as done:
        ...     done(3)
    """

    def __init__(self, name: str, total: int, *, quiet: bool) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._shown = console.is_terminal and not quiet
        self._task = self._progress.add_task(name, total=total)

    def __enter__(self) -> Pieces:
        if self._shown:
            self._progress.start()
        return self

    def __call__(self, finished: int) -> None:
        """Says how many are done by now."""
        self._progress.update(self._task, completed=finished)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._progress.stop()
