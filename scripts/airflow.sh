#!/bin/sh
# Makes an Airflow environment of its own in .airflow/NAME, pinned: `sh scripts/airflow.sh 3`.
#
#   3      Airflow 3, without TFX: what tfx_anonymizer.airflow.build_dag is for
#   2      Airflow 2.11, without TFX: likewise
#   2-tfx  Airflow 2.11 and TFX 1.16 together: what TFX's own AirflowDagRunner needs (3 GB)
#
# PYTHON names the interpreter; by default that of .venv, else python3. 2-tfx needs Python 3.10.
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'airflow: %s\n' "$*" >&2; exit 1; }
say() { printf 'airflow: %s\n' "$*"; }

case ${1:-} in
    3) pins=constraints/airflow-3.txt; packages=apache-airflow; line= ;;
    2) pins=constraints/airflow-2.txt; packages=apache-airflow; line= ;;
    2-tfx) pins=constraints/tfx-1.16.txt; packages=; line=1.16 ;;
    *) fail "say which: 3, 2 or 2-tfx; got '${1:-}'." ;;
esac
home=.airflow/$1
ready=$home/ready-$(cat "$pins" setup.py | cksum | tr ' ' -)
[ ! -e "$ready" ] || exit 0

python=${PYTHON:-python3}
[ -n "${PYTHON:-}" ] || [ ! -x .venv/bin/python ] || python=.venv/bin/python
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true)
case $version in
    3.10) ;;
    3.11 | 3.12) [ -z "$line" ] || fail "TFX 1.16 needs Python 3.10, but $python is $version; name one with PYTHON=." ;;
    *) fail "Airflow is pinned for Python 3.10 to 3.12, but $python is ${version:-missing}; name one with PYTHON=." ;;
esac

say "making $home with Python $version"
rm -rf "$home"
"$python" -m venv "$home" || fail "$python cannot make virtual environments; on Debian: apt-get install python3-venv."
if [ -n "$line" ]; then
    "$home/bin/python" -m pip install --quiet --constraint "$pins" pip setuptools wheel
    "$home/bin/python" -m pip install --quiet --constraint "$pins" --editable '.[airflow]'
else
    "$home/bin/python" -m pip install --quiet 'setuptools<81' wheel
    "$home/bin/python" -m pip install --quiet --constraint "$pins" "$packages"
    # Without dependencies: TFX's would not go together with Airflow's, and the DAG builder needs none of them.
    "$home/bin/python" -m pip install --quiet --no-deps --no-build-isolation --editable .
fi
touch "$ready"
say "done"
