#!/bin/sh
# Resolves one fully pinned constraints file a TFX line. What a file pins already is kept where it still fits.
set -eu
cd "$(dirname "$0")/.."

[ -x .lock-venv/bin/uv ] || { python3 -m venv .lock-venv && .lock-venv/bin/python -m pip install --quiet 'uv==0.13.8'; }

# line, range of TFX, Python, oldest glibc
lock() {
    printf 'lock: TFX %s\n' "$1"
    printf 'tfx%s\n' "$2" >.lock-venv/line.txt
    .lock-venv/bin/uv pip compile setup.py --quiet --no-header --no-annotate ${UPGRADE:+--upgrade} \
        --extra dev --extra kfp --extra airflow --constraint .lock-venv/line.txt \
        --python-version "$3" --python-platform "x86_64-manylinux_$4" --output-file "constraints/tfx-$1.txt"
}
lock 1.16 '>=1.16,<1.17' 3.10 2_35
lock 1.21 '>=1.21,<1.22' 3.11 2_40
