#!/bin/sh
# Puts sources and their libraries, at the versions of package-lock.json, into a folder, and beside them the adapters of
# this client where the sources are those of a service: build.sh NPM SOURCES BUILD [CLIENT].
set -eu
npm=$1 sources=$2 app=$3/app client=${4-}
mkdir -p "$app"
cp "$sources"/*.mjs "$sources"/package.json "$sources"/package-lock.json "$app"
if [ -n "$client" ]; then
    mkdir -p "$app/client"
    cp -R "$client/tape.mjs" "$client/values.mjs" "$client/stores" "$app/client"
else
    cp -R "$sources/stores" "$app"
fi
cd "$app"
# An npm that is not in PATH brings its node along.
case $npm in */*) PATH="${npm%/*}:$PATH" ;; esac
"$npm" ci --omit=dev --no-audit --no-fund --ignore-scripts --loglevel=error
# Libraries of SQLite are fetched or compiled; Node's headers may be beside it. Without them all others are driven.
prefix=$(node -p 'const { dirname } = require("path"); dirname(dirname(process.execPath))')
[ ! -d "$prefix/include/node" ] || export npm_config_nodedir="$prefix"
# With all cores.
export JOBS=max
for library in better-sqlite3 sqlite3; do
    [ -d "node_modules/$library" ] || continue
    "$npm" rebuild "$library" --loglevel=error || echo "$library could not be built" >&2
done
