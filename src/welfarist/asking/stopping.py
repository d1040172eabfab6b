"""When to stop asking, and about how many questions are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# How fast certainty about the best action grows is not known before so many questions.
_EARLY = 3
# While the best question tells so many bits, everything is still new. Then answers times bits stay
# about the same: 1.8 for each person, as was seen with 2 to 10 of them and tau from 5 to 1,000.
# Among actions that are alike even the first question tells fewer: then it is that share of this,
# until there were as many answers as there are people.
_NEW, _A_PERSON = 0.5, 1.8
# The slowest growth that is expected of it, in logarithms of what is left of doubt.
_SLOWEST = 0.05


@dataclass(frozen=True)
class StopRule:
    """When enough is known.

    Attributes
    ----------
    bits : float
        Stop when the best question is expected to tell less than this.
    sure : float
        Stop when the best action is known with this probability, where it is looked for.
    most : int
        Stop after so many questions.
    """

    bits: float
    sure: float
    most: int

    def reason(self, asked: int, bits: float | None, best: float | None, skipped: int = 0) -> str:
        """Return why to stop; nothing if there is no reason to.

        Parameters
        ----------
        asked : int
            How many questions were put, skipped ones among them.
        bits : float or None
            What the best question is expected to tell; None if there is none left.
        best : float or None
            How likely the action that is likeliest to be the best is to be the best.
        skipped : int
            How many of the questions were skipped.
        """
        if best is not None and best >= self.sure:
            return f"the best action is known with probability {best:.2f}"
        if bits is None:
            return "there is no question left that was not asked"
        if bits < self.bits:
            return f"another answer is expected to tell {bits:.2f} bits, which is little"
        if asked >= self.most:
            return _most_were_put(asked, skipped)
        return ""

    def about_more(
        self, asked: int, bits: float, best: float | None, people: int, skipped: int = 0
    ) -> int:
        """Return about how many more questions it takes; for the rest see :meth:`reason`.

        What a question tells falls with the number of questions before it, once everybody was asked
        about, as in regular problems the variance of an estimate does; doubt about the best action
        falls by a factor each time.

        Parameters
        ----------
        asked, bits, best, skipped
            As for :meth:`reason`.
        people : int
            How many people the actions are about.
        """
        left, seen = self.most - asked, asked - skipped
        product = max(seen * bits, _A_PERSON * people * _new(seen, bits, people))
        found = [int(np.ceil(product / self.bits - seen))]
        seen = max(seen, _EARLY)
        if best is not None:
            doubt, wanted = -np.log(max(1.0 - best, 1e-6)), -np.log(1.0 - min(self.sure, 1 - 1e-6))
            pace = max(doubt / seen, _SLOWEST)
            found.append(int(np.ceil((wanted - doubt) / pace)))
        return max(min(left, *found), 0) if left > 0 else 0


def _new(seen: int, bits: float, people: int) -> float:
    """Return how new everything is, from 0 to 1; all the more while nobody was asked about some."""
    if bits >= _NEW:
        return 1.0
    return bits / _NEW if seen < people else 0.0


def _most_were_put(asked: int, skipped: int) -> str:
    """That there were as many questions as there should be; those skipped are no answers."""
    if not skipped:
        return f"{asked} questions were answered, the most there should be"
    return f"{asked} questions were put, the most there should be; {skipped} of them were skipped"
