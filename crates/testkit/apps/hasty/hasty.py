"""A service that answers a write before it is done: hasty.py PORT. What it keeps is in its memory."""

import http.server
import json
import sys
import threading

DELAY_SECONDS = 0.05
ROWS = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def say(self, status, content=None):
        body = b"" if content is None else json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/ping":
            self.say(204)
            return
        row = ROWS.get(self.path.rpartition("/")[2])
        self.say(404 if row is None else 200, row)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/calls/"):
            self.call(self.path.rpartition("/")[2])
            return
        row = json.loads(body)
        key = str(row["id"])
        # Rows of the load are there at once: what is caught must be the haste, and not a service that never works.
        delay = 0 if int(key) < 1000 else DELAY_SECONDS
        threading.Timer(delay, ROWS.__setitem__, (key, row)).start() if delay else ROWS.__setitem__(key, row)
        self.say(201, {"id": row["id"]})

    def call(self, name):
        if name in ("create", "reset"):
            ROWS.clear()
            self.say(200, {"ok": True})
        else:
            self.say(200, {"unsupported": True})


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
