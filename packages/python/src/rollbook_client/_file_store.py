from __future__ import annotations

import os


class FileStore:
    """The place in the feed as a file of its own, which is replaced whole: a crash leaves the old one or the new one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def load(self) -> str | None:
        try:
            with open(self._path, encoding="utf-8") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def save(self, cursor: str) -> None:
        written = f"{self._path}.new"
        with open(written, "w", encoding="utf-8") as file:
            file.write(f"{cursor}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, self._path)
