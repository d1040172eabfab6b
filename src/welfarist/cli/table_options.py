"""How a table of actions is to be read: options that many commands share, and take as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from welfarist.cli import options as opt

if TYPE_CHECKING:
    from welfarist.app.decisions import TableOptions

    Table = TableOptions
else:  # it takes a second to import, and no page of help needs it
    Table = object

# The options in the order of the help page, as TableOptions call them.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "name": (opt.Name, None),
    "numbered": (opt.Numbered, False),
    "stakeholders": (opt.Stakeholders, None),
    "ignore": (opt.Ignore, None),
    "separator": (opt.Separator, None),
    "decimal": (opt.Decimal, None),
    "sheet": (opt.Sheet, None),
    "encoding": (opt.Encoding, None),
    "drop_missing": (opt.DropMissing, False),
}


def of_a_table(without: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a table in the place of its parameter ``table``.

    Parameters
    ----------
    without : str, optional
        An option that says nothing to this command.
    """
    told = {name: option for name, option in _OPTIONS.items() if name != without}

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(*args: Any, **options: Any) -> None:
            from welfarist.app.decisions import TableOptions

            table = TableOptions(**{name: options.pop(name) for name in told})
            command(*args, table=table, **options)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            if parameter.name == "table":
                parameters += [
                    inspect.Parameter(name, parameter.kind, annotation=option, default=default)
                    for name, (option, default) in told.items()
                ]
            else:
                parameters.append(parameter)
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        return run

    return with_options
