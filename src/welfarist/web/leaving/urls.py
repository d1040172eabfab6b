"""Addresses of exports, imports and deletion."""

from __future__ import annotations

from django.urls import path

from welfarist.web.not_yet import not_yet

urlpatterns = [
    path("studies/import/", not_yet, name="import"),
    path("studies/<int:pk>/export/decisions.csv", not_yet, name="export-decisions"),
    path("studies/<int:pk>/export/model.json", not_yet, name="export-model"),
    path("studies/<int:pk>/export/report.html", not_yet, name="export-report"),
    path("studies/<int:pk>/export/study.json", not_yet, name="export-study"),
    path("studies/<int:pk>/delete/", not_yet, name="study-delete"),
    path("studies/<int:pk>/respondents/<int:number>/delete/", not_yet, name="respondent-delete"),
]
