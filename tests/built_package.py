"""Run by `make test`: build the package as it is published, and look into what was built.

The source distribution and the wheel go to build/dist; the wheel is built from the source
distribution, as whoever installs that does. `plain_install.py` uses it.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build" / "dist"

# The whole job from what is in the wheel, in an environment that has all extras.
JOB = """
import sys, welfarist, welfarist.cli
assert welfarist.__file__.startswith(sys.argv[1]), welfarist.__file__
sys.argv = ["welfarist", "demo", "--report", "report.html", "--json"]
welfarist.cli.main()
"""


def main() -> None:
    """Build, look, and run the main job from what was built."""
    for old in BUILT.glob("welfarist-*"):
        old.unlink()
    source = _built("sdist", ROOT)
    with tempfile.TemporaryDirectory() as folder, tarfile.open(source) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **safely)
        (unpacked,) = Path(folder).iterdir()
        _check_source(unpacked)
        wheel = _built("wheel", unpacked)
    _check_wheel(wheel)
    _run(wheel)
    print(f"built {source.name} and {wheel.name}")


def _built(kind: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(BUILT)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the {kind} cannot be built: {done.stderr}")
    (made,) = BUILT.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def _check_source(unpacked: Path) -> None:
    """Whoever has the source distribution can run the tests."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = told["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    missing = [name for name in wanted if not (unpacked / name).exists()]
    if missing:
        sys.exit(f"the source distribution lacks {', '.join(missing)}")


def _check_wheel(wheel: Path) -> None:
    """All modules, the mark of types and the licence are there, and nothing else."""
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "welfarist").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(archive.read(metadata).decode())
    rest = {name.split("/", 1)[1] for name in names if ".dist-info/" in name}
    expected = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    found = {name for name in names if ".dist-info/" not in name}
    if found != package or rest != expected:
        sys.exit(f"the wheel must hold the package; found {sorted(found ^ package)}, {rest}")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {line.partition(";")[0].strip() for line in told.get_all("Requires-Dist", [])}
    wanted = set(project["dependencies"]) | set(project["optional-dependencies"]["cli"])
    if told["Version"] != project["version"] or not wanted <= required:
        sys.exit("the wheel's metadata are not those of pyproject.toml")


def _run(wheel: Path) -> None:
    """The main job, from the files of the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        inside = os.path.join(os.path.realpath(folder), "wheel")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(inside)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", JOB, inside], cwd=folder, text=True,
            env={**os.environ, "PYTHONPATH": inside}, capture_output=True, check=False,
        )  # fmt: skip
        page = Path(folder) / "report.html"
        if done.returncode or done.stderr or not page.exists():
            sys.exit(f"the main job does not run from the wheel: {done.stderr}")


if __name__ == "__main__":
    main()
