"""The documentation: complete, true, in one piece, and readable without a network."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

import welfarist as wf

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ROOMS = {
    "welfarist": wf,
    "welfarist.bounds": wf.bounds,
    "welfarist.families": wf.families,
    "welfarist.noise": wf.noise,
    "welfarist.plots": wf.plots,
    "welfarist.simulate": wf.simulate,
}

FENCE = re.compile(r"^(```+)(.*?)\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
TABLE = re.compile(r"\]\(([^)\s]+\.csv)\)")
DESCRIBED = re.compile(r"^\.\. (?:auto\w+|py:data|py:module):: ([\w.]+)", re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return [code for _, info, code in FENCE.findall(page.read_text()) if info.strip() == language]


# --- complete ---


def described() -> set[str]:
    return set().union(*(DESCRIBED.findall(page.read_text()) for page in PAGES))


@pytest.mark.parametrize("room", ROOMS)
def test_every_export_is_in_the_reference(room):
    exports = {f"{room}.{name}" for name in ROOMS[room].__all__}
    assert exports <= described()


def test_the_reference_describes_what_exists():
    for name in described():
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), attribute), name


def test_the_commands_reference_is_up_to_date():
    from welfarist.cli.app import app

    sys.path.insert(0, str(DOCS))
    try:
        import generate_cli
    finally:
        sys.path.remove(str(DOCS))
    written = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert written == generate_cli.page(app), "run: python docs/generate_cli.py"


def test_every_command_and_option_says_what_it_does():
    from typer.main import get_command

    from welfarist.cli.app import app

    text = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    commands = get_command(app).commands
    assert commands
    for name, command in commands.items():
        assert f"## welfarist {name}\n" in text
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name}"
            if parameter.param_type_name == "option":
                assert all(flag in text for flag in parameter.opts), f"{name}: {parameter.opts}"


# --- true ---


def test_examples_are_collected():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert {"docs", "README.md"} <= set(options["testpaths"])


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name_of)
def test_python_is_written_so_that_it_is_run(page):
    for code in blocks(page, "python"):
        assert code.startswith(">>> "), code
        assert code.endswith("\n\n"), "an empty line must end it, or the fence is taken for output"


def sessions() -> list[Path]:
    return [page for page in [ROOT / "README.md", *PAGES] if blocks(page, "console")]


@pytest.mark.parametrize("page", sessions(), ids=name_of)
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from welfarist.cli.app import app

    monkeypatch.chdir(tmp_path)
    for file in TABLE.findall(page.read_text()):
        shutil.copy(page.parent / file, tmp_path)
    for session in blocks(page, "console"):
        for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            line, _, shown = step.replace("\\\n", "").partition("\n")
            program, *arguments = shlex.split(line, comments=True)
            assert program == "welfarist", f"{line}: only commands of the package are run"
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, f"{line}\n{done.output}"
            same = doctest.OutputChecker().check_output(shown, done.stdout, OPTIONS)
            assert same or not shown.strip(), f"{line}\n{done.stdout}"


# --- in one piece ---


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *PAGES], ids=name_of)
def test_links_and_pictures_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))
    for link in LINK.findall(text):
        if not link.startswith(("http:", "https:", "mailto:", "#")):
            assert (page.parent / link.partition("#")[0]).exists(), link


def entries(page: Path) -> list[Path]:
    """The pages that a page's tables of contents name."""
    named = [
        line.strip()
        for toctree in blocks(page, "{toctree}")
        for line in toctree.splitlines()
        if line.strip() and not line.startswith(":")
    ]
    return [(page.parent / f"{name}.md").resolve() for name in named]


def test_every_page_can_be_reached_from_the_first():
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting.extend(entries(page))
    assert reached == set(PAGES)


# --- readable without a network ---


class Loads(HTMLParser):
    """Collect what a browser fetches by itself to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed"):
            self.addresses.append(given.get("src") or "")
        if tag == "link" and given.get("rel") not in ("canonical", "search", "next", "prev"):
            self.addresses.append(given.get("href") or "")
        if tag == "object":
            self.addresses.append(given.get("data") or "")


def loads(page: Path) -> list[str]:
    if page.suffix == ".css":
        return re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", page.read_text())
    parser = Loads()
    parser.feed(page.read_text())
    return parser.addresses


def test_the_check_for_outside_loads_finds_them(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        '<script src="https://x/y.js"></script><link rel="stylesheet" href="//x/z.css">'
    )
    assert [a for a in loads(page) if is_outside(a)] == ["https://x/y.js", "//x/z.css"]
    sheet = tmp_path / "sheet.css"
    sheet.write_text('@import "https://x/font.css"; p { background: url(https://x/y.png) }')
    assert len([a for a in loads(sheet) if is_outside(a)]) == 2


def is_outside(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


def test_the_site_builds_without_warnings_and_loads_nothing_from_outside(tmp_path):
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-b", "html"]
    site = tmp_path / "site"
    done = subprocess.run(
        [*command, "-d", str(tmp_path / "doctrees"), str(DOCS), str(site)],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    # The theme keeps templates of its own, which nobody opens, beside its style sheets.
    pages = [page for page in site.rglob("*.html") if "_static" not in page.parts]
    assert len(pages) > len(PAGES)
    shown = [*pages, *site.rglob("*.css")]
    assert not {(page.name, a) for page in shown for a in loads(page) if is_outside(a)}
    missing = {(page.name, a) for page in pages for a in loads(page) if not is_there(page, a)}
    assert not missing


def is_there(page: Path, address: str) -> bool:
    """Whether what a page loads is a file of the site, or part of the page itself."""
    is_inside = address.startswith(("data:", "#")) or not address
    return is_inside or (page.parent / address.partition("?")[0]).exists()
