"""What is packed into a workbook is looked at before anybody opens it: a bomb is small outside."""

from __future__ import annotations

import io
import zipfile
import zlib

from welfarist.base.errors import InputError

# Bytes that a workbook may hold; ten megabytes of a true one hold fewer.
MOST_UNPACKED = 100 << 20
_MOST_PARTS = 1_000
_PIECE = 1 << 16
_WORKBOOKS = (".xlsx", ".xls")


def refuse_bomb(data: bytes, name: str) -> None:
    """Refuse an archive that holds more than a table may, whatever it says of itself.

    Parameters
    ----------
    data : bytes
    name : str
        What messages call the file.
    """
    if not name.lower().endswith(_WORKBOOKS) or not zipfile.is_zipfile(io.BytesIO(data)):
        return  # nobody unpacks it
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            said = sum(part.file_size for part in parts)
            if len(parts) > _MOST_PARTS or said > MOST_UNPACKED or _truly(archive) > MOST_UNPACKED:
                raise InputError(
                    f"{name}: what is packed into it must have {MOST_UNPACKED >> 20} megabytes in "
                    f"{_MOST_PARTS:,} parts at most; found more. Save the sheet as CSV UTF-8."
                )
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError):
        raise InputError(
            f"{name}: must be a workbook; found an archive that cannot be unpacked. Save the sheet "
            "as CSV UTF-8."
        ) from None


def _truly(archive: zipfile.ZipFile) -> int:
    """How many bytes come out, counted up to one too many: what an archive says may be wrong."""
    total = 0
    for part in archive.infolist():
        part.file_size = 2 * MOST_UNPACKED  # or reading would end where the archive says it does
        with archive.open(part) as opened:
            while piece := opened.read(_PIECE):
                total += len(piece)
                if total > MOST_UNPACKED:
                    return total
    return total
