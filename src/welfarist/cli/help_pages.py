"""Pages of help: options in named panels, and commands that are built when they are asked for.

Whoever asks for help, or runs one command, does not wait until all the others are ready.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup

# Mistakes in a command line; which library has them depends on the version of typer.
_Mistake: Any = BadParameter.__bases__[0]

# Which options stand together, and in which order, the most used first. A command shows those it
# has; a test says if an option has no place.
PANELS: dict[str, tuple[str, ...]] = {
    "Who is sketched": ("counts", "columns", "utility"),
    "Where pages are": ("data", "port", "host", "demo"),
    "What is known of answers": ("anchor", "alone"),
    "What is asked": ("aim", "designed", "max", "sure", "check_every"),
    "The budget": (
        "budget", "cost", "baseline", "whole", "boards", "gap", "seconds", "satisfaction",
        "voter_groups",
    ),
    "What was decided": (
        "comparisons", "choices", "score", "wide", "long", "outside", "absent", "by", "count",
        "tie",
    ),
    "Several decision makers": (
        "deciders", "each", "types", "spread", "covariates", "test_same", "individuals", "nodes",
        "population",
    ),
    "What is compared": ("doctrines", "families", "learn", "logit", "folds"),
    "What is run": (
        "quick", "only", "d", "tau", "nu", "repetitions", "method_repetitions", "fresh",
    ),
    "What is simulated": (
        "people", "regions", "actions", "decisions", "ask", "questions", "task", "charity",
        "scores", "answers", "menus", "menu_size", "places", "repetitions",
    ),
    "What to write": (
        "out", "report", "save", "table", "json", "latex", "shift_table", "top", "title", "note",
        "unit", "date", "draws", "why", "against", "questions", "allow_unconverged", "format", "to",
        "force",
    ),
    "The rule": (
        "model", "doctrine", "family", "p", "weights", "groups", "attributes", "heads", "prior",
        "scale", "shift", "who", "known_weights",
    ),
    "How sure": (
        "level", "best", "method", "covariance", "intervals", "error", "delta", "accuracy",
    ),
    "The noise": (
        "noise", "margin", "rho", "tau", "nu", "tau_max", "small_sample", "tau_by_stage",
        "size_effect",
    ),
    "The search": (
        "solver", "effort", "starts", "max_iter", "tol", "seed", "jobs", "dask", "resume",
    ),
    "How files are laid out": (
        "name", "stakeholders", "ignore", "numbered", "preferred", "other", "first", "second",
        "choice", "first_label", "menu", "chosen", "action", "ranking", "menu_separator",
        "drop_missing", "drop_unknown", "separator", "decimal",
        "sheet", "encoding",
    ),
}  # fmt: skip
# Where an option stands that no panel knows, such as --help.
REST = "Other options"


def panels_of(options: list[Any]) -> dict[str, list[Any]]:
    """Return options by panel, in the order in which they are shown."""
    by_name = {option.name: option for option in options}
    found = {
        panel: [by_name.pop(name) for name in names if name in by_name]
        for panel, names in PANELS.items()
    }
    found[REST] = list(by_name.values())
    return {panel: members for panel, members in found.items() if members}


class PanelledCommand(TyperCommand):
    """A command whose help shows its options in panels, and whose mistakes say what to do."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take in what was typed; a refusal shows it."""
        try:
            return super().parse_args(ctx, args)
        except _Mistake as mistake:
            mistake.message = self._explained(mistake)
            raise

    def _explained(self, mistake: Any) -> str:
        """What is wrong, with the value that was typed, and where a second file belongs."""
        message = str(mistake.message)
        errors = getattr(mistake.__cause__, "errors", None)  # of the library that reads values
        if callable(errors):
            message = message.removeprefix("Value error, ")
            typed = repr(errors()[0]["input"])
            if typed in message:
                return message
            wanted = message.partition(", unable")[0].replace("Input should be", "must be")
            return f"{wanted}; found {typed}."
        if "unexpected extra argument" in message and any(
            option.name == "comparisons" for option in self.params
        ):
            return f"{message}. A file of comparisons goes with its option: --comparisons FILE"
        return message

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a list of arguments, and one of options for each panel."""
        shown = [p for p in self.get_params(ctx) if p.get_help_record(ctx) is not None]
        arguments = [p for p in shown if p.param_type_name == "argument"]
        parts = {"Arguments": arguments, **panels_of([p for p in shown if p not in arguments])}
        for heading, members in parts.items():
            if members:
                with formatter.section(heading):
                    formatter.write_dl([member.get_help_record(ctx) for member in members])


class _Built(Mapping[str, Any]):
    """Commands by name, each built when it is first looked at."""

    def __init__(self, names: Mapping[str, str], build: Callable[[str], Any]) -> None:
        self._names, self._build = names, build
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def group_of(summaries: Mapping[str, str], build: Callable[[str], Any]) -> type[TyperGroup]:
    """Return the group of the commands whose summaries are given; `build` makes one by its name."""

    class Commands(TyperGroup):
        """Commands that are listed by what is known of them, and built one by one."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands = _Built(summaries, build)  # type: ignore[assignment]

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            """Write what each command does."""
            with formatter.section("Commands"):
                formatter.write_dl(list(summaries.items()))

    return Commands
