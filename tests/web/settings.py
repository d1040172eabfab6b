"""The settings of tests: those of one's own machine, with data in a folder that goes away."""

import atexit
import os
import shutil
import tempfile

_FOLDER = tempfile.mkdtemp(prefix="welfarist-tests-")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
# WELFARIST_DATABASE may name another kind of database, in which tests have one of their own.
os.environ.pop("WELFARIST_HOSTS", None)
os.environ["WELFARIST_DATA"] = _FOLDER

from welfarist.web.settings import *  # noqa: E402, F403

del os.environ["WELFARIST_DATA"]

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick, and for tests alone
if "sqlite3" in DATABASES["default"]["ENGINE"]:  # noqa: F405
    # In a file, as in use: one in memory has other locks.
    DATABASES["default"]["TEST"] = {"NAME": f"{_FOLDER}/test.sqlite3"}  # noqa: F405
