#!/bin/sh
# Runs a command of this checkout on TFX 1.21, also where the system is too old for it: `sh scripts/current_line.sh make test`.
#
# A system with glibc 2.39 or newer runs it as it stands. Elsewhere a Debian 13 root is made by debootstrap in
# .tfx-1.21/, once, and the command runs there in a copy of the checkout; the environment it makes is kept between runs.
#   DEBIAN_MIRROR  where Debian's packages come from (default: http://deb.debian.org/debian)
#   PYTHON         a Python 3.11 or 3.10 outside /usr to take along (default: what is found; else Debian 13's own 3.13)
#   UCI_DATA       the folder of the UCI data sets, for the tests that use them (default: ../shared/data, if there)
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'current line: %s\n' "$*" >&2; exit 1; }
say() { printf 'current line: %s\n' "$*"; }

[ $# -gt 0 ] || fail "give a command, for example: sh scripts/current_line.sh make test"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | awk '{print $2}')
if printf '%s\n' "${glibc:-0}" | awk -F. '{exit !($1 > 2 || ($1 == 2 && $2 >= 39))}'; then
    exec env TFX_LINE=1.21 "$@"
fi
[ "$(id -u)" = 0 ] || fail "glibc ${glibc:-of unknown version} is too old for TFX 1.21, and only root can make a Debian 13 root to run it in."
command -v debootstrap >/dev/null 2>&1 || fail "debootstrap is missing; on Debian: apt-get install debootstrap."

# The mounts below are seen by this process and its children alone, and go when it ends.
if [ "${CURRENT_LINE_UNSHARED:-}" != yes ]; then
    CURRENT_LINE_UNSHARED=yes exec unshare --mount --propagation private sh "$0" "$@"
fi

home=$PWD/.tfx-1.21
root=$home/root
packages=ca-certificates,libssl3t64,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,zlib1g,libreadline8t64,libgomp1
if [ ! -e "$home/root-ready" ]; then
    say "making a Debian 13 root in .tfx-1.21/ (once)"
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include="$packages,g++,make,python3,python3-venv" trixie "$root" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$home/debootstrap.log" 2>&1 \
        || fail "debootstrap failed; see .tfx-1.21/debootstrap.log"
    touch "$home/root-ready"
fi

# Where a Python lives whose version is $2, if $1 is one and the root does not hold one of its own in the same place.
prefix_of() {
    "$1" -c 'import sys; v = "%d.%d" % sys.version_info[:2]
if v == sys.argv[1] and not sys.base_prefix.startswith("/usr"): print(sys.base_prefix)' "$2" 2>/dev/null || true
}
prefix=
for version in 3.11 3.10; do
    for candidate in ${PYTHON:-} "python$version" python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python3; do
        prefix=$(prefix_of "$candidate" "$version")
        [ -z "$prefix" ] || break 2
    done
done
if [ -n "$prefix" ]; then
    inner_python=$prefix/bin/python3
    mkdir -p "$root$prefix"
    mount --bind -o ro "$prefix" "$root$prefix"
else
    inner_python=/usr/bin/python3
fi

for place in proc dev sys; do mount --rbind "/$place" "$root/$place"; done
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    [ ! -e "$file" ] || { rm -f "$root$file"; cp -L "$file" "$root$file"; }
done
[ ! -d /etc/ssl/certs ] || mount --bind -o ro /etc/ssl/certs "$root/etc/ssl/certs"

# A copy, so that neither line's runs, caches or environment touch the other's.
mkdir -p "$root/checkout"
find "$root/checkout" -mindepth 1 -maxdepth 1 ! -name .venv ! -name .airflow ! -name .kfp-newest ! -name runs -exec rm -rf {} +
tar -cf - --exclude=./.tfx-1.21 --exclude=./.venv --exclude=./.airflow --exclude=./.kfp-newest --exclude=./.image \
    --exclude=./runs --exclude=./.git --exclude=__pycache__ . \
    | tar -xf - -C "$root/checkout"

inner_uci=
for data in ${UCI_DATA:-} ../shared/data; do
    [ -f "$data/adult.data" ] || continue
    mkdir -p "$root/uci"
    mount --bind -o ro "$data" "$root/uci"
    inner_uci=/uci
    break
done
exec chroot "$root" /usr/bin/env -u PYENV_VERSION -u PIP_FIND_LINKS PATH=/usr/local/bin:/usr/bin:/bin HOME=/root TMPDIR=/tmp \
    TFX_LINE=1.21 PYTHON="$inner_python" UCI_DATA="$inner_uci" NUMBA_CACHE_DIR=/var/cache/numba \
    sh -c 'cd /checkout && exec "$@"' sh "$@"
