#!/bin/sh
# The php.ini of the services: the extensions that are here, each after those that it needs: extensions.sh PHP.
set -eu
folder=$("$1" -r 'echo ini_get("extension_dir");')
cat <<INI
; Nothing that a program prints is taken for an answer.
display_errors = Off
log_errors = On
; What PHP advises against by now is in old libraries.
error_reporting = E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED
memory_limit = -1
post_max_size = 64M
; Libraries that their user brings are where the program of the command line finds them.
include_path = "$("$1" -r 'echo get_include_path();')"
; As every server has it: compiled once.
zend_extension = opcache
opcache.enable = 1
; The sources do not change.
opcache.validate_timestamps = 0
INI
for name in mysqlnd pdo mysqli pdo_mysql pdo_pgsql igbinary msgpack redis memcached; do
    [ ! -f "$folder/$name.so" ] || echo "extension = $name"
done
