"""The fewest wrong choices from menus: a menu is one error, however many of its pairs are wrong."""

from welfarist.counting.menus.errors import MenuErrors

__all__ = ["MenuErrors"]
