#!/bin/sh
# Starts the JVM client: run.sh JAVA JAR HEAP OPTIONS [ARGUMENTS], OPTIONS being words for the virtual machine, or empty.
# The lines of the protocol go to descriptor 3, which is open already; stdout is stderr there. Without heap nothing can be
# measured: the job ends at once with words that say what to do, and the process with it. They are in the environment, since
# the virtual machine parts its options at quotation marks and semicolons.
java=$1 jar=$2 heap=$3 options=$4
shift 4
# The virtual machine would open a file of its own under a number that is free, and the lines would go into that.
if [ "$#" -eq 0 ] && ! (true >&3) 2>/dev/null; then
    echo "there is no descriptor 3 for the lines: 'kurabe drive' starts this client" >&2
    exit 2
fi
# Options are parted at spaces and at nothing else.
set -f
# Classes that archive.sh noted; one that does not fit this machine is passed over.
archive=
if [ -f "$jar.jsa" ]; then archive="-XX:SharedArchiveFile=$jar.jsa"; fi
export KURABE_NO_HEAP="{\"error\": \"the JVM is out of heap, which is $heap: give the candidate more with jvm_heap in its settings\"}"
exec "$java" "-Xmx$heap" -XX:+DisplayVMOutputToStderr -XX:-UsePerfData -Djava.awt.headless=true \
    "-XX:OnOutOfMemoryError=printenv KURABE_NO_HEAP >&3 && kill -9 %p" \
    ${archive:+"$archive" -Xlog:cds=off -Xlog:cds+dynamic=off} $options -jar "$jar" "$@"
