"""What `run-node` says to the scheduler by its exit code."""

from __future__ import annotations

RAN = 0
# Something failed that another attempt may mend: a killed worker, a full disk, a file that is not there yet.
FAILED = 1
# A parameter, the pipeline or its graph is wrong; the same again would fail again.
WRONG = 2
# The release does not keep its promise, or cannot; the same data would break it again.
PROMISE_BROKEN = 3
# A condition around the node says that it is not to run.
SKIPPED = 4
