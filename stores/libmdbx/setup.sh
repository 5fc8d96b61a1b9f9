#!/bin/sh
# Puts libmdbx into Kurabe's cache folder: setup.sh CACHE_FOLDER. Debian has no package of it. It comes, unchanged, inside
# the binding for Python, with pip, and is checked before it is unpacked.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
name=libmdbx
package=libmdbx
version=0.3.2
sha256=e9e72d535806136b8f735e22c9bf990b9c07e5f8d269ee470dd3e708de0ea423
by_hand="put libmdbx.so where the linker finds it"

. "$(dirname "$0")/../fetch.sh"
needs_linux x86_64
needs_pip
make_work

# The library is the same for every Python; one is named, so that the same file comes. Nothing of the package is run.
fetch_wheel --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_17_x86_64
put_library unpacked/mdbx/lib/libmdbx.so libmdbx.so
