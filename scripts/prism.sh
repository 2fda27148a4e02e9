#!/bin/sh
# Builds Prism, Apache Beam's portable runner in Go, into .prism/ and prints the program's path.
#
# Needs Go 1.23 or newer; the source comes from where Go's module downloads are set to come from.
#   PRISM_VERSION  another version than that of the installed Beam, such as 2.70.0
#   PYTHON         the interpreter that has Beam (default: that of .venv)
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'prism: %s\n' "$*" >&2; exit 1; }

command -v go >/dev/null 2>&1 || fail "go is missing; https://go.dev/doc/install."
version=${PRISM_VERSION:-$("${PYTHON:-.venv/bin/python}" -c 'from importlib.metadata import version; print(version("apache-beam"))' 2>/dev/null)} \
    || fail "no apache-beam is installed to take the version of; run make setup, or set PRISM_VERSION=."
case $version in
    *[!0-9.]* | '' | .* | *. | *..*) fail "the version is '$version'; allowed: one such as 2.61.0." ;;
esac
found=.prism/prism-$version
if [ ! -x "$found" ]; then
    mkdir -p .prism/aside
    GOBIN=$PWD/.prism/aside GOFLAGS= go install "github.com/apache/beam/sdks/v2/go/cmd/prism@v$version" \
        >.prism/build.log 2>&1 || fail "Go could not build Prism $version; see .prism/build.log."
    # Built aside and then moved, so that a program that is there is whole.
    mv .prism/aside/prism "$found"
fi
printf '%s\n' "$PWD/$found"
