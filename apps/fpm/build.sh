#!/bin/sh
# Puts the service, the adapters of the PHP client and the settings into a folder: build.sh PHP SOURCES CLIENT BUILD.
set -eu
php=$1 sources=$2 client=$3 app=$4/app
mkdir -p "$app.new/client"
cp "$client/service/index.php" "$sources/fpm.conf" "$app.new"
cp -R "$client/stores" "$client/tape.php" "$client/values.php" "$app.new/client"
sh "$client/service/extensions.sh" "$php" >"$app.new/php.ini"
mv "$app.new" "$app"
