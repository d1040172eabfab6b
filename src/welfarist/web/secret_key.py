"""The secret key: made once, in a file that its owner alone can read."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from welfarist.base.errors import InputError

_LEAST = 50  # letters
_BYTES = 64


def secret_key(file: Path) -> str:
    """Return the key in a file, which is made if there is none."""
    try:
        if not file.exists():
            _make(file)
        key = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(
            f"{file}: the secret key can be neither read nor made ({type(problem).__name__}). "
            "Check who may read and write there."
        ) from None
    if len(key) < _LEAST:
        raise InputError(
            f"{file}: a secret key must have {_LEAST} letters or more; found {len(key)}. Remove "
            "the file, and a new one is made; everybody will have to log in again."
        )
    return key


def _make(file: Path) -> None:
    """Write a new key; of several processes that do so at once, the first one's holds."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=".secret-key-", dir=file.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(secrets.token_urlsafe(_BYTES) + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        try:
            os.link(made, file)
        except FileExistsError:
            pass
        except OSError:  # a disk without links
            os.replace(made, file)
    finally:
        Path(made).unlink(missing_ok=True)
