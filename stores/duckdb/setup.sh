#!/bin/sh
# Puts DuckDB's library into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it. It comes with
# DuckDB's own package for Node.js, from the registry that npm is set up to use, and is checked before it is unpacked.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
version=1.5.5-r.5
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64)
    package=@duckdb/node-bindings-linux-x64
    sha256=86d2bda909785550e8a14a57a8a4584827aff0e268d8f1a58c3fd48559f7020e
    ;;
  Linux-aarch64)
    package=@duckdb/node-bindings-linux-arm64
    sha256=3b85f3ea438f7dc3691d7b5e6e4222ffe9127fd17885f96ca72e0c99925c348e
    ;;
  *)
    echo "duckdb: no library is known for $(uname -s) on $(uname -m); put libduckdb.so where the linker finds it" >&2
    exit 1
    ;;
esac

if ! command -v npm >/dev/null; then
  echo "duckdb: needs npm to fetch $package; install it, or put libduckdb.so where the linker finds it" >&2
  exit 1
fi

mkdir -p "$cache/duckdb"
work=$(mktemp -d "$cache/duckdb/setup.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

(cd "$work" && npm pack --silent --ignore-scripts "$package@$version" >/dev/null)
set -- "$work"/*.tgz
if ! echo "$sha256  $1" | sha256sum --check --status; then
  echo "duckdb: what came as $package@$version is not what was expected (sha256); nothing was installed" >&2
  exit 1
fi
tar -xzf "$1" -C "$work" package/libduckdb.so
# Renamed into place, so that it is there whole or not at all.
chmod 755 "$work/package/libduckdb.so"
mv -f "$work/package/libduckdb.so" "$cache/duckdb/libduckdb.so"
echo "duckdb: $cache/duckdb/libduckdb.so"
