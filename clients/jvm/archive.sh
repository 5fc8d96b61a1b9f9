#!/bin/sh
# Lets the virtual machine note the classes of a small job: archive.sh JAVA JAR. At later starts it maps them as they are
# instead of reading and checking each (class data sharing, JEP 350). run.sh finds the archive beside the jar.
set -eu
java=$1 jar=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/data"
# One of another jar could not be taken as the base of the new one.
rm -f "$jar.jsa"
head -c 1048576 /dev/zero | tr '\0' x >"$work/pool"

# A script (docs/PROTOCOL.md, "A phase"): one kind for each of a hundred rows, at a version, each with a commit.
script() {
    row=0
    while [ "$row" -lt 100 ]; do
        printf "\\$1\\001\\000\\000\\$((row / 64))$((row / 8 % 8))$((row % 8))\\000\\000\\000\\$2\\000\\000\\000"
        row=$((row + 1))
    done
}

# The lines of a phase: its name is that of its operation.
phase() {
    script "$2" "$3" >"$work/$1"
    printf '{"prepare": {"phase": "%s", "operations": ["%s"], "workers": [{"worker": 0, "script": "%s", ' "$1" "$1" "$work/$1"
    printf '"tape": "%s.tape", "count": 100}]}}\n{"go": "%s"}\n' "$work/$1" "$1"
}

{
    printf '{"kurabe": 2, "job": {"id": "archive", "candidate": {"name": "h2", "store": "h2", "wire": "h2"}, "schema": {"fields": ['
    printf '{"name": "id", "type": "int64"}, {"name": "value", "type": "text", "len_bytes": 100}]}, "rows": 100, '
    printf '"namespace": "archive", "dir": "%s", "settings": {"jvm_warmup_ms": "50"}, "pool": "%s"}}\n' "$work/data" "$work/pool"
    printf '{"call": "create", "id": 1}\n'
    phase load 000 000
    phase read 002 000
    phase update 003 001
    printf '{"stop": true}\n'
} | sh "${0%/*}/run.sh" "$java" "$jar" 256m "-XX:ArchiveClassesAtExit=$jar.jsa.new" 3>"$work/lines" >&2
grep -q '"result":"update"' "$work/lines" || { cat "$work/lines" >&2; exit 1; }
mv "$jar.jsa.new" "$jar.jsa"
