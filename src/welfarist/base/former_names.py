"""Modules that had other names in version 0.1.0: pickles, and imports, still find them.

A pickle names the module of every class in it. Where a module was only moved, its old name stands
for the new one. Classes that are no more have stand-ins that know what became of them, see
`welfarist.results.version_0_1`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:  # every start of the package comes by here: nothing that is not needed
    from collections.abc import Sequence
    from types import ModuleType

_PACKAGE = "welfarist."
_NOW = {
    "caveats": "results.caveats",
    "certificates": "proofs.certificate",
    "crossings": "counting.crossings",
    "derivatives": "families.power_mean.derivatives",
    "doctrines": "families.power_mean.doctrines",
    "errors": "base.errors",
    "exact": "counting.findings",
    "fit": "results.record",
    "flips": "counting.flips",
    "goodness": "checks",
    "inference.fitted": "results.version_0_1",
    "inference.results": "results.record",
    "labels": "decisions.labels",
    "losses.base": "results.version_0_1",
    "losses.comparisons": "results.version_0_1",
    "losses.scores": "results.version_0_1",
    "losses.zero_one": "counting.zero_one",
    "merged_pairs": "decisions.merged_pairs",
    "models": "results.saved_models",
    "plots": "show.plots",
    "report": "show.report",
    "side_by_side": "comparing.side_by_side",
    "solvers.consistent": "counting.consistent",
    "solvers.exact": "counting.exact_solver",
    "solvers.fewest_errors": "counting.fewest_errors",
    "solvers.fitting": "solvers.newton",
    "solvers.grid": "paper.grid",
    "solvers.two_stage": "paper.two_stage",
    "steps": "counting.loss_steps",
    "summary": "results.summary",
    "tables": "base.data_frames",
    "validation": "base.validation",
    "weighting": "people.weighting",
    "welfare": "families.rule",
}


class FormerNames:
    """Finds a module under the name it had, or a module inside a folder that was renamed.

    It is what Python calls a finder and a loader, without their base classes: these would be a
    tenth of what it takes to start.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return where a module is now; None if it has always had this name."""
        del path, target
        return None if now(fullname) is None else ModuleSpec(fullname, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to Python to make a module, which is then replaced."""
        del spec
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Let the old name stand for the module itself, not for a copy of it."""
        name = now(module.__name__)
        assert name is not None
        sys.modules[module.__name__] = import_module(name)


def now(fullname: str) -> str | None:
    """Return the name that a module has now, if it had another.

    Examples
    --------
    >>> now("welfarist.goodness.misfit")
    'welfarist.checks.misfit'
    """
    if not fullname.startswith(_PACKAGE):
        return None
    inner = fullname.removeprefix(_PACKAGE)
    for old in (inner, inner.rpartition(".")[0]):
        if old in _NOW:
            return f"{_PACKAGE}{_NOW[old]}{inner.removeprefix(old)}"
    return None


def install() -> None:
    """Look for former names first: inside a folder that was renamed, Python would find copies."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, FormerNames())
