"""Write the golden record: ``python -m tests.golden``.

Only after a change that is meant to change digits; the difference is then part of the review.
"""

from __future__ import annotations

import json
import sys

from tests.golden import RECORD
from tests.golden.cases import CASES
from tests.golden.commands import COMMANDS, answers_of
from tests.golden.data import REAL
from tests.golden.machine import fingerprint
from tests.golden.record import record_of


def main():
    """Fit every case, run every command, and write what they say."""
    if any(case.missing for case in CASES.values()):
        sys.exit(f"No folder of real data at {REAL}: set WELFARIST_DATA to one.")
    found = {name: record_of(case) for name, case in CASES.items()}
    found |= {f"$ {name}": answers_of(commands) for name, commands in COMMANDS.items()}
    record = {"machine": fingerprint(), "cases": found}
    text = json.dumps(record, allow_nan=False, ensure_ascii=False, indent=1, sort_keys=True)
    RECORD.write_text(text + "\n", encoding="utf-8")
    print(f"{RECORD}: {len(found)} cases")


if __name__ == "__main__":
    main()
