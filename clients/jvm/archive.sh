#!/bin/sh
# Lets the virtual machine note the classes of a small job: archive.sh JAVA JAR. At later starts it maps them as they are
# instead of reading and checking each (class data sharing, JEP 350). run.sh finds the archive beside the jar.
set -eu
java=$1 jar=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/data"
head -c 1048576 /dev/zero | tr '\0' x >"$work/pool"
{
    printf '{"kurabe": 1, "job": {"id": "archive", "candidate": {"name": "h2", "store": "h2"}, "schema": {"fields": ['
    printf '{"name": "id", "type": "int64"}, {"name": "value", "type": "text", "len_bytes": 100}]}, "rows": 100, '
    printf '"namespace": "archive", "dir": "%s", "settings": {"jvm_warmup_ms": "50"}, ' "$work/data"
    printf '"process": 0, "processes": 1, "pool": "%s", ' "$work/pool"
    printf '"limits": {"call_ns": 60000000000, "operation_ns": 30000000000}, "phases": ['
    printf '{"name": "load", "operation": "load", "count": 100}, {"name": "read", "operation": "read", "count": 100}, '
    printf '{"name": "update", "operation": "update", "count": 100}]}}\n'
    printf '{"call": "create", "id": 1}\n{"go": "load"}\n{"go": "read"}\n{"go": "update"}\n{"stop": true}\n'
} | sh "${0%/*}/run.sh" "$java" "$jar" 256m "-XX:ArchiveClassesAtExit=$jar.jsa.new" >/dev/null
mv "$jar.jsa.new" "$jar.jsa"
