"""The client: what the operations of the table are sent with, and what is more than an operation."""

from __future__ import annotations

import http.client
import io
import json
import random
import threading
import time
import urllib.parse
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from . import _operations as api
from ._errors import GoneError, PreconditionFailedError, error_of
from ._operations import LISTS, Operations
from ._transport import Opener, Transport

_EDITS = 8
_EDIT_PAUSE_SECONDS = 0.1


class Record(dict[str, Any]):
    """A record or page as it was answered, with its ``ETag`` for ``if_match``."""

    etag: str | None = None


class CursorStore(Protocol):
    """Where the place in the feed is kept: with your data if you can, in one transaction with what you make of it."""

    def load(self) -> str | None: ...

    def save(self, cursor: str) -> None: ...


class Client(Operations):
    """A caller of one organization's API. It sends nothing before it is asked to, and may be shared by threads."""

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        opener: Opener | None = None,
        timeout_seconds: float = 30,
        tries: int = 4,
        total_seconds: float = 60,
        user_agent: str | None = None,
        accept_language: str | None = None,
        memory: int = 0,
        allow_http: bool = False,
    ) -> None:
        """``base_url`` and ``key`` are ``ROLLBOOK_URL`` and ``ROLLBOOK_KEY`` of the environment unless given.

        A request is sent ``tries`` times at the most, each of them for ``timeout_seconds``, within ``total_seconds`` in all.
        ``memory`` answers are kept, to be shown again as long as the server says that they hold (304).
        """
        self._transport = Transport(
            base_url,
            key,
            opener=opener,
            timeout_seconds=timeout_seconds,
            tries=tries,
            total_seconds=total_seconds,
            user_agent=user_agent,
            accept_language=accept_language,
            allow_http=allow_http,
        )
        self._memory = memory
        self._kept: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Client({self._transport.base_url!r})"

    def edit_client(
        self,
        id: str,
        change: Callable[[api.Client], api.ClientInput | None],
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> api.Client:
        """Changes a client as it is.

        ``change`` gets it, and either changes it in place or returns what it shall be, whole. If somebody else was faster, it is
        called again with what they have made of it.
        """
        for tried in range(1, _EDITS + 1):
            client = self.get_client(id, timeout=timeout, accept_language=accept_language)
            etag = getattr(client, "etag", None)
            if etag is None:
                raise ValueError("The answer had no ETag.")
            body: Any = change(client)
            if body is None:
                body = client
            try:
                return self.replace_client(
                    id, body, if_match=etag, timeout=timeout, accept_language=accept_language
                )
            except PreconditionFailedError:
                if tried == _EDITS:
                    raise
            time.sleep(_EDIT_PAUSE_SECONDS * tried * random.random())
        raise AssertionError("unreachable")

    def changes(
        self,
        *,
        store: CursorStore,
        kinds: Sequence[Any] | None = None,
        include: Literal["record"] | None = None,
        wait: int = 30,
        limit: int | None = None,
        on_gone: Literal["raise", "restart"] = "raise",
        on_restart: Callable[[GoneError], None] | None = None,
        timeout: float | None = None,
    ) -> Iterator[api.Change]:
        """Every change from where ``store`` says, in order, for ever.

        The place is saved when the entry after a page's last is asked for, so whoever is killed in the middle of a page sees that
        page again, and skips nothing. If the data was replaced, the error is raised, or with ``on_gone="restart"`` it begins again
        with every record there is, after ``on_restart`` was told.
        """
        after = store.load() or None
        while True:
            try:
                page: Any = self.list_changes(
                    after=after, kinds=kinds, include=include, wait=wait, limit=limit, timeout=timeout
                )
            except GoneError as error:
                if on_gone != "restart" or after is None:
                    raise
                if on_restart is not None:
                    on_restart(error)
                after = None
                continue
            yield from page["data"]
            after = page["nextCursor"]
            store.save(after)

    def download(
        self,
        list: str,
        form: Literal["csv", "ndjson"],
        *,
        if_none_match: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
        **filters: Any,
    ) -> Download | None:
        """A whole list as a file, from one moment: ``download("clients", "csv", status="active")``.

        Reading it fails at its end if it has other rows than the server has announced. None if ``if_none_match`` is still its tag.
        """
        path, forms = LISTS.get(list, ("", {}))
        if form not in forms:
            raise ValueError(f"There is no {list} as {form}.")
        query = {_camel_case(name): value for name, value in filters.items()}

        def read(answer: Any) -> Download | None:
            if answer.status == 304:
                answer.close()
                return None
            return Download(answer, form)

        return self._transport.send(
            "GET",
            self._address(path, query),
            {"Accept": forms[form], "If-None-Match": if_none_match},
            read,
            timeout=timeout,
            accept_language=accept_language,
        )

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
        media_type: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Any:
        query = query or {}
        url = self._address(path, query)
        sent: dict[str, str | None] = {"Accept": "application/json", "Content-Type": media_type, **(headers or {})}
        is_read = method == "GET"
        known = None
        if is_read:
            with self._lock:
                known = self._kept.get(url)
            if known:
                sent["If-None-Match"] = known[0]
        elif sent.get("Idempotency-Key") is None:
            # One key for all tries of this call.
            sent["Idempotency-Key"] = str(uuid.uuid4())

        def read(answer: Any) -> Any:
            with answer:
                text = answer.read().decode("utf-8", "replace")
            if answer.status == 204:
                return None
            if known and answer.status == 304:
                text = known[1]
            etag = answer.headers.get("ETag")
            if is_read:
                self._keep(url, etag, text)
            return _parse(text, answer.status, etag)

        return self._transport.send(
            method,
            url,
            sent,
            read,
            body=None if media_type is None else json.dumps(body).encode(),
            wait_seconds=query.get("wait") or 0,
            timeout=timeout,
            accept_language=accept_language,
        )

    def _walk(
        self,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        next_name: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Any]:
        asked = dict(query or {})
        if limit is not None and asked.get("limit") is None:
            asked["limit"] = limit
        while True:
            page = self._call("GET", path, query=asked, timeout=timeout, accept_language=accept_language)
            yield from page["data"]
            if next_name is None or page.get("nextCursor") is None or page.get("hasMore") is False:
                return
            asked.pop("offset", None)
            asked[next_name] = page["nextCursor"]

    def _keep(self, url: str, etag: str | None, text: str) -> None:
        with self._lock:
            self._kept.pop(url, None)
            if etag is not None:
                self._kept[url] = (etag, text)
            while len(self._kept) > self._memory:
                self._kept.popitem(last=False)

    def _address(self, path: str, query: Mapping[str, Any]) -> str:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        return f"{self._transport.base_url}{path}{'?' if given else ''}{urllib.parse.urlencode(given)}"


class _CountedBody(io.RawIOBase):
    """The bytes of a download. The last read fails if it has other rows than were announced."""

    def __init__(self, answer: Any, form: str) -> None:
        self._answer = answer
        self._is_csv = form == "csv"
        # The first line of CSV has the names.
        self._rows = -1 if self._is_csv else 0
        self._is_quoted = False
        count = answer.headers.get("X-Total-Count") or ""
        self.announced = int(count) if count.isdigit() else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._answer.read(len(buffer))
        except (OSError, http.client.HTTPException):
            raise self._incomplete() from None
        buffer[: len(piece)] = piece
        if piece:
            self._count(piece)
        elif self._rows != self.announced:
            raise self._incomplete()
        return len(piece)

    def close(self) -> None:
        self._answer.close()
        super().close()

    def _count(self, piece: bytes) -> None:
        if not self._is_csv:
            self._rows += piece.count(b"\n")
            return
        for at, part in enumerate(piece.split(b'"')):
            if at > 0:
                self._is_quoted = not self._is_quoted
            if not self._is_quoted:
                self._rows += part.count(b"\n")

    def _incomplete(self) -> Exception:
        detail = f"The download has {max(self._rows, 0)} of {self.announced} records."
        return error_of(0, {"code": "incomplete", "detail": detail})


class Download(io.BufferedReader):
    """The bytes of a file, and what was said of it."""

    #: For ``if_none_match``.
    etag: str | None
    #: How many records it has.
    total_count: int | None
    #: Where the change feed goes on from this file: ``after`` of ``list_changes``.
    changes_cursor: str | None

    def __init__(self, answer: Any, form: str) -> None:
        body = _CountedBody(answer, form)
        super().__init__(body)
        self.etag = answer.headers.get("ETag")
        self.total_count = body.announced
        self.changes_cursor = answer.headers.get("Changes-Cursor")


def _parse(text: str, status: int, etag: str | None) -> Record:
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise error_of(status, {"code": "unexpected_answer", "detail": "The answer is no JSON object."})
    record = Record(body)
    # A proxy that compresses marks the tag as weak, and a weak one never matches: the server's own is behind the mark.
    record.etag = etag.removeprefix("W/") if etag else None
    return record


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _camel_case(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)
