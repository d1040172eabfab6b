"""Coming in and going out."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_GET

from welfarist.web.accounts.local import local_analyst
from welfarist.web.accounts.one_time import DOOR
from welfarist.web.audit import note
from welfarist.web.limiting import too_often
from welfarist.web.rates import LOGIN_AS, LOGIN_FROM, Limit, address_of


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

    def post(self, request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        """Look at name and password, unless that was done too often."""
        for limit, who in self._counted():
            if limit.count(who):
                return too_often(request, limit)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Let somebody in: that was no guess."""
        for limit, who in self._counted():
            limit.forgive(who)
        note(None, form.get_user(), "logged in")
        return super().form_valid(form)

    def _counted(self) -> tuple[tuple[Limit, str], ...]:
        name = self.request.POST.get("username", "")[:200].casefold()
        return (LOGIN_FROM, address_of(self.request)), (LOGIN_AS, name)


class Password(PasswordChangeView):
    """Let somebody choose another password, which Django's validators look at."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Keep the new one; all other sessions of the account end."""
        note(None, self.request.user, "password changed")  # type: ignore[arg-type]
        messages.success(self.request, "Your password was changed.")
        return super().form_valid(form)
