"""Running a comparison: folds side by side, every finished cell kept, so that a run can be taken up again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pyarrow as pa

from tfx_anonymizer.comparison.fold import Cell, Fold, fold_of_rows
from tfx_anonymizer.comparison.outcome import Comparison
from tfx_anonymizer.comparison.plan import Plan
from tfx_anonymizer.errors import AnonymizerError, InputDataError, PolicyError
from tfx_anonymizer.report.writing import write_aside

_PLAN = "plan.json"


def compare(
    table: pa.Table, plan: Plan, folder: Path, *, jobs: int = 1, on_progress: Callable[[int], None] | None = None
) -> Comparison:
    """Makes every release of a grid and judges each by the model that is retrained on it.

    In each fold a model learns from the raw rows and guides the releases of these rows; the same kind of model learns
    from each release; both are asked about the rows that were kept aside, and attacked by their loss.

    Args:
        table: n rows of single-valued columns, missing as null. Direct identifiers and rows without a label are left
            out first.
        plan: The grid.
        folder: Where finished cells are kept, as counts and scores; made if absent. A run that was stopped goes on
            where it was, and a grid may grow by values of k and partitioners.
        jobs: Folds that are worked on at once, each in a process of its own.
        on_progress: Called with the number of finished cells of this grid, now and then.

    Returns:
        The comparison; the same for any order of rows and number of jobs.

    Raises:
        PolicyError: If the folder holds another comparison, or the metric does not suit the label.
        InputDataError: If there are too few rows, or a process was ended from outside.
        AnonymizerError: Whatever a release may raise, except that a guarantee which is out of reach is an outcome.
    """
    plan.policy.check_columns(table.column_names)
    table = table.filter(table.column(plan.label).is_valid())
    table = table.select([name for name in table.column_names if name not in plan.policy.direct_identifiers])
    if not table.num_rows:
        raise InputDataError(f"no row has a label in {plan.label!r}")
    metric = plan.metric_for(table.column(plan.label))
    fold_of_rows(table, plan)
    journal = _Journal(folder, plan, plan.fingerprint(table))
    tell = on_progress or (lambda _: None)
    tell(len(journal.finished()))
    missing = sorted({cell[2] for cell in journal.missing()})
    if jobs <= 1 or len(missing) <= 1:
        for fold in missing:
            for _ in _run_fold(table, plan, fold, journal):
                tell(len(journal.finished()))
    else:
        _side_by_side(table, plan, missing, journal, jobs, tell)
    return Comparison.of(journal.finished().values(), metric, plan.model, plan.folds)


def _run_fold(table: pa.Table, plan: Plan, number: int, journal: _Journal) -> Iterator[None]:
    fold = Fold(table, plan, number)
    for partitioner, k, of_fold in journal.missing():
        if of_fold == number:
            journal.keep(fold.cell(partitioner, k))
            yield


def _work(table: pa.Table, plan: Plan, number: int, journal: _Journal) -> None:
    for _ in _run_fold(table, plan, number, journal):
        pass


def _side_by_side(
    table: pa.Table, plan: Plan, folds: list[int], journal: _Journal, jobs: int, tell: Callable[[int], None]
) -> None:
    # Not forked: threads of Arrow and of the libraries that learn do not survive it.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(folds)), mp_context=context) as pool, _one_thread():
        running: set[Future[None]] = {pool.submit(_work, table, plan, fold, journal) for fold in folds}
        try:
            while running:
                done, running = wait(running, timeout=0.5)
                tell(len(journal.finished()))
                for future in done:
                    future.result()
        except BrokenProcessPool:
            raise InputDataError(
                "a process that made releases was ended from outside",
                hint="most often memory: use fewer jobs; run the same again, and finished releases are kept",
            ) from None
        except AnonymizerError:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Keeps libraries that learn from starting threads in processes begun meanwhile: they would wait for one another's.

    They look once, when they are loaded, so it is too late to tell them inside the process.
    """
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@dataclasses.dataclass(frozen=True)
class _Journal:
    """Finished cells, a file each."""

    folder: Path
    plan: Plan
    fingerprint: str

    def __post_init__(self) -> None:
        cells = self.folder / "cells"
        cells.mkdir(parents=True, exist_ok=True)
        name = cells / _PLAN
        if not name.exists():
            _write(name, {"fingerprint": self.fingerprint})
        elif _read(name).get("fingerprint") != self.fingerprint:
            raise PolicyError(
                "the folder holds a comparison of other data, roles, model or version",
                got=str(self.folder),
                hint="name another folder, or remove this one",
            )

    def missing(self) -> list[tuple[str, int, int]]:
        """The cells that are not finished."""
        return [cell for cell in self._wanted() if not self._place(*cell).exists()]

    def finished(self) -> Mapping[tuple[str, int, int], Cell]:
        """The cells of this grid that are."""
        found = {}
        for cell in self._wanted():
            if self._place(*cell).exists():
                found[cell] = Cell(**_read(self._place(*cell)))
        return found

    def keep(self, cell: Cell) -> None:
        """Keeps a finished cell."""
        _write(self._place(cell.partitioner, cell.k, cell.fold), dataclasses.asdict(cell))

    def _wanted(self) -> list[tuple[str, int, int]]:
        plan = self.plan
        return [(name, k, fold) for name in plan.partitioners for k in plan.ks for fold in range(plan.folds)]

    def _place(self, partitioner: str, k: int, fold: int) -> Path:
        return self.folder / "cells" / f"{partitioner}-k{k}-fold{fold}.json"


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _write(path: Path, value: Mapping[str, Any]) -> None:
    write_aside(path, json.dumps(value, indent=2) + "\n")
