"""Addresses of the analyst's pages."""

from __future__ import annotations

from django.urls import path

from welfarist.web.not_yet import not_yet
from welfarist.web.studies import views

urlpatterns = [
    path("", views.home, name="home"),
    path("studies/new/", not_yet, name="study-new"),
    path("studies/<int:pk>/", views.study, name="study"),
    path("studies/<int:pk>/edit/", not_yet, name="study-edit"),
    path("studies/<int:pk>/state/", not_yet, name="study-state"),
    path("studies/<int:pk>/invites/new/", not_yet, name="invite-new"),
    path("studies/<int:pk>/invites/<int:invite>/revoke/", not_yet, name="invite-revoke"),
    path("studies/<int:pk>/audit/", not_yet, name="audit"),
]
