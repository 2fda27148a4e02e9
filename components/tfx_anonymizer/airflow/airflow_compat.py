"""What Airflow 2.11 and Airflow 3 call by different names, in one place; importing it imports Airflow."""

from __future__ import annotations

try:
    from airflow.sdk import DAG, BaseOperator
except ImportError:
    from airflow import DAG
    from airflow.models import BaseOperator

try:
    from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
except ImportError:
    from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException

try:
    from airflow.providers.standard.hooks.subprocess import SubprocessHook
except ImportError:
    from airflow.hooks.subprocess import SubprocessHook

__all__ = ["DAG", "AirflowException", "AirflowFailException", "AirflowSkipException", "BaseOperator", "SubprocessHook"]
