#!/bin/sh
# Runs a Python program with the newest Kubeflow SDK, in an environment of its own: `sh scripts/newest_kfp.sh program.py …`.
#
# TFX 1.16 holds kfp back at 2.5; what a cluster's users upload with is newer. The environment is made once, in .kfp-newest/;
# KFP_VERSION takes another version, PYTHON another interpreter (3.9 or newer).
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)/.kfp-newest
version=${KFP_VERSION:-2.17.0}

if [ ! -e "$home/ready-$version" ]; then
    rm -rf "$home"
    ${PYTHON:-python3} -m venv "$home" >&2
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check "kfp==$version" >&2
    touch "$home/ready-$version"
fi
exec "$home/bin/python" "$@"
