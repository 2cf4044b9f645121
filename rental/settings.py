"""The one settings file; every variable it reads is explained in `.env.example`."""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

# Which of the two lives this process leads: `embedded` (one machine, SQLite, local Valkey) or `production`.
MODE = env.str("KERNODECK_MODE", "embedded")
PRODUCTION = MODE == "production"
DEBUG = env.bool("DEBUG", False)
DATA_DIR = Path(env.str("DATA_DIR", str(BASE_DIR / "var")))
# A demo says on every payment page that no coin may be sent; production refuses to be one.
DEMO = env.bool("DEMO", not PRODUCTION)


def required(name: str, embedded_default: str) -> str:
    """The variable's value; in production its absence ends the process with a sentence."""
    value: str = env.str(name, "" if PRODUCTION else embedded_default)
    if PRODUCTION and not value:
        raise ImproperlyConfigured(f"{name} is not set. Production needs it: see .env.example, then start again.")
    return value


SECRET_KEY = required("SECRET_KEY", "embedded-only-not-a-secret-0123456789abcdefghijklmnopqrstuvwxyz")
# Fernet keys, newest first, that seal access data at rest.
SEALING_KEYS = [k for k in required("SEALING_KEYS", "").split(",") if k]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"])
SITE_URL = required("SITE_URL", "http://127.0.0.1:8000").rstrip("/")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[SITE_URL])

if PRODUCTION:
    if DEBUG or DEMO:
        raise ImproperlyConfigured("DEBUG and DEMO must be off in production. Unset them, then start again.")
    if not ALLOWED_HOSTS:
        raise ImproperlyConfigured("ALLOWED_HOSTS is not set. Name the site's hosts, separated by commas.")

INSTALLED_APPS = [
    "rental.apps.TablesConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "pgtrigger",
    "common",
    "billing",
    "rental",
    "pilots",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "common.middleware.language",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "rental.accounts.seen.last_seen",
    "rental.accounts.going.remember_way",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "common.middleware.private_pages",
    "common.middleware.no_nul",
    "common.middleware.api_methods",
    "rental.desk.keeping.desk_acts",
]

ROOT_URLCONF = "rental.urls"
WSGI_APPLICATION = "rental.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "common.context.site",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static", "common.templatetags.kernodeck"],
        },
    }
]

DATABASES = {"default": env.db_url_config(required("DATABASE_URL", f"sqlite:///{DATA_DIR / 'kernodeck.sqlite3'}"))}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE takes the write lock at the start: no deadlock between two readers that both want to write.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
else:
    # The address may carry options of its own, such as the socket's folder.
    pool = {"min_size": 1, "max_size": env.int("DATABASE_POOL", 16)}
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = pool
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

AUTH_USER_MODEL = "rental.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "rental.accounts.passwords.NotAboutYou"},
    {"NAME": "rental.accounts.passwords.LongEnough", "OPTIONS": {"min_length": 10}},
    {"NAME": "rental.accounts.passwords.NotCommon"},
    {"NAME": "rental.accounts.passwords.NotOnlyDigits"},
]
LOGIN_REDIRECT_URL = "/account/"
LOGIN_URL = "/accounts/login/"
ACCOUNT_ADAPTER = "rental.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "rental.accounts.forms.SignupForm",
    "login": "rental.accounts.forms.LoginForm",
    "change_password": "rental.accounts.forms.ChangePasswordForm",
    "set_password": "rental.accounts.forms.SetPasswordForm",
    "reset_password": "rental.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "rental.accounts.forms.ResetPasswordKeyForm",
    "add_email": "rental.accounts.forms.AddEmailForm",
    "reauthenticate": "rental.accounts.forms.ReauthenticateForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_SESSION_REMEMBER = True
# Sign-up tells whether an email has an account, so that an order goes on at once: a list of addresses is tried slowly.
ACCOUNT_RATE_LIMITS = {
    "signup": "10/m/ip,60/h/ip",
    "confirm_email": "1/60s/key",
    # Quotes hold stock: nobody takes all of it from one place without an account.
    "anonymous_quote": "12/30m/ip",
}
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"
# How many proxies in front of this site write X-Forwarded-For; without one the connection's address counts.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", 0)
MFA_ADAPTER = "rental.accounts.adapter.MFAAdapter"
MFA_FORMS = {
    "authenticate": "rental.accounts.forms.AuthenticateForm",
    "reauthenticate": "rental.accounts.forms.MFAReauthenticateForm",
    "activate_totp": "rental.accounts.forms.ActivateForm",
    "add_webauthn": "rental.accounts.passkey_forms.AddPasskeyForm",
    "edit_webauthn": "rental.accounts.passkey_forms.RenamePasskeyForm",
    "authenticate_webauthn": "rental.accounts.passkey_forms.PasskeyForm",
    "reauthenticate_webauthn": "rental.accounts.passkey_forms.PasskeyAgainForm",
    "login_webauthn": "rental.accounts.passkey_forms.PasskeyLoginForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Kernodeck"

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("fr", "Français"),
    ("es", "Español"),
    ("pt-br", "Português (Brasil)"),
    ("tr", "Türkçe"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", str(DATA_DIR / "static")))
# The manifest storage answers 500 for a file that was not collected; tests and DEBUG use plain names.
HASHED_STATIC = env.bool("HASHED_STATIC", not DEBUG)
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(DATA_DIR / "files")},
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
FILE_UPLOAD_TEMP_DIR = None
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
CSRF_FAILURE_VIEW = "common.views.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
if PRODUCTION:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", True)
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", 31_536_000)

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": env.str("CACHE_URL")}
    if env.str("CACHE_URL", "")
    else {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "common_cache"}
}

# The queue. `BROKER_URL` is the site's own user; `BROKER_ADMIN_URL` may create one user per host.
BROKER_URL = required("BROKER_URL", f"redis+socket://{DATA_DIR / 'valkey' / 'valkey.sock'}")
BROKER_ADMIN_URL = env.str("BROKER_ADMIN_URL", "")
# The queue as hosts reach it; BROKER_URL when empty.
BROKER_PUBLIC_URL = env.str("BROKER_PUBLIC_URL", "")

DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Kernodeck <no-reply@localhost>")
# Where people may write to the operator; shown on the help page when set.
CONTACT_EMAIL = env.str("CONTACT_EMAIL", "")
EMAIL_BACKEND = env.str(
    "EMAIL_BACKEND",
    "django.core.mail.backends.smtp.EmailBackend" if PRODUCTION else "django.core.mail.backends.console.EmailBackend",
)
if PRODUCTION:
    vars().update(env.email_url("EMAIL_URL"))

# Money rules of this site.
TWO_PERSON_CENTS = env.int("TWO_PERSON_CENTS", 100_000_00 if DEMO else 5_000_00)
QUOTE_MINUTES = env.int("QUOTE_MINUTES", 30)
PAYMENT_MINUTES = env.int("PAYMENT_MINUTES", 60)
LATE_GRACE_MINUTES = env.int("LATE_GRACE_MINUTES", 24 * 60)
DELIVERY_HOURS = env.int("DELIVERY_HOURS", 24)
# So long after a missed promise a customer may cancel an order that is being prepared, with the whole price back.
LATE_CANCEL_HOURS = env.int("LATE_CANCEL_HOURS", 24)
RETENTION_DAYS = env.int("RETENTION_DAYS", 90)
# How long after a host showed its cards they may still be handed over on that word.
PROOF_HOURS = env.int("PROOF_HOURS", 24)
# How long lots that came free are held for who waited for them.
WAITING_HOURS = env.int("WAITING_HOURS", 4)
# How many quotes and how many unpaid orders one customer may hold: stock is for those who rent it.
OPEN_QUOTES = env.int("OPEN_QUOTES", 10)
UNPAID_ORDERS = env.int("UNPAID_ORDERS", 10)
# An order for which an address was given is let go this long after its deadline: money may be on its way.
LAPSE_GRACE_MINUTES = env.int("LAPSE_GRACE_MINUTES", 120)
# An operator gives the second factor again after this long.
DESK_SESSION_HOURS = env.int("DESK_SESSION_HOURS", 8)
# Acts on money want it given in the last so many minutes.
STEP_UP_MINUTES = env.int("STEP_UP_MINUTES", 10)

# Runs: a host's lease and how many silent leases end an attempt.
LEASE_SECONDS = env.int("LEASE_SECONDS", 60)
REPORT_SECONDS = env.float("REPORT_SECONDS", 2.0)
OFFER_SECONDS = env.int("OFFER_SECONDS", 15)
ATTEMPTS = env.int("ATTEMPTS", 3)
# A given-up attempt waits this long for its silent host to come back before the run is lost.
LOST_SECONDS = env.int("LOST_SECONDS", 3600)
# How much of one file a run may ship.
# Ed25519 (PEM) that signs evidence; a file in DATA_DIR/keys when empty.
EVIDENCE_SIGNING_KEY = env.str("EVIDENCE_SIGNING_KEY", "")
RUN_FILE_MAX_BYTES = env.int("RUN_FILE_MAX_BYTES", 8 * 1024**3)

PROJECT_MAX_BYTES = env.int("PROJECT_MAX_BYTES", 512 * 1024 * 1024)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "common.logs.JsonFormatter"}},
    "filters": {"no_alarm": {"()": "common.logs.NoAlarm"}},
    "loggers": {"django.security.DisallowedHost": {"filters": ["no_alarm"]}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO")},
}
