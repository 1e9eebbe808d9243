"""The API of Rollbook. ``Client`` has its operations; everything else is for what comes back."""

from ._client import Client, CursorStore, Download, Record
from ._errors import (
    ConflictError,
    GoneError,
    InvalidError,
    NotFoundError,
    PreconditionFailedError,
    RateLimitedError,
    RollbookError,
    UnauthorizedError,
    UnreachableError,
)
from ._file_store import FileStore
from ._operations import VERSION as __version__
from ._webhook import WebhookError, WebhookEvent, verify_webhook

__all__ = [
    "Client",
    "ConflictError",
    "CursorStore",
    "Download",
    "FileStore",
    "GoneError",
    "InvalidError",
    "NotFoundError",
    "PreconditionFailedError",
    "RateLimitedError",
    "Record",
    "RollbookError",
    "UnauthorizedError",
    "UnreachableError",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]
