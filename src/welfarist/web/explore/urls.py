"""Addresses of the sliders."""

from __future__ import annotations

from django.urls import path

from welfarist.web.explore import views

urlpatterns = [
    path("studies/<int:pk>/explore/", views.explore, name="explore"),
    path("studies/<int:pk>/explore/ranking.json", views.ranking, name="explore-ranking"),
]
