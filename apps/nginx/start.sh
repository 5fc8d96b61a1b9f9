#!/bin/sh
# Writes the settings, and becomes nginx: start.sh NGINX UPSTREAM PORT DATA. UPSTREAM is http://HOST:PORT, or
# fcgi://HOST:PORT/PROGRAM, where PROGRAM is the file that PHP runs for each request.
set -eu
nginx=$1 upstream=$2 port=$3 data=$4
rest=${upstream#*://}
address=${rest%%/*}
case $upstream in
http://*)
    pass="proxy_pass http://service;
            proxy_http_version 1.1;
            proxy_set_header Connection '';
            proxy_set_header Host $address;"
    ;;
fcgi://*)
    pass="fastcgi_pass service;
            fastcgi_keep_conn on;
            fastcgi_param SCRIPT_FILENAME /${rest#*/};
            fastcgi_param REQUEST_METHOD \$request_method;
            fastcgi_param REQUEST_URI \$request_uri;
            fastcgi_param QUERY_STRING \$query_string;
            fastcgi_param CONTENT_TYPE \$content_type;
            fastcgi_param CONTENT_LENGTH \$content_length;
            fastcgi_param SERVER_PROTOCOL \$server_protocol;"
    ;;
*)
    echo "nginx cannot stand before '$upstream': it is neither http:// nor fcgi://" >&2
    exit 1
    ;;
esac
cat >"$data/nginx.conf" <<CONF
worker_processes 1;
pid $data/pid;
error_log stderr crit;
events {
    worker_connections 8192;
}
http {
    access_log off;
    client_body_temp_path $data/body;
    proxy_temp_path $data/proxy;
    fastcgi_temp_path $data/fastcgi;
    uwsgi_temp_path $data/uwsgi;
    scgi_temp_path $data/scgi;
    client_max_body_size 64m;
    # Answers and bodies of some length stay in memory, as they do in the service.
    client_body_buffer_size 1m;
    proxy_buffers 64 64k;
    proxy_buffer_size 64k;
    fastcgi_buffers 64 64k;
    fastcgi_buffer_size 64k;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    upstream service {
        server $address;
        keepalive 256;
        keepalive_requests 1000000000;
    }
    server {
        listen 127.0.0.1:$port backlog=4096;
        location / {
            $pass
        }
    }
}
CONF
exec "$nginx" -c "$data/nginx.conf" -e stderr -g 'daemon off;'
