"""The WSGI door, served by granian."""

import os

from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rental.settings")
application = get_wsgi_application()
if settings.PRODUCTION:
    # Example keys, rates and the like end the process here, with what to do about each.
    call_command("check", tags=["production"], databases=["default"])
