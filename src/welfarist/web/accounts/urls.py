"""Addresses of coming in and going out."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LogoutView
from django.urls import path

from welfarist.web.accounts import views

urlpatterns = [
    path("enter/<slug:token>/", views.enter, name="enter"),
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("activity/", login_required(views.activity), name="activity"),
    path("password/", login_required(views.Password.as_view()), name="password"),
]
