#!/bin/sh
# Puts a Cassandra node into Kurabe's cache folder: setup.sh CACHE_FOLDER. Its server and what it needs come as libraries
# (Apache-2.0 and the like) from the repository that Maven is set up to use; each is checked before any of it is run.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
here=$(cd "$(dirname "$0")" && pwd)
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

if ! command -v mvn >/dev/null; then
  echo "cassandra: needs Maven to fetch its libraries; install it (maven)" >&2
  exit 1
fi
java=
for candidate in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} "$(command -v java || true)" /usr/lib/jvm/*17*/bin/java; do
  if [ -x "$candidate" ] && "$candidate" --version 2>/dev/null | head -n 1 | grep -q ' 17[. ]'; then
    java=$(readlink -f "$candidate")
    break
  fi
done
if [ -z "$java" ]; then
  echo "cassandra: needs Java 17; install it (openjdk-17-jre-headless) or set JAVA_HOME to it" >&2
  exit 1
fi

mkdir -p "$cache/cassandra"
work=$(mktemp -d "$cache/cassandra/setup.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

node=$work/node
mkdir -p "$node/lib" "$node/conf" "$node/bin"
mvn -q -B -Dstyle.color=never -f "$here/pom.xml" "$plugin:copy-dependencies" -DoutputDirectory="$node/lib" -DincludeScope=runtime
if ! (cd "$node/lib" && sha256sum --check --strict --status "$here/jars.sha256"); then
  echo "cassandra: what came from Maven's repository is not what was expected (sha256); nothing was installed" >&2
  exit 1
fi
# Nothing else may be in the folder: all of it is run.
if [ "$(ls "$node/lib" | wc -l)" -ne "$(wc -l <"$here/jars.sha256")" ]; then
  echo "cassandra: more came from Maven's repository than was expected; nothing was installed" >&2
  exit 1
fi
cp "$here/cassandra.yaml" "$here/logback.xml" "$here/jvm.options" "$node/conf"
cp "$here/launch.sh" "$node/bin/cassandra"
ln -s "$java" "$node/bin/java"
# A server may run as a user of its own.
chmod -R a+rX "$node"
chmod 755 "$node/bin/cassandra"
"$node/bin/cassandra" --version >/dev/null
# Renamed into place, so that it is there whole or not at all.
rm -rf "$cache/cassandra/node"
mv "$node" "$cache/cassandra/node"
echo "cassandra: $cache/cassandra/node"
