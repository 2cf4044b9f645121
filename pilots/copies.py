"""A copy of evidence is brought back: found among the customer's runs, read again whole, and the reading recorded."""

import hashlib
import zipfile
from typing import IO

from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import evidence, guards
from pilots.evidence.reading import DAMAGED
from pilots.models import Evidence, Reread
from rental.models import User

INFO = "bag-info.txt"
MOST_INFO = 64 * 1024


def reread_copy(customer: User, copy: IO[bytes]) -> Reread:
    """Read a copy again and write down what was found.

    Raises:
        Refusal: `evidence_unknown` when it is no evidence of a run of this customer.
    """
    known = evidence_of(customer, copy)
    if known is None:
        raise Refusal(
            "evidence_unknown",
            _("This is no evidence of a run of yours. Choose the zip that you downloaded from a run page."),
            status=422,
            field="archive",
        )
    copy.seek(0)
    return evidence.reread(known, copy, by=customer)


def evidence_of(customer: User, copy: IO[bytes]) -> Evidence | None:
    """By the copy's hash; a copy that was changed still names its run."""
    own = Evidence.objects.filter(run__pilot__customer=guards.known(customer))
    same = own.filter(sha256=_sha256(copy)).first()
    return same or own.filter(run__ref=_named_run(copy)).first()


def _named_run(copy: IO[bytes]) -> str:
    copy.seek(0)
    try:
        with zipfile.ZipFile(copy) as bag:
            name = next(name for name in bag.namelist() if name.rpartition("/")[2] == INFO and name.count("/") <= 1)
            with bag.open(name) as file:
                text = file.read(MOST_INFO).decode("utf-8", "replace").replace("\0", "")
    except (StopIteration, *DAMAGED):
        return ""
    return next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("External-Id")), "")


def _sha256(copy: IO[bytes]) -> str:
    copy.seek(0)
    digest = hashlib.sha256()
    while block := copy.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
