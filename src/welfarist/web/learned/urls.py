"""Addresses of what was learned."""

from __future__ import annotations

from django.urls import path

from welfarist.web.not_yet import not_yet

urlpatterns = [
    path("studies/<int:pk>/learned/", not_yet, name="learned"),
    path("studies/<int:pk>/learned/<int:number>/", not_yet, name="learned-respondent"),
]
