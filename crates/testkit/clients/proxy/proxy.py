"""Stands before the Rust client and changes one thing of what it says; the argument names it."""

import json
import os
import subprocess
import sys
import threading

ANSWERS = {
    "count": lambda _: {},
    "settings": lambda told: {name: 1 for name in told},
    "create": lambda _: False,
    "size": lambda _: None,
}


def change(lie: str, told: dict, calls: dict) -> None:
    """Changes a line, where it is the one that is lied about."""
    if lie in ANSWERS and "ok" in told and calls.get(told["reply"]) == lie:
        told["ok"] = ANSWERS[lie](told["ok"])
    result = told.get("result")
    if result and lie == "rate":
        for worker in result["workers"]:
            lasted = worker["last_end_ns"] - worker["first_start_ns"]
            worker["last_end_ns"] = worker["first_start_ns"] + max(1, lasted // 1000)
    if result and lie == "unmeasured":
        result["latency"] = []
    if result and lie == "unchecked":
        result["checks"]["checked"] = 0


def main() -> int:
    client = subprocess.Popen([os.environ["KURABE_BINARY"], "client"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    calls: dict = {}

    def pass_on() -> None:
        for line in sys.stdin.buffer:
            told = json.loads(line)
            if "call" in told:
                calls[told["id"]] = told["call"]
            client.stdin.write(line)
            client.stdin.flush()
        client.stdin.close()

    threading.Thread(target=pass_on, daemon=True).start()
    for line in client.stdout:
        told = json.loads(line)
        change(sys.argv[1], told, calls)
        print(json.dumps(told), flush=True)
    return client.wait()


# The thread may wait for a line still, and an interpreter that ends in good order dies of that now and then.
os._exit(main())
