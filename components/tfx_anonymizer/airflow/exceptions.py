"""Why a task failed, for callbacks that alert somebody."""

from __future__ import annotations

from tfx_anonymizer.airflow.airflow_compat import AirflowFailException


class PromiseBrokenError(AirflowFailException):  # type: ignore[misc]
    """A release does not keep its privacy promise, or the promise cannot be kept on this data.

    The task fails at once, without another attempt: the same data would break it again.
    """
