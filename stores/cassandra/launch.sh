#!/bin/sh
# Runs the Cassandra that lies beside this script, in the foreground. All arguments are options of the JVM.
set -eu
home=$(dirname "$(dirname "$(readlink -f "$0")")")
if [ "${1:-}" = --version ]; then
  jar=$(echo "$home"/lib/cassandra-all-*.jar)
  jar=${jar##*/cassandra-all-}
  echo "Cassandra ${jar%.jar} on $("$home/bin/java" --version | head -n 1)"
  exit
fi
exec "$home/bin/java" "@$home/conf/jvm.options" -javaagent:"$(echo "$home"/lib/jamm-*.jar)" \
  -Dcassandra.config="file://$home/conf/cassandra.yaml" -Dlogback.configurationFile="$home/conf/logback.xml" \
  -cp "$home/lib/*" "$@" org.apache.cassandra.service.CassandraDaemon
