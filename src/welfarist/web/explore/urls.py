"""Addresses of the sliders."""

from __future__ import annotations

from django.urls import path

from welfarist.web.not_yet import not_yet

urlpatterns = [
    path("studies/<int:pk>/explore/", not_yet, name="explore"),
    path("studies/<int:pk>/explore/ranking.json", not_yet, name="explore-ranking"),
]
