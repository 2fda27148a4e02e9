"""Commands for TFX's environment: `python -m tfx_anonymizer.airflow describe` and `... run-node`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from tfx_anonymizer.airflow import exit_codes
from tfx_anonymizer.airflow.description import describe
from tfx_anonymizer.airflow.graph import PipelineGraph
from tfx_anonymizer.airflow.node_run import run_node
from tfx_anonymizer.airflow.pipelines import check_path
from tfx_anonymizer.airflow.process import end_with_parent
from tfx_anonymizer.errors import AnonymizerError, GuaranteeError, InputDataError, PolicyError, ViolationError

KWARGS_VARIABLE = "TFX_ANONYMIZER_KWARGS"


def main(arguments: list[str] | None = None) -> int:
    """Parses arguments, does what they say, and returns an exit code of `exit_codes`."""
    parser = argparse.ArgumentParser(prog="python -m tfx_anonymizer.airflow", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    telling = commands.add_parser("describe", help="write the nodes and edges of a pipeline to a file")
    telling.add_argument("pipeline", help="where the function is that builds it: package.module:function")
    telling.add_argument("--kwargs", default="{}", help="its arguments, as a JSON object; any folders will do")
    telling.add_argument("-o", "--output", type=Path, required=True, help="the graph file")
    telling.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is not up to date")
    running = commands.add_parser("run-node", help="run one node of a run; what a task of the DAG does")
    running.add_argument("pipeline")
    running.add_argument("--node", required=True)
    running.add_argument("--run-id", required=True)
    running.add_argument("--fingerprint", help="of the graph that the DAG was made from")
    options = parser.parse_args(arguments)
    try:
        return _describe(options) if options.command == "describe" else _run_node(options)
    except AnonymizerError as error:
        _say(f"{type(error).__name__}: {error}")
        return _code(error)
    except Exception as error:
        traceback.print_exc()
        # The last line is what a scheduler shows as the reason; a library's own text may hold a value of a record.
        _say(f"{type(error).__name__}; see the traceback above")
        return exit_codes.FAILED


def _describe(options: argparse.Namespace) -> int:
    graph = describe(options.pipeline, _arguments(options.kwargs, "--kwargs"))
    if options.check:
        old = PipelineGraph.load(options.output)
        found = old.differences(graph)
        if old.pipeline != graph.pipeline:
            found.append(f"it was written for {old.pipeline}")
        _say(f"{options.output}: {'; '.join(found) if found else 'up to date'}")
        return exit_codes.FAILED if found else exit_codes.RAN
    graph.save(options.output)
    _say(f"{options.output}: {len(graph.nodes)} nodes")
    return exit_codes.RAN


def _run_node(options: argparse.Namespace) -> int:
    end_with_parent()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stdout)
    check_path(options.pipeline)
    kwargs = _arguments(os.environ.get(KWARGS_VARIABLE, "{}"), KWARGS_VARIABLE)
    ran = run_node(options.pipeline, kwargs, options.node, options.run_id, options.fingerprint)
    _say(f"{options.node}: {'done' if ran else 'not to run'}")
    return exit_codes.RAN if ran else exit_codes.SKIPPED


def _arguments(text: str, where: str) -> dict[str, Any]:
    try:
        kwargs = json.loads(text)
    except json.JSONDecodeError as error:
        raise PolicyError(f"{where} is not JSON", got=f"an error in column {error.colno}") from None
    if not isinstance(kwargs, dict):
        raise PolicyError(f"{where} is not a JSON object", got=type(kwargs).__name__)
    return kwargs


def _code(error: AnonymizerError) -> int:
    if isinstance(error, ViolationError | GuaranteeError):
        return exit_codes.PROMISE_BROKEN
    # Data that is not there may come.
    return exit_codes.FAILED if isinstance(error, InputDataError) else exit_codes.WRONG


def _say(text: str) -> None:
    sys.stderr.flush()
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
