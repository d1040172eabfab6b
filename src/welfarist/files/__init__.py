"""Files that are written whole or not at all."""

from welfarist.files.writing import write_whole

__all__ = ["write_whole"]
