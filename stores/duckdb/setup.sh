#!/bin/sh
# Puts DuckDB's library into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it. It is the one that its makers
# build for Java, which has the C interface too.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=duckdb
package=org.duckdb:duckdb_jdbc
version=2.0.0.1
sha256=6cb8b0e0fc51b2e45aead2d2c1e1fd09dd10267db2966e69aaab0de67319f826
by_hand="put libduckdb.so where the linker finds it"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64 aarch64
needs_maven
make_work
fetch_jar

case "$machine" in
  x86_64) member=libduckdb_java.so_linux_amd64 ;;
  aarch64) member=libduckdb_java.so_linux_arm64 ;;
esac
from_jar "$member"
put_library "$member" libduckdb.so
