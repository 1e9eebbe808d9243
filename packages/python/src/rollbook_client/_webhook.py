"""Messages of webhooks: Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from ._operations import EventType


class WebhookEvent(TypedDict):
    type: EventType
    timestamp: str
    organizationId: str
    data: dict[str, Any]


class WebhookError(Exception):
    """A message that is not from who has the secret, is too old, or was changed on the way."""

    #: ``header_missing``, ``timestamp_out_of_range``, ``signature_mismatch`` or ``body_invalid``.
    code: str

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def verify_webhook(
    secrets: str | Sequence[str],
    headers: Mapping[str, str],
    raw_body: bytes | str,
    *,
    tolerance_seconds: float = 300,
) -> WebhookEvent:
    """The event of a message, if it was signed with one of the secrets and is not older than ``tolerance_seconds``.

    ``raw_body`` is the body as it came: JSON that was read and written again has another signature.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = given.get("webhook-id")
    timestamp = given.get("webhook-timestamp")
    signatures = given.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise WebhookError("header_missing", "A header of the message is missing.")
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16
    if not is_number or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookError("timestamp_out_of_range", "The message is too old, or of the future.")
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    signed = f"{message_id}.{timestamp}.".encode() + body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = "v1," + base64.b64encode(hmac.digest(_bytes_of(secret), signed, hashlib.sha256)).decode()
        for one in signatures.split(" "):
            if hmac.compare_digest(expected.encode(), one.encode()):
                event: WebhookEvent = _parse(body)
                return event
    raise WebhookError("signature_mismatch", "No signature is of this secret and these bytes.")


def _bytes_of(secret: str) -> bytes:
    try:
        found = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        found = b""
    if not found:
        raise ValueError("A secret is whsec_ and base64.")
    return found


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise WebhookError("body_invalid", "The message is signed and is no JSON.") from None
