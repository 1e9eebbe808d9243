"""Sends requests, each as often as it needs and may, and turns what fails into errors."""

from __future__ import annotations

import email.utils
import http.client
import ipaddress
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from ._errors import RollbookError, error_of
from ._operations import VERSION

Result = TypeVar("Result")

_PASSING = {408, 429, 500, 502, 503, 504}
_FIRST_PAUSE_SECONDS = 0.5


class Opener(Protocol):
    """What sends a request: an opener of ``urllib.request``, or something like one."""

    def open(self, fullurl: urllib.request.Request, data: None = None, timeout: float = ...) -> Any: ...


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key is for the server that it was given for."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    def __init__(
        self,
        base_url: str | None,
        key: str | None,
        *,
        opener: Opener | None,
        timeout_seconds: float,
        tries: int,
        total_seconds: float,
        user_agent: str | None,
        accept_language: str | None,
        allow_http: bool,
    ) -> None:
        self.base_url = _check_address(base_url or os.environ.get("ROLLBOOK_URL", ""), allow_http)
        self._key = _check_key(key or os.environ.get("ROLLBOOK_KEY", ""))
        self._opener = opener or urllib.request.build_opener(_NoRedirects)
        self._timeout_seconds = timeout_seconds
        self._tries = tries
        self._total_seconds = total_seconds
        self._user_agent = user_agent or f"rollbook-client/{VERSION} python"
        self._accept_language = accept_language

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str | None],
        read: Callable[[Any], Result],
        *,
        body: bytes | None = None,
        wait_seconds: float = 0,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Result:
        """What ``read`` makes of the answer. ``timeout`` is for all of it, tries and waits included."""
        total = self._total_seconds + wait_seconds if timeout is None else timeout
        ends_at = time.monotonic() + total
        tried = 0
        while True:
            tried += 1
            limit = wait_seconds + 10 if wait_seconds > 0 else self._timeout_seconds
            limit = max(min(limit, ends_at - time.monotonic()), 0.001)
            try:
                return self._try(method, url, headers, read, body, limit, accept_language)
            except RollbookError as error:
                if not _is_passing(error) or tried >= self._tries:
                    raise
                seconds = error.retry_after_seconds
                if seconds is None:
                    seconds = _FIRST_PAUSE_SECONDS * 2 ** (tried - 1) * random.random()
                if time.monotonic() + seconds >= ends_at:
                    raise
            time.sleep(seconds)

    def _try(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str | None],
        read: Callable[[Any], Result],
        body: bytes | None,
        limit: float,
        accept_language: str | None,
    ) -> Result:
        language = accept_language or self._accept_language
        sent = {
            "User-Agent": self._user_agent,
            **({"Accept-Language": language} if language else {}),
            **{name: value for name, value in headers.items() if value is not None},
            "Authorization": f"Bearer {self._key}",
        }
        request = urllib.request.Request(url, data=body, headers=sent, method=method)
        try:
            return read(self._open(request, limit))
        except RollbookError:
            raise
        except (OSError, http.client.HTTPException) as cause:
            # The request has the key, and would be in the traceback of whoever shows its locals.
            reason = getattr(cause, "reason", cause)
            is_late = isinstance(reason, TimeoutError)
            within = f" within {limit:g} seconds" if is_late else ""
            problem = {
                "code": "timeout" if is_late else "unreachable",
                "detail": f"There was no whole answer{within} ({type(reason).__name__}).",
            }
            raise error_of(0, problem) from None

    def _open(self, request: urllib.request.Request, limit: float) -> Any:
        try:
            answer = self._opener.open(request, timeout=limit)
        except urllib.error.HTTPError as failed:
            answer = failed
        status = answer.status
        if 200 <= status < 300 or status == 304:
            return answer
        with answer:
            raise self._error_of(status, answer.headers, answer.read())

    def _error_of(self, status: int, headers: Any, body: bytes) -> RollbookError:
        """Whatever stands between us and the server may send back what it was sent: the key is taken out."""
        text = body.decode("utf-8", "replace").replace(self._key, "…")
        request_id = (headers.get("X-Request-Id") or "").replace(self._key, "…")
        problem: Any = None
        try:
            problem = json.loads(text)
        except ValueError:
            pass
        if not (isinstance(problem, dict) and isinstance(problem.get("code"), str)):
            problem = {"code": "unexpected_answer", "detail": "The answer is not one of the API."}
        known = {"requestId": request_id} if request_id else {}
        return error_of(status, {**known, **problem}, _read_retry_after(headers.get("Retry-After")))


def _is_passing(error: RollbookError) -> bool:
    return error.status == 0 or error.status in _PASSING or (error.status == 409 and error.code == "in_progress")


def _read_retry_after(text: str | None) -> float | None:
    """Whole seconds, or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


def _check_address(text: str, allow_http: bool) -> str:
    try:
        parts = urllib.parse.urlsplit(text)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        raise ValueError("base_url, or ROLLBOOK_URL, must be the address of the server.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("base_url has no user, query or fragment.")
    if parts.scheme != "https" and not (parts.scheme == "http" and (allow_http or _is_loopback(host))):
        raise ValueError("base_url must be https, or the key is seen on the way (allow_http).")
    return text.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_key(key: str) -> str:
    """What cannot be a header would be named in the message of the library that refuses it."""
    if not key or any(not "!" <= character <= "~" for character in key):
        raise ValueError("key, or ROLLBOOK_KEY, must be a key of the organization.")
    return key
