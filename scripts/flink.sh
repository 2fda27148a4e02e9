#!/bin/sh
# Fetches a Flink cluster, or Beam's job server for it, into .flink/: `sh scripts/flink.sh cluster|job-server`.
# Prints the folder of the cluster's jars, or the job server's jar.
#
# Needs Java 11 or 17 and Maven (Debian: apt-get install openjdk-17-jre-headless maven); artifacts come by their
# coordinates from where Maven is set to look. The job server must be of Beam's own version and of Flink's minor version.
#   FLINK_VERSION  another Flink version that the installed Beam has a job server for
#   PYTHON         the interpreter that has Beam (default: that of .venv)
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'flink: %s\n' "$*" >&2; exit 1; }

flink=${FLINK_VERSION:-1.19.1}
case ${1:-} in
    cluster | job-server) ;;
    *) fail "say which: cluster or job-server; got '${1:-}'." ;;
esac
case $flink in
    *[!0-9.]* | .* | *. | *..*) fail "FLINK_VERSION is '$flink'; allowed: a version such as 1.19.1." ;;
esac
command -v java >/dev/null 2>&1 || fail "java is missing; on Debian: apt-get install openjdk-17-jre-headless."
command -v mvn >/dev/null 2>&1 || fail "mvn is missing; on Debian: apt-get install maven."

# Runs Maven in silence; says in one sentence what it could not fetch, and keeps all it said.
fetch() {
    wanted=$1
    shift
    mkdir -p .flink
    # Without --update-snapshots Maven would remember for a day that something was missing.
    mvn --batch-mode --quiet --update-snapshots "$@" >.flink/maven.log 2>&1 \
        || fail "Maven could not fetch $wanted from where it is set to look; see .flink/maven.log."
}

if [ "$1" = cluster ]; then
    found=.flink/flink-$flink
    if [ ! -e "$found/ready" ]; then
        rm -rf "$found"
        fetch "org.apache.flink:flink-clients:$flink and what it needs" --file scripts/flink/pom.xml \
            dependency:copy-dependencies "-Dflink.version=$flink" "-DoutputDirectory=$PWD/$found"
        touch "$found/ready"
    fi
else
    python=${PYTHON:-.venv/bin/python}
    beam=$("$python" -c 'from importlib.metadata import version; print(version("apache-beam"))' 2>/dev/null) \
        || fail "$python has no apache-beam; run make setup, or name another interpreter with PYTHON=."
    artifact=beam-runners-flink-$(printf '%s' "$flink" | cut -d. -f1,2)-job-server
    found=.flink/$artifact-$beam.jar
    # Copied aside and then moved, so that a jar that is there is whole.
    if [ ! -e "$found" ]; then
        fetch "org.apache.beam:$artifact:$beam" dependency:copy "-Dartifact=org.apache.beam:$artifact:$beam" \
            "-DoutputDirectory=$PWD/.flink/aside"
        mv ".flink/aside/$artifact-$beam.jar" "$found"
    fi
fi
printf '%s\n' "$PWD/$found"
