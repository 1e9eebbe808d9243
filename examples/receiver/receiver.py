"""Receives the webhooks of one organization: verifies each message, drops what it has seen, and reads the feed after a backlog.

Needs Python 3.11 and nothing else. Start it with:

    WEBHOOK_SECRET=whsec_… ROLLBOOK_URL=https://… ROLLBOOK_KEY=rbk_… python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
import traceback
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
URL = os.environ.get("ROLLBOOK_URL", "http://localhost:8080")
KEY = os.environ.get("ROLLBOOK_KEY", "")
TOLERANCE_SECONDS = 300

# Messages that were taken. Keep it where your data is, written in the same transaction: then nothing is done twice.
seen: set[str] = set()


def apply(change: dict) -> None:
    """What changed. Do your work here; it may be called again for the same change if it raises."""
    print(json.dumps({name: change[name] for name in ("kind", "id", "type")}, separators=(",", ":")), flush=True)


def is_genuine(headers, body: bytes) -> bool:
    """Whether a message is from who has the secret, is not old, and nobody has changed it: Standard Webhooks 1.0."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest("v1," + base64.b64encode(expected).decode(), one) for one in signatures)


def read_feed(after: str, cursor: str) -> None:
    """Everything between two places of the feed, for a message that stands for many events."""
    while after != cursor:
        request = urllib.request.Request(
            f"{URL}/v1/changes?limit=1000&after={after}", headers={"authorization": f"Bearer {KEY}"}
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            page = json.load(response)
        for change in page["data"]:
            apply(change)
        after = page["nextCursor"]
        if not page["hasMore"]:
            return


def receive(headers, body: bytes) -> int:
    if not is_genuine(headers, body):
        return 401
    message_id = headers["webhook-id"]
    if message_id in seen:
        return 204
    message = json.loads(body)
    if message["type"] == "feed.backlog":
        read_feed(message["data"]["after"], message["data"]["cursor"])
    elif message["type"] != "webhook.test":
        apply(message["data"])
    seen.add(message_id)
    return 204


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The very bytes that came: JSON that was read and written again has another signature.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            status = receive(self.headers, body)
        except Exception:
            traceback.print_exc()
            status = 500
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *args) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Handler)
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()
