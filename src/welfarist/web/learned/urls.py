"""Addresses of what was learned."""

from __future__ import annotations

from django.urls import path

from welfarist.web.learned import views

urlpatterns = [
    path("studies/<int:pk>/learned/", views.everybody, name="learned"),
    path("studies/<int:pk>/learned/<int:number>/", views.respondent, name="learned-respondent"),
]
