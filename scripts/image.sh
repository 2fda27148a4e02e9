#!/bin/sh
# Builds the container image and runs commands in it: `sh scripts/image.sh build`, `sh scripts/image.sh run FOLDER COMMAND…`.
#
#   IMAGE   the image's name (default: tfx-anonymizer:latest)
#   ENGINE  buildah, podman or docker (default: the first of these that is there)
#   BASE    the base image (default: the Dockerfile's; with buildah a Debian 13 with Python 3.11, made here, no registry)
#   PYTHON  with buildah and without BASE: the Python 3.11 to put into that Debian (default: what is found)
#   DEBIAN_MIRROR  where Debian's packages come from (default: http://deb.debian.org/debian)
#
# `run` mounts FOLDER at its own path and starts the command there, as the image's own user.
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'image: %s\n' "$*" >&2; exit 1; }
say() { printf 'image: %s\n' "$*" >&2; }

image=${IMAGE:-tfx-anonymizer:latest}
home=$PWD/.image
local_base=localhost/tfx-anonymizer-base:trixie-python3.11
container=tfx-anonymizer-run

engine=${ENGINE:-}
if [ -z "$engine" ]; then
    for candidate in buildah podman docker; do
        command -v "$candidate" >/dev/null 2>&1 && { engine=$candidate; break; }
    done
fi
[ -n "$engine" ] || fail "no engine is there to build an image; on Debian: apt-get install buildah debootstrap."

# Images and containers stay inside the checkout.
buildah_here() { buildah --root "$home/storage" --runroot "$home/run" --storage-driver vfs "$@"; }

# What a build needs of this system: certificates and pip's settings, mounted and not kept.
mounts() {
    for place in /etc/ssl/certs /etc/pip.conf; do [ ! -e "$place" ] || printf -- '--volume %s:%s:ro ' "$place" "$place"; done
}

# Where a Python 3.11 lives that can be taken along: not this system's own, which is linked to this system's libraries.
python_prefix() {
    for candidate in ${PYTHON:-} python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11.*/bin/python3; do
        "$candidate" -c 'import sys; assert sys.version_info[:2] == (3, 11) and sys.base_prefix != "/usr"; print(sys.base_prefix)' 2>/dev/null && return
    done
    return 0
}

make_base() {
    buildah_here images --quiet "$local_base" >/dev/null 2>&1 && return
    command -v debootstrap >/dev/null 2>&1 || fail "debootstrap is missing; on Debian: apt-get install debootstrap. Or name a BASE image."
    [ "$(id -u)" = 0 ] || fail "only root can make a base image; name a BASE image instead."
    prefix=$(python_prefix)
    [ -n "$prefix" ] || fail "no Python 3.11 was found for the base image; name one with PYTHON=, or a BASE image."
    say "making a Debian 13 base with Python 3.11 (once)"
    rm -rf "$home/base"
    mkdir -p "$home/base"
    debootstrap --variant=minbase --include="$base_packages" trixie "$home/base" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$home/debootstrap.log" 2>&1 \
        || fail "debootstrap failed; see .image/debootstrap.log"
    rm -rf "$home"/base/var/cache/apt/* "$home"/base/var/lib/apt/lists/*
    tar -C "$prefix" -cf - --exclude='lib/python3.11/test' --exclude='lib/python3.11/site-packages/*' \
        --exclude='*.a' --exclude=__pycache__ bin include lib | tar --no-same-owner -C "$home/base/usr/local" -xf -
    # Starters of installed packages name the Python they were installed for.
    find "$home/base/usr/local/bin" -type f ! -name 'python3*' -delete
    ln -sf python3.11 "$home/base/usr/local/bin/python3"
    chroot "$home/base" /sbin/ldconfig
    chroot "$home/base" python3 -c 'import ctypes, lzma, sqlite3, ssl, venv, zlib' \
        || fail "the Python of $prefix does not run on Debian 13; name another with PYTHON=, or a BASE image."
    tar -C "$home/base" -cf "$home/base.tar" .
    rm -rf "$home/base"
    printf 'FROM scratch\nADD base.tar /\nCMD ["/bin/sh"]\n' >"$home/Dockerfile.base"
    buildah_here bud --isolation chroot --quiet --tag "$local_base" --file "$home/Dockerfile.base" "$home" >/dev/null
    rm -f "$home/base.tar"
}
base_packages=ca-certificates,libssl3t64,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,zlib1g,libreadline8t64

build() {
    if [ "$engine" != buildah ]; then
        "$engine" build ${BASE:+--build-arg "BASE=$BASE"} --tag "$image" .
        return
    fi
    mkdir -p "$home"
    [ -n "${BASE:-}" ] || make_base
    pull=missing
    [ -n "${BASE:-}" ] || pull=never
    # shellcheck disable=SC2046
    buildah_here bud --isolation chroot --format docker --pull="$pull" --network host $(mounts) \
        --build-arg "BASE=${BASE:-$local_base}" --tag "$image" --file Dockerfile .
    # The container of the image before, and that image.
    buildah_here rm "$container" >/dev/null 2>&1 || true
    buildah_here rmi --prune >/dev/null 2>&1 || true
    buildah_here images "$image"
}

run() {
    [ $# -ge 2 ] || fail "run needs a folder and a command"
    folder=$1
    shift
    if [ "$engine" != buildah ]; then
        exec "$engine" run --rm --network none --volume "$folder:$folder" --workdir "$folder" --entrypoint "" "$image" "$@"
    fi
    # One container for all commands: a copy of the image costs its whole size here.
    buildah_here inspect --type container "$container" >/dev/null 2>&1 \
        || buildah_here from --pull=never --name "$container" "$image" >/dev/null || fail "there is no image $image; make image"
    exec buildah --root "$home/storage" --runroot "$home/run" --storage-driver vfs run --isolation chroot \
        --volume "$folder:$folder" --workingdir "$folder" "$container" -- "$@"
}

case ${1:-} in
    build) build ;;
    run) shift; run "$@" ;;
    remove) [ "$engine" != buildah ] || { buildah_here rm "$container" >/dev/null 2>&1 || true; rm -rf "$home"; } ;;
    *) fail "the first argument is build, run or remove" ;;
esac
