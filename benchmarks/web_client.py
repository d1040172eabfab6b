"""Respondents without a browser: they read asking pages and answer them over HTTP."""

from __future__ import annotations

import html
import http.client
import re
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

_INPUT = re.compile(r"<input\b[^>]*>")
_NAME, _VALUE = re.compile(r'\bname="([^"]*)"'), re.compile(r'\bvalue="([^"]*)"')
_COOKIE = re.compile(r"^([^=;\s]+)=([^;]*)")
PATIENCE = 60.0


@dataclass(frozen=True)
class Form:
    """A form of a page: where it goes, and the fields that are not for people.

    Attributes
    ----------
    action : str
    fields : dict of str
    """

    action: str
    fields: dict[str, str]

    def filled(self, **said: str) -> bytes:
        """Return what is sent."""
        return urlencode({**self.fields, **said}).encode()


def form_in(page: str, name: str) -> Form | None:
    """Return the form of a page whose address ends with a name, if it has one."""
    found = re.search(rf'<form\b[^>]*\baction="([^"]*/{name}/)"[^>]*>(.*?)</form>', page, re.DOTALL)
    if found is None:
        return None
    tags = [tag for tag in _INPUT.findall(found[2]) if 'type="hidden"' in tag]
    pairs = [(_NAME.search(tag), _VALUE.search(tag)) for tag in tags]
    fields = {name[1]: html.unescape(value[1]) for name, value in pairs if name and value}
    return Form(found[1], fields)


@dataclass
class Client:
    """Somebody's visits to one server, who keeps cookies and no connections.

    Attributes
    ----------
    host, port
        Of the server.
    cookies : dict of str
    """

    host: str
    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, address: str) -> str:
        """Return a page, by its path or by its whole address."""
        status, _, page = self._said("GET", urlsplit(address).path)
        if status != 200:
            raise ConnectionError(f"{address}: {status}")
        return page

    def post(self, form: Form, **said: str) -> str:
        """Send a form and return where to go on, which is known as soon as it was taken."""
        status, place, page = self._said("POST", form.action, form.filled(**said))
        if status != 302:
            raise ConnectionError(f"{form.action}: {status} {page[:200]}")
        return place

    def _said(self, method: str, path: str, body: bytes | None = None) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                self.cookies.update([cookie_in(cookie)])
            place = answer.headers.get("Location", "")
            return answer.status, place, answer.read().decode()
        except http.client.HTTPException as problem:
            raise ConnectionError(repr(problem)) from problem
        finally:
            connection.close()


def cookie_in(header: str) -> tuple[str, str]:
    """Return name and value of a cookie that is set."""
    found = _COOKIE.match(header.strip())
    if found is None:
        raise ConnectionError(f"no cookie: {header!r}")
    return found[1], found[2]
