"""The outbox: letters written once, rendered in their reader's language, sent later and tried again."""

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import translation

from rental.models import Letter, User

log = logging.getLogger(__name__)
# Minutes to wait after the first, second, … failure; then the letter is given up and shows on the desk.
PAUSES = (1, 5, 15, 60, 240, 720, 1440)
# Letters whose link opens an account, or whose reader is erased: once sent, the house forgets them.
ONCE = ("account/email/password_reset_key:", "account:closed:")
# A sender that dies while sending leaves its letter to the next one after this long.
CLAIM = timedelta(minutes=5)


@dataclass(frozen=True)
class Page:
    """A letter's content in the language in force: plain sentences, figures to read, and one link."""

    subject: str
    paragraphs: list[str]
    facts: list[tuple[str, str]] = field(default_factory=list)
    link: tuple[str, str] | None = None  # label and path on this site


def write(*, event: str, to: str, language: str, subject: str, text: str, html: str) -> bool:
    """Put one letter into the outbox, in the caller's transaction; false when its event was already told."""
    _row, made = Letter.objects.get_or_create(
        event=event, defaults={"to": to, "language": language, "subject": subject, "text": text, "html": html}
    )
    return made


def told(event: str) -> bool:
    """Whether the letter of this event is written."""
    return Letter.objects.filter(event=event).exists()


def write_page(event: str, reader: User, page: Page) -> bool:
    """Render `page`, made under the reader's language, as text and HTML, and write it."""
    label, path = page.link or ("", "")
    context = {
        "reader": reader,
        "page": page,
        "link_label": label,
        "url": f"{settings.SITE_URL}{path}" if path else "",
        "site_url": settings.SITE_URL,
        "language": translation.get_language(),
        "demo": settings.DEMO,
    }
    return write(
        event=event,
        to=reader.email,
        language=reader.language,
        subject=page.subject,
        text=render_to_string("rental/letters/letter.txt", context),
        html=render_to_string("rental/letters/letter.html", context),
    )


def send_due(now: datetime) -> int:
    """Send the letters that are due; how many went out. Several senders at once send each letter once."""
    sent = 0
    for letter in Letter.objects.due(now)[:200]:
        claimed = Letter.objects.filter(pk=letter.pk, sent_at=None, next_attempt_at=letter.next_attempt_at).update(
            attempts=letter.attempts + 1, next_attempt_at=now + CLAIM
        )
        if claimed:
            sent += _send(letter, letter.attempts + 1, now)
    return sent


def _send(letter: Letter, attempt: int, now: datetime) -> bool:
    mine = Letter.objects.filter(pk=letter.pk)
    message = EmailMultiAlternatives(
        letter.subject,
        letter.text,
        to=[letter.to],
        # The same letter sent again after a lost answer carries the same id, so that it can be recognised.
        headers={"Message-ID": f"<letter-{letter.pk}@kernodeck>", "Content-Language": letter.language},
    )
    if letter.html:
        message.attach_alternative(letter.html, "text/html")
    try:
        message.send()
    except Exception as error:
        # Whatever the mail server says, the letter stays and the next ones go on.
        log.warning("letter %s not sent: %s", letter.pk, type(error).__name__)
        again = now + timedelta(minutes=PAUSES[attempt - 1]) if attempt <= len(PAUSES) else None
        mine.update(last_error=f"{type(error).__name__}: {error}"[:500], next_attempt_at=again)
        return False
    # A demo keeps every letter to be read on its outbox page.
    forget = {"text": "", "html": ""} if letter.event.startswith(ONCE) and not settings.DEMO else {}
    if letter.event.startswith("account:closed:"):
        forget["to"] = ""
    mine.update(sent_at=now, last_error="", **forget)
    return True
