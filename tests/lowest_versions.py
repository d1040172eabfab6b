"""Print the lowest admitted version of every dependency, one a line, as constraints for pip.

``make test-lowest`` installs these and runs the tests with them. There is no second list: they are
those of pyproject.toml, of all extras.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
# A name, perhaps with extras, and the lowest version.
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)(?:,.*)?")


def lowest(pyproject: Path = PYPROJECT) -> dict[str, str]:
    """Return the lowest admitted version of every dependency, by name."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = [r for each in project["optional-dependencies"].values() for r in each]
    found = {}
    for requirement in [*project["dependencies"], *extras]:
        if requirement.startswith(f"{project['name']}["):  # all extras together
            continue
        known = _REQUIREMENT.fullmatch(requirement)
        if known is None:
            sys.exit(f"a dependency must name its lowest version; found {requirement!r}.")
        found[known[1]] = known[2]
    return found


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in lowest().items()))
