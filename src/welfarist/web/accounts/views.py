"""Coming in and going out."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from welfarist.web.accounts.local import local_analyst
from welfarist.web.accounts.one_time import DOOR


@require_GET
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the link that was printed in the terminal for a session."""
    if not settings.DEPLOYMENT.local:
        raise Http404
    if DOOR.redeem(token):
        login(request, local_analyst(), "django.contrib.auth.backends.ModelBackend")
    elif not request.user.is_authenticated:
        return render(request, "accounts/used_link.html", status=403)
    return redirect("home")


class Login(LoginView):
    """Ask for name and password; on one's own machine, for the link in the terminal."""

    redirect_authenticated_user = True

    def get_template_names(self) -> list[str]:
        """The page of the form, or of the link."""
        local = settings.DEPLOYMENT.local
        return ["accounts/used_link.html" if local else "accounts/login.html"]
