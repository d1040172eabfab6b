"""Addresses of the analyst's pages."""

from __future__ import annotations

from django.urls import path

from welfarist.web.studies import setting_up, views

urlpatterns = [
    path("", views.home, name="home"),
    path("studies/new/", setting_up.new, name="study-new"),
    path("studies/<int:pk>/", views.study, name="study"),
    path("studies/<int:pk>/edit/", setting_up.edit, name="study-edit"),
    path("studies/<int:pk>/table/", setting_up.table, name="study-table"),
    path("studies/<int:pk>/words/<slug:whom>/", setting_up.words, name="study-words"),
    path("studies/<int:pk>/state/", views.state, name="study-state"),
    path("studies/<int:pk>/invites/new/", views.invite_new, name="invite-new"),
    path(
        "studies/<int:pk>/invites/<int:invite>/revoke/", views.invite_revoke, name="invite-revoke"
    ),
    path("studies/<int:pk>/audit/", views.audit, name="audit"),
]
