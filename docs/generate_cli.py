"""Write the reference of the commands from the commands themselves.

Run ``python docs/generate_cli.py`` after a change to a command, an argument or an option; a test
fails until the page says what the commands say.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from typer.main import get_command

from welfarist.cli.help_pages import REST, panels_of

PAGE = Path(__file__).parent / "reference" / "cli.md"

HEAD = """\
<!-- Made by docs/generate_cli.py from the commands' own help; change them, not this page. -->

# The command line
"""


def page(app: Any) -> str:
    """Return the Markdown page about a Typer application."""
    root = get_command(app)
    commands = list(_commands(root, "welfarist"))
    parts = [HEAD, _prose(root.help)]
    if root.params:
        parts.append(_options(root))
    index = "\n".join(
        f"| [`{name}`](#{name.replace(' ', '-')}) | {_first_sentence(command.help)} |"
        for name, command in commands
    )
    parts.append(f"| command | |\n| --- | --- |\n{index}\n")
    parts.extend(_section(name, command) for name, command in commands)
    return "\n".join(parts)


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every command that is not hidden, with its full name."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    places = " ".join(_place(argument) for argument in arguments)
    usage = f"{name} [OPTIONS] {places}".rstrip()
    parts = [f"## {name}\n", _prose(command.help), f"```text\n{usage}\n```\n"]
    if arguments:
        rows = [(f"`{_word(a)}`", _cell(a.help)) for a in arguments]
        parts.append(_table(("argument", "meaning"), rows))
    parts.append(_options(command))
    if command.epilog:
        parts.append(_prose(_example(command.epilog)))
    return "\n".join(parts)


def _options(command: Any) -> str:
    """Tables of the options, one a panel of the help."""
    shown = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    words = _choices(command)
    parts = {
        panel: [(_flags(o, words.get(o.name)), _cell(o.help), _default(o)) for o in members]
        for panel, members in panels_of(shown).items()
    }
    parts.setdefault(REST, []).append(("`--help, -h`", "Show the help and stop.", ""))
    head = ("meaning", "if left out")
    return "\n".join(
        _table(("option" if panel == REST else panel.lower(), *head), rows)
        for panel, rows in parts.items()
    )


def _flags(option: Any, choices: str | None) -> str:
    flags = ", ".join(sorted(option.opts, key=len, reverse=True))
    flags = " / ".join([flags, *option.secondary_opts])
    word = option.metavar or choices or _word(option)
    return f"`{flags}`" if option.is_flag else f"`{flags} {word}`"


def _choices(command: Any) -> dict[str, str]:
    """What may be given for each parameter that takes one of several words."""
    function = inspect.unwrap(command.callback) if command.callback else None
    hints = get_type_hints(function) if function else {}
    found = {name: _words(hint) for name, hint in hints.items()}
    return {name: "\\|".join(words) for name, words in found.items() if words}


def _words(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return [str(word) for word in get_args(hint)]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [str(member.value) for member in hint]
    return [word for part in get_args(hint) for word in _words(part)]


def _word(parameter: Any) -> str:
    """What stands for the value: its own word if it has one, else the parameter's name."""
    return str(parameter.metavar or parameter.name.upper()).strip("[]")


def _place(argument: Any) -> str:
    word = _word(argument) + ("..." if argument.nargs != 1 else "")
    return word if argument.required else f"[{word}]"


def _default(option: Any) -> str:
    if option.default is None or option.default is False or callable(option.default):
        return ""
    if option.is_flag:
        return f"`{option.opts[0]}`"
    return f"`{getattr(option.default, 'value', option.default)}`"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _first_sentence(text: str | None) -> str:
    return _cell((text or "").split("\n\n")[0])


def _prose(text: str | None) -> str:
    """Return help text as Markdown: paragraphs, and as code what a backspace keeps as it is."""
    blocks = [block for block in (text or "").replace("\f", "").split("\n\n") if block.strip()]
    return "\n\n".join(_block(block) for block in blocks) + "\n"


def _example(epilog: str) -> str:
    """Keep the command of an example as it is."""
    said, colon, command = epilog.partition("Example: ")
    return f"{said}Example:\n\n\b\n{command}" if colon else epilog


def _block(block: str) -> str:
    lines = block.strip("\n").splitlines()
    if lines[0].strip() == "\b":
        return "```text\n" + "\n".join(lines[1:]) + "\n```"
    return "\n".join(line.strip() for line in lines)


def main() -> None:
    """Write the page."""
    from welfarist.cli.app import app

    PAGE.write_text(page(app), encoding="utf-8")


if __name__ == "__main__":
    main()
