"""What a failure of the API says."""

from __future__ import annotations

from typing import Any


class RollbookError(Exception):
    """A failure of the API. Nothing in it is a value of yours, and the key is nowhere."""

    #: 0 if there was no whole answer.
    status: int
    #: For programs: ``invalid``, ``conflict``, … of the API; ``unreachable``, ``timeout``, ``incomplete`` and
    #: ``unexpected_answer`` are the client's.
    code: str
    title: str
    detail: str
    #: Every fault of the request, each with its place.
    errors: list[dict[str, Any]]
    #: It finds the request in the server's log.
    request_id: str | None
    #: With 409 ``conflict``: the client that holds the id document.
    client_id: str | None
    client_status: str | None
    #: How long to wait, if the server has said so.
    retry_after_seconds: float | None

    def __init__(self, status: int, problem: dict[str, Any], retry_after_seconds: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", "unexpected_answer"))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        errors = problem.get("errors")
        self.errors = errors if isinstance(errors, list) else []
        self.request_id = problem.get("requestId")
        self.client_id = problem.get("clientId")
        self.client_status = problem.get("clientStatus")
        self.retry_after_seconds = retry_after_seconds
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        faults = [f"{one.get('location')} {one.get('message')} ({one.get('code')})" for one in self.errors]
        told = " · ".join(part for part in [self.detail, *faults] if part)
        request = f" [request {self.request_id}]" if self.request_id else ""
        return f"{self.status or 'no answer'} {self.code}{': ' if told else ''}{told}{request}"


class UnauthorizedError(RollbookError):
    """The key is missing, unknown, revoked or expired."""


class NotFoundError(RollbookError):
    """There is no such record."""


class ConflictError(RollbookError):
    """Another client holds the id document (``client_id``), or the request with this key is still under way."""


class GoneError(RollbookError):
    """The data behind a cursor was replaced: begin again."""


class PreconditionFailedError(RollbookError):
    """The record is not as you read it."""


class InvalidError(RollbookError):
    """``errors`` has every fault of the request."""


class RateLimitedError(RollbookError):
    """The key is over its rate limit."""


class UnreachableError(RollbookError):
    """No answer came, or not all of it."""


_CLASSES: dict[int, type[RollbookError]] = {
    0: UnreachableError,
    401: UnauthorizedError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: InvalidError,
    429: RateLimitedError,
}


def error_of(status: int, problem: dict[str, Any], retry_after_seconds: float | None = None) -> RollbookError:
    return _CLASSES.get(status, RollbookError)(status, problem, retry_after_seconds)
