"""JSON is what the standard library writes, but for infinities."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from welfarist.base.exports import strict
from welfarist.base.json_text import json_text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.integers(0, 4), st.booleans())
def test_it_is_what_the_standard_library_writes(value, indent, ascii_only):
    expected = json.dumps(strict(value), allow_nan=False, ensure_ascii=ascii_only, indent=indent)
    assert json_text(value, indent=indent, ascii_only=ascii_only) == expected


def test_keys_and_values_that_are_no_texts():
    value = {1: 2, None: 3, False: 4, 0.5: range(3)}
    assert json.loads(json_text(value)) == {"1": 2, "null": 3, "false": 4, "0.5": [0, 1, 2]}
    with pytest.raises(TypeError, match="holds no set"):
        json_text({1, 2})
    with pytest.raises(ValueError, match="NaN"):
        json_text([math.nan])
