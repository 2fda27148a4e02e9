#!/bin/sh
# Makes .venv with everything the project needs, pinned, by plain venv and pip.
#
# TFX 1.21 needs glibc 2.39 or newer and Python 3.10 to 3.13; TFX 1.16 is for older systems and needs Python 3.10.
# TFX_LINE=1.16 or TFX_LINE=1.21 overrides the choice, PYTHON=/path/to/python the interpreter.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | awk '{print $2}')
new_enough=$(printf '%s\n' "${glibc:-0}" | awk -F. '{print ($1 > 2 || ($1 == 2 && $2 >= 39)) ? "yes" : "no"}')

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true; }

# The first interpreter whose version is among the words of $1.
find_python() {
    for candidate in ${PYTHON:-} python3 $(for v in $1; do printf 'python%s ' "$v"; done); do
        version=$(version_of "$candidate")
        for wanted in $1; do
            [ "$version" != "$wanted" ] || { command -v "$candidate"; return; }
        done
        [ -z "${PYTHON:-}" ] || break
    done
    return 0
}

line=${TFX_LINE:-}
if [ -z "$line" ]; then
    if [ "$new_enough" = yes ]; then
        line=1.21; why="glibc $glibc is 2.39 or newer"
    else
        line=1.16; why="glibc ${glibc:-of unknown version} is older than the 2.39 that TFX 1.21 needs"
    fi
else
    why="TFX_LINE says so"
fi
case $line in
    1.16) versions="3.10" ;;
    1.21) versions="3.11 3.10 3.12 3.13" ;;
    *) fail "TFX_LINE is '$line'; allowed: 1.16 or 1.21." ;;
esac
python=$(find_python "$versions")
found=$(version_of "${PYTHON:-python3}")
[ -n "$python" ] || fail "TFX $line ($why) needs Python $(printf '%s' "$versions" | sed 's/ /, /g'), but ${PYTHON:-python3} is ${found:-missing}; install one of them, or name one with PYTHON=."
command -v c++ >/dev/null 2>&1 || fail "a C++ compiler is needed to build one of TFX's dependencies; on Debian: apt-get install g++."

stamp=".venv/ready-$line"
version=$(version_of "$python")
extras=dev,docs,benchmarks
case $version in 3.10 | 3.11) extras=dev,docs,benchmarks,kfp ;; esac
say "setup: TFX $line ($why), Python $version, into .venv; this takes a few minutes the first time"
if [ ! -x .venv/bin/python ] || [ "$(version_of .venv/bin/python)" != "$version" ] || ! ls .venv/ready-"$line" >/dev/null 2>&1; then
    rm -rf .venv
    "$python" -m venv .venv || fail "$python cannot make virtual environments; on Debian: apt-get install python3-venv."
fi
rm -f .venv/ready-*
.venv/bin/python -m pip install --quiet --constraint "constraints/tfx-$line.txt" pip setuptools wheel
.venv/bin/python -m pip install --quiet --constraint "constraints/tfx-$line.txt" --editable ".[$extras]"
.venv/bin/python -m pip check >/dev/null || say "setup: pip check reports conflicts; see .venv/bin/python -m pip check"
touch "$stamp"
say "setup: done"
