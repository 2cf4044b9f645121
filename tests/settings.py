"""The site's settings as the tests run them: plain static names, a fast password hash."""

import os
import tempfile

os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="kernodeck-test-"))
os.environ.setdefault("HASHED_STATIC", "off")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("EMAIL_BACKEND", "django.core.mail.backends.locmem.EmailBackend")

from rental.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# A pool keeps connections open, and a test database with open connections cannot be dropped.
DATABASES["default"].get("OPTIONS", {}).pop("pool", None)  # noqa: F405

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # A file, for tests with several connections: threads on one memory database meet locks that wait for nobody.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}  # noqa: F405
    DATABASES["default"]["OPTIONS"]["init_command"] = (  # noqa: F405
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;"
    )
(DATA_DIR / "static").mkdir(parents=True, exist_ok=True)  # noqa: F405
