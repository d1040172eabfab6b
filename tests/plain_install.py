"""Run by `make test` in an environment that has the required dependencies and no extra."""

import importlib.util
import subprocess
import sys
import tempfile

EXTRAS = ("typer", "rich", "polars", "matplotlib", "numba", "pandas", "hypothesis")


def main() -> None:
    """Use the package as somebody would who typed nothing but `pip install`."""
    present = [name for name in EXTRAS if importlib.util.find_spec(name)]
    if present:
        sys.exit(f"this environment is not plain: it has {', '.join(present)}")
    import welfarist as wf

    rule = wf.WelfareFunction(p=0, stakeholders=["a", "b"])
    if rule.rank([[1.0, 4.0], [3.0, 3.0]]).tolist() != [1, 0]:
        sys.exit("the plain install gives a wrong answer")
    from welfarist.app.demo import charity, past_decisions

    est = wf.ComparisonClassifier(groups=charity().group_of).fit(past_decisions())
    low, high = est.result_.interval("p")
    if not (est.converged_ and low < charity().p < high):
        sys.exit("the plain install learns a wrong rule")
    with tempfile.TemporaryDirectory() as folder:
        wf.save_model(est, f"{folder}/model.json")
        if wf.load_model(f"{folder}/model.json").welfare != est.welfare_:
            sys.exit("the plain install saves another model")
        command = [sys.executable, "-c", "from welfarist.cli import main; main()"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 1 or 'pip install "welfarist[cli]"' not in done.stderr:
        sys.exit("the command line does not say what to install")
    print("works without extras")


if __name__ == "__main__":
    main()
