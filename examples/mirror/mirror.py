#!/usr/bin/env python3
"""Keeps a copy of a whole organization in SQLite, by the change feed alone.

    ROLLBOOK_URL=https://api.example.com ROLLBOOK_KEY=rbk_... ./mirror.py studio.db

It may be killed at any moment and started again: the records of a page and the cursor after it are one transaction.
"""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("ROLLBOOK_URL", "http://localhost:8080")
KEY = os.environ["ROLLBOOK_KEY"]
ONCE = "--once" in sys.argv
PATH = next(name for name in sys.argv[1:] if not name.startswith("--"))


def ask(cursor, wait):
    query = {"limit": 1000, "include": "record", "wait": wait, **({"after": cursor} if cursor else {})}
    request = urllib.request.Request(
        f"{URL}/v1/changes?{urllib.parse.urlencode(query)}", headers={"Authorization": f"Bearer {KEY}"}
    )
    with urllib.request.urlopen(request, timeout=wait + 20) as answer:
        return json.load(answer)


def apply(db, page):
    for change in page["data"]:
        name = (change["kind"], change["id"])
        if change["type"] == "deleted":
            db.execute("delete from records where kind = ? and id = ?", name)
        else:
            # A schedule has no record: its sessions are read in the calendar, by scheduleId.
            record = json.dumps(change.get("record"), ensure_ascii=False)
            db.execute("insert or replace into records values (?, ?, ?, ?)", (*name, change["sequence"], record))
    db.execute("insert or replace into position values (1, ?)", (page["nextCursor"],))


def follow(db):
    row = db.execute("select cursor from position").fetchone()
    cursor, wait = row[0] if row else None, 0
    while True:
        page = ask(cursor, wait)
        with db:
            apply(db, page)
        cursor = page["nextCursor"]
        if page["data"]:
            print(f"{len(page['data'])} changes", flush=True)
        wait = 0 if page["hasMore"] or ONCE else 30
        if ONCE and not page["hasMore"]:
            return


def main():
    db = sqlite3.connect(PATH)
    with db:
        db.execute("create table if not exists records (kind, id, sequence integer, record, primary key (kind, id))")
        db.execute("create table if not exists position (one integer primary key, cursor)")
    pause = 1
    while True:
        try:
            return follow(db)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                # The data was replaced: what is here may be of a past that nobody knows any more.
                with db:
                    db.execute("delete from records")
                    db.execute("delete from position")
                continue
            if error.code not in (429, 500, 502, 503, 504):
                raise
            pause = int(error.headers.get("Retry-After") or pause)
        except (OSError, ValueError) as error:
            print(error, file=sys.stderr)
        time.sleep(pause)
        pause = min(pause * 2, 60)


if __name__ == "__main__":
    main()
