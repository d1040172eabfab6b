"""Addresses of exports, imports and deletion."""

from __future__ import annotations

from django.urls import path

from welfarist.web.leaving import views

urlpatterns = [
    path("studies/import/", views.bring, name="import"),
    path("studies/<int:pk>/export/decisions.csv", views.decisions, name="export-decisions"),
    path("studies/<int:pk>/export/actions.csv", views.actions, name="export-actions"),
    path("studies/<int:pk>/export/model.json", views.model, name="export-model"),
    path("studies/<int:pk>/export/<int:number>/model.json", views.model, name="export-model-of"),
    path("studies/<int:pk>/export/report.html", views.report, name="export-report"),
    path("studies/<int:pk>/export/study.json", views.everything, name="export-study"),
    path("studies/<int:pk>/delete/", views.remove_study, name="study-delete"),
    path(
        "studies/<int:pk>/respondents/<int:number>/delete/",
        views.remove_respondent,
        name="respondent-delete",
    ),
]
