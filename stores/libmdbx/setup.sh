#!/bin/sh
# Puts libmdbx into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it. It comes, unchanged, inside
# the binding for Python, with pip, and is checked before it is unpacked.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
package=libmdbx
version=0.3.2
sha256=e9e72d535806136b8f735e22c9bf990b9c07e5f8d269ee470dd3e708de0ea423

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  echo "libmdbx: no library is known for $(uname -s) on $(uname -m); put libmdbx.so where the linker finds it" >&2
  exit 1
fi
python=${KURABE_PYTHON:-python3}
if ! "$python" -m pip --version >/dev/null 2>&1; then
  echo "libmdbx: needs python3 with pip to fetch $package; install it (python3-pip), or put libmdbx.so where the linker" \
    "finds it" >&2
  exit 1
fi

mkdir -p "$cache/libmdbx"
work=$(mktemp -d "$cache/libmdbx/setup.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The library is the same for every Python; one is named, so that the same file comes. Nothing of the package is run.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" \
  --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_17_x86_64 "$package==$version"
set -- "$work"/*.whl
if ! echo "$sha256  $1" | sha256sum --check --status; then
  echo "libmdbx: what came as $package $version is not what was expected (sha256); nothing was installed" >&2
  exit 1
fi
"$python" -m zipfile -e "$1" "$work/unpacked"
chmod 755 "$work/unpacked/mdbx/lib/libmdbx.so"
# Renamed into place, so that it is there whole or not at all.
mv -f "$work/unpacked/mdbx/lib/libmdbx.so" "$cache/libmdbx/libmdbx.so"
echo "libmdbx: $cache/libmdbx/libmdbx.so"
