#!/bin/sh
# Puts RocksDB's library into Kurabe's cache folder: setup.sh CACHE_FOLDER. It is the one that its makers build for Java, which has
# the C interface too. Debian's package, which is older, is the way out.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=rocksdb
package=org.rocksdb:rocksdbjni
version=11.8.1
sha256=628ed387887f4a431df480857954df2a28b4389bfe24858ccdec611cabf65dbf
by_hand="install RocksDB by hand (on Debian 12: apt-get install -y --no-install-recommends librocksdb7.8)"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64 aarch64
needs_maven
make_work
fetch_jar

case "$machine" in
  x86_64) member=librocksdbjni-linux64.so ;;
  aarch64) member=librocksdbjni-linux-aarch64.so ;;
esac
from_jar "$member"
put_library "$member" librocksdb.so
