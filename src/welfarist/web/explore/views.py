"""Sliders for a rule, beside the actions in its order."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from welfarist.base.errors import WelfaristError
from welfarist.web.asking.putting import label_of
from welfarist.web.explore.ranked import BOARDS, ranked
from welfarist.web.explore.rule import HIGHEST, LOWEST, ChosenRule
from welfarist.web.models import Study
from welfarist.web.studies.access import login_required, own_study

_BUTTONS = (*BOARDS, ("best off", float("inf")))


@require_safe
@login_required
def explore(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the rule of a link would do; a link that says nothing sensible is explained."""
    study = own_study(request, pk)
    problem = ""
    try:
        rule = _asked(request, study)
    except WelfaristError as why:
        problem, rule = str(why), ChosenRule.equal(len(study.stakeholders))
    told = {
        "study": study,
        "problem": problem,
        "rule": rule,
        "ranked": ranked(study, rule),
        "people": [
            (label_of(person), person["description"], f"{weight:g}")
            for person, weight in zip(study.stakeholders, rule.weights, strict=True)
        ],
        "heaviest": f"{max(100.0, *rule.weights):g}",
        "slider": (f"{LOWEST:g}", f"{HIGHEST:g}", f"{rule.on_slider:g}"),
        "buttons": [(name, f"{p:g}") for name, p in _BUTTONS],
    }
    return render(request, "explore/explore.html", told, status=400 if problem else 200)


@require_safe
@login_required
def ranking(request: HttpRequest, pk: int) -> JsonResponse:
    """Answer with the actions in the order of a rule, also as a piece of the page."""
    study = own_study(request, pk)
    try:
        found = ranked(study, _asked(request, study))
    except WelfaristError as why:
        return JsonResponse({"problem": str(why)}, status=400)
    page = render_to_string("explore/ranking.html", {"ranked": found, "rule": found.rule})
    return JsonResponse({**found.to_dict(), "html": page})


def _asked(request: HttpRequest, study: Study) -> ChosenRule:
    """The rule of the query; of two powers the last, which a button added."""
    query = request.GET
    return ChosenRule.of_query(query.get("p"), query.getlist("w"), len(study.stakeholders))
