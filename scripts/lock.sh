#!/bin/sh
# Resolves one fully pinned constraints file a TFX line, and one an Airflow without TFX. What a file pins already is kept
# where it still fits.
set -eu
cd "$(dirname "$0")/.."

[ -x .lock-venv/bin/uv ] || { python3 -m venv .lock-venv && .lock-venv/bin/python -m pip install --quiet 'uv==0.13.8'; }

# line, range of TFX, Python, oldest glibc
lock() {
    printf 'lock: TFX %s\n' "$1"
    printf 'tfx%s\n' "$2" >.lock-venv/line.txt
    .lock-venv/bin/uv pip compile setup.py --quiet --no-header --no-annotate ${UPGRADE:+--upgrade} \
        --extra dev --extra docs --extra benchmarks --extra kfp --extra airflow --constraint .lock-venv/line.txt \
        --python-version "$3" --python-platform "x86_64-manylinux_$4" --output-file "constraints/tfx-$1.txt"
}
lock 1.16 '>=1.16,<1.17' 3.10 2_35
lock 1.21 '>=1.21,<1.22' 3.11 2_40

# Airflow alone; the oldest Python it is tested on decides. name, range
lock_airflow() {
    printf 'lock: Airflow %s\n' "$1"
    printf 'apache-airflow%s\n' "$2" >.lock-venv/airflow.in
    .lock-venv/bin/uv pip compile .lock-venv/airflow.in --quiet --no-header --no-annotate ${UPGRADE:+--upgrade} \
        --python-version 3.10 --python-platform x86_64-manylinux_2_35 --output-file "constraints/airflow-$1.txt"
}
lock_airflow 2 '>=2.11,<3'
lock_airflow 3 '>=3,<4'
