"""Addresses of the respondents' pages."""

from __future__ import annotations

from django.urls import path

from welfarist.web.asking import views
from welfarist.web.not_yet import not_yet

urlpatterns = [
    path("ask/<slug:token>/", views.ask, name="ask"),
    path("ask/<slug:token>/begin/", views.begin, name="ask-begin"),
    path("ask/<slug:token>/answer/", views.answer, name="ask-answer"),
    path("ask/<slug:token>/undo/", views.undo, name="ask-undo"),
    path("ask/<slug:token>/revise/", not_yet, name="ask-revise"),
    path("ask/<slug:token>/result/", not_yet, name="ask-result"),
]
