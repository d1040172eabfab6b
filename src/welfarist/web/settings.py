"""What Django is told; it follows from the :mod:`~welfarist.web.deployment` alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from welfarist.web.databases import database_of
from welfarist.web.deployment import Deployment
from welfarist.web.secret_key import secret_key

DEPLOYMENT = Deployment.of(os.environ)
DEPLOYMENT.make_folder()
_HERE = Path(__file__).parent
_YEAR = 365 * 24 * 3600
_MEGABYTE = 1 << 20

DEBUG = False
SECRET_KEY = secret_key(DEPLOYMENT.key_file)
ALLOWED_HOSTS = DEPLOYMENT.allowed_hosts
ROOT_URLCONF = "welfarist.web.urls"
WSGI_APPLICATION = "welfarist.web.wsgi.application"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "welfarist.web",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "welfarist.web.headers.ContentSecurityPolicy",
    "welfarist.web.limiting.Bounded",  # before anybody reads what is sent
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "welfarist.web.limiting.Counted",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_HERE / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- data ----------------------------------------------------------------------------------------

DATABASES = {"default": database_of(DEPLOYMENT.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * _MEGABYTE  # of forms; files have a limit of their own
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
DATA_UPLOAD_MAX_NUMBER_FILES = 1
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- files that pages need: names have hashes, so that they may be kept for ever ------------------

STATIC_URL = "/static/"
STATIC_ROOT = DEPLOYMENT.data / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- who is there --------------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
_SERVER = not DEPLOYMENT.local
# Browsers take a cookie of such a name from this very host, through HTTPS, and from nobody else.
_PREFIX = "__Host-" if _SERVER else ""
SESSION_COOKIE_NAME = f"{_PREFIX}welfarist-session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = _SERVER
CSRF_COOKIE_NAME = f"{_PREFIX}welfarist-csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = _SERVER

# --- headers -------------------------------------------------------------------------------------

X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
# Links of invites tell nobody else where somebody came from. Without any referrer, forms that
# browsers send through HTTPS could not be told from those of other sites.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = _SERVER
SECURE_REDIRECT_EXEMPT = [r"^health$"]  # asked by the machine itself
SECURE_HSTS_SECONDS = _YEAR if _SERVER else 0
if DEPLOYMENT.behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HTTPS of hosts below our name, which may be others', is not ours to demand,
    "security.W021",  # nor a place in browsers' own lists, which holds for years
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"masked": {"()": "welfarist.web.quiet_logs.Masked"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "masked"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    # Not found and not allowed are answers, no news; neither is a forged name of the server, which
    # anybody can send, and which would fill the log with where it was noticed.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
