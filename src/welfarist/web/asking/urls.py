"""Addresses of the respondents' pages."""

from __future__ import annotations

from django.urls import path

from welfarist.web.asking import views

urlpatterns = [
    path("ask/<slug:token>/", views.ask, name="ask"),
    path("ask/<slug:token>/begin/", views.begin, name="ask-begin"),
    path("ask/<slug:token>/answer/", views.answer, name="ask-answer"),
    path("ask/<slug:token>/undo/", views.undo, name="ask-undo"),
    path("ask/<slug:token>/revise/", views.revise, name="ask-revise"),
    path("ask/<slug:token>/result/", views.result, name="ask-result"),
]
