#!/bin/sh
# Starts the JVM client: run.sh JAVA JAR HEAP OPTIONS [ARGUMENTS], OPTIONS being words for the virtual machine, or empty.
# The lines of the protocol go to descriptor 3, which is open already; stdout is stderr there. Without heap nothing can be
# measured: the process is ended at once, and its last line says what to do. That line must hold no quotation mark and no
# semicolon, at which the virtual machine would part it.
java=$1 jar=$2 heap=$3 options=$4
shift 4
# Options are parted at spaces and at nothing else.
set -f
# Classes that archive.sh noted; one that does not fit this machine is passed over.
archive=
if [ -f "$jar.jsa" ]; then archive="-XX:SharedArchiveFile=$jar.jsa"; fi
exec "$java" "-Xmx$heap" -XX:+DisplayVMOutputToStderr -XX:-UsePerfData -Djava.awt.headless=true \
    "-XX:OnOutOfMemoryError=echo the JVM is out of heap, which is $heap: give the candidate more with jvm_heap in its settings >&2 && kill -9 %p" \
    ${archive:+"$archive" -Xlog:cds=off -Xlog:cds+dynamic=off} $options -jar "$jar" "$@"
