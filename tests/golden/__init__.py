"""The golden record: what the package says of many seeded decisions, digit for digit."""

from pathlib import Path

RECORD = Path(__file__).with_name("record.json")
