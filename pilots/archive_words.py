"""Why an archive was not taken, as a sentence that says what to do."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, Any] = {
    "absolute_path": _("A member of the archive has an absolute path. Pack the folder with relative paths."),
    "backslash": _("A member's name holds a backslash. Rename it and pack again."),
    "bomb": _("The archive unpacks to far more than its size. Pack the project without such files."),
    "damaged": _("The archive is damaged. Pack it again and send it once more."),
    "device": _("The archive holds something that is neither a file nor a folder. Leave it out."),
    "duplicate_by_case": _("Two names in the archive differ only by capitals or writing. Rename one of them."),
    "duplicate_name": _("Two members of the archive have the same name. Pack it again."),
    "empty": _("The archive holds no file. Pack the project folder and send it again."),
    "encrypted": _("The archive is encrypted. Pack it without a password."),
    "file_as_folder": _("One name in the archive is both a file and a folder. Pack it again."),
    "header_too_large": _("A member's header is too large. Pack the folder with ordinary tools."),
    "link": _("The archive holds a link, which may point to what exists only on your machine. Pack the file itself."),
    "lying_size": _("A member of the archive is not as long as the archive says. Pack it again."),
    "member_too_large": _("A file in the archive is too large. Leave it out or make it smaller."),
    "name_control": _("A name in the archive holds invisible characters. Rename the file."),
    "name_not_unicode": _("A name in the archive is not UTF-8 text. Rename the file."),
    "name_reserved": _("A name in the archive cannot be used on every system. Rename the file."),
    "name_too_long": _("A path in the archive is too long or too deep. Shorten it."),
    "not_an_archive": _("This file is neither a zip nor a tar.gz archive. Pack the project folder as one of them."),
    "overlap": _("Members of the archive overlap. Pack it again with ordinary tools."),
    "parent_path": _("A member's path climbs out of the archive. Pack the folder with relative paths."),
    "reader_failed": _("The archive could not be read within its limits. Pack it again with ordinary tools."),
    "sparse": _("The archive holds a sparse file. Pack it as a plain one."),
    "too_large": _("The archive is larger than %(most)s. Leave out what the pilot does not need."),
    "too_many_members": _("The archive holds too many files. Leave out what the pilot does not need."),
    "too_slow": _("Reading the archive took too long. Leave out what the pilot does not need."),
    "truncated": _("The archive ends too early. Send it again, or pack it again."),
    "unknown_compression": _("The archive is compressed in a way that is not read here. Use plain zip or tar.gz."),
    "unpacked_too_large": _("The archive unpacks to more than is allowed. Leave out what the pilot does not need."),
}
OTHER = _("The archive was not taken. Pack the project folder as a plain zip or tar.gz and send it again.")


def sentence(code: str) -> "str | Promise | Any":
    """The lazy sentence of a code of `pilots.spec.names.Refused`; `%(most)s` may stand in it."""
    return SENTENCES.get(code, OTHER)
