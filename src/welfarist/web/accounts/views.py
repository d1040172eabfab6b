"""Coming in and going out."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_GET, require_safe

from welfarist.web.accounts.local import local_analyst
from welfarist.web.accounts.one_time import DOOR
from welfarist.web.audit import note
from welfarist.web.limiting import too_often
from welfarist.web.models import AuditEntry
from welfarist.web.rates import LOGIN_AS, LOGIN_FROM, LOGIN_NAME, NOTED, Limit, address_of

_PER_PAGE = 100


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
                self._note("login refused: tried too often")
                return too_often(request, limit)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say that it was wrong, and note it."""
        self._note("login failed")
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Let somebody in: that was no guess."""
        for limit, who in self._counted():
            limit.forgive(who)
        note(None, form.get_user(), "logged in")
        return super().form_valid(form)

    def _counted(self) -> tuple[tuple[Limit, str], ...]:
        name, address = self._name().casefold(), address_of(self.request)
        return (LOGIN_FROM, address), (LOGIN_AS, f"{name}\0{address}"), (LOGIN_NAME, name)

    def _name(self) -> str:
        """What was typed as the name, without the letter that databases do not look for."""
        return self.request.POST.get("username", "")[:200].replace("\0", "")

    def _note(self, what: str) -> None:
        """Note a try to log in as somebody, at most so often.

        A name that nobody has is not kept: it may be a password in the wrong place.
        """
        user = User.objects.filter(username=self._name()).first()
        times = NOTED.counted("" if user is None else str(user.pk))
        if times <= NOTED.most:
            note(None, user, what, address=address_of(self.request))
        elif times == NOTED.most + 1:
            note(None, user, "more tries to log in, which are not noted for an hour")


class Password(PasswordChangeView):
    """Let somebody choose another password, which Django's validators look at."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Keep the new one; all other sessions of the account end."""
        note(None, self.request.user, "password changed")  # type: ignore[arg-type]
        messages.success(self.request, "Your password was changed.")
        return super().form_valid(form)


@require_safe
def activity(request: HttpRequest) -> HttpResponse:
    """Show what was done with an account; whoever looks after the server sees who else tried."""
    user = request.user
    whose = Q(user=user.pk)
    if getattr(user, "is_superuser", False):
        whose |= Q(user=None, who="unknown")
    entries = AuditEntry.objects.filter(whose, study=None)
    page = Paginator(entries, _PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "accounts/activity.html", {"page": page})
