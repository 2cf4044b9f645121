"""A project archive is received: kept whole, looked at, and copied without its expected answers for the host."""

from django.core.files.uploadedfile import UploadedFile

from pilots.models import Project
from rental.models import User


def receive(customer: User, upload: UploadedFile) -> Project:
    """Store and inspect an archive; what is wrong with the project itself becomes `project.findings`.

    Raises:
        Refusal: `archive_*` when it is no archive, too large, or crafted to leave its folder.
    """
    raise NotImplementedError
