"""Run by `make test` in an environment that has the required dependencies and no extra.

Given the interpreter of an environment that has all extras, it also compares digits.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

EXTRAS = ("typer", "rich", "polars", "matplotlib", "numba", "pandas", "hypothesis", "django")
# What digits may depend on.
DEPENDENCIES = ("numpy", "scipy", "scikit-learn", "daqp")


def main() -> None:
    """Use the package as somebody would who typed nothing but `pip install`."""
    if "--digits" in sys.argv:
        print(json.dumps(digits()))
        return
    present = [name for name in EXTRAS if importlib.util.find_spec(name)]
    if present:
        sys.exit(f"this environment is not plain: it has {', '.join(present)}")
    other = [os.path.abspath(path) for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        what_works()
        what_says_what_to_install()
        for python in other:
            same_digits(python)
        os.chdir(os.path.dirname(sys.executable))
    print("works without extras")


def what_works() -> None:
    """Rules, learning, inference, tables, models, reports without figures, simulation, bounds."""
    import welfarist as wf

    rule = wf.WelfareFunction(p=0, stakeholders=["a", "b"])
    if rule.rank([[1.0, 4.0], [3.0, 3.0]]).tolist() != [1, 0]:
        sys.exit("the plain install gives a wrong answer")
    from welfarist.app.demo import charity, past_decisions

    est = wf.ComparisonClassifier(groups=charity().group_of).fit(past_decisions())
    low, high = est.result_.interval("p")
    if not (est.converged_ and low < charity().p < high):
        sys.exit("the plain install learns a wrong rule")
    wf.save_model(est, "model.json")
    if wf.load_model("model.json").welfare != est.welfare_:
        sys.exit("the plain install saves another model")
    summary = est.result_.summary()
    if not all(f"{est.p_:.4f}" in text for text in (str(summary), summary.as_html())):
        sys.exit("the plain install prints something else")
    est.result_.report("report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    if "the package matplotlib is not installed" not in page or "<img" in page:
        sys.exit("a report without matplotlib must say so, and have no figures")
    if not wf.bounds.samples_needed("comparisons", error=0.1, d=2, weights="known") > 0:
        sys.exit("the plain install knows no bounds")


def what_says_what_to_install() -> None:
    """Everything that needs an extra names it."""
    import numpy as np

    import welfarist as wf
    from welfarist import files

    utilities = np.random.default_rng(0).uniform(1, 9, (20, 2))
    fitted = wf.WelfareRegressor().fit(utilities, utilities.mean(axis=1) + utilities[:, 0] % 0.1)
    asked: dict[str, Callable[[], object]] = {
        "welfarist[plots]": lambda: wf.plots.weights(fitted),
        "welfarist[cli]": lambda: files.read_actions("actions.csv"),
        "pandas": fitted.result_.summary().to_frame,
        "welfarist[fast]": lambda: wf.ComparisonClassifier(
            noise="none", solver=wf.Exact(kernel="compiled"), p=None, weights="equal"
        ).fit(wf.Comparisons(utilities, [[0, 1]], [1])),
    }
    for extra, work in asked.items():
        try:
            work()
        except wf.WelfaristError as told:
            if extra not in str(told):
                sys.exit(f"the message must name {extra}; found: {told}")
        else:
            sys.exit(f"what needs {extra} works without it")
    script = shutil.which("welfarist", path=os.path.dirname(sys.executable))
    if script is None:
        sys.exit("there is no command welfarist")
    for command in ([script], [sys.executable, "-m", "welfarist"]):
        done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=False)
        if done.returncode != 1 or 'pip install "welfarist[cli]"' not in done.stderr:
            sys.exit("the command line does not say what to install")


def digits() -> dict[str, list[float]]:
    """What is learned, digit for digit, where compiled kernels take part and where they do not."""
    import warnings

    import welfarist as wf

    world = wf.simulate.individuals(40, 3, p=-0.5, random_state=1)
    pairs = wf.simulate.random_pairs(40, 150, random_state=1)
    noisy = wf.simulate.comparisons(world, pairs, tau=10, random_state=1)
    exact = wf.simulate.comparisons(world, pairs)
    scores = wf.simulate.scores(world, nu=0.05, random_state=1)
    found: dict[str, list[float]] = {name: [] for name in ("logistic", "none", "flip", "scores")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = {
            "logistic": wf.ComparisonClassifier().fit(noisy),
            "none": wf.ComparisonClassifier(noise="none", weights="equal").fit(exact),
            "flip": wf.ComparisonClassifier(noise="flip", weights="equal", rho=0.1).fit(noisy),
            "scores": wf.WelfareRegressor().fit(world.utilities, scores),
        }
    for name, fitted in fits.items():
        found[name] = [fitted.p_, fitted.loss_, *fitted.weights_.tolist()]
        if fitted.result_.exact is not None:
            found[name] += [end for i in fitted.result_.exact.intervals for end in (i.low, i.high)]
    found["versions"] = [version(name) for name in DEPENDENCIES]  # type: ignore[misc]
    return found


def same_digits(other: str) -> None:
    """Compare digits with those of an environment that has all extras."""
    command = [other, os.path.abspath(__file__), "--digits"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"digits cannot be compared: {done.stderr}")
    theirs, ours = json.loads(done.stdout), json.loads(json.dumps(digits()))
    if theirs.pop("versions") != ours.pop("versions"):
        print("digits are not compared, as dependencies have other versions: make clean")
    elif theirs != ours:
        sys.exit(f"digits must not depend on extras; found {ours} and with them {theirs}")


if __name__ == "__main__":
    main()
