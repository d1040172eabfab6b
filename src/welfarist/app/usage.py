"""What is wrong with what was asked for: the messages that every asker puts in their own words."""

from welfarist.base.asking import Called, RequestError, UsageError

__all__ = ["Called", "RequestError", "UsageError"]
