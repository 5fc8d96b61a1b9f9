#!/bin/sh
# Puts the sources and their libraries, at the versions of package-lock.json, into a folder: build.sh NPM SOURCES BUILD.
set -eu
npm=$1 sources=$2 app=$3/app
mkdir -p "$app"
cp -R "$sources"/*.mjs "$sources"/package.json "$sources"/package-lock.json "$sources"/stores "$app"
cd "$app"
# An npm that is not in PATH brings its node along.
case $npm in */*) PATH="${npm%/*}:$PATH" ;; esac
"$npm" ci --omit=dev --no-audit --no-fund --ignore-scripts --loglevel=error
# The library of SQLite is fetched or compiled; Node's headers may be beside it. Without it the client drives all other stores.
prefix=$(node -p 'const { dirname } = require("path"); dirname(dirname(process.execPath))')
[ ! -d "$prefix/include/node" ] || export npm_config_nodedir="$prefix"
# With all cores.
export JOBS=max
"$npm" rebuild better-sqlite3 --loglevel=error || echo "better-sqlite3 could not be built" >&2
