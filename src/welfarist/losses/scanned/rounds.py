"""Rounds over everything: who makes them, how far they have come, and which are done already."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from welfarist.base.engines import Engine, Threads
from welfarist.base.progress import Progress
from welfarist.decisions.scanned.decisions import ScannedDecisions
from welfarist.losses.scanned.answers import Answer, Question
from welfarist.losses.scanned.finished import Finished

# Answers that are kept in memory, the last ones: that of the optimum is asked for again.
_KEPT = 16


class Rounds:
    """Passes over decisions in files.

    Parameters
    ----------
    decided : ScannedDecisions
    engine : Engine
        Who does the work.
    progress : Progress
    finished : Finished, optional
        Where finished rounds are written down.
    """

    def __init__(
        self,
        decided: ScannedDecisions,
        engine: Engine,
        progress: Progress,
        finished: Finished | None = None,
    ) -> None:
        self.decided, self.engine, self.progress = decided, engine, progress
        self.made = 0
        self._finished = finished
        self._known: OrderedDict[str, Answer] = OrderedDict()

    def ask(self, question: Question) -> Answer:
        """Return the sums over all parts; a question that was asked before costs nothing."""
        key = question.key()
        known = self._known.get(key)
        if known is None and self._finished is not None:
            known = self._finished.answers.get(key)
        if known is None:
            known = self._pass_over(question)
            if self._finished is not None:
                self._finished.add(key, known)
        self._known[key] = known
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known

    def _pass_over(self, question: Question) -> Answer:
        parts = self.decided.files.parts
        found = self.engine.in_order(question, parts)
        shown = self.progress.track(found, len(parts), f"Round {self.made + 1} of 3 to 5")
        answer = Answer.total(shown)
        self.made += 1
        return answer

    def __getstate__(self) -> dict[str, Any]:
        # A cluster does not travel, and whoever reads a pickle waits for no bar.
        return {
            **vars(self), "engine": Threads(), "progress": Progress(False), "_finished": None,
        }  # fmt: skip
