"""Does with ``rollbook_client`` what the scenarios ask for, one JSON line each: the same actions as driver.ts."""

import json
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from rollbook_client import Client, FileStore, RollbookError, WebhookError, verify_webhook

printing = threading.Lock()


def snake(options):
    def name(word):
        return "from_" if word == "from" else "".join(f"_{one.lower()}" if one.isupper() else one for one in word)

    return {name(word): value for word, value in options.items()}


def call(client, given, tell):
    arguments = [*given.get("args", [])]
    result = getattr(client(), snake({given["name"]: 0}).popitem()[0])(*arguments, **snake(given.get("options", {})))
    return {"result": result, "etag": result.etag} if given.get("tagged") else result


def walk(client, given, tell):
    name = snake({given["name"]: 0}).popitem()[0]
    return list(getattr(client(), f"{name}_all")(**snake(given.get("options", {}))))


def twice(client, given, tell):
    method = getattr(client(), snake({given["name"]: 0}).popitem()[0])
    return [method(*given["args"]), method(*given["args"])]


def edit(client, given, tell):
    one = client()

    def edit_one(numbered):
        index, change = numbered

        def changed(current):
            # Both ways of saying what it shall be.
            if index % 2 == 0:
                return {**current, **change}
            current.update(change)
            return None

        return one.edit_client(given["id"], changed)

    with ThreadPoolExecutor(len(given["changes"])) as pool:
        return list(pool.map(edit_one, enumerate(given["changes"])))


def download(client, given, tell):
    file = client().download(given["list"], given["form"], **snake(given.get("options", {})))
    if file is None:
        return None
    with file:
        text = file.read().decode()
        told = {"etag": file.etag, "totalCount": file.total_count, "changesCursor": file.changes_cursor}
    return {"text": text, **told}


def changes(client, given, tell):
    restart = {"on_gone": "restart", "on_restart": lambda error: tell({"restarted": True})}
    seen = 0
    for change in client().changes(
        store=FileStore(given["file"]), **given.get("options", {}), **(restart if given.get("restart") else {})
    ):
        tell(change)
        seen += 1
        if seen == given.get("stopAfter"):
            return seen
        if seen == given.get("standStillAfter"):
            threading.Event().wait()


def cancelled(client, given, tell):
    client().get_organization(timeout=0.05)


def verify(client, given, tell):
    tolerance = given.get("toleranceSeconds")
    options = {} if tolerance is None else {"tolerance_seconds": tolerance}
    verify_webhook(given["secrets"], given["headers"], given["body"], **options)
    return verify_webhook(given["secrets"], given["headers"], given["body"].encode(), **options)


def texts(client, given, tell):
    return [repr(client()), str(client())]


ACTIONS = {
    "call": call,
    "all": walk,
    "twice": twice,
    "edit": edit,
    "download": download,
    "changes": changes,
    "cancelled": cancelled,
    "verify": verify,
    "texts": texts,
}


def describe(error):
    """What an error says, in all the ways in which it may be seen."""
    text = "\n".join([str(error), repr(error), "".join(traceback.format_exception(error))])
    told = {"kind": type(error).__name__, "text": text}
    if isinstance(error, WebhookError):
        return {**told, "code": error.code}
    if not isinstance(error, RollbookError):
        return told
    named = {"requestId": error.request_id, "clientId": error.client_id}
    plain = {name: getattr(error, name) for name in ("status", "code", "title", "detail", "errors")}
    return {**told, **plain, **{name: value for name, value in named.items() if value is not None}}


def carry_out(ask):
    def say(told):
        with printing:
            print(json.dumps({"id": ask["id"], **told}), flush=True)

    begin = time.monotonic()
    options = snake(ask.get("client", {}))
    try:
        result = ACTIONS[ask["action"]](lambda: Client(**options), ask["given"], lambda event: say({"event": event}))
        say({"result": result, "seconds": time.monotonic() - begin})
    except Exception as error:
        say({"error": describe(error), "seconds": time.monotonic() - begin})


for line in sys.stdin:
    threading.Thread(target=carry_out, args=(json.loads(line),), daemon=True).start()
