#!/bin/sh
# Puts the service, the adapters of the PHP client and the settings of both programs into a folder:
# build.sh PHP SOURCES CLIENT BUILD.
set -eu
php=$1 sources=$2 client=$3 app=$4/app
module=$(ls /usr/lib/apache2/modules/libphp*.so 2>/dev/null | tail -n 1)
[ -n "$module" ] || { echo "no libphp*.so in /usr/lib/apache2/modules" >&2; exit 1; }
mkdir -p "$app.new/client"
cp "$client/service/index.php" "$app.new"
cp -R "$client/stores" "$client/tape.php" "$client/values.php" "$app.new/client"
sed "s|@MODULES@|${module%/*}|; s|@PHP@|$module|" "$sources/httpd.conf" >"$app.new/httpd.conf"
sh "$client/service/extensions.sh" "$php" >"$app.new/php.ini"
mv "$app.new" "$app"
