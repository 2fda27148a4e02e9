"""A real Airflow on this machine: its own home, database and ports; scheduler and web server as processes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.processes import end, free_port, spawn, wait

ROOT = Path(__file__).parents[2]
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


class AirflowHome:
    """One Airflow.

    Args:
        flavour: The environment in `.airflow/`: `3`, `2` or `2-tfx`.
        home: An empty folder.
        dags: DAG files.
        settings: More variables of all its processes.
    """

    def __init__(self, flavour: str, home: Path, dags: Sequence[Path], settings: dict[str, str]) -> None:
        subprocess.run(["sh", "scripts/airflow.sh", flavour], cwd=ROOT, check=True)
        self.three = flavour.startswith("3")
        self.home = home
        self._bin = ROOT / ".airflow" / flavour / "bin"
        self._port = free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        folder = home / "dags"
        folder.mkdir(parents=True)
        for number, dag in enumerate(dags):
            (folder / f"{number}_{dag.name}").symlink_to(dag)
        self._env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("AIRFLOW")},
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(folder),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__PARALLELISM": "1",
            # SQLite allows Airflow 2 one task at a time and no other executor; Airflow 3 has no sequential one.
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor" if self.three else "SequentialExecutor",
            "AIRFLOW__SCHEDULER__DAG_DIR_LIST_INTERVAL": "10",
            "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "10",
            # A machine with two busy cores is slow to answer; that is not what is tested.
            "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "1200",
            "AIRFLOW__SCHEDULER__SCHEDULER_ZOMBIE_TASK_THRESHOLD": "1200",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{self._port}/execution/",
            "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{self._port}",
            "AIRFLOW__API_AUTH__JWT_SECRET": "only-for-this-test-on-the-loopback-interface-0123456789",
            "AIRFLOW__API__SECRET_KEY": "only-for-this-test",
            "AIRFLOW__WEBSERVER__SECRET_KEY": "only-for-this-test",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            **settings,
        }

    def start(self) -> None:
        """Makes the database and starts the scheduler and what it needs, and the web server."""
        self.run("db", "migrate")
        if self.three:
            web = ("api-server", "--host", "127.0.0.1", "--port", str(self._port), "--workers", "1")
            self._spawn(*web)
            self._wait_for_web()
            self._spawn("dag-processor")
        else:
            # Whoever reaches the loopback interface sees the test's pages.
            (self.home / "webserver_config.py").write_text("AUTH_ROLE_PUBLIC = 'Admin'\nWTF_CSRF_ENABLED = True\n")
            self._spawn("webserver", "--hostname", "127.0.0.1", "--port", str(self._port), "--workers", "1")
        self._spawn("scheduler")

    def stop(self) -> None:
        """Ends what it started."""
        end(*self._processes)

    def run(self, *arguments: str) -> str:
        """Runs Airflow's command line and returns what it prints."""
        command = [str(self._bin / "airflow"), *arguments]
        result = subprocess.run(command, env=self._env, cwd=self.home, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
        return result.stdout

    def trigger(self, dag_id: str, run_id: str, conf: dict[str, Any]) -> None:
        """Starts a run once the scheduler knows the DAG."""
        wait(lambda: dag_id in {row[0] for row in self.rows("select dag_id from dag")}, 600, f"{dag_id} to be parsed")
        wait(
            lambda: dag_id in {row[0] for row in self.rows("select dag_id from serialized_dag")}, 600, f"{dag_id} ready"
        )
        self.run("dags", "unpause", dag_id)
        self.run("dags", "trigger", dag_id, "--run-id", run_id, "--conf", json.dumps(conf))

    def clear(self, dag_id: str, run_id: str, task_id: str) -> None:
        """Clears a task and all behind it, in one run, as the button of the web page does."""
        if not self.three:
            self.run("tasks", "clear", dag_id, "--task-regex", f"^{task_id}$", "--downstream", "--yes")
            return
        self._wait_for_web()
        token = self._post("auth/token", None)["access_token"]
        wanted = {"dag_run_id": run_id, "task_ids": [task_id], "include_downstream": True, "only_failed": False}
        cleared = self._post(f"api/v2/dags/{dag_id}/clearTaskInstances", {**wanted, "dry_run": False}, token)
        assert cleared["total_entries"], cleared

    def states(self, dag_id: str, run_id: str) -> dict[str, str | None]:
        """Returns the state of each task of a run."""
        query = "select task_id, state from task_instance where dag_id = ? and run_id = ?"
        return dict(self.rows(query, dag_id, run_id))

    def tries(self, dag_id: str, run_id: str, task_id: str) -> int:
        """Returns how often a task was tried."""
        query = "select try_number from task_instance where dag_id = ? and run_id = ? and task_id = ?"
        return int(self.rows(query, dag_id, run_id, task_id)[0][0])

    def successes(self, dag_id: str, task_id: str) -> int:
        """Returns in how many runs a task has succeeded."""
        query = "select count(*) from task_instance where dag_id = ? and task_id = ? and state = 'success'"
        return int(self.rows(query, dag_id, task_id)[0][0])

    def finish(self, dag_id: str, run_id: str, seconds: float) -> str:
        """Waits for the end of a run and returns its state."""
        query = "select state from dag_run where dag_id = ? and run_id = ?"
        found: list[str] = []

        def ended() -> bool:
            found[:] = [row[0] for row in self.rows(query, dag_id, run_id)]
            return found in (["success"], ["failed"])

        wait(ended, seconds, f"{run_id} to end", lambda: str(self.states(dag_id, run_id)))
        return found[0]

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Reads Airflow's database."""
        database = f"file:{self.home / 'airflow.db'}?mode=ro"
        with closing(sqlite3.connect(database, uri=True, timeout=60)) as connection:
            return connection.execute(query, values).fetchall()

    def log(self, run_id: str, task_id: str, attempt: int) -> str:
        """Returns what a task logged."""
        (path,) = self.home.glob(f"logs/dag_id=*/run_id={run_id}/task_id={task_id}/attempt={attempt}.log")
        return path.read_text(encoding="utf-8")

    def picture(self, dag_id: str, path: Path) -> None:
        """Takes a screenshot of the grid."""
        browser = shutil.which("chromium")
        if browser is None:
            return
        self._wait_for_web()
        page = f"http://127.0.0.1:{self._port}/dags/{dag_id}" + ("" if self.three else "/grid")
        profile = self.home / f"chromium-{time.time_ns()}"
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = [f"--user-data-dir={profile}", f"--screenshot={path}", "--window-size=1500,1000"]
        subprocess.run(
            [browser, *CHROMIUM, *flags, "--timeout=40000", "--virtual-time-budget=40000", page],
            capture_output=True,
            timeout=300,
            check=False,
        )

    def _spawn(self, *arguments: str) -> None:
        command = [str(self._bin / "airflow"), *arguments]
        self._processes.append(spawn(command, self.home / f"{arguments[0]}.out", self._env, self.home))

    def _post(self, path: str, body: dict[str, Any] | None, token: str | None = None) -> dict[str, Any]:
        """Asks Airflow 3's web server; without a body, by GET."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.loads(answer.read())
        return found

    def _wait_for_web(self) -> None:
        def answers() -> bool:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/", timeout=10):
                    return True
            except urllib.error.HTTPError:
                return True
            except OSError:
                return False

        wait(answers, 300, "the web server")
