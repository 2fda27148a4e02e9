"""Running a pipeline with LocalDagRunner: one line a component on the terminal, everything else in a log file."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console

_RUNNING = re.compile(r"^Component (\S+) is running\.$")
_FINISHED = re.compile(r"^Component (\S+) is finished\.$")


def prepare_environment() -> None:
    """Sets what must be set before TensorFlow is imported."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    if metadata.version("tensorflow").startswith("2.16."):
        # TFX 1.16's own taxi module is written for Keras 2.
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    # Google's client libraries announce the end of Python versions at every import.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"google\..*")


class Progress(logging.Handler):
    """Turns the runner's log lines into one line a component."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self._console = console
        self._status: Any = None
        self._started = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Shows a component's start or end; passes over everything else."""
        message = record.getMessage()
        if found := _RUNNING.match(message):
            self._started = time.monotonic()
            if self._console.is_terminal:
                self._status = self._console.status(f"{found[1]} …")
                self._status.start()
        elif found := _FINISHED.match(message):
            self.stop()
            seconds = time.monotonic() - self._started
            self._console.print(f"  [green]✓[/green] {found[1]:<22} {seconds:6.1f} s", highlight=False)

    def stop(self) -> None:
        """Takes the spinner away."""
        if self._status is not None:
            self._status.stop()
            self._status = None


@contextmanager
def quiet(console: Console, log_file: Path) -> Iterator[None]:
    """Sends every log record, warning and print of other code to a file, and progress to the terminal."""
    from absl import logging as absl_logging

    log_file.parent.mkdir(parents=True, exist_ok=True)
    progress = Progress(console)
    to_file = logging.FileHandler(log_file, mode="w", encoding="utf-8")
    to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root, tfx_logger = logging.getLogger(), absl_logging.get_absl_logger()
    old_handlers, old_level, old_absl = root.handlers[:], root.level, tfx_logger.level
    absl_handler = absl_logging.get_absl_handler()
    # absl puts a handler of its own on the root logger as soon as something logs; it must find none to write to.
    absl_logging.use_absl_handler()
    for handler in (*root.handlers, absl_handler):
        root.removeHandler(handler)
    root.handlers = [to_file, progress]
    root.setLevel(logging.INFO)
    absl_logging.set_verbosity(absl_logging.INFO)
    logging.captureWarnings(True)
    # Keras prints its progress bars, and pip runs in a process of its own: both write to the file descriptors.
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    for descriptor in (1, 2):
        os.dup2(to_file.stream.fileno(), descriptor)
    try:
        yield
    finally:
        progress.stop()
        sys.stdout.flush()
        for descriptor, old in zip((1, 2), kept, strict=True):
            os.dup2(old, descriptor)
            os.close(old)
        logging.captureWarnings(False)
        root.handlers, root.level = old_handlers, old_level
        tfx_logger.setLevel(old_absl)
        to_file.close()


def run(build: Any, console: Console, log_file: Path, *, seed: int) -> int:
    """Builds and runs a pipeline; returns 0, or 1 after one clear sentence on what went wrong.

    Args:
        build: Returns the pipeline; called with logging already quiet.
        console: Where progress goes.
        log_file: Where everything else goes.
        seed: Of Python's, NumPy's and TensorFlow's generators, which Trainer modules draw from without saying so.
    """
    import tensorflow as tf
    from tfx import v1 as tfx

    from tfx_anonymizer.errors import AnonymizerError

    with quiet(console, log_file):
        try:
            pipeline = build()
            _route_tensorflow_log()
            tf.keras.utils.set_random_seed(seed)
            # Else sums of parallel threads, and what they shuffle, differ from run to run.
            tf.config.experimental.enable_op_determinism()
            tfx.orchestration.LocalDagRunner().run(pipeline)
        except AnonymizerError as error:
            console.print(f"  [red]✗[/red] {type(error).__name__}: {error}", highlight=False)
            return 1
        except Exception as error:
            console.print(f"  [red]✗[/red] {type(error).__name__}; see {log_file}", highlight=False)
            logging.getLogger(__name__).exception("The pipeline failed.")
            return 1
    return 0


def _route_tensorflow_log() -> None:
    """TensorFlow's logger writes to the terminal by a handler of its own; the root logger's are enough."""
    import tensorflow as tf

    logger = tf.get_logger()
    logger.handlers.clear()
    logger.propagate = True


def make_console() -> Console:
    """Returns a console that writes to today's standard output even while `quiet` has it redirected."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    # Where there is no terminal to fit, no path is folded.
    return Console(file=own, width=None if own.isatty() else 400)
