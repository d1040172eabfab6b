"""Where a measurement of speed is written."""

from benchmarks.__main__ import ROOT, written_to


def test_results_go_into_a_clone_only_if_the_run_was_started_there(tmp_path):
    assert written_to(False, ROOT) == ROOT / "docs"
    assert written_to(True, ROOT / "docs") == ROOT / "build" / "benchmarks"
    assert written_to(False, tmp_path) == tmp_path
