"""What the records of types and of populations have in common."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from welfarist.base.front_door import public
from welfarist.deciders.candidates import Candidate
from welfarist.deciders.panel import Panel


class DecidersRecord:
    """What was learned of several decision makers, whichever way they differ."""

    if TYPE_CHECKING:  # a record of a population has them as they are, one of types works them out

        @property
        def panel(self) -> Panel:
            """The decisions, under the rules that were asked for."""

        @property
        def best(self) -> Candidate:
            """What was learned, as one of the ways to describe how people differ."""

    @property
    def names(self) -> tuple[str, ...]:
        """The decision makers."""
        return tuple(str(name) for name in self.panel.names.tolist())

    @property
    def stakeholders(self) -> tuple[str, ...]:
        """The people who are affected."""
        return self.panel.setup.people

    @property
    def decisions(self) -> float:
        """How many decisions there are."""
        return self.panel.total

    @property
    def log_likelihood(self) -> float:
        """Of everybody's decisions."""
        return self.best.log_likelihood

    @property
    def bic(self) -> float:
        """Bayes' information criterion, whose observations are decision makers."""
        return self.best.bic

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return self.best.aic

    @property
    def converged(self) -> bool:
        """Whether the search ended where no step was left."""
        return self.best.converged

    def report(
        self, path: str | os.PathLike[str], title: str | None = None, **options: Any
    ) -> None:
        """Write a report for readers who know nothing of the method, as one HTML file.

        Parameters
        ----------
        path : str or path
            Where to write; an old file is replaced.
        title : str, optional
            The heading.
        options
            As in :func:`welfarist.write_report`.
        """
        public("write_report")(self, path, title=title, **options)
